// SPDX-License-Identifier: Apache-2.0

package images

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-a2a/dragoman/apps/samples/images/paint"
)

// set makes a lexicon of lines "meaning: word, phrase, ...".
func set(lines ...string) map[string]string {
	m := map[string]string{}
	for _, line := range lines {
		meaning, list, _ := strings.Cut(line, ":")
		for phrase := range strings.SplitSeq(list, ",") {
			m[strings.TrimSpace(phrase)] = meaning
		}
	}
	return m
}

// Phrases of up to four words, and what they mean.
var (
	styles = set(
		"photorealistic: photorealistic, photo-realistic, realistic, realism, photo, photograph, photographic, lifelike, 3d",
		"watercolour: watercolour, watercolor, watercolours, watercolors, water colour, water color, aquarelle, painterly, impressionist",
		"sketch: sketch, sketched, sketchy, pencil, pencil drawing, line art, line drawing, hand-drawn, hand drawn, doodle",
		"pixel: pixel, pixel art, pixelart, 8-bit, 8 bit, pixelated, retro game",
		"cartoon: cartoon, cartoonish, comic, comic book, anime, manga",
		"flat: flat, flat design, minimalist, minimal, minimalistic, clipart, clip art, icon",
	)
	scenery = set(
		"sky: sky, blue sky, in the air, the sky",
		"sunset: sunset, sunrise, dusk, dawn, sundown",
		"night: night, midnight, nighttime, night sky, starry, starry sky, moonlit, moonlight, at night, evening",
		"sea: sea, ocean, lake, water, underwater, river, waves, pond",
		"beach: beach, shore, island, seaside, coast, beaches",
		"forest: forest, woods, jungle, wood, rainforest",
		"space: space, outer space, galaxy, universe, cosmos",
		"desert: desert, dunes, sahara",
		"snow: snow, snowy, winter, wintry, ice, arctic, antarctica, christmas",
		"rain: rain, rainy, rainstorm, storm, stormy, thunderstorm, rainfall",
		"room: room, kitchen, indoors, inside, living room, wooden table, bar, cafe",
		"meadow: meadow, field, grass, garden, park, lawn, countryside, farm, hill, hills, nature",
		"city: street, town, road, downtown, urban",
	)
	// cities are scenery after "in the", and a subject otherwise.
	cities = []string{"city", "skyline", "cities"}

	sizes  = set("small: small, tiny, little, mini, miniature", "large: big, large, huge, giant, enormous, gigantic, massive, great")
	places = set(
		"left: left, left side, left-hand side", "right: right, right side, right-hand side",
		"top: top, upper, upper half", "bottom: bottom, lower, lower half", "center: center, centre, middle",
		"top left: top left, upper left, top-left, upper left corner, top left corner",
		"top right: top right, upper right, top-right, corner, upper right corner, top right corner",
		"bottom left: bottom left, lower left, bottom-left", "bottom right: bottom right, lower right, bottom-right",
	)
	sides = set(
		"left: left of, to the left of", "right: right of, to the right of",
		"above: above, over", "under: under, below, beneath, underneath",
		"beside: next to, beside, besides, by, near, close to", "on: on, on top of, atop, upon",
	)
	numbers = map[string]int{
		"a": 1, "an": 1, "one": 1, "single": 1, "two": 2, "pair": 2, "couple": 2, "three": 3, "few": 3, "some": 3, "several": 4, "four": 4,
		"five": 5, "six": 6, "half-dozen": 6, "seven": 7, "many": 8, "lots": 9, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "dozen": 12,
	}
	// idle are words that say nothing about a picture.
	idle = wordSet(`draw paint generate create make produce show render design give me us please can could you would i want need like
		to picture image images pictures drawing illustration painting artwork art wallpaper poster logo the of a an that this is are it
		its it's my your our their for very really cute beautiful pretty nice lovely happy cool awesome great amazing striking
		high-quality quality high resolution detailed quick new another different simple some one thing something anything whatever
		stuff surprise style styled look looking looks hello hi hey thanks thank ok okay now just then also too only with let's let
		have see get do be background backdrop scene scenery canvas format colored coloured color colour colors colours colorful
		colourful bright by as using in at on from inside there which has having up out same all any what how about idea don't know
		mind choose pick random hmm um maybe perhaps so sitting standing running flying jumping sleeping swimming walking playing
		looking wearing holding driving sailing eating floating shining growing day daytime morning and front behind where while
		else text words caption title saying jpeg jpg png gif svg webp file pixels px wide high tall square`)

	// grounds are words before a background.
	grounds = []string{"in", "at", "on", "during", "into", "to", "against", "through", "inside"}
)

func wordSet(text string) map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		m[word] = true
	}
	return m
}

// longest is how many words a phrase of any lexicon has at most.
const longest = 4

// match finds the longest phrase of a lexicon at a position.
func (w words) match(i int, lexicon map[string]string) (meaning string, n int) {
	for n := min(longest, len(w)-i); n > 0; n-- {
		if meaning, ok := lexicon[strings.Join(w[i:i+n], " ")]; ok {
			return meaning, n
		}
	}
	return "", 0
}

// subject finds the longest name of something that can be drawn.
func (w words) subject(i int) (name string, n int) {
	for n := min(longest, len(w)-i); n > 0; n-- {
		if name, ok := paint.Find(strings.Join(w[i:i+n], " ")); ok {
			return name, n
		}
	}
	return "", 0
}

// colour finds the name of a colour: "light blue", "#ff0000", "teal".
func (w words) colour(i int) (name string, n int) {
	for n := min(2, len(w)-i); n > 0; n-- {
		name := strings.TrimSuffix(strings.Join(w[i:i+n], " "), "-coloured")
		if _, ok := paint.Colour(name); ok {
			return name, n
		}
	}
	return "", 0
}

// anyColour finds the first colour.
func (w words) anyColour() string {
	for i := range w {
		if name, n := w.colour(i); n > 0 {
			return name
		}
	}
	return ""
}

// meaning finds the first phrase of a lexicon.
func (w words) meaning(lexicon map[string]string) string {
	for i := range w {
		if m, n := w.match(i, lexicon); n > 0 {
			return m
		}
	}
	return ""
}

// background finds the first background.
func (w words) background() string {
	for i := range w {
		if kind, n := w.match(i, scenery); n > 0 {
			return kind
		}
		if slices.Contains(cities, w[i]) {
			return "city"
		}
	}
	return ""
}

// count reads a number of things.
func count(word string) (int, bool) {
	if n, ok := numbers[word]; ok {
		return n, true
	}
	n, err := strconv.Atoi(word)
	return n, err == nil && n > 0 && n < 1000
}

var (
	area   = regexp.MustCompile(`\b(\d{1,5})\s*(?:x|×|\*|by)\s*(\d{1,5})\b`)
	number = regexp.MustCompile(`^-?\d+(?:\.\d+)?`)
	format = regexp.MustCompile(`(?i)\b(?:as|in|to|into)\s+(?:an?\s+)?(png|jpe?g)\b|\.(png|jpe?g)\b|\b(png|jpe?g)\s+(?:file|format|image|picture)\b`)
)

// sizeIn finds "640x480".
func sizeIn(text string) (width, height int, ok bool) {
	m := area.FindStringSubmatch(strings.ToLower(text))
	if m == nil {
		return 0, 0, false
	}
	width, _ = strconv.Atoi(m[1])
	height, _ = strconv.Atoi(m[2])
	return width, height, true
}

// formatIn finds the media type that a text asks for; "" when it asks for none.
func formatIn(text string) string {
	m := format.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	if strings.EqualFold(m[1]+m[2]+m[3], "png") {
		return paint.PNG
	}
	return paint.JPEG
}

// amount finds the first number; "50%" is 50 with percent.
func (w words) amount() (value float64, percent, ok bool) {
	for i, word := range w {
		if m := number.FindString(word); m != "" {
			value, err := strconv.ParseFloat(m, 64)
			percent = strings.HasSuffix(word, "%") || w.at(i+1) == "%" || strings.HasPrefix(w.at(i+1), "percent")
			return value, percent, err == nil
		}
	}
	return 0, false, false
}
