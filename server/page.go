// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	agentcard "github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/internal/wire/cards"
	"github.com/go-json-experiment/json/jsontext"
)

const pageStyle = `body{font:16px/1.5 system-ui,` +
	`sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}` +
	`pre{background:#f3f3f3;padding:.75rem;font-size:.8125rem;overflow-x:auto;border-radius:.25rem}` +
	`h2{margin-top:2rem}h3{font-size:1rem;` +
	`margin-bottom:0}dt{font-weight:600}small{color:#595959}summary{cursor:pointer}` +
	`td,th{text-align:left;padding:.1rem 1.5rem .1rem 0;overflow-wrap:anywhere}` +
	`@media(prefers-color-scheme:dark){body{color:#e8e8e8;` +
	`background:#161616}pre{background:#262626}small{color:#a8a8a8}a{color:#8ab4f8}}`

// pagePolicy lets the page do nothing but show itself: whatever a card says, no script is run and nothing is loaded.
// The icon is within the page.
var pagePolicy = func() string {
	hash := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
		"'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Card.Name}}</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath ` +
	`d='M1 2h9v6H5l-4 3z' fill='%23276ef1'/%3E%3Cpath d='M15 6h-4v3H6v3h5l4 3z' fill='%23e08e0b'/%3E%3C/svg%3E">
<style>{{.Style}}</style>
</head>
<body>
<main>
<h1>{{.Card.Name}}</h1>
<p>{{.Card.Description}}</p>
<p><small>Version {{.Card.Version}}{{with .Card.Provider}} · {{.Organization}}{{end}}</small></p>
{{with .Card.Skills}}<h2>Skills</h2>
<dl>
{{range .}}<dt>{{.Name}}</dt>
<dd>{{.Description}}{{range .Examples}}<br><small>“{{.}}”</small>{{end}}</dd>
{{end}}</dl>
{{end}}<h2>Try it</h2>
{{if .Card.SecuritySchemes}}<p>The agent requires credentials. The card below lists them under <code>` +
	`securitySchemes</code>. With dragoman, set a
token in <code>DRAGOMAN_BEARER</code> or a key in <code>DRAGOMAN_API_KEY</code> first. With curl, add the header ` +
	`for the credential.</p>
{{end}}{{range .Commands}}<h3>{{.Title}}</h3>
<pre>{{.Text}}</pre>
{{end}}<h2>For programs</h2>
<table>
<thead><tr><th>Binding</th><th>A2A</th><th>Address</th></tr></thead>
<tbody>
{{range .Card.SupportedInterfaces}}<tr><td>{{.Binding}}</td><td>{{.ProtocolVersion}}</td><td>{{.URL}}</td></tr>
{{end}}</tbody>
</table>
<p>Programs read the <a href=".well-known/agent-card.json">agent card</a>.{{with .Docs}} See also the <a ` +
	`href="{{.}}">documentation</a>
of the agent.{{end}}</p>
<details><summary>The card of A2A 1.0</summary><pre>{{.JSON}}</pre></details>
</main>
</body>
</html>
`))

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
	var buf bytes.Buffer
	err = page.Execute(&buf, map[string]any{
		"Card":     card,
		"Style":    template.CSS(pageStyle),
		"Commands": s.commands(card, base),
		"Docs":     docsOf(card),
		"JSON":     indented(card),
	})
	if err != nil {
		writeError(w, http.StatusInternalServerError, &a2a.Error{Kind: a2a.ErrInternal, Cause: err})
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "no-cache")
	w.Write(buf.Bytes())
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
