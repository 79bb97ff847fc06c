// SPDX-License-Identifier: Apache-2.0

// Package pushcmd holds the commands for push notifications.
package pushcmd

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/push"
)

// Command returns the command push.
func Command(run *cmdline.Run) *cobra.Command {
	commands := []*cobra.Command{listenCommand(run)}
	for i := range managing {
		commands = append(commands, manageCommand(run, &managing[i]))
	}
	return cmdline.Group(&cobra.Command{Use: "push", Short: "Receive push notifications, and manage those that fail",
		Example: "  dragoman push listen --addr 127.0.0.1:9000\n  dragoman push list hello"}, commands...)
}

const listenLong = `listen receives push notifications and shows them. Give its address as the webhook of a push notification
config. It checks what the flags name, and shows on the error stream which notifications it refused, and why.

The address is on this machine by default. Agents elsewhere need an address that they reach, over HTTPS.`

type listen struct {
	*cmdline.Run
	cmdline.ListenOptions
	checks push.Checks
	jwks   string
}

func listenCommand(run *cmdline.Run) *cobra.Command {
	l := &listen{Run: run}
	cmd := &cobra.Command{
		Use:   "listen",
		Short: "Receive notifications and show them",
		Long:  listenLong,
		Example: `  dragoman push listen --addr 127.0.0.1:9000
  DRAGOMAN_WEBHOOK_TOKEN=secret dragoman push listen -o json`,
		Args: cmdline.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return l.serve(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&l.Addr, "addr", "127.0.0.1:0", "address to listen on; port 0 means any free port")
	flags.StringVar(&l.checks.Token, "webhook-token", "", "the token of the push notification config")
	flags.StringVar(&l.checks.Authorization, "webhook-authorization", "",
		"the value of the header Authorization, such as Bearer SECRET")
	flags.StringVar(&l.checks.HMAC, "webhook-hmac", "", "the secret of the scheme HMAC-SHA256")
	flags.StringArrayVar(&l.checks.Keys, "webhook-key", nil,
		"key of Standard Webhooks: whsec_... of a shared secret or whpk_... of a public key; repeatable")
	flags.StringVar(&l.jwks, "webhook-jwks", "", "URL of the keys that verify the sender's tokens, such as "+
		"https://HOST/.well-known/jwks.json")
	flags.StringVar(&l.checks.Audience, "webhook-audience", "", "with --webhook-jwks: the audience of the tokens, "+
		"which is the URL of the webhook")
	return cmd
}

func (l *listen) serve(ctx context.Context) error {
	for _, key := range l.checks.Keys {
		if !strings.HasPrefix(key, "whsec_") && !strings.HasPrefix(key, "whpk_") {
			return cmdline.Usagef("a --webhook-key is no key of Standard Webhooks").WithHint(
				"give one that begins with whsec_ or whpk_")
		}
	}
	switch u, err := url.Parse(l.jwks); {
	case l.jwks == "" && l.checks.Audience != "":
		return cmdline.Usagef("--webhook-audience is for tokens, and no keys verify them").WithHint(
			"give --webhook-jwks")
	case l.jwks == "":
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return cmdline.Usagef("--webhook-jwks is no http or https URL")
	default:
		client := &http.Client{Timeout: 10 * time.Second}
		l.checks.Tokens = oidc.NewRemoteKeySet(oidc.ClientContext(ctx, client), l.jwks)
	}
	ln, err := l.ListenChecked(ctx)
	if err != nil {
		return err
	}
	var mu sync.Mutex // notifications are shown one at a time
	feed := &show.Feed{Terminal: l.Terminal}
	receiver := &push.Receiver{
		Checks: l.checks,
		Receive: func(_ context.Context, got *push.Received) error {
			mu.Lock()
			defer mu.Unlock()
			return errors.Join(feed.Show(got.Event), feed.End())
		},
		Refused: func(_ *http.Request, status int, why error) {
			mu.Lock()
			defer mu.Unlock()
			l.Tell("refused with %d: %v", status, why)
		},
	}
	l.Tell("listening for notifications at %s", l.At(ln.Addr()))
	srv := &http.Server{Handler: receiver, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { srv.Close() })
	defer stop()
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return l.Explain(err)
	}
	return nil
}
