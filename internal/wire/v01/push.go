// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

var pushConfigObject = jsonio.Object[a2a.PushConfig]{Members: []jsonio.Member[a2a.PushConfig]{
	{Name: "url", Read: func(d *jsonio.Reader, v *a2a.PushConfig) error { return jsonio.String(d, &v.URL) }},
	{Name: "token", Read: func(d *jsonio.Reader, v *a2a.PushConfig) error { return jsonio.String(d, &v.Token) }},
	{Name: "authentication", Read: readAuthentication},
}}

// An authentication may name several schemes, of which the first counts.
type authentication struct {
	schemes     []string
	credentials string
}

var authenticationObject = jsonio.Object[authentication]{Members: []jsonio.Member[authentication]{
	{Name: "schemes", Read: func(d *jsonio.Reader, v *authentication) error {
		return jsonio.List(d, &v.schemes, a2a.MaxNames, jsonio.String)
	}},
	{Name: "credentials", Read: func(d *jsonio.Reader,
		v *authentication) error {
		return jsonio.String(d, &v.credentials)
	}},
}}

func readAuthentication(d *jsonio.Reader, v *a2a.PushConfig) error {
	var a authentication
	if err := authenticationObject.Read(d, &a); err != nil {
		return err
	}
	if len(a.schemes) == 0 && a.credentials == "" {
		return nil // none is wanted
	}
	v.Authentication = &a2a.PushAuthentication{Credentials: a.credentials}
	if len(a.schemes) > 0 {
		v.Authentication.Scheme = a.schemes[0]
	}
	return nil
}

// writePushConfig writes the config itself; the task it belongs to stands around it.
func writePushConfig(w *jsonio.Writer, name string, p *a2a.PushConfig) {
	w.Key(name)
	w.Begin()
	w.Str("url", p.URL)
	w.OptStr("token", p.Token)
	if a := p.Authentication; a != nil {
		w.Key("authentication")
		w.Begin()
		jsonio.WriteStrs(w, "schemes", []string{a.Scheme})
		w.OptStr("credentials", a.Credentials)
		w.End()
	}
	w.End()
}

func writeTaskPushConfig(w *jsonio.Writer, p *a2a.PushConfig) {
	w.Begin()
	w.Str("id", string(p.TaskID))
	writePushConfig(w, "pushNotificationConfig", p)
	w.End()
}
