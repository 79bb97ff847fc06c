// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"cmp"
	"fmt"
)

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
