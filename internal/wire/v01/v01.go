// SPDX-License-Identifier: Apache-2.0

// Package v01 is the JSON of the first generation: the documents of April 2025 and version 0.1.0, which are one form on
// the wire. The package reads both, with all the differences between their schemas and their examples. It writes text
// that fits the schemas of both.
//
// # Ids
//
// The client makes the id of a task: the one in a send becomes [a2a.SendMessageRequest.NewTaskID], and the service
// creates or continues the task of that id. sessionId is the context id. Messages have no ids, so each gets a fresh one
// whenever it is read. Artifacts have an index: an artifact id of the form index-N is index N, other ids count by when
// the task first had them, and index N of a peer is read as the id index-N, so that it stays N wherever it goes.
//
// # What the form has no place for
//
// Some of it goes into metadata, as an object under the key https://dragoman-a2a.dev/wire/v01, which reading takes out
// again:
//
//   - of a task or a status update, "state": the state "rejected" that is shown as failed, or "auth-required" that is
//     shown as input-required. An unspecified state is unknown, and needs no mark.
//   - of a part, "mediaType" and "filename" of text and data, and "wrapped" where the data is no object: the schemas
//     allow objects only, so the value is the member "value" of one.
//   - of a message or an artifact, "extensions" and "referenceTaskIds".
//
// The key is reserved: a value that a program puts under it is lost. Metadata that hold nothing else come back unset.
// The metadata of requests have no marks and stay as they are.
//
// The other way round a file part with neither bytes nor uri, which 0.1.0 allows, is a data part whose value has its
// name and mimeType, with "file" under that key; it is written as the file part that it was.
//
// Lost are: ids of messages, of push configs and of artifacts that are no index-N; all schemes of a push config but the
// first; tenants; ReturnImmediately, because a send always waits; fractions of a millisecond.
package v01

import (
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Dialect is the one [wire.Dialect] of this package.
//
// A request to get a push config has no id, because a task has only one config. Its ID is therefore empty after
// reading. A push config that is read from a peer carries the id of the request, or else that of the task.
var Dialect wire.Dialect = dialect{}

type dialect struct{}

func (dialect) Generation() a2a.Generation { return a2a.Generation01 }

func (dialect) NewStreamEncoder(_ wire.Operation, request any) wire.StreamEncoder {
	return newEncoder(request)
}

func (dialect) NewStreamDecoder(_ wire.Operation, request any) wire.StreamDecoder {
	return newDecoder(request)
}

// unknownOperation is the error for an operation that the generation does not have.
func unknownOperation(op wire.Operation) error {
	return a2a.NewError(a2a.ErrUnsupportedOperation, fmt.Sprintf("version 0.1 of the protocol has no %v", op))
}
