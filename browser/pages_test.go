// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/dragoman-a2a/dragoman/apps/samples/expenses"
	"github.com/dragoman-a2a/dragoman/apps/samples/images"
	"github.com/dragoman-a2a/dragoman/internal/a2atest"
)

// TestPagesFit looks at each page of the console, light and dark, on a desktop and on a phone: no page is wider than
// its window. If DRAGOMAN_PICTURES names a folder, pictures of the pages are kept there: those of the docs are in
// docs/img.
func TestPagesFit(t *testing.T) {
	ctx := openConsole(t)
	add(t, ctx, a2atest.Serve(t, expenses.New(expenses.Options{}), expenses.Card()), "Reimbursement Agent")
	add(t, ctx, a2atest.Serve(t, images.New(images.Options{}), images.Card()), "Image Generator Agent")
	var agent, picture, form string
	run(t, ctx, chromedp.Click(`//h2/a[text()='Reimbursement Agent']`), chromedp.Evaluate(`location.hash`, &agent),
		chromedp.Evaluate(`location.hash = "#/c"`, nil), chromedp.Click(`//button[text()='Image Generator Agent']`))
	tell(t, ctx, "Draw a rabbit")
	eventually(t, ctx, "a picture is there", `document.querySelector(".picture")?.naturalWidth > 0`)
	run(t, ctx, chromedp.Evaluate(`location.hash`, &picture), chromedp.Evaluate(`location.hash = "#/c"`, nil),
		chromedp.Click(`//main//button[text()='Reimbursement Agent']`))
	tell(t, ctx, "Can you reimburse me $20 for my lunch with the clients?")
	eventually(t, ctx, "a form is there", `document.getElementById("field-date") !== null`)
	run(t, ctx, chromedp.Evaluate(`location.hash`, &form))

	pages := []struct{ name, hash, ready string }{
		{"", picture, `document.querySelector(".picture")?.naturalWidth > 0`},
		{"-form", form, `document.getElementById("field-date") !== null`},
		{"-agents", "#/agents", `document.querySelectorAll(".tile").length === 2`},
		{"-agent", agent, `document.querySelector("dl.facts") !== null`},
		{"-tasks", "#/tasks", `document.querySelector('.tasks [data-state="input-required"]') !== null`},
		{"-plans", "#/plan", `document.querySelector(".empty") !== null`},
		{"-wire", "#/wire", `document.querySelectorAll(".rows li").length > 4`},
		{"-push", "#/push", `document.querySelector(".empty") !== null`},
	}
	for _, device := range []struct {
		name          string
		width, height int64
	}{{"", 1280, 800}, {"-phone", 390, 844}} {
		for _, scheme := range []string{"light", "dark"} {
			media := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
			run(t, ctx, chromedp.EmulateViewport(device.width, device.height),
				emulation.SetEmulatedMedia().WithFeatures(media))
			for _, page := range pages {
				name := "console" + page.name + device.name + strings.TrimPrefix("-"+scheme, "-light") + ".png"
				run(t, ctx, chromedp.Evaluate(`location.hash = `+quote(page.hash), nil))
				eventually(t, ctx, name, page.ready)
				var wide bool
				var png []byte
				run(t, ctx, chromedp.Evaluate(`document.documentElement.scrollWidth > innerWidth`, &wide),
					chromedp.CaptureScreenshot(&png))
				if wide {
					t.Errorf("%s: the page is wider than its window", name)
				}
				keep(t, name, png)
			}
		}
	}
}

// keep writes a picture for the docs when DRAGOMAN_PICTURES names a folder.
func keep(t *testing.T, name string, png []byte) {
	t.Helper()
	if folder := os.Getenv("DRAGOMAN_PICTURES"); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, name), png, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
