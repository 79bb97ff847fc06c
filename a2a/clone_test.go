// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A clone equals its original and shares no pointer, slice or map with it.
func TestCloneSharesNothing(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]any{
		{exampleTask(), (*Task).Clone},
		{exampleMessage(), (*Message).Clone},
		{exampleArtifact(), (*Artifact).Clone},
		{exampleStatusUpdate(), (*StatusUpdate).Clone},
		{exampleArtifactUpdate(), (*ArtifactUpdate).Clone},
		{exampleCard(), (*AgentCard).Clone},
	} {
		clone := reflect.ValueOf(pair[1])
		original := reflect.ValueOf(pair[0])
		copied := clone.Call([]reflect.Value{original})[0]
		if diff := cmp.Diff(original.Interface(), copied.Interface()); diff != "" {
			t.Errorf("%T: -original +clone\n%s", pair[0], diff)
		}
		seen := make(map[uintptr]bool)
		walk(original, original.Type().String(), func(p uintptr, _ string) { seen[p] = true })
		walk(copied, original.Type().String(), func(p uintptr, path string) {
			if seen[p] {
				t.Errorf("%s is shared", path)
			}
		})
		null := reflect.Zero(original.Type())
		if !clone.Call([]reflect.Value{null})[0].IsNil() {
			t.Errorf("the clone of a nil %T is not nil", pair[0])
		}
	}
}

// walk visits the memory that v refers to. Strings and what cannot hold anything are left out.
func walk(v reflect.Value, path string, visit func(uintptr, string)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Type().Elem().Size() > 0 && v.Type().Elem().Name() != "Location" {
			visit(v.Pointer(), path)
			walk(v.Elem(), path, visit)
		}
	case reflect.Interface:
		walk(v.Elem(), path, visit)
	case reflect.Slice:
		if v.Len() > 0 {
			visit(v.Pointer(), path)
		}
		for i := range v.Len() {
			walk(v.Index(i), path+"[]", visit)
		}
	case reflect.Map:
		if !v.IsNil() {
			visit(v.Pointer(), path)
		}
		for _, k := range v.MapKeys() {
			walk(v.MapIndex(k), path+"["+k.String()+"]", visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walk(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
	}
}
