// SPDX-License-Identifier: Apache-2.0

package coder

import (
	"regexp"
	"strings"
)

// pastedIn finds code within a message: in fences, or after words that announce it. rest is the text around it.
func pastedIn(text string) (files []File, rest string) {
	if found, around := Fences(text); len(found) > 0 {
		return found, around
	}
	at := codeBegins(text)
	if at < 0 {
		return nil, text
	}
	rest, code := text[:at], strings.TrimSpace(text[at:])+"\n"
	if strings.Contains(rest, "`") { // `code` in backquotes
		code = strings.Trim(code, "`\n") + "\n"
	}
	lang := languageIn(rest, tokens(rest))
	if lang == "" {
		lang = looksLike(code)
	}
	return []File{{Name: "snippet" + languageOf(lang).extension, Language: lang, Content: code}}, rest
}

var (
	// codeStart finds the beginning of a declaration, which has to go on like code.
	codeStart = regexp.MustCompile("(?m)(?:^|[:`\\n]\\s*)((?:package \\w+\\s|import [\\w\"({]|from \\w+ import|func \\s*[\\w(]|(?:async )?def \\w+\\(|class \\w+\\s*[:({]|(?:export |async )*function\\s*\\w*\\(|(?:const|let|var) \\w+\\s*[=:]|(?:public|private|protected) |#include|fn \\w+|type \\w+ (?:struct|interface|=)|(?:int|void|char|double) \\w+\\())")
	goLike    = regexp.MustCompile(`(?m)^\s*(?:package \w+|func\s*[\w(])|:=`)
	pyLike    = regexp.MustCompile(`(?m)^\s*(?:(?:async )?def \w+\(.*:|class \w+.*:\s*$|from \w+ import)`)
	javaLike  = regexp.MustCompile(`(?m)\b(?:public|private|protected)\s+(?:static\s+|final\s+)*[\w<>\[\]]+|System\.out`)
	tsLike    = regexp.MustCompile(`(?m)\b(?:interface|type)\s+\w+\s*[={]|:\s*(?:string|number|boolean)\b`)
	jsLike    = regexp.MustCompile(`(?m)\bfunction\s*\w*\(|=>|\b(?:const|let|var)\s`)
	rustLike  = regexp.MustCompile(`(?m)^\s*(?:pub )?fn \w+`)
	cLike     = regexp.MustCompile(`(?m)^#include|\b(?:int|void|char)\s+\*?\w+\(`)
)

func codeBegins(text string) int {
	m := codeStart.FindStringSubmatchIndex(text)
	if m == nil {
		return -1
	}
	return m[2]
}

// looksLike guesses the language of code.
func looksLike(code string) string {
	for _, l := range []struct {
		id   string
		like *regexp.Regexp
	}{{"go", goLike}, {"python", pyLike}, {"java", javaLike}, {"rust", rustLike}, {"c", cLike}, {"typescript", tsLike}, {"javascript", jsLike}} {
		if l.like.MatchString(code) {
			return l.id
		}
	}
	return "text"
}
