// SPDX-License-Identifier: Apache-2.0

package currency

import (
	"slices"
	"strings"
)

// MaxText is the longest text that [Parse] reads, in bytes. Nobody needs more to ask for a rate, and cutting a text
// about money would be worse than refusing it.
const MaxText = 2000

// MaxTargets is how many currencies one request may convert into.
const MaxTargets = 10

// A ProblemKind says why a text cannot be answered as it stands.
type ProblemKind uint8

const (
	TooLong           ProblemKind = iota + 1 // the text is over MaxText
	UnknownCurrency                          // Text is no currency; Codes are near matches
	AmbiguousCurrency                        // Text may be any of Codes
	UnclearAmount                            // more than one amount, or a number that can be read in several ways
	NegativeAmount                           // below zero
	SeveralSources                           // amounts in more than one currency: Codes
	TooManyTargets                           // over MaxTargets
	SeveralDates                             // more than one day
	UnclearDate                              // Text is no single day
	FutureDate                               // Text has not come yet; only [Dialogue] finds this
)

// A Slot is a part of a request that a question may ask for.
type Slot string

const (
	SlotNone   Slot = ""
	SlotAmount Slot = "amount"
	SlotFrom   Slot = "from"
	SlotTo     Slot = "to"
	SlotDate   Slot = "date"
)

// A Problem is one reason to ask back.
type Problem struct {
	Kind  ProblemKind
	Slot  Slot   // the one it leaves open
	Text  string // as the user wrote it
	Codes []string
}

// A Request is what a text says. What it does not say is empty.
type Request struct {
	Amount   *Decimal
	Pointed  bool // the amount looks like 1.234, which some readers take for 1234
	From     string
	To       []string
	Loose    []string // currencies of which the text alone does not tell the role, in order
	When     When
	Problems []Problem
	Topical  bool // about converting money, whether or not anything in it is usable
	Trade    bool // has a word of the trade, such as "rate" or "convert"
	FollowUp bool // begins like a change to an earlier request: "and", "what about"
}

// Hints tell [Parse] what the text does not.
type Hints struct {
	Today Date // what "yesterday" counts from; required for relative dates
	Open  bool // a question is open, so that a word alone may be the answer to it
}

var (
	topicWords = set("currency currencies exchange convert converted converting conversion rate rates forex fx worth price cost costs value quote equals equal equivalent")
	followUps  = []string{"and", "also", "what about", "how about", "now", "same", "ok and", "instead", "make it", "make that"}
	amountEnds = set("to in into onto from of for please as at on worth using with now today yesterday instead then too thanks")
	rangeWords = set("to or and x times by e") // e: 1e5, which nobody should guess at
)

// Parse reads what a text asks for. It never fails and takes time in proportion to the length of the text, which
// is limited to [MaxText]: what it cannot make out is a [Problem].
func Parse(text string, h Hints) Request {
	if len(text) > MaxText {
		return Request{Problems: []Problem{{Kind: TooLong}}, Topical: true}
	}
	tokens := joinNumbers(findDates(lex(text), h.Today))
	return readTokens(findCurrencies(tokens, h.Open), strings.ToLower(text))
}

func readTokens(tokens []token, lower string) Request {
	p := &parser{tokens: tokens}
	p.readWhen()
	p.readAmounts()
	p.readRoles()
	p.settle()
	p.nameUnknown()
	p.request.Trade = slices.ContainsFunc(tokens, func(t token) bool { return t.is(topicWords) })
	p.request.Topical = p.request.Trade || p.topical()
	p.request.FollowUp = followsUp(lower)
	return p.request
}

func followsUp(lower string) bool {
	lower = strings.TrimSpace(lower)
	return strings.HasSuffix(strings.TrimRight(lower, ".!? "), " instead") || slices.ContainsFunc(followUps, func(lead string) bool {
		rest, ok := strings.CutPrefix(lower, lead)
		return ok && (rest == "" || rest[0] == ' ' || rest[0] == ',')
	})
}

type role uint8

const (
	roleNone    role = iota
	roleSource       // has the amount, or comes after "from"
	roleBetween      // the first after "between"
	roleTarget       // comes after to, in, into
	roleMany         // the yen of "how many yen"
	roleMuch         // the yen of "how much yen is ...": a target when something else is the source
)

// A player is a currency token and its part in the conversion.
type player struct {
	at      int // index of the token
	role    role
	listed  bool // joined to the player before by a comma or "and"
	money   mention
	written string
	amount  *number
}

type parser struct {
	tokens  []token
	players []player
	request Request
}

func (p *parser) problem(kind ProblemKind, slot Slot, text string, codes ...string) {
	p.request.Problems = append(p.request.Problems, Problem{kind, slot, text, codes})
}

func (p *parser) readWhen() {
	for _, t := range p.tokens {
		if t.kind != kindDate {
			continue
		}
		old := p.request.When
		switch {
		case old.Kind == WhenUnset || (old.Kind == WhenLatest && t.when.Kind != WhenLatest):
			p.request.When = t.when
		case t.when.Kind == WhenLatest || (old.Day == t.when.Day && old.Kind == t.when.Kind):
		default:
			p.problem(SeveralDates, SlotDate, old.Text+", "+t.when.Text)
			return
		}
	}
	if p.request.When.Kind == WhenUnclear {
		p.problem(UnclearDate, SlotDate, p.request.When.Text)
	}
}

// readAmounts finds the players and gives each the amount beside it.
func (p *parser) readAmounts() {
	for i, t := range p.tokens {
		if t.kind == kindCurrency {
			p.players = append(p.players, player{at: i, money: t.money, written: t.text})
		}
	}
	var free []int
	for i, t := range p.tokens {
		if t.kind != kindNumber {
			continue
		}
		if p.kindAt(i+1) == kindPercent || p.rangeAt(i) || p.followsAmount(i) {
			p.problem(UnclearAmount, SlotAmount, t.text)
			return
		}
		if owner := p.owner(i); owner != nil {
			owner.amount = &p.tokens[i].count
		} else if p.freeAmount(i) {
			free = append(free, i)
		}
	}
	p.settleAmount(free)
}

func (p *parser) kindAt(i int) tokenKind {
	if i < 0 || i >= len(p.tokens) {
		return kindStop
	}
	return p.tokens[i].kind
}

// rangeAt tells whether the number at i and the next are parts of one expression: "5-10", "5 to 10", "5 and 10".
func (p *parser) rangeAt(i int) bool {
	if p.kindAt(i+2) != kindNumber {
		return p.kindAt(i+1) == kindNumber
	}
	switch p.kindAt(i + 1) {
	case kindWord:
		return rangeWords[p.tokens[i+1].fold]
	case kindCurrency, kindDate, kindNumber:
		return false
	}
	return true
}

// owner finds the player that the number at i counts. A symbol in front of the number has it; else the name behind
// it, except in "USD 100 GBP".
func (p *parser) owner(i int) *player {
	before, after := p.playerAt(i-1), p.playerAt(i+1)
	switch {
	case before == nil || before.amount != nil:
		return after
	case after == nil || before.money.sign:
		return before
	case p.introducedBy(before.at, intoWords):
		return after // "to GBP 100 USD"
	}
	return before
}

// followsAmount tells whether the number at i comes right after an amount and its currency: "3 dollars 50".
func (p *parser) followsAmount(i int) bool {
	before := p.playerAt(i - 1)
	return before != nil && before.amount != nil && !before.money.sign && p.playerAt(i+1) == nil
}

func (p *parser) playerAt(i int) *player {
	for n := range p.players {
		if p.players[n].at == i {
			return &p.players[n]
		}
	}
	return nil
}

// freeAmount tells whether the number at i, which has no currency beside it, can be an amount: not the 30 of "30 years".
func (p *parser) freeAmount(i int) bool {
	if i+1 < len(p.tokens) && p.tokens[i+1].kind == kindWord {
		return p.tokens[i+1].is(amountEnds)
	}
	return true
}

// settleAmount decides which number is the amount. Those beside a currency count before all others.
func (p *parser) settleAmount(free []int) {
	for _, t := range p.tokens {
		if t.is(vague) {
			p.problem(UnclearAmount, SlotAmount, t.text)
			return
		}
	}
	var owned []player
	for _, pl := range p.players {
		if pl.amount != nil {
			owned = append(owned, pl)
		}
	}
	switch {
	case len(owned) > 1:
		var codes []string
		for _, pl := range owned {
			codes = append(codes, pl.money.codes...)
		}
		slices.Sort(codes)
		if codes = slices.Compact(codes); len(codes) > 1 {
			p.problem(SeveralSources, SlotFrom, "", codes...)
		} else {
			p.problem(UnclearAmount, SlotAmount, "")
		}
	case len(owned) == 1:
		p.setAmount(*owned[0].amount)
	case len(free) > 1:
		p.problem(UnclearAmount, SlotAmount, "")
	case len(free) == 1:
		p.setAmount(p.tokens[free[0]].count)
	}
}

func (p *parser) setAmount(n number) {
	switch {
	case n.negative:
		p.problem(NegativeAmount, SlotAmount, "")
	case n.bad:
		p.problem(UnclearAmount, SlotAmount, "")
	default:
		p.request.Amount, p.request.Pointed = &n.value, n.pointed
	}
}

// readRoles gives each player the role that the words in front of it say.
func (p *parser) readRoles() {
	for n := range p.players {
		pl := &p.players[n]
		if pl.amount != nil {
			pl.role = roleSource
			pl.listed = n > 0 && p.joined(n)
			continue
		}
		if pl.role = p.hint(pl.at); pl.role != roleNone || n == 0 {
			continue
		}
		before := p.players[n-1]
		slash := p.kindAt(pl.at-1) == kindSlash
		pl.listed = p.joined(n) && !slash
		beside := before.at == pl.at-1 || slash || pl.listed
		if beside && (before.role == roleTarget || before.role == roleBetween) {
			pl.role = roleTarget
		}
	}
}

// joined tells whether only list words, commas and slashes stand between the player and the one before.
func (p *parser) joined(n int) bool {
	from, to := p.players[n-1].at+1, p.players[n].at
	seen := false
	for i := from; i < to; i++ {
		t := p.tokens[i]
		switch {
		case t.kind == kindComma, t.kind == kindSlash, t.is(listWords):
			seen = true
		case t.is(noiseWords), t.kind == kindNumber:
		default:
			return false
		}
	}
	return seen
}

// hint reads the words in front of the token at i.
func (p *parser) hint(i int) role {
	for i--; i >= 0; i-- {
		t := p.tokens[i]
		if t.is(noiseWords) || (t.kind == kindStop && i > 0 && p.tokens[i-1].kind == kindArrow) {
			continue
		}
		switch {
		case t.kind == kindArrow, t.is(intoWords):
			return roleTarget
		case t.is(fromWords):
			return roleSource
		case t.kind != kindWord:
			return roleNone
		case t.fold == "between":
			return roleBetween
		case t.fold == "many" && i > 0 && p.tokens[i-1].fold == "how":
			return roleMany
		case t.fold == "much" && i > 0 && p.tokens[i-1].fold == "how":
			return roleMuch
		}
		return roleNone
	}
	return roleNone
}

func (p *parser) introducedBy(i int, words map[string]bool) bool {
	for i--; i >= 0 && p.tokens[i].is(noiseWords); {
		i--
	}
	return i >= 0 && p.tokens[i].is(words)
}

// settle turns roles into source, targets and loose currencies.
func (p *parser) settle() {
	p.turnRound()
	var sources, targets, loose []player
	for _, pl := range p.players {
		switch pl.role {
		case roleSource, roleBetween:
			sources = append(sources, pl)
		case roleTarget, roleMany, roleMuch:
			targets = append(targets, pl)
		default:
			loose = append(loose, pl)
		}
	}
	if len(sources) == 0 && len(loose) > 0 && len(loose)+len(targets) > 1 {
		sources, loose = loose[:1], loose[1:]
	}
	if len(sources) > 0 && len(targets) == 0 {
		targets, loose = loose, nil
	}
	if stray := firstListed(loose); stray != nil && len(sources) > 0 {
		sources = append(sources, *stray) // "100 USD and EUR in GBP"
	}
	p.setSources(sources)
	p.setTargets(targets)
	if len(sources) == 0 && len(targets) == 0 {
		p.setLoose(loose)
	}
}

// maxUnknownWords is how many words are taken for the name of one currency that does not exist.
const maxUnknownWords = 3

// nameUnknown finds words where the missing side of a conversion should be: "100 USD in monopoly money".
func (p *parser) nameUnknown() {
	r := &p.request
	source, target := r.From != "" || len(r.Loose) == 1, len(r.To) > 0
	if source == target || len(r.Problems) > 0 {
		return
	}
	for i := range p.tokens {
		if source && p.tokens[i].is(intoWords) {
			if text, end := p.plainWords(i + 1); text != "" && p.endsAt(end) {
				p.problem(UnknownCurrency, SlotTo, text)
				return
			}
		}
		if target && p.kindAt(i) == kindNumber {
			if text, end := p.plainWords(i + 1); text != "" && p.kindAt(end) == kindWord && p.tokens[end].is(intoWords) {
				p.setAmount(p.tokens[i].count)
				p.problem(UnknownCurrency, SlotFrom, text)
				return
			}
		}
	}
}

// plainWords returns the few words from token i on that mean nothing else, and where they end; "" when there are none,
// or too many.
func (p *parser) plainWords(i int) (text string, end int) {
	for p.kindAt(i) == kindWord && p.tokens[i].is(noiseWords) {
		i++
	}
	var words []string
	for ; p.kindAt(i) == kindWord && !p.tokens[i].is(closingWords); i++ {
		words = append(words, p.tokens[i].text)
	}
	if len(words) > maxUnknownWords {
		return "", i
	}
	return strings.Join(words, " "), i
}

// endsAt tells whether a sentence can end before token i.
func (p *parser) endsAt(i int) bool {
	k := p.kindAt(i)
	return k == kindStop || k == kindDate || p.tokens[i].is(closingWords)
}

// turnRound handles questions that name the target first: in "how many yen in a dollar" the dollar is the source.
func (p *parser) turnRound() {
	asked := slices.IndexFunc(p.players, func(pl player) bool { return pl.role == roleMany || pl.role == roleMuch })
	if asked < 0 {
		return
	}
	if slices.ContainsFunc(p.players, func(pl player) bool { return pl.role == roleSource }) {
		return
	}
	if p.players[asked].role == roleMuch {
		p.players[asked].role = roleNone // "how much dollar in rupees": the dollar is the source after all
		return
	}
	if asked+1 < len(p.players) {
		p.players[asked+1].role = roleSource
	}
}

func firstListed(loose []player) *player {
	for n := range loose {
		if loose[n].listed {
			return &loose[n]
		}
	}
	return nil
}

func (p *parser) setSources(sources []player) {
	var codes []string
	for _, pl := range sources {
		if code, ok := p.code(pl, SlotFrom); ok && !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	switch {
	case p.has(SeveralSources):
	case len(codes) > 1:
		p.problem(SeveralSources, SlotFrom, "", codes...)
	case len(codes) == 1:
		p.request.From = codes[0]
	}
}

func (p *parser) has(kind ProblemKind) bool {
	return slices.ContainsFunc(p.request.Problems, func(pr Problem) bool { return pr.Kind == kind })
}

func (p *parser) setTargets(targets []player) {
	for _, pl := range targets {
		if code, ok := p.code(pl, SlotTo); ok && !slices.Contains(p.request.To, code) {
			p.request.To = append(p.request.To, code)
		}
	}
	if len(p.request.To) > MaxTargets {
		p.problem(TooManyTargets, SlotTo, "")
		p.request.To = nil
	}
}

func (p *parser) setLoose(loose []player) {
	for _, pl := range loose {
		if code, ok := p.code(pl, SlotNone); ok && !slices.Contains(p.request.Loose, code) {
			p.request.Loose = append(p.request.Loose, code)
		}
	}
}

// code is the one currency that a player stands for; else a problem is noted.
func (p *parser) code(pl player, slot Slot) (string, bool) {
	switch {
	case pl.money.unknown:
		p.problem(UnknownCurrency, slot, pl.written, nearCodes(pl.written)...)
	case len(pl.money.codes) > 1:
		p.problem(AmbiguousCurrency, slot, pl.written, pl.money.codes...)
	default:
		return pl.money.codes[0], true
	}
	return "", false
}

// topical tells whether the text is about converting money: it names two currencies or an amount of one, or it names
// one and little else.
func (p *parser) topical() bool {
	content, quantity := 0, false
	for i, t := range p.tokens {
		if t.kind != kindWord || noiseWords[t.fold] || closingWords[t.fold] {
			continue
		}
		content++
		quantity = quantity || ((t.fold == "much" || t.fold == "many") && i > 0 && p.tokens[i-1].fold == "how")
	}
	owned := slices.ContainsFunc(p.players, func(pl player) bool { return pl.amount != nil })
	const few = 1 // words that may stand beside a lone currency: "euros maybe"
	return owned || len(p.players) > 1 || (p.request.Amount != nil && p.has(UnknownCurrency)) || (len(p.players) == 1 && (quantity || content <= few)) ||
		(len(p.players) == 0 && content <= few && (p.request.Amount != nil || p.request.When.Kind != WhenUnset || len(p.request.Problems) > 0))
}
