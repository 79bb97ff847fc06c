// SPDX-License-Identifier: Apache-2.0

// Package jsonio is what dialects read and write their JSON with: a table for each object that is read, functions that
// append to a buffer for each that is written. It is strict where JSON is (duplicate names, UTF-8, depth), keeps the text
// of values of free form, and names in its errors the field that is wrong, as the peer wrote it.
package jsonio

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// TooDeep says what is wrong with a value of more than [a2a.MaxDepth] levels.
var TooDeep = fmt.Sprintf("nests deeper than %d levels", a2a.MaxDepth)

// Depth returns how deeply a valid JSON value nests: 0 for a scalar, 1 for [], 2 for [{}].
func Depth(v jsontext.Value) int {
	open, deepest := 0, 0
	for i := 0; i < len(v); i++ {
		switch v[i] {
		case '{', '[':
			open++
			deepest = max(deepest, open)
		case '}', ']':
			open--
		case '"':
			i = endOfString(v, i)
		}
	}
	return deepest
}

// endOfString returns the index of the quote that ends the string starting at i.
func endOfString(v jsontext.Value, i int) int {
	for i++; v[i] != '"'; i++ {
		if v[i] == '\\' {
			i++
		}
	}
	return i
}
