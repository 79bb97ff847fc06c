// SPDX-License-Identifier: Apache-2.0

// Command interop talks to other implementations of the protocol, of all its generations, in both directions: their
// clients to Dragoman's server, Dragoman's client to agents that are written with them, over each transport they have.
// Frameworks for agents are tried in the same way, with Dragoman's sample agents. Clients of MCP call Dragoman's
// coordinator, and agents through its bridge. It prints a matrix and ends with status 1 if a
// cell is red that known.json does not explain.
//
//	go run . -run 'Python.*HTTP'
//	go run . -run 'coordinator|bridge'
//	go run . -run 'google-adk.*as agent'
//	go run . -write
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"syscall"
	"time"
)

// limit is how long a run may take. A run takes 6 minutes with the peers in the cache on two cores. A first run
// installs them, which takes up to 12 minutes more on two busy cores.
const limit = 35 * time.Minute

// settings are what the flags say.
type settings struct {
	rows    *regexp.Regexp
	all     bool   // no row is left out by the flags
	cache   string // folder for the peers
	write   bool
	verbose bool
	strict  bool // a peer that is missing is a failure
}

func main() {
	pattern := flag.String("run", "", "regular expression of the rows to run, such as 'Python 1.*GRPC' (default all)")
	cache := flag.String("cache", "", "folder for the peers (default: dragoman-interop in the user's cache folder)")
	write := flag.Bool("write", false, "write docs/interop.md")
	verbose := flag.Bool("v", false, "show what the programs write to their error streams")
	flag.Parse()
	rows, err := regexp.Compile(*pattern)
	if err != nil || flag.NArg() > 0 || *write && *pattern != "" {
		fmt.Fprintln(os.Stderr, "interop: -run takes a regular expression, -write is without it, and there are no "+
			"arguments; see -help")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the run takes longer than %v", limit))
	defer cancel()
	s := &settings{
		rows: rows, all: *pattern == "", cache: *cache, write: *write, verbose: *verbose,
		strict: os.Getenv("CI") == "true",
	}
	if err := run(ctx, s); err != nil {
		fmt.Fprintln(os.Stderr, "interop:", err)
		stop()
		os.Exit(1)
	}
}

// run installs what is needed, plays every row, and prints and judges the result.
func run(ctx context.Context, s *settings) error {
	begun := time.Now()
	known, err := readKnown()
	if err != nil {
		return err
	}
	lab, err := openLab(ctx, s)
	if err != nil {
		return err
	}
	defer lab.close()
	rows, skipped := lab.rows(ctx)
	if slices.ContainsFunc(rows, func(r *row) bool { return r.direction == asClient }) {
		if err := lab.startFlagships(ctx); err != nil {
			return err
		}
	}
	lab.playAll(ctx, rows, known)
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted: %w", context.Cause(ctx))
	}
	m := judge(rows, known, s.all && len(skipped) == 0)
	fmt.Print(m.text())
	fmt.Printf("%d cells in %s: %s\n", m.cells(), time.Since(begun).Round(time.Second), m.summary())
	if s.write {
		if err := m.writeDocument(); err != nil {
			return err
		}
	}
	return errors.Join(m.verdict(), missing(skipped, s.strict))
}

// missing says loudly which peers were left out, and whether that is a failure: on a machine of CI it is, unless there
// is no network.
func missing(skipped []skip, strict bool) error {
	var failures []error
	for _, k := range skipped {
		fmt.Printf("SKIPPED %s: %v\n", k.peer.title(), k.err)
		var unreachable *unreachableError
		if strict && !errors.As(k.err, &unreachable) {
			failures = append(failures, fmt.Errorf("%s was left out: %w", k.peer.title(), k.err))
		}
	}
	return errors.Join(failures...)
}
