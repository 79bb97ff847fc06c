// SPDX-License-Identifier: Apache-2.0

package card

import (
	"container/list"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// cache keeps the cards that were used last. It is a private cache (RFC 9111 §1), so s-maxage and private do not
// concern it, and each request has the same headers, so Vary does not either.
type cache struct {
	mu     sync.Mutex
	max    int
	byURL  map[string]*list.Element
	recent *list.List // of *slot; the one used last first
}

type slot struct {
	url   string
	entry *entry
}

func newCache(size int) *cache {
	return &cache{max: size, byURL: make(map[string]*list.Element), recent: list.New()}
}

func (c *cache) get(url string) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byURL[url]
	if !ok {
		return nil
	}
	c.recent.MoveToFront(e)
	return e.Value.(*slot).entry
}

func (c *cache) put(url string, en *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byURL[url]; ok {
		e.Value.(*slot).entry = en
		c.recent.MoveToFront(e)
		return
	}
	c.byURL[url] = c.recent.PushFront(&slot{url, en})
	for c.recent.Len() > max(c.max, 0) {
		c.remove(c.recent.Back())
	}
}

func (c *cache) drop(url string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byURL[url]; ok {
		c.remove(e)
	}
}

func (c *cache) remove(e *list.Element) {
	delete(c.byURL, e.Value.(*slot).url)
	c.recent.Remove(e)
}

// entry is a card and what its server said of keeping it. It is not changed after it was made.
type entry struct {
	card     *a2a.AgentCard
	store    bool // false when the server forbids it
	until    time.Time
	etag     string
	modified string
}

func newEntry(c *a2a.AgentCard, h http.Header, asked time.Time, lifetime time.Duration) *entry {
	until, store := freshUntil(h, asked, lifetime)
	return &entry{card: c, store: store, until: until, etag: h.Get("ETag"), modified: h.Get("Last-Modified")}
}

// refreshed returns the entry after the server said that it is still good (RFC 9111 §4.3.4).
func (e *entry) refreshed(h http.Header, asked time.Time, lifetime time.Duration) *entry {
	next := newEntry(e.card, h, asked, lifetime)
	next.etag = orDefault(next.etag, e.etag)
	next.modified = orDefault(next.modified, e.modified)
	return next
}

func (e *entry) fresh(now time.Time) bool { return now.Before(e.until) }

// ask makes a request conditional.
func (e *entry) ask(h http.Header) {
	if e.etag != "" {
		h.Set("If-None-Match", e.etag)
	} else if e.modified != "" {
		h.Set("If-Modified-Since", e.modified)
	}
}

// freshUntil returns how long a response may be used without asking again, and whether it may be kept at all
// (RFC 9111 §4.2). The clock starts when the request was sent, so that a slow answer is never taken for fresher than
// it is.
func freshUntil(h http.Header, asked time.Time, lifetime time.Duration) (until time.Time, store bool) {
	directives := cacheControl(h)
	if _, ok := directives["no-store"]; ok {
		return asked, false
	}
	if _, ok := directives["no-cache"]; ok {
		return asked, true
	}
	if value, ok := directives["max-age"]; ok {
		return asked.Add(seconds(value) - seconds(h.Get("Age"))), true
	}
	if expires := h.Get("Expires"); expires != "" {
		return expiry(expires, h.Get("Date"), asked), true
	}
	return asked.Add(lifetime), true
}

// expiry reads Expires by the server's own clock if the response has a Date. It treats an Expires that it cannot read
// as expired.
func expiry(expires, date string, asked time.Time) time.Time {
	at, err := http.ParseTime(expires)
	if err != nil {
		return asked
	}
	server, err := http.ParseTime(date)
	if err != nil {
		return at
	}
	return asked.Add(at.Sub(server))
}

// cacheControl returns the directives of all Cache-Control headers, names in lower case.
func cacheControl(h http.Header) map[string]string {
	directives := make(map[string]string)
	for _, line := range h.Values("Cache-Control") {
		for part := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
			directives[strings.ToLower(name)] = strings.Trim(value, `"`)
		}
	}
	return directives
}

// seconds reads a number of seconds; what cannot be read is 0, and nothing is longer than a year.
func seconds(value string) time.Duration {
	const year = 365 * 24 * 60 * 60
	n, err := strconv.ParseUint(value, 10, 63)
	if err != nil {
		return 0
	}
	return time.Duration(min(n, year)) * time.Second
}
