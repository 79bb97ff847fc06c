// SPDX-License-Identifier: Apache-2.0

package auth_test

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
)

// Callers of different names are different owners, also where one has only the name of a program or chose a name that
// looks like another's.
func TestOwnersAreDistinct(t *testing.T) {
	t.Parallel()
	for id, want := range map[struct{ subject, client string }]string{
		{"", ""}:                    "",
		{"alice", ""}:               "alice",
		{"alice", "browser"}:        "alice",
		{"", "cron"}:                "client:cron",
		{"", "alice"}:               "client:alice",
		{"client:cron", ""}:         "subject:client:cron",
		{"subject:client:cron", ""}: "subject:subject:client:cron",
		{"", "subject:client:cron"}: "client:subject:client:cron",
		{"subject:", "x"}:           "subject:subject:",
		{"clients", ""}:             "clients",
	} {
		call := &a2a.Call{Identity: a2a.Identity{Subject: id.subject, Client: id.client}, Tenant: "acme"}
		grant, err := auth.BySubject.Authorize(t.Context(), auth.Access{Agent: "a", Operation: "GetTask", Call: call})
		if err != nil || grant != (auth.Grant{Owner: want, Tenant: "acme"}) {
			t.Errorf("%+v: %+v, %v; want %q", id, grant, err, want)
		}
	}
}
