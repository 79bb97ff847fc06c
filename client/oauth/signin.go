// SPDX-License-Identifier: Apache-2.0

package oauth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/oauth2"
)

// signIn is how long a person has to sign in with a browser.
const signIn = 5 * time.Minute

// withDevice lets a person sign in anywhere (RFC 8628).
func (c *Config) withDevice(ctx context.Context, ends *endpoints) (*oauth2.Token, error) {
	config := c.config(ends)
	asked, err := config.DeviceAuth(ctx)
	if err != nil {
		return nil, fmt.Errorf("oauth: %w", err)
	}
	prompt := Prompt{Grant: DeviceCode, URL: asked.VerificationURI, Code: asked.UserCode, Until: asked.Expiry}
	if err := c.Prompt(ctx, prompt); err != nil {
		return nil, err
	}
	token, err := config.DeviceAccessToken(ctx, asked)
	if err != nil {
		return nil, fmt.Errorf("oauth: %w", err)
	}
	return token, nil
}

// withBrowser lets a person sign in with a browser of this machine: the authorization server sends that to a page here,
// with a code that only this program can use (RFC 8252, RFC 7636).
func (c *Config) withBrowser(ctx context.Context, ends *endpoints) (*oauth2.Token, error) {
	ctx, cancel := context.WithTimeout(ctx, signIn)
	defer cancel()
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("oauth: %w", err)
	}
	config := c.config(ends)
	config.RedirectURL = "http://" + ln.Addr().String() + "/callback"
	state, verifier := rand.Text(), oauth2.GenerateVerifier()

	back := make(chan result, 1)
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet || r.URL.Path != "/callback" || r.Host != ln.Addr().String() {
				http.NotFound(w, r)
				return
			}
			got := readCallback(r.URL.Query(), state, ends)
			if errors.Is(got.err, errForeign) {
				http.Error(w, got.err.Error(), http.StatusBadRequest)
				return
			}
			say(w, got.err)
			select {
			case back <- got:
			default: // it was answered before
			}
		})}
	go server.Serve(ln)
	defer server.Shutdown(context.WithoutCancel(ctx))

	deadline, _ := ctx.Deadline()
	prompt := Prompt{Grant: AuthorizationCode, Until: deadline,
		URL: config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier))}
	if err := c.Prompt(ctx, prompt); err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("oauth: the user did not sign in within %v: %w", signIn, ctx.Err())
	case got := <-back:
		if got.err != nil {
			return nil, got.err
		}
		token, err := config.Exchange(ctx, got.code, oauth2.VerifierOption(verifier))
		if err != nil {
			return nil, fmt.Errorf("oauth: %w", err)
		}
		return token, nil
	}
}

// result is what the browser brings back.
type result struct {
	code string
	err  error
}

// errForeign is for a request that belongs to no sign-in of this program: it must not end the one that is under way.
var errForeign = errors.New("this page belongs to another sign-in")

// readCallback reads the query of the browser's request.
func readCallback(query url.Values, state string, ends *endpoints) result {
	if subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(state)) != 1 {
		return result{err: errForeign}
	}
	from := query.Get("iss") // RFC 9207
	if ends.issuer != "" && from != ends.issuer && (from != "" || ends.sendsIssuer) {
		return result{err: fmt.Errorf("oauth: the sign-in came back from %q instead of %q", from, ends.issuer)}
	}
	if refusal := query.Get("error"); refusal != "" {
		if why := query.Get("error_description"); why != "" {
			refusal += ": " + why
		}
		return result{err: fmt.Errorf("oauth: the authorization server refused: %.300q", refusal)}
	}
	if query.Get("code") == "" {
		return result{err: errors.New("oauth: the authorization server sent neither a code nor an error")}
	}
	return result{code: query.Get("code")}
}

// say tells the person at the browser how it went.
func say(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Referrer-Policy", "no-referrer") // the address has the code in it
	w.Header().Set("Cache-Control", "no-store")
	if err != nil {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintln(w, "You are not signed in. The terminal says why.")
		return
	}
	fmt.Fprintln(w, "You are signed in. Close this page and go on in the terminal.")
}
