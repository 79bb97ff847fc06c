// SPDX-License-Identifier: Apache-2.0

package movies

import (
	"slices"
	"strconv"
	"strings"
)

// genreWords are what people call genres, by TMDB's id.
var genreWords = map[string]int{
	"action": 28, "adventure": 12, "adventures": 12, "animated": 16, "animation": 16, "cartoon": 16, "cartoons": 16, "anime": 16, "comedy": 35, "comedies": 35, "funny": 35,
	"crime": 80, "gangster": 80, "documentary": 99, "documentaries": 99, "drama": 18, "dramas": 18, "family": 10751, "kids": 10751, "children": 10751, "fantasy": 14,
	"history": 36, "historical": 36, "horror": 27, "scary": 27, "musical": 10402, "musicals": 10402, "mystery": 9648, "mysteries": 9648, "romance": 10749, "romantic": 10749, "love": 10749,
	"sci-fi": 878, "scifi": 878, "sci fi": 878, "science fiction": 878, "science-fiction": 878, "thriller": 53, "thrillers": 53, "suspense": 53, "war": 10752, "western": 37, "westerns": 37,
	"romcom": 35, "rom-com": 35,
}

var (
	genreWord = lazily(`(?i)\b(?:sci-fi|sci fi|science[ -]fiction|rom-?com|[a-z]+)\b`)
	decade    = lazily(`(?i)\b(?:(19|20)?(\d)0'?s|(twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties))\b`)
	between   = lazily(`(?i)\b(?:between|from) ((?:19|20)\d\d) (?:and|to|until|till) ((?:19|20)\d\d)\b`)
	since     = lazily(`(?i)\b(?:since|from|after) ((?:19|20)\d\d)( on(?:wards?)?)?\b`)
	before    = lazily(`(?i)\b(?:before|until|up to|older than) ((?:19|20)\d\d)\b`)
	inYear    = lazily(`(?i)\b(?:in|of|year|came out in|released in) ((?:19|20)\d\d)\b`)
	ageWords  = lazily(`(?i)\b(?:(old|classic|vintage)|(recent|new|modern|latest))\b`)
	goodWords = lazily(`(?i)\b(?:best|top|highest rated|greatest)\b`)
	listing   = lazily(` and | & |, `)
	leadWords = lazily(`(?i)\b(?:(female|woman|women|girl)|(male))(?: as(?: the)?)? (?:lead|leads|protagonists?|main characters?|hero(?:ine)?s?)\b|\b(heroine)\b`)

	decadeNames = []string{"", "", "twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties"}
)

func genreOf(word string) (int, bool) {
	id, ok := genreWords[strings.ToLower(word)]
	return id, ok
}

// withFacets reads the features of films that a text asks for, and who makes them.
func withFacets(r Request, s string) Request {
	r.Other = also().MatchString(s)
	rest := s
	if m := liked().FindStringSubmatch(s); m != nil && r.Intent == askRecommend && !strings.HasPrefix(strings.ToLower(m[1]), "watching") && !strings.HasPrefix(strings.ToLower(m[1]), "to ") {
		if _, isGenre := genreOf(strings.TrimSuffix(m[1], " movies")); !isGenre {
			r.Titles = []Ref{title(m[1])}
			rest = strings.Replace(s, m[1], "", 1)
		}
	}
	r.Filter = facets(rest)
	rest = leadWords().ReplaceAllString(rest, "")
	if m := directed().FindStringSubmatch(rest); m != nil && name(m[1]) {
		ref := person(m[1])
		r.Director = &ref
	}
	if m := starring().FindStringSubmatch(rest); m != nil {
		for _, each := range listing().Split(m[1], maxPeople) {
			if name(each) {
				r.People = append(r.People, person(each))
			}
		}
	}
	return r
}

// maxPeople is how many people a search may name.
const maxPeople = 4

// name reports whether words after "with" or "by" can be a name: "a female lead" is none.
func name(s string) bool {
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(s)), " ")
	return first != "" && !slices.Contains([]string{"a", "an", "the", "some", "good", "great", "lots", "many", "no", "my", "our", "more"}, first) || slices.Contains(personWords[:6], strings.ToLower(s)) && s != ""
}

// facets reads genres and years.
func facets(s string) Filter {
	var f Filter
	for _, word := range genreWord().FindAllString(s, -1) {
		if id, ok := genreOf(word); ok && !slices.Contains(f.Genres, id) {
			f.Genres = append(f.Genres, id)
		}
		if strings.HasPrefix(strings.ToLower(word), "rom") && strings.HasSuffix(strings.ToLower(word), "com") {
			f.Genres = append(f.Genres, 10749)
		}
	}
	f.years(s)
	if m := leadWords().FindStringSubmatch(s); m != nil {
		f.Lead = 2
		if m[1] != "" || m[3] != "" {
			f.Lead = 1
		}
	}
	if goodWords().MatchString(s) {
		f.MinVote = 7
	}
	return f
}

// years reads which years are meant.
func (f *Filter) years(s string) {
	year := func(text string) int {
		n, _ := strconv.Atoi(text) // digits
		return n
	}
	if m := between().FindStringSubmatch(s); m != nil {
		f.From, f.To = year(m[1]), year(m[2])
		return
	}
	if m := decade().FindStringSubmatch(s); m != nil {
		f.decade(m)
		return
	}
	if m := since().FindStringSubmatch(s); m != nil {
		f.From = year(m[1])
		if strings.HasPrefix(strings.ToLower(m[0]), "after") {
			f.From++
		} else if strings.HasPrefix(strings.ToLower(m[0]), "from") && m[2] == "" {
			f.To = f.From
		}
	}
	if m := before().FindStringSubmatch(s); m != nil {
		f.To = year(m[1]) - 1
	}
	if m := inYear().FindStringSubmatch(s); m != nil {
		f.From, f.To = year(m[1]), year(m[1])
	}
	if m := ageWords().FindStringSubmatch(s); m != nil && f.From == 0 && f.To == 0 {
		if m[1] != "" {
			f.To = oldUntil
		} else {
			f.From = newSince
		}
	}
}

// What "old" and "new" mean.
const (
	oldUntil = 1979
	newSince = 2015
)

// decade reads "90s", "1990s" and "nineties". Without a century it is the newest such decade that is a decade old.
func (f *Filter) decade(m []string) {
	n, century := 0, 19
	if m[3] != "" {
		n = slices.Index(decadeNames, strings.ToLower(m[3]))
	} else {
		n, _ = strconv.Atoi(m[2]) // a digit
	}
	switch {
	case m[1] != "":
		century, _ = strconv.Atoi(m[1]) // two digits
	case n < 2:
		century = 20
	}
	f.From = century*100 + n*10
	f.To = f.From + 9
}
