// SPDX-License-Identifier: Apache-2.0

package currency

import (
	"strconv"
	"strings"
	"time"
)

// WhenKind tells what a text says of the day.
type WhenKind uint8

const (
	WhenUnset   WhenKind = iota // nothing
	WhenLatest                  // "latest", "today", "now"
	WhenDay                     // a day
	WhenUnclear                 // something about time that names no single day of the calendar
)

// When is the day that a text asks for.
type When struct {
	Kind     WhenKind
	Day      Date   // of WhenDay
	Relative bool   // counted from today, as "yesterday" is
	Text     string // as written
}

func unclear(text string) When { return When{Kind: WhenUnclear, Text: text} }

func dayOrUnclear(year, month, day int, text string) When {
	d, ok := newDate(year, month, day)
	if !ok {
		return unclear(text)
	}
	return When{Kind: WhenDay, Day: d, Text: text}
}

// numericDate reads a date in digits at the beginning of text and returns its length, 0 if there is none. 05.01.2024
// is written day first everywhere. 05/01/2024 is not, so it is clear only when one of the numbers is above 12.
func numericDate(text string) (When, int) {
	fields, marks, size := digitFields(text)
	if len(fields) != 3 || marks[0] != marks[1] {
		return When{}, 0
	}
	raw := text[:size]
	var n [3]int
	for i, field := range fields {
		n[i], _ = strconv.Atoi(field) // at most four digits
	}
	size += clockLen(text[size:])
	switch lengths := [3]int{len(fields[0]), len(fields[1]), len(fields[2])}; {
	case lengths[0] == 4 && lengths[1] <= 2 && lengths[2] <= 2:
		return dayOrUnclear(n[0], n[1], n[2], raw), size
	case lengths[0] > 2 || lengths[1] > 2 || marks[0] == '.' && lengths[2] != 4:
		return When{}, 0
	case lengths[2] == 2:
		return unclear(raw), size
	case lengths[2] != 4:
		return When{}, 0
	case marks[0] == '.' || n[0] > 12 || n[0] == n[1]:
		return dayOrUnclear(n[2], n[1], n[0], raw), size
	case n[1] > 12:
		return dayOrUnclear(n[2], n[0], n[1], raw), size
	}
	return unclear(raw), size
}

// digitFields cuts three runs of at most four digits apart, and the two marks between them.
func digitFields(text string) (fields []string, marks []byte, size int) {
	for {
		start := size
		for digitAt(text, size) {
			size++
		}
		if size == start || size-start > 4 {
			return nil, nil, 0
		}
		fields = append(fields, text[start:size])
		if len(fields) == 3 {
			return fields, marks, size
		}
		if size == len(text) || !strings.ContainsRune("-/.", rune(text[size])) {
			return nil, nil, 0
		}
		marks = append(marks, text[size])
		size++
	}
}

// clockLen is the length of the time of day of an ISO timestamp: rates have days only.
func clockLen(text string) int {
	if len(text) < 2 || text[0] != 'T' || !isDigit(rune(text[1])) {
		return 0
	}
	end := 1
	for end < len(text) && (isDigit(rune(text[end])) || strings.IndexByte(":.Z+-", text[end]) >= 0) {
		end++
	}
	return end
}

var (
	latestWords = set("latest today today's now current currently")
	pastWords   = set("last past previous")
	nextWords   = set("next coming following")
	periods     = set("week month quarter year weekend decade century")
	yearLeads   = set("in of during since year")
	ordinals    = set("st nd rd th")

	months = map[string]int{
		"january": 1, "jan": 1, "february": 2, "feb": 2, "march": 3, "mar": 3, "april": 4, "apr": 4, "may": 5, "june": 6, "jun": 6,
		"july": 7, "jul": 7, "august": 8, "aug": 8, "september": 9, "sept": 9, "sep": 9, "october": 10, "oct": 10, "november": 11,
		"nov": 11, "december": 12, "dec": 12,
	}
	weekdays = map[string]time.Weekday{
		"sunday": 0, "monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6,
	}
	shortWeekdays = map[string]time.Weekday{
		"sun": 0, "mon": 1, "tue": 2, "tues": 2, "wed": 3, "thu": 4, "thur": 4, "thurs": 4, "fri": 5, "sat": 6,
	}
)

// A calendar finds dates in tokens, counted from today.
type calendar struct {
	tokens []token
	today  Date
}

// findDates replaces the words of dates by date tokens.
func findDates(in []token, today Date) []token {
	c := calendar{in, today}
	var out []token
	for i := 0; i < len(in); {
		when, used := c.at(i)
		if used == 0 {
			out = append(out, in[i])
			i++
			continue
		}
		if when.Text == "" {
			when.Text = c.written(i, used)
		}
		out = append(out, token{kind: kindDate, text: when.Text, glued: in[i].glued, when: when})
		i += used
	}
	return out
}

// at matches a date that begins at token i and returns how many tokens it takes.
func (c calendar) at(i int) (When, int) {
	for _, match := range []func(int) (When, int){c.numeric, c.namedDay, c.weekday, c.ago, c.monthFirst, c.dayFirst, c.period, c.year} {
		if when, used := match(i); used > 0 {
			return when, used
		}
	}
	return When{}, 0
}

func (c calendar) numeric(i int) (When, int) {
	if t := c.tokens[i]; t.kind == kindDate {
		return t.when, 1
	}
	return When{}, 0
}

func (c calendar) namedDay(i int) (When, int) {
	switch word := c.word(i); {
	case latestWords[word]:
		return When{Kind: WhenLatest}, 1
	case word == "yesterday" || word == "yesterday's":
		return c.relative(0, 0, -1), 1
	case word == "tomorrow" || word == "tomorrow's":
		return c.relative(0, 0, 1), 1
	case word == "day" && c.word(i+1) == "before" && c.word(i+2) == "yesterday":
		return c.relative(0, 0, -2), 3
	case word == "day" && c.word(i+1) == "after" && c.word(i+2) == "tomorrow":
		return c.relative(0, 0, 2), 3
	}
	return When{}, 0
}

func (c calendar) relative(years, months, days int) When {
	return When{Kind: WhenDay, Day: c.today.add(years, months, days), Relative: true}
}

func (c calendar) weekday(i int) (When, int) {
	lead := c.word(i)
	if day, ok := weekdays[lead]; ok {
		return c.relative(0, 0, -daysBetween(day, c.today.weekday())), 1
	}
	day, ok := weekdays[c.word(i+1)]
	if !ok {
		day, ok = shortWeekdays[c.word(i+1)]
	}
	if !ok {
		return When{}, 0
	}
	switch {
	case pastWords[lead]:
		return c.relative(0, 0, -1-daysBetween(day, c.today.add(0, 0, -1).weekday())), 2
	case lead == "on":
		return c.relative(0, 0, -daysBetween(day, c.today.weekday())), 2
	case nextWords[lead]:
		return c.relative(0, 0, 1+daysBetween(c.today.add(0, 0, 1).weekday(), day)), 2
	case lead == "this":
		return unclear(""), 2
	}
	return When{}, 0
}

// daysBetween is how many days the second weekday comes after the first, 0 to 6.
func daysBetween(from, to time.Weekday) int { return (int(to) - int(from) + 7) % 7 }

// ago matches "3 weeks ago" and "a year ago".
func (c calendar) ago(i int) (When, int) {
	if c.word(i+2) != "ago" {
		return When{}, 0
	}
	n, ok := c.smallNumber(i)
	if !ok {
		return When{}, 0
	}
	switch strings.TrimSuffix(c.word(i+1), "s") {
	case "day":
		return c.relative(0, 0, -n), 3
	case "week":
		return c.relative(0, 0, -7*n), 3
	case "month":
		return c.relative(0, -n, 0), 3
	case "year":
		return c.relative(-n, 0, 0), 3
	}
	return When{}, 0
}

func (c calendar) smallNumber(i int) (int, bool) {
	if word := c.word(i); word == "a" || word == "an" {
		return 1, true
	} else if n, ok := numerals[word]; ok {
		return int(n), true
	}
	return c.digits(i, 1, 3)
}

// monthFirst matches "January 5, 2024", "Jan 5th", and "January 2024", which lacks the day.
func (c calendar) monthFirst(i int) (When, int) {
	month, ok := months[c.word(i)]
	if !ok {
		return When{}, 0
	}
	if year, ok := c.digits(i+1, 4, 4); ok && plausibleYear(year) {
		return unclear(""), 2
	}
	day, used := c.dayOfMonth(i + 1)
	if used == 0 {
		return When{}, 0
	}
	return c.withYear(month, day, i, 1+used)
}

// dayFirst matches "5 Jan 2024", "5th of January" and "the 5th January, 2024".
func (c calendar) dayFirst(i int) (When, int) {
	day, used := c.dayOfMonth(i)
	if used == 0 {
		return When{}, 0
	}
	if c.word(i+used) == "of" {
		used++
	}
	month, ok := months[c.word(i+used)]
	if !ok {
		return When{}, 0
	}
	return c.withYear(month, day, i, used+1)
}

func (c calendar) dayOfMonth(i int) (day, used int) {
	day, ok := c.digits(i, 1, 2)
	if !ok || day < 1 || day > 31 {
		return 0, 0
	}
	if i+1 < len(c.tokens) && c.tokens[i+1].glued && ordinals[c.word(i+1)] {
		return day, 2
	}
	return day, 1
}

// withYear takes the year behind a day and a month. Without one the latest such day that has come is meant.
func (c calendar) withYear(month, day, start, used int) (When, int) {
	comma := 0
	if at := start + used; at < len(c.tokens) && c.tokens[at].kind == kindComma {
		comma = 1
	}
	if year, ok := c.digits(start+used+comma, 4, 4); ok && plausibleYear(year) {
		return dayOrUnclear(year, month, day, ""), used + comma + 1
	}
	year := c.today.time().Year()
	for back := range 8 { // 29 February may be up to eight years back
		if d, ok := newDate(year-back, month, day); ok && d <= c.today {
			return When{Kind: WhenDay, Day: d, Relative: true}, used
		}
	}
	return unclear(""), used
}

// period matches "last month" and the like: a span, not a day.
func (c calendar) period(i int) (When, int) {
	if lead := c.word(i); (pastWords[lead] || nextWords[lead] || lead == "this") && periods[c.word(i+1)] {
		return unclear(""), 2
	}
	return When{}, 0
}

// year matches "in 2020", where 2020 is no amount of anything.
func (c calendar) year(i int) (When, int) {
	year, ok := c.digits(i+1, 4, 4)
	if !ok || !yearLeads[c.word(i)] || !plausibleYear(year) {
		return When{}, 0
	}
	if i+2 < len(c.tokens) {
		next := c.tokens[i+2]
		_, named := aliases[next.fold]
		if _, code := names[strings.ToUpper(next.fold)]; named || code || next.kind == kindCurrency {
			return When{}, 0
		}
	}
	return unclear(c.tokens[i+1].text), 2
}

func plausibleYear(year int) bool { return year >= 1900 && year < 2200 }

// digits reads a number token of plain digits, so many at least and at most.
func (c calendar) digits(i, least, most int) (int, bool) {
	if i >= len(c.tokens) || c.tokens[i].kind != kindNumber {
		return 0, false
	}
	text := c.tokens[i].text
	if !onlyDigits(text) || len(text) < least || len(text) > most {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

func (c calendar) word(i int) string {
	if i >= len(c.tokens) || c.tokens[i].kind != kindWord {
		return ""
	}
	return c.tokens[i].fold
}

func (c calendar) written(i, used int) string {
	var b strings.Builder
	for j, t := range c.tokens[i : i+used] {
		if j > 0 && !t.glued {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}
