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
	pause = regexp.MustCompile(`\bevery\s+([0-9.]+)?\s*(ms|milliseconds?|s|seconds?|m|minutes?)\b`)
)

// parse reads how far to count and how long to wait before each number, the usual time when the text does not say. The
// question is what to ask instead, if anything.
func parse(text string, usual time.Duration) (n int, every time.Duration, question string) {
	text, every = strings.ToLower(text), usual
	if at := pause.FindStringSubmatchIndex(text); at != nil {
		every = duration(pause.FindStringSubmatch(text))
		text = text[:at[0]] + text[at[1]:]
		if every <= 0 {
			return 0, 0, `How long shall I wait before each number? For example: "count to 5 every 200ms".`
		}
	}
	digits := steps.FindString(text)
	if digits == "" {
		return 0, 0, `How far shall I count? For example: "count to 5", or "count to 5 every 200ms".`
	}
	n, _ = strconv.Atoi(digits) // nine digits fit
	switch {
	case n < 1 || n > maxSteps:
		return 0, 0, fmt.Sprintf("I count to any number from 1 to %d. To which one?", maxSteps)
	case time.Duration(n)*every > maxTime:
		return 0, 0, fmt.Sprintf("That would take longer than %v. Please ask for fewer numbers, or for less time between them.", maxTime)
	}
	return n, every, ""
}

// duration returns that of "every second" and of "every 0.5 s".
func duration(match []string) time.Duration {
	unit := time.Second
	switch {
	case strings.HasPrefix(match[2], "ms"), strings.HasPrefix(match[2], "milli"):
		unit = time.Millisecond
	case strings.HasPrefix(match[2], "m"):
		unit = time.Minute
	}
	amount := 1.0
	if match[1] != "" {
		var err error
		if amount, err = strconv.ParseFloat(match[1], 64); err != nil || amount > 3600 {
			return 0
		}
	}
	return time.Duration(amount * float64(unit))
}
