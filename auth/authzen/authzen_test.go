// SPDX-License-Identifier: Apache-2.0

package authzen_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/auth/authzen"
)

func access(id a2a.Identity) auth.Access {
	return auth.Access{Agent: "Cashier", Operation: "SendMessage", Skill: "refund",
		Call: &a2a.Call{Identity: id, Tenant: "acme"}}
}

// The question names who calls, what for and which agent, as AuthZEN 1.0 §6.1 has it.
func TestQuestions(t *testing.T) {
	t.Parallel()
	const resource = `"action":{"name":"SendMessage"},` +
		`"resource":{"type":"agent","id":"Cashier","properties":{"skill":"refund","tenant":"acme"}}}`
	for want, id := range map[string]a2a.Identity{
		`{"subject":{"type":"user","id":"ann","properties":{"client":"cli","scopes":["pay","see"]}},`: {
			Subject: "ann", Client: "cli", Scopes: []string{"pay", "see"}},
		`{"subject":{"type":"client","id":"cron","properties":{}},`:         {Client: "cron"},
		`{"subject":{"type":"anonymous","id":"anonymous","properties":{}},`: {},
	} {
		var got, credential string
		ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			got, credential = r.Method+" "+r.URL.Path+" "+string(body), r.Header.Get("Authorization")
			io.WriteString(w, `{"decision":true,"context":{"reason":"x"}}`)
		}))
		defer ts.Close()
		p, err := authzen.New(authzen.Options{URL: ts.URL + "/pdp/", Token: "secret"})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Decide(t.Context(), access(id)); err != nil || credential != "Bearer secret" {
			t.Errorf("%+v: %v, %q", id, err, credential)
		}
		if diff := cmp.Diff("POST /pdp/access/v1/evaluation "+want+resource, got); diff != "" {
			t.Error(diff)
		}
	}
}

// Whatever is no decision refuses the access as unavailable, and says nothing of the decision point to callers.
func TestNoDecision(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		body   string
		want   error
	}{
		"denied": {200, `{"decision":false,"context":{"reason_admin":{"403":"Policy C076E82F failed"}}}`,
			a2a.ErrPermissionDenied},
		"no decision":      {200, `{"allowed":true}`, a2a.ErrUnavailable},
		"null":             {200, `{"decision":null}`, a2a.ErrUnavailable},
		"no boolean":       {200, `{"decision":"true"}`, a2a.ErrUnavailable},
		"twice":            {200, `{"decision":true,"decision":false}`, a2a.ErrUnavailable},
		"no JSON":          {200, `<html>`, a2a.ErrUnavailable},
		"too long":         {200, `{"decision":true,"x":"` + strings.Repeat("x", 64<<10) + `"}`, a2a.ErrUnavailable},
		"no token":         {401, `{"decision":true}`, a2a.ErrUnavailable},
		"another address":  {307, ``, a2a.ErrUnavailable},
		"internal failure": {500, `{"decision":true}`, a2a.ErrUnavailable},
	} {
		ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			if r.URL.Path == "/elsewhere" {
				test.status, test.body = 200, `{"decision":true}`
			}
			w.WriteHeader(test.status)
			io.WriteString(w, test.body)
		}))
		p, err := authzen.New(authzen.Options{URL: ts.URL})
		if err != nil {
			t.Fatal(err)
		}
		err = p.Decide(t.Context(), access(a2a.Identity{Subject: "ann"}))
		if !errors.Is(err, test.want) || strings.Contains(a2a.AsError(err).PublicMessage(), "127.0.0.1") {
			t.Errorf("%s: %v", name, err)
		}
		ts.Close()
		if err := p.Decide(t.Context(), access(a2a.Identity{Subject: "ann"})); !errors.Is(err, a2a.ErrUnavailable) {
			t.Errorf("nothing listens: %v", err)
		}
	}
	for _, bad := range []string{"", "pdp.example", "ftp://pdp.example", "https://ann:secret@pdp.example",
		"https://pdp.example?x=1"} {
		if _, err := authzen.New(authzen.Options{URL: bad}); err == nil {
			t.Errorf("the URL %q is taken", bad)
		}
	}
}

// silent is a decision point that never answers.
type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// A decision point that hangs holds a bounded number of accesses, and others are refused at once.
func TestSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, err := authzen.New(authzen.Options{URL: "https://pdp.example", HTTPClient: &http.Client{
			Transport: silent{}, Timeout: 5e9}})
		if err != nil {
			t.Fatal(err)
		}
		errs := make(chan error, 300)
		for range cap(errs) {
			go func() { errs <- p.Decide(t.Context(), access(a2a.Identity{Subject: "ann"})) }()
		}
		synctest.Wait()
		if at := len(errs); at != cap(errs)-256 {
			t.Errorf("%d are refused at once", at)
		}
		for range cap(errs) {
			if err := <-errs; !errors.Is(err, a2a.ErrUnavailable) {
				t.Error(err)
			}
		}
	})
}
