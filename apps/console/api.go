// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/kit"
	"github.com/dragoman-a2a/dragoman/internal/wire/cards"
)

//go:embed web
var web embed.FS

const pageText = `{{define "end"}}<nav class="tabs-nav" id="nav" aria-label="Sections"></nav><div class="end"><span id="live" class="live" role="status"></span></div>{{end}}
{{define "main"}}<div id="app"><noscript><p class="notice info">The console needs JavaScript.</p></noscript></div>
{{end}}`

var page = kit.New(pageText)

// maxBody bounds a request: the files of a message are in it.
const maxBody = 32 << 20

type handler = http.Handler

// handler returns the pages and the API.
func (c *Console) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		err := kit.Write(w, page, kit.Page{Title: "Dragoman console", Section: "Console",
			Styles: []string{"console.css"}, Scripts: []string{"console.js"}})
		if err != nil {
			c.refuse(w, err)
		}
	})
	scripts := func(w http.ResponseWriter, r *http.Request) {
		kit.SetHeaders(w.Header())
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		if strings.HasSuffix(r.URL.Path, ".css") {
			w.Header().Set("Content-Type", "text/css; charset=utf-8")
		}
		http.ServeFileFS(w, r, web, "web"+r.URL.Path)
	}
	names, _ := fs.ReadDir(web, "web") // which is embedded
	for _, name := range names {
		mux.HandleFunc("GET /"+name.Name(), scripts)
	}
	mux.HandleFunc("GET /.dragoman/", kit.Files)

	api := func(pattern string, serve func(w http.ResponseWriter, r *http.Request) (any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := c.admit(r); err != nil {
				c.refuse(w, err)
				return
			}
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			answer, err := serve(w, r)
			if err != nil {
				c.refuse(w, err)
				return
			}
			if answer == nil {
				return // it was streamed
			}
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Cache-Control", "no-store")
			if err := json.MarshalWrite(w, answer); err != nil {
				c.logger.Debug("an answer was not written", "error", err)
			}
		})
	}
	api("GET /api/state", c.state)
	api("GET /api/news", c.streamNews)
	api("POST /api/agents", c.addAgent)
	api("DELETE /api/agents/{id}", c.removeAgent)
	api("POST /api/conversations", c.startConversation)
	api("PATCH /api/conversations/{id}", c.changeConversation)
	api("DELETE /api/conversations/{id}", c.removeConversation)
	api("GET /api/conversations/{id}/entries", c.streamEntries)
	api("POST /api/conversations/{id}/messages", c.say)
	api("POST /api/conversations/{id}/cancel", c.cancelTask)
	wire, tasks := wireAPI{c}, taskAPI{c}
	mux.HandleFunc("/push/{inbox}", c.receive)
	api("GET /api/tasks", tasks.listTasks)
	api("POST /api/agents/{id}/tasks/{task}/push", tasks.openInbox)
	api("GET /api/agents/{id}/tasks/{task}", tasks.showTask)
	api("POST /api/agents/{id}/tasks/{task}/cancel", tasks.cancelOne)
	api("GET /api/agents/{id}/tasks/{task}/events", tasks.followTask)
	api("GET /api/wire", wire.streamWire)
	api("GET /api/wire/{seq}", wire.showWire)
	api("POST /api/wire/{seq}/replay", wire.replayWire)
	api("DELETE /api/wire", wire.clearWire)
	api("GET /api/wire.jsonl", wire.exportWire)
	return http.NewCrossOriginProtection().Handler(mux)
}

// admit refuses a request of an unknown caller, or of one that may not do this.
func (c *Console) admit(r *http.Request) error {
	if c.options.Authenticator == nil {
		return nil
	}
	caller, err := c.options.Authenticator.Authenticate(r)
	if err != nil || c.options.Policy == nil {
		return err
	}
	access := auth.Access{Agent: "console", Operation: "UseConsole", Call: &a2a.Call{Identity: caller}}
	if r.Method == http.MethodGet {
		access.Operation = "ReadConsole"
	}
	return c.options.Policy.Decide(r.Context(), access)
}

// ServeHTTP serves the pages and their API.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.routes.ServeHTTP(w, r) }

// refuse answers with an error.
func (c *Console) refuse(w http.ResponseWriter, err error) {
	p := problemOf(err)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		p = problem{Message: "The message is larger than 32 MB.", Hint: "Send a link to the file instead.",
			status: http.StatusRequestEntityTooLarge}
	case p.status >= 500 && p.status != http.StatusBadGateway:
		c.logger.Error("a request failed", "error", err)
	}
	if p.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if e, ok := errors.AsType[*a2a.Error](err); ok && e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(p.status)
	w.Write(p.json()) // the caller may be gone
}

// done answers a request of which nothing comes back.
var done = struct{}{}

// read reads the JSON of a request.
func read(r *http.Request, v any) error {
	err := json.UnmarshalRead(r.Body, v)
	if err == nil {
		return nil
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) || errors.Is(err, io.ErrUnexpectedEOF) && r.ContentLength > maxBody {
		return err
	}
	return a2a.InvalidParams("", "the body of the request is not the JSON that is expected: "+err.Error())
}

// state is all agents, and the conversations that have a text.
func (c *Console) state(_ http.ResponseWriter, r *http.Request) (any, error) {
	agents, err := c.tables.agents(r.Context())
	if err != nil {
		return nil, err
	}
	conversations, err := c.tables.conversations(r.Context(), r.FormValue("text"))
	if err != nil {
		return nil, err
	}
	return map[string]any{"agents": agents, "conversations": conversations}, nil
}

// addAgent fetches the card of an agent, and adds the agent unless it is only to be looked at.
func (c *Console) addAgent(_ http.ResponseWriter, r *http.Request) (any, error) {
	var wanted struct {
		URL  string `json:"url"`
		Look bool   `json:"look"`
	}
	if err := read(r, &wanted); err != nil {
		return nil, err
	}
	wanted.URL = strings.TrimSpace(wanted.URL)
	if wanted.URL == "" {
		return nil, a2a.InvalidParams("url", "is needed: the address of an agent or of its card")
	}
	if u, err := url.Parse(wanted.URL); err == nil && u.User != nil {
		return nil, a2a.InvalidParams("url", "has a user or a password, which the console would keep and show: leave "+
			"it out")
	}
	a, problems, err := c.fetch(r.Context(), wanted.URL)
	if err != nil {
		return nil, err
	}
	if !wanted.Look {
		if a, err = c.tables.putAgent(r.Context(), a); err != nil {
			return nil, err
		}
		c.forget(a.ID)
		c.news.tell(a.ID)
	}
	return map[string]any{"agent": a, "problems": problems}, nil
}

// A finding is what is wrong with a card.
type finding struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// fetch returns the agent at an address, and what is wrong with its card.
func (c *Console) fetch(ctx context.Context, url string) (Agent, []finding, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	id := string(a2a.NewTaskID())
	known, err := c.tables.agents(ctx)
	if err != nil {
		return Agent{}, nil, err
	}
	if at := slices.IndexFunc(known, func(a Agent) bool { return a.URL == url }); at >= 0 {
		id = known[at].ID
	}
	one, err := client.Dial(ctx, url, c.tapped(id))
	if err != nil {
		return Agent{}, nil, err
	}
	defer one.Close()
	text, err := cards.Append(nil, one.Card(), cards.Form10)
	if err != nil {
		return Agent{}, nil, err
	}
	problems := []finding{}
	for _, p := range card.Validate(text) {
		problems = append(problems, finding{p.Path, p.Message})
	}
	now := time.Now()
	return Agent{ID: id, URL: url, Card: jsontext.Value(text), AddedAt: now, SeenAt: now},
		problems, nil
}

func (c *Console) removeAgent(_ http.ResponseWriter, r *http.Request) (any, error) {
	id := r.PathValue("id")
	if err := c.tables.deleteAgent(r.Context(), id); err != nil {
		return nil, err
	}
	c.forget(id)
	c.news.tell(id)
	return done, nil
}

func (c *Console) startConversation(_ http.ResponseWriter, r *http.Request) (any, error) {
	var wanted struct {
		Agent string `json:"agent"`
	}
	if err := read(r, &wanted); err != nil {
		return nil, err
	}
	if _, err := c.tables.agent(r.Context(), wanted.Agent); err != nil {
		return nil, err
	}
	now := time.Now().UTC()
	conversation := Conversation{ID: string(a2a.NewContextID()), Agent: wanted.Agent, CreatedAt: now, UpdatedAt: now}
	if err := c.tables.addConversation(r.Context(), conversation); err != nil {
		return nil, err
	}
	c.news.tell(conversation.ID)
	return conversation, nil
}

// maxTitle is how many bytes a title has.
const maxTitle = 200

func (c *Console) changeConversation(_ http.ResponseWriter, r *http.Request) (any, error) {
	var wanted struct {
		Title  *string `json:"title"`
		Pinned *bool   `json:"pinned"`
	}
	if err := read(r, &wanted); err != nil {
		return nil, err
	}
	id := r.PathValue("id")
	if wanted.Title != nil {
		title := strings.TrimSpace(*wanted.Title)
		if title == "" || len(title) > maxTitle {
			return nil, a2a.InvalidParams("title", fmt.Sprintf("must have 1 to %d bytes", maxTitle))
		}
		if err := c.tables.setTitle(r.Context(), id, title); err != nil {
			return nil, err
		}
	}
	if wanted.Pinned != nil {
		if err := c.tables.pin(r.Context(), id, *wanted.Pinned); err != nil {
			return nil, err
		}
	}
	c.news.tell(id)
	return c.tables.conversation(r.Context(), id)
}

func (c *Console) removeConversation(_ http.ResponseWriter, r *http.Request) (any, error) {
	id := r.PathValue("id")
	if err := c.tables.deleteConversation(r.Context(), id); err != nil {
		return nil, err
	}
	c.mu.Lock()
	stop := c.cancels[id]
	c.mu.Unlock()
	if stop != nil {
		stop()
	}
	c.news.tell(id)
	return done, nil
}

func (c *Console) say(_ http.ResponseWriter, r *http.Request) (any, error) {
	var m a2a.Message
	var wanted struct {
		Parts []a2a.Part `json:"parts"`
	}
	if err := read(r, &wanted); err != nil {
		return nil, err
	}
	m.Parts = wanted.Parts
	if err := c.send(r.Context(), r.PathValue("id"), &m); err != nil {
		return nil, err
	}
	return done, nil
}

func (c *Console) cancelTask(_ http.ResponseWriter, r *http.Request) (any, error) {
	return done, c.cancel(r.Context(), r.PathValue("id"))
}

const (
	keepAlive    = 15 * time.Second
	writeTimeout = 30 * time.Second
)

// streamEntries writes the entries of a conversation after one, and those that come, until the caller leaves.
func (c *Console) streamEntries(w http.ResponseWriter, r *http.Request) (any, error) {
	id := r.PathValue("id")
	if _, err := c.tables.conversation(r.Context(), id); err != nil {
		return nil, err
	}
	after, err := strconv.ParseInt("0"+r.FormValue("after"), 10, 64)
	if err != nil {
		return nil, a2a.InvalidParams("after", "must be the number of an entry")
	}
	return nil, c.stream(w, r, c.news, id, func(ctx context.Context) ([]byte, bool, error) {
		list, err := c.tables.entries(ctx, id, after)
		var b []byte
		for _, e := range list {
			text, err := json.Marshal(e)
			if err != nil {
				return nil, false, err
			}
			b = sse.AppendEvent(b, strconv.FormatInt(e.Seq, 10), text)
			after = e.Seq
		}
		return b, len(list) == entriesPerRead, err
	})
}

// streamNews writes an event each time that the lists of the state may have changed.
func (c *Console) streamNews(w http.ResponseWriter, r *http.Request) (any, error) {
	return nil, c.stream(w, r, c.news, "", func(context.Context) ([]byte, bool, error) {
		return sse.AppendEvent(nil, "", []byte("{}")), false, nil
	})
}

// stream writes what next returns, at once and after each news, until the caller leaves or the console is closed.
func (c *Console) stream(w http.ResponseWriter, r *http.Request, from *news, about string,
	next func(ctx context.Context) (text []byte, more bool, err error)) error {
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", sse.ContentType)
	w.Header().Set("Cache-Control", "no-store")
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	for {
		news := from.next(about)
		text, more, err := next(r.Context())
		if err != nil {
			c.logger.Error("a stream of the console broke", "error", err)
			return nil // the page comes back
		}
		_ = out.SetWriteDeadline(time.Now().Add(writeTimeout)) // where it is known
		if _, err := w.Write(text); err != nil || out.Flush() != nil {
			return nil
		}
		if more {
			continue
		}
		select {
		case <-news:
			if from.isClosed() {
				return nil
			}
		case <-alive.C:
			if _, err := w.Write(sse.AppendComment(nil, "")); err != nil || out.Flush() != nil {
				return nil
			}
		case <-r.Context().Done():
			return nil
		}
	}
}
