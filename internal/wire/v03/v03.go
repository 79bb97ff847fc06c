// SPDX-License-Identifier: Apache-2.0

// Package v03 is the JSON of the generations 0.2.0 to 0.3.0, as it stands in JSON-RPC: one form with dated additions.
// The package writes the form of 0.3.0, which fits the schemas of all of them. It reads all of them, with the
// differences in their examples and their drafts:
//
//   - kind, type or neither tells a text, file or data part, and a task, message or update, from the others;
//   - the messageId of a sent message may stand beside the message;
//   - the content of a file may be called data instead of bytes;
//   - configuration.pushNotification and config are other names of pushNotificationConfig;
//   - a state may be spelled with underscores, or cancelled;
//   - a timestamp without a zone is one in UTC;
//   - null is absent, and unknown members are skipped.
//
// tasks/list is that of the drafts after 0.3.0.
//
// # What a missing member means
//
// A send waits unless blocking is false. Without historyLength, as with 0, no history is asked for: the request has a
// HistoryLength of 0. The other way round nil is left out, so that a peer answers with as much as it likes. A request
// for a push config without pushNotificationConfigId asks for any of the task: its ID is empty.
//
// # What the form has no place for
//
// Some of it goes into the metadata of the part, as an object under the key https://dragoman-a2a.dev/wire/v03, which
// reading takes out again:
//
//   - "mediaType" and "filename" of a text or data part;
//   - "wrapped", which is true where data is not an object, as it must be here: it is the member "value" of one.
//
// That key is reserved: a part's own metadata under it are lost. Empty lists and empty metadata are as good as none.
//
// An unspecified state is unknown here. Lost are: tenants; all schemes of a push config but the first; the paging of
// push configs, which are all in one list; an unspecified role, which becomes agent; fractions of a millisecond. If a
// peer leaves out a value that the model needs, the decoder makes it up: the id of a message, and agent as the role of
// a message in an answer.
package v03

import (
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Dialect is the one [wire.Dialect] of this package. Its streams and results need nothing of the request, which may be
// nil there.
var Dialect wire.Dialect = dialect{}

type dialect struct{}

func (dialect) Generation() a2a.Generation { return a2a.Generation03 }

func (dialect) NewStreamEncoder(wire.Operation, any) wire.StreamEncoder { return encoder{} }

func (dialect) NewStreamDecoder(wire.Operation, any) wire.StreamDecoder { return new(decoder) }

// mismatch is the error for a value that does not go with an operation.
func mismatch(op wire.Operation, value any) error {
	return fmt.Errorf("version 0.3: %v does not go with a %T", op, value)
}
