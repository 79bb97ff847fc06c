// SPDX-License-Identifier: Apache-2.0

package slow

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Limits of what can be asked for. A count is one turn, and a turn may take an hour unless its engine says otherwise.
const (
	maxSteps = 10_000
	maxTime  = 50 * time.Minute
)

var (
	steps = regexp.MustCompile(`\b[0-9]{1,9}\b`)
	pause = regexp.MustCompile(`\bevery\s+(\S+)`)
)

// parse reads how far to count and how long to wait before each number, the usual time when the text does not say. The
// question is what to ask instead, if anything.
func parse(text string, usual time.Duration) (n int, every time.Duration, question string) {
	text, every = strings.ToLower(text), usual
	if m := pause.FindStringSubmatch(text); m != nil {
		var err error
		text = strings.Replace(text, m[0], "", 1)
		if every, err = time.ParseDuration(m[1]); err != nil || every <= 0 || every > time.Hour {
			return 0, 0, `How long shall I wait before each number? For example: "count to 5 every 200ms".`
		}
	}
	n, _ = strconv.Atoi(steps.FindString(text)) // nine digits fit; 0: none
	switch {
	case n < 1 || n > maxSteps:
		return 0, 0,
			fmt.Sprintf(`How far shall I count, from 1 to %d? For example: "count to 5", or "count to 5 every 200ms".`,
				maxSteps)
	case time.Duration(n)*every > maxTime:
		return 0, 0, fmt.Sprintf("That would take longer than %v. Please ask for fewer numbers, or for less time "+
			"between them.", maxTime)
	}
	return n, every, ""
}
