// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dragoman-a2a/dragoman/a2a"
)

func TestDepth(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		``: 0, `1`: 0, `{}`: 1, `[[],{"a":[1]}]`: 3, `"[[["`: 0, `["\"[[", [1]]`: 2, `["\\", [[1]]]`: 3,
		`"unfinished [`: 0, `"\`: 0,
		strings.Repeat("[", 500): 500,
	} {
		if got := depth([]byte(text)); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

func TestMediaType(t *testing.T) {
	t.Parallel()
	for contentType, want := range map[string]string{
		"application/json": "application/json", "Application/JSON ; charset=UTF-8": "application/json", "": "",
		"a/b/c": "a/b/c",
	} {
		if got := MediaType(contentType); got != want {
			t.Errorf("%q: %q, want %q", contentType, got, want)
		}
	}
}

// A body is read whole, whether or not its length is announced, and holds as much of the budget as it is large.
func TestRead(t *testing.T) {
	t.Parallel()
	const total = 2 << 20
	for _, size := range []int{0, 1, 511, 4096, SmallBody - 1, SmallBody, SmallBody + 1, keptBuffer, 3 * keptBuffer,
		1 << 20} {
		want := strings.Repeat("0123456789", size/10+1)[:size]
		for _, announced := range []int64{int64(size), -1} {
			for name, body := range map[string]io.Reader{"whole": strings.NewReader(want),
				"halves": iotest.HalfReader(strings.NewReader(want))} {
				c, x := reading(body, announced, total)
				buf := Buffer()
				if e := c.Read(x, buf); e != nil || buf.String() != want {
					t.Errorf("%d bytes, announced %d, in %s: got %d, %v", size, announced, name, buf.Len(), e)
				}
				Release(buf)
				if held := int64(size); size > SmallBody && c.Requests.used != held ||
					size <= SmallBody && c.Requests.used > held {
					t.Errorf("%d bytes, announced %d: %d are counted", size, announced, c.Requests.used)
				}
				x.Done()
				if c.Requests.used != 0 {
					t.Errorf("%d bytes, announced %d: %d are counted at the end", size, announced, c.Requests.used)
				}
			}
		}
	}
	for _, size := range []int{10, keptBuffer, 2*keptBuffer + 1} {
		c, x := reading(io.MultiReader(strings.NewReader(strings.Repeat("x", size)),
			iotest.ErrReader(io.ErrUnexpectedEOF)), -1, total)
		if e := c.Read(x, new(bytes.Buffer)); e == nil || e.Kind != a2a.ErrInvalidRequest {
			t.Errorf("after %d bytes: %v", size, e)
		}
	}
}

// reading returns a core and an exchange with a body, which is at most half of the budget of requests.
func reading(body io.Reader, announced, total int64) (*Core, *Exchange) {
	r := httptest.NewRequest("POST", "/", body)
	r.ContentLength = announced
	w := httptest.NewRecorder()
	c := &Core{MaxBody: total / 2, MaxDepth: a2a.MaxDepth, Requests: &Budget{Total: total, What: "requests"}}
	return c, &Exchange{W: w, R: r, control: http.NewResponseController(w)}
}

// A body that finds no room is refused unread, and a small one needs none.
func TestReadWithoutRoom(t *testing.T) {
	t.Parallel()
	for _, announced := range []int64{1 << 20, -1} {
		c, x := reading(strings.NewReader(strings.Repeat("x", 1<<20)), announced, 2<<20)
		c.Requests.charge("somebody", 2<<20)
		buf := new(bytes.Buffer)
		if e := c.Read(x, buf); e == nil || e.Kind != a2a.ErrUnavailable || e.RetryAfter == 0 || buf.Len() > SmallBody {
			t.Errorf("announced %d: %v after %d bytes", announced, e, buf.Len())
		}
		c, x = reading(strings.NewReader(strings.Repeat("x", SmallBody)), SmallBody, 2<<20)
		c.Requests.charge("somebody", 2<<20)
		if e := c.Read(x, new(bytes.Buffer)); e != nil {
			t.Errorf("a small body: %v", e)
		}
	}
}
