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

// Generation decides which generation of the protocol a request speaks (A2A 1.0 §3.6.2). This is the one place that
// knows which of them are served.
func (c *Core) Generation(r *http.Request) (a2a.Generation, *a2a.Error) {
	requested, e := requestedVersion(r)
	if e != nil {
		return "", e
	}
	switch {
	case requested == string(a2a.Generation10), requested == "" && c.AcceptUnversioned:
		return a2a.Generation10, nil
	case requested == "":
		return "", versionError(string(a2a.Generation03), "a request without the header A2A-Version counts as version 0.3, which this agent does not serve")
	}
	return "", versionError(requested, fmt.Sprintf("version %q of the protocol is not served", clip(requested)))
}

func versionError(requested, why string) *a2a.Error {
	return &a2a.Error{
		Kind:     a2a.ErrVersionNotSupported,
		Message:  why + "; send the header A2A-Version: 1.0",
		Metadata: map[string]string{"requestedVersion": clip(requested), "supportedVersions": string(a2a.Generation10)},
	}
}

// clip keeps what a caller sent, and gets back in an error, to a sane size.
func clip(s string) string {
	if len(s) > 64 {
		return strings.ToValidUTF8(s[:64], "") + "..."
	}
	return s
}

// requestedVersion returns the version a request names as Major.Minor, or "" when it names none. The header counts
// before the query. What is not of the form Major.Minor or Major.Minor.Patch is returned as it is: no such version is
// served.
func requestedVersion(r *http.Request) (string, *a2a.Error) {
	found, seen := "", false
	for _, value := range serviceParameter(r, wire.HeaderVersion) {
		for one := range strings.SplitSeq(value, ",") {
			one = strings.TrimSpace(one)
			if seen && one != found {
				return "", versionError(found, fmt.Sprintf("the request names both version %q and version %q", clip(found), clip(one)))
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
func negotiate(r *http.Request, p *Profile) ([]string, *a2a.Error) {
	if len(p.Extensions) == 0 {
		return nil, nil
	}
	var requested []string
	for _, value := range serviceParameter(r, wire.HeaderExtensions) {
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
			Message:  "this agent requires extensions; send the header A2A-Extensions: " + list,
			Metadata: map[string]string{"requiredExtensions": list},
		}
	}
	return active, nil
}

// resumeAfter returns the id to resume a subscription after, which counts only under the replay extension: without it
// the standard wants the task first.
func resumeAfter(x *Exchange) string {
	if slices.Contains(x.call.Extensions, wire.ReplayExtension) {
		return x.R.Header.Get(wire.HeaderLastEventID)
	}
	return ""
}
