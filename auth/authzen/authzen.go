// SPDX-License-Identifier: Apache-2.0

// Package authzen asks a policy decision point about each access, by the Authorization API 1.0 of OpenID AuthZEN.
// Cerbos, OpenFGA, Topaz, Keycloak and adapters of OPA and Cedar speak it.
package authzen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
)

// Options say who decides.
type Options struct {
	// URL is required: that of the decision point. Questions go to /access/v1/evaluation below it.
	URL string
	// Token is the server's own credential there, sent as Authorization: Bearer. Empty means none.
	Token string
	// HTTPClient asks. Nil means one that waits for 5 seconds at most and follows no redirects.
	HTTPClient *http.Client
}

const (
	path      = "/access/v1/evaluation"
	maxAnswer = 64 << 10
	maxAsking = 256 // questions at once
)

type policy struct {
	opts   Options
	asking chan struct{} // has an element for each question
}

// New returns a policy that allows what the decision point allows. The point is not asked yet. While it cannot decide,
// every access is refused as unavailable.
func New(opts Options) (auth.Policy, error) {
	u, err := url.Parse(opts.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" || u.User != nil {
		return nil, fmt.Errorf("authzen: Options.URL is %q; it must be an http or https URL without user and query",
			opts.URL)
	}
	opts.URL = strings.TrimSuffix(opts.URL, "/") + path
	if opts.HTTPClient == nil {
		opts.HTTPClient = &http.Client{Timeout: 5 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	return &policy{opts: opts, asking: make(chan struct{}, maxAsking)}, nil
}

// question is an access evaluation request (AuthZEN 1.0 §6.1).
type question struct {
	Subject  entity `json:"subject"`
	Action   action `json:"action"`
	Resource entity `json:"resource"`
}

type entity struct {
	Type       string         `json:"type"`
	ID         string         `json:"id"`
	Properties map[string]any `json:"properties,omitzero"`
}

type action struct {
	Name string `json:"name"`
}

// ask makes the question about an access: may this user or client do the operation with the agent?
func ask(access *auth.Access) question {
	id := &access.Call.Identity
	subject := entity{Type: "user", ID: id.Subject, Properties: map[string]any{}}
	switch {
	case id.Subject == "" && id.Client == "":
		subject.Type, subject.ID = "anonymous", "anonymous"
	case id.Subject == "":
		subject.Type, subject.ID = "client", id.Client
	case id.Client != "":
		subject.Properties["client"] = id.Client
	}
	if len(id.Scopes) > 0 {
		subject.Properties["scopes"] = id.Scopes
	}
	resource := entity{Type: "agent", ID: access.Agent, Properties: map[string]any{}}
	for name, value := range map[string]string{"skill": access.Skill, "tenant": access.Call.Tenant} {
		if value != "" {
			resource.Properties[name] = value
		}
	}
	return question{subject, action{access.Operation}, resource}
}

// Decide implements auth.Policy.
func (p *policy) Decide(ctx context.Context, access auth.Access) error {
	allowed, err := p.decision(ctx, ask(&access))
	if err != nil {
		return &a2a.Error{Kind: a2a.ErrUnavailable, Cause: fmt.Errorf("authzen: %w", err), RetryAfter: time.Second,
			Message: "it cannot be decided now whether you may do this; try again"}
	}
	if !allowed {
		return a2a.NewError(a2a.ErrPermissionDenied, fmt.Sprintf("you may not call %s here", access.Operation))
	}
	return nil
}

// decision asks the decision point. Its error is for the log.
func (p *policy) decision(ctx context.Context, q question) (bool, error) {
	select {
	case p.asking <- struct{}{}:
		defer func() { <-p.asking }()
	default:
		return false, fmt.Errorf("%d questions wait for a decision", maxAsking)
	}
	body, err := json.Marshal(q, json.Deterministic(true))
	if err != nil {
		return false, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.opts.URL, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	if p.opts.Token != "" {
		r.Header.Set("Authorization", "Bearer "+p.opts.Token)
	}
	response, err := p.opts.HTTPClient.Do(r)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return false, fmt.Errorf("%s answers %s", p.opts.URL, response.Status)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err == nil && len(text) > maxAnswer {
		err = fmt.Errorf("%s answers more than %d bytes", p.opts.URL, maxAnswer)
	}
	if err != nil {
		return false, err
	}
	var answer struct {
		Decision *bool `json:"decision"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return false, err
	}
	if answer.Decision == nil {
		return false, errors.New(p.opts.URL + " answers without a decision")
	}
	return *answer.Decision, nil
}
