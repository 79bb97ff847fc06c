// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"sync"
	"time"
)

// NewTaskID returns a fresh id: a UUIDv7 (RFC 9562), so that ids made later sort later.
func NewTaskID() TaskID { return TaskID(uuid7()) }

// NewContextID returns a fresh id, see [NewTaskID].
func NewContextID() ContextID { return ContextID(uuid7()) }

// NewMessageID returns a fresh id, see [NewTaskID].
func NewMessageID() MessageID { return MessageID(uuid7()) }

// NewArtifactID returns a fresh id, see [NewTaskID].
func NewArtifactID() ArtifactID { return ArtifactID(uuid7()) }

// idClock is the last time stamp given out, in milliseconds << 12 | counter, so that ids of one process rise.
var idClock struct {
	sync.Mutex
	last uint64
}

// uuid7 returns a UUIDv7 whose 12 bits after the milliseconds count within the millisecond (RFC 9562 §6.2,
// method 1): databases append rows whose keys rise, and pay dearly for random ones.
func uuid7() string {
	now := uint64(time.Now().UnixMilli()) << 12
	idClock.Lock()
	if now <= idClock.last {
		now = idClock.last + 1
	}
	idClock.last = now
	idClock.Unlock()

	var u [16]byte
	binary.BigEndian.PutUint64(u[:8], now>>12<<16|0x7000|now&0x0fff)
	rand.Read(u[8:]) // never fails: the program would have crashed
	u[8] = u[8]&0x3f | 0x80

	var s [36]byte
	hex.Encode(s[0:8], u[0:4])
	s[8] = '-'
	hex.Encode(s[9:13], u[4:6])
	s[13] = '-'
	hex.Encode(s[14:18], u[6:8])
	s[18] = '-'
	hex.Encode(s[19:23], u[8:10])
	s[23] = '-'
	hex.Encode(s[24:36], u[10:16])
	return string(s[:])
}

func isContextError(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
