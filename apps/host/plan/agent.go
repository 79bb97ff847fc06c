// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// HealthState says whether an agent can be reached.
type HealthState string

// The states of health.
const (
	Unknown HealthState = "unknown" // nobody has tried yet
	Up      HealthState = "up"
	Down    HealthState = "down"
)

// Health is what was seen of an agent last. It is not kept over restarts.
type Health struct {
	State    HealthState
	Failures int       // in a row
	Problem  string    // why it is down
	Resting  time.Time // until then it is given nothing to do; zero when it may be called
}

// Unreachable is an agent that cannot be reached, or the registry.
type Unreachable struct {
	Agent  string `json:"agent"`  // its alias, or what is known of its address
	Reason string `json:"reason"` // in words that callers of the host may read
}

// String returns both.
func (u Unreachable) String() string { return u.Agent + ": " + u.Reason }

// AllUnreachable returns those that are down, and those that nobody has seen.
func AllUnreachable(agents []Agent, missing []Unreachable) []Unreachable {
	down := slices.Clone(missing)
	for _, a := range agents {
		if a.Health.State == Down {
			down = append(down, Unreachable{a.Alias, Clean(a.Health.Problem, MaxShown)})
		}
	}
	return down
}

// ListUnreachable names agents in one line, n of them at most.
func ListUnreachable(down []Unreachable, n int) string {
	var all []string
	for _, u := range down[:min(len(down), n)] {
		all = append(all, fmt.Sprintf("%s (%s)", u.Agent, u.Reason))
	}
	line := "Not reachable: " + strings.Join(all, ", ")
	if more := len(down) - n; more > 0 {
		line += fmt.Sprintf(", and %d more", more)
	}
	return line
}
