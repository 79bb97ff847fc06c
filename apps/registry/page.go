// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
	"io"
	"math"
	"strconv"
)

// maxPageBytes bounds the cards on a page, unless a single one is larger.
const maxPageBytes = 4 << 20

// A place is where a list goes on: after the entry with this key, which is unique in the list.
type place struct {
	score  float64 // of a search
	number int64   // of the agent in a search; of the version in a history
	alias  string  // of a list without a text
}

// token returns the page token for what comes after p in a list. The mark tells lists apart, so that a token of another
// one is refused instead of giving a wrong page. It is no secret: everybody may see the whole list.
func (p place) token(mark uint64) string {
	b := make([]byte, 24, 24+len(p.alias))
	binary.BigEndian.PutUint64(b, mark)
	binary.BigEndian.PutUint64(b[8:], math.Float64bits(p.score))
	binary.BigEndian.PutUint64(b[16:], uint64(p.number))
	return base64.RawURLEncoding.EncodeToString(append(b, p.alias...))
}

// placeIn returns the place in a page token; nil for the first page.
func placeIn(token string, mark uint64) (*place, error) {
	if token == "" {
		return nil, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil && len(b) >= 24 && binary.BigEndian.Uint64(b) == mark {
		score := math.Float64frombits(binary.BigEndian.Uint64(b[8:]))
		if !math.IsNaN(score) {
			return &place{score, int64(binary.BigEndian.Uint64(b[16:])), string(b[24:])}, nil
		}
	}
	return nil, failf(ErrPageToken, "pageToken is not of this list; leave it out to get the first page")
}

func (q *Query) mark() uint64 {
	texts := []string{"agents"}
	for _, p := range q.parameters() {
		texts = append(texts, *p.value)
	}
	return markOf(texts...)
}

func markOf(texts ...string) uint64 {
	h := fnv.New64a()
	for _, text := range texts {
		_, _ = io.WriteString(h, strconv.Itoa(len(text))+":"+text) // a hash does not fail
	}
	return h.Sum64()
}

// pageSize returns how many entries a page may have that somebody asked for.
func pageSize(asked int) int {
	if asked <= 0 {
		return DefaultPageSize
	}
	return min(asked, MaxPageSize)
}
