// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"strings"

	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

// oneof is what an object with exactly one of several members decodes to.
type oneof[I any] struct {
	member string // "" until one was read
	value  I
	newer  bool // there is one of a later edition of the protocol, where that is no fault
}

// oneofObject describes an object with exactly one of these members.
func oneofObject[I any](members ...member[oneof[I]]) object[oneof[I]] {
	o := object[oneof[I]]{Snake: true, Members: members}
	missing := "must have one of " + names(o)
	o.Finish = func(d *reader, v *oneof[I]) error {
		if v.member == "" && !v.newer {
			return jsonio.Invalid(d, missing)
		}
		return nil
	}
	return o
}

// openObject is oneofObject for what later editions may add members to: of those the value is nil.
func openObject[I any](members ...member[oneof[I]]) object[oneof[I]] {
	o := oneofObject(members...)
	o.Unknown = func(v *oneof[I]) { v.newer = true }
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

// alternative is a member of a oneof whose value is a *T.
func alternative[I, T any](name string, o *object[T]) member[oneof[I]] {
	return member[oneof[I]]{Name: name, Read: func(d *reader, v *oneof[I]) error {
		value := new(T)
		if err := o.Read(d, value); err != nil {
			return err
		}
		if v.member != "" {
			return both(d, v.member, name)
		}
		v.member, v.value = name, any(value).(I)
		return nil
	}}
}

// readOneof reads an object with exactly one of several members into the interface they share.
func readOneof[I any](d *reader, p *I, o *object[oneof[I]]) error {
	var v oneof[I]
	err := o.Read(d, &v)
	*p = v.value
	return err
}

// both faults the object that is being read for having two members of which it may have one.
func both(d *reader, first, second string) error {
	return jsonio.InvalidOuter(d, "has both "+first+" and "+second+": send one of them")
}
