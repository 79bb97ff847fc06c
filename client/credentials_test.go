// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

const mark = "marked-secret"

// marked notes the requests in which a peer got the credential of these tests.
type marked struct {
	mu  sync.Mutex
	got []string
}

func (m *marked) see(r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	user, password, _ := r.BasicAuth()
	for where, value := range map[string]string{"Authorization": r.Header.Get("Authorization"),
		"X-Plan": r.Header.Get("X-Plan"), "Cookie": r.Header.Get("Cookie"), "query": r.URL.RawQuery,
		"Basic": user + ":" + password} {
		if strings.Contains(value, mark) {
			m.got = append(m.got, where)
		}
	}
}

func (m *marked) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.got)
}

// A credential goes to the origin of the card, by whatever way it is sent, and not along redirects.
func TestCredentialsStayAtTheOriginOfTheCard(t *testing.T) {
	t.Parallel()
	key := func(location string) client.Interceptor {
		return client.APIKey(&a2a.APIKeyScheme{Location: location, Name: "X-Plan"}, mark)
	}
	for name, credential := range map[string]client.Interceptor{
		"bearer": client.Bearer(mark), "basic": client.Basic("ann", mark), "header": key("header"),
		"cookie": key("cookie"), "query": key("query"),
		"own": func(ctx context.Context, call *client.Call, next client.Handler) (any, error) {
			call.Params.Set("X-Plan", mark) // a name that the card gives to a key
			return next(ctx, call)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bothBindings(t, func(t *testing.T, binding string) {
				var home, away marked
				other := newPeer(t, binding, func(x *exchange) { away.see(x.r); x.result(message("stolen")) })
				var agent *peer
				moved := false
				agent = newPeer(t, binding, func(x *exchange) {
					home.see(x.r)
					if moved {
						http.Redirect(x.w, x.r, other.URL+x.r.URL.RequestURI(), http.StatusTemporaryRedirect)
						return
					}
					x.result(message("hi"))
				})
				send := func(to string, opts client.Options) error {
					c := decodeCard(t, cardText(all, iface(to, binding, "")))
					c.SecuritySchemes = map[string]a2a.SecurityScheme{
						"k": &a2a.APIKeyScheme{Location: "header", Name: "X-Plan"}}
					opts.CardURL = agent.URL + "/.well-known/agent-card.json"
					opts.Interceptors, opts.Retries = []client.Interceptor{credential}, -1
					cl, err := client.New(c, &opts)
					if err != nil {
						t.Fatal(err)
					}
					defer cl.Close()
					_, err = cl.SendMessage(t.Context(), &a2a.SendMessageRequest{
						Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("hi"))})
					return err
				}
				if err := send(agent.URL, client.Options{}); err != nil || home.count() == 0 {
					t.Fatalf("at home: %v, %v", err, home.got)
				}
				err := send(other.URL, client.Options{})
				refused, ok := errors.AsType[*client.OriginError](err)
				if !ok || refused.Card != agent.URL || refused.Interface != other.URL || away.count() > 0 ||
					strings.Contains(err.Error(), mark) {
					t.Errorf("elsewhere: %v, %v", err, away.got)
				}
				if moved = true; send(agent.URL, client.Options{}) == nil || away.count() > 0 {
					t.Errorf("redirected: the other server got %v", away.got)
				}
				err = send(other.URL, client.Options{CredentialsTo: []string{other.URL + "/"}})
				if err != nil || away.count() == 0 {
					t.Errorf("allowed: %v, %v", err, away.got)
				}
			})
		})
	}
}

// Without credentials a card may name any interface; with them, those that may not have them are passed over.
func TestInterfacesAtOtherOrigins(t *testing.T) {
	t.Parallel()
	var away marked
	other := newPeer(t, a2a.BindingJSONRPC, func(x *exchange) { away.see(x.r); x.result(message("other")) })
	agent := newPeer(t, a2a.BindingHTTPJSON, func(x *exchange) { x.result(message("home")) })
	c := decodeCard(t, cardText(all, iface(other.URL, a2a.BindingJSONRPC, ""),
		iface(agent.URL, a2a.BindingHTTPJSON, "")))
	for want, credentials := range map[string][]client.Interceptor{
		"other": nil, "home": {client.Bearer(mark)},
	} {
		cl, err := client.New(c, &client.Options{CardURL: agent.URL, Interceptors: credentials})
		if err != nil {
			t.Fatal(err)
		}
		got, err := cl.SendMessage(t.Context(), &a2a.SendMessageRequest{
			Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("hi"))})
		if m, ok := got.(*a2a.Message); err != nil || !ok || m.Text() != want || away.count() > 0 {
			t.Errorf("want %s, got %v, %v, %v", want, got, err, away.got)
		}
		cl.Close()
	}
}

func TestCredentialsThatCannotBeSent(t *testing.T) {
	t.Parallel()
	for name, credential := range map[string]client.Interceptor{
		"a colon":       client.Basic("a:b", mark),
		"no key":        client.APIKey(&a2a.APIKeyScheme{Location: "header", Name: "X"}, ""),
		"a line break":  client.APIKey(&a2a.APIKeyScheme{Location: "header", Name: "X"}, mark+"\n"),
		"another place": client.APIKey(&a2a.APIKeyScheme{Location: "body", Name: "X"}, mark),
	} {
		call := &client.Call{Params: http.Header{}}
		_, err := credential(t.Context(), call, func(context.Context, *client.Call) (any, error) { return nil, nil })
		if err == nil || strings.Contains(err.Error(), mark) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
