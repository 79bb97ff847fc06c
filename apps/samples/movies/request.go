// SPDX-License-Identifier: Apache-2.0

package movies

import (
	"regexp"
	"slices"
	"strings"
)

// Intent is what somebody wants to know.
type Intent string

const (
	askNothing   Intent = ""
	askAbout     Intent = "about" // a film or a person: "Dune", "tell me about ..."
	askPlot      Intent = "plot"
	askDirector  Intent = "director"
	askCast      Intent = "cast"
	askCharacter Intent = "character" // who plays whom
	askYear      Intent = "year"
	askRuntime   Intent = "runtime"
	askGenre     Intent = "genre"
	askRating    Intent = "rating"
	askCompare   Intent = "compare"
	askFilms     Intent = "films" // of a person
	askPerson    Intent = "person"
	askBorn      Intent = "born"
	askFind      Intent = "find"
	askRecommend Intent = "recommend"
)

// A Request is what a text asks, in the words of the text: nothing is looked up yet.
type Request struct {
	Intent    Intent `json:"intent"`
	Titles    []Ref  `json:"titles,omitempty"` // two for compare, one or none for the rest
	People    []Ref  `json:"people,omitempty"`
	Director  *Ref   `json:"director,omitempty"` // of find and recommend
	Filter    Filter `json:"filter,omitzero"`
	Bare      bool   `json:"bare,omitzero"`      // nothing but a title or a name, or something else altogether
	Other     bool   `json:"other,omitzero"`     // "what other films": without the one that was spoken of
	Directed  bool   `json:"directed,omitzero"`  // of films: those the person directed
	Played    bool   `json:"played,omitzero"`    // of films: those the person plays in
	Character string `json:"character,omitzero"` // "lead" for the main one
	Criterion string `json:"criterion,omitzero"` // of compare: a key of criteria
}

// A Ref names a film or a person. Once it is clear which one that is, it has an ID.
type Ref struct {
	Text   string `json:"text,omitzero"`   // "": the one that was spoken of last
	Gender int    `json:"gender,omitzero"` // of whom "he" or "she" means; 0: not said
	ID     int    `json:"id,omitzero"`
}

// pattern is one way to ask. Its groups "title", "other" (the second title), "person", "director", "character" and
// "criterion" go into the request.
type pattern struct {
	intent Intent
	expr   func() *regexp.Regexp
	loose  bool // what it finds may be no title at all: "what's the weather"
}

const (
	film = `(?:movies?|films?|pictures?)`
	is   = `(?:is|was|are|were|'s)`
	than = `first|earlier|last|later|long(?:er|est)|short(?:er|est)|old(?:er|est)|new(?:er|est)|(?:higher |highest )?rated(?: higher)?|better|best|worse|worst|higher rated|better rated`
)

func ask(intent Intent, expr string) pattern {
	return pattern{intent: intent, expr: lazily(`(?i)^` + expr + `$`)}
}

func perhaps(intent Intent, expr string) pattern {
	p := ask(intent, expr)
	p.loose = true
	return p
}

// patterns are tried in this order.
var patterns = []pattern{
	ask(askCompare, `(?:which|what)(?: one| `+film+`)? ?(?:came out|was released|was made|is|was|has|runs|got)(?: the)? (?P<criterion>`+than+`)(?: rating| one| `+film+`)?[,:;]? ?(?P<title>.+?),? (?:or|and|vs\.?|versus) (?P<other>.+)`),
	ask(askCompare, `which of (?P<title>.+?) and (?P<other>.+?) (?:came out|was released|was made|is|was|has|runs|got)(?: the)? (?P<criterion>`+than+`)(?: rating)?`),
	ask(askCompare, `(?:which|what)(?: one| `+film+`)? ?(?:came out|was released|was made|is|was|has|runs|got)(?: the)? (?P<criterion>`+than+`)(?: rating| one| `+film+`)?`),
	ask(askCompare, `(?:is|was|does|did) (?P<title>.+?) (?:come out |run |released |made )?(?P<criterion>`+than+`|before|after) (?:than )?(?P<other>.+)`),
	ask(askCompare, `compare (?P<title>.+?) (?:and|with|to|or|vs\.?) (?P<other>.+)`),

	ask(askDirector, `who (?:directed|shot|made|(?:is|was|were|are) the directors? (?:of|behind)) (?P<title>.+)`),
	ask(askDirector, `who `+is+` (?:the|its|that `+film+`'s|the `+film+`'s) directors?`),
	ask(askDirector, `(?:the |its )?directors?(?: of (?P<title>.+))?`),
	ask(askDirector, `who is (?P<title>.+?)(?:'s|’s) director`),

	ask(askDirector, `(?:did|was|is) .+? (?:direct|directed by|the director of|made by) (?P<title>.+)`),
	ask(askDirector, `(?:was|is) (?P<title>.+?) (?:directed|made) by .+`),
	ask(askCast, `(?:did|does|is|was) .+? (?:star|play|act|appear|starring|acting)? ?in (?P<title>.+)`),

	ask(askPlot, `(?:what(?:'s| is| was) )?(?:about )?(?:the |a |its )?(?:plot|story(?:line)?|synopsis|summary)(?: (?:of|to|for|behind) (?P<title>.+))?`),
	ask(askPlot, `what(?:'s| is| was) (?P<title>.+?) (?:all )?about`),
	ask(askPlot, `what(?:'s| is| was) (?P<title>.+?)(?:'s|’s) (?:plot|story)`),
	ask(askPlot, `what happens in (?P<title>.+)`),
	ask(askPlot, `(?:summari[sz]e|describe|explain) (?:the (?:plot|story) of )?(?P<title>.+)`),

	ask(askBorn, `(?:when|where|in (?:which|what) (?:year|country|city|place)|what year) `+is+` (?P<person>.+?) born`),
	ask(askBorn, `how old `+is+` (?P<person>.+)`),

	ask(askYear, `(?:when|in (?:which|what) year|(?:what|which) year) (?:was|were|did|has|is)(?: the `+film+`)? (?P<title>.+?) (?:first )?(?:released?|come out|came out|coming out|made|premiered?|(?:hit|reach|come to|shown in) .*)`),
	ask(askYear, `(?:what(?:'s| is| was) )?(?:the |its )?(?:release (?:date|year)|year)(?: of (?P<title>.+))?`),
	ask(askYear, `(?:what|which) year (?:is|was) (?P<title>.+?)(?: from)?`),
	ask(askYear, `how old is the `+film+` (?P<title>.+)`),

	ask(askRuntime, `how (?:long|many minutes) (?:is|was|does|did|are)(?: the `+film+`)? ?(?P<title>.+?)(?: (?:run|last|long|take))?`),
	ask(askRuntime, `(?:what(?:'s| is| was) )?(?:the |its )?(?:runtime|run time|running time|length|duration)(?: of (?P<title>.+))?`),

	ask(askGenre, `(?:what|which) (?:genres?|(?:kind|type|sort) of `+film+`) (?:is|was|does) (?P<title>.+?)(?: (?:belong to|in|have))?`),
	ask(askGenre, `(?:what(?:'s| is| are| was) )?(?:the |its )?genres?(?: of (?P<title>.+))?`),

	ask(askRating, `how (?:good|well rated|highly rated|bad) (?:is|was) (?P<title>.+)`),
	ask(askRating, `how (?:is|was) (?P<title>.+?) rated`),
	ask(askRating, `(?:what(?:'s| is| was) )?(?:the |its )?(?:rating|score)(?: (?:of|for) (?P<title>.+))?`),
	ask(askRating, `(?:is|was) (?P<title>.+?) (?:any good|good|bad|worth (?:watching|seeing|it|my time))`),

	ask(askCharacter, `(?:who|which act(?:or|ress)) (?:plays|played|portrays|portrayed|is|was) (?P<character>.+?) in (?P<title>.+)`),
	ask(askCast, `(?:who|which (?:actors?|actress(?:es)?))(?: else)? (?:stars|starred|star|acts|acted|act|plays|played|play|appears|appeared|is|was|are|were)(?: (?:starring|acting|playing))?(?: in)? ?(?P<title>it|this|that|(?:this|that|the) `+film+`)`),
	ask(askCast, `(?:who|which (?:actors?|actress(?:es)?))(?: else)? (?:stars|starred|star|acts|acted|act|plays|played|play|appears|appeared|is|was|are|were)(?: (?:starring|acting|playing))? in (?P<title>.+)`),
	ask(askCast, `who's in (?P<title>.+)`),
	ask(askCast, `(?:what(?:'s| is| was)|who(?:'s| is| are| were)) (?:in )?(?:the |its )?(?:cast|actors?|stars?)(?: (?:of|in) (?P<title>.+))?`),
	ask(askCast, `(?:the |its )?(?:cast|actors|stars)(?: (?:of|in) (?P<title>.+))?`),
	ask(askCharacter, `who (?:plays|played|portrays|portrayed) (?P<character>.+)`),

	ask(askFilms, `(?:what|which|name|list|show(?: me)?)(?: all)?(?: the| of the)?(?: other| more)? ?`+film+`?(?: else)?(?: that)? (?:has|have|did|does|was|were|is) (?P<person>.+?) (?:also )?(?:been in|been|appear(?:ed)?(?: in)?|act(?:ed)? in|play(?:ed)? in|star(?:red)? in|direct(?:ed)?|ma[dk]e|done|do|in|known for|famous for)(?: .*)?`),
	ask(askFilms, `(?:the )?filmography of (?P<person>.+)`),
	ask(askFilms, `(?P<person>.+?)(?:'s|’s) (?:other )?(?:filmography|`+film+`)`),
	ask(askFilms, `(?:his|her|their) (?:other )?(?:filmography|`+film+`)`),

	ask(askAbout, `(?:tell me (?:more |something )?about|what do you know about|what about|how about|info(?:rmation)? (?:on|about)) (?P<title>.+)`),
	ask(askPerson, `who(?: `+is+`|'s) (?P<person>.+)`),
	perhaps(askAbout, `(?:what(?:'s| is| was)) (?P<title>.+)`),
}

var (
	polite    = lazily(`(?i)^(?:[\s,.!-]+|(?:please|hi|hello|hey|ok|okay|well|so|and|but|thanks|thank you|great|cool|now|then|also|can you|could you|would you|will you|do you know|i want to know|i would like to know|i'd like to know|i wonder|let me know)\b)`)
	telling   = lazily(`(?i)^tell me (?:about )?(the (?:plot|story|synopsis|summary|cast|actors|director|genre|rating|score|release|runtime|length)|who|what|when|which|how|where)\b`)
	ending    = lazily(`(?i)(?:[\s?.!,]+|,? (?:please|thanks|thank you|by the way|again|tonight|today|for me|exactly|then|do you know))$`)
	recommend = lazily(`(?i)\b(?:recommend\w*|suggest\w*|what (?:should|can|could|shall|to) (?:i |we )?(?:watch|see)|(?:something|anything|a ` + film + `|what|one) to (?:watch|see)|(?:feel like|in the mood for)\b|(?:want|like|love) to (?:watch|see)|^(?:any )?(?:another|others?|next)(?: one| ` + film + `)?$|one more|^(?:anything|something|what|any) else$|^(?:any|some|got any)(?: \w+)* (?:good|decent|great|nice|fun|scary|exciting)\b|^(?:any|some) (?:good|decent|great|nice|fun))`)
	find      = lazily(`(?i)^(?:find|show|list|search|give|name|are there|is there|any|which|what|look for|get|all|some|do you have)\b.*\b` + film + `\b|^(?:find|show|list|search|look for|get me|give me)\b|^(?:\S+ ){0,3}(?:movies|films|comedies|thrillers|dramas|westerns|musicals|documentaries|cartoons)\b`)
	liked     = lazily(`(?i)\b(?:(?:i|we) (?:really )?(?:liked?|loved?|enjoyed?)|(?:something|anything|` + film + `|more|one) (?:like|similar to)|similar to)\s+(.+?)(?:,.*)?$`)
	starring  = lazily(`(?i)\b(?:starring|featuring|stars|with|acted by|played by|in which)\s+(?:the actor |the actress |both )?(.+?)(?:` + stops + `|$)`)
	directed  = lazily(`(?i)\b(?:directed by|made by|by director|by)\s+(?:the director )?(.+?)(?:` + stops + `|$)`)
	also      = lazily(`(?i)\b(?:other|else|more|another)\b`)
)

// stops end a name in a sentence.
const stops = `[,;.?!]| (?:from|in|of|before|after|since|between|until|directed|starring|featuring|with|that|which|who|where|released|made|please|tonight|today|by|for|plays?|as|and (?:from|directed|starring|made|released)|stars?)\b`

// parse reads a text by the rules.
func parse(text string) Request {
	s := trim(clean(text, maxQuestion))
	if s == "" {
		return Request{}
	}
	if recommend().MatchString(s) {
		return withFacets(Request{Intent: askRecommend}, s)
	}
	for _, p := range patterns {
		if m := p.expr().FindStringSubmatch(s); m != nil {
			if r, ok := p.request(m, s); ok {
				return r
			}
		}
	}
	if find().MatchString(s) {
		if r := withFacets(Request{Intent: askFind}, s); r.specific() {
			return r
		}
	}
	if len(strings.Fields(s)) <= maxBare {
		return Request{Intent: askAbout, Titles: []Ref{title(s)}, Bare: true}
	}
	return Request{}
}

const (
	maxQuestion = 500 // runes of a text that are read
	maxBare     = 9   // words of a text that may be nothing but a title
)

// specific reports whether a search has anything to go by.
func (r Request) specific() bool {
	f := r.Filter
	return len(r.People) > 0 || r.Director != nil || len(f.Genres) > 0 || f.From > 0 || f.To > 0 || f.Lead > 0 || f.MinVote > 0
}

// trim takes politeness off both ends.
func trim(s string) string {
	for {
		next := ending().ReplaceAllString(s, "")
		next = telling().ReplaceAllString(next, "$1")
		next = polite().ReplaceAllString(next, "")
		next = strings.TrimSpace(next)
		if next == s {
			return s
		}
		s = next
	}
}

// request fills a request with what a pattern found. ok is false when a search by features is meant after all.
func (p pattern) request(m []string, s string) (r Request, ok bool) {
	r.Intent = p.intent
	got := func(name string) string {
		for i, n := range p.expr().SubexpNames() {
			if n == name && m[i] != "" {
				return m[i]
			}
		}
		return ""
	}
	switch p.intent {
	case askCompare:
		r.Criterion = criterionOf(got("criterion"))
		if got("title") != "" {
			r.Titles = []Ref{title(got("title")), title(got("other"))}
		}
	case askFilms, askPerson, askBorn:
		r.People = []Ref{person(got("person"))}
		if got("person") == "" { // "her other films"
			word, _, _ := strings.Cut(strings.ToLower(s), " ")
			r.People[0].Gender = genderOf(word)
		}
		r.Other = also().MatchString(s)
		r.Directed = strings.Contains(strings.ToLower(s), " direct")
		r.Played = !r.Directed && (strings.Contains(s, " in") || strings.Contains(s, " star"))
		if _, named := genreOf(got("person")); named || got("person") == "there" {
			return r, false
		}
	case askCharacter:
		r.Character = character(got("character"))
		r.Titles = []Ref{title(got("title"))}
	default:
		r.Titles = []Ref{title(got("title"))}
		r.Bare = p.loose
	}
	return r, true
}

// criteria are the ways to compare films.
var criteria = map[string]string{
	"first": "first", "earlier": "first", "older": "first", "oldest": "first", "before": "first",
	"last": "last", "later": "last", "newer": "last", "newest": "last", "after": "last",
	"longer": "longest", "longest": "longest", "shorter": "shortest", "shortest": "shortest", "worse": "worst", "worst": "worst",
}

func criterionOf(word string) string {
	if c, ok := criteria[strings.ToLower(word)]; ok || word == "" {
		return or(c, "all")
	}
	return "best"
}

var (
	noun         = lazily(`(?i)^(?:the |this |that |a )?` + film + ` (?:called |named |titled )?|[,]? (?:the )?` + film + `$`)
	itWords      = []string{"it", "this", "that", "this one", "that one", "the first one", "the movie", "the film", "this movie", "this film", "that movie", "that film", "its", ""}
	personWords  = []string{"he", "she", "him", "her", "they", "them", "this person", "that person", "the director", "this director", "that director", "the actor", "the actress", "that actor", "that actress", "this actor", "this actress", "his", ""}
	leadingRoles = lazily(`(?i)^(?:the |its )?(?:main|lead|leading|title|principal)(?: (?:character|role|part|hero|heroine|actor|actress))?$|^(?:the )?(?:hero|heroine|protagonist|lead|star)$`)
)

// title makes a Ref of what stands where a title belongs.
func title(s string) Ref {
	s = strings.Trim(strings.TrimSpace(s), `"'“”‘’«»?!., `)
	if slices.Contains(itWords, strings.ToLower(s)) {
		return Ref{}
	}
	if without := noun().ReplaceAllString(s, ""); fold(without) != "" && !strings.EqualFold(s, "scary movie") {
		s = without
	}
	return Ref{Text: strings.Trim(s, `"'“”‘’«» `)}
}

// person makes a Ref of what stands where a name belongs.
func person(s string) Ref {
	s = strings.Trim(strings.TrimSpace(s), `"'“”?!., `)
	if lower := strings.ToLower(s); slices.Contains(personWords, lower) {
		return Ref{Gender: genderOf(lower)}
	}
	for _, lead := range []string{"the actor ", "the actress ", "the director ", "actor ", "actress ", "director "} {
		if len(s) > len(lead) && strings.EqualFold(s[:len(lead)], lead) {
			s = s[len(lead):]
		}
	}
	return Ref{Text: s}
}

func genderOf(pronoun string) int {
	switch pronoun {
	case "she", "her", "the actress", "that actress", "this actress":
		return 1
	case "he", "him", "his":
		return 2
	}
	return 0
}

func character(s string) string {
	if leadingRoles().MatchString(s) {
		return "lead"
	}
	return strings.TrimSpace(s)
}
