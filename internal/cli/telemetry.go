// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/telemetry/export"
)

// startTelemetry has the command send what it does to where OpenTelemetry's variables say, and serve its metrics.
func (c *command) startTelemetry(cmd *cobra.Command) error {
	var metrics net.Listener
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
		fmt.Fprintf(c.Err, "metrics at http://%s/metrics\n", ln.Addr())
	}
	stop, err := export.Start(cmd.Context(), export.Options{Service: cmd.CommandPath(), Version: cmdline.Version(),
		Getenv: c.Env, Metrics: metrics, Warn: c.Warn})
	if err != nil {
		return cmdline.Usagef("%v", err).WithHint("OpenTelemetry's documentation lists the values of these variables")
	}
	c.OnEnd(stop)
	return nil
}
