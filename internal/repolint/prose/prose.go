// SPDX-License-Identifier: Apache-2.0

// Package prose checks English text against the rules of the repository: short sentences, named subjects, and one term
// for one thing.
package prose

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// MaxWords is the number of words that a sentence may have. The writing rules ask for 25 and the check allows some
// more, because a flag or a file name can count as several words.
const MaxWords = 30

// A Finding is one fault of a text.
type Finding struct {
	Offset int    // of the sentence in the text, in bytes
	Rule   string // what is wrong and what to write instead
	Text   string // the start of the sentence
}

func (f Finding) String() string { return fmt.Sprintf("%s: %q", f.Rule, f.Text) }

// Check returns the faults of a text, in the order of their sentences.
func Check(text string) []Finding {
	var found []Finding
	for _, s := range sentences(text) {
		words := s.words()
		report := func(format string, args ...any) {
			found = append(found, Finding{s.offset, fmt.Sprintf(format, args...), excerpt(s.text)})
		}
		if len(words) > MaxWords {
			report("the sentence has %d words, at most %d are allowed: split it", len(words), MaxWords)
		}
		if s.headless(words) {
			report("the sentence starts with a headless %q: name the subject", words[0])
		}
		for _, t := range glossary {
			if phrase := t.in(words); phrase != "" {
				report("%q is not a term of the glossary: say %s", phrase, t.say)
			}
		}
	}
	return found
}

// excerptBytes limits how much of a sentence a finding repeats.
const excerptBytes = 100

func excerpt(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > excerptBytes {
		text = strings.ToValidUTF8(text[:excerptBytes], "") + "..."
	}
	return text
}

// sentence is a part of a text up to a full stop, a question mark, an exclamation mark, or the end of a paragraph.
type sentence struct {
	offset int
	text   string
}

// sentences splits a text. An empty line ends a sentence too.
func sentences(text string) []sentence {
	var found []sentence
	start := 0
	end := func(at int) {
		piece := text[start:at]
		if trimmed := strings.TrimLeftFunc(piece, unicode.IsSpace); strings.TrimSpace(trimmed) != "" {
			found = append(found, sentence{start + len(piece) - len(trimmed), strings.TrimSpace(trimmed)})
		}
		start = at
	}
	for at := 0; at < len(text); {
		rest := text[at:]
		space := strings.IndexFunc(rest, unicode.IsSpace)
		if space < 0 {
			break
		}
		if endsSentence(lastWord(text[start : at+space])) {
			end(at + space)
		}
		next := strings.IndexFunc(rest[space:], func(r rune) bool { return !unicode.IsSpace(r) })
		if next < 0 {
			break
		}
		if strings.Count(rest[space:space+next], "\n") > 1 {
			end(at + space)
		}
		at += space + next
	}
	end(len(text))
	return found
}

func lastWord(text string) string {
	return text[strings.LastIndexFunc(text, unicode.IsSpace)+1:]
}

// abbreviations end with a full stop that ends no sentence.
var abbreviations = []string{"e.g.", "i.e.", "etc.", "vs.", "cf.", "approx."}

func endsSentence(word string) bool {
	word = strings.TrimRight(word, `"')]*_”’`)
	bare := strings.TrimRight(word, ".!?")
	return bare != word && strings.ContainsFunc(bare, isWordRune) &&
		!slices.Contains(abbreviations, strings.TrimLeft(word, "("))
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// words returns the words of a sentence without the punctuation around them.
func (s sentence) words() []string {
	var words []string
	for _, field := range strings.Fields(s.text) {
		if word := strings.TrimFunc(field,
			func(r rune) bool { return !isWordRune(r) && r != '%' }); strings.ContainsFunc(word, isWordRune) {
			words = append(words, word)
		}
	}
	return words
}

// titleWords is the length up to which a text without a full stop is a title, such as the name of a column: "What it
// is".
const titleWords = 4

// headless reports whether the sentence starts with a relative pronoun that stands for an unnamed subject. Questions
// and titles may.
func (s sentence) headless(words []string) bool {
	last := s.text[strings.LastIndexFunc(s.text, isWordRune)+1:]
	if len(words) == 0 || strings.Contains(last, "?") || len(words) <= titleWords && !strings.ContainsAny(last, ".!:") {
		return false
	}
	switch strings.ToLower(words[0]) {
	case "who", "whoever", "whose", "whom", "what", "whatever":
		return true
	}
	return false
}

// A term is what the glossary says for one thing, and the words that it rules out.
type term struct {
	say string
	not []string // lower case, words separated by one space
}

var glossary = []term{
	{`"protocol version"`, []string{"kind of a2a", "kinds of a2a", "form of a2a", "forms of a2a"}},
	{`"delete" or "remove"`, []string{"forget", "forgets", "forgot", "forgotten", "forgetting", "for ever", "let be"}},
	{`"heartbeat" or "stale session"`, []string{"sign of life", "signs of life", "counts as dead", "count as dead"}},
	{`"lease", "claim", "conflict" or "blocker"`, []string{"rival", "rivals"}},
	{`"detach", "close" or "reconnect"`, []string{"hang up", "hangs up", "hung up", "hanging up", "comeback"}},
	{`"timeout", "lease TTL" or "retention"`, []string{"patience"}},
	{`"caller", "client", "user", "agent" or "owner", the exact one`,
		[]string{"somebody", "somebody's", "nobody", "nobody's", "whoever", "stranger", "strangers", "stranger's"}},
	{`"task" or "turn"`, []string{"errand", "errands"}},
	{`"projection", "event log", "checkpoint" or "cursor"`, []string{"outlook"}},
	{`"observe", "deliver", "take over" or "force end"`,
		[]string{"relieve", "relieves", "relieved", "adopts", "adopted"}},
	{`"valid UTF-8"`, []string{"legible", "illegible"}},
	{`"off-topic", "clause group", "amount source" or "user error"`,
		[]string{"stray", "strays", "bunch", "lender", "lenders", "setback", "setbacks"}},
	{"the default in words, such as \"(default 10s)\"",
		[]string{"nothing is said", "none is said", "is told so", "are told so"}},
}

// in returns the first phrase of the term that a sentence contains, or "".
func (t term) in(words []string) string {
	line := " " + strings.ToLower(strings.Join(words, " ")) + " "
	for _, phrase := range t.not {
		if strings.Contains(line, " "+phrase+" ") {
			return phrase
		}
	}
	return ""
}
