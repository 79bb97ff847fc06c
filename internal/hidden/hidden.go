// SPDX-License-Identifier: Apache-2.0

// Package hidden finds the abilities that a wrapper hides: a struct that embeds an interface has the methods of that
// interface, but not the further ones of the value within.
package hidden

import "reflect"

// By returns the type of a value in a field of wrapper that is an I and a C, while wrapper itself is no C. It is nil
// when wrapper is neither a struct nor a pointer to one, or hides nothing.
func By[I, C any](wrapper any) reflect.Type {
	if _, ok := wrapper.(C); ok {
		return nil
	}
	v := reflect.Indirect(reflect.ValueOf(wrapper))
	if v.Kind() != reflect.Struct {
		return nil
	}
	wrapped, able := reflect.TypeFor[I](), reflect.TypeFor[C]()
	for _, field := range v.Fields() {
		if field.Kind() == reflect.Interface {
			field = field.Elem()
		}
		if field.IsValid() && field.Type().Implements(wrapped) && field.Type().Implements(able) {
			return field.Type()
		}
	}
	return nil
}
