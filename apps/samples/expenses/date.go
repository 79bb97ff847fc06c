// SPDX-License-Identifier: Apache-2.0

package expenses

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	monthWords = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?`
	dayWords   = `monday|tuesday|wednesday|thursday|friday|saturday|sunday`
	countWords = `\d{1,3}|an?|one|two|three|four|five|six|seven`
)

// dateForms are the ways to write a day; all of them together find dates in a text.
const dateForms = `\d{4}-\d{1,2}-\d{1,2}(?:T[\d:.Z+-]+)?|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|(?:the )?day before yesterday|yesterday|today|tonight|this morning|tomorrow` +
	`|(?:` + countWords + `) (?:days?|weeks?) ago|(?:next |last |this |past )?(?:` + dayWords + `)` +
	`|\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:` + monthWords + `)\b\.?(?:,? \d{4})?|(?:` + monthWords + `)\b\.? \d{1,2}(?:st|nd|rd|th)?\b(?:,? \d{4})?`

var (
	dateIn = lazily(`(?i)(?:\b(?:on|from|dated|of|at) (?:the )?)?(?:\b(` + dateForms + `))(?: (?:morning|afternoon|evening|night))?(?:'s)?\b`)

	isoDate  = lazily(`(?i)^(\d{4})-(\d{1,2})-(\d{1,2})(?:T[\d:.Z+-]+)?$`)
	marked   = lazily(`^(\d{1,4})([./-])(\d{1,2})([./-])(\d{1,4})$`)
	ago      = lazily(`^(` + countWords + `) (day|week)s? ago$`)
	weekday  = lazily(`^(next |last |this |past )?(` + dayWords + `)$`)
	dayMonth = lazily(`^(\d{1,2})(?:st|nd|rd|th)?(?: of)? (` + monthWords + `)\.?(?:,? (\d{4}))?$`)
	monthDay = lazily(`^(` + monthWords + `)\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?$`)
)

// checkDate returns a day as 2006-01-02. What is wrong with it is a sentence, and the text is returned as it was.
func checkDate(text string, now time.Time) (value, problem string) {
	today := now.UTC().Truncate(24 * time.Hour)
	day, problem := parseDate(strings.ToLower(strings.TrimSpace(text)), today)
	if problem != "" {
		return text, problem
	}
	// It may be tomorrow already where the user is: the first zone is 14 hours ahead.
	if day.After(now.UTC().Add(14 * time.Hour)) {
		return text, fmt.Sprintf("The date %s is in the future.", day.Format(time.DateOnly))
	}
	return day.Format(time.DateOnly), ""
}

// parseDate reads a day, in lower case, counted from today.
func parseDate(text string, today time.Time) (day time.Time, problem string) {
	switch text {
	case "today", "tonight", "this morning":
		return today, ""
	case "yesterday":
		return today.AddDate(0, 0, -1), ""
	case "day before yesterday", "the day before yesterday":
		return today.AddDate(0, 0, -2), ""
	case "tomorrow":
		return today, "The date is tomorrow: only what was paid already can be reimbursed."
	}
	if m := isoDate().FindStringSubmatch(text); m != nil {
		return date(text, m[1], m[2], m[3])
	}
	if m := marked().FindStringSubmatch(text); m != nil && m[2] == m[4] {
		return markedDate(text, m[1], m[3], m[5], m[2])
	}
	if m := ago().FindStringSubmatch(text); m != nil {
		days := count(m[1])
		if m[2] == "week" {
			days *= 7
		}
		return today.AddDate(0, 0, -days), ""
	}
	if m := weekday().FindStringSubmatch(text); m != nil {
		return lastWeekday(m[1], m[2], today)
	}
	if m := dayMonth().FindStringSubmatch(text); m != nil {
		return namedMonth(text, m[1], m[2], m[3], today)
	}
	if m := monthDay().FindStringSubmatch(text); m != nil {
		return namedMonth(text, m[2], m[1], m[3], today)
	}
	return today, fmt.Sprintf("The date %q is not understood; write it like %s.", short(text), today.Format(time.DateOnly))
}

// date makes a day of digits and refuses those that no calendar has.
func date(text, year, month, dayOfMonth string) (time.Time, string) {
	y, _ := strconv.Atoi(year) // digits, as the expressions saw to
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(dayOfMonth)
	day := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	if day.Day() != d || int(day.Month()) != m || y < 1900 {
		return day, fmt.Sprintf("There is no day %q in the calendar.", short(text))
	}
	return day, ""
}

// markedDate reads dates in digits. With points the day comes first everywhere; with strokes that depends on who writes,
// so that 5/3/2025 could be two days.
func markedDate(text, a, b, c, mark string) (time.Time, string) {
	switch {
	case len(a) == 4:
		return date(text, a, b, c)
	case len(c) != 4:
		return time.Time{}, fmt.Sprintf("Which year is meant by %q? Write the date like 2006-01-02.", short(text))
	}
	first, _ := strconv.Atoi(a)
	second, _ := strconv.Atoi(b)
	switch {
	case mark == "." || first > 12 || first == second:
		return date(text, c, b, a)
	case second > 12:
		return date(text, c, a, b)
	}
	return time.Time{}, fmt.Sprintf("The date %q can be %s-%02d-%02d or %s-%02d-%02d; write the one that is meant.", text, c, first, second, c, second, first)
}

// lastWeekday is the newest such day before today.
func lastWeekday(which, name string, today time.Time) (time.Time, string) {
	if which == "next " {
		return today, "The date is in the future: only what was paid already can be reimbursed."
	}
	for back := 1; ; back++ {
		day := today.AddDate(0, 0, -back)
		if strings.EqualFold(day.Weekday().String(), name) {
			return day, ""
		}
	}
}

// namedMonth reads "5 March 2025"; without a year it is the newest such day that has come.
func namedMonth(text, dayOfMonth, month, year string, today time.Time) (time.Time, string) {
	number := strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", month[:3])/3 + 1
	if year != "" {
		return date(text, year, strconv.Itoa(number), dayOfMonth)
	}
	day, problem := date(text, strconv.Itoa(today.Year()), strconv.Itoa(number), dayOfMonth)
	if problem != "" || day.After(today) {
		return date(text, strconv.Itoa(today.Year()-1), strconv.Itoa(number), dayOfMonth)
	}
	return day, ""
}

// count reads a number in digits or as a word.
func count(word string) int {
	for n, name := range []string{"", "one", "two", "three", "four", "five", "six", "seven"} {
		if word == name {
			return n
		}
	}
	if word == "a" || word == "an" {
		return 1
	}
	n, _ := strconv.Atoi(word) // three digits at most
	return n
}
