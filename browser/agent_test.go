// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency"
	"github.com/dragoman-a2a/dragoman/apps/samples/expenses"
	"github.com/dragoman-a2a/dragoman/apps/samples/images"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/a2atest"
	"github.com/dragoman-a2a/dragoman/server"
)

// page serves an agent and opens its page.
func page(t *testing.T, a agent.Agent, card *a2a.AgentCard, o server.Options) context.Context {
	t.Helper()
	e := a2atest.Engine(t)
	o.Card = card
	srv, err := server.New(e.Agent("test", a, &engine.AgentOptions{Card: card}), &o)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.StripPrefix("/agents/test", srv))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	ctx := tab(t, 1100, 900)
	stayHere(t, ctx, s.URL)
	run(t, ctx, network.Enable(), chromedp.Navigate(s.URL+"/agents/test"))
	eventually(t, ctx, "one can write", `document.getElementById("message") !== null`)
	return ctx
}

// stayHere fails the test if the page asks another server for anything.
func stayHere(t *testing.T, ctx context.Context, url string) {
	var mu sync.Mutex
	chromedp.ListenTarget(ctx, func(event any) {
		e, ok := event.(*network.EventRequestWillBeSent)
		if !ok || strings.HasPrefix(e.Request.URL, url) || !strings.HasPrefix(e.Request.URL, "http") {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		t.Errorf("the page loads %s", e.Request.URL)
	})
}

// tell writes a message and sends it.
func tell(t *testing.T, ctx context.Context, text string) {
	t.Helper()
	run(t, ctx, chromedp.SendKeys("#message", text+"\r"))
}

// shows is an expression that is true when the conversation has a text.
func shows(text string) string {
	return `document.getElementById("talk").innerText.includes(` + quote(text) + `)`
}

func TestAgentAnswersOnItsPage(t *testing.T) {
	ctx := page(t, currency.New(currency.Options{}), currency.Card(), server.Options{})
	tell(t, ctx, "How much is the exchange rate for 1 USD?")
	eventually(t, ctx, "it asks back", shows("Into which currency"))
	tell(t, ctx, "INR")
	eventually(t, ctx, "it answers", shows("1 USD = ")+`&&`+shows("completed"))
	run(t, ctx, chromedp.Reload())
	eventually(t, ctx, "it is there after a reload", shows("1 USD = ")+`&&`+shows("INR"))
	run(t, ctx, chromedp.Click("//button[text()='New conversation']"))
	eventually(t, ctx, "another conversation begins", `!`+shows("1 USD = "))
}

func TestFormIsFilledOnThePage(t *testing.T) {
	ctx := page(t, expenses.New(expenses.Options{}), expenses.Card(), server.Options{})
	tell(t, ctx, "Can you reimburse me $20 for my lunch with the clients?")
	eventually(t, ctx, "a form is there", `document.getElementById("field-date") !== null`)
	run(t, ctx, chromedp.Click("//form//button[text()='Submit']"))
	eventually(t, ctx, "a missing date is named", shows("This is needed."))
	run(t, ctx, chromedp.SendKeys("#field-date", "04012025"), chromedp.Click("//form//button[text()='Submit']"))
	eventually(t, ctx, "it is approved", shows("approved")+`&& document.getElementById("field-date") === null`)
}

func TestPictureIsShownAndEdited(t *testing.T) {
	ctx := page(t, images.New(images.Options{}), images.Card(), server.Options{})
	tell(t, ctx, "Draw a rabbit")
	const seen = `[...document.querySelectorAll(".picture")].filter((i) => i.complete && i.naturalWidth > 0).length`
	eventually(t, ctx, "a picture is there", seen+` === 1`)
	tell(t, ctx, "make it blue")
	eventually(t, ctx, "it is edited", seen+` === 2`)
}

// A stream of an agent goes on where the page was left, and a running task is cancelled.
func TestRunningTaskOnThePage(t *testing.T) {
	next := make(chan string)
	steps := agent.Func(func(ctx context.Context, turn *agent.Turn) error {
		for {
			select {
			case text := <-next:
				turn.Working(a2a.TextPart(text))
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	})
	card := &a2a.AgentCard{Name: "Steps", Description: "Steps", Version: "1",
		Skills: []a2a.AgentSkill{{ID: "s", Name: "s", Description: "s", Tags: []string{"s"}}}}
	ctx := page(t, steps, card, server.Options{})
	tell(t, ctx, "go")
	next <- "one"
	eventually(t, ctx, "progress is there", shows("one"))
	run(t, ctx, chromedp.Reload())
	eventually(t, ctx, "it still runs", shows("one"))
	next <- "two"
	eventually(t, ctx, "it goes on", shows("two"))
	run(t, ctx, chromedp.Click("//form//button[text()='Cancel']"))
	eventually(t, ctx, "it is cancelled", shows("canceled"))
}

// Nothing that an agent writes runs or is loaded: its card, its texts, its files.
func TestHostileTextIsInert(t *testing.T) {
	const evil = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>` +
		"\n\n![pixel](http://192.0.2.1/pixel.png)\n\n[click](javascript:document.title='owned')\n\n" +
		"```html\n<script>document.title='owned'</script>\n```\n"
	svg := `<svg xmlns="http://www.w3.org/2000/svg"><script>parent.document.title='owned'</script></svg>`
	hostile := agent.Func(func(ctx context.Context, turn *agent.Turn) error {
		return turn.Complete(a2a.TextPart(evil), a2a.RawPart([]byte(svg), "image/svg+xml", evil),
			a2a.RawPart([]byte("<script>document.title='owned'</script>"), "text/html", "page.html"),
			a2a.URLPart("http://192.0.2.1/picture.png", "image/png", "far.png"),
			a2a.URLPart("javascript:document.title='owned'", "image/png", "script.png"))
	})
	card := &a2a.AgentCard{Name: evil, Description: evil, Version: evil, Provider: &a2a.AgentProvider{
		Organization: evil, URL: "https://example.com"}, Skills: []a2a.AgentSkill{{ID: "s", Name: evil,
		Description: evil, Tags: []string{"s"}, Examples: []string{evil}}}}
	ctx := page(t, hostile, card, server.Options{})
	tell(t, ctx, "go")
	eventually(t, ctx, "all of it is there",
		shows("script.png cannot be opened")+`&&`+shows("page.html")+`&&`+shows("far.png"))
	eventually(t, ctx, "nothing of it ran", `!document.title.startsWith("owned") &&
		![...document.querySelectorAll("#talk a")].some((a) => a.protocol === "javascript:") &&
		[...document.querySelectorAll("#talk img")].length === 0`)
}

// The page sends the credential that a person enters, and says what to do without it.
func TestCredentialOnThePage(t *testing.T) {
	card := currency.Card()
	card.SecuritySchemes = map[string]a2a.SecurityScheme{"basic": &a2a.HTTPAuthScheme{Scheme: "Basic"}}
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("ada:secret"))
	ctx := page(t, currency.New(currency.Options{}), card, server.Options{
		Authenticator: auth.AuthenticatorFunc(func(r *http.Request) (a2a.Identity, error) {
			if r.Header.Get("Authorization") != want {
				return a2a.Identity{}, a2a.NewError(a2a.ErrUnauthenticated, "no")
			}
			return a2a.Identity{Subject: "ada"}, nil
		})})
	tell(t, ctx, "1 USD in INR")
	eventually(t, ctx, "it says what is missing", shows("Enter a credential of this agent above."))
	run(t, ctx, chromedp.SendKeys("#credential", "ada:secret"), chromedp.Click("//button[text()='Send again']"))
	eventually(t, ctx, "it answers", shows("1 USD = "))
}
