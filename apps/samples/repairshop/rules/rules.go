// SPDX-License-Identifier: Apache-2.0

// Package rules stands in for a language model: it finds cars, complaints and yes or no in what customers write. The
// agents ask for what it does not find.
package rules

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/dragoman-a2a/dragoman/apps/samples/internal/reply"
)

// A Car is a make, a model and a year; "" and 0 are not known yet.
type Car struct {
	Make  string `json:"make,omitempty"`
	Model string `json:"model,omitempty"`
	Year  int    `json:"year,omitempty"`
}

// String writes "Toyota Camry 2018".
func (c Car) String() string { return fmt.Sprintf("%s %s %d", c.Make, c.Model, c.Year) }

// Missing names what is not known, "" if all is.
func (c Car) Missing() string {
	var names []string
	if c.Make == "" {
		names = append(names, "make")
	}
	if c.Model == "" {
		names = append(names, "model")
	}
	if c.Year == 0 {
		names = append(names, "year")
	}
	return reply.And(names)
}

const makes = "Audi|BMW|Dacia|Fiat|Ford|Honda|Hyundai|Kia|Mazda|Nissan|Opel|Peugeot|Renault|Skoda|Toyota|Volkswagen|" +
	"Volvo|VW"

var (
	named     = regexp.MustCompile(`(?i)\b(` + makes + `)\b(?: ([a-z0-9][\w-]*))?`)
	year      = regexp.MustCompile(`\b(?:19[5-9]\d|20[0-4]\d)\b`)
	whole     = regexp.MustCompile(`(?i)^(?:an? |my )?([a-z][\w-]*) ([\w-]+)(?: (?:from )?\d{4})?[.!]?$`)
	oneWord   = regexp.MustCompile(`^[\w-]+[.!]?$`)
	notModels = regexp.MustCompile(
		`(?i)^(?:an?|and|are|at|built|does|from|has|have|in|is|it|makes|making|of|on|that|the|was|which|with|won)$`)
)

// ReadCar finds in a text what it says of a car, beside what is known. When asked is set, the text answers the question
// which car it is: then any make counts, and a model may come alone.
func ReadCar(text string, known Car, asked bool) Car {
	c := known
	if y := year.FindString(text); y != "" {
		c.Year, _ = strconv.Atoi(y) // four digits
	}
	if m := named.FindStringSubmatch(text); m != nil {
		c.Make, c.Model = m[1], m[2]
		if notModels.MatchString(c.Model) || year.MatchString(c.Model) || Complaint(c.Model) != "" {
			c.Model = ""
		}
		if strings.EqualFold(c.Make, "vw") {
			c.Make = "Volkswagen"
		}
		return c
	}
	switch m := whole.FindStringSubmatch(strings.TrimSpace(text)); {
	case asked && c.Make == "" && m != nil:
		c.Make, c.Model = m[1], m[2]
	case asked && c.Make != "" && c.Model == "" && oneWord.MatchString(text) && !year.MatchString(text):
		c.Model = strings.Trim(text, ".!")
	}
	return c
}

// Complaints are what may be wrong, by what the manual calls it. The first one that has one of its words counts.
var Complaints = []struct{ ID, Text, words string }{
	{"start", "it does not start", "not start|n't start|no longer start|battery"},
	{"light", "the engine's warning light is on", "check engine|engine light|warning light"},
	{"leak", "it loses fluid", "leak|fluid|drip|puddle"},
	{"rattle", "a rattling noise", "rattl"},
	{"squeal", "squealing brakes", "squeal|squeak|screech"},
	{"grind", "grinding brakes", "grind|scrap|brake"},
	{"clunk", "a clunking noise", "clunk|knock"},
	{"hum", "a humming noise", "humming|whining|droning"},
	{"rough", "the engine runs rough", "rough|stall|misfir|shakes|vibrat|jerk"},
}

// Complaint returns the id of what a text complains about, "" if it is nothing known.
func Complaint(text string) string {
	text = strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	for _, c := range Complaints {
		for word := range strings.SplitSeq(c.words, "|") {
			if strings.Contains(text, word) {
				return c.ID
			}
		}
	}
	return ""
}

// Describe says a complaint in words.
func Describe(id string) string {
	for _, c := range Complaints {
		if c.ID == id {
			return c.Text
		}
	}
	return id
}

// Axle returns "front" or "rear"; "" if a text says neither or both.
func Axle(text string) string {
	front, rear := strings.Contains(text, "front"), strings.Contains(text, "rear")
	if front == rear {
		return ""
	}
	return map[bool]string{true: "front", false: "rear"}[front]
}

var (
	since = regexp.MustCompile(`(?i)\b(?:for|since)\s+[^.,;!?\n]{1,60}`)
	no    = regexp.MustCompile(
		`(?i)^\W*(?:no|nope|n|not|stop|cancel|never ?mind)\b|\btoo expensive\b|\bdon['’]?t\b|\bdo not\b`)
	yes  = regexp.MustCompile(`(?i)^\W*(?:yes|y|ok|okay|sure|please|agreed|approved?)\b|\bgo ahead\b|\bdo it\b`)
	ends = regexp.MustCompile(`(?i)^\W*(?:never ?mind|forget it|cancel(?: (?:it|that|this))?|stop|quit)\W*$`)
)

// Since returns how long it has been so, as the text says it.
func Since(text string) string { return since.FindString(text) }

// Agrees reads the answer to a yes-or-no question; clear is false when it is neither.
func Agrees(text string) (agrees, clear bool) {
	refuses := no.MatchString(text)
	return !refuses && yes.MatchString(text), refuses || yes.MatchString(text)
}

// Ends reports whether the customer wants no more.
func Ends(text string) bool { return ends.MatchString(text) }
