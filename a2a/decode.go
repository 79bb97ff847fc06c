// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how deeply one value of free form may nest: the value of data, a metadata object (itself the first
// level), the value of a member nobody knows. It counts from that value, not from the start of the document, so
// that what came in a request can go out in a task in a list in a JSON-RPC response. The protocol's own objects
// nest at most a dozen levels.
const MaxDepth = 100

const tooDeep = "nests deeper than 100 levels"

// reader is what the decode functions read from. Their errors name fields from the start of the document; decodeWith
// cuts off what is above the value it decodes.
type reader = jsontext.Decoder

// Unmarshal decodes data, all of it, into v, a pointer to a type of this package. What was in v is replaced, but on an
// error v is undefined. Nothing in v shares memory with data.
//
// Errors are [*Error]: ErrParse when data is not strict JSON (bad syntax, duplicate keys, invalid UTF-8, bytes after
// the value, values deeper than [MaxDepth]), ErrInvalidParams when a member has the wrong type or value. Required members may be
// missing: that is for Validate to say.
func Unmarshal(data []byte, v json.UnmarshalerFrom) error {
	d := decoders.Get().(*jsontext.Decoder)
	defer func() {
		d.Reset(noInput) // lets go of data
		decoders.Put(d)
	}()
	d.Reset(bytes.NewBuffer(data)) // decodes in place: no copy of data is made
	if err := v.UnmarshalJSONFrom(d); err != nil {
		return publicError(d, 0, err)
	}
	switch _, err := d.ReadToken(); {
	case err == io.EOF:
		return nil
	case err != nil:
		return publicError(d, 0, err)
	}
	return &Error{Kind: ErrParse, Message: "invalid JSON payload: more follows after the value ends"}
}

var (
	decoders = sync.Pool{New: func() any { return jsontext.NewDecoder(noInput) }}
	noInput  = strings.NewReader("")
)

// decodeWith is UnmarshalJSONFrom of every type.
func decodeWith[T any](d *reader, v *T, read func(*reader, *T) error) error {
	var zero T
	*v = zero
	base := d.StackDepth()
	if err := read(d, v); err != nil {
		return publicError(d, base, err)
	}
	return nil
}

// An object says how a JSON object becomes a T.
type object[T any] struct {
	members []member[T]
	unknown func(*T)                // notes that a member was skipped; nil means that it does not matter
	finish  func(*reader, *T) error // checks the object after its last member; nil means nothing to check
}

// A member says how one member of a JSON object gets into a T.
type member[T any] struct {
	name     string // in camelCase
	read     func(*reader, *T) error
	nullable bool // null is a value of it, instead of unset
}

// read reads one JSON object. Members may come in any order; those it does not know are skipped.
func (o *object[T]) read(d *reader, v *T) error {
	if d.PeekKind() != '{' {
		return wrongType(d, "an object")
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	var seen uint32
	for d.PeekKind() != '}' {
		name, err := d.ReadValue()
		if err != nil {
			return err
		}
		i := o.index(name)
		if i < 0 {
			if _, err := readRaw(d); err != nil {
				return err
			}
			if o.unknown != nil {
				o.unknown(v)
			}
			continue
		}
		if seen&(1<<i) != 0 {
			return newFault(d, ErrParse, "appears twice, in camelCase and in snake_case: send one of them")
		}
		seen |= 1 << i
		if err := o.members[i].readValue(d, v); err != nil {
			return err
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	if o.finish == nil {
		return nil
	}
	return o.finish(d, v)
}

func (m *member[T]) readValue(d *reader, v *T) error {
	if d.PeekKind() == 'n' && !m.nullable {
		_, err := d.ReadToken()
		return err
	}
	return m.read(d, v)
}

// index returns which member the quoted name is, or -1.
func (o *object[T]) index(quoted jsontext.Value) int {
	name := []byte(quoted[1 : len(quoted)-1])
	if bytes.IndexByte(name, '\\') >= 0 {
		name, _ = jsontext.AppendUnquote(nil, quoted) // the decoder has checked it
	}
	if bytes.IndexByte(name, '_') >= 0 {
		name = camelCase(name)
	}
	for i := range o.members {
		if o.members[i].name == string(name) {
			return i
		}
	}
	return -1
}

// camelCase turns snake_case, as protobuf writes it, into camelCase. A name that is not snake_case matches no member,
// so nil is returned for it.
func camelCase(snake []byte) []byte {
	camel := make([]byte, 0, len(snake))
	upper := false
	for i, c := range snake {
		switch {
		case c == '_' && i > 0 && !upper:
			upper = true
		case upper && 'a' <= c && c <= 'z':
			camel = append(camel, c-'a'+'A')
			upper = false
		case !upper && ('a' <= c && c <= 'z' || '0' <= c && c <= '9'):
			camel = append(camel, c)
		default:
			return nil
		}
	}
	if upper {
		return nil
	}
	return camel
}

// readNew reads one object into a new T.
func (o *object[T]) readNew(d *reader, p **T) error {
	*p = new(T)
	return o.read(d, *p)
}

// readList reads an array of objects, readNewList one into new Ts. An empty array is a nil slice.
func (o *object[T]) readList(d *reader, list *[]T) error { return readList(d, list, o.read) }

func (o *object[T]) readNewList(d *reader, list *[]*T) error { return readList(d, list, o.readNew) }

func readList[E any](d *reader, list *[]E, read func(*reader, *E) error) error {
	return readBounded(d, list, math.MaxInt, read)
}

// readBounded reads an array and refuses it at the first element over the limit, because a thousand times as many
// elements would fit into a body.
func readBounded[E any](d *reader, list *[]E, limit int, read func(*reader, *E) error) error {
	if d.PeekKind() != '[' {
		return wrongType(d, "an array")
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		if len(*list) >= limit {
			return &fault{kind: ErrInvalidParams, pointer: d.StackPointer().Parent(), why: tooMany(limit)}
		}
		var element E
		if err := read(d, &element); err != nil {
			return err
		}
		*list = append(*list, element)
	}
	_, err := d.ReadToken()
	return err
}

// readMap reads an object whose names are data. An empty one leaves the map as it is.
func readMap[M ~map[string]V, V any](d *reader, m *M, read func(*reader, *V) error) error {
	if d.PeekKind() != '{' {
		return wrongType(d, "an object")
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		var value V
		if err := read(d, &value); err != nil {
			return err
		}
		if *m == nil {
			*m = make(M)
		}
		(*m)[key] = value
	}
	_, err := d.ReadToken()
	return err
}

// readMetadata reads a Struct: an object of any values, whose text is kept. An empty one is not nil.
func readMetadata(d *reader, m *Metadata) error {
	*m = Metadata{}
	return readMap(d, m, readMetadataValue)
}

func readMetadataValue(d *reader, v *jsontext.Value) error {
	raw, err := readNested(d, MaxDepth-1)
	*v = raw.Clone()
	return err
}

// readRaw reads any JSON value. It belongs to the decoder and lasts until the next read.
func readRaw(d *reader) (jsontext.Value, error) { return readNested(d, MaxDepth) }

func readNested(d *reader, levels int) (jsontext.Value, error) {
	v, err := d.ReadValue()
	if err != nil {
		return nil, err
	}
	if depthOf(v) > levels {
		return nil, newFault(d, ErrParse, tooDeep)
	}
	return v, nil
}

// depthOf returns how deeply a valid JSON value nests: 0 for a scalar, 1 for [], 2 for [{}].
func depthOf(v jsontext.Value) int {
	if kind := v.Kind(); kind != '{' && kind != '[' {
		return 0
	}
	depth, deepest := 0, 0
	for i := 0; i < len(v); i++ {
		switch v[i] {
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		case '"':
			i = endOfString(v, i)
		}
	}
	return deepest
}

// endOfString returns the index of the quote that ends the string starting at i.
func endOfString(v jsontext.Value, i int) int {
	for i++; v[i] != '"'; i++ {
		if v[i] == '\\' {
			i++
		}
	}
	return i
}

func readString[S ~string](d *reader, p *S) error {
	if d.PeekKind() != '"' {
		return wrongType(d, "a string")
	}
	quoted, err := d.ReadValue()
	if err != nil {
		return err
	}
	if bytes.IndexByte(quoted, '\\') < 0 {
		*p = S(quoted[1 : len(quoted)-1])
		return nil
	}
	text, err := jsontext.AppendUnquote(make([]byte, 0, len(quoted)), quoted) // the result is never longer
	*p = S(text)
	return err
}

func readStrings[S ~string](d *reader, list *[]S) error { return readList(d, list, readString) }

func readStringPtr(d *reader, p **string) error {
	*p = new(string)
	return readString(d, *p)
}

func readBool(d *reader, p *bool) error {
	if kind := d.PeekKind(); kind != 't' && kind != 'f' {
		return wrongType(d, "true or false")
	}
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	*p = token.Bool()
	return nil
}

func readBoolPtr(d *reader, p **bool) error {
	*p = new(bool)
	return readBool(d, *p)
}

// readInt32 reads a whole number of 32 bits, or a string that holds one; 1.0 and 1e0 are whole.
func readInt32(d *reader, p *int) error {
	text, err := readNumberText(d, "a whole number")
	if err != nil {
		return err
	}
	n, err := parseInt32(text)
	if err != nil {
		return invalid(d, err.Error())
	}
	*p = int(n)
	return nil
}

func readInt32Ptr(d *reader, p **int) error {
	*p = new(int)
	return readInt32(d, *p)
}

// readNumberText returns the text of a number or of a string.
func readNumberText(d *reader, want string) (string, error) {
	if kind := d.PeekKind(); kind != '0' && kind != '"' {
		return "", wrongType(d, want)
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

// readBytes reads base64, standard or URL-safe, padded or not.
func readBytes(d *reader, p *Raw) error {
	if d.PeekKind() != '"' {
		return wrongType(d, "a string")
	}
	quoted, err := d.ReadValue()
	if err != nil {
		return err
	}
	text := []byte(quoted[1 : len(quoted)-1])
	if bytes.IndexByte(text, '\\') >= 0 {
		text, _ = jsontext.AppendUnquote(nil, quoted) // the decoder has checked it
	}
	decoded, ok := decodeBase64(text)
	if !ok {
		return invalid(d, "must be base64, standard or URL-safe")
	}
	*p = decoded
	return nil
}

func decodeBase64(text []byte) ([]byte, bool) {
	if bytes.ContainsAny(text, "\r\n") { // the decoder below would skip them
		return nil, false
	}
	encoding := base64.RawStdEncoding
	if bytes.ContainsAny(text, "-_") {
		encoding = base64.RawURLEncoding
	}
	if len(text)%4 == 0 {
		text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("=")), []byte("="))
	}
	decoded := make([]byte, encoding.DecodedLen(len(text)))
	n, err := encoding.Decode(decoded, text)
	return decoded[:n], err == nil
}

// readTime reads a timestamp, see [ParseTime].
func readTime(d *reader, p *time.Time) error {
	var text string
	if err := readString(d, &text); err != nil {
		return err
	}
	t, err := ParseTime(text)
	if err != nil {
		return invalid(d, AsError(err).Message)
	}
	*p = t
	return nil
}

// ParseTime returns the time of a timestamp of the protocol, in UTC: RFC 3339 with any offset, in the years 1 to 9999.
// A timestamp without an offset, as Python's isoformat writes one, is taken for UTC. Anything else is an ErrInvalidParams
// that names no field.
func ParseTime(text string) (time.Time, error) {
	t, ok := parseRFC3339(text)
	if !ok {
		t, ok = parseRFC3339(text + "Z")
	}
	if !ok {
		return time.Time{}, &Error{Kind: ErrInvalidParams, Message: "must be an RFC 3339 timestamp, such as 2025-10-28T10:30:00.000Z"}
	}
	return t, nil
}

func parseRFC3339(text string) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, text)
	t = t.UTC()
	return t, err == nil && strictRFC3339(text) && t.Year() >= 1 && t.Year() <= 9999
}

// strictRFC3339 reports whether a text that time.Parse took is as RFC 3339 has it: that function also takes an hour of
// one digit, a comma before the fraction, and offsets of 24 hours and 60 minutes (go.dev/issue/54580).
func strictRFC3339(text string) bool {
	if text[len("2006-01-02T15")] != ':' || strings.Contains(text, ",") {
		return false
	}
	if strings.HasSuffix(text, "Z") {
		return true
	}
	offset := text[len(text)-len("07:00"):]
	return offset[:2] < "24" && offset[3:] < "60"
}
