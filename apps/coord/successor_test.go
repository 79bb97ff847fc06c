// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"strings"
	"testing"
	"time"
)

// Answers to the questions of somebody are not for who has the name of the session after that one, however the name
// became free and whatever the answer names. The same principal gets late answers as before.
func TestAnswersAreNotForSuccessors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		frees func(b *bed) // the name a
	}{
		{"died", func(b *bed) {
			b.now = b.now.Add(DefaultSessionTimeout)
			b.as("bob", Heartbeat{"b"})
			b.as("",
				alone)
		}},
		{"left", func(b *bed) { b.as("ann", Unregister{"a"}) }},
		{"retired", func(b *bed) { b.as("root", Retire{Session: "a", Person: "person:root"}) }},
	} {
		for _, heir := range []string{"eve", "ann"} {
			for _, to := range []string{"", "a"} {
				t.Run(test.name+" "+heir+" "+to, func(t *testing.T) {
					t.Parallel()
					b := newBed(t)
					b.as("ann", Register{Session: "a", TaskID: "1"})
					b.as("bob", Register{Session: "b", TaskID: "2"})
					ask := func(principal string) string {
						result, _ := b.p.Do(b.now, principal, Ask{From: "a", To: "b", Query: "what is the password?"})
						sent, ok := result.(Sent)
						if !ok {
							t.Fatalf("%+v", result)
						}
						return sent.ID
					}
					ids := []string{ask("ann")}
					test.frees(b)
					if test.name != "left" {
						ids = append(ids, ask("ann")) // the dead go on as guests
					}
					b.now = b.now.Add(time.Second)
					if got := b.as(heir, Register{Session: "a", TaskID: "3"}); !strings.Contains(got, `"registered"`) {
						t.Fatal(got)
					}
					own := ask(heir)
					if got := b.as("bob", Check{Session: "b", Peek: true}); heir == "eve" &&
						strings.Count(got, "password") != 1 {
						t.Errorf("bob is asked by those who are gone: %s", got)
					}
					for _, id := range ids {
						b.as("bob", Respond{From: "b", To: to, MessageID: id, Response: "hunter2"})
					}
					got := b.as(heir, Check{Session: "a"})
					if heir == "eve" && strings.Contains(got, "hunter2") {
						t.Errorf("eve gets %s", got)
					}
					b.as("bob", Respond{From: "b", To: to, MessageID: own, Response: "yours"})
					if got := b.as(heir, Check{Session: "a"}); !strings.Contains(got, "yours") {
						t.Errorf("an own answer: %s", got)
					}
				})
			}
		}
	}
}
