// SPDX-License-Identifier: Apache-2.0

package push

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// maxBody bounds a notification, in bytes.
const maxBody = 8 << 20

// maxSeen bounds how many ids of notifications a receiver remembers.
const maxSeen = 10000

// A Received is a notification that a [Receiver] took.
type Received struct {
	ID    string    // of the notification, "" if the sender gives none; the same when it is repeated
	Event a2a.Event // before 1.0 the task
	Body  []byte
}

// Checks are what a receiver holds notifications against. All whose fields are set must succeed.
type Checks struct {
	// Token is that of the push config.
	Token string
	// Authorization is the value of that header, such as "Bearer secret".
	Authorization string
	// HMAC is the secret of the scheme HMAC-SHA256.
	HMAC string
	// Keys are those of Standard Webhooks: shared secrets begin with "whsec_", public keys of Ed25519 with "whpk_". One
	// valid signature is enough. The notification must not be older than MaxAge.
	Keys []string
	// Tokens verifies the JSON Web Token in the header Authorization. It must be of the body and not older than MaxAge,
	// and comes once.
	Tokens KeySet
	// Audience is what the token must be for, such as the URL of the webhook. "" takes any.
	Audience string
	// MaxAge is how far the time of a signature may be from now; 0 means 5 minutes.
	MaxAge time.Duration
}

// A Receiver is a webhook: an http.Handler that checks notifications and passes them on. It also answers the challenge
// of April 2025. Set its fields before its first request.
type Receiver struct {
	Checks
	// Expects reports whether notifications about a task are wanted (A2A 1.0 §4.3.3). Nil takes those about any.
	Expects func(a2a.TaskID) bool
	// Receive gets each notification once, if the sender gives it an id, and none while it returns an error, for which
	// the sender tries again.
	Receive func(context.Context, *Received) error
	// Refused learns of requests that were answered with an error. It may be nil.
	Refused func(r *http.Request, status int, why error)

	mu   sync.Mutex
	seen map[string]bool
	ids  []string // of seen, oldest first
}

// A verdict is why a request is refused.
type verdict struct {
	status int
	why    error
}

func refuse(status int, format string, args ...any) *verdict {
	return &verdict{status, fmt.Errorf(format, args...)}
}

// ServeHTTP implements http.Handler.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if token := req.URL.Query().Get("validationToken"); req.Method == http.MethodGet && token != "" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		io.WriteString(w, token)
		return
	}
	if v := r.take(w, req); v != nil {
		if v.status == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", http.MethodPost)
		}
		if r.Refused != nil {
			r.Refused(req, v.status, v.why)
		}
		http.Error(w, v.why.Error(), v.status)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (r *Receiver) take(w http.ResponseWriter, req *http.Request) *verdict {
	if req.Method != http.MethodPost {
		return refuse(http.StatusMethodNotAllowed, "notifications are posted")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return refuse(http.StatusRequestEntityTooLarge, "a notification has at most %d bytes", maxBody)
	}
	if err != nil {
		return refuse(http.StatusBadRequest, "the notification ended early")
	}
	if v := r.check(req.Header, body); v != nil {
		return v
	}
	tokenID := ""
	if r.Tokens != nil {
		c, v := r.checkToken(req, body)
		if v != nil {
			return v
		}
		tokenID = "jti " + c.ID
	}
	event, err := decodeBody(body)
	if err != nil {
		return refuse(http.StatusBadRequest, "the notification cannot be read: %w", err)
	}
	if r.Expects != nil && !r.Expects(taskOf(event)) {
		return refuse(http.StatusNotFound, "no notifications about this task are expected")
	}
	if !r.first(tokenID) {
		return refuse(http.StatusForbidden, "the token was used before")
	}
	id := req.Header.Get(HeaderID)
	if !r.first(id) {
		return nil // the sender missed the answer
	}
	if err := r.Receive(req.Context(), &Received{ID: id, Event: event, Body: body}); err != nil {
		r.forget(id)
		return refuse(http.StatusServiceUnavailable, "the notification cannot be taken now")
	}
	return nil
}

// first notes an id and reports whether it is new. Without an id nothing tells a repetition.
func (r *Receiver) first(id string) bool {
	if id == "" {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[id] {
		return false
	}
	if r.seen == nil {
		r.seen = make(map[string]bool)
	}
	if len(r.ids) == maxSeen {
		delete(r.seen, r.ids[0])
		r.ids = r.ids[1:]
	}
	r.seen[id] = true
	r.ids = append(r.ids, id)
	return true
}

func (r *Receiver) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.seen, id)
	r.ids = slices.DeleteFunc(r.ids, func(seen string) bool { return seen == id })
}

func (r *Checks) check(h http.Header, body []byte) *verdict {
	for _, header := range []struct{ name, want string }{
		{HeaderToken, r.Token}, {"Authorization", r.Authorization}, {HeaderHMAC, r.hmacOf(body)},
	} {
		got := h.Get(header.name)
		switch {
		case header.want == "":
		case got == "":
			return refuse(http.StatusUnauthorized, "the header %s is missing", header.name)
		case subtle.ConstantTimeCompare([]byte(got), []byte(header.want)) != 1:
			return refuse(http.StatusForbidden, "the header %s is wrong", header.name)
		}
	}
	if len(r.Keys) > 0 {
		return r.checkSignature(h, body)
	}
	return nil
}

func (r *Checks) hmacOf(body []byte) string {
	if r.HMAC == "" {
		return ""
	}
	return "sha256=" + hex.EncodeToString(mac([]byte(r.HMAC), body))
}

// checkSignature checks as Standard Webhooks do.
func (r *Checks) checkSignature(h http.Header, body []byte) *verdict {
	id, stamp, given := h.Get(HeaderID), h.Get(HeaderTimestamp), h.Get(HeaderSignature)
	if id == "" || stamp == "" || given == "" {
		return refuse(http.StatusUnauthorized, "one of the headers %s, %s and %s is missing", HeaderID,
			HeaderTimestamp, HeaderSignature)
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return refuse(http.StatusBadRequest, "the header %s is no number", HeaderTimestamp)
	}
	if age := time.Since(time.Unix(seconds, 0)); age.Abs() > cmp.Or(r.MaxAge, 5*time.Minute) {
		return refuse(http.StatusForbidden, "the notification was signed %v ago", age.Round(time.Second))
	}
	text := signedText(id, seconds, body)
	for _, key := range r.Keys {
		for signature := range strings.FieldsSeq(given) {
			if signedBy(key, text, signature) {
				return nil
			}
		}
	}
	return refuse(http.StatusForbidden, "no signature in the header %s is valid", HeaderSignature)
}

func signedBy(key string, text []byte, signature string) bool {
	version, encoded, _ := strings.Cut(signature, ",")
	value, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return false
	}
	public, isPublic := strings.CutPrefix(key, prefixPublic)
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(public, prefixSecret))
	switch {
	case err != nil:
		return false
	case isPublic:
		return version == "v1a" && len(raw) == ed25519.PublicKeySize && ed25519.Verify(raw, text, value)
	}
	return version == "v1" && len(raw) > 0 && subtle.ConstantTimeCompare(value, mac(raw, text)) == 1
}

// decodeBody reads a notification of any version: an event of 1.0, or a task.
func decodeBody(body []byte) (a2a.Event, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, errors.New("it is no JSON object")
	}
	for _, name := range []string{"task", "message", "statusUpdate", "artifactUpdate", "status_update",
		"artifact_update"} {
		if members[name] != nil {
			return a2a.DecodeStreamResponse(body)
		}
	}
	if !bytes.HasPrefix(bytes.TrimSpace(members["status"]), []byte("{")) {
		return nil, errors.New("it is neither an event nor a task")
	}
	gen := a2a.Generation03
	if members["sessionId"] != nil {
		gen = a2a.Generation01
	}
	task, err := binding.DialectOf(gen).DecodeResult(wire.OpGetTask, nil, body)
	if err != nil {
		return nil, err
	}
	return task.(*a2a.Task), nil
}

// taskOf returns the task that an event is about.
func taskOf(ev a2a.Event) a2a.TaskID {
	switch ev := ev.(type) {
	case *a2a.Task:
		return ev.ID
	case *a2a.StatusUpdate:
		return ev.TaskID
	case *a2a.ArtifactUpdate:
		return ev.TaskID
	case *a2a.Message:
		return ev.TaskID
	}
	return ""
}
