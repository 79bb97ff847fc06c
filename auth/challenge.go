// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Challenges returns a value of WWW-Authenticate for each security scheme of a server (RFC 9110 §11.6.1). Schemes that
// have no place in that header are described in its syntax, because a 401 must say something.
func Challenges(server string, schemes map[string]a2a.SecurityScheme) []string {
	realm := `realm="` + quotable(server) + `"`
	var all []string
	for _, name := range slices.Sorted(maps.Keys(schemes)) {
		var challenge string
		switch scheme := schemes[name].(type) {
		case *a2a.HTTPAuthScheme:
			challenge = token(scheme.Scheme) + " " + realm
		case *a2a.OAuth2Scheme, *a2a.OpenIDConnectScheme:
			challenge = "Bearer " + realm
		case *a2a.APIKeyScheme:
			challenge = fmt.Sprintf(`ApiKey %s, in="%s", name="%s"`, realm, quotable(scheme.Location),
				quotable(scheme.Name))
		case *a2a.MutualTLSScheme:
			challenge = "MutualTLS " + realm
		default:
			continue
		}
		if !slices.Contains(all, challenge) {
			all = append(all, challenge)
		}
	}
	if all == nil {
		return []string{"Bearer " + realm}
	}
	return all
}

// quotable drops what may not stand in a quoted string of a header.
func quotable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return -1
		}
		return r
	}, s)
}

// token drops what may not stand in a scheme's name.
func token(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == ' ' || r == ',' || r == '=' {
			return -1
		}
		return r
	}, quotable(s))
	return cmp.Or(s, "Bearer")
}
