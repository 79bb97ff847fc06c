// SPDX-License-Identifier: Apache-2.0

package coord

// readOnly reports whether a command only shows what there is of a session. It is no heartbeat of the session, as
// others may look as well.
func readOnly(c Command) bool {
	switch c := c.(type) {
	case MyTodos, CheckLock:
		return true
	case Check:
		return c.Peek
	}
	return false
}
