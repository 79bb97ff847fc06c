// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrorDomain is the domain of the ErrorInfo of every error of the protocol (A2A 1.0 §9.5, §11.6).
const ErrorDomain = "a2a-protocol.org"

// The types of detail that are written and understood (A2A 1.0 §3.3.2).
const (
	typeErrorInfo  = "type.googleapis.com/google.rpc.ErrorInfo"
	typeBadRequest = "type.googleapis.com/google.rpc.BadRequest"
	typeRetryInfo  = "type.googleapis.com/google.rpc.RetryInfo"
)

// maxErrorText bounds the text of a peer's error: it ends up in logs and terminals.
const maxErrorText = 4096

// AppendRPCError appends the error object of a JSON-RPC response (A2A 1.0 §9.5) in the form of a generation. The code
// is that of the error's kind unless another is given.
func AppendRPCError(dst []byte, gen a2a.Generation, code int, e *a2a.Error) []byte {
	if code == 0 {
		code = RowOf(e.Kind).Code(gen)
	}
	dst = append(dst, `{"code":`...)
	dst = strconv.AppendInt(dst, int64(code), 10)
	dst = append(dst, `,"message":`...)
	dst = appendString(dst, e.PublicMessage())
	switch {
	case gen == a2a.Generation10, gen == "":
		dst = append(dst, `,"data":`...)
		dst = appendDetails(dst, e)
	case gen != a2a.Generation01, code <= -32600: // April and 0.1 allow data in the errors of JSON-RPC itself only
		dst = append(dst, `,"data":{"details":`...) // before 1.0 peers read objects only
		dst = appendDetails(dst, e)
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// AppendStatusError appends the body of an error of the HTTP+JSON binding (A2A 1.0 §11.6). A status of 0 means that
// of the error's kind, an empty gRPC code that of its kind.
func AppendStatusError(dst []byte, status int, code string, e *a2a.Error) []byte {
	row := RowOf(e.Kind)
	status, code = cmp.Or(status, row.HTTP), cmp.Or(code, row.GRPC)
	dst = append(dst, `{"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(status), 10)
	dst = append(dst, `,"status":`...)
	dst = appendString(dst, code)
	dst = append(dst, `,"message":`...)
	dst = appendString(dst, e.PublicMessage())
	dst = append(dst, `,"details":`...)
	dst = appendDetails(dst, e)
	return append(dst, '}', '}')
}

// appendDetails appends the array of details: what the error's own fields say, then what else it carries.
func appendDetails(dst []byte, e *a2a.Error) []byte {
	dst = append(dst, `[{"@type":"`+typeErrorInfo+`","reason":"`...)
	dst = append(dst, RowOf(e.Kind).Reason...)
	dst = append(dst, `","domain":"`+ErrorDomain+`"`...)
	if len(e.Metadata) > 0 {
		dst = append(dst, `,"metadata":{`...)
		for i, key := range slices.Sorted(maps.Keys(e.Metadata)) {
			dst = appendComma(dst, i)
			dst = appendString(dst, key)
			dst = append(dst, ':')
			dst = appendString(dst, e.Metadata[key])
		}
		dst = append(dst, '}')
	}
	dst = append(dst, '}')
	if len(e.Violations) > 0 {
		dst = append(dst, `,{"@type":"`+typeBadRequest+`","fieldViolations":[`...)
		for i, v := range e.Violations {
			dst = appendComma(dst, i)
			dst = append(dst, `{"field":`...)
			dst = appendString(dst, v.Field)
			dst = append(dst, `,"description":`...)
			dst = appendString(dst, v.Description)
			dst = append(dst, '}')
		}
		dst = append(dst, `]}`...)
	}
	if e.RetryAfter > 0 {
		dst = append(dst, `,{"@type":"`+typeRetryInfo+`","retryDelay":"`...)
		dst = strconv.AppendFloat(dst, e.RetryAfter.Seconds(), 'f', -1, 64)
		dst = append(dst, `s"}`...)
	}
	for _, d := range e.Details {
		if !ownType(d.Type) && jsontext.Value(d.Value).IsValid() {
			dst = append(dst, ',')
			dst = append(dst, d.Value...)
		}
	}
	return append(dst, ']')
}

// ownType reports whether a detail's type is one that an Error has fields for.
func ownType(t string) bool {
	return t == typeErrorInfo || t == typeBadRequest || t == typeRetryInfo
}

func appendComma(dst []byte, i int) []byte {
	if i > 0 {
		return append(dst, ',')
	}
	return dst
}

// appendString appends a JSON string. Bytes that are no UTF-8 become U+FFFD: an error must always get out.
func appendString(dst []byte, s string) []byte {
	quoted, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		quoted, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(s, "\ufffd"))
	}
	return quoted
}

// take copies one detail of a peer into the fields of e.
func take(e *a2a.Error, d *detail) {
	switch d.Type {
	case typeErrorInfo:
		if d.Domain != "" && d.Domain != ErrorDomain {
			return
		}
		if kind, ok := KindOfReason(d.Reason); ok {
			e.Kind = kind
		}
		e.Metadata = d.Metadata
	case typeBadRequest:
		for _, v := range d.FieldViolations {
			e.Violations = append(e.Violations, a2a.Violation{Field: clip(v.Field), Description: clip(v.Description)})
		}
	case typeRetryInfo:
		if delay, err := time.ParseDuration(d.RetryDelay); err == nil && delay > 0 {
			e.RetryAfter = delay
		}
	}
}

// rpcError is the error object of JSON-RPC. Other implementations put all sorts of things in data.
type rpcError struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Data    jsontext.Value `json:"data"`
}

// DecodeRPCError reads the error object of a JSON-RPC response. The kind is that of its ErrorInfo, else of its code. If
// object is not an error object, DecodeRPCError returns an ErrInvalidAgentResponse, so the result is never nil.
func DecodeRPCError(gen a2a.Generation, object []byte) *a2a.Error {
	var in rpcError
	if err := json.Unmarshal(object, &in); err != nil || in.Code == 0 {
		return &a2a.Error{Kind: a2a.ErrInvalidAgentResponse,
			Message: "the agent's error is not a JSON-RPC error object", Remote: true, Cause: err}
	}
	kind, _ := KindOfCode(gen, in.Code)
	return decodeDetails(kind, in.Message, in.Data)
}

// statusError is the body of an error of the HTTP+JSON binding. The code is read as it comes: some peers write a
// name into it.
type statusError struct {
	Error struct {
		Status  string         `json:"status"`
		Message string         `json:"message"`
		Details jsontext.Value `json:"details"`
	} `json:"error"`
}

// DecodeStatusError reads an answer of the HTTP+JSON binding that has an HTTP status of 400 or more, whatever its
// body. The kind is that of its ErrorInfo, else of the HTTP status, else of the gRPC code. A status of 0 means that
// the error came within a stream.
func DecodeStatusError(status int, body []byte) *a2a.Error {
	var in statusError
	if err := json.Unmarshal(body, &in); err != nil {
		return &a2a.Error{Kind: KindOfStatus(status), Message: statusMessage(status), Remote: true}
	}
	kind := KindOfGRPC(a2a.Generation10, in.Error.Status)
	if status >= 400 && (status != 400 || in.Error.Status == "") {
		kind = KindOfStatus(status)
	}
	e := decodeDetails(kind, in.Error.Message, in.Error.Details)
	if e.Message == "" {
		e.Message = statusMessage(status)
	}
	return e
}

func statusMessage(status int) string {
	if status == 0 {
		return ""
	}
	return "the server answered with HTTP status " + strconv.Itoa(status)
}

// detail is what is read of any detail; its type says which fields count.
type detail struct {
	Type            string            `json:"@type"`
	Reason          string            `json:"reason"`
	Domain          string            `json:"domain"`
	Metadata        map[string]string `json:"metadata"`
	FieldViolations []struct {
		Field       string `json:"field"`
		Description string `json:"description"`
	} `json:"fieldViolations"`
	RetryDelay string `json:"retryDelay"`
}

// decodeDetails makes an Error of what a peer sent. A detail it cannot read is no reason to lose the error.
func decodeDetails(kind a2a.Kind, message string, details jsontext.Value) *a2a.Error {
	e := &a2a.Error{Kind: kind, Message: clip(message), Remote: true}
	var items []jsontext.Value
	if err := json.Unmarshal(details, &items); err != nil && details.Kind() == '{' {
		items = detailsOfObject(details)
	}
	for _, item := range items {
		var d detail
		if err := json.Unmarshal(item, &d); err != nil && d.Type == "" {
			continue
		}
		if d.Type != "" {
			e.Details = append(e.Details, a2a.Detail{Type: d.Type, Value: item})
		}
		take(e, &d)
	}
	// The message of an Error says nothing of its violations, that of its wire form may.
	probe := a2a.Error{Message: "-", Violations: e.Violations}
	e.Message = strings.TrimSuffix(e.Message, probe.PublicMessage()[1:])
	return e
}

// detailsOfObject returns the details of what generations before 1.0 send: an object that is one, or that has them.
func detailsOfObject(data jsontext.Value) []jsontext.Value {
	var in struct {
		Details []jsontext.Value `json:"details"`
	}
	if err := json.Unmarshal(data, &in); err == nil && in.Details != nil {
		return in.Details
	}
	return []jsontext.Value{data}
}

func clip(s string) string {
	if len(s) > maxErrorText {
		return strings.ToValidUTF8(s[:maxErrorText], "") + "..."
	}
	return s
}
