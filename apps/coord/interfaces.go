// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Define shares a definition. One of the same name is replaced, whoever shared it.
type Define struct{ Session, Name, Definition, FilePath string }

// Defined is the result of [Define].
type Defined struct {
	Status  string `json:"status"` // registered
	Name    string `json:"interface_name"`
	Message string `json:"message"`
}

func (c Define) session() string { return c.Session }

func (c Define) run(t *tx) Result {
	if c.Definition == "" {
		return invalid("definition is missing")
	}
	if f := first(badName("interface_name", c.Name), badText("definition", c.Definition, maxText)); f != nil {
		return f
	}
	if f := badWord("file_path", c.FilePath, maxPath); f != nil && c.FilePath != "" {
		return f
	}
	old := t.state.Interfaces.get(c.Name)
	if old == nil && t.state.Interfaces.len() >= maxInterfaces {
		return tooMany("interfaces in this project", maxInterfaces)
	}
	if f := first(t.overQuota(c.Session, c.Definition), t.overDefined(old, c.Definition)); f != nil {
		return f
	}
	def := &Interface{Name: c.Name, Definition: c.Definition, RegisteredBy: c.Session, FilePath: c.FilePath,
		Time: t.now, Version: 1}
	if old != nil {
		def.Version = old.Version + 1
	}
	t.emit(Event{Kind: KindDefined, Session: c.Session, Interface: def})
	return Defined{Status: "registered", Name: c.Name, Message: "Interface registered and available to all agents"}
}

// overDefined refuses a definition, instead of an old one if that is not nil, that makes all of them too large.
func (t *tx) overDefined(old *Interface, definition string) *Failure {
	size := textSize(definition)
	if size <= maxUncounted {
		return nil
	}
	for _, def := range t.state.Interfaces.all() {
		if def != old {
			size += textSize(def.Definition)
		}
	}
	if size <= maxDefined {
		return nil
	}
	return tooMany("bytes of definitions in this project", maxDefined)
}

// GetInterface looks a definition up.
type GetInterface struct{ Name string }

// InterfaceInfo is the result of [GetInterface].
type InterfaceInfo struct {
	Definition   string  `json:"definition"`
	RegisteredBy string  `json:"registered_by"`
	FilePath     *string `json:"file_path"`
	Timestamp    Time    `json:"timestamp"`
}

// Unknown is the result of [GetInterface] when there is no such definition.
type Unknown struct {
	Status  string   `json:"status"` // not_found
	Error   string   `json:"error"`
	Similar []string `json:"similar"`
}

func (c GetInterface) run(t *tx) Result {
	if f := badName("interface_name", c.Name); f != nil {
		return f
	}
	if def := t.state.Interfaces.get(c.Name); def != nil {
		return def.info()
	}
	return Unknown{Status: "not_found", Error: fmt.Sprintf("Interface %s not found", c.Name),
		Similar: t.similar(c.Name)}
}

func (i *Interface) info() InterfaceInfo {
	info := InterfaceInfo{Definition: i.Definition, RegisteredBy: i.RegisteredBy, Timestamp: Time(i.Time)}
	if i.FilePath != "" {
		info.FilePath = &i.FilePath
	}
	return info
}

// ListInterfaces lists all definitions in the order in which their names came.
type ListInterfaces struct{}

func (ListInterfaces) run(t *tx) Result {
	all := newOrdered[InterfaceInfo]()
	for name, def := range t.state.Interfaces.all() {
		all.set(name, def.info())
	}
	return all
}

const (
	maxSimilar  = 5
	maxDistance = 2  // letters
	maxSlip     = 64 // bytes of a name up to which it is looked for slips of the pen
)

// similar returns the known names most like a name: those with a common beginning, then those that contain one another,
// then short ones with a slip of the pen.
func (t *tx) similar(name string) []string {
	type match struct {
		name string
		rank int
	}
	asked := strings.ToLower(name)
	matches := []match{}
	for known := range t.state.Interfaces.all() {
		lower := strings.ToLower(known)
		switch {
		case strings.HasPrefix(lower, asked), strings.HasPrefix(asked, lower):
			matches = append(matches, match{known, 0})
		case strings.Contains(lower, asked), strings.Contains(asked, lower):
			matches = append(matches, match{known, 1})
		case len(asked) <= maxSlip && len(lower) <= maxSlip+maxDistance*utf8.UTFMax:
			if d := distance(asked, lower); d <= maxDistance {
				matches = append(matches, match{known, 1 + d})
			}
		}
	}
	slices.SortStableFunc(matches, func(a, b match) int { return cmp.Compare(a.rank, b.rank) })
	names := []string{}
	for _, m := range matches[:min(len(matches), maxSimilar)] {
		names = append(names, m.name)
	}
	return names
}

// distance returns how many letters have to be inserted, left out, replaced or swapped with the next one to make b of
// a. Above maxDistance it is not exact.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d > maxDistance || -d > maxDistance {
		return maxDistance + 1
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}
