// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"net/http"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Row says how one kind of error looks in each generation and binding.
type Row struct {
	Kind   a2a.Kind
	Reason string // google.rpc.ErrorInfo.reason

	// JSON-RPC codes. Where a generation has no code of its own the nearest of its codes stands, or the code of
	// 1.0 when the generation leaves that number free; transport errors are -31000 minus the HTTP status.
	Code01, Code02, Code03, Code10 int
	// OwnStatus says that a JSON-RPC error of this kind comes with the HTTP status of the kind and not with 200:
	// what stands between client and server, such as a proxy, acts on it.
	OwnStatus bool

	HTTP03, HTTP100, HTTP int    // HTTP status of HTTP+JSON in 0.3, in 1.0.0 and in 1.0.1
	GRPC03, GRPC100, GRPC string // gRPC code in 0.3, in 1.0.0 and in 1.0.1
}

// Table has a row for each kind of error (A2A 1.0 §5.4 and its forerunners). 1.0.0 and 1.0.1 are one generation on the
// wire: what is written is 1.0.1, what is read may be either. Generation 0.3 left HTTP and gRPC open, so those
// columns are what its official SDKs do.
var Table = [...]Row{
	{a2a.ErrInternal, "INTERNAL_ERROR", -32603, -32603, -32603, -32603, false, 500, 500, 500, "INTERNAL", "INTERNAL",
		"INTERNAL"},
	{a2a.ErrTaskNotFound, "TASK_NOT_FOUND", -32001, -32001, -32001, -32001, false, 404, 404, 404, "NOT_FOUND",
		"NOT_FOUND", "NOT_FOUND"},
	{a2a.ErrTaskNotCancelable, "TASK_NOT_CANCELABLE", -32002, -32002, -32002, -32002, false, 409, 409, 400,
		"FAILED_PRECONDITION", "FAILED_PRECONDITION", "FAILED_PRECONDITION"},
	{a2a.ErrPushNotSupported, "PUSH_NOTIFICATION_NOT_SUPPORTED", -32003, -32003, -32003, -32003, false, 501, 400, 400,
		"UNIMPLEMENTED", "UNIMPLEMENTED", "FAILED_PRECONDITION"},
	{a2a.ErrUnsupportedOperation, "UNSUPPORTED_OPERATION", -32004, -32004, -32004, -32004, false, 501, 400, 400,
		"UNIMPLEMENTED", "UNIMPLEMENTED", "FAILED_PRECONDITION"},
	{a2a.ErrContentTypeNotSupported, "CONTENT_TYPE_NOT_SUPPORTED", -32005, -32005, -32005, -32005, false, 415, 415, 400,
		"INVALID_ARGUMENT", "INVALID_ARGUMENT", "INVALID_ARGUMENT"},
	{a2a.ErrInvalidAgentResponse, "INVALID_AGENT_RESPONSE", -32603, -32006, -32006, -32006, false, 502, 502, 500,
		"INTERNAL", "INTERNAL", "INTERNAL"},
	{a2a.ErrExtendedCardNotConfigured, "EXTENDED_AGENT_CARD_NOT_CONFIGURED", -32004, -32007, -32007, -32007, false, 404,
		400, 400, "NOT_FOUND", "FAILED_PRECONDITION", "FAILED_PRECONDITION"},
	{a2a.ErrExtensionSupportRequired, "EXTENSION_SUPPORT_REQUIRED", -32004, -32008, -32008, -32008, false, 400, 400,
		400, "FAILED_PRECONDITION", "FAILED_PRECONDITION", "FAILED_PRECONDITION"},
	{a2a.ErrVersionNotSupported, "VERSION_NOT_SUPPORTED", -32004, -32009, -32009, -32009, false, 400, 400, 400,
		"UNIMPLEMENTED", "UNIMPLEMENTED", "FAILED_PRECONDITION"},

	{a2a.ErrParse, "PARSE_ERROR", -32700, -32700, -32700, -32700, false, 400, 400, 400, "INVALID_ARGUMENT",
		"INVALID_ARGUMENT", "INVALID_ARGUMENT"},
	{a2a.ErrInvalidRequest, "INVALID_REQUEST", -32600, -32600, -32600, -32600, false, 400, 400, 400, "INVALID_ARGUMENT",
		"INVALID_ARGUMENT", "INVALID_ARGUMENT"},
	{a2a.ErrMethodNotFound, "METHOD_NOT_FOUND", -32601, -32601, -32601, -32601, false, 404, 404, 404, "UNIMPLEMENTED",
		"UNIMPLEMENTED", "UNIMPLEMENTED"},
	{a2a.ErrInvalidParams, "INVALID_PARAMS", -32602, -32602, -32602, -32602, false, 400, 400, 400, "INVALID_ARGUMENT",
		"INVALID_ARGUMENT", "INVALID_ARGUMENT"},
	{a2a.ErrUnauthenticated, "UNAUTHENTICATED", -32007, -31401, -31401, -31401, true, 401, 401, 401, "UNAUTHENTICATED",
		"UNAUTHENTICATED", "UNAUTHENTICATED"},
	{a2a.ErrPermissionDenied, "PERMISSION_DENIED", -32008, -31403, -31403, -31403, true, 403, 403, 403,
		"PERMISSION_DENIED", "PERMISSION_DENIED", "PERMISSION_DENIED"},
	{a2a.ErrTooLarge, "REQUEST_TOO_LARGE", -31413, -31413, -31413, -31413, true, 413, 413, 413, "RESOURCE_EXHAUSTED",
		"RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED"},
	{a2a.ErrUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE", -32005, -32005, -32005, -32005, true, 415, 415, 415,
		"INVALID_ARGUMENT", "INVALID_ARGUMENT", "INVALID_ARGUMENT"},
	{a2a.ErrRateLimited, "RATE_LIMITED", -32010, -31429, -31429, -31429, true, 429, 429, 429, "RESOURCE_EXHAUSTED",
		"RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED"},
	{a2a.ErrUnavailable, "UNAVAILABLE", -32011, -31503, -31503, -31503, true, 503, 503, 503, "UNAVAILABLE",
		"UNAVAILABLE", "UNAVAILABLE"},
	{a2a.ErrTimeout, "TIMEOUT", -31504, -31504, -31504, -31504, false, 504, 504, 504, "DEADLINE_EXCEEDED",
		"DEADLINE_EXCEEDED", "DEADLINE_EXCEEDED"},
}

// Codes of 0.1 for what later generations all call an unsupported operation.
const (
	CodeNoStreaming01 = -32006 // StreamingNotSupportedError
	CodeTaskState01   = -32009 // InvalidTaskStateError: a message to a finished task
)

// RowOf returns the row of a kind; that of ErrInternal for a kind the table does not know.
func RowOf(kind a2a.Kind) *Row {
	if row, ok := rowsByKind[kind]; ok {
		return row
	}
	return rowsByKind[a2a.ErrInternal]
}

// Code returns the JSON-RPC code of the row in a generation.
func (r *Row) Code(gen a2a.Generation) int {
	switch gen {
	case a2a.Generation01:
		return r.Code01
	case a2a.Generation02:
		return r.Code02
	case a2a.Generation03:
		return r.Code03
	}
	return r.Code10
}

// JSONRPCStatus returns the HTTP status that carries a JSON-RPC error of the row.
func (r *Row) JSONRPCStatus() int {
	if r.OwnStatus {
		return r.HTTP
	}
	return http.StatusOK
}

// Status returns the HTTP status of the row in the HTTP+JSON binding of a generation.
func (r *Row) Status(gen a2a.Generation) int {
	if gen == a2a.Generation10 {
		return r.HTTP
	}
	return r.HTTP03
}

// GRPCCode returns the name of the row's gRPC code in a generation.
func (r *Row) GRPCCode(gen a2a.Generation) string {
	if gen == a2a.Generation10 {
		return r.GRPC
	}
	return r.GRPC03
}

var (
	rowsByKind   = map[a2a.Kind]*Row{}
	rowsByReason = map[string]*Row{}
	rowsByCode   = map[a2a.Generation]map[int]a2a.Kind{}
)

// kinds01 are the codes of generation 0.1 that no kind is written as but that a peer may send.
var kinds01 = map[int]a2a.Kind{
	CodeNoStreaming01: a2a.ErrUnsupportedOperation,
	CodeTaskState01:   a2a.ErrUnsupportedOperation,
}

func init() {
	for i := range Table {
		row := &Table[i]
		rowsByKind[row.Kind], rowsByReason[row.Reason] = row, row
	}
	for _, gen := range Generations {
		codes := map[int]a2a.Kind{}
		for i := range Table {
			// Where two kinds share a code, the one whose own code it is comes first in the table.
			if _, taken := codes[Table[i].Code(gen)]; !taken {
				codes[Table[i].Code(gen)] = Table[i].Kind
			}
		}
		rowsByCode[gen] = codes
	}
	for code, kind := range kinds01 {
		rowsByCode[a2a.Generation01][code] = kind
	}
}

// KindOfReason returns the kind that an ErrorInfo reason names.
func KindOfReason(reason string) (a2a.Kind, bool) {
	row, ok := rowsByReason[reason]
	if !ok {
		return a2a.ErrInternal, false
	}
	return row.Kind, true
}

// KindOfCode returns the kind that a JSON-RPC code means in a generation; any other code is ErrInternal and false.
func KindOfCode(gen a2a.Generation, code int) (a2a.Kind, bool) {
	kind, ok := rowsByCode[gen][code]
	return kind, ok
}

// KindOfStatus returns the kind that an HTTP status means when nothing better is known. 502 and 504 mostly come from
// a proxy in front of the agent.
func KindOfStatus(status int) a2a.Kind {
	switch status {
	case http.StatusUnauthorized, http.StatusProxyAuthRequired:
		return a2a.ErrUnauthenticated
	case http.StatusForbidden:
		return a2a.ErrPermissionDenied
	case http.StatusNotFound:
		return a2a.ErrTaskNotFound
	case http.StatusMethodNotAllowed:
		return a2a.ErrMethodNotFound
	case http.StatusConflict:
		return a2a.ErrTaskNotCancelable
	case http.StatusRequestEntityTooLarge:
		return a2a.ErrTooLarge
	case http.StatusUnsupportedMediaType:
		return a2a.ErrUnsupportedMediaType
	case http.StatusTooManyRequests:
		return a2a.ErrRateLimited
	case http.StatusNotImplemented:
		return a2a.ErrUnsupportedOperation
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		return a2a.ErrUnavailable
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return a2a.ErrTimeout
	}
	if status >= 400 && status < 500 {
		return a2a.ErrInvalidRequest
	}
	return a2a.ErrInternal
}

// KindOfGRPC returns the kind that the name of a gRPC code means in a generation when nothing better is known.
func KindOfGRPC(gen a2a.Generation, code string) a2a.Kind {
	if gen != a2a.Generation10 && code == "FAILED_PRECONDITION" {
		return a2a.ErrTaskNotCancelable // all that has this code there; 1.0.1 gives it to many
	}
	switch code {
	case "NOT_FOUND":
		return a2a.ErrTaskNotFound
	case "INVALID_ARGUMENT", "OUT_OF_RANGE":
		return a2a.ErrInvalidParams
	case "FAILED_PRECONDITION", "UNIMPLEMENTED":
		return a2a.ErrUnsupportedOperation
	case "UNAUTHENTICATED":
		return a2a.ErrUnauthenticated
	case "PERMISSION_DENIED":
		return a2a.ErrPermissionDenied
	case "RESOURCE_EXHAUSTED":
		return a2a.ErrRateLimited
	case "UNAVAILABLE", "ABORTED":
		return a2a.ErrUnavailable
	case "DEADLINE_EXCEEDED", "CANCELED", "CANCELLED":
		return a2a.ErrTimeout
	}
	return a2a.ErrInternal
}
