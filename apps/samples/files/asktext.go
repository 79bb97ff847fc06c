// SPDX-License-Identifier: Apache-2.0

package files

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const topWords = 10

// AskText answers a question about a text; an empty one asks for statistics. Error: *unclear.
func (d *Document) AskText(question, file string) (*Answer, error) {
	data := d.data(file)
	text, err := d.ask(&data, tokens(clip(question, maxQuestion)))
	if err != nil {
		return nil, err
	}
	return &Answer{Text: text, Data: data, CSV: data.csv(), have: data.bag(text)}, nil
}

// data returns what there is to say in any answer.
func (d *Document) data(file string) textData {
	return textData{
		File: file, Operation: Statistics, Lines: d.Lines, Words: d.Words, Characters: d.Characters, Distinct: len(d.counts), Longest: clip(d.Longest, 200),
	}
}

// ask fills in what is asked for, and says it.
func (d *Document) ask(data *textData, items []item) (string, error) {
	has := func(words string) bool {
		return slices.ContainsFunc(items, func(it item) bool { return it.kind == itemWord && set(words)[it.word] })
	}
	is := func(o Operation, v any, text string) (string, error) {
		data.Operation, data.Value = o, v
		return text, nil
	}
	switch {
	case has("often times occurrences occurrence mentions mentioned occur occurs appear appears"):
		word := wanted(items)
		if word == "" {
			return "", &unclear{text: "Which word is to be counted? Put it in quotes."}
		}
		data.Word = word
		return is(Values, float64(d.Count(word)), fmt.Sprintf("The word %q is there %d times.", word, d.Count(word)))
	case has("longest") && has("line"):
		return is(Max, data.Longest, "The longest line is: "+data.Longest)
	case has("unique distinct different"):
		return is(Distinct, float64(data.Distinct), fmt.Sprintf("The text has %d different words.", data.Distinct))
	case has("top common frequent"):
		n := topWords
		for _, it := range items {
			if it.kind == itemNumber {
				n = int(min(max(it.number, 1), 100))
			}
		}
		data.Operation, data.Top = Values, d.Top(n)
		return "The most frequent words:" + lines(data.Top), nil
	case has("words word"):
		return is(Rows, float64(d.Words), fmt.Sprintf("The text has %d words.", d.Words))
	case has("lines line rows"):
		return is(Rows, float64(d.Lines), fmt.Sprintf("The text has %d lines.", d.Lines))
	case has("characters character letters length long"):
		return is(Rows, float64(d.Characters), fmt.Sprintf("The text has %d characters.", d.Characters))
	case len(items) == 0 || has("statistics statistic stats summary summarize summarise describe overview analyze analyse profile"):
		data.Top = d.Top(topWords)
		return fmt.Sprintf("Lines: %d. Words: %d, of which %d different. Characters: %d.\nThe most frequent words:%s",
			d.Lines, d.Words, data.Distinct, d.Characters, lines(data.Top)), nil
	}
	return "", &unclear{text: `Ask for statistics, how many words or lines there are, the top 5 words, how often "word" is there, or the longest line.`}
}

// wanted returns the word that is to be counted: the one in quotes, or else the last that is no part of the question.
func wanted(items []item) string {
	asked := set("often times time occurrences occurrence mentions mentioned occur occurs appear appears text word words come comes up document")
	word := ""
	for _, it := range items {
		if it.kind == itemQuoted {
			return strings.ToLower(strings.TrimSpace(it.word))
		}
		if it.kind == itemWord && !asked[it.word] && !little[it.word] {
			word = it.word
		}
	}
	return word
}

func lines(counts []WordCount) string {
	var b strings.Builder
	for _, c := range counts {
		fmt.Fprintf(&b, "\n%s: %d", c.Word, c.Count)
	}
	return b.String()
}

func (d *textData) bag(text string) *bag {
	b := newBag()
	b.put(d.Value, resultNames...)
	b.put(d.Value, "count", d.Word)
	b.put(text, "text", "answer", "summary", "message", "description", "result")
	b.put(d.File, "file", "filename", "name", "source")
	b.put(string(d.Operation), "operation", "kind")
	b.put(d.Word, "word", "key", "name")
	b.put(d.Lines, "lines", "linecount", "numberoflines")
	b.put(d.Words, "words", "wordcount", "numberofwords", "count")
	b.put(d.Characters, "characters", "charactercount", "length", "size")
	b.put(d.Distinct, "distinctwords", "uniquewords", "distinct", "unique")
	b.put(d.Longest, "longestline", "longest")
	for _, w := range d.Top {
		one := newBag()
		one.put(w.Word, "word", "key", "name", "text")
		one.put(w.Count, "count", "value", "frequency", "number", "rows")
		b.add(w.Word, one)
	}
	return b
}

func (d *textData) csv() []byte {
	var out strings.Builder
	w := csv.NewWriter(&out)
	if d.Top != nil && d.Operation == Values {
		w.Write([]string{"word", "count"})
		for _, c := range d.Top {
			w.Write([]string{safe(c.Word), strconv.Itoa(c.Count)})
		}
	} else {
		w.Write([]string{"lines", "words", "characters", "distinct words"})
		w.Write([]string{strconv.Itoa(d.Lines), strconv.Itoa(d.Words), strconv.Itoa(d.Characters), strconv.Itoa(d.Distinct)})
	}
	w.Flush()
	return []byte(out.String())
}
