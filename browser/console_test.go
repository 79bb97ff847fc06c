// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/dragoman-a2a/dragoman/apps/console"
	"github.com/dragoman-a2a/dragoman/apps/samples/expenses"
	"github.com/dragoman-a2a/dragoman/apps/samples/images"
	"github.com/dragoman-a2a/dragoman/internal/a2atest"
	"github.com/dragoman-a2a/dragoman/store"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// openConsole serves a console without agents and opens its page.
func openConsole(t *testing.T) context.Context {
	t.Helper()
	ctx, _ := openConsoleOn(t)
	return ctx
}

// openConsoleOn is openConsole for a test that needs the database.
func openConsoleOn(t *testing.T) (context.Context, *store.DB) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{Program: "test"})
	if err != nil {
		t.Fatal(err)
	}
	app, err := console.New(t.Context(), &console.Options{Store: db, Logger: a2atest.Quiet})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(app)
	t.Cleanup(func() {
		app.Leave()
		srv.CloseClientConnections()
		srv.Close()
		app.Close()
		db.Close()
	})
	ctx := tab(t, 1280, 800)
	stayHere(t, ctx, srv.URL)
	run(t, ctx, network.Enable(), chromedp.Navigate(srv.URL))
	eventually(t, ctx, "it is empty", `document.body.innerText.includes("knows no agent yet")`)
	return ctx, db
}

// add adds an agent by its address.
func add(t *testing.T, ctx context.Context, url, name string) {
	t.Helper()
	run(t, ctx, chromedp.Evaluate(`location.hash = "#/agents"`, nil))
	const field = `//input[@aria-label="Address of the agent"]`
	run(t, ctx, chromedp.SendKeys(field, url+"\r"), chromedp.Click(`//button[.='Add `+name+`']`))
	eventually(t, ctx, "it is there", `[...document.querySelectorAll(".tile h2")].some((h) => h.textContent === `+
		quote(name)+`)`)
}

// said is an expression that is true when the page has a text.
func said(text string) string {
	return `document.getElementById("app").innerText.includes(` + quote(text) + `)`
}

func TestConsole(t *testing.T) {
	ctx := openConsole(t)
	run(t, ctx, chromedp.Evaluate(`location.hash = "#/agents"`, nil),
		chromedp.SendKeys(`//input[@aria-label="Address of the agent"]`, "http://127.0.0.1:1\r"))
	eventually(t, ctx, "an agent that is down is told of", `document.querySelector("[role=alert]") !== null`)
	run(t, ctx, chromedp.Reload())
	add(t, ctx, a2atest.Serve(t, expenses.New(expenses.Options{}), expenses.Card()), "Reimbursement Agent")
	add(t, ctx, a2atest.Serve(t, images.New(images.Options{}), images.Card()), "Image Generator Agent")

	run(t, ctx, chromedp.Evaluate(`location.hash = "#/c"`, nil),
		chromedp.Click(`//button[text()='Reimbursement Agent']`))
	tell(t, ctx, "Can you reimburse me $20 for my lunch with the clients?")
	eventually(t, ctx, "a form is there", `document.getElementById("field-date") !== null`)
	run(t, ctx, chromedp.Reload())
	eventually(t, ctx, "it is there after a reload", `document.getElementById("field-date") !== null`)
	run(t, ctx, chromedp.SendKeys("#field-date", "04012025"), chromedp.Click("//form//button[text()='Submit']"))
	eventually(t, ctx, "it is approved", said("approved")+`&&`+said("completed"))
	run(t, ctx, chromedp.Click("//button[text()='Rename']"), chromedp.SendKeys(`input[name=title]`, " twice\r"))
	eventually(t, ctx, "it has the new title",
		`document.querySelector(".side li .title").textContent.endsWith("twice")`)

	run(t, ctx, chromedp.Evaluate(`location.hash = "#/c"`, nil),
		chromedp.Click(`//button[text()='Image Generator Agent']`))
	tell(t, ctx, "Draw a rabbit")
	eventually(t, ctx, "a picture is there", `document.querySelector(".picture")?.naturalWidth > 0`)
	run(t, ctx, chromedp.Click("//button[text()='Delete']"), chromedp.Click("//button[text()='Really delete?']"))
	eventually(t, ctx, "one conversation is left", `document.querySelectorAll(".side li a").length === 1`)
}
