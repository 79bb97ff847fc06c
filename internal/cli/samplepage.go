// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"html/template"
	"net/http"

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
{{range .}}<dt><a href="{{.URL}}/">{{.Name}}</a></dt>
<dd>{{.Shows}}<br><code>dragoman send -a {{.URL}} --text "{{.Example}}"</code></dd>
{{end}}</dl>
</main>
</body>
</html>
`))

func writeSamplePage(w http.ResponseWriter, base string) {
	var buf bytes.Buffer
	if err := samplePage.Execute(&buf, sampleList(base)); err != nil {
		http.Error(w, "the page cannot be shown", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	w.Write(buf.Bytes())
}

func writeSampleList(w http.ResponseWriter, base string) {
	w.Header().Set("Content-Type", "application/json")
	json.MarshalWrite(w, map[string]any{"agents": sampleList(base)}) // the caller may be gone
}
