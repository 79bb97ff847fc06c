// SPDX-License-Identifier: Apache-2.0

package keyset_test

import (
	"errors"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/internal/keyset"
)

var scope = journal.Scope{Agent: "a", Tenant: "t", Owner: "o"}

func TestTokensBelongToTheirList(t *testing.T) {
	t.Parallel()
	q := journal.Query{ContextID: "c", State: a2a.TaskStateWorking, Since: time.Unix(5, 0), Limit: 3}
	place := keyset.Place{Time: -7, ID: "task/ü"}
	q.PageToken = keyset.Encode(scope, q, place)
	if got, err := keyset.Decode(scope, q); err != nil || got != place {
		t.Fatalf("place %+v, error %v", got, err)
	}
	q.Limit = 9
	if _, err := keyset.Decode(scope, q); err != nil {
		t.Errorf("another limit: %v", err)
	}
	for name, change := range map[string]func(*journal.Scope, *journal.Query){
		"agent":   func(s *journal.Scope, _ *journal.Query) { s.Agent = "x" },
		"tenant":  func(s *journal.Scope, _ *journal.Query) { s.Tenant = "x" },
		"owner":   func(s *journal.Scope, _ *journal.Query) { s.Owner = "x" },
		"shifted": func(s *journal.Scope, _ *journal.Query) { s.Agent, s.Tenant = "at", "" },
		"context": func(_ *journal.Scope, q *journal.Query) { q.ContextID = "" },
		"state":   func(_ *journal.Scope, q *journal.Query) { q.State = 0 },
		"since":   func(_ *journal.Scope, q *journal.Query) { q.Since = time.Time{} },
	} {
		s, q := scope, q
		change(&s, &q)
		if _, err := keyset.Decode(s, q); !errors.Is(err, journal.ErrBadPageToken) {
			t.Errorf("another %s: error %v", name, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(keyset.Encode(scope, journal.Query{}, keyset.Place{Time: 1, ID: "x"}))
	f.Add("")
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, token string) {
		q := journal.Query{PageToken: token}
		p, err := keyset.Decode(scope, q)
		if err != nil {
			return
		}
		again, err := keyset.Decode(scope, journal.Query{PageToken: keyset.Encode(scope, q, p)})
		if err != nil || again != p {
			t.Errorf("%+v became %+v, error %v", p, again, err)
		}
	})
}
