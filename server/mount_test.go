// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"net/http"
	"testing"

	"github.com/dragoman-a2a/dragoman/server"
)

// Two servers on one port, one of them below a path: each names its own URL.
func TestServersShareAPort(t *testing.T) {
	t.Parallel()
	below, err := server.New(&fake{}, &server.Options{Card: aCard(), Path: "/agents/two"})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	root := start(t, &fake{}, "127.0.0.1:0", &server.Options{Card: aCard(), Handler: mux})
	mux.Handle("/agents/two/", http.StripPrefix("/agents/two", below))
	mux.Handle("/", root.Server)
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for path, want := range map[string]string{"": root.url, "/agents/two": root.url + "/agents/two"} {
		got, err := get(t, client, root.url+path+cardPath)
		if err != nil {
			t.Fatal(err)
		}
		if url := readCard(t, got).SupportedInterfaces[0]["url"]; url != want {
			t.Errorf("%q: url %q, want %q", path, url, want)
		}
	}
	for _, path := range []string{"agents", "/agents/"} {
		if _, err := server.New(&fake{}, &server.Options{Card: aCard(), Path: path}); err == nil {
			t.Errorf("path %q is accepted", path)
		}
	}
}
