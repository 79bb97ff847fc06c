// SPDX-License-Identifier: Apache-2.0

package files

import (
	"cmp"
	"errors"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// slowest is how slow a reader may be, in bytes a second, before it is cut.
const slowest = 16 << 10

// ServeHTTP answers GET and HEAD of the URLs that [Store.URL] makes, below [Path]: whole or in ranges. A request with
// a valid URL gets the file without further checks, because the URL was given only to a caller that may see the task.
// The headers keep browsers from treating a file as a page of the server.
func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	h.Set("Referrer-Policy", "no-referrer")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "files are read with GET")
		return
	}
	id, until, err := s.verify(r.URL, time.Now())
	switch {
	case errors.Is(err, errExpired):
		refuse(w, http.StatusGone, "the URL has expired; get the task again for a new one")
		return
	case err != nil:
		refuse(w, http.StatusForbidden, "the URL is not one that this server gave out; get the task again for a new "+
			"one")
		return
	}
	s.serve(w, r, id, until)
}

func (s *Store) serve(w http.ResponseWriter, r *http.Request, id string, until time.Time) {
	content, f, err := s.Open(id)
	if err == nil {
		defer content.Close()
		var alive bool
		if alive, err = s.alive(r.Context(), f); err == nil && !alive {
			err = ErrNotFound
		}
	}
	switch {
	case errors.Is(err, ErrNotFound):
		refuse(w, http.StatusNotFound, "the file is gone: its task was removed, or something newer took its place; "+
			"get the task again")
		return
	case err != nil:
		s.opts.Logger.Error("a file cannot be given out", "file", id, "error", err)
		refuse(w, http.StatusInternalServerError, "the file cannot be read")
		return
	}
	h := w.Header()
	h.Set("Content-Type", cmp.Or(f.MediaType, "application/octet-stream"))
	h.Set("Content-Disposition", disposition(f))
	h.Set("ETag", `"`+f.SHA256+`"`)
	h.Set("Cache-Control", "private, immutable, max-age="+strconv.Itoa(max(0, int(time.Until(until).Seconds()))))
	allowed := time.Minute + time.Duration(f.Size/slowest)*time.Second
	// where the connection has none, nothing is lost
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(allowed))
	http.ServeContent(w, r, "", time.Time{}, content)
}

func refuse(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write([]byte(text + "\n"))
}

// harmless are the types that browsers may show in place; all others they save.
var harmless = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true,
	"text/plain": true}

func disposition(f *File) string {
	how := "attachment"
	if kind, _, _ := strings.Cut(f.MediaType, ";"); harmless[strings.TrimSpace(kind)] {
		how = "inline"
	}
	if d := mime.FormatMediaType(how, map[string]string{"filename": urlName(f.Name)}); d != "" {
		return d
	}
	return how
}
