// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// secrets holds who sends which secret. The keys are hashes, so that the time of a look-up does not reveal a secret.
type secrets map[[sha256.Size]byte]a2a.Identity

func hashed(callers map[string]a2a.Identity, constructor string) secrets {
	if len(callers) == 0 {
		panic("auth: auth." + constructor + " has no secrets, so every caller would be refused")
	}
	all := secrets{}
	for secret, id := range callers {
		if Owner(id) == "" {
			panic("auth: an identity of auth." + constructor + " has neither a subject nor a client, so its callers " +
				"would be anonymous; set one of them")
		}
		if strings.TrimSpace(secret) == "" {
			panic("auth: a secret of auth." + constructor + " is empty, so no client could send it; " +
				"if it comes from an environment variable or a file, check that it is set")
		}
		all[sha256.Sum256([]byte(secret))] = id
	}
	return all
}

func (s secrets) find(secret string) (a2a.Identity, bool) {
	id, ok := s[sha256.Sum256([]byte(secret))]
	return id, ok
}

// Token returns an Authenticator for callers who share one secret, see [Tokens].
func Token(token string, id a2a.Identity) Authenticator {
	return &tokens{hashed(map[string]a2a.Identity{token: id}, "Token")}
}

// Tokens returns an Authenticator for callers of whom each has a secret: a caller that sends it as Authorization:
// Bearer gets the identity. All others are refused with a2a.ErrUnauthenticated, which says whether the token is missing
// or wrong. The time that a refusal takes does not reveal a token. The Authenticator is [Schemed], so the card of its
// agent asks for the token. Tokens panics if there is no token, or an empty one, because no client could send it, or if
// an identity has neither a subject nor a client, because its callers would be anonymous.
func Tokens(callers map[string]a2a.Identity) Authenticator { return &tokens{hashed(callers, "Tokens")} }

type tokens struct{ secrets }

func (t *tokens) Authenticate(r *http.Request) (a2a.Identity, error) {
	sent, err := BearerToken(r)
	if err != nil {
		return a2a.Identity{}, err
	}
	id, ok := t.find(sent)
	if !ok {
		return a2a.Identity{}, wrong("the token is wrong")
	}
	return id, nil
}

// SecuritySchemes says that callers send the token as Authorization: Bearer.
func (*tokens) SecuritySchemes() map[string]a2a.SecurityScheme {
	return map[string]a2a.SecurityScheme{"bearer": &a2a.HTTPAuthScheme{Scheme: "Bearer"}}
}

// BearerToken returns what a request sends as Authorization: Bearer. Without it, the error is one of [ErrMissing].
func BearerToken(r *http.Request) (string, error) {
	if len(r.Header.Values("Authorization")) > 1 {
		return "", wrong("the request has several headers Authorization; send one")
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", missing("the token is missing; send it as Authorization: Bearer")
	}
	return token, nil
}

// Basic returns an Authenticator for user names and passwords, sent as Authorization: Basic (RFC 7617). The subject is
// the user name. It panics without users, or if a name is empty or has a colon, or a password is empty.
func Basic(passwords map[string]string) Authenticator {
	callers := map[string]a2a.Identity{}
	for name, password := range passwords {
		if name == "" || strings.Contains(name, ":") || password == "" {
			panic(fmt.Sprintf("auth: Basic: user %q needs a name without a colon, and a password", name))
		}
		callers[name+":"+password] = a2a.Identity{Subject: name}
	}
	return &basic{hashed(callers, "Basic")}
}

type basic struct{ secrets }

func (b *basic) Authenticate(r *http.Request) (a2a.Identity, error) {
	name, password, ok := r.BasicAuth()
	if len(r.Header.Values("Authorization")) > 1 {
		return a2a.Identity{}, wrong("the request has several headers Authorization; send one")
	}
	if !ok {
		if scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Basic") {
			return a2a.Identity{}, wrong("the header Authorization is not well-formed: Basic takes name:password in " +
				"base64")
		}
		return a2a.Identity{}, missing("name and password are missing; send them as Authorization: Basic")
	}
	id, ok := b.find(name + ":" + password)
	if !ok {
		return a2a.Identity{}, wrong("the name or the password is wrong")
	}
	return id, nil
}

// SecuritySchemes says that callers send Authorization: Basic.
func (*basic) SecuritySchemes() map[string]a2a.SecurityScheme {
	return map[string]a2a.SecurityScheme{"basic": &a2a.HTTPAuthScheme{Scheme: "Basic"}}
}

// APIKeys returns an Authenticator for keys in a header, the query or a cookie, as location says with a2a's words:
// "header", "query" or "cookie". A key in the query ends up in the logs of proxies, so prefer a header. It panics
// if the location is another one, the name is empty, there is no key or an empty one, or an identity is anonymous.
func APIKeys(location, name string, callers map[string]a2a.Identity) Authenticator {
	if location != "header" && location != "query" && location != "cookie" || name == "" {
		panic(fmt.Sprintf("auth: APIKeys: location is %q and the name %q; use header, query or cookie, and a name",
			location, name))
	}
	return &apiKeys{hashed(callers, "APIKeys"), location, name}
}

type apiKeys struct {
	secrets
	location, name string
}

func (k *apiKeys) Authenticate(r *http.Request) (a2a.Identity, error) {
	sent, n := k.sent(r)
	if n > 1 {
		return a2a.Identity{}, wrong("the request has several API keys; send one")
	}
	if sent == "" {
		return a2a.Identity{}, missing(fmt.Sprintf("the API key is missing; send it in the %s %s", k.location, k.name))
	}
	id, ok := k.find(sent)
	if !ok {
		return a2a.Identity{}, wrong("the API key is wrong")
	}
	return id, nil
}

// sent returns the key of a request, and how many it has.
func (k *apiKeys) sent(r *http.Request) (key string, n int) {
	var all []string
	switch k.location {
	case "header":
		all = r.Header.Values(k.name)
	case "query":
		all = r.URL.Query()[k.name]
	default:
		for _, cookie := range r.CookiesNamed(k.name) {
			all = append(all, cookie.Value)
		}
	}
	if len(all) == 0 {
		return "", 0
	}
	return all[0], len(all)
}

// SecuritySchemes says where callers send the key.
func (k *apiKeys) SecuritySchemes() map[string]a2a.SecurityScheme {
	return map[string]a2a.SecurityScheme{"apiKey": &a2a.APIKeyScheme{Location: k.location, Name: k.name}}
}
