// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// clip keeps what a caller sent, and gets back in an error, to a sane size.
func clip(s string) string {
	if len(s) > 64 {
		return strings.ToValidUTF8(s[:64], "") + "..."
	}
	return s
}

// requestedVersion returns the version a request names as Major.Minor, or "" when it names none. The header takes
// precedence over the query. A version that is not of the form Major.Minor or Major.Minor.Patch is returned unchanged,
// because no such version is served.
func (c *Core) requestedVersion(r *http.Request) (string, *a2a.Error) {
	found, seen := "", false
	for _, value := range serviceParameter(r, wire.HeaderVersion) {
		for one := range strings.SplitSeq(value, ",") {
			one = strings.TrimSpace(one)
			if seen && one != found {
				return "", c.versionError(found,
					fmt.Sprintf("the request names both version %q and version %q", clip(found), clip(one)))
			}
			found, seen = one, true
		}
	}
	return withoutPatch(found), nil
}

// withoutPatch drops the patch number, which plays no role (A2A 1.0 §3.6).
func withoutPatch(version string) string {
	parts := strings.Split(version, ".")
	if len(parts) == 3 && digits(parts[2]) {
		return parts[0] + "." + parts[1]
	}
	return version
}

func digits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

// serviceParameter returns the values of a service parameter: of the header, else of the query parameter of that
// name, in any case.
func serviceParameter(r *http.Request, name string) []string {
	if values := r.Header.Values(name); len(values) > 0 {
		return values
	}
	if r.URL.RawQuery == "" {
		return nil
	}
	var values []string
	for key, vs := range r.URL.Query() {
		if strings.EqualFold(key, name) {
			values = append(values, vs...)
		}
	}
	return values
}

// negotiate returns those extensions of the profile that the request activates, in the profile's order. Extensions that
// the agent does not have are ignored; one that it requires and the request does not name is an error
// (A2A 1.0 §3.3.4, §4.6).
func negotiate(r *http.Request, gen a2a.Generation, p *Profile) ([]string, *a2a.Error) {
	if len(p.Extensions) == 0 {
		return nil, nil
	}
	var requested []string
	for _, value := range serviceParameter(r, wire.ExtensionsHeader(gen)) {
		for uri := range strings.SplitSeq(value, ",") {
			requested = append(requested, strings.TrimSpace(uri))
		}
	}
	var active, missing []string
	for _, ext := range p.Extensions {
		switch {
		case slices.Contains(requested, ext.URI):
			active = append(active, ext.URI)
		case ext.Required:
			missing = append(missing, ext.URI)
		}
	}
	if len(missing) > 0 {
		list := strings.Join(missing, ", ")
		return nil, &a2a.Error{
			Kind:     a2a.ErrExtensionSupportRequired,
			Message:  "this agent requires extensions; send the header " + wire.ExtensionsHeader(gen) + ": " + list,
			Metadata: map[string]string{"requiredExtensions": list},
		}
	}
	return active, nil
}

// resumeAfter returns the id to resume a subscription after, which counts only under the replay extension: without it
// the standard wants the task first.
func resumeAfter(x *Exchange) string {
	if x.Generation != a2a.Generation01 && slices.Contains(x.call.Extensions, a2a.ReplayExtension) { // 0.1 has none
		return x.R.Header.Get(wire.HeaderLastEventID)
	}
	return ""
}
