// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// describe answers who is there; of a question who could do something, only those who could.
func (r *router) describe(s *Situation) []a2a.Part {
	agents := r.agents
	lead := fmt.Sprintf("I pass requests on to %s:", count(len(agents)-len(AllUnreachable(agents, nil)), "agent"))
	if m := whichAgent().FindStringSubmatch(s.Text); m != nil {
		if ranks := r.rank(m[3]); ranks.likely() {
			agents, lead = nil, "These could do that:"
			for _, rank := range ranks.agents {
				if rank.score > ranks.agents[0].score/2 {
					agents = append(agents, r.agents[rank.agent])
				}
			}
		}
	}
	lines := []string{lead}
	list := make([]map[string]any, 0, len(agents))
	for _, a := range agents {
		if a.Health.State != Down {
			lines = append(lines, "- "+a.Describe())
		}
		list = append(list, map[string]any{"agent": a.Alias, "description": Clean(a.Card.Description, maxDescription),
			"skills": skillNames(a.Card), "health": a.Health.State})
	}
	if down := AllUnreachable(s.Agents, s.Missing); len(down) > 0 {
		lines = append(lines, ListUnreachable(down, MaxListed))
	}
	parts := []a2a.Part{a2a.TextPart(strings.Join(lines, "\n"))}
	if data, err := a2a.DataPart(map[string]any{"agents": list}); err == nil {
		data.MediaType = "application/json"
		parts = append(parts, data)
	}
	return parts
}

const maxDescription = 200

// Describe says in one line what the agent is for.
func (a Agent) Describe() string {
	line := a.Alias + ": " + Clean(a.Card.Description, maxDescription)
	if !strings.HasSuffix(line, ".") {
		line += "."
	}
	if len(a.Card.Skills) > 0 && len(a.Card.Skills[0].Examples) > 0 {
		line += fmt.Sprintf(" For example: %q", Clean(a.Card.Skills[0].Examples[0], maxDescription))
	}
	if a.Health.State == Down {
		line += " (not reachable: " + Clean(a.Health.Problem, MaxShown) + ")"
	}
	return line
}

func skillNames(c *a2a.AgentCard) []string {
	names := make([]string, 0, len(c.Skills))
	for _, s := range c.Skills[:min(len(c.Skills), maxSkills)] {
		names = append(names, Clean(s.Name, maxDescription))
	}
	return names
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
