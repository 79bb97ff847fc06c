// SPDX-License-Identifier: Apache-2.0

package samplescmd

import (
	"bytes"
	"html/template"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
)

// samplePage leads people to the page of each sample.
var samplePage = template.Must(template.New("samples").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dragoman samples</title>
</head>
<body>
<main>
<h1>Sample agents</h1>
<dl>
{{range .}}<dt><a href="{{.URL}}">{{.Name}}</a></dt>
<dd>{{.Shows}}<br><code>dragoman send -a {{.URL}} --text "{{.Example}}"</code></dd>
{{end}}</dl>
</main>
</body>
</html>
`))

// writeSamples lists the samples: as a page for people, and as JSON for programs and at /agents. Without a base URL
// they are where the request came to.
func writeSamples(w http.ResponseWriter, r *http.Request, base string) {
	if base == "" {
		base = "http://" + r.Host
	}
	list := sampleList(strings.TrimSuffix(base, "/"))
	h := w.Header()
	h.Set("Vary", "Accept")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.URL.Path != "/" || strings.Contains(r.Header.Get("Accept"), "application/json") {
		h.Set("Content-Type", "application/json")
		json.MarshalWrite(w, map[string]any{"agents": list}) // the caller may be gone
		return
	}
	var buf bytes.Buffer
	if err := samplePage.Execute(&buf, list); err != nil {
		http.Error(w, "the page cannot be shown", http.StatusInternalServerError)
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	w.Write(buf.Bytes())
}
