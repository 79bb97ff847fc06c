// SPDX-License-Identifier: Apache-2.0

package dice

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
)

// New returns the agent.
func New() agent.Agent { return agent.Func(run) }

func run(ctx context.Context, t *agent.Turn) error {
	d, ok := Find(t.Text())
	if !ok {
		return agent.Reject(a2a.TextPart("I roll 1 to 100 dice of 2 to 1000 sides, such as 2d6."))
	}
	rolled, sum := make([]string, d.Count), 0
	for i := range rolled {
		n := d.Roll()
		sum += n
		rolled[i] = strconv.Itoa(n)
	}
	return t.Artifact("roll", a2a.TextPart(fmt.Sprintf("%s: %s = %d", d, strings.Join(rolled, " + "), sum)))
}

// Dice is how many dice to roll, and of what kind.
type Dice struct{ Count, Sides int }

var notation = regexp.MustCompile(`(?i)\b(\d{0,3})d(\d{1,4})\b`)

// Find finds dice in a text, such as 2d6 or d20.
func Find(text string) (d Dice, ok bool) {
	m := notation.FindStringSubmatch(text)
	if m == nil {
		return Dice{}, false
	}
	d.Count = 1
	if m[1] != "" {
		d.Count, _ = strconv.Atoi(m[1])
	}
	d.Sides, _ = strconv.Atoi(m[2])
	return d, d.Count >= 1 && d.Count <= 100 && d.Sides >= 2 && d.Sides <= 1000
}

// Roll rolls one of the dice.
func (d Dice) Roll() int { return 1 + rand.IntN(d.Sides) }

// String returns the dice as Find understands them.
func (d Dice) String() string { return fmt.Sprintf("%dd%d", d.Count, d.Sides) }
