// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/go-json-experiment/json/jsontext"
)

const pageStyle = `body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}` +
	`pre{background:#f3f3f3;padding:.75rem;white-space:pre-wrap;overflow-wrap:anywhere}` +
	`h2{margin-top:2rem}dt{font-weight:600}small{color:#595959}` +
	`@media(prefers-color-scheme:dark){body{color:#e8e8e8;background:#161616}pre{background:#262626}small{color:#a8a8a8}a{color:#8ab4f8}}`

// pagePolicy lets the page do nothing but show itself: whatever a card says, no script and no picture is loaded.
var pagePolicy = func() string {
	hash := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Card.Name}}</title>
<style>{{.Style}}</style>
</head>
<body>
<main>
<h1>{{.Card.Name}}</h1>
<p>{{.Card.Description}}</p>
<p><small>Version {{.Card.Version}}{{with .Card.Provider}} · {{.Organization}}{{end}} · <a href=".well-known/agent-card.json">agent card</a></small></p>
<h2>Skills</h2>
<dl>
{{range .Card.Skills}}<dt>{{.Name}}</dt>
<dd>{{.Description}}{{range .Examples}}<br><small>“{{.}}”</small>{{end}}</dd>
{{else}}<dd>None declared.</dd>
{{end}}</dl>
<h2>Try it</h2>
<pre>{{.Dragoman}}</pre>
<pre>{{.Curl}}</pre>
</main>
</body>
</html>
`))

// servePage serves a page for people who open the base URL in a browser: who this is, and two commands to try.
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
	text := exampleText(card)
	var buf bytes.Buffer
	err = page.Execute(&buf, map[string]any{
		"Card":     card,
		"Style":    template.CSS(pageStyle),
		"Dragoman": "dragoman send -a " + shellQuote(base) + " --text " + shellQuote(text),
		"Curl":     s.curl(base, text),
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

func (s *Server) curl(base, text string) string {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		quoted = []byte(`"Hello"`)
	}
	params := `{"message":{"messageId":"try-1","role":"ROLE_USER","parts":[{"text":` + string(quoted) + `}]}}`
	url, body := base, `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":`+params+`}`
	if !slices.Contains(s.options.Bindings, a2a.BindingJSONRPC) {
		url, body = base+"/message:send", params
	}
	return "curl -s " + shellQuote(url) + " -H 'A2A-Version: 1.0' -H 'Content-Type: application/json' -d " + shellQuote(body)
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
