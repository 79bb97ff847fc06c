// SPDX-License-Identifier: Apache-2.0

// Package browser tests in a real browser what people see in one.
package browser

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// found returns the browser to test in.
func found() (path string, ok bool) {
	if path := os.Getenv("DRAGOMAN_BROWSER"); path != "" {
		return path, true
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, true
		}
	}
	return "", false
}

// tab opens a tab in a new browser. An error on one of its pages fails the test.
func tab(t *testing.T, width, height int) context.Context {
	t.Helper()
	path, ok := found()
	if !ok {
		const how = "there is no browser; to run this test: apt-get install chromium, or name one in DRAGOMAN_BROWSER"
		if os.Getenv("CI") != "" {
			t.Fatal(how)
		}
		t.Skip(how)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.WindowSize(width, height))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // it refuses to run as root otherwise
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("the page fails: %s", e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			if e.Entry.Level == log.LevelError && e.Entry.Source != log.SourceNetwork {
				t.Errorf("the page complains: %s", e.Entry.Text)
			}
		}
	})
	return ctx
}

// run does something in a tab.
func run(t *testing.T, ctx context.Context, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// eventually waits until a JavaScript expression is true.
func eventually(t *testing.T, ctx context.Context, what, expression string) {
	t.Helper()
	err := chromedp.Run(ctx, chromedp.Poll(expression, nil, chromedp.WithPollingInterval(50*time.Millisecond),
		chromedp.WithPollingTimeout(20*time.Second)))
	if err != nil {
		var text string
		_ = chromedp.Run(ctx, chromedp.Evaluate(`document.body.innerText`, &text))
		t.Fatalf("%s: %v; the page has\n%s", what, err, text)
	}
}

// has is an expression that is true when an element has a text.
func has(id, text string) string {
	return `document.getElementById(` + quote(id) + `).textContent.includes(` + quote(text) + `)`
}
