// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"crypto/rand"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/turn"
)

// An Authorization is what an agent needs a person's leave for before its task goes on (A2A 1.0 §7.6.1). It travels as
// a part of data beside words that say the same to people.
type Authorization struct {
	Schemes      []string `json:"schemes"`                // how to authorize, such as "oauth2"; one at least
	URL          string   `json:"url,omitempty"`          // that the person opens; "" if the instructions say all
	Scopes       []string `json:"scopes,omitempty"`       // that the agent asks for
	Instructions string   `json:"instructions,omitempty"` // for people; required

	// Grant is what [Turn.NewGrant] made, if a callback of the agent lets the task go on. It does not travel by itself:
	// it belongs into the URL, as the parameter "state" of OAuth 2.
	Grant string `json:"-"`
}

// Authorize ends the turn because the agent needs an authorization: return t.Authorize(need). The task is auth-required
// until a message comes, or engine.Engine.Granted is called with need.Grant. Each starts the next turn. What was
// granted is for this one question: a later one needs another Grant.
func (t *Turn) Authorize(need Authorization) error {
	parts, err := need.Parts()
	if err != nil {
		return err
	}
	return t.NeedAuth(parts...)
}

// Parts returns the words and the data, for [Turn.NeedAuth] and [Turn.AwaitAuth] with more beside them.
func (a Authorization) Parts() ([]a2a.Part, error) {
	if len(a.Schemes) == 0 || a.Instructions == "" {
		return nil, fmt.Errorf("agent: an Authorization needs Schemes and Instructions")
	}
	words := a.Instructions
	if a.URL != "" {
		words += "\n" + a.URL
	}
	data, err := a2a.DataPart(a)
	if err != nil {
		return nil, fmt.Errorf("agent: authorization: %w", err)
	}
	data.MediaType = "application/json"
	if a.Grant != "" {
		err = data.Metadata.Set(turn.MetaGrant, turn.GrantID(a.Grant))
	}
	return []a2a.Part{a2a.TextPart(words), data}, err
}

// FindAuthorization returns the first authorization among the parts of a question, for those who show it.
func FindAuthorization(parts ...a2a.Part) (Authorization, bool) {
	for _, p := range parts {
		var doc struct {
			Schemes      jsontext.Value `json:"schemes"`
			URL          jsontext.Value `json:"url"`
			Scopes       jsontext.Value `json:"scopes"`
			Instructions jsontext.Value `json:"instructions"`
		}
		if p.Data().Kind() != '{' || p.Decode(&doc) != nil {
			continue
		}
		a := Authorization{URL: text(doc.URL), Instructions: text(doc.Instructions)}
		_ = json.Unmarshal(doc.Schemes, &a.Schemes) // what is of another type says nothing
		_ = json.Unmarshal(doc.Scopes, &a.Scopes)
		if len(a.Schemes) > 0 && a.Instructions != "" {
			return a, true
		}
	}
	return Authorization{}, false
}

// NewGrant returns a secret that cannot be guessed, under which engine.Engine.Granted lets the task go on once. It
// names the task and its owner in the clear, so it is for the owner, and for the server that asks the owner for leave.
func (t *Turn) NewGrant() string { return t.backend.WakeToken() + "." + rand.Text() }

// Grant returns the ID of the engine.Grant that began the turn; "" if something else did. The turn has no message then.
// The ID holds for this turn only, because an authorization is not assumed to cover later messages (A2A 1.0 §7.6.4).
func (t *Turn) Grant() string { return t.info.Grant }

// Credentials returns what a message of this turn has brought as its [a2a.Credentials]: the one that began the turn, or
// one that [Turn.AwaitAuth] or [Turn.Next] has returned. They are in memory only and end with the turn. After a restart
// they are gone, so an agent that misses them asks again.
func (t *Turn) Credentials(m *a2a.Message) (a2a.Credentials, bool) {
	if m == nil {
		return a2a.Credentials{}, false
	}
	return t.backend.Credentials(m.ID)
}
