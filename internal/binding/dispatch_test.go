// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// An error about the version names the version that the request means, and gives advice that helps with this agent.
func TestRefusedVersions(t *testing.T) {
	t.Parallel()
	const new, old, oldest = a2a.Generation10, a2a.Generation03, a2a.Generation01
	for _, test := range []struct {
		name       string
		serves     []a2a.Generation
		lenient    bool
		version    string
		method     string // of JSON-RPC; "" is the path of 1.0
		generation a2a.Generation
		requested  string // "" when it is another error than that of versions
		advice     string
	}{
		{"without a version", []a2a.Generation{new, old}, false, "", "GetTask", new, "0.3",
			"send the header A2A-Version: 1.0"},
		{"without a version, lenient, but 1.0 is not served", []a2a.Generation{old}, true, "", "GetTask", new, "0.3",
			"the agent serves 0.3"},
		{"path without a version, lenient, but 1.0 is not served", []a2a.Generation{old}, true, "", "", "", "0.3",
			"the agent serves 0.3"},
		{"path of another version", []a2a.Generation{new, old}, false, "0.3", "", "", "0.3",
			"version 0.3 of the protocol does not have the path"},
		{"version that is not served", []a2a.Generation{old, oldest}, false, "1.0", "GetTask", new, "1.0",
			"the agent serves 0.3, 0.1"},
		{"no version at all", []a2a.Generation{new}, false, "banana", "GetTask", new, "banana",
			"send the header A2A-Version: 1.0"},
		{"method of 0.1, which is not served", []a2a.Generation{new, old}, false, "", "tasks/send", oldest, "0.1",
			`method "tasks/send" is one of version 0.1`},
		{"method of 0.3, which is not served", []a2a.Generation{new}, false, "", "message/send", old, "0.3",
			"send the header A2A-Version: 1.0"},
		{"method of 0.3, for an agent of 0.1", []a2a.Generation{oldest}, false, "", "message/send", old, "0.3",
			"the agent serves 0.1"},
		{"method of no version", []a2a.Generation{new, old}, false, "", "tasks/dance", old, "",
			`version 0.3 has no method "tasks/dance"`},
		{"method of another version", []a2a.Generation{new, old}, false, "1.0", "message/send", new, "",
			`version 1.0 has no method "message/send"`},
	} {
		c := &Core{Generations: test.serves, AcceptUnversioned: test.lenient}
		r := httptest.NewRequest("POST", "/", nil)
		if test.version != "" {
			r.Header.Set(wire.HeaderVersion, test.version)
		}
		route, e := c.RoutePath(r, wire.OpGetTask, false)
		if test.method != "" {
			route, e = c.RouteMethod(r, test.method)
		}
		if e == nil {
			t.Errorf("%s: it is served as %+v", test.name, route)
			continue
		}
		kind := a2a.ErrVersionNotSupported
		if test.requested == "" {
			kind = a2a.ErrMethodNotFound
		}
		if e.Kind != kind || e.Metadata["requestedVersion"] != test.requested ||
			!strings.Contains(e.Message, test.advice) || route.Generation != test.generation {
			t.Errorf("%s: in version %q: %v %v %q", test.name, route.Generation, e.Kind, e.Metadata, e.Message)
		}
	}
}

// Before a request's method is known its errors are those of the version it names, or of the only one there is.
func TestPresumed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		version string
		serves  []a2a.Generation
		want    a2a.Generation
	}{
		{"0.1", []a2a.Generation{a2a.Generation10, a2a.Generation01}, a2a.Generation01},
		{"", []a2a.Generation{a2a.Generation01}, a2a.Generation01},
		{"", []a2a.Generation{a2a.Generation10, a2a.Generation01}, ""},
		{"banana", []a2a.Generation{a2a.Generation10, a2a.Generation01}, ""},
	} {
		r := httptest.NewRequest("POST", "/", nil)
		r.Header.Set(wire.HeaderVersion, test.version)
		if got := (&Core{Generations: test.serves}).Presumed(r); got != test.want {
			t.Errorf("%q to %v: presumed %q", test.version, test.serves, got)
		}
	}
}
