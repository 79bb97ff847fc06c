// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// CheckScopes returns an a2a.ErrPermissionDenied for a caller who has the scopes of none of the requirements, and nil
// if there are none. Which scheme the caller used does not count, because each Authenticator vouches for the scopes.
func CheckScopes(anyOf []a2a.SecurityRequirement, has []string) error {
	var missing []string
	for _, schemes := range anyOf {
		lacks := lacking(schemes, has)
		if len(lacks) == 0 {
			return nil
		}
		missing = append(missing, strings.Join(lacks, " "))
	}
	if missing == nil {
		return nil
	}
	return a2a.NewError(a2a.ErrPermissionDenied, fmt.Sprintf("your credentials lack the scope %s",
		strings.Join(missing, ", or ")))
}

// lacking returns the scopes of a requirement that the caller does not have.
func lacking(schemes a2a.SecurityRequirement, has []string) []string {
	var lacks []string
	for _, scopes := range schemes {
		for _, scope := range scopes {
			if !slices.Contains(has, scope) && !slices.Contains(lacks, scope) {
				lacks = append(lacks, scope)
			}
		}
	}
	slices.Sort(lacks)
	return lacks
}
