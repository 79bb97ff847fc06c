// SPDX-License-Identifier: Apache-2.0

package coder

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A Spec is what is to be written.
type Spec struct {
	Purpose  string   `json:"purpose,omitempty"`  // a folder of templates
	Language string   `json:"language,omitempty"` // the id of a language
	Name     string   `json:"name,omitempty"`     // of the type or the page, as it was said
	Fields   []Field  `json:"fields,omitempty"`
	Path     string   `json:"path,omitempty"`  // the name that the main file shall have
	Words    []string `json:"words,omitempty"` // quoted texts, such as what a button says
	Tests    bool     `json:"tests,omitempty"`
	Zip      bool     `json:"zip,omitempty"`
	Foreign  []string `json:"foreign,omitempty"` // words of names in letters that programs do not take everywhere
	Respelt  []string `json:"respelt,omitempty"` // words of names that are spelt otherwise: "été as ete"
}

//go:embed data/purposes.txt
var purposesText string

// A purpose is something there are templates for.
type purpose struct{ id, title, phrases string }

var purposes = sync.OnceValue(func() []purpose {
	var all []purpose
	for line := range strings.Lines(purposesText) {
		if columns := strings.Split(strings.TrimSpace(line), "|"); len(columns) == 3 {
			all = append(all, purpose{strings.TrimSpace(columns[0]), strings.TrimSpace(columns[1]), columns[2]})
		}
	}
	return all
})

// maxText is how much of a message is read for words, in bytes; code that is pasted is not counted.
const maxText = 8 << 10

// Read finds in a text what is to be written. What is not said is empty.
func Read(text string) Spec {
	text = strings.ToValidUTF8(text[:min(len(text), maxText)], "")
	words := tokens(text)
	s := Spec{Purpose: purposeIn(words), Language: languageIn(text, words), Path: pathIn(text)}
	for _, m := range quotedText.FindAllStringSubmatch(text, 5) {
		s.Words = append(s.Words, plain(m[1]+m[2]))
	}
	if s.Purpose == "class" || s.Purpose == "enum" || s.Purpose == "form" {
		var names speller
		plain := names.spell(text)
		s.Name, s.Fields = nameIn(plain), readFields(plain)
		names.check(&s)
	}
	s.Tests = hasWord(words, "tests", "test", "testing", "unittest", "unittests")
	s.Zip = hasWord(words, "zip", "zipped", "archive")
	if s.Language == "" {
		s.Language = nativeLanguage(s.Purpose)
	}
	return s
}

// nativeLanguage is the only language that some things are written in.
func nativeLanguage(purpose string) string {
	switch purpose {
	case "button", "form", "page":
		return "html"
	case "dockerfile", "makefile":
		return purpose
	case "workflow":
		return "yaml"
	}
	return ""
}

var (
	quotedText = regexp.MustCompile(`"([^"\n]{1,200})"|(?:^|\s)'([^'\n]{1,200})'`)
	word       = regexp.MustCompile(`[\p{L}\p{N}_.+#-]+`)
	named      = regexp.MustCompile(`(?i)\b(?:called|named)\s+["'` + "`" + `]?([A-Za-z_]\w*)`)
	nameBefore = regexp.MustCompile(`(?i)([A-Za-z_]\w*(?:\s+(?:profile|account|item|entry|order|record|data))?)\s+(?:data\s*class|dataclass|class|struct|interface|type|record|model|table|entity|enum|enumeration|form|object)\b`)
	nameAfter  = regexp.MustCompile(`(?i:\b(?:class|struct|interface|type|record|model|table|entity|enum|enumeration|object))\s+(?i:(?:for|of|representing|to represent|called|that represents|describing|modelling|modeling)\s+(?:an?\s+|the\s+)?)?([A-Za-z_]\w*(?:\s+(?:profile|account|item|entry|order))?)`)
	wantsPath  = regexp.MustCompile(`(?i)\b(?:file(?:name)?|path|save(?:d)?(?:\s+it)?|write(?:\s+it)?|put(?:\s+it)?|store(?:\s+it)?|output)\s+(?:called|named|as|to|into|in|at|=|:)\s+(?:(?:the\s+)?file\s+)?["'` + "`" + `]?([^\s"'` + "`" + `,;]+)`)
	barePath   = regexp.MustCompile(`(?:^|[\s"'` + "`" + `])((?:[\w./\\-]*\.\.[/\\]|~/|[A-Za-z]:[/\\])[\w./\\-]+|\.?/[\w./-]+\.\w+)`)
)

// noNames are words before "class" that do not name it.
var noNames = []string{"a", "an", "the", "this", "simple", "small", "typescript", "javascript", "java", "go", "golang", "python", "rust", "c", "sql",
	"new", "me", "create", "write", "generate", "make", "basic", "data", "html", "for", "with", "in", "that", "some", "my", "base"}

func tokens(text string) []string {
	all := word.FindAllString(strings.ToLower(text), -1)
	for i := range all {
		all[i] = strings.TrimRight(all[i], ".-")
	}
	return all
}

func hasWord(words []string, any ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(any, w) })
}

// purposeIn finds the purpose whose phrase is the longest that occurs; of several as long the one that comes first.
func purposeIn(words []string) string {
	text := " " + strings.Join(words, " ") + " "
	best, length, first := "", 0, len(text)
	for _, p := range purposes() {
		for phrase := range strings.SplitSeq(p.phrases, ",") {
			phrase = strings.TrimSpace(phrase)
			at := strings.Index(text, " "+phrase+" ")
			n := len(strings.Fields(phrase))
			if at >= 0 && (n > length || n == length && (at < first || best == "page")) { // everything of HTML is on a page
				if p.id == "page" && n == length {
					continue
				}
				best, length, first = p.id, n, at
			}
		}
	}
	return best
}

// languageIn finds a language. "Go" and "C" are also other words: they count in capitals, or after "in" and the like.
func languageIn(text string, words []string) string {
	for i, w := range words {
		before := ""
		if i > 0 {
			before = words[i-1]
		}
		switch {
		case (w == "go" || w == "c") && slices.Contains([]string{"in", "using", "with", "a", "an", "simple", "to", "this", "for", "into", "as"}, before):
			return w
		case w == "go" || w == "c":
			if regexp.MustCompile(`\b` + strings.ToUpper(w) + `\b`).MatchString(text) {
				return w
			}
			if w == "go" && regexp.MustCompile(`\bGo\b`).MatchString(text) || len(words) == 1 {
				return w
			}
		}
		for _, l := range languages {
			if slices.Contains(l.words, w) {
				return l.id
			}
		}
	}
	return ""
}

// nameIn finds the name of a type.
func nameIn(text string) string {
	if m := named.FindStringSubmatch(text); m != nil && !slices.Contains(noNames, strings.ToLower(m[1])) {
		return m[1]
	}
	for _, m := range nameBefore.FindAllStringSubmatch(text, -1) {
		if first, _, _ := strings.Cut(strings.ToLower(m[1]), " "); !slices.Contains(noNames, first) {
			return m[1]
		}
	}
	for _, m := range nameAfter.FindAllStringSubmatch(text, -1) {
		if first, _, _ := strings.Cut(strings.ToLower(m[1]), " "); !slices.Contains(noNames, first) {
			return m[1]
		}
	}
	return ""
}

// pathIn finds the name that the user wants for the file, as it was said.
func pathIn(text string) string {
	if m := wantsPath.FindStringSubmatch(text); m != nil && strings.ContainsAny(m[1], `./\`) && len(strings.Trim(m[1], ".")) > 0 {
		return strings.TrimRight(m[1], ".,!?")
	}
	if m := barePath.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// plain makes one line of a text, without control characters.
func plain(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s))
}
