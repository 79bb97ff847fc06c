// SPDX-License-Identifier: Apache-2.0

package registry_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/registry"
)

// TestCatalog holds the registry itself and the client of one to the same contract.
func TestCatalog(t *testing.T) {
	t.Parallel()
	kinds := map[string]func(*testing.T, registry.Options) registry.Catalog{
		"database": func(t *testing.T, o registry.Options) registry.Catalog { return newRegistry(t, o) },
		"HTTP": func(t *testing.T, o registry.Options) registry.Catalog {
			return serve(t, newRegistry(t, o), nil, registry.ClientOptions{})
		},
	}
	tests := map[string]func(*testing.T, func(*testing.T, registry.Options) registry.Catalog){
		"add by URL": addByURL, "add by card": addByCard, "duplicates": duplicates,
		"bad registrations": badRegistrations,
		"filters":           filters, "search": search, "pages": pages, "small pages of large cards": largeCards,
		"check": checks, "versions": history, "remove": removes, "names": names, "full": full,
	}
	for kind, make := range kinds {
		for name, test := range tests {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				test(t, make)
			})
		}
	}
}

type maker = func(*testing.T, registry.Options) registry.Catalog

func addByURL(t *testing.T, make maker) {
	c, agent := make(t, registry.Options{}), newFake(t, simple("Parrot", "repeat words"))
	e, created, err := c.Add(t.Context(), registry.Registration{URL: agent.URL + "/"})
	if err != nil || !created {
		t.Fatalf("created %v, %v", created, err)
	}
	if e.Alias != "Parrot" || e.URL != agent.URL || e.CardVersion != 1 || e.Card.Skills[0].Name != "repeat words" ||
		e.ID == "" {
		t.Errorf("got %+v", e)
	}
	if diff := cmp.Diff([]a2a.Generation{"1.0"}, e.Generations); diff != "" {
		t.Error(diff)
	}
	h := e.Health
	if h.State != registry.HealthUp || h.Since.IsZero() || h.CheckedAt.IsZero() || !h.NextAt.After(h.CheckedAt) ||
		h.Error != "" {
		t.Errorf("health %+v", h)
	}
	if e.AddedAt.IsZero() || !e.UpdatedAt.Equal(e.AddedAt) {
		t.Errorf("added %v, updated %v", e.AddedAt, e.UpdatedAt)
	}
	got, err := c.Get(t.Context(), e.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(e, got); diff != "" {
		t.Error(diff)
	}
}

func addByCard(t *testing.T, make maker) {
	c, agent := make(t, registry.Options{}), newFake(t, simple("Parrot", "repeat words"))
	text := strings.ReplaceAll(simple("Given", "be given"), "$URL", agent.URL)
	e := mustAdd(t, c, registry.Registration{Card: parse(t, text)})
	if e.Alias != "Given" || e.URL != "" || e.Health.State != registry.HealthUp {
		t.Errorf("got %+v", e)
	}
	if agent.asked != 0 {
		t.Error("the agent was asked for a card although one was given")
	}
	again, created, err := c.Add(t.Context(),
		registry.Registration{Card: parse(t, strings.Replace(text, "be given", "be changed", 1))})
	if err != nil || created || again.ID != e.ID || again.CardVersion != 2 {
		t.Errorf("created %v, %+v, %v", created, again, err)
	}
	agent.Close()
	if e, err = c.Check(t.Context(), "given"); err != nil || e.Health.State != registry.HealthDown {
		t.Errorf("an agent that is gone: %+v, %v", e, err)
	}
}

func duplicates(t *testing.T, make maker) {
	c := make(t, registry.Options{})
	first := newFake(t, simple("Parrot", "repeat words"))
	e := mustAdd(t, c, registry.Registration{URL: first.URL})
	for i := 2; i <= 4; i++ {
		other := mustAdd(t, c, registry.Registration{URL: newFake(t, simple("PARROT", "shout")).URL})
		if want := fmt.Sprintf("PARROT#%d", i); other.Alias != want {
			t.Errorf("got %q, want %q", other.Alias, want)
		}
	}
	// The same agent by other names of the same place.
	for _, url := range []string{first.URL, first.URL + "/", first.URL + "/.well-known/agent-card.json",
		strings.TrimPrefix(first.URL, "http://"), first.URL + "#top"} {
		again, created, err := c.Add(t.Context(), registry.Registration{URL: url})
		if err != nil || created || again.ID != e.ID || again.CardVersion != 1 {
			t.Errorf("%s: created %v, %+v, %v", url, created, again, err)
		}
	}
	if err := c.Remove(t.Context(), "PARROT#2"); err != nil {
		t.Fatal(err)
	}
	if e := mustAdd(t, c, registry.Registration{URL: newFake(t,
		simple("parrot", "whisper")).URL}); e.Alias != "parrot#5" {
		t.Errorf("got %q; a number that two agents had in turn is better not used while others are taken", e.Alias)
	}
	named := mustAdd(t, c, registry.Registration{URL: newFake(t, simple("Parrot", "sing")).URL, Alias: "Singer"})
	if named.Alias != "Singer" {
		t.Errorf("got %q", named.Alias)
	}
	_, _, err := c.Add(t.Context(), registry.Registration{URL: newFake(t, simple("Crow", "caw")).URL, Alias: "sINGER"})
	wantKind(t, err, registry.ErrAliasTaken)
	_, _, err = c.Add(t.Context(), registry.Registration{URL: first.URL, Alias: "Other"})
	wantKind(t, err, registry.ErrAliasTaken)
}

func badRegistrations(t *testing.T, make maker) {
	c := make(t, registry.Options{})
	good := parse(t, strings.ReplaceAll(simple("Given", "be given"), "$URL", "http://127.0.0.1:1"))
	for name, test := range map[string]struct {
		r    registry.Registration
		kind registry.Kind
	}{
		"nothing":        {registry.Registration{}, registry.ErrInvalid},
		"both":           {registry.Registration{URL: "http://127.0.0.1:1", Card: good}, registry.ErrInvalid},
		"a file":         {registry.Registration{URL: "file:///etc/passwd"}, registry.ErrInvalid},
		"a path":         {registry.Registration{URL: "/etc/passwd"}, registry.ErrInvalid},
		"another scheme": {registry.Registration{URL: "ftp://example.com"}, registry.ErrInvalid},
		"credentials":    {registry.Registration{URL: "http://me:secret@127.0.0.1:1"}, registry.ErrInvalid},
		"no host":        {registry.Registration{URL: "http://"}, registry.ErrInvalid},
		"a long URL": {registry.Registration{URL: "http://127.0.0.1:1/" + strings.Repeat("a", 3000)},
			registry.ErrInvalid},
		"control":           {registry.Registration{URL: "http://127.0.0.1:1/\x1b[2J"}, registry.ErrInvalid},
		"a long alias":      {registry.Registration{Card: good, Alias: strings.Repeat("ü", 81)}, registry.ErrInvalid},
		"a slash":           {registry.Registration{Card: good, Alias: "a/b"}, registry.ErrInvalid},
		"an escape":         {registry.Registration{Card: good, Alias: "a\x1b[31m"}, registry.ErrInvalid},
		"dots":              {registry.Registration{Card: good, Alias: ".."}, registry.ErrInvalid},
		"a space":           {registry.Registration{Card: good, Alias: " a"}, registry.ErrInvalid},
		"nobody there":      {registry.Registration{URL: "http://127.0.0.1:1"}, registry.ErrCardUnreachable},
		"no card there":     {registry.Registration{URL: newFake(t, `{}`).URL}, registry.ErrCardInvalid},
		"nothing there":     {registry.Registration{URL: newFake(t, `{}`).URL + "/elsewhere"}, registry.ErrCardInvalid},
		"no interface":      {registry.Registration{Card: &a2a.AgentCard{Name: "Nobody"}}, registry.ErrCardInvalid},
		"a private network": {registry.Registration{URL: "http://192.168.0.1"}, registry.ErrCardUnreachable},
		"metadata": {registry.Registration{URL: "http://169.254.169.254/latest/card.json"},
			registry.ErrCardUnreachable},
	} {
		_, _, err := c.Add(t.Context(), test.r)
		if err == nil {
			t.Errorf("%s: was added", name)
			continue
		}
		t.Log(name+":", err)
		wantKind(t, err, test.kind)
	}
	if got := aliases(t, c, registry.Query{}); got != "" {
		t.Errorf("there are %s", got)
	}
}

const painter = `{
	"name": "Painter", "description": "Paints pictures of what you say", "version": "2.0.0",
	"provider": {"organization": "Ateliér GmbH", "url": "https://atelier.example"},
	"supportedInterfaces": [{"url": "$URL/grpc", "protocolBinding": "GRPC", "protocolVersion": "1.0"}, {"url": "$URL",
	"protocolBinding": "JSONRPC", "protocolVersion": "0.3.0"}],
	"capabilities": {"streaming": false, "extensions": [{"uri": "https://example.com/ext/v1"}]},
	"defaultInputModes": ["text/plain", "image/*"], "defaultOutputModes": ["image/png; q=1"],
	"skills": [
		{"id": "paint", "name": "Paint a picture", "description": "Oil or water", "tags": ["Art", "images"],
		"examples": ["a red rabbit in the snow"], "outputModes": ["image/webp"]},
		{"id": "frame", "name": "Frame", "description": "Puts a frame around it", "tags": []}
	]
}`

const converter = `{
	"name": "Currency Agent", "description": "Helps with exchange rates", "version": "1.0.0", "url": "$URL/",
	"capabilities": {"streaming": true, "pushNotifications": true}, "defaultInputModes": ["text", "text/plain"],
	"defaultOutputModes": ["text"],
	"skills": [{"id": "convert_currency", "name": "Currency Exchange Rates Tool",
	"description": "Converts one currency to another", "tags": ["currency conversion"],
	"examples": ["What is the exchange rate between USD and GBP?"]}]
}`

func filters(t *testing.T, make maker) {
	c := make(t, registry.Options{})
	mustAdd(t, c, registry.Registration{URL: newFake(t, painter).URL})
	mustAdd(t, c, registry.Registration{URL: newFake(t, converter).URL})
	down := newFake(t, simple("Sleeper", "sleep"))
	mustAdd(t, c, registry.Registration{URL: down.URL})
	down.Close()
	if _, err := c.Check(t.Context(), "Sleeper"); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		q    registry.Query
		want string
	}{
		{registry.Query{}, "Currency Agent, Painter, Sleeper"},
		{registry.Query{Skill: "paint"}, "Painter"},
		{registry.Query{Skill: "PAINT A PICTURE"}, "Painter"},
		{registry.Query{Skill: "pain"}, ""},
		{registry.Query{Tag: "art"}, "Painter"},
		{registry.Query{Tag: "currency conversion"}, "Currency Agent"},
		{registry.Query{InputMode: "image/jpeg"}, "Painter"},
		{registry.Query{InputMode: "image/*"}, "Painter"},
		{registry.Query{InputMode: "*/*"}, "Currency Agent, Painter, Sleeper"},
		{registry.Query{InputMode: "text"}, "Currency Agent, Painter, Sleeper"},
		{registry.Query{OutputMode: "image/png"}, "Painter"},
		{registry.Query{OutputMode: "IMAGE/WEBP"}, "Painter"},
		{registry.Query{OutputMode: "application/pdf"}, ""},
		{registry.Query{Capability: "streaming"}, "Currency Agent, Sleeper"},
		{registry.Query{Capability: "pushNotifications"}, "Currency Agent"},
		{registry.Query{Capability: "https://example.com/ext/v1"}, "Painter"},
		{registry.Query{Provider: "ATELIÉR gmbh"}, "Painter"},
		{registry.Query{Generation: "1.0"}, "Painter, Sleeper"},
		{registry.Query{Generation: "0.3"}, "Painter"},
		// whose card does not say which of the old ones it speaks
		{registry.Query{Generation: "0.1"}, "Currency Agent"},
		{registry.Query{Generation: "0.2"}, "Currency Agent"},
		{registry.Query{Binding: "grpc"}, "Painter"},
		{registry.Query{Health: registry.HealthDown}, "Sleeper"},
		{registry.Query{Health: registry.HealthUp}, "Currency Agent, Painter"},
		{registry.Query{Health: registry.HealthUp, InputMode: "text/plain", Generation: "1.0"}, "Painter"},
		{registry.Query{Text: "rabbit", Tag: "art"}, "Painter"},
		{registry.Query{Text: "rabbit", Tag: "currency conversion"}, ""},
		{registry.Query{Tag: `' OR 1=1 --`}, ""},
	} {
		if got := aliases(t, c, test.q); got != test.want {
			t.Errorf("%+v: got %q, want %q", test.q, got, test.want)
		}
	}
	for _, q := range []registry.Query{
		{Generation: "2.0"}, {Health: "ill"}, {Text: strings.Repeat("a", 2001)}, {Tag: strings.Repeat("a", 1001)},
	} {
		_, err := c.List(t.Context(), q)
		wantKind(t, err, registry.ErrInvalid)
	}
}

func search(t *testing.T, make maker) {
	c := make(t, registry.Options{})
	mustAdd(t, c, registry.Registration{URL: newFake(t, painter).URL})
	mustAdd(t, c, registry.Registration{URL: newFake(t, converter).URL})
	mustAdd(t, c, registry.Registration{URL: newFake(t, simple("汇率助手", "货币换算")).URL})
	for text, want := range map[string]string{
		// "in" is a word, too, but a weak one
		"How much are 100 dollars in another currency?": "Currency Agent, Painter",
		"converting currencies":                         "Currency Agent", // by their stems
		"PICTURES":                                      "Painter",
		"atelier":                                       "Painter", // without its accent
		"curr":                                          "Currency Agent",
		"exch rabb":                                     "",
		// a name counts more than an example
		"rabbit currency":           "Currency Agent, Painter",
		"汇率":                        "汇率助手",
		"换算":                        "汇率助手",
		"率汇":                        "",
		"!?":                        "",
		"\x00":                      "",
		`"`:                         "",
		`rabbit" OR name:"agent`:    "Painter, Currency Agent",
		"NEAR(rabbit, 1) -snow ^a*": "Painter",
		"name : rabbit":             "Painter",
	} {
		got := aliases(t, c, registry.Query{Text: text})
		if text == `rabbit" OR name:"agent` || text == "name : rabbit" || strings.HasPrefix(text, "NEAR") {
			if !strings.Contains(got, "Painter") { // words of the index's own language are words like others here
				t.Errorf("%q: got %q", text, got)
			}
			continue
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	page, err := c.List(t.Context(), registry.Query{Text: "rabbit currency"})
	if err != nil || page.Agents[0].Score <= page.Agents[1].Score || page.Agents[1].Score <= 0 {
		t.Errorf("scores of %+v, %v", page, err)
	}
}

func pages(t *testing.T, make maker) {
	c, agent := make(t, registry.Options{}), newFake(t, simple("Base", "count"))
	var want []string
	for i := range 23 {
		text := strings.ReplaceAll(simple(fmt.Sprintf("agent %02d", i), "count"), "$URL",
			fmt.Sprintf("%s/%d", agent.URL, i))
		mustAdd(t, c, registry.Registration{Card: parse(t, text)})
		want = append(want, fmt.Sprintf("agent %02d", i))
	}
	for _, size := range []int{0, 1, 5, 22, 23, 24, 1000} {
		if got := aliases(t, c, registry.Query{PageSize: size}); got != strings.Join(want, ", ") {
			t.Errorf("pages of %d: %s", size, got)
		}
		if got := aliases(t, c, registry.Query{Text: "count", PageSize: size}); strings.Count(got, ",") != 22 {
			t.Errorf("a search in pages of %d: %s", size, got)
		}
	}
	page, err := c.List(t.Context(), registry.Query{PageSize: 5})
	if err != nil {
		t.Fatal(err)
	}
	// Removing what was on a page does not shift the next one.
	if err := c.Remove(t.Context(), "agent 04"); err != nil {
		t.Fatal(err)
	}
	next, err := c.List(t.Context(), registry.Query{PageSize: 5, PageToken: page.NextPageToken})
	if err != nil || next.Agents[0].Alias != "agent 05" {
		t.Errorf("got %+v, %v", next, err)
	}
	for _, q := range []registry.Query{
		{PageToken: "nonsense"}, {PageToken: page.NextPageToken, Tag: "other"},
		{PageToken: page.NextPageToken, Text: "count"},
	} {
		_, err := c.List(t.Context(), q)
		wantKind(t, err, registry.ErrPageToken)
	}
	_, err = c.Versions(t.Context(), "agent 00", 0, page.NextPageToken)
	wantKind(t, err, registry.ErrPageToken)
}

func largeCards(t *testing.T, make maker) {
	c, agent := make(t, registry.Options{}), newFake(t, simple("Base", "count"))
	for i := range 7 {
		text := strings.ReplaceAll(simple(fmt.Sprintf("agent %02d", i), "count"), "$URL",
			fmt.Sprintf("%s/%d", agent.URL, i))
		text = strings.Replace(text, "Does one thing", strings.Repeat("word ", 180_000), 1)
		mustAdd(t, c, registry.Registration{Card: parse(t, text)})
	}
	page, err := c.List(t.Context(), registry.Query{})
	if err != nil || len(page.Agents) != 4 || page.NextPageToken == "" {
		t.Fatalf("%d agents on a page, %v", len(page.Agents), err)
	}
	if got := aliases(t, c, registry.Query{}); strings.Count(got, ",") != 6 {
		t.Errorf("got %s", got)
	}
}

func checks(t *testing.T, make maker) {
	c, agent := make(t, registry.Options{}), newFake(t, simple("Parrot", "repeat words"))
	e := mustAdd(t, c, registry.Registration{URL: agent.URL})
	same, err := c.Check(t.Context(), e.ID)
	if err != nil || same.CardVersion != 1 || agent.same != 1 {
		t.Fatalf("%+v, %v; the agent said %d times that nothing has changed", same, err, agent.same)
	}
	if !same.Health.Since.Equal(e.Health.Since) || same.Health.CheckedAt.Before(e.Health.CheckedAt) {
		t.Errorf("health %+v, before %+v", same.Health, e.Health)
	}
	agent.set(simple("Parrot", "sing songs"))
	changed, err := c.Check(t.Context(), "PARROT")
	if err != nil || changed.CardVersion != 2 || changed.Card.Skills[0].Name != "sing songs" ||
		changed.UpdatedAt.Before(e.UpdatedAt) {
		t.Fatalf("%+v, %v", changed, err)
	}
	if aliases(t, c, registry.Query{Text: "songs"}) != "Parrot" || aliases(t, c, registry.Query{Text: "words"}) != "" ||
		aliases(t, c, registry.Query{Skill: "sing songs"}) != "Parrot" ||
		aliases(t, c, registry.Query{Skill: "repeat words"}) != "" {
		t.Error("the agent is found by its old card, or not by its new one")
	}
	// Spaces and the order of members make no new version.
	agent.set(strings.ReplaceAll(simple("Parrot", "sing songs"), "\n", " \n"))
	if e, err = c.Check(t.Context(), "Parrot"); err != nil || e.CardVersion != 2 {
		t.Errorf("%+v, %v", e, err)
	}
	agent.set(`not a card`)
	if e, err = c.Check(t.Context(), "Parrot"); err != nil || e.Health.State != registry.HealthDown ||
		e.Card.Name != "Parrot" {
		t.Errorf("%+v, %v", e, err)
	}
	agent.answerWith(http.StatusInternalServerError)
	if e, err = c.Check(t.Context(), "Parrot"); err != nil || e.Health.Failures != 2 ||
		!strings.Contains(e.Health.Error, "500") {
		t.Errorf("%+v, %v", e, err)
	}
	agent.answerWith(http.StatusOK)
	agent.set(simple("Raven", "sing songs"))
	e, err = c.Check(t.Context(), "Parrot")
	if err != nil || e.Health.State != registry.HealthUp || e.Health.Failures != 0 || e.Health.Error != "" ||
		e.Alias != "Parrot" || e.Card.Name != "Raven" {
		t.Errorf("%+v, %v", e, err)
	}
	_, err = c.Check(t.Context(), "Raven")
	wantKind(t, err, registry.ErrNotFound)
}

func history(t *testing.T, make maker) {
	c, agent := make(t, registry.Options{MaxVersions: 5}), newFake(t, simple("Parrot", "skill 1"))
	mustAdd(t, c, registry.Registration{URL: agent.URL})
	for i := 2; i <= 8; i++ {
		agent.set(simple("Parrot", fmt.Sprintf("skill %d", i)))
		if _, err := c.Check(t.Context(), "Parrot"); err != nil {
			t.Fatal(err)
		}
	}
	var got []int
	token := ""
	for {
		page, err := c.Versions(t.Context(), "Parrot", 2, token)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range page.Versions {
			got = append(got, v.Number)
			if v.Card != nil || len(v.Digest) != 64 || v.SeenAt.IsZero() {
				t.Errorf("got %+v", v)
			}
		}
		if token = page.NextPageToken; token == "" {
			break
		}
	}
	if diff := cmp.Diff([]int{8, 7, 6, 5, 4}, got); diff != "" {
		t.Error(diff)
	}
	v, err := c.Version(t.Context(), "Parrot", 5)
	if err != nil || v.Card.Skills[0].Name != "skill 5" || v.Number != 5 {
		t.Errorf("%+v, %v", v, err)
	}
	for _, number := range []int{3, 9} {
		_, err := c.Version(t.Context(), "Parrot", number)
		wantKind(t, err, registry.ErrNotFound)
	}
	_, err = c.Versions(t.Context(), "Crow", 0, "")
	wantKind(t, err, registry.ErrNotFound)
}

func removes(t *testing.T, make maker) {
	c, agent := make(t, registry.Options{}), newFake(t, simple("Parrot", "repeat words"))
	e := mustAdd(t, c, registry.Registration{URL: agent.URL})
	if err := c.Remove(t.Context(), "parrot"); err != nil {
		t.Fatal(err)
	}
	_, err := c.Get(t.Context(), e.ID)
	wantKind(t, err, registry.ErrNotFound)
	wantKind(t, c.Remove(t.Context(), e.ID), registry.ErrNotFound)
	if aliases(t, c, registry.Query{}) != "" || aliases(t, c, registry.Query{Text: "repeat"}) != "" ||
		aliases(t, c, registry.Query{Skill: "repeat words"}) != "" {
		t.Error("a removed agent is found")
	}
	back := mustAdd(t, c, registry.Registration{URL: agent.URL})
	if back.ID == e.ID || back.CardVersion != 1 || aliases(t, c, registry.Query{Text: "repeat"}) != "Parrot" {
		t.Errorf("got %+v", back)
	}
}

func names(t *testing.T, make maker) {
	c, agent := make(t, registry.Options{}), newFake(t, simple("Parrot", "repeat words"))
	at := func(i int) string {
		return strings.ReplaceAll(simple("x", "y"), "$URL", fmt.Sprintf("%s/%d", agent.URL, i))
	}
	for i, alias := range []string{"R2-D2 #1?", "100% sure & more;", "Übung macht", "名前", "a\\b", "v1", "agents", "…"} {
		want := mustAdd(t, c, registry.Registration{Card: parse(t, at(i)), Alias: alias})
		for _, name := range []string{alias, strings.ToUpper(alias), want.ID} {
			if got, err := c.Get(t.Context(), name); err != nil || got.ID != want.ID || got.Alias != alias {
				t.Errorf("%q: %+v, %v", name, got, err)
			}
		}
	}
	byURL := mustAdd(t, c, registry.Registration{URL: agent.URL})
	for _, name := range []string{agent.URL, agent.URL + "/", agent.URL + "/.well-known/agent.json"} {
		if got, err := c.Get(t.Context(), name); err != nil || got.ID != byURL.ID {
			t.Errorf("%q: %+v, %v", name, got, err)
		}
	}
	for i, test := range []struct{ name, alias string }{
		{"\x1b]0;owned\x07 Evil\u202e", "]0;owned Evil"}, {"a/b", "a-b"},
		{" ", strings.TrimPrefix(agent.URL, "http://")}, {"..", strings.TrimPrefix(agent.URL, "http://") + "#2"},
		{strings.Repeat("ü", 100), strings.Repeat("ü", 80)}, {strings.Repeat("ü", 100), strings.Repeat("ü", 78) + "#2"},
	} {
		e := mustAdd(t, c, registry.Registration{Card: parse(t,
			strings.Replace(at(100+i), `"x"`, fmt.Sprintf("%q", "NAME"), 1))})
		_ = c.Remove(t.Context(), e.ID)
		card := e.Card.Clone()
		card.Name = test.name
		if e := mustAdd(t, c, registry.Registration{Card: card}); e.Alias != test.alias || e.Card.Name != test.name {
			t.Errorf("%q: alias %q, want %q", test.name, e.Alias, test.alias)
		}
	}
	for _, name := range []string{"nobody", "%", "_", "http://127.0.0.1:1", strings.Repeat("a", 5000)} {
		_, err := c.Get(t.Context(), name)
		wantKind(t, err, registry.ErrNotFound)
	}
}

func full(t *testing.T, make maker) {
	c := make(t, registry.Options{MaxAgents: 1})
	agent := newFake(t, simple("Parrot", "repeat words"))
	mustAdd(t, c, registry.Registration{URL: agent.URL})
	_, _, err := c.Add(t.Context(), registry.Registration{URL: newFake(t, simple("Crow", "caw")).URL})
	wantKind(t, err, registry.ErrFull)
	mustAdd(t, c, registry.Registration{URL: agent.URL}) // which is there
}
