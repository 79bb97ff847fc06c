// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

// readInt32 reads a whole number of 32 bits, or a string that holds one; 1.0 and 1e0 are whole.
func readInt32(d *reader, p *int) error {
	text, err := readNumberText(d, "a whole number")
	if err != nil {
		return err
	}
	n, err := parseInt32(text)
	if err != nil {
		return jsonio.Invalid(d, err.Error())
	}
	*p = int(n)
	return nil
}

// readNumberText returns the text of a number or of a string.
func readNumberText(d *reader, want string) (string, error) {
	if kind := d.PeekKind(); kind != '0' && kind != '"' {
		return "", jsonio.WrongType(d, want)
	}
	token, err := d.ReadToken()
	if err != nil {
		return "", err
	}
	return token.String(), nil
}

var (
	errNotWhole = errors.New("must be a whole number")
	errNotInt32 = errors.New("must fit 32 bits")
)

// parseInt32 returns the whole number that a JSON number stands for.
func parseInt32(text string) (int32, error) {
	if n, err := strconv.ParseInt(text, 10, 32); err == nil && strconv.FormatInt(n, 10) == text {
		return int32(n), nil
	}
	digits, exponent, ok := splitNumber(text)
	if !ok {
		return 0, errNotWhole
	}
	for exponent < 0 && strings.HasSuffix(digits, "0") {
		digits, exponent = digits[:len(digits)-1], exponent+1
	}
	switch {
	case strings.Trim(digits, "-0") == "":
		return 0, nil
	case exponent < 0:
		return 0, errNotWhole
	case exponent > 10:
		return 0, errNotInt32
	}
	n, err := strconv.ParseInt(digits+strings.Repeat("0", exponent), 10, 32)
	if err != nil {
		return 0, errNotInt32
	}
	return int32(n), nil
}

// splitNumber splits a JSON number into digits and a power of ten: -1.50e3 is "-150" and 1.
func splitNumber(text string) (digits string, exponent int, ok bool) {
	if !isNumber(text) {
		return "", 0, false
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(text[i+1:]); err != nil || exponent > 1<<30 || exponent < -1<<30 {
			return "", 0, false
		}
		text = text[:i]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	return whole + fraction, exponent - len(fraction), true
}

// isNumber reports whether text is a JSON number, without spaces around it.
func isNumber(text string) bool {
	v := jsontext.Value(text)
	return v.Kind() == '0' && v.IsValid() && strings.TrimSpace(text) == text
}
