// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"context"
	"path/filepath"

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

// addLogin sends the stored credential of the card's origin with each call, if the command line has none.
func (c *Caller) addLogin(ctx context.Context, card *a2a.AgentCard, options *client.Options) error {
	file, err := c.Logins()
	home := origin.Of(options.CardURL)
	if err != nil || home == "" || c.HasCredentials() { // without a folder for settings there is no login
		return nil
	}
	all, err := file.Read()
	if err != nil {
		return &cmdline.Failure{Exit: cmdline.ExitAuth, Code: cmdline.CodeOther + "LOGINS", Message: err.Error()}
	}
	login := all[home]
	if login == nil {
		return nil
	}
	again := &cmdline.Failure{Exit: cmdline.ExitAuth, Code: cmdline.CodeOther + "LOGIN_EXPIRED",
		Hint: "run " + c.Program + " auth login " + WithoutUser(c.Agent)}
	scheme := card.SecuritySchemes[login.Scheme]
	if logins.KindOf(scheme) != login.Kind {
		again.Message = "the card no longer has the scheme of the login for " + home
		return again
	}
	var send client.Interceptor
	switch login.Kind {
	case logins.Bearer:
		send = client.Bearer(login.Secret)
	case logins.Basic:
		send = client.Basic(login.User, login.Secret)
	case logins.APIKey:
		key := scheme.(*a2a.APIKeyScheme)
		if tap, ok := c.HTTPClient().Transport.(*Tap); ok {
			tap.Hide(key.Name)
		}
		send = client.APIKey(key, login.Secret)
	case logins.OAuth:
		config := oauth.Config{ClientID: login.ClientID, ClientSecret: c.Env("DRAGOMAN_CLIENT_SECRET"),
			Servers: login.Servers, Grant: oauth.Grant(login.Grant)}
		source, err := config.Source(ctx, scheme, login.Token, func(token *oauth2.Token) error {
			return file.Change(func(all map[string]*logins.Login) {
				if all[home] != nil { // else the user logged out meanwhile
					all[home].Token = token
				}
			})
		})
		if err == nil {
			_, err = source.Token()
		}
		if err != nil {
			again.Message = "the login for " + home + " has expired and could not be refreshed"
			return again
		}
		send = oauth.Bearer(source)
	}
	options.Interceptors = append(options.Interceptors, send)
	return nil
}
