// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"net/http"

	"github.com/dragoman-a2a/dragoman/internal/kit"
)

// page is what people see at the root of a gateway to several agents. Each has a page of its own below its name.
var page = kit.New(`{{define "main"}}<div class="stack"><h1>Dragoman gateway</h1>
<p>This gateway serves several agents. Each has its own address, which accepts every version of A2A.</p></div>
<div class="panels">
{{range .}}<section class="panel tile"><h2><a href="{{.}}/">{{.}}</a></h2></section>
{{end}}</div>
<p class="quiet">A request of A2A 1.0 to this address reaches the agent that its tenant names, for example
<code>dragoman send --tenant {{index . 0}}</code>.</p>
{{end}}`)

func (g *Gateway) servePage(w http.ResponseWriter) {
	names := make([]string, len(g.routes))
	for i, r := range g.routes {
		names[i] = r.name
	}
	if err := kit.Write(w, page, kit.Page{Title: "Dragoman gateway", Section: "Gateway", Data: names}); err != nil {
		http.Error(w, "the page cannot be shown", http.StatusInternalServerError)
	}
}
