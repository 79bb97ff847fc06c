// SPDX-License-Identifier: Apache-2.0

// Package logins keeps the credentials of a user in a file that only that user can read: one for each origin of cards.
package logins

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/gofrs/flock"
	"golang.org/x/oauth2"

	"github.com/dragoman-a2a/dragoman/a2a"
)

const maxFile = 1 << 20 // bytes

// The kinds of logins.
const (
	Bearer = "bearer"
	Basic  = "basic"
	APIKey = "api-key"
	OAuth  = "oauth"
)

// KindOf returns the kind of login that a scheme of a card takes; "" for none.
func KindOf(scheme a2a.SecurityScheme) string {
	switch s := scheme.(type) {
	case *a2a.APIKeyScheme:
		return APIKey
	case *a2a.OAuth2Scheme, *a2a.OpenIDConnectScheme:
		return OAuth
	case *a2a.HTTPAuthScheme:
		if kind := strings.ToLower(s.Scheme); kind == Bearer || kind == Basic {
			return kind
		}
	}
	return ""
}

// Login is a credential for agents whose cards are at one origin.
type Login struct {
	Scheme   string        `json:"scheme"` // name in the card
	Kind     string        `json:"kind"`   // one of the kinds above
	User     string        `json:"user,omitzero"`
	Secret   string        `json:"secret,omitzero"` // token, password or key
	Token    *oauth2.Token `json:"token,omitzero"`  // of oauth, as all below
	ClientID string        `json:"clientId,omitzero"`
	Servers  []string      `json:"servers,omitzero"` // authorization servers that the user allowed
	Grant    string        `json:"grant,omitzero"`
}

// File is the path of the file with the credentials of a user.
type File string

// Read returns all logins by their origin.
func (f File) Read() (map[string]*Login, error) {
	all := make(map[string]*Login)
	file, err := os.Open(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	} else if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("others may read %s, which holds credentials; chmod 600 it", f)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFile || json.Unmarshal(text, &all) != nil { // the error could quote a secret
		return nil, fmt.Errorf("%s holds no logins; delete it and log in again", f)
	}
	for _, login := range all {
		if login == nil {
			return nil, fmt.Errorf("%s holds an empty login; delete it and log in again", f)
		}
	}
	return all, nil
}

// Change changes the logins; no other process changes them meanwhile.
func (f File) Change(change func(all map[string]*Login)) error {
	dir := filepath.Dir(string(f))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	lock := flock.New(string(f)+".lock", flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Unlock()
	all, err := f.Read()
	if err != nil {
		return err
	}
	change(all)
	text, err := json.Marshal(all, json.Deterministic(true))
	if err != nil {
		return err
	}
	next, err := os.CreateTemp(dir, "logins-*") // which only the user can read
	if err != nil {
		return err
	}
	defer os.Remove(next.Name())
	_, err = next.Write(text)
	if err := errors.Join(err, next.Sync(), next.Close()); err != nil {
		return err
	}
	return os.Rename(next.Name(), string(f))
}
