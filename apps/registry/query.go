// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// A parameter is a member of a [Query] as it is called in a URL.
type parameter struct {
	name  string
	value *string
}

// parameters are the members that filter, in the order in which the API lists them.
func (q *Query) parameters() []parameter {
	return []parameter{
		{"q", &q.Text}, {"skill", &q.Skill}, {"tag", &q.Tag}, {"inputMode", &q.InputMode},
		{"outputMode", &q.OutputMode},
		{"capability", &q.Capability}, {"provider", &q.Provider}, {"generation", (*string)(&q.Generation)},
		{"binding", &q.Binding}, {"health", (*string)(&q.Health)},
	}
}

// values returns the query as parameters of a URL.
func (q *Query) values() url.Values {
	v := pageValues(q.PageSize, q.PageToken)
	for _, p := range q.parameters() {
		if *p.value != "" {
			v.Set(p.name, *p.value)
		}
	}
	return v
}

func pageValues(size int, token string) url.Values {
	v := url.Values{}
	if size > 0 {
		v.Set("pageSize", strconv.Itoa(size))
	}
	if token != "" {
		v.Set("pageToken", token)
	}
	return v
}

// generations are those that an agent can speak, the newest first.
var generations = []a2a.Generation{a2a.Generation10, a2a.Generation03, a2a.Generation02, a2a.Generation01}

// check refuses a query that makes no sense, rather than find nothing.
func (q *Query) check() error {
	if len(q.Text) > MaxText {
		return failf(ErrInvalid, "q has %d bytes; it may have %d", len(q.Text), MaxText)
	}
	for _, p := range q.parameters()[1:] {
		if len(*p.value) > MaxFilter {
			return failf(ErrInvalid, "%s has %d bytes; it may have %d", p.name, len(*p.value), MaxFilter)
		}
	}
	if q.Generation != "" && !slices.Contains(generations, q.Generation) {
		return failf(ErrInvalid, "generation is %q; use one of %q", q.Generation, generations)
	}
	switch q.Health {
	case "", HealthUnknown, HealthUp, HealthDown:
	default:
		return failf(ErrInvalid, "health is %q; use %s, %s or %s", q.Health, HealthUp, HealthDown, HealthUnknown)
	}
	return nil
}
