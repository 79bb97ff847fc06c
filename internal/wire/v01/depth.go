// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

var tooDeep = fmt.Sprintf("nests deeper than %d levels", a2a.MaxDepth)

// depth returns how deeply a valid JSON value nests: 0 for a scalar, 1 for [], 2 for [{}].
func depth(v jsontext.Value) int {
	open, deepest := 0, 0
	for i := 0; i < len(v); i++ {
		switch v[i] {
		case '{', '[':
			open++
			deepest = max(deepest, open)
		case '}', ']':
			open--
		case '"':
			for i++; v[i] != '"'; i++ {
				if v[i] == '\\' {
					i++
				}
			}
		}
	}
	return deepest
}
