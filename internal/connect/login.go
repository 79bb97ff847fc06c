// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"sync"

	"golang.org/x/oauth2"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/client/oauth"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/logins"
	"github.com/dragoman-a2a/dragoman/internal/origin"
)

// Logins returns the file with the user's logins.
func (c *Caller) Logins() (logins.File, error) {
	home, err := c.ConfigHome()
	if err != nil {
		return "", err
	}
	return logins.File(filepath.Join(home, "a2a-cli", "logins.json")), nil
}

// Login is the Credentials of client options: it sends the stored login for the origin of the card. The login is looked
// up with each call, so that a server gets one that was made while it runs.
func (c *Caller) Login(card *a2a.AgentCard, cardURL string) client.Interceptor {
	home := origin.Of(cardURL)
	file, err := c.Logins()
	if err != nil || home == "" || c.HasCredentials() { // without a folder for settings there is no login
		return nil
	}
	l := &login{c: c, card: card, home: home, file: file}
	return l.send
}

// IsLoggedIn reports whether there is a login for the origin of a card.
func (c *Caller) IsLoggedIn(cardURL string) bool {
	file, err := c.Logins()
	if err != nil {
		return false
	}
	all, err := file.Read()
	return err == nil && all[origin.Of(cardURL)] != nil
}

// login is the stored login for an agent, with the source of its tokens.
type login struct {
	c    *Caller
	card *a2a.AgentCard
	home string
	file logins.File

	mu   sync.Mutex
	kept *logins.Login // that send was made of
	with client.Interceptor
}

func (l *login) send(ctx context.Context, call *client.Call, next client.Handler) (any, error) {
	all, err := l.file.Read()
	if err != nil {
		return nil, &cmdline.Failure{Exit: cmdline.ExitAuth, Code: cmdline.CodeOther + "LOGINS", Message: err.Error()}
	}
	kept := all[l.home]
	if kept == nil {
		return next(ctx, call)
	}
	with, err := l.sender(ctx, kept)
	if err != nil {
		return nil, err
	}
	return with(ctx, call, next)
}

// sender returns what sends a login. It makes one anew if the user has logged in again.
func (l *login) sender(ctx context.Context, kept *logins.Login) (client.Interceptor, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.with != nil && reflect.DeepEqual(l.kept, kept) {
		return l.with, nil
	}
	with, err := l.open(context.WithoutCancel(ctx), kept)
	if err != nil {
		return nil, err
	}
	l.kept, l.with = kept, with
	return with, nil
}

func (l *login) open(ctx context.Context, kept *logins.Login) (client.Interceptor, error) {
	scheme := l.card.SecuritySchemes[kept.Scheme]
	if logins.KindOf(scheme) != kept.Kind {
		return nil, l.again("the card no longer has the scheme of the login for "+l.home, nil)
	}
	switch kept.Kind {
	case logins.Bearer:
		return client.Bearer(kept.Secret), nil
	case logins.Basic:
		return client.Basic(kept.User, kept.Secret), nil
	case logins.APIKey:
		key := scheme.(*a2a.APIKeyScheme)
		if tap, ok := l.c.HTTPClient().Transport.(*Tap); ok {
			tap.Hide(key.Name)
		}
		return client.APIKey(key, kept.Secret), nil
	}
	config := oauth.Config{ClientID: kept.ClientID, ClientSecret: l.c.Env("DRAGOMAN_CLIENT_SECRET"),
		Servers: kept.Servers, Grant: oauth.Grant(kept.Grant)}
	source, err := config.Source(ctx, scheme, kept.Token, func(token *oauth2.Token) error {
		return l.file.Change(func(all map[string]*logins.Login) {
			if all[l.home] != nil { // else the user logged out meanwhile
				all[l.home].Token = token
			}
		})
	})
	if err != nil {
		return nil, l.again("the login for "+l.home+" cannot be used", err)
	}
	bearer := oauth.Bearer(source)
	return func(ctx context.Context, call *client.Call, next client.Handler) (any, error) {
		if _, err := source.Token(); err != nil {
			return nil, l.again("the login for "+l.home+" has expired and could not be refreshed", err)
		}
		return bearer(ctx, call, next)
	}, nil
}

// again says why a login does not work, and how to make a new one.
func (l *login) again(why string, cause error) error {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](cause); ok { // its text has the whole answer
		why += ": the authorization server answered " + cmp.Or(refused.ErrorCode, refused.Response.Status)
	} else if cause != nil {
		why += ": " + cause.Error()
	}
	at := l.home
	if l.c.Agent != "" {
		at = WithoutUser(l.c.Agent)
	}
	return &cmdline.Failure{Exit: cmdline.ExitAuth, Code: cmdline.CodeOther + "LOGIN_EXPIRED", Message: why,
		Hint: "run " + l.c.Program + " auth login " + at}
}
