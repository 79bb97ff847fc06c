// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Code   Kind   `json:"code"`
}

const mediaTypeProblem = "application/problem+json"

// statuses has the HTTP status and the title of each kind.
var statuses = map[Kind]struct {
	status int
	title  string
}{
	ErrInvalid:         {http.StatusBadRequest, "The request makes no sense"},
	ErrPageToken:       {http.StatusBadRequest, "The page token is not of this list"},
	ErrUnauthenticated: {http.StatusUnauthorized, "Credentials are missing or wrong"},
	ErrForbidden:       {http.StatusForbidden, "The caller may not do that"},
	ErrNotFound:        {http.StatusNotFound, "There is no such thing"},
	ErrAliasTaken:      {http.StatusConflict, "Another agent is called so"},
	ErrCardUnreachable: {http.StatusBadGateway, "The agent card cannot be reached"},
	ErrCardInvalid:     {http.StatusUnprocessableEntity, "The agent card cannot be used"},
	ErrFull:            {http.StatusInsufficientStorage, "The catalogue is full"},
	ErrTooLarge:        {http.StatusRequestEntityTooLarge, "The request is too large"},
	ErrRateLimited:     {http.StatusTooManyRequests, "The caller asks too often"},
	ErrUnavailable:     {http.StatusServiceUnavailable, "The registry cannot answer now"},
	ErrInternal:        {http.StatusInternalServerError, "The registry failed"},
}

func writeProblem(w http.ResponseWriter, p *problem) {
	p.Detail = strings.ToValidUTF8(p.Detail, "\uFFFD")
	body, err := json.Marshal(p)
	if err != nil { // cannot happen: strings and a number
		body = []byte(`{}`)
	}
	w.Header().Set("Content-Type", mediaTypeProblem)
	w.Header().Del("ETag")
	w.WriteHeader(p.Status)
	_, _ = w.Write(body)
}

// problemIn makes an error of an answer that reports one, whoever made it: a proxy on the way knows nothing of kinds.
func problemIn(resp *http.Response, raw []byte) error {
	var p problem
	if json.Unmarshal(raw, &p) == nil && p.Code != "" {
		e := &Error{Kind: p.Code, Detail: cmp.Or(p.Detail, p.Title, string(p.Code))}
		if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
			e.RetryAfter = time.Duration(min(seconds, 86_400)) * time.Second
		}
		return e
	}
	kind := ErrInternal
	for k, s := range statuses {
		if s.status == resp.StatusCode && k != ErrPageToken {
			kind = k
		}
	}
	return failf(kind, "the registry answered HTTP %s", strings.TrimSpace(resp.Status))
}
