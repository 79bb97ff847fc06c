// SPDX-License-Identifier: Apache-2.0

package coord

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
