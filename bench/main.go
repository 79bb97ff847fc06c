// SPDX-License-Identifier: Apache-2.0

// Command bench measures Dragoman against a bare net/http handler and against other implementations of the protocol,
// and prints a table of ratios. It runs every server in a process of its own, on loopback, and takes the servers in
// turn, so that what else the machine does falls on all of them alike.
//
//	go run . -run send -seconds 3
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"time"
)

// settings are what the flags say.
type settings struct {
	rows    *regexp.Regexp
	slice   time.Duration // of one measurement of a rate
	rounds  int
	peers   bool
	profile string // folder for CPU profiles of our servers; empty for none
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == serveArg {
		exit(serve(os.Args[2]))
	}
	pattern := flag.String("run", "", "regular expression of the rows to measure, such as 'send|get' (default all)")
	seconds := flag.Float64("seconds", 1.5, "seconds of one measurement of a rate; each is taken once a round")
	rounds := flag.Int("rounds", 3, "rounds in which the servers are measured in turn; the table has medians")
	peers := flag.Bool("peers", true, "measure the other implementations too")
	asJSON := flag.Bool("json", false, "print the rows as JSON")
	profile := flag.String("profile", "", "folder for CPU profiles of Dragoman's servers, taken while rates are "+
		"measured")
	flag.Parse()
	rows, err := regexp.Compile(*pattern)
	if err != nil || *seconds <= 0 || *seconds > 60 || *rounds < 1 || *rounds > 20 {
		fmt.Fprintln(os.Stderr, "bench: -run takes a regular expression, -seconds 0 to 60, -rounds 1 to 20")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	// One thread for all the load: what the generator takes is missing to the server it measures.
	runtime.GOMAXPROCS(1)
	s := &settings{
		rows: rows, slice: time.Duration(*seconds * float64(time.Second)), rounds: *rounds, peers: *peers,
		profile: *profile,
	}
	exit(run(ctx, s, *asJSON))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// run measures everything that the settings ask for. A mark that is missed is no error: the table says so.
func run(ctx context.Context, s *settings, asJSON bool) error {
	began := time.Now()
	f, err := newFleet(ctx, s.peers)
	if err != nil {
		return err
	}
	defer f.stop()
	var rows []row
	for _, c := range cases {
		if !s.rows.MatchString(c.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%5.0f s  %s\n", time.Since(began).Seconds(), c.name)
		found, err := c.measure(ctx, s, f)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		rows = append(rows, found...)
	}
	for i := range rows {
		rows[i].judge()
	}
	if asJSON {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(rows)
	}
	printTable(os.Stdout, rows, f.skipped)
	return nil
}

// cases are the groups of rows, in the order of the table.
var cases = []struct {
	name    string
	measure func(context.Context, *settings, *fleet) ([]row, error)
}{
	{"send", measureSend},
	{"get", measureGet},
	{"chunks", measureChunks},
	{"first", measureFirst},
	{"streams", measureStreams},
	{"dialects", measureDialects},
	{"gateway", measureGateway},
	{"coordination", measureCoord},
	{"jwt", measureJWT},
	{"abuse", measureAbuse},
	{"push", measurePush},
}
