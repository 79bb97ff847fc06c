// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/auth/ratelimit"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/telemetry/export"
)

// envMetricsToken has the token that readers of the metrics must send.
const envMetricsToken = "DRAGOMAN_METRICS_TOKEN"

// startTelemetry has the command send what it does to where OpenTelemetry's variables say, and serve its metrics.
func (c *command) startTelemetry(cmd *cobra.Command) error {
	var metrics net.Listener
	var admit func(*http.Request) error
	if flag := cmd.Flag(cmdline.FlagMetrics); flag != nil && flag.Value.String() != "" {
		listen := cmdline.ListenOptions{Addr: flag.Value.String()}
		if err := cmdline.CheckAddress(cmdline.FlagMetrics, listen.Addr); err != nil {
			return err
		}
		ln, err := listen.Listen(cmd.Context())
		if err != nil {
			if f, ok := errors.AsType[*cmdline.Failure](err); ok {
				f.Hint = strings.ReplaceAll(f.Hint, "--addr", "--"+cmdline.FlagMetrics)
			}
			return err
		}
		metrics = ln
		token := c.Env(envMetricsToken)
		open := cmd.Flag("open")
		switch {
		case token != "":
			known := ratelimit.Logins(auth.Token(token, a2a.Identity{Subject: "metrics"}))
			admit = func(r *http.Request) error {
				_, err := known.Authenticate(r)
				return err
			}
		case !cmdline.IsLoopback(ln.Addr()) && (open == nil || open.Value.String() != "true"):
			return errors.Join(cmdline.Usagef(
				"--%s is beyond this machine: everyone who reaches %s could read the metrics",
				cmdline.FlagMetrics, ln.Addr()).WithHint("set "+envMetricsToken+
				" to a token that Prometheus sends, or "+
				"listen on 127.0.0.1"), ln.Close())
		}
		fmt.Fprintf(c.Err, "metrics at http://%s/metrics\n", ln.Addr())
	}
	stop, err := export.Start(cmd.Context(), export.Options{Service: cmd.CommandPath(), Version: cmdline.Version(),
		Getenv: c.Env, Metrics: metrics, Admit: admit, Warn: c.Warn})
	if err != nil {
		return cmdline.Usagef("%v", err).WithHint("OpenTelemetry's documentation lists the values of these variables")
	}
	c.OnEnd(stop)
	return nil
}
