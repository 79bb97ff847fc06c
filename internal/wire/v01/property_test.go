// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"bytes"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// canonical compares as the wire does: it knows no difference between an absent and an empty list, and values of free
// form keep their tokens, but not the space between them.
var canonical = cmp.Options{
	cmp.FilterPath(func(p cmp.Path) bool {
		switch p.Last().Type() {
		case reflect.TypeFor[jsontext.Value](), reflect.TypeFor[a2a.Raw](), reflect.TypeFor[a2a.Data](), reflect.TypeFor[a2a.Metadata]():
			return false
		}
		return true
	}, cmpopts.EquateEmpty()),
	cmp.Comparer(func(a, b a2a.Raw) bool { return bytes.Equal(a, b) }),
	cmp.Comparer(func(a, b a2a.Data) bool { return bytes.Equal(compact(jsontext.Value(a)), compact(jsontext.Value(b))) }),
	cmp.Comparer(func(a, b jsontext.Value) bool { return bytes.Equal(compact(a), compact(b)) }),
}

// compact removes what stands between the tokens of a value and leaves the tokens alone.
func compact(v jsontext.Value) jsontext.Value {
	b, err := jsontext.AppendFormat(nil, v, jsontext.PreserveRawStrings(true))
	if err != nil {
		return v
	}
	return b
}
