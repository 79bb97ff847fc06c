// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"cmp"
	"fmt"
	"strconv"
	"time"
)

// MaxWait is the longest that a command waits.
const MaxWait = 10 * time.Minute

// Ask asks another agent something. With Wait it waits for the answer, Timeout and [MaxWait] at most; a later answer
// goes to the inbox.
type Ask struct {
	From, To, Type, Query string
	Wait                  bool
	Timeout               time.Duration // 0 does not wait at all, with Wait; less is refused
	External              bool          // From is that of an [A2ACaller] or a [Person]
}

// Sent is the result of [Ask] that does not wait.
type Sent struct {
	Status string `json:"status"` // sent
	ID     string `json:"message_id"`
}

// Received is the result of [Ask] that was answered in time.
type Received struct {
	Status   string `json:"status"` // received
	Response string `json:"response"`
}

// Unanswered is the result of [Ask] that was not answered in time.
type Unanswered struct {
	Status string `json:"status"` // timeout
	Error  string `json:"error"`
	ID     string `json:"message_id"`
}

// Deadlock is the result of a command that would wait for somebody who waits for the caller.
type Deadlock struct {
	Status string   `json:"status"` // deadlock
	Error  string   `json:"error"`
	Cycle  []string `json:"cycle"` // each waits for the next one, and the last one for the first
}

func (c Ask) session() string { return c.From }

func (c Ask) run(t *tx) Result {
	if c.Query == "" {
		return invalid("query is missing")
	}
	if f := first(badName("to_session", c.To), badLabel("query_type", c.Type),
		badText("query", c.Query, maxText)); f != nil {
		return f
	}
	switch {
	case c.To == c.From:
		return invalid("a session cannot ask itself")
	case c.Timeout < 0:
		return invalid("timeout must be 0, for no wait, or more")
	case !t.Registered(c.To):
		return t.noAgent(c.To)
	case t.asked(c.From) >= maxAsked:
		return tooMany("queries of yours without an answer", maxAsked)
	case t.state.Queries.len() >= maxQueries && !t.dropQuery():
		return tooMany("queries without an answer in this project", maxQueries)
	}
	if f := t.overQuota(c.From, c.Query, c.Query); f != nil { // it is among the queries and in an inbox
		return f
	}
	wait := c.Wait && c.Timeout > 0
	if wait {
		if cycle := t.cycle(c.From, []string{c.To}); cycle != nil {
			return deadlock(cycle)
		}
	}
	q := &Query{ID: t.id(c.From), From: c.From, To: c.To, Type: c.Type, Text: c.Query, Time: t.now, Awaited: wait}
	t.emit(Event{Kind: KindAsked, Session: c.From, Query: q})
	switch {
	case wait:
		return waiting{query: q.ID, limit: min(c.Timeout, MaxWait)}
	case c.Wait:
		return unanswered(q.ID, 0)
	}
	return Sent{Status: "sent", ID: q.ID}
}

func (t *tx) asked(name string) int {
	n := 0
	for _, q := range t.state.Queries.all() {
		if q.From == name {
			n++
		}
	}
	return n
}

// dropQuery makes room: it deletes the oldest query that was read and that no call waits for. Its answer is still
// delivered.
func (t *tx) dropQuery() bool {
	unread := map[string]bool{}
	for _, s := range t.state.Sessions.all() {
		for _, m := range s.Inbox {
			if m.Type == TypeQuery {
				unread[m.ID] = true
			}
		}
	}
	for id, q := range t.state.Queries.all() {
		if !q.Awaited && !unread[id] {
			t.emit(Event{Kind: KindWithdrawn, Session: q.To, ID: id, Text: "it made room for another query"})
			return true
		}
	}
	return false
}

func unanswered(id string, after time.Duration) Unanswered {
	seconds := strconv.FormatFloat(after.Seconds(), 'f', -1, 64)
	return Unanswered{Status: "timeout", Error: "No response received within " + seconds + " seconds", ID: id}
}

func deadlock(cycle []string) Deadlock {
	return Deadlock{Status: "deadlock", Error: "This wait would never end, because each of these sessions waits for " +
		"the next one: do something else first", Cycle: cycle}
}

// Respond answers a query.
type Respond struct {
	From      string
	To        string // who asked; "" for whoever sent the query
	MessageID string
	Response  string
	External  bool // From is that of an [A2ACaller]
}

// Responded is the result of [Respond].
type Responded struct {
	Status  string `json:"status"` // response_sent
	To      string `json:"to"`
	Matched *bool  `json:"matched,omitzero"` // false when there is no such query
}

func (c Respond) session() string { return c.From }

func (c Respond) run(t *tx) Result {
	if f := first(badID("message_id", c.MessageID), badText("response", c.Response, maxText),
		badLabel("to_session", c.To)); f != nil {
		return f
	}
	if c.Response == "" {
		return invalid("response is missing")
	}
	q := t.state.Queries.get(c.MessageID)
	matched := q != nil && q.To == c.From && (c.To == "" || c.To == q.From)
	if matched {
		c.To = q.From
	}
	if c.To == "" {
		return Failure{Status: "not_found", Error: fmt.Sprintf("Message %s not found in project %s; name the session "+
			"that asked", c.MessageID, t.Project.id)}
	}
	to := t.state.Sessions.get(c.To)
	if to == nil {
		return t.noAgent(c.To)
	}
	if stamp, ok := stampOf(c.MessageID, c.To); ok && stamp < to.Since {
		return Failure{Status: "not_found", Error: fmt.Sprintf("Message %s is from an earlier session with the name "+
			"%s, which has ended: nothing was sent", c.MessageID, c.To)}
	}
	if f := t.overQuota(c.From, c.Response); f != nil && !matched { // an answer that is waited for always has room
		return f
	}
	m := &Message{ID: "response-" + c.MessageID, From: c.From, Type: TypeResponse, Text: c.Response, For: c.MessageID,
		Time: t.now, Guest: t.isUnregistered(c.From)}
	id := c.MessageID
	if !matched {
		id = "" // somebody else's query is not answered by it
	}
	t.emit(Event{Kind: KindAnswered, Session: c.From, To: []string{c.To}, Message: m, ID: id})
	result := Responded{Status: "response_sent", To: c.To}
	if !matched {
		result.Matched = new(bool)
	}
	return result
}

// Broadcast sends a message to all other agents.
type Broadcast struct {
	Session  string
	Type     string // what A2AMCP has is info, warning and help_needed, but any name will do; "" means info
	Content  string
	External bool // Session is that of a [Person]
}

// Broadcasted is the result of [Broadcast].
type Broadcasted struct {
	Status     string `json:"status"` // broadcast_sent
	Recipients int    `json:"recipients"`
}

func (c Broadcast) session() string { return c.Session }

func (c Broadcast) run(t *tx) Result {
	if c.Content == "" {
		return invalid("content is missing")
	}
	if f := first(badLabel("message_type", c.Type), badText("content", c.Content, maxText)); f != nil {
		return f
	}
	var to []string
	for name, s := range t.state.Sessions.all() {
		if name != c.Session && s.active() {
			to = append(to, name)
		}
	}
	if f := t.overQuota(c.Session, c.Content); f != nil {
		return f
	}
	if len(to) > 0 {
		m := &Message{ID: t.id(c.Session), From: c.Session, Type: TypeBroadcast, Subtype: cmp.Or(c.Type, "info"),
			Text: c.Content, Time: t.now, Guest: t.isUnregistered(c.Session)}
		t.emit(Event{Kind: KindBroadcast, Session: c.Session, To: to, Message: m})
	}
	return Broadcasted{Status: "broadcast_sent", Recipients: len(to)}
}

// Check takes the messages that wait for a session, oldest first.
type Check struct {
	Session string
	Limit   int  // how many at most; 0 means 100. There are fewer when those would be more than 256 KiB
	Peek    bool // leave them there

	upto int64 // the event after which messages are not known to be kept yet; 0 for none
}

// MessageInfo is a message in the result of [Check].
type MessageInfo struct {
	ID               string  `json:"id"`
	From             string  `json:"from"`
	Type             string  `json:"type"`
	QueryType        *string `json:"query_type,omitzero"`   // of a query
	MessageType      string  `json:"message_type,omitzero"` // of a broadcast
	ResponseTo       string  `json:"response_to,omitzero"`  // of a response
	Content          string  `json:"content"`
	Timestamp        Time    `json:"timestamp"`
	RequiresResponse bool    `json:"requires_response,omitzero"` // true of a query
}

func (c Check) session() string { return c.Session }

func (c Check) run(t *tx) Result {
	if c.Limit < 0 {
		return invalid("limit must be 0, for the default, or more")
	}
	inbox := c.ready(t, t.session(c.Session))
	all := make([]any, len(inbox))
	for i, m := range inbox {
		all[i] = m.info()
	}
	if len(inbox) > 0 && !c.Peek {
		t.emit(Event{Kind: KindRead, Session: c.Session, Upto: inbox[len(inbox)-1].N})
	}
	return all
}

func (m *Message) info() MessageInfo {
	info := MessageInfo{ID: m.ID, From: m.From, Type: m.Type, Content: m.Text, Timestamp: Time(m.Time)}
	switch m.Type {
	case TypeQuery:
		info.QueryType, info.RequiresResponse = new(m.Subtype), true
	case TypeResponse:
		info.ResponseTo = m.For
	default:
		info.MessageType = m.Subtype
	}
	return info
}

// The most that one [Check] returns. Further messages stay in the inbox, except that the first message always comes.
const (
	maxAnswer      = 100       // messages, unless the caller names another number
	maxAnswerBytes = 256 << 10 // of texts
)

// ready returns those messages that a check of an inbox returns. The first one says how many were dropped, if any were.
func (c Check) ready(t *tx, of *session) []*Message {
	var all []*Message
	if of.Dropped > 0 {
		text := fmt.Sprintf("%d older messages were dropped, as your inbox was full: check it more often", of.Dropped)
		all = append(all, &Message{ID: "dropped", From: "coordinator", Type: TypeBroadcast, Subtype: "warning",
			Text: text, Time: t.now})
	}
	size := 0
	for _, m := range of.Inbox {
		size += len(m.Text)
		if len(all) >= cmp.Or(c.Limit, maxAnswer) || size > maxAnswerBytes && size > len(m.Text) ||
			c.upto > 0 && m.N > c.upto {
			break
		}
		all = append(all, m)
	}
	return all
}

// failDropped tells those who asked that their query will have no answer, as it was dropped from a full inbox.
func (t *tx) failDropped() {
	lost := t.state.dropped
	t.state.dropped = nil
	for _, id := range lost {
		q := t.state.Queries.get(id)
		if q == nil {
			continue
		}
		why := fmt.Sprintf("Agent %s will not answer: its inbox was full, and your query was dropped", q.To)
		m := &Message{ID: "response-" + id, From: q.To, Type: TypeResponse, Text: why, For: id, Time: t.now}
		t.emit(Event{Kind: KindFailed, Session: q.From, ID: id, Message: m, Text: why})
	}
}
