// SPDX-License-Identifier: Apache-2.0

package a2abridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/coord"
)

type asSession struct{ *Bridge }

// Run asks the session the message as a query. The task works until the session has answered. If the task is cancelled,
// or the time is up, the query is withdrawn.
func (b asSession) Run(ctx context.Context, t *agent.Turn) error {
	if err := t.Working(); err != nil {
		return err
	}
	p, rest, ok := split(Prefix + t.Tenant())
	if !ok || rest != "/" {
		return fmt.Errorf("the tenant %q is no session", t.Tenant())
	}
	if _, there, err := b.info(ctx, p); err == nil && !there {
		return agent.Public(notThere(p), nil)
	}
	if err := t.Flush(ctx); err != nil { // a question whose task is lost in a crash would be answered to nobody
		return err
	}
	principal := t.Caller().Subject
	result, err := b.opts.Hub.Do(ctx, p.project, principal, coord.Ask{
		From: coord.A2ACaller(principal), External: true, To: p.session, Type: cmp.Or(t.Skill(), "a2a"),
		Query: query(t.Message()), Wait: true, Timeout: b.opts.Timeout,
	})
	if bad, ok := errors.AsType[*coord.BadProjectError](err); ok {
		return agent.Reject(a2a.TextPart(bad.Error()))
	}
	if err != nil {
		return err
	}
	switch r := result.(type) {
	case coord.Received:
		return t.PutArtifact(&a2a.Artifact{ID: a2a.ArtifactID(a2a.NewMessageID()), Name: "answer",
			Parts: []a2a.Part{a2a.TextPart(r.Response)}})
	case coord.Unanswered:
		return agent.Public(r.Error, errNoAnswer)
	case coord.Failure:
		if r.Code == coord.CodeInvalid || r.Code == coord.CodeForbidden || r.Code == coord.CodeUnregistered {
			return agent.Reject(a2a.TextPart(r.Error))
		}
		return agent.Public(r.Error, nil)
	}
	return fmt.Errorf("the query had the result %T", result)
}

var errNoAnswer = errors.New("the session did not answer in time")

func notThere(p place) string {
	return fmt.Sprintf("no session %q is registered in the project %q: it has left, has died, or never was there",
		p.session, p.project)
}

// query is the text of a message for a session: its texts, its data, and what files there were.
func query(m *a2a.Message) string {
	if m == nil {
		return ""
	}
	var lines []string
	for _, p := range m.Parts {
		switch c := p.Content.(type) {
		case a2a.Text:
			lines = append(lines, string(c))
		case a2a.Data:
			lines = append(lines, string(c))
		case a2a.URL:
			lines = append(lines, fmt.Sprintf("[%s at %s]", fileOf(&p), c))
		case a2a.Raw:
			if strings.HasPrefix(p.MediaType, "text/") {
				lines = append(lines, fmt.Sprintf("[%s]\n%s", fileOf(&p), c))
				continue
			}
			lines = append(lines, fmt.Sprintf("[%s of %d bytes, %s, which cannot be passed on]", fileOf(&p), len(c),
				cmp.Or(p.MediaType, "of no type")))
		}
	}
	return strings.ToValidUTF8(strings.Join(lines, "\n"), "\ufffd")
}

func fileOf(p *a2a.Part) string { return strings.TrimSpace("file " + p.Filename) }

// scheme names the security scheme of projects that need a token.
const scheme = "token"

// card makes the card of a session, with its own description for callers that may read the project. Others learn only
// which token to send.
func (b *Bridge) card(ctx context.Context, r *http.Request) (*a2a.AgentCard, error) {
	p, _ := ctx.Value(placeKey{}).(place)
	yes := true
	c := &a2a.AgentCard{
		Name: p.session, Description: "A session of the project " + p.project +
			". A message is a query to it; the task works until the session has answered.",
		Version: b.opts.Version, Capabilities: a2a.AgentCapabilities{Streaming: &yes},
		DefaultInputModes: []string{"text/plain", "application/json"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{{ID: "query", Name: "Answer queries", Description: "Answers questions about its work.",
			Tags: []string{"coordination"}}},
	}
	if !b.allowed(ctx, http.Header{}, p.project) {
		c.SecuritySchemes = map[string]a2a.SecurityScheme{scheme: &a2a.HTTPAuthScheme{Scheme: "Bearer",
			Description: "A token of the project"}}
		c.SecurityRequirements = []a2a.SecurityRequirement{{scheme: nil}}
	}
	if !b.allowed(ctx, r.Header, p.project) {
		return c, nil
	}
	info, there, err := b.info(ctx, p)
	if err != nil || !there {
		c.Description = "A session that is not in the project " + p.project + " any more. Its tasks can still be had."
		return c, nil
	}
	c.Description = strings.TrimSpace(cmp.Or(info.Description, c.Description))
	c.Skills[0].Description = fmt.Sprintf("Answers questions about its task %s on the branch %s of the project %s.",
		info.TaskID, info.Branch, p.project)
	return c, nil
}
