// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A shape fails a check at the first thing that is wrong with objects of the protocol in a reply: it names the member
// and what it should be.
type shape struct {
	*reply
	d        *dialect
	expected string
}

// task looks at a task (A2A 1.0 §4.1.1, proto REQUIRED).
func (s shape) task(t object) {
	s.strings(t, "the task", "id")
	if s.d.profile == Profile03 && text(t, "kind") != "task" {
		s.failf(s.expected, `the task has no kind "task"`)
	}
	if s.d.state(t) == "" {
		s.failf(s.expected, "status.state is %q, which is no state of %s", text(t, "status", "state"), s.d.profile)
	}
	if m := at(t, "status", "message"); m != nil {
		s.message(asObject(m), "status.message")
	}
	for i, m := range list(t, "history") {
		s.message(m, fmt.Sprintf("history[%d]", i))
	}
	var ids []string
	for i, a := range list(t, "artifacts") {
		where := fmt.Sprintf("artifacts[%d]", i)
		s.strings(a, where, "artifactId")
		s.parts(a, where)
		if slices.Contains(ids, text(a, "artifactId")) {
			s.failf(s.expected, "%s has the artifactId of another one", where)
		}
		ids = append(ids, text(a, "artifactId"))
	}
}

func (s shape) message(m object, where string) {
	s.strings(m, where, "messageId", "role")
	roles := []string{"ROLE_USER", "ROLE_AGENT"}
	if s.d.profile == Profile03 {
		roles = []string{"user", "agent"}
		if text(m, "kind") != "message" {
			s.failf(s.expected, `%s has no kind "message"`, where)
		}
	}
	if !slices.Contains(roles, text(m, "role")) {
		s.failf(s.expected, "%s.role is %q, which is none of %s", where, text(m, "role"), strings.Join(roles, " and "))
	}
	s.parts(m, where)
}

func (s shape) parts(o object, where string) {
	parts, ok := o["parts"].([]any)
	if !ok || len(parts) == 0 {
		s.failf(s.expected, "%s.parts is no array with something in it", where)
	}
	problem := part10
	if s.d.profile == Profile03 {
		problem = part03
	}
	for i, p := range parts {
		if why := problem(asObject(p)); why != "" {
			s.failf(s.expected, "%s.parts[%d] %s", where, i, why)
		}
	}
}

// part10 says what is wrong with a part of 1.0, and part03 with one of 0.3.
func part10(p object) string {
	found := 0
	for _, name := range []string{"text", "raw", "url", "data"} {
		if value, ok := p[name]; ok {
			found++
			if _, isText := value.(string); !isText && name != "data" {
				return name + " is no string"
			}
		}
	}
	switch {
	case found != 1:
		return fmt.Sprintf("has %d of text, raw, url and data, and not one", found)
	case p["kind"] != nil:
		return "has kind, which is of 0.3"
	}
	return ""
}

func part03(p object) string {
	kind := text(p, "kind")
	switch _, isText := p["text"].(string); {
	case kind == "text" && isText, kind == "data" && asObject(p["data"]) != nil:
		return ""
	case kind == "file":
		_, hasBytes := asObject(p["file"])["bytes"]
		_, hasURI := asObject(p["file"])["uri"]
		if hasBytes != hasURI {
			return ""
		}
		return "has a file without bytes or uri, or with both"
	}
	return fmt.Sprintf("has kind %q without its member", kind)
}

// strings fails at the first of some members that is no string with something in it.
func (s shape) strings(o object, where string, names ...string) {
	for _, name := range names {
		if text(o, name) == "" {
			s.failf(s.expected, "%s has no %s", where, name)
		}
	}
}

// timestampProblem says what is wrong with a timestamp (A2A 1.0 §5.6.1).
func timestampProblem(said string) string {
	if _, err := time.Parse(time.RFC3339Nano, said); err != nil {
		return "is no ISO 8601"
	}
	if !strings.HasSuffix(said, "Z") {
		return "is not in UTC with Z"
	}
	return ""
}

// snakes returns the first name with an underscore of a member that the protocol names. Members of metadata and
// data belong to their authors.
func snakes(value any) string {
	switch v := value.(type) {
	case object:
		for name, inner := range v {
			if name == "metadata" || name == "data" || name == "params" {
				continue
			}
			if strings.Contains(name, "_") {
				return name
			}
			if found := snakes(inner); found != "" {
				return found
			}
		}
	case []any:
		for _, inner := range v {
			if found := snakes(inner); found != "" {
				return found
			}
		}
	}
	return ""
}
