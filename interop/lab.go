// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/dragoman-a2a/dragoman/a2a"
)

const (
	startLimit = 60 * time.Second  // until a program serves
	rowLimit   = 150 * time.Second // of all scenarios of a row
)

// A lab has what all rows share: the folder of the peers, our binary, and our servers, which run to the end.
type lab struct {
	settings *settings
	cache    string
	lock     *flock.Flock
	dragoman string // our binary

	currency, probe string // URLs of our servers
	host            string // URL of our host, before currency and expenses
	guarded         string // URL of our agent that takes tokens of a provider only
	gateways        map[a2a.Generation]endpoints
	flagships       map[string]addressBook // by what lies between; nil until a framework needs them
	stops           []func()
}

// endpoints are the URLs of two gateways.
type endpoints struct{ currency, probe string }

// openLab builds and starts what is ours.
func openLab(ctx context.Context, s *settings) (*lab, error) {
	cache, err := cacheFolder(s.cache)
	if err != nil {
		return nil, err
	}
	l := &lab{settings: s, cache: cache, lock: flock.New(filepath.Join(cache, "lock"))}
	if _, err := l.lock.TryLockContext(ctx, 100*time.Millisecond); err != nil { // another run may install the same
		return nil, fmt.Errorf("wait for the other run that uses %s: %w", cache, err)
	}
	if err := l.startOurs(ctx); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func cacheFolder(name string) (string, error) {
	if name == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("%w; name a folder with -cache", err)
		}
		name = filepath.Join(user, "dragoman-interop")
	}
	name, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return name, os.MkdirAll(name, 0o755)
}

func (l *lab) startOurs(ctx context.Context) error {
	l.dragoman = filepath.Join(l.cache, "dragoman")
	probe := filepath.Join(l.cache, "probe")
	if runtime.GOOS == "windows" {
		l.dragoman, probe = l.dragoman+".exe", probe+".exe"
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", l.dragoman, "./cmd/dragoman")
	build.Dir = ".."
	if err := errors.Join(quietly(build),
		quietly(exec.CommandContext(ctx, "go", "build", "-o", probe, "./probe"))); err != nil {
		return err
	}
	var err error
	serve := exec.CommandContext(ctx, l.dragoman, "serve", "--agent", "currency", "--card-grpc", "--addr",
		"127.0.0.1:0", "--data-dir", ":memory:")
	if l.currency, err = l.startServer(ctx, serve); err != nil {
		return err
	}
	if l.probe, err = l.startServer(ctx, exec.CommandContext(ctx, probe)); err != nil {
		return err
	}
	if l.host, err = l.startHost(ctx); err != nil {
		return err
	}
	if l.guarded, err = l.startGuarded(ctx); err != nil {
		return err
	}
	l.gateways = map[a2a.Generation]endpoints{}
	for _, p := range peers {
		if _, ready := l.gateways[p.upstream]; ready || p.upstream == "" {
			continue
		}
		if l.gateways[p.upstream], err = l.startGateways(ctx, probe, p.upstream); err != nil {
			return err
		}
	}
	return nil
}

// startHost starts our host before the agents that a request for money back in another currency needs.
func (l *lab) startHost(ctx context.Context) (string, error) {
	expenses, err := l.startServer(ctx, exec.CommandContext(ctx, l.dragoman, "serve", "--agent", "expenses", "--addr",
		"127.0.0.1:0", "--data-dir", ":memory:"))
	if err != nil {
		return "", err
	}
	return l.startServer(ctx, exec.CommandContext(ctx, l.dragoman, "host", "--serve", "127.0.0.1:0", "--card-grpc",
		"--data-dir", ":memory:", "-a", l.currency, "-a", expenses))
}

// startGateways starts both agents in one generation only, and a gateway before each.
func (l *lab) startGateways(ctx context.Context, probe string, only a2a.Generation) (endpoints, error) {
	var urls []string
	for _, agent := range []string{"currency", "probe"} {
		upstream, err := l.startServer(ctx, exec.CommandContext(ctx, probe, "-agent", agent, "-only", string(only)))
		if err != nil {
			return endpoints{}, err
		}
		url, err := l.startServer(ctx, exec.CommandContext(ctx, l.dragoman, "gateway", "--addr", "127.0.0.1:0", "-a",
			upstream))
		if err != nil {
			return endpoints{}, err
		}
		urls = append(urls, url)
	}
	return endpoints{currency: urls[0], probe: urls[1]}, nil
}

// close ends our servers.
func (l *lab) close() {
	for _, stop := range slices.Backward(l.stops) { // gateways before what is behind them
		stop()
	}
	if err := l.lock.Unlock(); err != nil {
		fmt.Fprintln(os.Stderr, "interop: unlock the cache:", err)
	}
}

// serving is the line by which our servers say that they are ready.
var serving = regexp.MustCompile(`^(?:serving|gateway to) .* at (http\S+)`)

// startServer starts one of our servers, which runs to the end, and returns its URL.
func (l *lab) startServer(ctx context.Context, cmd *exec.Cmd) (string, error) {
	url, stop, err := l.launch(ctx, cmd)
	if err == nil {
		l.stops = append(l.stops, stop)
	}
	return url, err
}

// launch starts one of our servers and returns its URL and what ends it.
func (l *lab) launch(ctx context.Context, cmd *exec.Cmd) (url string, stop func(), err error) {
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	ready := make(chan string, 1)
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if m := serving.FindStringSubmatch(lines.Text()); m != nil {
				select {
				case ready <- m[1]:
				default: // a server with several agents has a line for each
				}
			}
			l.show(cmd, lines.Text())
		}
	}()
	stop = func() {
		_ = cmd.Process.Kill() // it may have ended
		<-read
		_ = cmd.Wait()
	}
	select {
	case url := <-ready:
		return url, stop, nil
	case <-read:
		err = fmt.Errorf("%s ended before it served; run again with -v", filepath.Base(cmd.Path))
	case <-time.After(startLimit):
		err = fmt.Errorf("%s does not serve after %v; run again with -v", filepath.Base(cmd.Path), startLimit)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	stop()
	return "", nil, err
}

func (l *lab) show(cmd *exec.Cmd, line string) {
	if l.settings.verbose {
		fmt.Fprintf(os.Stderr, "[%s] %s\n",
			strings.Join(append([]string{filepath.Base(cmd.Path)}, cmd.Args[1:]...), " "), line)
	}
}

// An output shows what a program writes, line by line, if that is asked for.
type output struct {
	lab  *lab
	cmd  *exec.Cmd
	mu   sync.Mutex
	rest string
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rest += string(p)
	for {
		line, rest, whole := strings.Cut(o.rest, "\n")
		if !whole {
			return len(p), nil
		}
		o.lab.show(o.cmd, line)
		o.rest = rest
	}
}

// startAgent starts the agent of a peer and returns its URL and what ends it.
func (l *lab) startAgent(ctx context.Context, p *program) (url string, stop func(), err error) {
	ports, err := freePorts(2)
	if err != nil {
		return "", nil, err
	}
	cmd := p.command(ctx, p.agent, strconv.Itoa(ports[0]), strconv.Itoa(ports[1]))
	out := &output{lab: l, cmd: cmd}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	stop = func() {
		_ = cmd.Process.Kill() // it may have ended
		<-ended
	}
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(ports[0]))
	if err := awaitListener(ctx, addr, ended); err != nil {
		stop()
		return "", nil, err
	}
	return "http://" + addr, stop, nil
}

func awaitListener(ctx context.Context, addr string, ended chan error) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for {
		if conn, err := net.DialTimeout("tcp", addr, time.Second); err == nil {
			return conn.Close()
		}
		select {
		case err := <-ended:
			ended <- err
			return fmt.Errorf("the agent ended before it served (%w); run again with -v", err)
		case <-ctx.Done():
			return fmt.Errorf("the agent does not serve after %v; run again with -v", startLimit)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// freePorts returns ports of 127.0.0.1 that nobody listens on.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer ln.Close()
		ports = append(ports, ln.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// rows installs the peers that the flags ask for and returns their rows, and the peers that cannot run here.
func (l *lab) rows(ctx context.Context) (rows []*row, skipped []skip) {
	type installation struct {
		rows    []*row
		program *program
		err     error
	}
	var all []*installation
	var work sync.WaitGroup
	slots := make(chan struct{}, 3) // which wait for the network more than for the processor
	for _, p := range peers {
		i := &installation{rows: l.wanted(p)}
		if len(i.rows) == 0 {
			continue
		}
		all = append(all, i)
		work.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			i.program, i.err = install(ctx, l.cache, p)
		})
	}
	work.Wait()
	for _, i := range all {
		if i.err != nil {
			skipped = append(skipped, skip{i.rows[0].peer, i.err})
			continue
		}
		for _, r := range i.rows {
			r.program = i.program
		}
		rows = append(rows, i.rows...)
	}
	return rows, skipped
}

// wanted returns the rows of a peer that the flags ask for.
func (l *lab) wanted(p *peer) []*row {
	var rows []*row
	for _, d := range p.directions() {
		for _, t := range p.over(d) {
			if r := (&row{peer: p, direction: d, transport: t}); l.settings.rows.MatchString(r.String()) {
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// playAll plays the rows, two at a time, and up to twice more those in which something failed that nobody knows of.
func (l *lab) playAll(ctx context.Context, rows []*row, known []*fault) {
	var work sync.WaitGroup
	slots := make(chan struct{}, 2)
	for _, r := range rows {
		slots <- struct{}{}
		work.Go(func() {
			defer func() { <-slots }()
			begun := time.Now()
			r.results = l.play(ctx, r)
			for range 2 { // peers have races, too
				failure := unexplained(r, known)
				if failure == "" || ctx.Err() != nil {
					break
				}
				r.firstTry, r.results = cmp.Or(r.firstTry, failure), l.play(ctx, r)
			}
			fmt.Fprintf(os.Stderr, "%s: %d scenarios in %v\n", r, len(r.results),
				time.Since(begun).Round(100*time.Millisecond))
		})
	}
	work.Wait()
}

// play plays the scenarios of one row.
func (l *lab) play(ctx context.Context, r *row) map[string]result {
	ctx, cancel := context.WithTimeoutCause(ctx, rowLimit, fmt.Errorf("the row takes longer than %v", rowLimit))
	defer cancel()
	switch r.direction {
	case fromPeer:
		return l.playClient(ctx, r, l.currency, l.probe)
	case toCoordinator:
		return l.playCoordinator(ctx, r)
	case toBridge:
		return l.playBridge(ctx, r)
	case asClient:
		return l.playFrameworkClient(ctx, r)
	case asAgent:
		return l.playFrameworkAgent(ctx, r)
	case throughGateway:
		at := l.gateways[r.peer.upstream]
		return l.playClient(ctx, r, at.currency, at.probe)
	}
	url, stop, err := l.startAgent(ctx, r.program)
	if err != nil {
		return map[string]result{scenarios[0]: {Detail: err.Error()}}
	}
	defer stop()
	o := &ours{url: url, transport: r.transport, generation: r.peer.generation, dragoman: l.dragoman}
	return o.play(ctx)
}

// generationsFor returns those that our client may speak to a peer. 0.2 and 0.3 are one on the wire.
func generationsFor(g a2a.Generation) []a2a.Generation {
	if g == a2a.Generation02 || g == a2a.Generation03 {
		return []a2a.Generation{a2a.Generation03, a2a.Generation02}
	}
	return []a2a.Generation{g}
}
