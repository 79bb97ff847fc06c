// SPDX-License-Identifier: Apache-2.0

// Package cli is the command line of dragoman: it starts a run, joins the commands of all packages, completes their
// options from variables and files, and ends the run with an exit code. The program keeps nothing between runs but what
// was typed in conversations: it prints the ids that the next run needs.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/dragoman-a2a/dragoman/apps/recorder/recordercmd"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// A Run is one invocation of the program.
type Run struct {
	Program   string   // how the user called it, for the commands that it prints
	Args      []string // without the program's name
	Stdin     io.Reader
	Stdout    io.Writer
	Stderr    io.Writer
	LookupEnv func(string) (string, bool)
	Dir       string // where a .env file is looked for, and above; "" for nowhere

	// lets Ctrl-C call a function instead of ending the command; nil where there is no Ctrl-C
	onInterrupt func(func())
	// has a function called before a second signal ends the process; nil where there are no signals
	beforeEnd func(func())
	person    terminal.Prompter // stands for a person at a terminal, in tests; nil: see the streams
	width     int               // of that terminal in columns; 0: see the streams
}

// Main runs the program for the process it is, and returns its exit code. The first SIGINT or SIGTERM asks the command
// to end, the second one ends the process at once.
func Main() int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	dir, _ := os.Getwd() // without one there is no file beside it either
	signals := newInterrupts(cancel)
	r := Run{
		Program: os.Args[0], Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		LookupEnv: os.LookupEnv, Dir: dir, onInterrupt: signals.take, beforeEnd: signals.before,
	}
	return r.Do(ctx)
}

// Do runs the command that the arguments name and returns its exit code. When ctx ends the command ends: a server
// drains, all others say how to go on.
func (r *Run) Do(ctx context.Context) int {
	c := newCommandOf(r)
	root := c.root()
	root.SetArgs(r.Args)
	err := root.ExecuteContext(ctx)
	c.End()
	if err == nil && c.Out.Err != nil {
		err = fmt.Errorf("write the output: %w", c.Out.Err)
	}
	return c.end(ctx, err)
}

// newCommandOf returns what the commands of a run share.
func newCommandOf(r *Run) *command {
	c := &command{process: r, Caller: connect.NewCaller(&cmdline.Run{
		Terminal: terminal.New(r.Stdin, r.Stdout, r.Stderr),
		Program:  r.Program, Dir: r.Dir, Stdin: r.Stdin, Stdout: r.Stdout, LookupEnv: r.LookupEnv,
		Origin: make(map[string]string), OnInterrupt: r.onInterrupt, BeforeEnd: r.beforeEnd,
	})}
	c.Stands(r.person, r.width)
	return c
}

// command is what the commands of one run share.
type command struct {
	*connect.Caller
	process *Run // that the program is
	output  string
	files   []envFile                   // with variables, the one that counts first at the front
	wrong   map[string]*cmdline.Failure // what is wrong with options, by name, for the command that shows that
	started bool                        // the command line was understood
}

// end shows an error and returns the exit code.
func (c *command) end(ctx context.Context, err error) int {
	if err == nil {
		return cmdline.ExitOK
	}
	if _, known := errors.AsType[*cmdline.Failure](err); !known && !c.started {
		err = cmdline.Usagef("%s", err).WithHint("see " + c.Program + " help")
	}
	if errors.Is(err, recordercmd.ErrDiffers) {
		return cmdline.ExitFailure
	}
	_, own := errors.AsType[*cmdline.Failure](err)
	if ctx.Err() != nil && !own || errors.Is(err, cmdline.ErrLeft) {
		return cmdline.ExitInterrupted
	}
	f := c.Failure(err)
	if f.Exit == cmdline.ExitUsage {
		f.Message = c.nameSource(f.Message)
	}
	f.Write(c.Err, c.wantsJSON(), 0) // commands in hints stay whole, to be copied
	return f.Exit
}

// nameSource lets a message that begins with an option name what its value comes from, if that is no flag.
func (c *command) nameSource(message string) string {
	rest, isFlag := strings.CutPrefix(message, "--")
	name, rest, _ := strings.Cut(rest, " ")
	name, colon := strings.CutSuffix(name, ":")
	source := c.Origin[name]
	if !isFlag || source == "" || source == cmdline.SourceFlag {
		return message
	}
	if colon {
		source += ":"
	}
	return source + " " + rest
}

// wantsJSON reports whether errors are to be JSON, also when the command line could not be understood.
func (c *command) wantsJSON() bool {
	if c.started {
		return c.output == outputJSON
	}
	for i, arg := range c.process.Args {
		switch {
		case arg == "--":
			return false
		case arg == "-o" || arg == "--output":
			return i+1 < len(c.process.Args) && c.process.Args[i+1] == outputJSON
		case arg == "-o="+outputJSON || arg == "-o"+outputJSON || arg == "--output="+outputJSON:
			return true
		}
	}
	c.files, _ = c.findFiles() // what is wrong with them is not what went wrong first
	value, _ := c.setting("output")
	return value == outputJSON
}
