// SPDX-License-Identifier: Apache-2.0

package coder

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A Field is a member of a type. Its name is in snake case; Type is one of string, int, float, bool, date, strings.
type Field struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// maxFields is how many fields a type may have.
const maxFields = 30

var (
	// fieldList is what follows "with", up to the end of the sentence.
	fieldList = regexp.MustCompile(`(?is)\b(?:with|having|has|of|fields?|containing|attributes?|properties|columns?|members?|values?)\b:?\s+(?:(?:the|these|following|fields?|attributes?|properties|columns?|members?|values?|as|called|named|are|is)\b:?\s*)*(.+?)(?:[.;!?](?:\s|$)|$)`)
	// notAField ends a list: "with name and email in Go".
	notAField = regexp.MustCompile(`(?i)\s+\b(?:(?:in|using|as)\s+(?:plain\s+|modern\s+)?(?:an?\s+)?(?:go|golang|python\w*|typescript|ts|javascript|js|java|rust|c|sql\w*|html\w*|bash|postgres\w*|mysql|zip)\b|for|that|which|and\s+(?:add|write|include|with|a\s+constructor|methods?|tests?|unit tests?|getters?)|plus)\b.*$`)
	separator = regexp.MustCompile(`(?i)\s*(?:,|&|/|\band\b|\bor\b)\s*(?:\band\b)?\s*`)
	typed     = regexp.MustCompile(`^(?i)([a-z_][\w -]*?)\s*(?::\s*|\s*\(\s*|\s+as\s+|\s+)(string|str|text|varchar|int|integer|number|long|float|double|decimal|real|bool|boolean|date|datetime|time|timestamp|list|array|\[\]string|string\[\])\s*\)?$`)
	typeFirst = regexp.MustCompile(`^(?i)(string|int|integer|float|double|bool|boolean|date)\s+([a-z_]\w*)$`)
)

// readFields finds a list of fields in a text.
func readFields(text string) []Field {
	m := fieldList.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	list := notAField.ReplaceAllString(" "+m[1], "")
	var fields []Field
	for _, item := range separator.Split(strings.TrimSpace(list), -1) {
		f, ok := readField(item)
		if ok && !slices.ContainsFunc(fields, func(other Field) bool { return other.Name == f.Name }) && len(fields) < maxFields {
			fields = append(fields, f)
		}
	}
	return fields
}

func readField(item string) (Field, bool) {
	item = strings.Trim(strings.TrimSpace(item), "`\"'.")
	for _, article := range []string{"a ", "an ", "the ", "its ", "optional ", "required "} {
		item = strings.TrimPrefix(item, article)
	}
	name, kind := item, ""
	if m := typed.FindStringSubmatch(item); m != nil {
		name, kind = m[1], kindOf(m[2])
	} else if m := typeFirst.FindStringSubmatch(item); m != nil {
		name, kind = m[2], kindOf(m[1])
	}
	name = snake(name)
	if name == "" || strings.Count(name, "_") > 3 || len(name) > 40 {
		return Field{}, false
	}
	if kind == "" {
		kind = guess(name)
	}
	if reserved[name] {
		name += "_"
	}
	return Field{Name: name, Type: kind}, true
}

func kindOf(word string) string {
	switch strings.ToLower(word) {
	case "int", "integer", "number", "long":
		return "int"
	case "float", "double", "decimal", "real":
		return "float"
	case "bool", "boolean":
		return "bool"
	case "date", "datetime", "time", "timestamp":
		return "date"
	case "list", "array", "[]string", "string[]":
		return "strings"
	}
	return "string"
}

// guess goes by what fields of such a name usually hold.
func guess(name string) string {
	last := name[strings.LastIndex(name, "_")+1:]
	switch {
	case slices.Contains([]string{"id", "age", "count", "quantity", "year", "size", "pages", "stock", "level", "score", "number", "width", "height"}, last):
		return "int"
	case slices.Contains([]string{"price", "amount", "balance", "salary", "total", "rate", "weight", "latitude", "longitude"}, last):
		return "float"
	case strings.HasPrefix(name, "is_") || strings.HasPrefix(name, "has_") || slices.Contains([]string{"active", "enabled", "done", "completed", "verified", "admin"}, last):
		return "bool"
	case slices.Contains([]string{"date", "birthday", "birthdate", "created", "updated", "at", "deadline"}, last):
		return "date"
	case slices.Contains([]string{"tags", "roles", "interests", "hobbies", "authors", "labels", "skills"}, last):
		return "strings"
	}
	return "string"
}

// snake makes words of any spelling snake_case, of letters and digits that every language takes in a name.
func snake(s string) string {
	var b strings.Builder
	var before rune
	for _, r := range s {
		switch {
		case r >= 'A' && r <= 'Z':
			if unicode.IsLower(before) || unicode.IsDigit(before) {
				b.WriteByte('_')
			}
			b.WriteRune(unicode.ToLower(r))
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
		before = r
	}
	name := strings.Trim(b.String(), "_")
	if name != "" && name[0] >= '0' && name[0] <= '9' {
		name = "n" + name
	}
	return name
}

// pascal makes UserProfile of user_profile, and camel userProfile.
func pascal(s string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(snake(s), "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

func camel(s string) string {
	p := pascal(s)
	if p == "" {
		return ""
	}
	c := strings.ToLower(p[:1]) + p[1:]
	if reserved[c] {
		c += "_"
	}
	return c
}

// key is camel for places where no word is reserved.
func key(s string) string { return strings.TrimSuffix(camel(s), "_") }

// an puts an article before a noun.
func an(noun string) string {
	if noun != "" && strings.ContainsRune("aeiou", rune(noun[0])) && !strings.HasPrefix(noun, "us") && !strings.HasPrefix(noun, "uni") {
		return "an " + noun
	}
	return "a " + noun
}

// reserved are words that are no names in one of the languages.
var reserved = func() map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(`abstract and any as assert async await bool boolean break byte case catch chan char class const continue
		crate def default defer del delete do double dyn elif else enum except export extends extern fallthrough false final finally
		float fn for from func function global go goto if impl implements import in instanceof int interface is lambda let long loop
		map match mod move mut native new nil none nonlocal not null or order package pass print private protected public pub raise
		range ref return self select short static string struct super switch this throw throws trait transient true try type typeof
		clone constructor finalize getClass hashCode notify notifyAll toString wait union unsafe use user var void volatile where while with yield group table primary key index check column`) {
		m[word] = true
	}
	return m
}()
