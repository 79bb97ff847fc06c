// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

const (
	// MaxParts is how many parts the message of a request may have. Those of tasks may have more.
	MaxParts = 1000
	// MaxNames is how many elements each list of names in a request may have: referenceTaskIds and extensions of its
	// message, acceptedOutputModes of its configuration.
	MaxNames = 100
	// MaxIDLength is how many bytes an id or a tenant may have. Ids stand in paths, in logs and in keys of databases.
	MaxIDLength = 256
	// MaxRequestMetadata is how many bytes the metadata of a request and the acceptedOutputModes of its configuration
	// may have together: names and values of the former, names of the latter. A journal keeps them beside the message.
	MaxRequestMetadata = 64 << 10
	// MaxPageSize is how many tasks one page of ListTasks may have (A2A 1.0 §3.1.4).
	MaxPageSize = 100
)

// tooMany says what is wrong with a list of more than limit elements.
func tooMany(limit int) string { return "must have at most " + strconv.Itoa(limit) + " elements" }

// maxViolations bounds the error of a request that is wrong in each of a thousand parts.
const maxViolations = 100

// A checker collects what is wrong with a value.
type checker struct {
	violations []Violation
}

// A path names the member or element being checked. It becomes text only when something is wrong.
type path struct {
	parent *path
	name   string
	index  int // of an element; the name is empty then
}

func (p *path) member(name string) *path { return &path{parent: p, name: name} }
func (p *path) element(i int) *path      { return &path{parent: p, index: i} }

// String copies the names, so that the compiler sees that paths can live on the stack.
func (p *path) String() string { return string(p.append(nil)) }

func (p *path) append(text []byte) []byte {
	if p == nil {
		return text
	}
	text = p.parent.append(text)
	if p.name == "" {
		return append(strconv.AppendInt(append(text, '['), int64(p.index), 10), ']')
	}
	if p.parent != nil {
		text = append(text, '.')
	}
	return append(text, p.name...)
}

// fail records what is wrong with a member of the object at a path, or with the value there when name is empty. Paths
// are made on failure only, as far as can be: most values are fine.
func (c *checker) fail(at *path, name, why string) {
	if len(c.violations) >= maxViolations {
		return
	}
	if name != "" {
		at = at.member(name)
	}
	c.violations = append(c.violations, Violation{Field: at.String(), Description: why})
}

// result returns all violations as one ErrInvalidParams, or nil.
func (c *checker) result() error {
	if len(c.violations) == 0 {
		return nil
	}
	return &Error{Kind: ErrInvalidParams, Violations: c.violations}
}

// validate checks one value from its top.
func validate[T any](v *T, check func(*checker, *path, *T)) error {
	var c checker
	if v == nil {
		return &Error{Kind: ErrInvalidParams, Message: "invalid parameters: they are missing"}
	}
	check(&c, nil, v)
	return c.result()
}

func (c *checker) required(at *path, name, s string) {
	if s == "" {
		c.fail(at, name, "is required")
	}
}

// id checks an identifier that may be left out.
func (c *checker) id(at *path, name, id string) {
	switch {
	case len(id) > MaxIDLength:
		c.fail(at, name, fmt.Sprintf("has %d bytes; at most %d are allowed", len(id), MaxIDLength))
	case !printable(id):
		c.fail(at, name, "holds control characters or invalid UTF-8")
	}
}

func (c *checker) requiredID(at *path, name, id string) {
	c.required(at, name, id)
	c.id(at, name, id)
}

func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

func (c *checker) historyLength(at *path, name string, n *int) {
	if n != nil && *n < 0 {
		c.fail(at, name, "must not be negative")
	}
}

func (c *checker) known(at *path, name string, names []string, n int32) {
	switch {
	case n == 0:
		c.fail(at, name, "is required: one of "+strings.Join(names[1:], ", "))
	case n < 0 || int(n) >= len(names):
		c.fail(at, name, "is unknown")
	}
}

// value checks JSON text that a Go program may have made; what was decoded is valid already.
func (c *checker) value(at *path, v jsontext.Value) { c.nested(at, v, MaxDepth) }

func (c *checker) metadataValue(at *path, v jsontext.Value) { c.nested(at, v, MaxDepth-1) }

func (c *checker) nested(at *path, v jsontext.Value, levels int) {
	switch {
	case !v.IsValid():
		c.fail(at, "", "is not valid JSON")
	case jsonio.Depth(v) > levels:
		c.fail(at, "", jsonio.TooDeep)
	}
}

func (c *checker) metadata(at *path, name string, m Metadata) {
	if len(m) > 0 {
		checkMap(c, at.member(name), m, (*checker).metadataValue)
	}
}

// checkMap checks the values of a map; what it finds is sorted, as the order of a map is not.
func checkMap[M ~map[string]V, V any](c *checker, at *path, m M, check func(*checker, *path, V)) {
	before := len(c.violations)
	for k, v := range m {
		check(c, at.member(k), v)
	}
	slices.SortFunc(c.violations[before:], func(a, b Violation) int { return strings.Compare(a.Field, b.Field) })
}

func checkMessage(c *checker, at *path, m *Message) {
	c.requiredID(at, "messageId", string(m.ID))
	c.id(at, "contextId", string(m.ContextID))
	c.id(at, "taskId", string(m.TaskID))
	c.known(at, "role", roleNames, int32(m.Role))
	checkParts(c, at.member("parts"), m.Parts)
	c.metadata(at, "metadata", m.Metadata)
	for i, id := range m.ReferenceTaskIDs {
		c.requiredID(at.member("referenceTaskIds").element(i), "", string(id))
	}
}

func checkParts(c *checker, at *path, parts []Part) {
	if len(parts) == 0 {
		c.fail(at, "", "must have at least one part")
	}
	for i := range parts {
		checkPart(c, at.element(i), &parts[i])
	}
}

func checkPart(c *checker, at *path, p *Part) {
	switch content := p.Content.(type) {
	case nil:
		c.fail(at, "", "must have one of text, raw, url, data")
	case URL:
		c.required(at, "url", string(content))
	case Data:
		c.value(at.member("data"), jsontext.Value(content))
	}
	c.metadata(at, "metadata", p.Metadata)
}

func checkArtifact(c *checker, at *path, a *Artifact) {
	c.requiredID(at, "artifactId", string(a.ID))
	checkParts(c, at.member("parts"), a.Parts)
	c.metadata(at, "metadata", a.Metadata)
}

func checkTaskStatus(c *checker, at *path, s *TaskStatus) {
	c.known(at, "state", taskStateNames, int32(s.State))
	if s.Message != nil {
		checkMessage(c, at.member("message"), s.Message)
	}
}

func checkTask(c *checker, at *path, t *Task) {
	c.requiredID(at, "id", string(t.ID))
	c.id(at, "contextId", string(t.ContextID))
	checkTaskStatus(c, at.member("status"), &t.Status)
	checkPointers(c, at.member("artifacts"), t.Artifacts, checkArtifact)
	c.distinct(at.member("artifacts"), t.Artifacts)
	checkPointers(c, at.member("history"), t.History, checkMessage)
	c.metadata(at, "metadata", t.Metadata)
}

// distinct checks that no two artifacts of a task have one id (A2A 1.0 §4.1.7).
func (c *checker) distinct(at *path, artifacts []*Artifact) {
	seen := make(map[ArtifactID]bool, len(artifacts))
	for i, a := range artifacts {
		if a == nil {
			continue
		}
		if seen[a.ID] {
			c.fail(at.element(i), "artifactId", "is that of an artifact before it")
		}
		seen[a.ID] = true
	}
}

func checkStatusUpdate(c *checker, at *path, u *StatusUpdate) {
	c.requiredID(at, "taskId", string(u.TaskID))
	c.requiredID(at, "contextId", string(u.ContextID))
	checkTaskStatus(c, at.member("status"), &u.Status)
	c.metadata(at, "metadata", u.Metadata)
}

func checkArtifactUpdate(c *checker, at *path, u *ArtifactUpdate) {
	c.requiredID(at, "taskId", string(u.TaskID))
	c.requiredID(at, "contextId", string(u.ContextID))
	checkPointer(c, at.member("artifact"), u.Artifact, checkArtifact)
	c.metadata(at, "metadata", u.Metadata)
}

// checkPointer checks a required object.
func checkPointer[T any](c *checker, at *path, v *T, check func(*checker, *path, *T)) {
	if v == nil {
		c.fail(at, "", "is required")
		return
	}
	check(c, at, v)
}

func checkPointers[T any](c *checker, at *path, list []*T, check func(*checker, *path, *T)) {
	for i, v := range list {
		checkPointer(c, at.element(i), v, check)
	}
}

func checkList[T any](c *checker, at *path, list []T, check func(*checker, *path, *T)) {
	for i := range list {
		check(c, at.element(i), &list[i])
	}
}

// webhook checks a URL that we are asked to call.
func (c *checker) webhook(at *path, name, text string) {
	if text == "" {
		c.fail(at, name, "is required")
		return
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		c.fail(at, name, "must be an absolute http or https URL")
	}
}

// headerValue checks text that will stand in an HTTP header.
func (c *checker) headerValue(at *path, name, s string) {
	if !printable(s) {
		c.fail(at, name, "holds control characters or invalid UTF-8")
	}
}
