// SPDX-License-Identifier: Apache-2.0

package cmdline

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// ListenOptions are the flags of commands that listen.
type ListenOptions struct {
	Addr      string
	Data      string
	URL       string
	Cert, Key string
	TLS       *tls.Config // of the two, see check
	SignKeys  []string
	Drain     time.Duration
	LogLevel  string
	LogFormat string
}

// TLSFlags adds the flags for the certificate of a server.
func (o *ListenOptions) TLSFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.Cert, "tls-cert", "", "PEM file with the certificate for HTTPS")
	flags.StringVar(&o.Key, "tls-key", "", "PEM file with the key of the certificate")
}

// FlagMetrics names the flag with the address of the metrics. The start of the program reads it, for all commands.
const FlagMetrics = "metrics"

// LogFlags adds the flags for the log, with a default level, and for the metrics.
func (o *ListenOptions) LogFlags(flags *pflag.FlagSet, level string) {
	flags.String(FlagMetrics, "", "address of a port that serves metrics to Prometheus, at /metrics (default: none)")
	flags.StringVar(&o.LogLevel, "log-level", level, "debug, info, warn or error")
	flags.StringVar(&o.LogFormat, "log-format", "text", "text or json")
}

// Logger returns the log of a server, on the error stream.
func (o *ListenOptions) Logger(t *terminal.Terminal) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(o.LogLevel)); err != nil {
		return nil, Usagef("--log-level is %q; use debug, info, warn or error", o.LogLevel)
	}
	options := &slog.HandlerOptions{Level: level}
	switch o.LogFormat {
	case "text":
		return slog.New(slog.NewTextHandler(t.Err, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(t.Err, options)), nil
	}
	return nil, Usagef("--log-format is %q; use text or json", o.LogFormat)
}

// Check refuses values that no server takes, and reads the certificate.
func (o *ListenOptions) Check() error {
	if (o.Cert == "") != (o.Key == "") {
		return Usagef("--tls-cert and --tls-key go together")
	}
	if o.Drain <= 0 {
		return Usagef("--drain is %v; it must be above 0", o.Drain)
	}
	if err := CheckAddress("addr", o.Addr); err != nil {
		return err
	}
	if err := o.checkURL(); err != nil {
		return err
	}
	if o.Cert == "" {
		return nil
	}
	cert, err := tls.LoadX509KeyPair(o.Cert, o.Key)
	if err != nil {
		return Usagef("--tls-cert and --tls-key: %v", err).WithHint("pass both PEM files: the certificate and its key")
	}
	o.TLS = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
	return nil
}

// CheckAddress refuses what is no address to listen on.
func CheckAddress(flag, addr string) error {
	const hint = "give host and port, such as 127.0.0.1:8080"
	_, port, err := net.SplitHostPort(addr)
	if e, ok := errors.AsType[*net.AddrError](err); ok {
		return Usagef("--%s is %q: %s", flag, addr, e.Err).WithHint(hint)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return Usagef("--%s is %q, which has no port between 0 and 65535", flag, addr).WithHint(hint)
	}
	return nil
}

// checkURL checks the URL under which clients reach the server.
func (o *ListenOptions) checkURL() error {
	if u, err := url.Parse(o.URL); o.URL != "" &&
		(err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" ||
			u.Fragment != "") {
		return Usagef("--url is %q; it must be an http or https URL without a query",
			o.URL).WithHint("for example --url https://agent.example.com")
	}
	return nil
}

// ReachedAt returns that URL, where it is not another one than the address.
func (o *ListenOptions) ReachedAt(ln net.Listener) string {
	return cmp.Or(o.URL, "http://"+ln.Addr().String())
}

// ListenChecked takes the address of a command whose other options of serving have their defaults.
func (o *ListenOptions) ListenChecked(ctx context.Context) (net.Listener, error) {
	if err := cmp.Or(CheckAddress("addr", o.Addr), o.checkURL()); err != nil {
		return nil, err
	}
	return o.Listen(ctx)
}

// Listen takes the address, before anything else is opened.
func (o *ListenOptions) Listen(ctx context.Context) (net.Listener, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", o.Addr)
	return ln, o.Explain(err)
}

// Explain tells what to do about an error of listening or serving.
func (o *ListenOptions) Explain(err error) error {
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return Usagef("--addr is %q: this machine has no address %q", o.Addr,
			e.Name).WithHint("give host and port, such as 127.0.0.1:8080")
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "listen" {
		f := &Failure{Exit: ExitFailure, Code: CodeInternal,
			Message: fmt.Sprintf("cannot listen on %s: %s", e.Addr, LastCause(e)),
			Hint:    "choose another address with --addr"}
		if errors.Is(err, syscall.EADDRINUSE) {
			f.Message = fmt.Sprintf("another program listens on %s already", e.Addr)
			f.Hint = "stop it, or choose another address with --addr; port 0 takes a free one"
		}
		return f
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("released the turns that did not end within %v; resumable agents continue them at the next "+
			"start", o.Drain)
	}
	return err
}

// At returns the URL of the server for people on this machine.
func (o *ListenOptions) At(addr net.Addr) string {
	scheme, host := "http", addr.String()
	if o.TLS != nil {
		scheme = "https"
	}
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = net.JoinHostPort("localhost", Itoa(tcp.Port))
	}
	return scheme + "://" + host
}

// IsLoopback reports whether a server can be reached from this machine only.
func IsLoopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
