// SPDX-License-Identifier: Apache-2.0

// Command authorize serves an agent that needs its user's leave for each payment. The user gives it on a page beside
// the agent, and the task goes on.
package main

import (
	"context"
	"fmt"
	"html"
	"log"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/server"
)

// cashier pays once it is allowed to.
type cashier struct {
	page    string   // where users allow payments
	allowed sync.Map // what they allowed, by the grant's ID; a real agent keeps a token of its user in a database
}

func (c *cashier) Run(ctx context.Context, t *agent.Turn) error {
	if amount, ok := c.allowed.LoadAndDelete(t.Grant()); ok {
		return t.Artifact("receipt", a2a.TextPart(fmt.Sprintf("Paid %s.", amount)))
	}
	grant := t.NewGrant()
	return t.Authorize(agent.Authorization{
		Schemes: []string{"basic"}, Scopes: []string{"pay"}, Instructions: "Please allow the payment:",
		URL: c.page + "?state=" + grant, Grant: grant,
	})
}

// users sign in to the page. At a bank, or with OAuth 2, they would be sent on to sign in there.
var users = auth.Basic(map[string]string{"ann": "password-of-ann", "bob": "password-of-bob"})

// servePage asks a user for leave, and lets the task go on.
func (c *cashier) servePage(eng *engine.Engine) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who, err := users.Authenticate(r)
		if err != nil {
			w.Header().Set("WWW-Authenticate", `Basic realm="cashier"`)
			http.Error(w, "sign in", http.StatusUnauthorized)
			return
		}
		if r.Method != http.MethodPost {
			fmt.Fprintf(w, `<form method="post"><input type="hidden" name="state" value="%s">Pay <input name="amount" `+
				`value="5 euros"> <button>Allow</button></form>`, html.EscapeString(r.FormValue("state")))
			return
		}
		err = eng.Granted(r.Context(), r.FormValue("state"), func(_ context.Context, g engine.Grant) error {
			if g.Task.Owner != auth.Owner(who) { // another user sent the address
				return a2a.NewError(a2a.ErrPermissionDenied, "this is not your payment")
			}
			c.allowed.Store(g.ID, r.FormValue("amount"))
			return nil
		})
		if err != nil {
			http.Error(w, a2a.AsError(err).PublicMessage(), http.StatusForbidden)
			return
		}
		fmt.Fprintln(w, "Thank you. You can close this page.")
	}
}

func main() {
	if err := serve(context.Background(), "127.0.0.1:8092"); err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context, addr string) error {
	c := &cashier{page: "http://" + addr + "/allow"}
	eng, err := engine.New(nil)
	if err != nil {
		return err
	}
	defer eng.Shutdown(ctx)
	card := &a2a.AgentCard{Name: "Cashier", Description: "Pays, if you allow it", Version: "1.0.0"}
	mux := http.NewServeMux()
	srv, err := server.New(eng.Agent("cashier", c, &engine.AgentOptions{Card: card}), &server.Options{
		Authenticator: auth.Tokens(map[string]a2a.Identity{"token-of-ann": {Subject: "ann"}}),
		Handler:       mux,
		OnReady:       func(_ net.Addr, url string) { slog.Info("serving", "agent", card.Name, "url", url) },
	})
	if err != nil {
		return err
	}
	mux.Handle("/", srv)
	mux.Handle("/allow", http.NewCrossOriginProtection().Handler(c.servePage(eng)))
	return srv.ListenAndServe(ctx, addr)
}
