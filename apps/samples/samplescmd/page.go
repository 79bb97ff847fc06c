// SPDX-License-Identifier: Apache-2.0

package samplescmd

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/internal/kit"
)

// samplePage leads people to the page of each sample.
var samplePage = kit.New(`{{define "main"}}<div class="stack"><h1>Sample agents</h1>
<p>Agents to talk to and to start from. Each accepts every version of A2A at its own address.</p></div>
<div class="panels">
{{range .}}<section class="panel tile"><h2><a href="{{.URL}}">{{.Name}}</a></h2><p>{{.Shows}}</p>
<p class="small">Try “{{.Example}}”</p></section>
{{end}}</div>
<section class="panel"><h2>From a terminal</h2>
<pre class="code" tabindex="0">{{range .}}dragoman send -a {{.URL}} --text "{{.Example}}"
{{end}}</pre></section>
{{end}}`)

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
	if err := kit.Write(w, samplePage, kit.Page{Title: "Sample agents", Section: "Samples", Data: list}); err != nil {
		http.Error(w, "the page cannot be shown", http.StatusInternalServerError)
	}
}
