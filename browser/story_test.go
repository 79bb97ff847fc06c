// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/host"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency"
	"github.com/dragoman-a2a/dragoman/apps/samples/expenses"
	"github.com/dragoman-a2a/dragoman/apps/samples/images"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/a2atest"
	"github.com/dragoman-a2a/dragoman/server"
)

// talkTo adds an agent to a console and opens a conversation with it.
func talkTo(t *testing.T, ctx context.Context, url, name string) {
	t.Helper()
	add(t, ctx, url, name)
	run(t, ctx, chromedp.Evaluate(`location.hash = "#/c"`, nil),
		chromedp.Click(`//div[@class="chips"]/button[text()=`+quote(name)+`]`))
}

// The conversation of the founding documents: two agents, a form and an approval.
func TestConsoleHoldsTheFlagshipConversation(t *testing.T) {
	rates := a2atest.Serve(t, currency.New(currency.Options{}), currency.Card())
	money := a2atest.Serve(t, expenses.New(expenses.Options{}), expenses.Card())
	d, err := host.NewDirectory(&host.DirectoryOptions{Agents: []host.AgentRef{{Card: rates}, {Card: money}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	h, err := host.New(host.Options{Directory: d})
	if err != nil {
		t.Fatal(err)
	}
	ctx := openConsole(t)
	add(t, ctx, rates, "Currency Agent")
	add(t, ctx, money, "Reimbursement Agent")
	card := host.Card()
	talkTo(t, ctx, a2atest.Serve(t, h, card), card.Name)
	tell(t, ctx, "reimburse lunch for 20 EUR but needs to be converted to USD ahead of time.")
	eventually(t, ctx, "the form has the amount in dollars",
		`/^21\.58/.test(document.getElementById("field-amount")?.value)`)
	run(t, ctx, chromedp.SendKeys("#field-date", "04012025"), chromedp.Click("//form//button[text()='Submit']"))
	eventually(t, ctx, "it is approved", said("approved")+`&&`+said("completed"))
}

func TestConsoleShowsAPictureAndItsEdit(t *testing.T) {
	ctx := openConsole(t)
	talkTo(t, ctx, a2atest.Serve(t, images.New(images.Options{}), images.Card()), "Image Generator Agent")
	tell(t, ctx, "Draw a rabbit")
	const seen = `[...document.querySelectorAll(".picture")].filter((i) => i.complete && i.naturalWidth > 0).length`
	eventually(t, ctx, "a picture is there", seen+` === 1`)
	tell(t, ctx, "make it blue")
	eventually(t, ctx, "it is edited", seen+` === 2`)
}

// A stream goes on after a reload in its middle, and a running task is canceled.
func TestConsoleReloadsInAStreamAndCancels(t *testing.T) {
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
	ctx := openConsole(t)
	talkTo(t, ctx, a2atest.Serve(t, steps, card), "Steps")
	tell(t, ctx, "go")
	next <- "step one"
	eventually(t, ctx, "progress is there", said("step one"))
	run(t, ctx, chromedp.Reload())
	eventually(t, ctx, "progress is there after the reload", said("step one"))
	next <- "step two"
	eventually(t, ctx, "the stream goes on", said("step two"))
	run(t, ctx, chromedp.Click("//form//button[text()='Cancel']"))
	eventually(t, ctx, "it is canceled", `document.querySelector('.side [data-state="canceled"]') !== null`)
}

// Nothing that an agent writes runs in the console, or is loaded: its card, its texts, its files.
func TestConsoleKeepsHostileTextInert(t *testing.T) {
	const evil = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>` +
		"\n\n![pixel](http://192.0.2.1/pixel.png)\n\n[click](javascript:document.title='owned')\n"
	hostile := agent.Func(func(ctx context.Context, turn *agent.Turn) error {
		return turn.Complete(a2a.TextPart(evil),
			a2a.RawPart([]byte("<script>document.title='owned'</script>"), "text/html", "page.html"),
			a2a.URLPart("http://192.0.2.1/picture.png", "image/png", "far.png"),
			a2a.URLPart("javascript:document.title='owned'", "image/png", "script.png"))
	})
	card := &a2a.AgentCard{Name: "Evil", Description: evil, Version: evil, DocumentationURL: new("javascript:alert(1)"),
		IconURL:  new("http://192.0.2.1/icon.png"),
		Provider: &a2a.AgentProvider{Organization: evil, URL: "https://example.com"},
		Skills: []a2a.AgentSkill{{ID: "s", Name: evil, Description: evil, Tags: []string{"s"},
			Examples: []string{evil}}}}
	const inert = `!document.title.startsWith("owned") &&
		document.querySelectorAll("#app img, #app script").length === 0 &&
		![...document.querySelectorAll("#app a")].some((a) => a.protocol === "javascript:")`
	ctx := openConsole(t)
	add(t, ctx, a2atest.Serve(t, hostile, card), "Evil")
	run(t, ctx, chromedp.Click(`//h2/a[text()='Evil']`))
	eventually(t, ctx, "the card is shown", said("onerror"))
	eventually(t, ctx, "the card is inert", inert)
	run(t, ctx, chromedp.Click(`//button[text()='Talk']`))
	tell(t, ctx, "go")
	eventually(t, ctx, "all of it is there", said("script.png")+`&&`+said("page.html")+`&&`+said("far.png"))
	eventually(t, ctx, "the message is inert", inert)
}

// The console talks to agents that serve one protocol version only.
func TestConsoleTalksToEachProtocolVersion(t *testing.T) {
	ctx := openConsole(t)
	for _, gen := range []a2a.Generation{a2a.Generation01, a2a.Generation03, a2a.Generation10} {
		card := currency.Card()
		card.Name = "Currency " + string(gen)
		svc := a2atest.Engine(t).Agent(string(gen), currency.New(currency.Options{}), &engine.AgentOptions{Card: card})
		url := a2atest.ServeService(t, svc, &server.Options{Card: card, Generations: []a2a.Generation{gen}})
		talkTo(t, ctx, url, card.Name)
		tell(t, ctx, "1 USD in INR")
		eventually(t, ctx, "an agent of "+string(gen)+" answers", said("1 USD = ")+`&&`+said("completed"))
	}
}
