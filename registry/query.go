// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"net/url"
	"strconv"
)

// A parameter is a member of a [Query] as it is called in a URL.
type parameter struct {
	name  string
	value *string
}

// parameters are the members that filter, in the order in which the API lists them.
func (q *Query) parameters() []parameter {
	return []parameter{
		{"q", &q.Text}, {"skill", &q.Skill}, {"tag", &q.Tag}, {"inputMode", &q.InputMode}, {"outputMode", &q.OutputMode},
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
