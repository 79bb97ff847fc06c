// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

var (
	at      = lazy(`^\s*@(?:"([^"]+)"|(\S+?))[:,]?(?:\s+|$)`)
	address = lazy(
		`(?i)^\s*(?:please\s+)?(?:(?:ask|tell|use|have|let)\s+)(?:the\s+|my\s+|our\s+)?(.{2,60}?)\s*(?:[:,` +
			`]|\s(?:to|about|for|whether|if|who|what|when|where|how|that)\b)\s*`)
	colon = lazy(`^\s*([^:\n]{2,60}):\s+`)
)

// Mentioned returns the agent that a text addresses, and the text without the address. Words such as "who" belong to
// what is asked.
func Mentioned(text string, agents []Agent) (alias, rest string) {
	if alias, rest := spelledOut(text, agents); alias != "" {
		return alias, rest
	}
	if m := at().FindStringSubmatch(text); m != nil {
		if alias := ByHandle(m[1]+m[2], agents); alias != "" {
			return alias, strings.TrimSpace(text[len(m[0]):])
		}
	}
	for _, form := range []struct {
		pattern func() *regexp.Regexp
		find    func(string, []Agent) string
	}{{address, byName}, {colon, byFullName}} { // "expense: taxi" names what it is about, and no agent called expenses
		m := form.pattern().FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		if alias := form.find(text[m[2]:m[3]], agents); alias != "" {
			rest := strings.TrimLeft(text[m[3]:], " :,")
			for _, word := range []string{"to ", "about ", "for "} {
				if len(rest) > len(word) && strings.EqualFold(rest[:len(word)], word) {
					rest = rest[len(word):]
				}
			}
			return alias, strings.TrimSpace(rest)
		}
	}
	return "", text
}

// byName returns the alias of the one agent that a name means; "" for none, and where several could be meant. The names
// that agents have go before other forms of their words, as in "@movies", and the last element of a URL, which anybody
// can choose, comes at the end.
func byName(name string, agents []Agent) string {
	if alias := byFullName(name, agents); alias != "" {
		return alias
	}
	name = stemmed(BareName(name))
	return onlyOne(name, agents,
		func(a Agent) bool { return stemmed(BareName(a.Alias)) == name },
		func(a Agent) bool { return stemmed(BareName(a.Card.Name)) == name },
		func(a Agent) bool { return stemmed(BareName(a.Handle)) == name },
		func(a Agent) bool { return slices.Contains(lastOfURLs(a.Card), name) })
}

// ByHandle is byName for what surely is a name: any word will do that only one agent's name has, those of agents that
// the host was given before those of strangers.
func ByHandle(name string, agents []Agent) string {
	if alias := byName(name, agents); alias != "" {
		return alias
	}
	word := stemmed(BareName(name))
	has := func(a Agent) bool {
		return slices.Contains(strings.Fields(stemmed(BareName(a.Alias))), word) ||
			slices.Contains(strings.Fields(stemmed(BareName(a.Card.Name))), word)
	}
	return onlyOne(word, agents, func(a Agent) bool { return a.Given && has(a) }, has)
}

// byFullName is byName for names as agents have them.
func byFullName(name string, agents []Agent) string {
	name = BareName(name)
	return onlyOne(name, agents,
		func(a Agent) bool { return BareName(a.Alias) == name },
		func(a Agent) bool { return BareName(a.Card.Name) == name })
}

// onlyOne returns the alias of the agent that a name means in the first way in which it means one at all; "" when it
// means several.
func onlyOne(name string, agents []Agent, means ...func(Agent) bool) string {
	for _, meant := range means {
		at := slices.IndexFunc(agents, meant)
		switch {
		case name == "" || at < 0:
			continue
		case slices.ContainsFunc(agents[at+1:], meant):
			return ""
		}
		return agents[at].Alias
	}
	return ""
}

// lastOfURLs returns the names at the end of an agent's URLs, such as "movies" of https://example.com/agents/movies.
func lastOfURLs(c *a2a.AgentCard) (names []string) {
	for _, at := range c.SupportedInterfaces {
		if u, err := url.Parse(at.URL); err == nil {
			names = append(names, stemmed(BareName(path.Base(u.Path))))
		}
	}
	return names
}

// stemmed returns a name with its words as stems.
func stemmed(name string) string {
	words := strings.Fields(name)
	for i, w := range words {
		words[i] = stem(w)
	}
	return strings.Join(words, " ")
}

// BareName makes names comparable: "the Currency Agent", "currency agent" and "currency" are one.
func BareName(name string) string {
	var words []string
	for word := range strings.FieldsSeq(strings.ToLower(strings.NewReplacer("-", " ", "_", " ").Replace(name))) {
		if word != "agent" && word != "the" && word != "my" {
			words = append(words, strings.TrimSuffix(word, "'s"))
		}
	}
	return strings.Join(words, " ")
}

// spelledOut returns the agent whose whole name a text begins with after an @, and the rest: "@Currency Agent CAD".
func spelledOut(text string, agents []Agent) (alias, rest string) {
	after, ok := strings.CutPrefix(strings.TrimSpace(text), "@")
	for _, a := range agents {
		n := len(a.Alias)
		if !ok || n <= len(alias) || len(after) < n || !strings.EqualFold(after[:n], a.Alias) {
			continue
		}
		if end := after[n:]; end == "" || strings.ContainsRune(" \t\n:,", rune(end[0])) {
			alias, rest = a.Alias, strings.TrimSpace(strings.TrimLeft(end, ":,"))
		}
	}
	return alias, rest
}

// UnknownName returns the name after the @ that a text begins with, if no agent has it, and the rest of the text.
func UnknownName(text string, agents []Agent) (name, rest string) {
	m := at().FindStringSubmatch(text)
	if m == nil {
		return "", text
	}
	if alias, _ := Mentioned(text, agents); alias != "" {
		return "", text
	}
	return Clean(m[1]+m[2], MaxName), strings.TrimSpace(text[len(m[0]):])
}
