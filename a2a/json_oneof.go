// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"strings"

	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

// An alternative is one of the members of an object that has exactly one of several. Its value is an I.
type alternative[I any] struct {
	name  string
	is    func(I) bool
	read  func(*reader) (I, error)
	write func(*writer, I)
}

// pointerTo is an alternative whose value is a *T.
func pointerTo[I, T any](name string, o *object[T]) alternative[I] {
	return alternative[I]{
		name: name,
		is: func(v I) bool {
			_, ok := any(v).(*T)
			return ok
		},
		read: func(d *reader) (I, error) {
			v := new(T)
			err := o.Read(d, v)
			return any(v).(I), err
		},
		write: func(w *writer, v I) {
			w.Key(name)
			jsonio.WritePointer(w, any(v).(*T), o.Write)
		},
	}
}

// exactlyOne describes an object with exactly one of several members, whose value lies at of in a T. The text none
// says what is wrong with a T that has none of them.
func exactlyOne[T, I any](of func(*T) *I, none string, all ...alternative[I]) object[T] {
	o := object[T]{Snake: true}
	for _, a := range all {
		o.Members = append(o.Members, member[T]{Name: a.name, Read: func(d *reader, v *T) error {
			value, err := a.read(d)
			if err != nil {
				return err
			}
			for _, before := range all {
				if before.is(*of(v)) {
					return both(d, before.name, a.name)
				}
			}
			*of(v) = value
			return nil
		}})
	}
	o.Members[0].Write = func(w *writer, _ string, v *T) { // whichever it is
		for i := range all {
			if all[i].is(*of(v)) {
				all[i].write(w, *of(v))
				return
			}
		}
		w.Fail(none)
	}
	missing := "must have one of " + names(o)
	o.Finish = func(d *reader, v *T) error {
		if any(*of(v)) == nil {
			return jsonio.Invalid(d, missing)
		}
		return nil
	}
	return o
}

// names lists the members of an object for people.
func names[T any](o object[T]) string {
	list := make([]string, len(o.Members))
	for i, m := range o.Members {
		list[i] = m.Name
	}
	return strings.Join(list, ", ")
}

// both faults the object that is being read for having two members of which it may have one.
func both(d *reader, first, second string) error {
	return jsonio.InvalidOuter(d, "has both "+first+" and "+second+": send one of them")
}
