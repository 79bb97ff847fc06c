// SPDX-License-Identifier: Apache-2.0

package server

import (
	_ "embed"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	agentcard "github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/internal/kit"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/internal/wire/cards"
)

//go:embed page.html
var pageText string

var page = kit.New(pageText)

// command is something to type.
type command struct{ Title, Text string }

// servePage serves a page for people who open the base URL in a browser: who this is, what to type, and where programs
// go.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) {
	base, err := s.baseURL(r)
	var card *a2a.AgentCard
	if err == nil {
		card, err = s.card(r.Context(), r, base)
	}
	if err != nil {
		e := a2a.AsError(err)
		writeError(w, wire.RowOf(e.Kind).HTTP, e)
		return
	}
	talk := talkOf(s, card)
	p := kit.Page{Title: card.Name, Section: "Agent", Data: map[string]any{
		"Card":      card,
		"Versions":  versionsOf(card),
		"Protected": len(card.SecuritySchemes) > 0,
		"Talk":      talk,
		"Commands":  s.commands(card, base),
		"Docs":      docsOf(card),
		"JSON":      indented(card),
	}}
	if talk != nil {
		p.Scripts = []string{kit.Path + "agent.js"}
	}
	if err := kit.Write(w, page, p); err != nil {
		writeError(w, http.StatusInternalServerError, &a2a.Error{Kind: a2a.ErrInternal, Cause: err})
	}
}

// talk is what the script of the page needs to know of the agent.
type talk struct {
	Binding     string       `json:"binding"`
	Streaming   bool         `json:"streaming"`
	Examples    []string     `json:"examples"`
	Modes       []string     `json:"modes"`
	Credentials []credential `json:"credentials"`
}

// A credential is one that a person can type.
type credential struct {
	Label  string `json:"label"`
	Hint   string `json:"hint"`
	In     string `json:"in"` // header or query
	Name   string `json:"name"`
	Prefix string `json:"prefix"`
	Basic  bool   `json:"basic"` // it is user:password, to be encoded
}

// maxExamples is how many examples a page offers to click.
const maxExamples = 4

// talkOf returns what the script needs to talk to the agent; nil if the server has no binding that it speaks.
func talkOf(s *Server, card *a2a.AgentCard) *talk {
	t := &talk{Binding: a2a.BindingJSONRPC, Streaming: is(true, card.Capabilities.Streaming),
		Examples: []string{}, Modes: card.DefaultInputModes, Credentials: credentialsOf(card)}
	switch {
	case !s.core.Serves(a2a.Generation10) || s.jsonrpc == nil && s.rest == nil:
		return nil
	case s.jsonrpc == nil:
		t.Binding = a2a.BindingHTTPJSON
	}
	for _, skill := range card.Skills {
		t.Examples = append(t.Examples, skill.Examples...)
	}
	t.Examples = t.Examples[:min(len(t.Examples), maxExamples)]
	return t
}

// credentialsOf returns the credentials that the schemes of a card ask for, one of each kind.
func credentialsOf(card *a2a.AgentCard) []credential {
	all := []credential{}
	add := func(c credential) {
		if !slices.ContainsFunc(all, func(other credential) bool {
			return c.Name == other.Name && c.Prefix == other.Prefix
		}) {
			all = append(all, c)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(card.SecuritySchemes)) {
		switch scheme := card.SecuritySchemes[name].(type) {
		case *a2a.APIKeyScheme:
			if scheme.Location != "cookie" { // which scripts cannot set for the server alone
				add(credential{Label: "API key", Hint: "Sent as " + scheme.Name + ".", In: scheme.Location,
					Name: scheme.Name})
			}
		case *a2a.HTTPAuthScheme:
			if strings.EqualFold(scheme.Scheme, "basic") {
				add(credential{Label: "User and password", Hint: "Write user:password.", In: "header",
					Name: "Authorization", Prefix: "Basic ", Basic: true})
			} else if strings.EqualFold(scheme.Scheme, "bearer") {
				add(bearer)
			}
		case *a2a.OAuth2Scheme, *a2a.OpenIDConnectScheme:
			add(bearer)
		}
	}
	return all
}

var bearer = credential{Label: "Token", Hint: "Sent as Authorization: Bearer.", In: "header", Name: "Authorization",
	Prefix: "Bearer "}

// versionsOf returns the protocol versions that a card names, newest first.
func versionsOf(card *a2a.AgentCard) []string {
	var all []string
	for _, i := range card.SupportedInterfaces {
		all = append(all, i.ProtocolVersion)
	}
	slices.Sort(all)
	slices.Reverse(all)
	return slices.Compact(all)
}

// exampleText returns something to say to the agent.
func exampleText(card *a2a.AgentCard) string {
	for _, skill := range card.Skills {
		if len(skill.Examples) > 0 {
			return skill.Examples[0]
		}
	}
	return "Hello"
}

// commands returns what to type to talk to the agent.
func (s *Server) commands(card *a2a.AgentCard, base string) []command {
	text := exampleText(card)
	send := "dragoman send -a " + shellQuote(agentcard.AgentURL(base)) + " --text " + shellQuote(text)
	streams := is(true, card.Capabilities.Streaming)
	all := []command{{"With dragoman", send}}
	if streams {
		all[0].Text += "\n" + send + " --stream"
	}
	if !s.core.Serves(a2a.Generation10) || s.jsonrpc == nil && s.rest == nil {
		return all
	}
	all = append(all, command{"With curl", s.curl(base, text, false)})
	if streams {
		all = append(all, command{"With curl, streamed", s.curl(base, text, true)})
	}
	return all
}

// curl returns a command that sends a text, over several lines that a page has room for.
func (s *Server) curl(base, text string, stream bool) string {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		quoted = []byte(`"Hello"`)
	}
	flags, method, path, id, end := "-s", "SendMessage", "/message:send", "try-1", "; echo"
	if stream {
		flags, method, path, id, end = "-sN", "SendStreamingMessage", "/message:stream", "try-2", ""
	}
	address := base
	body := `{"message":{"messageId":"` + id + `","role":"ROLE_USER","parts":[` + "\n    {\"text\":" + string(quoted) +
		"}]}}"
	if s.jsonrpc != nil {
		body = `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + "\n    " + body + "}"
	} else {
		address += path
	}
	return "curl " + flags + " " + shellQuote(address) +
		" \\\n  -H 'A2A-Version: 1.0' -H 'Content-Type: application/json' \\\n  -d " + shellQuote(body) + end
}

// docsOf returns the address of the agent's documentation, if it is one of the web.
func docsOf(card *a2a.AgentCard) string {
	if card.DocumentationURL == nil {
		return ""
	}
	u, err := url.Parse(*card.DocumentationURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.String()
}

// indented returns the card as JSON for people.
func indented(card *a2a.AgentCard) string {
	b, err := cards.Append(nil, card, cards.Form10)
	v := jsontext.Value(b)
	if err == nil {
		err = v.Indent(jsontext.WithIndent("  "))
	}
	if err != nil {
		return err.Error()
	}
	return string(v)
}

// shellQuote makes s one word of a POSIX shell.
func shellQuote(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && !strings.ContainsRune("-_.:/@%+,", r)
	})
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
