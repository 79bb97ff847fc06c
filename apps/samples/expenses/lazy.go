// SPDX-License-Identifier: Apache-2.0

package expenses

import (
	"regexp"
	"sync"
)

// lazily compiles an expression when it is first needed: programs that link this agent mostly do something else, and
// should not start later for it.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
