// SPDX-License-Identifier: Apache-2.0

package repairshop

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A Car is a make, a model and a year; "" and 0 are not known yet.
type Car struct {
	Make  string `json:"make,omitempty"`
	Model string `json:"model,omitempty"`
	Year  int    `json:"year,omitempty"`
}

// String writes "Toyota Camry 2018".
func (c Car) String() string { return fmt.Sprintf("%s %s %d", c.Make, c.Model, c.Year) }

// merge takes what the other one knows.
func (c *Car) merge(o Car) {
	if o.Make != "" {
		c.Make, c.Model = o.Make, o.Model
	}
	if o.Year != 0 {
		c.Year = o.Year
	}
}

// missing names what is not known, "" if all is.
func (c Car) missing() string {
	switch {
	case c.Make == "" && c.Year == 0:
		return "make, model and year"
	case c.Make == "":
		return "make and model"
	case c.Model == "" && c.Year == 0:
		return "model and year"
	case c.Model == "":
		return "model"
	case c.Year == 0:
		return "year"
	}
	return ""
}

// makes are those that the shop knows, in lower case, with how they are written.
var makes = map[string]string{
	"audi": "Audi", "bmw": "BMW", "chevrolet": "Chevrolet", "chevy": "Chevrolet", "citroen": "Citroën", "citroën": "Citroën", "dacia": "Dacia",
	"dodge": "Dodge", "fiat": "Fiat", "ford": "Ford", "gmc": "GMC", "honda": "Honda", "hyundai": "Hyundai", "jeep": "Jeep", "kia": "Kia", "lexus": "Lexus",
	"mazda": "Mazda", "mercedes": "Mercedes", "mini": "Mini", "mitsubishi": "Mitsubishi", "nissan": "Nissan", "opel": "Opel", "peugeot": "Peugeot",
	"porsche": "Porsche", "renault": "Renault", "seat": "Seat", "skoda": "Skoda", "subaru": "Subaru", "suzuki": "Suzuki", "tesla": "Tesla",
	"toyota": "Toyota", "volkswagen": "Volkswagen", "volvo": "Volvo", "vw": "Volkswagen",
}

// notModels are words that follow a make and are no model.
var notModels = strings.Fields("a an and are at built car from has have in is it made makes my of on that the was which with won't")

var (
	wordPattern = regexp.MustCompile(`[\pL\pN][\pL\pN'’-]*`)
	yearPattern = regexp.MustCompile(`^(?:19[5-9]\d|20[0-4]\d)$`)
)

// readCar finds a car in a text.
func readCar(text string) Car {
	var c Car
	words := wordPattern.FindAllString(text, -1)
	for i, w := range words {
		if yearPattern.MatchString(w) {
			c.Year, _ = strconv.Atoi(w)
		}
		known, ok := makes[strings.ToLower(w)]
		if !ok || c.Make != "" {
			continue
		}
		c.Make = known
		if i+1 < len(words) && !yearPattern.MatchString(words[i+1]) && !slices.Contains(notModels, strings.ToLower(words[i+1])) && complaintOf(words[i+1]) == "" {
			c.Model = words[i+1]
		}
	}
	return c
}

// answerCar reads the answer to the question which car it is, where a make need not be known and a model may come alone.
func answerCar(text string, known Car) Car {
	c := readCar(text)
	if c.Make != "" {
		return c
	}
	var words []string
	for _, w := range wordPattern.FindAllString(text, -1) {
		if !yearPattern.MatchString(w) && !slices.Contains(notModels, strings.ToLower(w)) {
			words = append(words, w)
		}
	}
	switch {
	case known.Make != "" && known.Model == "" && len(words) == 1:
		c.Make, c.Model = known.Make, words[0]
	case known.Make == "" && len(words) == 2:
		c.Make, c.Model = words[0], words[1]
	}
	return c
}

// complaints are what may be wrong, by words that customers use. The first that fits counts.
var complaints = []struct {
	id, words string // id is what the manual calls it
	text      string
	pattern   *regexp.Regexp
}{
	{"start", "won't start", "it does not start", regexp.MustCompile(`(?i)(?:won['’]?t|wont|not|n['’]t|never|no longer) start|\bno start\b|\bbattery\b`)},
	{"light", "warning light", "the engine's warning light is on", regexp.MustCompile(`(?i)(?:check|engine|warning)[ -](?:engine|light)`)},
	{"leak", "leak", "it loses fluid", regexp.MustCompile(`(?i)\bleak|\bfluid|\bdrip|\bpuddle`)},
	{"rattle", "rattle", "a rattling noise", regexp.MustCompile(`(?i)\brattl`)},
	{"squeal", "squeal", "squealing brakes", regexp.MustCompile(`(?i)\bsqueal|\bsqueak|\bscreech`)},
	{"grind", "grind", "grinding brakes", regexp.MustCompile(`(?i)\bgrind|\bscrap(?:e|ing)|\bbrakes?\b`)},
	{"clunk", "clunk", "a clunking noise", regexp.MustCompile(`(?i)\bclunk|\bknock|\bbang`)},
	{"hum", "hum", "a humming noise", regexp.MustCompile(`(?i)\bhum(?:s|ming)?\b|\bwhin(?:e|ing)|\bdron(?:e|ing)`)},
	{"rough", "runs rough", "the engine runs rough", regexp.MustCompile(`(?i)\brough|\bstall|\bmisfir|\bshak(?:es?|ing)\b|\bvibrat|\bjerk`)},
}

// complaintOf returns the id of what a text complains about, "" if it is nothing known.
func complaintOf(text string) string {
	for _, c := range complaints {
		if c.pattern.MatchString(text) {
			return c.id
		}
	}
	return ""
}

// describe says a complaint in words.
func describe(id string) string {
	for _, c := range complaints {
		if c.id == id {
			return c.text
		}
	}
	return id
}

var (
	frontPattern = regexp.MustCompile(`(?i)\bfront\b`)
	rearPattern  = regexp.MustCompile(`(?i)\b(?:rear|back|behind)\b`)
	sincePattern = regexp.MustCompile(`(?i)\b(?:(?:for|since)\s+[^.,;!?\n]{1,60}|(?:\d+|a|an|one|two|three|few|some|several)\s+(?:days?|weeks?|months?|years?))\b`)
)

// axleOf returns "front" or "rear"; "" if a text says neither or both.
func axleOf(text string) string {
	front, rear := frontPattern.MatchString(text), rearPattern.MatchString(text)
	switch {
	case front == rear:
		return ""
	case front:
		return "front"
	}
	return "rear"
}

// A verdict is what an answer to a yes-or-no question comes to.
type verdict int

const (
	unclear verdict = iota
	yes
	no
)

var (
	noPattern  = regexp.MustCompile(`(?i)^\W*(?:no|nope|nah|n|don['’]?t|do not|not\b|stop|cancel|never ?mind|forget it|decline)\b|\btoo expensive\b|\bno,? thank|\bdon['’]?t\b|\bdo not\b`)
	yesPattern = regexp.MustCompile(`(?i)^\W*(?:yes|yep|yeah|y|ok|okay|sure|please|fine|agreed|approved?|go ahead|do it|of course|alright|all right)\b|\bgo ahead\b|\bdo it\b`)
	endPattern = regexp.MustCompile(`(?i)^\W*(?:never ?mind|forget it|cancel(?: (?:it|that|this))?|stop|quit)\W*$`)
)

// readVerdict reads the answer to an estimate.
func readVerdict(text string) verdict {
	switch {
	case noPattern.MatchString(text):
		return no
	case yesPattern.MatchString(text):
		return yes
	}
	return unclear
}

// maxWords is how many runes of another agent's words are shown.
const maxWords = 500

// clean makes one short line of what another agent says.
func clean(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if r := []rune(s); len(r) > maxWords {
		return string(r[:maxWords]) + "…"
	}
	return s
}
