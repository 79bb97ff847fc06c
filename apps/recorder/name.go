// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/internal/redact"
)

// memberKinds are the placeholders of members that hold an id, in each generation's spelling.
var memberKinds = map[string]string{
	"taskId": "task", "task_id": "task", "referenceTaskIds": "task", "reference_task_ids": "task",
	"contextId": "context", "context_id": "context", "sessionId": "context", "session_id": "context",
	"messageId": "message", "message_id": "message",
	"artifactId": "artifact", "artifact_id": "artifact",
	"pushNotificationConfigId": "config", "push_notification_config_id": "config",
	"pageToken": "page", "page_token": "page", "nextPageToken": "page", "next_page_token": "page",
}

// maxSecrets bounds the credentials that are remembered, to be hidden elsewhere too.
const maxSecrets = 1000

// A namer gives values their placeholders. It is not safe for concurrent use.
type namer struct {
	names   map[string]string // by kind and value, as "task\x00value"
	tokens  map[string]string // by value: ids that are known wherever they stand
	counts  map[string]int
	fresh   []string // names given since the last line
	secrets []string
	routes  *routes
}

func newNamer(r *routes) *namer {
	return &namer{names: make(map[string]string), tokens: make(map[string]string), counts: make(map[string]int),
		routes: r}
}

// take returns the names that were given since it was called last.
func (n *namer) take() []string {
	fresh := n.fresh
	n.fresh = nil
	return fresh
}

// name returns the placeholder of a value of a kind. Times and ids of events get a new one each time an answer has
// them: two that happen to be equal in one recording need not be in the next.
func (n *namer) name(kind, value string, answer bool) string {
	key := kind + "\x00" + value
	known, ok := n.names[key]
	if ok && !(answer && (kind == kindTime || kind == kindEvent)) {
		return known
	}
	if token, ok := n.tokens[value]; ok && kind == kindOther {
		return token
	}
	n.counts[kind]++
	name := fmt.Sprintf("%s.%d", kind, n.counts[kind])
	n.names[key] = name
	if _, ok := n.tokens[value]; !ok && len(value) >= minToken && kind != kindTime && kind != kindEvent {
		n.tokens[value] = name
	}
	if kind != kindTime {
		n.fresh = append(n.fresh, name)
	}
	return name
}

func (n *namer) hide(value string) {
	_, token, _ := strings.Cut(value, " ") // as in "Bearer token"
	for _, secret := range []string{value, token} {
		if len(secret) >= redact.MinLength && len(n.secrets) < maxSecrets && !slices.Contains(n.secrets, secret) {
			n.secrets = append(n.secrets, secret)
		}
	}
}

// minToken is the length from which on an id is known in the middle of a text.
const minToken = 8

var (
	token = regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9_-]{7,}`)
	uuid  = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)
)

// text returns a text with placeholders for what is known in it, and without credentials.
func (n *namer) text(s string, answer bool) string {
	for _, secret := range n.secrets {
		s = strings.ReplaceAll(s, secret, redact.Mark)
	}
	if isTime(s) {
		return put(n.name(kindTime, s, answer))
	}
	return n.routes.fold(redact.Text(s), func(literal string) string {
		return token.ReplaceAllStringFunc(escape(literal), func(word string) string {
			if name, ok := n.tokens[word]; ok {
				return put(name)
			}
			if uuid.MatchString(word) {
				return put(n.name(kindOther, word, answer))
			}
			return word
		})
	})
}

// isTime reports whether a text is a time and nothing else.
func isTime(s string) bool {
	if len(s) < len("2006-01-02T15:04:05Z") || len(s) > 40 || s[4] != '-' {
		return false
	}
	_, err := time.Parse(time.RFC3339Nano, s)
	return err == nil
}

// A place is where a value stands in a body.
type place struct {
	name   string // of the member, or of the array that it is in
	above  *node  // the object
	parent string // the name of that
	opaque bool   // content that is the agent's or the user's: ids in it have no kind
	card   bool   // what is called like a credential here describes one
}

// fold puts placeholders into a body. Ids are named before texts, which may mention them.
func (n *namer) fold(root *node, answer bool) {
	n.ids(root, place{}, answer)
	n.texts(root, place{}, answer)
}

// below returns the place of a member or element.
func (p place) below(at *node, i int) place {
	if at.kind == '[' {
		return p
	}
	name := at.names[i]
	return place{
		name: name, above: at, parent: p.name,
		opaque: p.opaque || name == "metadata" || name == "data",
		card:   p.card || name == "securitySchemes" || name == "security_schemes",
	}
}

// ids gives names to the ids of the protocol, and only notes them: texts writes.
func (n *namer) ids(at *node, p place, answer bool) {
	if kind := p.kindOf(at); kind != "" {
		n.name(kind, at.text, answer)
	}
	for i, kid := range at.kids {
		n.ids(kid, p.below(at, i), answer)
	}
}

func (n *namer) texts(at *node, p place, answer bool) {
	kind := p.kindOf(at)
	switch {
	case kind != "":
		at.text, at.kind = put(n.name(kind, at.text, false)), '"'
	case at.kind == '"' && at.text != "" && !p.card && redact.Member(p.name):
		n.hide(at.text)
		at.text = redact.Mark
	case at.kind == '"':
		at.text = n.text(at.text, answer)
	}
	for i, kid := range at.kids {
		n.texts(kid, p.below(at, i), answer)
	}
}

// kindOf returns the kind of the id that stands here; "" if it is none.
func (p place) kindOf(at *node) string {
	switch {
	case p.opaque || at.kind != '"' && at.kind != '0' || at.text == "":
		return ""
	case p.name == "id" && p.parent == "" && p.above.has("jsonrpc"):
		if at.kind == '0' {
			return kindRPCNumber
		}
		return kindRPC
	case at.kind != '"':
		return ""
	case p.name == "id":
		return p.kindOfID()
	}
	return memberKinds[p.name]
}

// kindOfID tells by its neighbours what a member that is called id is the id of.
func (p place) kindOfID() string {
	switch {
	case p.above.has("taskId", "task_id"), p.parent == "pushNotificationConfig", p.parent == "push_notification_config":
		return "config"
	case p.parent == "params", p.above.has("artifact", "contextId", "context_id", "sessionId", "session_id"),
		p.above.member("status") != nil && p.above.member("status").kind == '{':
		return "task"
	}
	return ""
}
