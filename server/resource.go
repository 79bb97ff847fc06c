// SPDX-License-Identifier: Apache-2.0

package server

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// resourcePath is where clients of OAuth find out, beside the card, how to get a token (RFC 9728).
const resourcePath = "/.well-known/oauth-protected-resource"

type protectedResource struct {
	Resource string   `json:"resource"`
	Name     string   `json:"resource_name,omitzero"`
	Servers  []string `json:"authorization_servers,omitzero"`
	Scopes   []string `json:"scopes_supported,omitzero"`
	Methods  []string `json:"bearer_methods_supported"`
}

// resourceOf returns the metadata of the agent of a card; nil if it takes no tokens of OAuth.
func resourceOf(card *a2a.AgentCard) *protectedResource {
	servers, scopes, takes := map[string]bool{}, map[string]bool{}, false
	for _, name := range slices.Sorted(maps.Keys(card.SecuritySchemes)) {
		switch scheme := card.SecuritySchemes[name].(type) {
		case *a2a.OpenIDConnectScheme:
			takes = true
			if issuer, ok := strings.CutSuffix(scheme.URL, "/.well-known/openid-configuration"); ok {
				servers[issuer] = true
			}
		case *a2a.OAuth2Scheme:
			takes = true
			before, after, ok := strings.Cut(scheme.MetadataURL, "/.well-known/oauth-authorization-server")
			if ok { // RFC 8414 §3.1: the path of the issuer is behind
				servers[before+after] = true
			}
		default:
			continue
		}
		for _, need := range card.SecurityRequirements {
			for _, scope := range need[name] {
				scopes[scope] = true
			}
		}
	}
	if !takes {
		return nil
	}
	return &protectedResource{Name: card.Name, Servers: slices.Sorted(maps.Keys(servers)),
		Scopes: slices.Sorted(maps.Keys(scopes)), Methods: []string{"header"}}
}

// serveResource serves the metadata.
func serveResource(s *Server, w http.ResponseWriter, r *http.Request) {
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
	found := resourceOf(card)
	if found == nil {
		writeError(w, http.StatusNotFound, a2a.NewError(a2a.ErrMethodNotFound, "this agent takes no tokens of OAuth"))
		return
	}
	found.Resource = base
	w.Header().Set("Content-Type", wire.MediaTypeJSON)
	if s.options.CardFunc != nil {
		w.Header().Set("Cache-Control", "private")
	}
	json.MarshalWrite(w, found) // the caller is gone if that fails
}

// resourceURL returns where the metadata is for the maker of a request; "" if its host is none.
func resourceURL(s *Server, x *binding.Exchange) string {
	root := s.rootOf(x)
	if root == "" {
		return ""
	}
	return root + s.options.Path + resourcePath
}
