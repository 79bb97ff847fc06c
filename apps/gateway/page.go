// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"bytes"
	"html/template"
	"net/http"
)

// pagePolicy lets the page do nothing but show itself.
const pagePolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// page is what people see at the root of a gateway to several agents. Each has a page of its own below its name.
var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dragoman gateway</title>
</head>
<body>
<main>
<h1>Dragoman gateway</h1>
<p>This gateway serves several agents. Each has its own address, which accepts every version of A2A:</p>
<ul>
{{range .}}<li><a href="{{.}}/">{{.}}</a></li>
{{end}}</ul>
<p>A request of A2A 1.0 to this address reaches the agent that its tenant names, for example
<code>dragoman send --tenant {{index . 0}}</code>.</p>
</main>
</body>
</html>
`))

func (g *Gateway) servePage(w http.ResponseWriter) {
	names := make([]string, len(g.routes))
	for i, r := range g.routes {
		names[i] = r.name
	}
	var buf bytes.Buffer
	if err := page.Execute(&buf, names); err != nil {
		http.Error(w, "the page cannot be shown", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	w.Write(buf.Bytes())
}
