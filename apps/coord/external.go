// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"cmp"
	"strings"
)

// Those who are no sessions speak under names that no session can have, so that no session can pass for one of them.
const (
	prefixA2A    = "a2a:"
	prefixPerson = "person:"
)

// A2ACaller returns the name under which somebody speaks who came over A2A, or an A2A agent that was asked.
func A2ACaller(name string) string { return prefixA2A + cmp.Or(name, "anonymous") }

// Person returns the name under which a person speaks: the name of a token, or "" where people are not told apart.
func Person(name string) string { return prefixPerson + cmp.Or(name, "anonymous") }

func isExternal(name string) bool {
	return strings.HasPrefix(name, prefixA2A) || strings.HasPrefix(name, prefixPerson)
}

// fromExternal reports whether a command says that it is not that of a session.
func fromExternal(c Command) bool {
	switch c := c.(type) {
	case Ask:
		return c.External
	case Respond:
		return c.External
	case Broadcast:
		return c.External
	}
	return false
}

// readOnly reports whether a command only reads about a session, so that it is no heartbeat.
func readOnly(c Command) bool {
	switch c := c.(type) {
	case MyTodos, CheckLock:
		return true
	case Check:
		return c.Peek
	}
	return false
}
