// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

// PushMembers are the members of a push notification config before 1.0, apart from its id. Of the schemes of its
// authentication, which are in the order of preference, the first is taken. Authentication that has neither schemes nor
// credentials is none; lenient says that credentials may be there alone.
func PushMembers(lenient bool) []jsonio.Member[a2a.PushConfig] {
	return []jsonio.Member[a2a.PushConfig]{
		jsonio.Str("url", func(v *a2a.PushConfig) *string { return &v.URL }),
		jsonio.OptStr("token", func(v *a2a.PushConfig) *string { return &v.Token }),
		{
			Name: "authentication",
			Read: func(d *jsonio.Reader, v *a2a.PushConfig) error {
				var auth authentication
				if err := authenticationObject.Read(d, &auth); err != nil {
					return err
				}
				switch {
				case len(auth.schemes) > 0:
					v.Authentication = &a2a.PushAuthentication{Scheme: auth.schemes[0], Credentials: auth.credentials}
				case auth.credentials != "" && lenient:
					v.Authentication = &a2a.PushAuthentication{Credentials: auth.credentials}
				case auth.credentials != "":
					return jsonio.InvalidMember(d, "schemes", "is required beside credentials")
				}
				return nil
			},
			Write: func(w *jsonio.Writer, name string, v *a2a.PushConfig) {
				if auth := v.Authentication; auth != nil {
					w.Key(name)
					authenticationObject.Write(w, &authentication{[]string{auth.Scheme}, auth.Credentials})
				}
			},
		},
	}
}

type authentication struct {
	schemes     []string
	credentials string
}

var authenticationObject = jsonio.Object[authentication]{Members: []jsonio.Member[authentication]{
	jsonio.Strs("schemes", a2a.MaxNames, func(v *authentication) *[]string { return &v.schemes }),
	jsonio.OptStr("credentials", func(v *authentication) *string { return &v.credentials }),
}}
