// SPDX-License-Identifier: Apache-2.0

package connect

import "testing"

// A host that is called registry stays a host.
func TestEntryName(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]string{
		"registry:rates": "rates", "registry:Currency Agent": "Currency Agent", "registry:3d": "3d",
		"registry:http://127.0.0.1:8080": "http://127.0.0.1:8080",
		"registry:8095":                  "", "registry:8095/agents/x": "", "registry": "", "registry://x": "",
		"http://registry:80": "",
		"registry.json":      "",
	} {
		if got, isEntry := entryName(ref); got != want || isEntry != (want != "") {
			t.Errorf("entryName(%q) = %q, %t", ref, got, isEntry)
		}
	}
}
