// SPDX-License-Identifier: Apache-2.0

package coordcmd

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/apps/coord/a2abridge"
	"github.com/dragoman-a2a/dragoman/apps/coord/daemon"
	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/gctune"
	"github.com/dragoman-a2a/dragoman/internal/httpserver"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/store"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

type coordServeOptions struct {
	cmdline.ListenOptions
	callers        cmdline.CallerOptions
	extended       bool
	sessionTimeout time.Duration
	retain         time.Duration
	agents         []string
}

const coordServeLong = `serve runs the coordinator. It serves the MCP endpoint for coding agents at /mcp, a web page at /,
an event stream, and each session as an A2A agent at /a2a/PROJECT/SESSION. It keeps agents,
leases, messages and to-do lists in a data folder. When it is ready, it prints two lines to
standard error: data of coordinator: FOLDER, and serving coordinator at URL.

Everyone who reaches the address may take part in a project that has no token. To create tokens,
run dragoman coord token create. With --token or --access, every caller needs credentials: the token
of a project, or those of the option. Rules of --access name the operations ObserveProject,
JoinProject and ManageProject, and projects as agents. If there is no token, or a project without
one, a coordinator beyond this machine requires one of these options or --open.

On SIGTERM or Ctrl-C, the coordinator ends waiting calls with an error and stops.`

const coordServeExample = `  dragoman coord serve
  dragoman coord serve --addr 127.0.0.1:0 --data-dir :memory:
  dragoman coord serve --addr :8096 --tls-cert cert.pem --tls-key key.pem`

func (c *commands) serveCommand() *cobra.Command {
	var o coordServeOptions
	cmd := &cobra.Command{
		Use:     "serve",
		Short:   "Serve the coordinator",
		Long:    coordServeLong,
		Example: coordServeExample,
		Args:    cmdline.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.serve(cmd.Context(), &o) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&o.Addr, "addr", defaultCoord, "address to listen on; port 0 picks a free port")
	c.DataDirFlag(flags, &o.Data)
	o.callers = cmdline.CallerOptions{MayDo: "take part in projects that have no token",
		Instead: "make tokens with dragoman coord token create, "}
	o.callers.Add(flags)
	o.callers.AnyHostFlag(flags)
	flags.BoolVar(&o.extended, "extended", false, "also offer models the tools and arguments that A2AMCP does not have")
	flags.StringArrayVar(&o.agents, "a2a-agent", nil,
		"A2A agent that sessions can ask as a2a:ALIAS, given as ALIAS=URL; repeatable")
	flags.DurationVar(&o.sessionTimeout, "session-timeout", coord.DefaultSessionTimeout,
		"a session is stale, and its leases are released, this long after its last heartbeat; at least 3s")
	flags.DurationVar(&o.retain, "retain", coord.DefaultEventRetention, "retention of past events; 0 keeps all events")
	o.TLSFlags(flags)
	flags.DurationVar(&o.Drain, "drain", 5*time.Second,
		"time that open requests get to finish when the coordinator stops")
	o.LogFlags(flags, "warn")
	flags.SetNormalizeFunc(cmdline.Aliases(map[string]string{"alive": "session-timeout"})) // its name before
	return cmd
}

func (c *commands) serve(ctx context.Context, o *coordServeOptions) (err error) {
	logger, err := o.Logger(c.Terminal)
	if err != nil {
		return err
	}
	if err := o.Check(); err != nil {
		return err
	}
	if o.sessionTimeout < minSessionTimeout {
		return cmdline.Usagef("--session-timeout is %v; the minimum is %v, because an agent needs up to %v to "+
			"reconnect",
			o.sessionTimeout, minSessionTimeout, redialLater)
	}
	if o.retain < 0 {
		return cmdline.Usagef("--retain is %v; it must be 0, which keeps all events, or more", o.retain)
	}
	ln, err := o.Listen(ctx)
	if err != nil {
		return c.besideCoord(ctx, o, err)
	}
	defer ln.Close() // the server does that too
	kept, err := c.openData(ctx, o.Data, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.close()) }()
	callers, err := c.callers(ctx, o, kept.tables, ln.Addr())
	if err != nil {
		return err
	}
	local := o.callers.Local(ln.Addr())
	gctune.Tune(logger)
	agents, err := o.asked()
	if err != nil {
		return err
	}
	tasks, err := sql.New(ctx, kept.db, nil) // beside what the queries of tasks come to
	if err != nil {
		return err
	}
	hub := coord.NewHub(&coord.HubOptions{Store: kept.tables, SessionTimeout: o.sessionTimeout,
		EventRetention: cmp.Or(o.retain, -1), Logger: logger})
	var d *daemon.Daemon
	bridge, err := a2abridge.New(a2abridge.Options{
		Hub: hub, Journal: tasks, Agents: agents, Version: cmdline.Version(), Logger: logger,
		Authorize: func(ctx context.Context, header http.Header, project string, reads bool) (string, error) {
			return d.Authorize(coordmcp.Describe(ctx, slog.String("request", "A2A")), header, project, reads)
		},
		Look: func(ctx context.Context, header http.Header, project string) (string, error) {
			return d.Look(ctx, header, project)
		},
	})
	if err != nil {
		return errors.Join(err, hub.Close())
	}
	d = daemon.New(daemon.Options{
		Hub: hub, Tokens: kept.tables, Authenticator: callers.Authenticator, Policy: callers.Policy,
		Closed: callers.Authenticator != nil || !local && !o.callers.Open, OwnerKey: kept.key,
		Deleted: bridge.DeleteProject, Logger: logger,
		MCP: coordmcp.Options{Extended: o.extended, Ask: bridge.Ask, Version: cmdline.Version(), Logger: logger},
	})
	d.Handle(a2abridge.Prefix, bridge)
	end := sync.OnceValue(func() error { return errors.Join(bridge.Close(), hub.Close()) })
	defer end() // which has said what was wrong, or something else was before
	var handler http.Handler = d
	if local {
		handler = cmdline.LocalOnly("coordinator", d)
	}
	at := o.At(ln.Addr())
	fmt.Fprintf(c.Err, "data of coordinator: %s\nserving coordinator at %s\n", terminal.Inline(kept.place), at)
	return o.Explain(serveCoord(ctx, ln, o, handler, logger, end))
}

// besideCoord is the error of an address that cannot be listened at, which may be that of a coordinator already.
func (c *commands) besideCoord(ctx context.Context, o *coordServeOptions, err error) error {
	at := &coordOptions{url: "http://" + o.Addr}
	if at.check() != nil {
		return err
	}
	if version, _, health := c.healthOf(ctx, at); health == nil {
		return (&cmdline.Failure{Exit: cmdline.ExitFailure, Code: cmdline.CodeOther + "RUNS",
			Message: fmt.Sprintf("a coordinator already serves at %s: version %s", at.url, version)}).
			WithHint("use it or stop it; a second coordinator needs its own --addr and --data-dir")
	}
	return err
}

func (o *coordServeOptions) asked() (map[string]string, error) {
	agents := make(map[string]string)
	for _, text := range o.agents {
		alias, ref, found := strings.Cut(text, "=")
		if !found || alias == "" || ref == "" {
			return nil, cmdline.Usagef("--a2a-agent is %q, which has no alias and URL",
				text).WithHint("for example --a2a-agent rates=http://127.0.0.1:8080")
		}
		agents[alias] = ref
	}
	return agents, nil
}

// calls counts the requests that change something or wait: these get an answer before the coordinator ends.
type calls struct {
	next  http.Handler
	under sync.RWMutex // read-locked by each
}

func (c *calls) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		c.under.RLock()
		defer c.under.RUnlock()
	}
	c.next.ServeHTTP(w, r)
}

// ended is closed when no call is under way. Those that come meanwhile wait for that.
func (c *calls) ended() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		c.under.Lock()
		defer c.under.Unlock()
		close(done)
	}()
	return done
}

// lastBytes is how long the ends of answers may take to be written.
const lastBytes = 200 * time.Millisecond

// serveCoord serves until ctx ends. Requests have no time limit as a whole, as calls wait and streams stay.
func serveCoord(ctx context.Context, ln net.Listener, o *coordServeOptions, h http.Handler, logger *slog.Logger,
	end func() error) error {
	under := &calls{next: h}
	srv := &http.Server{
		Handler: under, TLSConfig: o.TLS, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
		BaseContext:    func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
		ErrorLog:       httpserver.ErrorLog(logger),
	}
	failed := make(chan error, 1)
	go func() {
		if o.TLS != nil {
			failed <- srv.ServeTLS(ln, "", "")
		} else {
			failed <- srv.Serve(ln)
		}
	}()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	err := errors.Join(ln.Close(), end())
	select {
	case <-under.ended():
	case <-time.After(o.Drain):
	}
	flush, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastBytes)
	defer cancel()
	if srv.Shutdown(flush) != nil { // streams are left, whose readers come back to the next one
		_ = srv.Close()
	}
	<-failed
	return err
}

// callers returns the callers that the flags name. Beyond this machine they are needed unless each project has a token.
func (c *commands) callers(ctx context.Context, o *coordServeOptions, tables *coord.Tables,
	addr net.Addr) (cmdline.Callers, error) {
	bare, err := hasBare(ctx, tables)
	if err != nil {
		return cmdline.Callers{}, fmt.Errorf("look for tokens: %w", err)
	}
	var addrs []net.Addr
	if bare {
		addrs = append(addrs, addr)
	}
	callers, err := o.callers.Read(c.Terminal, &o.ListenOptions, addrs...)
	if err != nil {
		return callers, err
	}
	if err := daemon.CheckCallers(callers.Authenticator); err != nil {
		return callers, cmdline.Usagef("--access %s: %v", o.callers.File, err)
	}
	o.callers.WarnPlain(c.Terminal, &o.ListenOptions, addr)
	return callers, nil
}

// hasBare reports whether there is no token, or a project without one.
func hasBare(ctx context.Context, tables *coord.Tables) (bool, error) {
	grants, err := tables.Tokens(ctx)
	if err != nil || len(grants) == 0 {
		return true, err
	}
	projects, err := tables.Projects(ctx)
	for _, name := range projects {
		needs, err := tables.NeedsToken(ctx, name)
		if err != nil || !needs {
			return true, err
		}
	}
	return false, err
}

type coordData struct {
	db     *store.DB
	tables *coord.Tables
	place  string // for people
	key    string // of the owner
	undo   []func() error
}

func (d *coordData) close() error {
	var err error
	for _, undo := range slices.Backward(d.undo) {
		err = errors.Join(err, undo())
	}
	return err
}

// ownerKeyFile is the file in a data folder that says who runs the coordinator: whoever can read it.
const ownerKeyFile = "owner.key"

func (c *commands) dataFolder(data string) (string, error) {
	folder, err := c.DataFolder(data, cmdline.FolderCoord)
	if err != nil || folder == cmdline.InMemory {
		return folder, err
	}
	// a coordinator that is started in the background runs in another folder
	if folder, err = filepath.Abs(folder); err != nil {
		return "", fmt.Errorf("find --%s: %w", cmdline.FlagDataDir, err)
	}
	return folder, nil
}

func explainCoordFolder(folder string, err error) error {
	f := cmdline.ExplainFolder(folder, err)
	if _, locked := errors.AsType[*sqlite.LockedError](err); locked {
		f.Hint = "use the coordinator that has it, at its address; or give the second one another folder: --data-dir " +
			"FOLDER, or --data-dir " + cmdline.InMemory
	}
	return f
}

func (c *commands) openData(ctx context.Context, data string, logger *slog.Logger) (_ *coordData, err error) {
	d := &coordData{place: data, key: rand.Text()}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.close())
		}
	}()
	folder, err := c.dataFolder(data)
	if err != nil {
		return nil, err
	}
	d.place = folder
	if data == cmdline.InMemory {
		if folder, err = os.MkdirTemp("", "dragoman-coord-"); err != nil {
			return nil, fmt.Errorf("create a temporary folder for the coordinator: %w", err)
		}
		d.place = "kept until the coordinator ends"
		d.undo = append(d.undo, func() error { return os.RemoveAll(folder) })
	}
	if d.db, err = sqlite.Open(ctx, folder, sqlite.Options{Program: c.Name, Logger: logger}); err != nil {
		return nil, explainCoordFolder(folder, err)
	}
	d.undo = append(d.undo, d.db.Close)
	if d.tables, err = coord.OpenTables(ctx, d.db); err != nil {
		return nil, err
	}
	file := filepath.Join(folder, ownerKeyFile)
	if err = os.WriteFile(file, []byte(d.key+"\n"), 0o600); err != nil {
		return nil, fmt.Errorf("write the key of the owner: %w", err)
	}
	d.undo = append(d.undo, func() error {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
	return d, nil
}

// Limits are those of a coordinator, for config show.
func Limits() []cmdline.Limit {
	const of = "coordinator"
	limits := []cmdline.Limit{
		{Name: "session timeout", Value: terminal.FormatDuration(coord.DefaultSessionTimeout), Of: of},
		{Name: "retention of stale sessions", Value: terminal.FormatDuration(coord.DefaultSessionRetention), Of: of},
		{Name: "longest wait of a tool", Value: terminal.FormatDuration(coord.MaxWait), Of: of},
	}
	for _, l := range coord.Limits() {
		value := cmdline.Itoa(l.Value)
		if l.Bytes {
			value = terminal.FormatBytes(int64(l.Value))
		}
		limits = append(limits, cmdline.Limit{Name: l.Name, Value: value, Of: of})
	}
	return limits
}
