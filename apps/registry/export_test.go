// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"maps"
	"slices"
)

// Routes returns the methods of each path of the API.
func Routes() map[string][]string {
	all := make(map[string][]string)
	for path, methods := range routes {
		all[path] = slices.Sorted(maps.Keys(methods))
	}
	return all
}

// Kinds returns the kinds of errors that have a status.
func Kinds() []Kind { return slices.Collect(maps.Keys(statuses)) }
