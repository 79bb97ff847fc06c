// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"net/http"
	"strconv"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Answer answers with a result that is encoded already. The reader has to take it within the time for each write.
func (c *Core) Answer(x *Exchange, result any, contentType string, body []byte) {
	noteResult(x, result)
	c.write(x, http.StatusOK, contentType, body)
}

// AnswerError answers with an error that is encoded already.
func (c *Core) AnswerError(x *Exchange, status int, contentType string, body []byte, e *a2a.Error) {
	x.Err = e
	if e.RetryAfter > 0 {
		seconds := int64((e.RetryAfter + time.Second - 1) / time.Second)
		x.W.Header().Set("Retry-After", strconv.FormatInt(seconds, 10))
	}
	c.write(x, status, contentType, body)
}

var noStore = []string{"no-store"}

func (c *Core) write(x *Exchange, status int, contentType string, body []byte) {
	h := x.W.Header()
	h["Content-Type"] = []string{contentType}
	if x.R.Method == http.MethodGet {
		h["Cache-Control"] = noStore // what one caller may see is not for the next one
	}
	if len(body) > 2000 { // net/http finds out by itself below that, and would send chunks above
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	x.Status = status
	x.W.WriteHeader(status)
	var room *claim
	if len(body) > SmallBody {
		room = x.room
	}
	room.moving(func() { x.control.SetWriteDeadline(time.Unix(1, 0)) })
	x.Cut = writeAll(x.W, x.control, body, c.WriteTimeout, room)
	if inTime := room.still(); !inTime && x.Cut != nil {
		x.Cut = c.tooSlow("answer", x.Cut)
	} else if !inTime { // the cut came after the last piece, of which net/http still has some to write
		x.control.SetWriteDeadline(time.Now().Add(c.WriteTimeout))
	}
	if x.Cut == nil && !shuttingDown(x) {
		x.Cut = x.R.Context().Err() // the caller left before there was an answer
	}
	if x.R.ProtoMajor > 1 {
		x.control.SetWriteDeadline(time.Time{})
	}
}
