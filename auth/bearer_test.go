// SPDX-License-Identifier: Apache-2.0

package auth_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
)

func TestToken(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"Bearer secret": true, "bearer secret": true, "Bearer  secret": true,
		"": false, "secret": false, "Basic secret": false, "Bearer": false, "Bearer Secret": false,
		"Bearer secrets": false,
	} {
		r := &http.Request{Header: http.Header{"Authorization": {header}}}
		id, err := auth.Token("secret", a2a.Identity{Subject: "ann"}).Authenticate(r)
		if want && (err != nil || id.Subject != "ann") {
			t.Errorf("%q: %v, %v", header, id, err)
		}
		if !want && !errors.Is(err, a2a.ErrUnauthenticated) {
			t.Errorf("%q: %v, %v", header, id, err)
		}
	}
}

func TestTokenTellsAWrongOneFromAMissingOne(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"": "missing", "Bearer": "missing", "Basic secret": "missing", "Bearer wrong": "the token is wrong",
	} {
		r := &http.Request{Header: http.Header{"Authorization": {header}}}
		_, err := auth.Token("secret", a2a.Identity{}).Authenticate(r)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", header, err, want)
		}
	}
}

func TestAnEmptyTokenIsRefusedAtTheStart(t *testing.T) {
	t.Parallel()
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "the token of auth.Token is empty") {
			t.Errorf("panic %q", said)
		}
	}()
	auth.Token("", a2a.Identity{})
}
