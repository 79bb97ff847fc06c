// SPDX-License-Identifier: Apache-2.0

// Package registry is a catalogue of agents: it fetches their cards, keeps them with their history in a database,
// probes whether the agents are there, and finds them by text, skill, tag, mode, capability, provider, generation and
// health.
//
// A [Catalog] is what one can ask. Registry is one on a database, [Client] one over HTTP, and NewHandler serves any
// of them: whoever looks for agents need not know whether the catalogue is in the same process.
//
// Cards come from strangers. They are fetched within limits of size and time, and only from addresses that
// Options.Networks allows; what they say is data and shown as such.
package registry

import (
	"context"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// A Catalog knows agents. It must be safe for concurrent use. Errors are [*Error] with a [Kind], or the context's, or
// those of what the catalogue is kept in.
//
// A method's name is an id, an alias in any case of letters, or the URL under which the agent was added.
type Catalog interface {
	// List returns a page of the agents that match, by alias, or the best matches first if the query has a text.
	List(ctx context.Context, q Query) (*Page, error)
	// Get returns one agent.
	Get(ctx context.Context, name string) (*Entry, error)
	// Add fetches the agent's card, or takes the one that is given, and keeps it. An agent that is there already is
	// brought up to date and keeps its alias; created tells which it was.
	Add(ctx context.Context, r Registration) (entry *Entry, created bool, err error)
	// Check asks the agent for its card and whether it is there, now, and returns what it then knows. That the agent
	// is down is no error but its Health.
	Check(ctx context.Context, name string) (*Entry, error)
	// Remove forgets an agent and its history.
	Remove(ctx context.Context, name string) error
	// Versions returns a page of the cards that an agent has had, the newest first. size is as in Query.PageSize.
	Versions(ctx context.Context, name string, size int, pageToken string) (*VersionPage, error)
	// Version returns the card that had this number.
	Version(ctx context.Context, name string, number int) (*Version, error)
}

// A Registration names an agent to add: by URL or by card, one of them.
type Registration struct {
	// URL is the agent's base URL, or that of its card if its path ends in .json; http or https. A host without a
	// scheme means https, or http when it is this machine.
	URL string `json:"url,omitzero"`
	// Card is the agent's card. The agent is the one of its first interface; it is not asked for another card.
	Card *a2a.AgentCard `json:"card,omitzero"`
	// Alias is the name by which the agent will be called here, 1 to 80 characters without / and control characters.
	// "" means its card's name, with #2, #3 and so on if an agent is called so already.
	Alias string `json:"alias,omitzero"`
}

// An Entry is an agent as the catalogue knows it. It is shared and must not be changed.
type Entry struct {
	ID string `json:"id"` // made by the catalogue
	// unique, whatever the case of its letters; stays when the card's name changes
	Alias       string           `json:"alias"`
	URL         string           `json:"url,omitzero"` // where the card comes from; "" when it was given
	Card        *a2a.AgentCard   `json:"card"`         // the last one that could be used
	CardVersion int              `json:"cardVersion"`  // counts the cards that the agent has had, from 1
	Generations []a2a.Generation `json:"generations"`  // that its interfaces speak, the newest first
	// which signature of the card holds, by the keys that the registry trusts; nil if none does
	Signature *Signature `json:"signature,omitzero"`
	Health    Health     `json:"health"` // as of the last check
	// how well it fits the text of a query: more is better, within one query
	Score     float64   `json:"score,omitzero"`
	AddedAt   time.Time `json:"addedAt"`
	UpdatedAt time.Time `json:"updatedAt"` // when the card was last found to be another one
}

// Signature is the signature of a card that a registry has verified.
type Signature struct {
	KeyID   string `json:"keyId"`
	KeysURL string `json:"keysUrl,omitzero"` // where the key was fetched; "" for one that the registry was given
	Form    string `json:"form"`             // canonical form that it covers, see signature.Form
}

// HealthState tells whether an agent is there.
type HealthState string

// The states of health.
const (
	HealthUnknown HealthState = "unknown" // not checked yet
	HealthUp      HealthState = "up"      // it showed its card, and its first interface took a connection
	HealthDown    HealthState = "down"    // it did not
)

// Health is what the last check of an agent found.
type Health struct {
	State     HealthState `json:"state"`
	Since     time.Time   `json:"since,omitzero"`     // when the state became what it is
	CheckedAt time.Time   `json:"checkedAt,omitzero"` // when the last check ended
	// when the next one is due; later and later for an agent that stays down
	NextAt    time.Time `json:"nextAt,omitzero"`
	LatencyMS int64     `json:"latencyMs,omitzero"` // what the last check took, in milliseconds
	Failures  int       `json:"failures,omitzero"`  // checks in a row that found it down
	Error     string    `json:"error,omitzero"`     // why it is down; text for people
}

// A Query says which agents to list: those for which all that is set holds. Letters match whatever their case.
type Query struct {
	// words to find in names, descriptions, skills, tags and examples; one of them suffices, a single one may be a
	// beginning. At most 2,000 bytes
	Text       string
	Skill      string         // id or name of a skill
	Tag        string         // of a skill
	InputMode  string         // media type that the agent or one of its skills takes; image/* is any image
	OutputMode string         // media type that it gives
	Capability string         // "streaming", "pushNotifications", "extendedAgentCard", or the URI of an extension
	Provider   string         // the provider's organization
	Generation a2a.Generation // of the protocol that the agent speaks
	Binding    string         // "JSONRPC", "HTTP+JSON", "GRPC" or a URI
	Health     HealthState    // agents that are down are listed like all others unless this says otherwise

	// PageSize is the most entries wanted; 0 means 50, and more than 100 means 100. A page may have fewer before the
	// last one: it ends early when its cards grow larger than 4 MiB together.
	PageSize int
	// PageToken is the NextPageToken of the page before, of the same query.
	PageToken string
}

// A Page is a part of a list.
type Page struct {
	Agents        []*Entry `json:"agents"`
	NextPageToken string   `json:"nextPageToken,omitzero"` // "" on the last page
}

// A Version is a card that an agent has or had. Lists leave the card out.
type Version struct {
	Number int            `json:"number"` // from 1
	SeenAt time.Time      `json:"seenAt"` // for the first time
	Digest string         `json:"digest"` // SHA-256 of the card as it came, in hexadecimal
	Card   *a2a.AgentCard `json:"card,omitzero"`
}

// A VersionPage is a part of a history.
type VersionPage struct {
	Versions      []*Version `json:"versions"`
	NextPageToken string     `json:"nextPageToken,omitzero"`
}

// Limits of a catalogue that are the same everywhere.
const (
	DefaultPageSize = 50
	MaxPageSize     = 100
	MaxText         = 2000 // bytes of Query.Text
	MaxAlias        = 80   // characters
	MaxFilter       = 1000 // bytes of each other member of a Query
)
