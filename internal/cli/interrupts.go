// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// interrupts are the signals that ask the program to end. The first one ends the command, and the next one the process
// at once; but a command may take those of Ctrl-C for something else, as chat does to cancel a task.
type interrupts struct {
	signals chan os.Signal
	end     func()

	mu      sync.Mutex
	instead func() // what Ctrl-C does; nil: it ends the command
	last    func() // what is done before the process ends at once; nil for nothing
}

// newInterrupts begins to watch. A process that was started to ignore SIGINT, as shell scripts start those in the
// background, goes on ignoring it: Ctrl-C is for the script, which then ends what it has started.
func newInterrupts(end func()) *interrupts {
	i := &interrupts{signals: make(chan os.Signal, 1), end: end}
	watched := []os.Signal{syscall.SIGTERM}
	if !signal.Ignored(os.Interrupt) {
		watched = append(watched, os.Interrupt)
	}
	signal.Notify(i.signals, watched...)
	go i.watch()
	return i
}

func (i *interrupts) watch() {
	for s := range i.signals {
		if instead, _ := i.handlers(); instead != nil && s == os.Interrupt {
			instead()
			continue
		}
		i.end()
		break
	}
	s := <-i.signals
	if _, last := i.handlers(); last != nil {
		last()
	}
	signal.Stop(i.signals) // from here on the signal ends the process
	self, err := os.FindProcess(os.Getpid())
	if err != nil || self.Signal(s) != nil { // there are systems on which no process can send that
		os.Exit(cmdline.ExitInterrupted)
	}
}

func (i *interrupts) handlers() (instead, last func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.instead, i.last
}

// take lets Ctrl-C call f, which must return soon; nil gives it back.
func (i *interrupts) take(f func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.instead = f
}

// before has f called before the second signal ends the process; f must return soon.
func (i *interrupts) before(f func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.last = f
}
