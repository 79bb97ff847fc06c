// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A shape finds what is wrong with objects of the protocol, as a member and what it should be. It finds the first
// thing.
type shape struct{ d *dialect }

// task is empty for a good one (A2A 1.0 §4.1.1, proto REQUIRED).
func (s shape) task(t object) string {
	if why := strs(t, "the task", "id"); why != "" {
		return why
	}
	if s.d.profile == Profile03 && text(t, "kind") != "task" {
		return `the task has no kind "task"`
	}
	if s.d.state(t) == "" {
		return fmt.Sprintf("status.state is %q, which is no state of %s", text(t, "status", "state"), s.d.profile)
	}
	if why := s.optionalMessage(asObject(t["status"]), "message", "status.message"); why != "" {
		return why
	}
	for i, m := range list(t, "history") {
		if why := s.message(m, fmt.Sprintf("history[%d]", i)); why != "" {
			return why
		}
	}
	return s.artifacts(t)
}

func (s shape) artifacts(t object) string {
	var ids []string
	for i, a := range list(t, "artifacts") {
		where := fmt.Sprintf("artifacts[%d]", i)
		if why := s.artifact(a, where); why != "" {
			return why
		}
		if slices.Contains(ids, text(a, "artifactId")) {
			return where + " has the artifactId of another one"
		}
		ids = append(ids, text(a, "artifactId"))
	}
	return ""
}

func (s shape) artifact(a object, where string) string {
	if why := strs(a, where, "artifactId"); why != "" {
		return why
	}
	return s.parts(a, where)
}

func (s shape) optionalMessage(o object, name, where string) string {
	if m, ok := o[name]; ok && m != nil {
		return s.message(asObject(m), where)
	}
	return ""
}

// message is empty for a good message.
func (s shape) message(m object, where string) string {
	if why := strs(m, where, "messageId", "role"); why != "" {
		return why
	}
	roles := []string{"ROLE_USER", "ROLE_AGENT"}
	if s.d.profile == Profile03 {
		roles = []string{"user", "agent"}
		if text(m, "kind") != "message" {
			return where + ` has no kind "message"`
		}
	}
	if !slices.Contains(roles, text(m, "role")) {
		return fmt.Sprintf("%s.role is %q, which is none of %s", where, text(m, "role"), strings.Join(roles, " and "))
	}
	return s.parts(m, where)
}

func (s shape) parts(o object, where string) string {
	parts, ok := o["parts"].([]any)
	if !ok || len(parts) == 0 {
		return where + ".parts is no array with something in it"
	}
	for i, p := range parts {
		if why := s.part(asObject(p)); why != "" {
			return fmt.Sprintf("%s.parts[%d] %s", where, i, why)
		}
	}
	return ""
}

func (s shape) part(p object) string {
	if s.d.profile == Profile03 {
		return part03(p)
	}
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

// strs names the first of some members that is no string with something in it.
func strs(o object, where string, names ...string) string {
	for _, name := range names {
		if text(o, name) == "" {
			return where + " has no " + name
		}
	}
	return ""
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

// snakes returns the first name with an underscore of a member that the protocol names. What others put into metadata
// and data is theirs.
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
