// SPDX-License-Identifier: Apache-2.0

package oauth_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/client/oauth"
)

// server is an authorization server for what the real one in module interop cannot be made to do: it answers wrongly.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	forms  []url.Values // of the requests for tokens
	answer func(w http.ResponseWriter, form url.Values)
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{answer: func(w http.ResponseWriter, _ url.Values) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"access_token":"at","token_type":"Bearer","expires_in":3600}`)
	}}
	mux := http.NewServeMux()
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		r.ParseForm()
		s.mu.Lock()
		s.forms = append(s.forms, r.Form)
		s.mu.Unlock()
		s.answer(w, r.Form)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *server) code() *a2a.OAuth2Scheme {
	return &a2a.OAuth2Scheme{Flow: &a2a.AuthorizationCodeFlow{AuthorizationURL: s.URL + "/authorize",
		TokenURL: s.URL + "/token", Scopes: map[string]string{"b": "", "a": ""}}}
}

func (s *server) program() *a2a.OAuth2Scheme {
	return &a2a.OAuth2Scheme{Flow: &a2a.ClientCredentialsFlow{TokenURL: s.URL + "/token"}}
}

// The browser of these tests goes back to the program with a changed query.
func browser(t *testing.T, change func(back url.Values)) func(context.Context, oauth.Prompt) error {
	return func(ctx context.Context, p oauth.Prompt) error {
		u, err := url.Parse(p.URL)
		if err != nil {
			return err
		}
		asked := u.Query()
		if asked.Get("code_challenge_method") != "S256" || asked.Get("code_challenge") == "" {
			t.Errorf("no PKCE in %s", p.URL)
		}
		back := url.Values{"state": {asked.Get("state")}, "code": {"c"}}
		change(back)
		go func() {
			r, err := http.NewRequestWithContext(ctx, "GET", asked.Get("redirect_uri")+"?"+back.Encode(), nil)
			if err != nil {
				t.Error(err)
				return
			}
			if answer, err := http.DefaultClient.Do(r); err == nil {
				answer.Body.Close()
			}
		}()
		return nil
	}
}

func TestSignInWithABrowser(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for name, c := range map[string]struct {
		change  func(url.Values)
		refusal string
	}{
		"good": {func(url.Values) {}, ""},
		"refused": {func(q url.Values) { q.Set("error", "access_denied"); q.Set("error_description", "not you") },
			"access_denied: not you"},
		"no code": {func(q url.Values) { q.Del("code") }, "neither a code nor an error"},
	} {
		config := oauth.Config{ClientID: "cli", Servers: []string{s.URL}, Prompt: browser(t, c.change)}
		token, err := config.Login(t.Context(), s.code())
		if c.refusal == "" && (err != nil || token.AccessToken != "at") ||
			c.refusal != "" && (err == nil || !strings.Contains(err.Error(), c.refusal)) {
			t.Errorf("%s: %v, %v", name, token, err)
		}
	}
	if form := s.forms[0]; form.Get("code_verifier") == "" || form.Get("code") != "c" ||
		form.Get("client_id") != "cli" {
		t.Errorf("the code is exchanged with %v", form)
	}
	// A page that another site opens must not end the sign-in, nor bring a code into it.
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	config := oauth.Config{ClientID: "cli", Servers: []string{s.URL},
		Prompt: browser(t, func(q url.Values) { q.Set("state", "guess"); q.Set("code", "foreign") })}
	if _, err := config.Login(ctx, s.code()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a foreign page: %v", err)
	}
	for _, form := range s.forms {
		if form.Get("code") == "foreign" {
			t.Error("a foreign code was used")
		}
	}
}

// A card names the authorization server. It gets no sign-in and no secret unless the user listed it.
func TestServersThatGetNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	elsewhere := newServer(t)
	redirecting := newServer(t)
	redirecting.answer = func(w http.ResponseWriter, _ url.Values) {
		w.Header().Set("Location", elsewhere.URL+"/token")
		w.WriteHeader(http.StatusTemporaryRedirect)
	}
	for name, c := range map[string]struct {
		scheme a2a.SecurityScheme
		want   string
	}{
		"not listed": {elsewhere.program(), "not allowed"},
		"plain HTTP": {&a2a.OAuth2Scheme{Flow: &a2a.ClientCredentialsFlow{TokenURL: "http://idp.example/t"}},
			"only https is safe"},
		"with a user": {&a2a.OAuth2Scheme{Flow: &a2a.ClientCredentialsFlow{TokenURL: "https://a@idp.example/t"}},
			"is no URL"},
		"one of two": {&a2a.OAuth2Scheme{Flow: &a2a.AuthorizationCodeFlow{AuthorizationURL: elsewhere.URL,
			TokenURL: s.URL + "/token"}}, "not allowed"},
		"by discovery": {&a2a.OpenIDConnectScheme{URL: elsewhere.URL + "/.well-known/openid-configuration"},
			"not allowed"},
		"a redirect": {redirecting.program(), "oauth2: "},
		"a password flow": {&a2a.OAuth2Scheme{Flow: &a2a.PasswordFlow{TokenURL: s.URL}},
			"neither OpenID Connect nor OAuth 2"},
		"another scheme":    {&a2a.HTTPAuthScheme{Scheme: "Bearer"}, "neither OpenID Connect nor OAuth 2"},
		"no way to sign in": {s.code(), "Config.Prompt is nil"},
	} {
		config := oauth.Config{ClientID: "cli", ClientSecret: "secret", Servers: []string{s.URL, redirecting.URL}}
		if _, err := config.Login(t.Context(), c.scheme); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the secret is in %v", name, err)
		}
	}
	if len(elsewhere.forms) > 0 {
		t.Errorf("another server got %v", elsewhere.forms)
	}
}

// A server with several realms is allowed for the one that is listed.
func TestRealms(t *testing.T) {
	t.Parallel()
	const origin = "https://127.0.0.1:1"
	for address, want := range map[string]bool{
		"/realms/one/token": true, "/realms/one": true, "/realms/two/token": false, "/realms/one-more/token": false,
		"/realms/one/../two/token": false, "/realms/one/%2e%2e/two/token": false, "/realms/one/..;/two": false,
		"/realms/one%2f..%2ftwo": false, "/": false,
	} {
		config := oauth.Config{ClientID: "cli", ClientSecret: "secret", Servers: []string{origin + "/realms/one/"}}
		_, err := config.Login(t.Context(), &a2a.OAuth2Scheme{Flow: &a2a.ClientCredentialsFlow{
			TokenURL: origin + address}})
		if allowed := !errors.Is(err, oauth.ErrServer); err == nil || allowed != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A server that says that it names itself in the browser's answer has to (RFC 9207).
func TestIssuerOfASignIn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sends bool
		iss   string
		want  bool
	}{
		"sent": {true, "issuer", true}, "missing": {true, "", false}, "another": {false, "https://other", false},
		"not promised": {false, "", true},
	} {
		s := newServer(t)
		var issuer string
		provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"issuer":%q,"authorization_endpoint":%q,"token_endpoint":%q,
				"authorization_response_iss_parameter_supported":%v}`, issuer, s.URL+"/authorize", s.URL+"/token", c.sends)
		}))
		defer provider.Close()
		issuer = provider.URL
		config := oauth.Config{ClientID: "cli", Servers: []string{s.URL, issuer},
			Prompt: browser(t, func(q url.Values) {
				if c.iss != "" {
					q.Set("iss", strings.Replace(c.iss, "issuer", issuer, 1))
				}
			})}
		token, err := config.Login(t.Context(), &a2a.OpenIDConnectScheme{
			URL: issuer + "/.well-known/openid-configuration"})
		if got := err == nil && token.AccessToken == "at"; got != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Tokens are used until they expire, and new ones are kept.
func TestSource(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	config := oauth.Config{ClientID: "cli", Servers: []string{s.URL}}
	var saved []string
	save := func(token *oauth2.Token) error { saved = append(saved, token.AccessToken); return nil }
	for _, c := range []struct {
		token *oauth2.Token
		want  string
		asked int
	}{
		{&oauth2.Token{AccessToken: "young", Expiry: time.Now().Add(time.Hour)}, "young", 0},
		{&oauth2.Token{AccessToken: "old", RefreshToken: "rt", Expiry: time.Now().Add(-time.Hour)}, "at", 1},
		{&oauth2.Token{AccessToken: "old", Expiry: time.Now().Add(-time.Hour)}, "", 0},
	} {
		s.forms = nil
		source, err := config.Source(t.Context(), s.code(), c.token, save)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			_, err = oauth.Bearer(source)(t.Context(), &client.Call{Params: http.Header{}},
				func(_ context.Context, call *client.Call) (any, error) {
					if got := call.Params.Get("Authorization"); got != "Bearer "+c.want {
						t.Errorf("sent %q, want the token %q", got, c.want)
					}
					return nil, nil
				})
		}
		if c.want == "" != errors.Is(err, a2a.ErrUnauthenticated) || len(s.forms) != c.asked {
			t.Errorf("%q: %v, asked %d times", c.want, err, len(s.forms))
		}
	}
	if fmt.Sprint(saved) != "[at]" {
		t.Errorf("saved %v", saved)
	}
}

func TestExchange(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	config := oauth.Config{ClientID: "host", ClientSecret: "secret", Scopes: []string{"a2a"}, Servers: []string{s.URL}}
	source, err := config.Exchange(t.Context(), s.URL+"/token", "token-of-ann", "https://agent.example")
	if err != nil {
		t.Fatal(err)
	}
	if token, err := source.Token(); err != nil || token.AccessToken != "at" {
		t.Fatalf("%v, %v", token, err)
	}
	for name, want := range map[string]string{
		"grant_type":    "urn:ietf:params:oauth:grant-type:token-exchange",
		"subject_token": "token-of-ann", "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
		"audience": "https://agent.example", "scope": "a2a",
	} {
		if got := s.forms[0].Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if _, err := config.Exchange(t.Context(), "https://other.example/token", "t", ""); !errors.Is(err,
		oauth.ErrServer) {
		t.Errorf("another server: %v", err)
	}
	if _, err := config.Exchange(t.Context(), s.URL+"/token", "", ""); err == nil {
		t.Error("no token is exchanged")
	}
}

// A server sends each caller's token to the token endpoint only, exchanged once for each agent; other secrets, and the
// tokens of other issuers, are not exchanged.
func TestCallers(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	config := oauth.Config{ClientID: "host", ClientSecret: "secret", Servers: []string{s.URL}}
	if _, err := config.Callers("https://other.example/token"); !errors.Is(err, oauth.ErrServer) {
		t.Errorf("another server: %v", err)
	}
	callers, err := config.Callers(s.URL + "/token")
	if err != nil {
		t.Fatal(err)
	}
	token := func(issuer, name string) string {
		return "e30." + base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"iss":%q,"n":%q}`, issuer, name)) + ".s"
	}
	var who a2a.Identity
	a := callers.Authenticator(auth.AuthenticatorFunc(func(*http.Request) (a2a.Identity, error) { return who, nil }))
	ask := func(id a2a.Identity, sent, to string) error {
		if who = id; sent != "" {
			r := httptest.NewRequest("POST", "/", nil)
			r.Header.Set("Authorization", "Bearer "+sent)
			if _, err := a.Authenticate(r); err != nil {
				t.Fatal(err)
			}
		}
		_, err := callers.Send(a2a.WithCall(t.Context(), &a2a.Call{Identity: id}), &client.Call{Params: http.Header{},
			Interface: a2a.AgentInterface{URL: to}},
			func(_ context.Context, call *client.Call) (any, error) {
				if got := call.Params.Get("Authorization"); got != "Bearer at" {
					t.Errorf("sent %q", got)
				}
				return nil, nil
			})
		return err
	}
	ann, few := a2a.Identity{Subject: "ann", Scopes: []string{"a", "b"}}, a2a.Identity{Subject: "ann"}
	first, second := token(s.URL, "1"), token(s.URL, "2")
	for i, c := range []struct {
		id       a2a.Identity
		sent, to string
		good     bool
		asked    int // so far
	}{
		{ann, first, "https://one.example/a2a", true, 1},
		{ann, first, "https://one.example/other", true, 1},
		{ann, "", "https://one.example/a2a", true, 1},
		{ann, "", "https://two.example", true, 2},
		{ann, second, "https://two.example", true, 3}, // a new token of hers
		{few, "", "https://two.example", false, 3},    // with fewer scopes
		{a2a.Identity{Subject: "bob"}, "", "https://two.example", false, 3},
		{a2a.Identity{Subject: "eve"}, token("https://other.example", "3"), "https://two.example", false, 3},
		{a2a.Identity{Subject: "sam"}, "a-shared-secret", "https://two.example", false, 3},
	} {
		err := ask(c.id, c.sent, c.to)
		if c.good != (err == nil) || err != nil && !errors.Is(err, a2a.ErrUnauthenticated) || len(s.forms) != c.asked {
			t.Errorf("%d: %v, asked %d times", i, err, len(s.forms))
		}
	}
	for i, want := range [][2]string{{first, "https://one.example"}, {first, "https://two.example"},
		{second, "https://two.example"}} {
		if got := s.forms[i]; got.Get("subject_token") != want[0] || got.Get("audience") != want[1] {
			t.Errorf("%d: %v", i, got)
		}
	}
}
