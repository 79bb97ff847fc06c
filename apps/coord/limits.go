// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of one project. A call beyond them is refused, except that messages displace the oldest broadcasts.
const (
	maxName       = 200      // bytes of a session's, task's, interface's name
	maxStamp      = 40       // bytes of what an id has after a name
	maxShort      = 2 << 10  // bytes of a description
	maxText       = 64 << 10 // bytes of a message, todo or definition
	maxSessions   = 1000
	maxTodos      = 1000 // of a session
	maxInbox      = 1000 // messages of a session
	maxQueries    = 1000 // without an answer
	maxAsked      = 100  // of those of one session
	maxLeases     = 5000
	maxPaths      = 100 // of a claim
	maxQueue      = 1000
	maxAllPaths   = 50_000 // leased and waited for
	maxPatterns   = 200    // paths with wildcards, leased and waited for
	maxChanges    = 100
	maxInterfaces = 1000
	maxCompleted  = 1000
	maxRoots      = 20
	maxRoot       = 4 << 10 // bytes of a root
	maxDefined    = 8 << 20 // bytes of all definitions

	maxClaimPatterns = 10 // paths with wildcards of one claim
)

// A Limit is a bound that a project keeps.
type Limit struct {
	Name  string
	Value int
	Bytes bool // the value counts bytes
}

// Limits returns the bounds of one project that nobody can change, for people.
func Limits() []Limit {
	return []Limit{
		{"name of a session, task or interface", maxName, true},
		{"description", maxShort, true},
		{"message, to-do or definition", maxText, true},
		{"sessions", maxSessions, false},
		{"to-dos of a session", maxTodos, false},
		{"messages of a session", maxInbox, false},
		{"queries without an answer", maxQueries, false},
		{"queries of a session without an answer", maxAsked, false},
		{"leases", maxLeases, false},
		{"paths of a lease", maxPaths, false},
		{"paths of a lease with wildcards", maxClaimPatterns, false},
		{"paths, leased and waited for", maxAllPaths, false},
		{"paths with wildcards", maxPatterns, false},
		{"interfaces", maxInterfaces, false},
		{"definitions in all", maxDefined, true},
		{"what a session keeps", maxShare, true},
		{"what a session keeps that has not registered", maxGuestShare, true},
		{"project in all", maxState, true},
	}
}

func badName(what, name string) *Failure { return badWord(what, name, maxName) }

// badID says what is wrong with an id, nil when nothing is. Ids begin with names.
func badID(what, id string) *Failure { return badWord(what, id, maxName+maxStamp) }

func badWord(what, name string, limit int) *Failure {
	switch {
	case name == "":
		return invalid("%s is missing", what)
	case len(name) > limit:
		return invalid("%s is longer than %d bytes", what, limit)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, isHidden):
		return invalid("%s may have any characters but those that do not show, such as line ends", what)
	}
	return nil
}

// isHidden reports whether a character is one that shows as none: names that look the same must be the same.
func isHidden(r rune) bool { return misleads(r) || unicode.Is(unicode.Cf, r) }

// badLabel says what is wrong with a name that may be left out, nil when nothing is.
func badLabel(what, name string) *Failure {
	if name == "" {
		return nil
	}
	return badName(what, name)
}

func badText(what, text string, limit int) *Failure {
	switch {
	case len(text) > limit:
		return invalid("%s is longer than %d bytes", what, limit)
	case !utf8.ValidString(text):
		return invalid("%s is not UTF-8", what)
	}
	return nil
}

func first(all ...*Failure) *Failure {
	for _, f := range all {
		if f != nil {
			return f
		}
	}
	return nil
}
