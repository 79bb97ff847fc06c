// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Violations are all the ways in which a value does not fit a schema; at least one.
type Violations struct{ List []Violation }

// A Violation is one of them.
type Violation struct {
	Path    string // of the value, as a JSON Pointer (RFC 6901); "" is the whole
	Message string // in English
}

// maxListed bounds what is said, not what is found: a value with a thousand rows may be wrong in each.
const maxListed = 10

// Error lists the first of them.
func (v *Violations) Error() string {
	lines := make([]string, 0, maxListed)
	for _, one := range v.List[:min(len(v.List), maxListed)] {
		lines = append(lines, one.String())
	}
	if more := len(v.List) - maxListed; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "; ")
}

// String says where the value is, and what is wrong with it.
func (v Violation) String() string {
	if v.Path == "" {
		return "the value: " + v.Message
	}
	return v.Path + ": " + v.Message
}

func violations(e *jsonschema.ValidationError) *Violations {
	v := &Violations{}
	v.collect(e.DetailedOutput())
	return v
}

// collect takes the innermost errors, which are what a person can mend.
func (v *Violations) collect(unit *jsonschema.OutputUnit) {
	if unit.Error != nil {
		v.List = append(v.List, Violation{Path: unit.InstanceLocation, Message: unit.Error.String()})
	}
	for i := range unit.Errors {
		v.collect(&unit.Errors[i])
	}
}
