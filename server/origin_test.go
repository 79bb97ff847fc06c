// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/server"
)

// A page of another origin changes nothing, not even by a request so simple that its browser asks nobody beforehand.
func TestPagesOfOtherOrigins(t *testing.T) {
	t.Parallel()
	const cancel = "/tasks/t1:cancel?A2A-Version=1.0"
	closed := serve(t, &fake{}, nil)
	open := serve(t, &fake{}, func(o *server.Options) { o.AllowedOrigins = []string{"https://web.example"} })
	wide := serve(t, &fake{}, func(o *server.Options) { o.AllowedOrigins = []string{"*"} })
	behind := serve(t, &fake{}, func(o *server.Options) { o.URL = "https://agents.example/currency" })
	for i, test := range []struct {
		ts      string
		method  string
		path    string
		headers []string
		want    int
	}{
		{closed.URL, "POST", cancel, []string{"Origin: https://evil.example", "Sec-Fetch-Site: cross-site"}, 403},
		{closed.URL, "POST", cancel, []string{"Origin: https://evil.example"}, 403},
		{closed.URL, "POST", cancel, []string{"Sec-Fetch-Site: same-site"}, 403},
		{closed.URL, "POST", cancel, []string{"Origin: null", "Sec-Fetch-Site: cross-site"}, 403},
		{closed.URL, "DELETE", "/tasks/t1/pushNotificationConfigs/p?A2A-Version=1.0",
			[]string{"Origin: https://evil.example"}, 403},
		{closed.URL, "POST", "/", []string{"Origin: https://evil.example"}, 403},
		{closed.URL, "GET", "/tasks/t1?A2A-Version=1.0",
			[]string{"Origin: https://evil.example", "Sec-Fetch-Site: cross-site"}, 200},
		{closed.URL, "POST", cancel, nil, 200}, // no browser
		{closed.URL, "POST", cancel, []string{"Origin: " + closed.URL}, 200},
		{closed.URL, "POST", cancel, []string{"Origin: " + closed.URL, "Sec-Fetch-Site: same-origin"}, 200},
		{open.URL, "POST", cancel, []string{"Origin: https://web.example", "Sec-Fetch-Site: cross-site"}, 200},
		{open.URL, "POST", cancel, []string{"Origin: https://evil.example", "Sec-Fetch-Site: cross-site"}, 403},
		{wide.URL, "POST", cancel, []string{"Origin: https://evil.example", "Sec-Fetch-Site: cross-site"}, 200},
		{behind.URL, "POST", cancel, []string{"Origin: https://agents.example"}, 200},
		{behind.URL, "POST", cancel, []string{"Origin: https://evil.example"}, 403},
	} {
		got := request(t, test.method, test.ts+test.path, "", test.headers...)
		if got.status != test.want || got.status == 403 && !strings.Contains(got.body, "AllowedOrigins") {
			t.Errorf("%d: %s %s %q: %d %s", i, test.method, test.path, test.headers, got.status, got.body)
		}
	}
}

// A server on a loopback address of its own answers only to names of this machine; where somebody else listens, that is
// not its business.
func TestHostsOfLoopback(t *testing.T) {
	t.Parallel()
	bound := start(t, &fake{}, "127.0.0.1:0", &server.Options{Card: aCard()})
	named := start(t, &fake{}, "127.0.0.1:0", &server.Options{Card: aCard(), URL: "https://agents.example"})
	mounted := serve(t, &fake{}, nil)
	for _, test := range []struct {
		url, host string
		want      int
	}{
		{bound.url, "", 200}, // the address itself
		{bound.url, "localhost", 200},
		{bound.url, "LocalHost.:8080", 200},
		{bound.url, "agent.localhost:1", 200},
		{bound.url, "[::1]:8080", 200},
		{bound.url, "[::1]", 200},
		{bound.url, "evil.example", 403},
		{bound.url, "evil.example:8080", 403},
		{bound.url, "127.0.0.1.evil.example", 403},
		{bound.url, "notlocalhost", 403},
		{bound.url, "10.0.0.1", 403},
		{named.url, "agents.example", 200},
		{mounted.URL, "agents.example", 200},
	} {
		got := request(t, "GET", test.url+"/tasks/t1?A2A-Version=1.0", test.host)
		if got.status != test.want || got.status == 403 && !strings.Contains(got.body, "localhost") {
			t.Errorf("%q: %d %s", test.host, got.status, got.body)
		}
	}
	for _, srv := range []*running{bound, named} {
		srv.stop()
		if err := <-srv.done; err != nil {
			t.Error(err)
		}
	}
}

// request sends a request for a host, "" being that of the URL, with header fields as "Name: value".
func request(t *testing.T, method, url, host string, header ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Set(name, value)
	}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, string(body)}
}
