// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestDepth(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		``: 0, `1`: 0, `{}`: 1, `[[],{"a":[1]}]`: 3, `"[[["`: 0, `["\"[[", [1]]`: 2, `["\\", [[1]]]`: 3, `"unfinished [`: 0, `"\`: 0,
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
		"application/json": "application/json", "Application/JSON ; charset=UTF-8": "application/json", "": "", "a/b/c": "a/b/c",
	} {
		if got := MediaType(contentType); got != want {
			t.Errorf("%q: %q, want %q", contentType, got, want)
		}
	}
}

func TestCollect(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 511, 4096, keptBuffer - bytes.MinRead, keptBuffer - bytes.MinRead + 1, keptBuffer, 3 * keptBuffer, 1 << 20} {
		want := strings.Repeat("0123456789", size/10+1)[:size]
		for _, announced := range []int64{int64(size), -1} {
			for name, body := range map[string]io.Reader{"whole": strings.NewReader(want), "halves": iotest.HalfReader(strings.NewReader(want))} {
				buf := Buffer()
				if err := collect(buf, body, announced); err != nil || buf.String() != want {
					t.Errorf("%d bytes, announced %d, in %s: got %d, %v", size, announced, name, buf.Len(), err)
				}
				Release(buf)
			}
		}
	}
	broken := errors.New("broken")
	for _, size := range []int{10, keptBuffer, 2*keptBuffer + 1} {
		body := io.MultiReader(strings.NewReader(strings.Repeat("x", size)), iotest.ErrReader(broken))
		if err := collect(new(bytes.Buffer), body, -1); !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v", size, err)
		}
	}
}
