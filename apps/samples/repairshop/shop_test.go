// SPDX-License-Identifier: Apache-2.0

package repairshop_test

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/repairshop"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/a2atest"
	"github.com/dragoman-a2a/dragoman/internal/wiretest"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/memory"
	"github.com/dragoman-a2a/dragoman/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

// newEngine returns an engine that ends with the test; nil is a journal of its own.
func newEngine(t *testing.T, j journal.Journal) *engine.Engine {
	t.Helper()
	e, err := engine.New(&engine.Options{Journal: j, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, e) })
	return e
}

// stop ends an engine at once.
func stop(t *testing.T, e *engine.Engine) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := e.Shutdown(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A talk is a conversation with one agent.
type talk struct {
	t    *testing.T
	svc  a2a.Service
	task *a2a.Task
	said []string // progress
}

// say sends a message over a stream and returns the state, without its prefix, and what the agent says last.
func (c *talk) say(parts ...a2a.Part) string {
	c.t.Helper()
	m := a2a.NewMessage(a2a.RoleUser, parts...)
	if c.task != nil {
		m.TaskID, m.ContextID = c.task.ID, c.task.ContextID
	}
	events, err := c.svc.StreamMessage(c.t.Context(), &a2a.SendMessageRequest{Message: m})
	if err != nil {
		c.t.Fatal(err)
	}
	c.follow(events, c.task != nil)
	return c.state()
}

// words is say with a text.
func (c *talk) words(text string) string {
	c.t.Helper()
	return c.say(a2a.TextPart(text))
}

func (c *talk) follow(events func(func(a2a.StreamEvent, error) bool), stale bool) {
	c.t.Helper()
	for e, err := range events {
		if err != nil {
			c.t.Fatal(err)
		}
		switch e := e.Event.(type) {
		case *a2a.Task:
			if c.task == nil || stale {
				c.task = e
			}
		case *a2a.StatusUpdate:
			if e.Status.State == a2a.TaskStateWorking && e.Status.Message != nil {
				c.said = append(c.said, e.Status.Message.Text())
			}
		}
	}
	c.refresh()
}

func (c *talk) refresh() {
	c.t.Helper()
	var err error
	if c.task, err = c.svc.GetTask(c.t.Context(), &a2a.GetTaskRequest{ID: c.task.ID}); err != nil {
		c.t.Fatal(err)
	}
}

func (c *talk) state() string {
	text := c.task.Status.Message.Text()
	if c.task.Status.State == a2a.TaskStateCompleted {
		text = c.task.Artifacts[len(c.task.Artifacts)-1].Text()
	}
	return strings.TrimPrefix(c.task.Status.State.String(), "TASK_STATE_") + ": " + text
}

// data reads the data of the task's last artifact.
func (c *talk) data(v any) {
	c.t.Helper()
	for _, p := range c.task.Artifacts[len(c.task.Artifacts)-1].Parts {
		if data, ok := p.Content.(a2a.Data); ok {
			if err := json.Unmarshal(data, v); err != nil {
				c.t.Fatal(err)
			}
			return
		}
	}
	c.t.Fatal("the artifact has no data")
}

// A conversation is what the customer says, and what the manager answers with.
type turn struct{ say, want string }

// The seeds' conversation and others.
var conversations = map[string][]turn{
	"the rattling noise": {
		{"My car is making a rattling noise.", "INPUT_REQUIRED: Which car is it? I need make, model and year"},
		{"Toyota Camry", "INPUT_REQUIRED: Which car is it? I need year"},
		{"2018", "INPUT_REQUIRED: Since when? And can you send a picture"},
		{"For two weeks, and no picture", "INPUT_REQUIRED: Toyota Camry 2018: cylinders misfire because of a worn " +
			"ignition coil. Ignition coil $48.50 and work $90.00 make $138.50. The part is in stock. Shall we do it?"},
		{"How much again?", "INPUT_REQUIRED: Toyota Camry 2018: cylinders misfire"},
		{"Yes, please", "COMPLETED: Your Toyota Camry 2018 is repaired: cylinders misfire because of a worn ignition " +
			"coil. That is $138.50."},
	},
	"all at once, then no": {
		{"My 2015 Honda Civic does not start", "INPUT_REQUIRED: Since when?"},
		{"no", "INPUT_REQUIRED: Honda Civic 2015: the battery no longer holds its charge. Battery $139.00 and work " +
			"$22.50 make $161.50."},
		{"No, too expensive", "CANCELED: All right, we leave it as it is."},
	},
	"the mechanic asks": {
		{"the brakes of my VW Golf 2019 squeal", "INPUT_REQUIRED: Since when?"},
		{"since Monday", "INPUT_REQUIRED: Is it at the front or at the rear?"},
		{"I think at the rear", "INPUT_REQUIRED: Volkswagen Golf 2019: the rear brake pads are worn. Brake pads, " +
			"rear $58.00 and work $112.50 make $170.50."},
		{"go ahead", "COMPLETED: Your Volkswagen Golf 2019 is repaired: the rear brake pads are worn."},
	},
	"out of stock": {
		{"There is fluid leaking from my Ford Focus 2012", "INPUT_REQUIRED: Since when?"},
		{"no", "INPUT_REQUIRED: Ford Focus 2012: the water pump leaks. Water pump $118.00 and work $270.00 make " +
			"$388.00. The part is out of stock and takes 3 days. Shall we do it?"},
		{"ok", "COMPLETED: Your Ford Focus 2012 is repaired: the water pump leaks."},
	},
	"never mind": {
		{"hello", "INPUT_REQUIRED: What is wrong, and with which car?"},
		{"a Trabant Deluxe 2001", "INPUT_REQUIRED: What is wrong, and with which car?"},
		{"never mind", "CANCELED: All right, nothing was done"},
	},
	"a make that nobody knows": {
		{"it rattles", "INPUT_REQUIRED: Which car is it?"},
		{"It's a Borgward Isabella from 2005", "INPUT_REQUIRED: Which car is it?"},
		{"Borgward Isabella 2005", "INPUT_REQUIRED: Since when?"},
	},
}

func TestConversations(t *testing.T) {
	t.Parallel()
	for engine, o := range engines(t) {
		for name, turns := range conversations {
			t.Run(engine+"/"+name, func(t *testing.T) {
				t.Parallel()
				c := &talk{t: t, svc: repairshop.Open(newEngine(t, nil), o).Manager}
				for _, turn := range turns {
					if got := c.words(turn.say); !strings.HasPrefix(got, turn.want) {
						t.Fatalf("%q: %q, want %q", turn.say, got, turn.want)
					}
				}
			})
		}
	}
}

// The manager is talked to in each way in which a client can, gRPC too.
func TestEveryWay(t *testing.T) {
	t.Parallel()
	manager := func() agent.Agent {
		shop := repairshop.Open(newEngine(t, nil), repairshop.Options{})
		return repairshop.NewManager(shop.Mechanic, shop.Supplier, repairshop.Options{})
	}
	wiretest.Each(t, wiretest.Sample{Agent: manager, Card: repairshop.ManagerCard()},
		func(t *testing.T, c *wiretest.Caller) {
			var last *a2a.Task
			for _, turn := range conversations["the rattling noise"] {
				m := wiretest.Message(turn.say)
				if last != nil {
					m = wiretest.Answer(last, m.Parts...)
				}
				last = c.Send(t, m)
				if got := (&talk{task: last}).state(); !strings.HasPrefix(got, turn.want) {
					t.Fatalf("%q: %q, want %q", turn.say, got, turn.want)
				}
			}
			c.WantProgress(t, "Mechanic: Raising the platform to 2 m.")
		})
}

// The manager shows the progress of the other agents and names their tasks.
func TestProgress(t *testing.T) {
	t.Parallel()
	shop := repairshop.Open(newEngine(t, nil), repairshop.Options{})
	c := &talk{t: t, svc: shop.Manager}
	c.words("My Toyota Camry 2018 rattles since May")
	c.words("no")
	c.words("yes")
	want := []string{
		"Mechanic: Scanning the Toyota Camry 2018 for error codes.", "Mechanic: Looking it up in the repair manual.",
		"Supplier: Ordering ignition coil.", "Mechanic: Raising the platform to 2 m.",
		"Mechanic: Step 1 of 4: disconnect the battery.",
		"Mechanic: Step 2 of 4: take off the engine cover.", "Mechanic: Step 3 of 4: replace the ignition coil.",
		"Mechanic: Step 4 of 4: clear the error code and let the engine run.", "Mechanic: Lowering the platform.",
	}
	if !slices.Equal(c.said, want) {
		t.Errorf("progress:\n%s", strings.Join(c.said, "\n"))
	}
	var receipt repairshop.Receipt
	c.data(&receipt)
	if receipt.Total != 138_50 || !strings.HasPrefix(receipt.Order, "PO-") || len(receipt.Done) != 4 {
		t.Errorf("%+v", receipt)
	}
	for key, svc := range map[string]a2a.Service{"Mechanic/repair": shop.Mechanic, "Supplier": shop.Supplier} {
		child, err := svc.GetTask(t.Context(), &a2a.GetTaskRequest{ID: delegated(t, c.task, key)})
		if err != nil || child.Status.State != a2a.TaskStateCompleted || child.ContextID != c.task.ContextID {
			t.Errorf("%s: %+v %v", key, child, err)
		}
	}
}

// delegated returns the id of the other agent's task, by the name of the delegation.
func delegated(t *testing.T, task *a2a.Task, name string) a2a.TaskID {
	t.Helper()
	var ids map[string]a2a.TaskID
	if _, err := task.Metadata.Get("delegations", &ids); err != nil || ids[name] == "" {
		t.Fatalf("%s: %v %v", name, ids, err)
	}
	return ids[name]
}

// An estimate is data as well. Pictures reach the mechanic.
func TestDataAndPictures(t *testing.T) {
	t.Parallel()
	shop := repairshop.Open(newEngine(t, nil), repairshop.Options{})
	c := &talk{t: t, svc: shop.Manager}
	picture := a2a.RawPart([]byte("a picture"), "image/png", "leak.png")
	if got := c.say(a2a.TextPart("My Skoda Octavia 2017 loses fluid, see here"), picture); !strings.HasPrefix(got,
		"INPUT_REQUIRED: Skoda Octavia 2017: the water pump leaks") {
		t.Fatal(got) // and nothing is asked about a picture
	}
	var e repairshop.Estimate
	parts := c.task.Status.Message.Parts
	if err := json.Unmarshal(parts[len(parts)-1].Content.(a2a.Data), &e); err != nil || e.Total != 388_00 ||
		e.DeliveryDays != 3 {
		t.Errorf("%+v %v", e, err)
	}
	list, err := shop.Mechanic.ListTasks(t.Context(),
		&a2a.ListTasksRequest{ContextID: c.task.ContextID, HistoryLength: new(10)})
	if err != nil || len(list.Tasks) != 1 {
		t.Fatalf("%+v %v", list, err)
	}
	if m := list.Tasks[0].History[0]; string(m.Parts[len(m.Parts)-1].Content.(a2a.Raw)) != "a picture" {
		t.Errorf("the mechanic got %+v", m)
	}
}

// The other two agents can be talked to by anybody.
func TestMechanicAndSupplier(t *testing.T) {
	t.Parallel()
	shop := repairshop.Open(newEngine(t, nil), repairshop.Options{})
	for text, want := range map[string]string{
		"Do you have part #12345 in stock for a Toyota Camry 2018?": "COMPLETED: Part #12345 (ignition coil) for a " +
			"Toyota Camry 2018: $48.50, in stock.",
		"Is part 20420 there?": "COMPLETED: Part #20420 (catalytic converter): $612.00, out of stock, delivery " +
			"in 4 days.",
		"part #99999":              "REJECTED: There is no part #99999.",
		"Please order part #12345": "COMPLETED: Order PO-",
		"hello":                    "INPUT_REQUIRED: Which part",
	} {
		if got := (&talk{t: t, svc: shop.Supplier}).words(text); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for engine, o := range engines(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			svc := repairshop.Open(newEngine(t, nil), o).Mechanic
			c := &talk{t: t, svc: svc}
			for _, turn := range []turn{
				{"Diagnose a car", "INPUT_REQUIRED: Which car is it?"},
				{"an Audi A4 from 2011", "INPUT_REQUIRED: What is wrong with it?"},
				{"it clunks at the front", "COMPLETED: A link of the stabilizer bar has play. Part #60310 " +
					"(stabilizer link) for a Audi A4 2011: $27.40, in stock."},
			} {
				if got := c.words(turn.say); !strings.HasPrefix(got, turn.want) {
					t.Errorf("%q: %q, want %q", turn.say, got, turn.want)
				}
			}
			r := &talk{t: t, svc: svc}
			if got := r.words("Fix the squealing brakes of a Mazda 3 2016"); got != "INPUT_REQUIRED: Is it at the "+
				"front or at the rear?" {
				t.Error(got)
			}
			if got := r.words("front"); got != "COMPLETED: The Mazda 3 2016 is repaired. The front brake pads are "+
				"worn: that is done." {
				t.Error(got)
			}
		})
	}
}

// tools is an MCP server that notes which tools are called, and where some fail.
type tools struct {
	*mcp.Server
	mu     sync.Mutex
	called []string
}

func newTools(failing ...string) *tools {
	s := &tools{Server: repairshop.NewTools()}
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			call, ok := req.(*mcp.CallToolRequest)
			if !ok {
				return next(ctx, method, req)
			}
			s.mu.Lock()
			s.called = append(s.called, call.Params.Name)
			s.mu.Unlock()
			if slices.Contains(failing, call.Params.Name) {
				r := &mcp.CallToolResult{}
				r.SetError(errors.New("the hydraulics \x1b[31mleak"))
				return r, nil
			}
			return next(ctx, method, req)
		}
	})
	return s
}

// open is Options.Tools.
func (s *tools) open(ctx context.Context) (mcp.Transport, error) {
	here, there := mcp.NewInMemoryTransports()
	_, err := s.Connect(context.WithoutCancel(ctx), there, nil)
	return here, err
}

func (s *tools) calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.called)
}

func TestToolErrors(t *testing.T) {
	t.Parallel()
	for failing, want := range map[string]string{
		"scan_vehicle_for_error_codes": "FAILED: Our mechanic could not do it. A tool says: the hydraulics [31mleak.",
		"get_repair_procedure":         "FAILED: Our mechanic could not do it. A tool says: the hydraulics [31mleak.",
		"raise_platform":               "FAILED: Our mechanic could not do it. A tool says: the hydraulics [31mleak.",
		"lower_platform":               "FAILED: Our mechanic could not do it. A tool says: the hydraulics [31mleak.",
	} {
		t.Run(failing, func(t *testing.T) {
			t.Parallel()
			s := newTools(failing)
			c := &talk{t: t, svc: repairshop.Open(newEngine(t, nil), repairshop.Options{Tools: s.open}).Manager}
			c.words("My Toyota Camry 2018 rattles")
			got := c.words("no")
			if c.task.Status.State == a2a.TaskStateInputRequired {
				got = c.words("yes")
			}
			if !strings.HasPrefix(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
			if calls := s.calls(); failing == "raise_platform" && slices.Contains(calls, "lower_platform") {
				t.Errorf("calls %v", calls)
			}
		})
	}
}

func TestToolsOutOfReach(t *testing.T) {
	t.Parallel()
	o := repairshop.Options{Tools: func(context.Context) (mcp.Transport, error) { return nil, errors.New("no way") }}
	c := &talk{t: t, svc: repairshop.Open(newEngine(t, nil), o).Manager}
	c.words("My Toyota Camry 2018 rattles")
	if got := c.words("no"); got != "FAILED: Our mechanic could not do it. The tools of the workshop cannot be "+
		"reached now. Please try again later." {
		t.Error(got)
	}
}

// gone is a service that is not there.
type gone struct{ a2a.Service }

func (gone) StreamMessage(context.Context, *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	return nil, a2a.ErrUnavailable
}

func (gone) ListTasks(context.Context, *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return nil, a2a.ErrUnavailable
}

func TestOthersOutOfReach(t *testing.T) {
	t.Parallel()
	e := newEngine(t, nil)
	mechanic := e.Agent("mechanic", repairshop.NewMechanic(gone{}, repairshop.Options{}), nil)
	for name, tt := range map[string]struct {
		mechanic a2a.Service
		want     string
	}{
		"mechanic": {gone{}, "FAILED: Our mechanic cannot be reached now. Please try again later."},
		"supplier": {mechanic, "FAILED: Our mechanic could not do it. The supplier of parts does not answer. Please " +
			"try again later."},
	} {
		c := &talk{t: t, svc: e.Agent("without "+name, repairshop.NewManager(tt.mechanic, gone{}, repairshop.Options{}),
			nil)}
		c.words("My Toyota Camry 2018 rattles")
		if got := c.words("no"); got != tt.want {
			t.Errorf("without %s: %q", name, got)
		}
	}
}

// until sends a message and leaves its stream when a progress text begins so.
func (c *talk) until(text, progress string) {
	c.t.Helper()
	m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text))
	m.TaskID, m.ContextID = c.task.ID, c.task.ContextID
	events, err := c.svc.StreamMessage(c.t.Context(), &a2a.SendMessageRequest{Message: m})
	if err != nil {
		c.t.Fatal(err)
	}
	for e, err := range events {
		if err != nil {
			c.t.Fatal(err)
		}
		if u, ok := e.Event.(*a2a.StatusUpdate); ok && strings.HasPrefix(u.Status.Message.Text(), progress) {
			return
		}
	}
	c.t.Fatalf("nobody says %q", progress)
}

// A cancel of the customer's task ends those of the others, and the platform comes down.
func TestCancelGoesDown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ progress, metadata string }{
		{"Mechanic: Step 2 of 4", "Mechanic/repair"}, {"Supplier: Ordering", "Supplier"},
	} {
		t.Run(tt.metadata, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newTools()
				shop := repairshop.Open(newEngine(t, nil), repairshop.Options{Tools: s.open, Pace: time.Minute})
				c := &talk{t: t, svc: shop.Manager}
				c.words("My Toyota Camry 2018 rattles")
				c.words("no")
				c.until("yes", tt.progress)
				got, err := c.svc.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: c.task.ID})
				if err != nil || got.Status.State != a2a.TaskStateCanceled {
					t.Fatalf("%+v %v", got, err)
				}
				id := delegated(t, got, tt.metadata)
				svc := map[string]a2a.Service{"Mechanic/repair": shop.Mechanic, "Supplier": shop.Supplier}[tt.metadata]
				child, err := svc.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id})
				if err != nil || child.Status.State != a2a.TaskStateCanceled {
					t.Errorf("%+v %v", child, err)
				}
				calls := s.calls()
				if tt.metadata == "Mechanic/repair" && calls[len(calls)-1] != "lower_platform" {
					t.Errorf("the car was left in the air: %v", calls)
				}
			})
		})
	}
}

// A part that is out of stock is waited for, without a turn; a message meanwhile is answered.
func TestDelivery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &talk{t: t, svc: repairshop.Open(newEngine(t, nil), repairshop.Options{Day: 24 * time.Hour}).Manager}
		c.words("There is fluid leaking from my Ford Focus 2012 for a week")
		c.words("no")
		begun := time.Now()
		c.until("yes", "Order PO-")
		c.until("Where is my car?", "Order PO-")
		events, err := c.svc.Subscribe(t.Context(), &a2a.SubscribeRequest{ID: c.task.ID})
		if err != nil {
			t.Fatal(err)
		}
		c.follow(events, false)
		if got := c.state(); !strings.HasPrefix(got, "COMPLETED: Your Ford Focus 2012 is repaired") {
			t.Error(got)
		}
		if took := time.Since(begun); took != 72*time.Hour {
			t.Errorf("it took %v", took)
		}
	})
}

// An engine that is gone takes nothing with it: the estimate still stands.
func TestRestartWhileTheEstimateWaits(t *testing.T) {
	t.Parallel()
	j := memory.New(nil)
	defer j.Close()
	e := newEngine(t, j)
	c := &talk{t: t, svc: repairshop.Open(e, repairshop.Options{}).Manager}
	c.words("My Toyota Camry 2018 rattles")
	c.words("no")
	stop(t, e)
	c.svc = repairshop.Open(newEngine(t, j), repairshop.Options{}).Manager
	if got := c.words("yes"); !strings.HasPrefix(got, "COMPLETED: Your Toyota Camry 2018 is repaired") {
		t.Error(got)
	}
}

// A restart in the middle of the work neither orders nor repairs twice.
func TestRestartWhileOthersWork(t *testing.T) {
	t.Parallel()
	for _, progress := range []string{"Supplier: Ordering", "Mechanic: Step 2 of 4"} {
		t.Run(progress, func(t *testing.T) {
			t.Parallel()
			j := memory.New(nil)
			defer j.Close()
			e, s := newEngine(t, j), newTools()
			c := &talk{t: t, svc: repairshop.Open(e,
				repairshop.Options{Tools: s.open, Pace: 20 * time.Millisecond}).Manager}
			c.words("My Toyota Camry 2018 rattles")
			c.words("no")
			c.until("yes", progress)
			stop(t, e)
			shop := repairshop.Open(newEngine(t, j), repairshop.Options{Tools: s.open})
			c.svc = shop.Manager
			if events, err := c.svc.Subscribe(t.Context(), &a2a.SubscribeRequest{ID: c.task.ID}); err == nil {
				c.follow(events, false)
			}
			c.refresh()
			if got := c.state(); !strings.HasPrefix(got, "COMPLETED: Your Toyota Camry 2018 is repaired") {
				t.Error(got)
			}
			// a question and an order, a diagnosis and a repair
			for svc, want := range map[a2a.Service]int{shop.Supplier: 2, shop.Mechanic: 2} {
				list, err := svc.ListTasks(t.Context(), &a2a.ListTasksRequest{ContextID: c.task.ContextID})
				if err != nil || len(list.Tasks) != want {
					t.Errorf("%d tasks, want %d, %v", len(list.Tasks), want, err)
				}
			}
		})
	}
}

// serve serves an agent over HTTP and returns a client for it.
func serve(t *testing.T, name string, a agent.Agent, card *a2a.AgentCard) *client.Client {
	t.Helper()
	svc := newEngine(t, nil).Agent(name, a, &engine.AgentOptions{Card: card})
	c, err := client.Dial(t.Context(), a2atest.ServeService(t, svc, &server.Options{Card: card}), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// Three agents and the tools, each a server of its own: A2A and MCP over HTTP, until the car is repaired; then a
// cancel.
func TestOverHTTP(t *testing.T) {
	t.Parallel()
	s := newTools()
	handler := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server },
		nil))
	t.Cleanup(func() {
		handler.CloseClientConnections()
		handler.Close()
	})
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	o := repairshop.Options{Pace: 5 * time.Millisecond, Tools: func(context.Context) (mcp.Transport, error) {
		return &mcp.StreamableClientTransport{Endpoint: handler.URL, HTTPClient: &http.Client{Transport: transport},
			DisableStandaloneSSE: true}, nil
	}}
	supplier := serve(t, "supplier", repairshop.NewSupplier(o), repairshop.SupplierCard())
	mechanic := serve(t, "mechanic", repairshop.NewMechanic(supplier, o), repairshop.MechanicCard())
	manager := serve(t, "manager", repairshop.NewManager(mechanic, supplier, o), repairshop.ManagerCard())
	for _, binding := range []string{a2a.BindingJSONRPC, a2a.BindingHTTPJSON} {
		customer, err := client.New(manager.Card(), &client.Options{Bindings: []string{binding}})
		if err != nil {
			t.Fatal(err)
		}
		defer customer.Close()
		c := &talk{t: t, svc: customer}
		for _, turn := range conversations["the mechanic asks"] {
			if got := c.words(turn.say); !strings.HasPrefix(got, turn.want) {
				t.Fatalf("%q: %q, want %q", turn.say, got, turn.want)
			}
		}
		if !slices.Contains(c.said, "Mechanic: Step 1 of 3: take off the rear wheels.") {
			t.Errorf("progress: %v", c.said)
		}
		want := []string{"scan_vehicle_for_error_codes", "get_repair_procedure", "scan_vehicle_for_error_codes",
			"get_repair_procedure", "get_repair_procedure", "raise_platform", "lower_platform"}
		if calls := s.calls(); !slices.Equal(calls[len(calls)-len(want):], want) {
			t.Errorf("tools: %v", calls)
		}
		canceled := &talk{t: t, svc: customer}
		canceled.words("My Toyota Camry 2018 rattles")
		canceled.words("no")
		canceled.until("yes", "Mechanic: Step 1")
		task, err := customer.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: canceled.task.ID})
		if err != nil || task.Status.State != a2a.TaskStateCanceled {
			t.Fatalf("%+v %v", task, err)
		}
		id := delegated(t, task, "Mechanic/repair")
		if child, err := mechanic.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id}); err != nil ||
			child.Status.State != a2a.TaskStateCanceled {
			t.Errorf("%+v %v", child, err)
		}
		// Not streaming either.
		one, err := customer.SendMessage(t.Context(),
			&a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser,
				a2a.TextPart("my VW Golf 2019 rattles for a week"))})
		if err != nil || one.(*a2a.Task).Status.State != a2a.TaskStateInputRequired {
			t.Errorf("%+v %v", one, err)
		}
	}
}
