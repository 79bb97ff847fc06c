// SPDX-License-Identifier: Apache-2.0

// Package keyset makes the page tokens of lists of tasks: the place of the last task on the page, and a mark of the
// list it belongs to, so that a token of another list is refused instead of giving a wrong page.
package keyset

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"io"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// A Place is where a task stands in a list: newest status first, then the larger id first.
type Place struct {
	Time int64 // see [Nanos]
	ID   a2a.TaskID
}

// Nanos returns a status time as lists sort it: Unix time in nanoseconds, 0 for a status without a time.
func Nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// Encode returns the token for the tasks that come after p in the list of q.
func Encode(scope journal.Scope, q journal.Query, p Place) string {
	b := make([]byte, 16, 16+len(p.ID))
	binary.BigEndian.PutUint64(b, mark(scope, q))
	binary.BigEndian.PutUint64(b[8:], uint64(p.Time))
	return base64.RawURLEncoding.EncodeToString(append(b, p.ID...))
}

// Decode returns the place in q.PageToken, which must not be empty. The error is [journal.ErrBadPageToken].
func Decode(scope journal.Scope, q journal.Query) (Place, error) {
	b, err := base64.RawURLEncoding.DecodeString(q.PageToken)
	if err != nil || len(b) <= 16 || binary.BigEndian.Uint64(b) != mark(scope, q) {
		return Place{}, journal.ErrBadPageToken
	}
	return Place{Time: int64(binary.BigEndian.Uint64(b[8:])), ID: a2a.TaskID(b[16:])}, nil
}

// mark tells lists apart. It is no secret: whose tasks a list shows depends on the scope of the call alone.
func mark(scope journal.Scope, q journal.Query) uint64 {
	h := fnv.New64a()
	for _, s := range []string{scope.Agent, scope.Tenant, scope.Owner, string(q.ContextID)} {
		_, _ = io.WriteString(h, s) // a hash does not fail
		_, _ = h.Write([]byte{0})
	}
	var n [12]byte
	binary.BigEndian.PutUint64(n[:], uint64(Nanos(q.Since)))
	binary.BigEndian.PutUint32(n[8:], uint32(q.State))
	_, _ = h.Write(n[:])
	return h.Sum64()
}

// EncodeTexts returns a token for what comes after a place that texts name.
func EncodeTexts(texts ...string) string {
	b, _ := json.Marshal(texts) // has no value that fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// DecodeTexts returns n texts of a token, nil for the empty one. The error is [journal.ErrBadPageToken].
func DecodeTexts(token string, n int) ([]string, error) {
	if token == "" {
		return nil, nil
	}
	var texts []string
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || json.Unmarshal(b, &texts) != nil || len(texts) != n {
		return nil, journal.ErrBadPageToken
	}
	return texts, nil
}
