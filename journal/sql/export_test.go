// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/internal/keyset"
)

// PageQuery returns the statement that reads a page of tasks in some states.
func PageQuery(q journal.Query, states ...int32) (text string, args []any) {
	l := &list{q: q, scope: 1, states: states}
	if q.PageToken != "" {
		l.from = &keyset.Place{Time: 8, ID: "x"}
	}
	return l.pageQuery()
}

// BlockQuery returns the statement that counts within a block.
func BlockQuery(q journal.Query) (text string, args []any) {
	l := &list{q: q, scope: 1}
	return l.blockQuery(3, 5)
}
