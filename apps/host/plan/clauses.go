// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"regexp"
	"slices"
	"strings"
)

// relation says in which order two clauses that stand side by side are to be done.
type relation int

const (
	beside   relation = iota // in any order
	forward                  // the left one first
	backward                 // the right one first
)

// A clause is a part of a request that could be one by itself.
type clause struct {
	text     string   // without the words that bind it to others
	from, to int      // its place in the request, with those words
	relation relation // to the clause before it
	first    bool     // it says that it comes before all others
	weak     bool     // the words before it, such as a comma, may also stand within one clause
}

// A binding is what stands between two clauses.
type binding struct {
	pattern  func() *regexp.Regexp
	relation relation
	before   func(right string) bool // what has to follow, because it binds words as often as clauses; nil for anything
}

// The bindings, the more particular ones first.
var bindings = []binding{
	{lazy(
		`(?i)[,;.]?\s*\b(?:and|but)?\s*\b(?:then|after that|afterwards?|after this|once that is done|when that is ` +
			`done|subsequently|finally)\b,?\s+`), forward, nil},
	{lazy(`(?i)[,;.]?\s*\b(?:and\s+)?next\b,?\s+`), forward, commands},
	{lazy(`(?i)[,;]?\s*\band\s+after\b,?\s+`), forward, commands},
	{lazy(`(?i)[,;]?\s*\b(?:but|and)\s+(?:first|before that|beforehand|before you do|prior to that)\b,?\s+`), backward,
		nil},
	{lazy(`(?i),?\s*\bbut\s+(?:only\s+)?after\s+`), backward, startsWithVerb},
	{lazy(`(?i),?\s*\b(?:after|once)\s+(?:you(?:'ve| have)?\s+)?`), backward, startsWithVerb},
	{lazy(`(?i),?\s*\b(?:before|prior to)\s+(?:you\s+|i\s+|we\s+)?`), forward, startsWithVerb},
	{lazy(`(?i),?\s*\bso\s+(?:that\s+)?(?:i|we|you)\s+can\s+`), forward, startsWithVerb},
	{lazy(`(?i)[.!?]+\s+(?:(?:also|plus|and)\b,?\s+)?`), beside, nil},
	{lazy(`\s*[;\n]+\s*|\s+[-–—]+\s+`), beside, nil},
	{lazy(`(?i),?\s+with\s+(?:the|that|its)\s+\w+\s+`), beside, startsWithVerb},
	{lazy(`(?i),?\s*\b(?:but|though|although|however)\b,?\s+`), beside, wantsCurrency},
	{lazy(`(?i),?\s*\b(?:and|but|plus|while)\s+(?:also\s+)?`), beside, startsWithVerb},
	{lazy(`(?i),\s+(?:also\s+)?`), beside, startsWithVerb},
}

var (
	leadingBefore = lazy(`(?i)^\s*(?:before|prior to)\s+`)
	leadingAfter  = lazy(`(?i)^\s*(?:after|once|when)\s+`)
	leadingFirst  = lazy(`(?i)^\s*(?:first(?:ly)?(?: of all)?|to begin with|start by|begin by)\b[,:]?\s+`)
	saysFirst     = lazy(
		`(?i)[,\s]*\b(?:ahead of time|in advance|beforehand|first of all|before anything else|before that|first)\b`)
	firstOfKind = lazy(
		`(?i)\b(?:the|came(?: out)?|his|her|their|its|my|who|which)\s+(?:\w+\s+)?first\b|\bfirst\s+(?:movie|film|` +
			`name|one|time|row|column|line|page|\d+)`)
	fillers = lazy(
		`(?i)^(?:(?:please|kindly|just|also|then|now|and|but|can|could|would|will|you|i|we|it|they|me|us|to|need|` +
			`want|like|i'd|i'll|you'd|it'll|the amount|the sum|the money|the total|that|this|let's|let|them|have|get|` +
			`someone|somebody)\b[,\s]*)+`)
)

// verbs begin what people ask for. A comma or an "and" parts clauses only in front of one.
var verbs = wordSet(`ask add answer analyse analyze approve bake book build buy calculate cancel change check claim
	clean code combine compare compile compute convert cook count create crop cut debug delete describe design
	develop display do download draw edit email estimate exchange expense explain export extract fetch figure file
	fill find fix forecast generate get give greet illustrate implement improve invert invoice list listen look mail
	make measure merge name open optimise optimize order paint parse pay pick plan play plot post prepare print
	process produce program put question read recolor recolour recommend record refactor refund reimburse remind
	remove rename render repay replace reply report request resize reverse review rewrite rotate run save say
	schedule search see sell send set show sing sketch sort submit suggest sum summarise summarize swap take tell
	test translate turn update upload use validate verify visualise visualize wave welcome work write who what which
	when where why how whose is are was were does did do has have had can could should would will must needs need
	must`)

// clauses takes a request apart. A text without anything to part it at is one clause.
func clauses(text string) []clause {
	if len(text) > maxClauseText {
		return []clause{{text: text, to: len(text)}}
	}
	found, lead := leading(text)
	if found == nil {
		found = split(clause{text: text, from: lead, to: len(text)}, text)
	}
	for i := range found {
		found[i].trim()
	}
	found[0].from = 0
	return slices.DeleteFunc(found, func(c clause) bool { return c.text == "" })
}

// salutation is a greeting before a request, which is courtesy and no request.
var salutation = lazy(
	`(?i)^\s*(?:hi+|hello|hullo|he+y+|hiya|heya|howdy|yo|good (?:morning|afternoon|evening|day)|g'?day|morning|` +
		`evening|dear \w+|greetings)(?:\s+(?:there|again|all|mate|team|folks|everyone))?(?:\s*[,.!;:–—-]+\s*|\s+)`)

func withoutSalutation(text string) string {
	if m := salutation().FindStringIndex(text); m != nil {
		return text[m[1]:]
	}
	return text
}

// maxClauseText is the longest request that is taken apart; what is longer is mostly something pasted.
const maxClauseText = 2000

// leading takes apart what begins with the other clause: "before you file it, convert 20 EUR".
func leading(text string) (found []clause, from int) {
	for _, l := range []struct {
		pattern  func() *regexp.Regexp
		relation relation
	}{{leadingBefore, backward}, {leadingAfter, forward}} {
		m := l.pattern().FindStringIndex(text)
		if m == nil {
			continue
		}
		comma := strings.Index(text, ",")
		if comma < 0 || !startsWithVerb(text[m[1]:]) {
			continue
		}
		sub := clause{text: text[m[1]:comma], to: comma}
		rest := split(clause{text: text[comma+1:], from: comma + 1, to: len(text)}, text)
		rest[0].relation = l.relation
		return append([]clause{sub}, rest...), 0
	}
	return nil, 0
}

// abbreviated ends with a full stop that ends no sentence: "T. rex", "Mr. Okafor".
var abbreviated = lazy(
	`(?:^|\s)(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|No|vs|approx|etc|Co)\.\s+(?:(?:and|also|plus)\s+)?$`)

// split parts one clause at every binding in it.
func split(c clause, text string) []clause {
	for _, b := range bindings {
		for _, m := range b.pattern().FindAllStringIndex(text[c.from:c.to], -1) {
			left, right := text[c.from:c.from+m[0]], text[c.from+m[1]:c.to]
			if strings.TrimSpace(left) == "" || strings.TrimSpace(right) == "" || b.before != nil && !b.before(right) ||
				abbreviated().MatchString(text[c.from:c.from+m[1]]) {
				continue
			}
			one := clause{text: left, from: c.from, to: c.from + m[0], relation: c.relation, weak: c.weak}
			two := clause{text: right, from: c.from + m[1], to: c.to, relation: b.relation, weak: b.before != nil &&
				b.relation == beside}
			return append(split(one, text), split(two, text)...)
		}
	}
	return []clause{c}
}

// trim takes off the words that only say when.
func (c *clause) trim() {
	if m := leadingFirst().FindStringIndex(c.text); m != nil && !firstOfKind().MatchString(c.text) {
		c.first, c.text = true, c.text[m[1]:]
	}
	if m := saysFirst().FindStringIndex(c.text); m != nil && !firstOfKind().MatchString(c.text) {
		c.first, c.text = true, c.text[:m[0]]+c.text[m[1]:]
	}
	c.text = strings.Trim(c.text, " \t\r\n,;")
	c.text = strings.TrimSpace(strings.TrimSuffix(c.text, "."))
}

// asking begins what is surely a request.
var asking = lazy(
	`(?i)^\s*(?:(?:please|kindly|also)\s+)*(?:(?:can|could|would|will) (?:you|i|we)\b|get (?:me|us)\b|give (?:me|` +
		`us)\b|let me\b|i(?:'d| would) like\b|i (?:want|need)\b)`)

// commands reports whether a text begins with what is to be done: "make the request", and not "the weekend", "to me" or
// "converting it".
func commands(text string) bool {
	tokens := tokenize(text[:min(len(text), 60)])
	for _, t := range tokens {
		if t.word != "please" && t.word != "kindly" {
			return verbs[t.word]
		}
	}
	return false
}

// startsWithVerb reports whether a text begins as a request or a question does.
func startsWithVerb(text string) bool {
	if asking().MatchString(text) {
		return true
	}
	rest := fillers().ReplaceAllString(strings.TrimSpace(text), "")
	if rest != strings.TrimSpace(text) && rest == "" {
		return false
	}
	tokens := tokenize(rest[:min(len(rest), 60)])
	if len(tokens) == 0 {
		return false
	}
	word := tokens[0].word
	if verbs[word] || verbs[tokens[0].stem] || verbs[tokens[0].stem+"e"] {
		return true
	}
	base, participle := strings.CutSuffix(word, "ing")
	if !participle {
		base, participle = strings.CutSuffix(word, "ed")
	}
	return participle && len(base) > 2
}

// IsRequest reports whether a text asks for something, as answers mostly do not: a clause of it begins with a verb or a
// word of questions, or it is a question.
func IsRequest(text string) bool {
	text = withoutSalutation(text)
	if len(tokenize(text)) < leastRequest {
		return false
	}
	return strings.Contains(text, "?") ||
		slices.ContainsFunc(clauses(text), func(c clause) bool { return startsWithVerb(c.text) })
}

// leastRequest is how many words a message has at least that is taken for a request while an agent waits: a number, a
// name or a date is an answer.
const leastRequest = 3
