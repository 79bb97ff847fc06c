// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// args are the arguments of a call, as models write them: null is left out, numbers and strings may stand for each
// other, and names of other versions of A2AMCP are known. The first error is kept; later reads mean nothing.
type args struct {
	values map[string]jsontext.Value
	err    error
}

func readArgs(raw []byte) (*args, error) {
	a := &args{}
	if len(raw) == 0 {
		return a, nil
	}
	if err := json.Unmarshal(raw, &a.values); err != nil {
		return nil, errors.New("the arguments are not a JSON object")
	}
	return a, nil
}

// get returns the value of a name or of another name that it has; nil when there is none.
func (a *args) get(name string) jsontext.Value {
	for _, n := range append([]string{name}, aliases[name]...) {
		if v := a.values[n]; v != nil && v.Kind() != 'n' {
			return v
		}
	}
	return nil
}

// aliases are what other versions of A2AMCP call an argument.
var aliases = map[string][]string{
	"from_session": {"session_name"}, "session_name": {"from_session"}, "to_session": {"target_session"},
	"message_id": {"query_id"},
	"todo_item":  {"task"}, "change_type": {"operation"}, "interface_name": {"name"}, "file_path": {"path"},
}

func (a *args) fail(name, want string) {
	if a.err == nil {
		a.err = fmt.Errorf("%s must be %s", name, want)
	}
}

func (a *args) text(name string) string {
	switch v := a.get(name); v.Kind() {
	case 0:
		return ""
	case '"':
		return unquote(v)
	case '0', 't', 'f':
		return string(v)
	}
	a.fail(name, "a string")
	return ""
}

func unquote(v jsontext.Value) string {
	s, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return "" // the decoder has checked it
	}
	return string(s)
}

// texts returns a list of strings; one string is a list of it.
func (a *args) texts(name string) []string {
	v := a.get(name)
	if v == nil {
		return nil
	}
	if v.Kind() == '"' {
		return []string{unquote(v)}
	}
	var list []string
	if err := json.Unmarshal(v, &list); err != nil {
		a.fail(name, "a list of strings")
	}
	return list
}

const maxNumber = 1e9

// plain returns the text of a value that may stand in a string, and whether there is one.
func (a *args) plain(name string) (text string, ok bool) {
	v := a.get(name)
	if v.Kind() == '"' {
		return strings.TrimSpace(unquote(v)), true
	}
	return string(v), v != nil
}

func (a *args) number(name string, fallback float64) float64 {
	text, ok := a.plain(name)
	if !ok {
		return fallback
	}
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case math.Abs(n) > maxNumber: // also one that is too large to be read
		a.fail(name, "a number up to 1000000000")
	case err != nil || math.IsNaN(n):
		a.fail(name, "a number")
	}
	return n
}

func (a *args) integer(name string, fallback int) int {
	n := a.number(name, float64(fallback))
	if n != math.Trunc(n) {
		a.fail(name, "a whole number")
	}
	return int(n)
}

// token is a whole number, which a float would not hold.
func (a *args) token(name string) int64 {
	text, ok := a.plain(name)
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		a.fail(name, "a whole number, 0 or more")
	}
	return n
}

func (a *args) seconds(name string, fallback float64) time.Duration {
	return time.Duration(a.number(name, fallback) * float64(time.Second))
}

// minutes are a year at most, which is for good here.
func (a *args) minutes(name string) time.Duration {
	return time.Duration(min(a.number(name, 0), 365*24*60) * float64(time.Minute))
}

func (a *args) boolean(name string, fallback bool) bool {
	text, ok := a.plain(name)
	if !ok {
		return fallback
	}
	switch strings.ToLower(text) {
	case "true", "1", "yes":
		return true
	case "false", "0", "no":
		return false
	}
	a.fail(name, "true or false")
	return fallback
}

func (a *args) priority(name string) int {
	v := a.get(name)
	if v.Kind() == '"' {
		switch strings.ToLower(unquote(v)) {
		case "high":
			return 1
		case "medium":
			return 2
		case "low":
			return 3
		}
	}
	read := &args{values: a.values}
	n := read.integer(name, 1)
	if read.err != nil || n < 1 || n > 3 {
		a.fail(name, "1 (high), 2 (medium) or 3 (low)")
	}
	return n
}
