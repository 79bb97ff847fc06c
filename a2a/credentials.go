// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// CredentialsExtension is the URI of Dragoman's extension for credentials in messages (A2A 1.0 §7.6.1). Credentials
// travel out of band unless an agent declares this extension and a client activates it.
const CredentialsExtension = "https://dragoman-a2a.dev/extensions/credentials/v1"

// Credentials answer the question of a task that waits for an authorization.
type Credentials struct {
	Scheme string `json:"scheme"` // one of those that the agent named
	Value  string `json:"credentials"`
}

// Part returns a part that brings the credentials, for a client that has activated [CredentialsExtension].
func (c Credentials) Part() (Part, error) {
	return DataPart(map[string]Credentials{CredentialsExtension: c})
}

// FindCredentials reads a part that brings credentials. ok is true also for one whose credentials are malformed, which
// are empty then.
func FindCredentials(p Part) (c Credentials, ok bool) {
	data := p.Data()
	if data.Kind() != '{' {
		return c, false
	}
	var members map[string]jsontext.Value
	if json.Unmarshal(data, &members) != nil {
		return c, false
	}
	raw, ok := members[CredentialsExtension]
	if !ok || json.Unmarshal(raw, &c) != nil {
		return Credentials{}, ok
	}
	return c, true
}
