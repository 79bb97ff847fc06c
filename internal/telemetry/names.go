// SPDX-License-Identifier: Apache-2.0

package telemetry

import (
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// All names of spans, attributes and metrics stand in this file. Those of A2A and generative AI follow the proposal
// open-telemetry/semantic-conventions-genai#195.

// Attributes of spans and metrics.
const (
	KeyMethod       = attribute.Key("a2a.method.name")
	KeyTask         = attribute.Key("a2a.task.id")
	KeyState        = attribute.Key("a2a.task.state")
	KeyMessage      = attribute.Key("a2a.message.id")
	KeyTenant       = attribute.Key("a2a.tenant")
	KeyVersion      = attribute.Key("a2a.protocol.version")
	KeyConversation = attribute.Key("gen_ai.conversation.id") // the id of the context
	KeyAgent        = attribute.Key("gen_ai.agent.name")
	KeyGenAI        = attribute.Key("gen_ai.operation.name")
	KeyAddress      = attribute.Key("server.address")
	KeyError        = attribute.Key("error.type")

	KeyBinding = attribute.Key("dragoman.binding")
	KeyRequest = attribute.Key("dragoman.request.id")
	KeyAttempt = attribute.Key("dragoman.turn.attempt")
	KeyStep    = attribute.Key("dragoman.host.step")
	KeyEvents  = attribute.Key("dragoman.journal.events")
	KeyJournal = attribute.Key("dragoman.journal.operation")
)

// Names of spans. Those of clients and servers are the names of operations, such as SendMessage.
const (
	SpanRequest     = "request" // of a server, while nothing but its header is known
	SpanTurn        = "turn"
	SpanJournal     = "journal " // and the operation
	SpanInvokeAgent = "invoke_agent"
)

// other stands for operations and errors without a name.
const other = "_OTHER"

// A Metric is one that the library records. Its name in Prometheus has underscores for dots, and ends with the unit.
type Metric struct {
	Name, Unit, What string
	Labels           []attribute.Key // whose values are few
	UpDown           bool            // a number that goes up and down; else a histogram

	histogram metric.Float64Histogram
	upDown    metric.Int64UpDownCounter
}

// The metrics.
var (
	RequestDuration = &Metric{Name: "a2a.server.request.duration", Unit: "s",
		What:   "time from a request to the end of its answer; of a stream, to the end of the stream",
		Labels: []attribute.Key{KeyMethod, KeyError}}
	FirstEvent = &Metric{Name: "a2a.server.first_event.duration", Unit: "s",
		What: "time from a request for a stream to its first event", Labels: []attribute.Key{KeyMethod}}
	OpenStreams = &Metric{Name: "a2a.server.open_streams", Unit: "{stream}", What: "streams that are open",
		UpDown: true}
	TaskDuration = &Metric{Name: "a2a.task.duration", Unit: "s",
		What: "time from the creation of a task to its end", Labels: []attribute.Key{KeyAgent, KeyState}}
	RunningTurns = &Metric{Name: "dragoman.turns.running", Unit: "{turn}", What: "turns that run", UpDown: true,
		Labels: []attribute.Key{KeyAgent}}
	WaitingTurns = &Metric{Name: "dragoman.turns.waiting", Unit: "{turn}", UpDown: true,
		What: "turns that wait for a place, and messages that wait for the end of the turn before theirs"}
	QueuedEvents = &Metric{Name: "dragoman.events.queued", Unit: "{event}", UpDown: true,
		What: "events of agents that wait to be written to the journal"}
	JournalDuration = &Metric{Name: "dragoman.journal.duration", Unit: "s", What: "time of an operation of the journal",
		Labels: []attribute.Key{KeyJournal, KeyError}}
	PushDuration = &Metric{Name: "dragoman.push.duration", Unit: "s",
		What:   "time of a request to a webhook; a failure is failed, or parked if it was the last try",
		Labels: []attribute.Key{KeyAgent, KeyError}}
)

// Metrics lists them.
var Metrics = []*Metric{RequestDuration, FirstEvent, OpenStreams, TaskDuration, RunningTurns, WaitingTurns,
	QueuedEvents, JournalDuration, PushDuration}

// buckets are the bounds of histograms in seconds: from a commit in memory to a task of an hour.
var buckets = []float64{.0001, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 3600}

// init makes the instruments. They record nothing until the program sets a provider. OpenTelemetry's only errors are
// about names.
func init() {
	meter := otel.Meter(Scope)
	for _, m := range Metrics {
		if m == WaitingTurns || m == QueuedEvents {
			continue // counted when someone looks, see Observe
		}
		if m.UpDown {
			m.upDown, _ = meter.Int64UpDownCounter(m.Name, metric.WithUnit(m.Unit), metric.WithDescription(m.What))
			continue
		}
		m.histogram, _ = meter.Float64Histogram(m.Name, metric.WithUnit(m.Unit), metric.WithDescription(m.What),
			metric.WithExplicitBucketBoundaries(buckets...))
	}
}
