// SPDX-License-Identifier: Apache-2.0

package grpc

import (
	"strconv"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// An error travels in the trailers of a call, its message and its details both, and peers take no more than 8 KiB of
// trailers. So it says less here than in the other bindings when it has a lot to say.
const (
	maxMessage    = 1 << 10
	maxViolations = 2 << 10 // bytes
	maxDetails    = 5 << 10 // bytes of all of them
)

var codesByName = func() map[string]codes.Code {
	m := map[string]codes.Code{}
	for c := codes.OK; c <= codes.Unauthenticated; c++ {
		m[nameOf(c)] = c
	}
	return m
}()

// nameOf returns the name of a code as the table of errors has it: codes.Code calls itself NotFound.
func nameOf(c codes.Code) string {
	if c == codes.OK {
		return "OK"
	}
	return upperSnake(c.String())
}

// upperSnake returns NOT_FOUND for NotFound.
func upperSnake(camel string) string {
	var name []byte
	for i, r := range []byte(camel) {
		if i > 0 && r >= 'A' && r <= 'Z' {
			name = append(name, '_')
		}
		name = append(name, r)
	}
	return strings.ToUpper(string(name))
}

// statusOf returns the status for an error, with its details (A2A 1.0 §10.6).
func statusOf(code string, e *a2a.Error) error {
	c, ok := codesByName[code]
	if !ok {
		c = codes.Internal
	}
	s := status.New(c, clip(e.PublicMessage(), maxMessage)).Proto()
	size := 0
	for _, m := range details(e) {
		packed, err := anypb.New(m)
		if err != nil {
			continue // an error must always get out
		}
		if size += proto.Size(packed); size <= maxDetails {
			s.Details = append(s.Details, packed)
		}
	}
	return status.FromProto(s).Err()
}

// details returns what the error's own fields say, then what else it carries, as far as this program knows its type.
func details(e *a2a.Error) []proto.Message {
	info := &errdetails.ErrorInfo{Reason: wire.RowOf(e.Kind).Reason, Domain: wire.ErrorDomain,
		Metadata: valid(e.Metadata)}
	if proto.Size(info) > maxDetails/2 {
		info.Metadata = nil
	}
	all := []proto.Message{info}
	if len(e.Violations) > 0 {
		all = append(all, badRequest(e.Violations))
	}
	if e.RetryAfter > 0 {
		all = append(all, &errdetails.RetryInfo{RetryDelay: durationpb.New(e.RetryAfter)})
	}
	for _, d := range e.Details {
		if packed := new(anypb.Any); !ownType(d.Type) && protojson.Unmarshal(d.Value, packed) == nil {
			if m, err := packed.UnmarshalNew(); err == nil {
				all = append(all, m)
			}
		}
	}
	return all
}

// valid returns metadata that protobuf takes.
func valid(m map[string]string) map[string]string {
	c := make(map[string]string, len(m))
	for k, v := range m {
		c[clip(k, maxMessage)] = clip(v, maxMessage)
	}
	return c
}

func badRequest(violations []a2a.Violation) *errdetails.BadRequest {
	b := &errdetails.BadRequest{}
	size := 0
	for _, v := range violations {
		f := &errdetails.BadRequest_FieldViolation{Field: clip(v.Field, 256), Description: clip(v.Description, 256)}
		if size += proto.Size(f); size > maxViolations {
			break
		}
		b.FieldViolations = append(b.FieldViolations, f)
	}
	return b
}

// The types of detail that an Error has fields for.
const (
	typePrefix     = "type.googleapis.com/"
	typeErrorInfo  = typePrefix + "google.rpc.ErrorInfo"
	typeBadRequest = typePrefix + "google.rpc.BadRequest"
	typeRetryInfo  = typePrefix + "google.rpc.RetryInfo"
)

func ownType(t string) bool { return t == typeErrorInfo || t == typeBadRequest || t == typeRetryInfo }

// clip keeps a text to a size, and to UTF-8.
func clip(s string, limit int) string {
	if len(s) > limit {
		s = s[:limit] + "..."
	}
	return strings.ToValidUTF8(s, "")
}

// errorOf makes an Error of a status that a peer of a generation sent. The kind is that of its ErrorInfo, else of its
// code (A2A 1.0 §10.6): the codes of 1.0.0, 1.0.1 and 0.3 differ, the reasons do not.
func errorOf(gen a2a.Generation, s *status.Status) *a2a.Error {
	e := &a2a.Error{Kind: kindOf(gen, s), Message: clip(s.Message(), 4*maxMessage), Remote: true}
	if s.Code() > codes.Unauthenticated {
		e.Message = "code " + strconv.Itoa(int(s.Code())) + ": " + e.Message
	}
	for _, packed := range s.Proto().GetDetails() {
		if text, err := protojson.Marshal(packed); err == nil {
			e.Details = append(e.Details, a2a.Detail{Type: packed.GetTypeUrl(), Value: text})
		}
		m, err := packed.UnmarshalNew()
		if err != nil {
			continue // of a type that nobody here knows
		}
		switch d := m.(type) {
		case *errdetails.ErrorInfo:
			takeInfo(e, d)
		case *errdetails.BadRequest:
			for _, v := range d.GetFieldViolations() {
				e.Violations = append(e.Violations, a2a.Violation{Field: v.GetField(), Description: v.GetDescription()})
			}
		case *errdetails.RetryInfo:
			e.RetryAfter = max(0, d.GetRetryDelay().AsDuration())
		}
	}
	// The message of an Error says nothing of its violations, that of its wire form may.
	probe := a2a.Error{Message: "-", Violations: e.Violations}
	e.Message = strings.TrimSuffix(e.Message, probe.PublicMessage()[1:])
	return e
}

// kindOf returns the kind of a status without details. Before 1.0 there were none, and the official SDK of Python
// begins the message with the error's name instead, such as TaskNotCancelableError.
func kindOf(gen a2a.Generation, s *status.Status) a2a.Kind {
	if name, _, ok := strings.Cut(s.Message(), "Error: "); ok && gen != a2a.Generation10 {
		if kind, ok := wire.KindOfReason(upperSnake(name)); ok {
			return kind
		}
	}
	if s.Code() == codes.ResourceExhausted && strings.HasPrefix(s.Message(), "grpc: received message ") {
		return a2a.ErrTooLarge // which gRPC itself says before any agent has seen the request
	}
	return wire.KindOfGRPC(gen, nameOf(s.Code()))
}

func takeInfo(e *a2a.Error, info *errdetails.ErrorInfo) {
	if info.GetDomain() != "" && info.GetDomain() != wire.ErrorDomain {
		return
	}
	if kind, ok := wire.KindOfReason(info.GetReason()); ok {
		e.Kind = kind
	}
	e.Metadata = info.GetMetadata()
}
