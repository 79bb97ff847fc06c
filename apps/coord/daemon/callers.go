// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/coord"
	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
	"github.com/dragoman-a2a/dragoman/auth"
)

// roles are what a policy can allow in a project, the most first.
var roles = []struct{ operation, role string }{
	{"ManageProject", coord.RoleAdmin}, {"JoinProject", coord.RoleAgent}, {"ObserveProject", coord.RoleObserver},
}

// CheckCallers refuses an Authenticator that takes credentials outside of headers, which calls over MCP do not have.
func CheckCallers(by auth.Authenticator) error {
	asks, ok := by.(auth.Schemed)
	if !ok {
		return nil
	}
	for _, scheme := range asks.SecuritySchemes() {
		key, isKey := scheme.(*a2a.APIKeyScheme)
		_, isCertificate := scheme.(*a2a.MutualTLSScheme)
		if isCertificate || isKey && key.Location == "query" {
			return errors.New("a coordinator takes credentials in headers only: no client certificates, and no API " +
				"keys in the query")
		}
	}
	return nil
}

// authenticate returns the caller that the Authenticator knows by headers.
func (d *Daemon) authenticate(header http.Header) (a2a.Identity, error) {
	if d.opts.Authenticator == nil {
		return a2a.Identity{}, auth.ErrMissing
	}
	return d.opts.Authenticator.Authenticate(&http.Request{Header: header, URL: &url.URL{}})
}

// byCallers returns the rights of a caller that the Authenticator knows. The error refuses the caller, unless it only
// says that the Authenticator does not know it.
func (d *Daemon) byCallers(ctx context.Context, header http.Header, project string) (coord.Grant, error) {
	id, err := d.authenticate(header)
	switch {
	case errors.Is(err, auth.ErrMissing), errors.Is(err, a2a.ErrUnauthenticated):
		return coord.Grant{}, err
	case err != nil:
		return coord.Grant{}, &coordmcp.RefusedError{Why: a2a.AsError(err).PublicMessage()}
	}
	// The prefix keeps callers apart from holders of tokens.
	g := coord.Grant{Project: project, Name: "caller:" + auth.Owner(id)}
	for _, may := range roles {
		if d.opts.Policy != nil {
			err = d.opts.Policy.Decide(ctx, auth.Access{Agent: project, Operation: may.operation,
				Call: &a2a.Call{Identity: id}})
		}
		if err == nil {
			g.Role = may.role
			return g, nil
		}
	}
	return g, &coordmcp.RefusedError{Why: a2a.AsError(err).PublicMessage()}
}
