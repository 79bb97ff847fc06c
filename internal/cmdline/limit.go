// SPDX-License-Identifier: Apache-2.0

package cmdline

import "strconv"

// A Limit is a bound or a time that is kept when nobody says otherwise.
type Limit struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Of    string `json:"of"` // the part that keeps it
}

// Itoa writes a number.
func Itoa(n int) string { return strconv.Itoa(n) }

// YesNo writes what may be left out.
func YesNo(b *bool) string {
	if b != nil && *b {
		return "yes"
	}
	return "no"
}
