// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Validate reports mistakes in a commit's making: numbers, key and first event that do not fit together. Journals call
// it first, so that such a mistake cannot become a task that does not fold.
func (c *Commit) Validate() error {
	if c.Head == nil {
		return fmt.Errorf("journal: the commit to task %s has no head", c.Key.ID)
	}
	if c.Head.Key != c.Key {
		return fmt.Errorf("journal: the commit to task %s has the head of task %s", c.Key.ID, c.Head.Key.ID)
	}
	if state := c.Head.Status.State; state < 0 || state > a2a.TaskStateAuthRequired {
		return fmt.Errorf("journal: task %s cannot have the state %d", c.Key.ID, state)
	}
	for i := range c.Events {
		if want := c.Expect + uint64(i) + 1; c.Events[i].Seq != want {
			return fmt.Errorf("journal: event %d of task %s has the number %d", want, c.Key.ID, c.Events[i].Seq)
		}
	}
	if want := c.Expect + uint64(len(c.Events)); c.Head.Seq != want {
		return fmt.Errorf("journal: the head of task %s says %d events, the commit makes them %d", c.Key.ID, c.Head.Seq,
			want)
	}
	if c.Create == nil {
		return nil
	}
	if c.Expect != 0 || len(c.Events) == 0 {
		return fmt.Errorf("journal: the first commit of task %s must have its first event", c.Key.ID)
	}
	if _, ok := c.Events[0].Wire.Event.(*a2a.Task); !ok {
		return fmt.Errorf("journal: the first event of task %s must carry the task", c.Key.ID)
	}
	return nil
}
