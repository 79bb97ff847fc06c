// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"net"
	"net/http"
	"testing"

	"github.com/dragoman-a2a/dragoman/server"
)

// A call carries the URL of the card without the path of the agent, by the card's own rule.
func TestCallsCarryTheirBaseURL(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		url, path, host string
		want            string
	}{
		"the host that it names": {host: "agents.example:8080", want: "http://agents.example:8080"},
		"an address":             {host: "[::1]:8080", want: "http://[::1]:8080"},
		"below a path":           {path: "/agents/two", host: "agents.example", want: "http://agents.example"},
		"a URL of the options": {url: "https://agents.example/all/", path: "/agents/two", host: "evil.example",
			want: "https://agents.example/all"},
		"a host that cannot be one": {host: "evil.example/x?"},
		"a host with a user in it":  {host: "me@evil.example"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			ts := serve(t, f, func(o *server.Options) { o.URL, o.Path = c.url, c.path })
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, ts.URL+"/tasks/t1", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Host = c.host
			req.Header.Set("A2A-Version", "1.0")
			req.Header.Set("X-Forwarded-Host", "other.example")
			res, err := ts.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if _, call := f.last(); call.BaseURL != c.want {
				t.Errorf("%q, want %q; status %d", call.BaseURL, c.want, res.StatusCode)
			}
		})
	}
}

// A bound address is the base URL whatever a request names.
func TestBoundAddressIsTheBaseURL(t *testing.T) {
	t.Parallel()
	f := &fake{}
	srv := start(t, f, "127.0.0.1:0", &server.Options{Card: aCard(), Path: "/one"})
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	_, port, _ := net.SplitHostPort(srv.url[len("http://"):])
	if _, err := get(t, client, "http://localhost:"+port+"/tasks/t1"); err != nil {
		t.Fatal(err)
	}
	if _, call := f.last(); call.BaseURL != srv.url {
		t.Errorf("%q, want %q", call.BaseURL, srv.url)
	}
	srv.stop()
	<-srv.done
}
