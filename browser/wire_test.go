// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/dragoman-a2a/dragoman/apps/samples/expenses"
	"github.com/dragoman-a2a/dragoman/internal/a2atest"
	"github.com/dragoman-a2a/dragoman/store"
)

// frames scrolls through the list for 120 frames, and returns the times of these in milliseconds, in order of length.
const frames = `new Promise((done) => {
	const rows = document.querySelector(".rows"), times = [];
	let last = performance.now(), at = 0;
	const step = (now) => {
		times.push(now - last);
		last = now;
		rows.scrollTop = (at += rows.scrollHeight / 150);
		if (times.length > 120) done(times.slice(1).sort((a, b) => a - b));
		else requestAnimationFrame(step);
	};
	requestAnimationFrame(step);
})`

// Of 10,000 rows the page draws those that one can see. How smoothly it scrolls stands in docs/console.md.
func TestWireScrolls(t *testing.T) {
	ctx, db := openConsoleOn(t)
	err := db.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO console_wire (exchange, at, dir, agent, verb, url, method, status, code,
			failed, about, took, size, cut, headers, body)
			WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
			SELECT i / 10, 1700000000000000 + i * 1000, 'event', 'x', 'POST', 'http://127.0.0.1:1/', 'SendStreamingMessage',
			200, 0, i % 1000 = 0, 'status working ' || i, i, 300, 0, CAST('{}' AS BLOB), CAST('data: {}' AS BLOB) FROM n`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	run(t, ctx, chromedp.Evaluate(`location.hash = "#/wire"`, nil))
	eventually(t, ctx, "the last row is there", `document.querySelector('.rows [aria-posinset="10000"]') !== null`)
	var times []float64
	run(t, ctx, chromedp.Evaluate(frames, &times, func(p *runtime.EvaluateParams) *runtime.EvaluateParams {
		return p.WithAwaitPromise(true)
	}))
	t.Logf("frames while 10,000 rows scroll: median %.1f ms, 95th percentile %.1f ms, longest %.1f ms",
		times[len(times)/2], times[len(times)*95/100], times[len(times)-1])
	var drawn int
	run(t, ctx, chromedp.Evaluate(`document.querySelectorAll(".rows li").length`, &drawn))
	if drawn == 0 || drawn > 100 {
		t.Errorf("%d rows are drawn", drawn)
	}
	run(t, ctx, chromedp.Click(`//button[text()='Errors only']`))
	eventually(t, ctx, "only errors are left",
		`document.querySelector(".tools [role=status]").textContent === "10 of 10000 rows"`)
}

func TestWireShowsWhatPasses(t *testing.T) {
	ctx := openConsole(t)
	add(t, ctx, a2atest.Serve(t, expenses.New(expenses.Options{}), expenses.Card()), "Reimbursement Agent")
	run(t, ctx, chromedp.Evaluate(`location.hash = "#/c"`, nil),
		chromedp.Click(`//button[text()='Reimbursement Agent']`))
	tell(t, ctx, "Can you reimburse me $20 for my lunch with the clients?")
	eventually(t, ctx, "a form is there", `document.getElementById("field-date") !== null`)
	run(t, ctx, chromedp.Evaluate(`location.hash = "#/wire"`, nil),
		chromedp.Click(`//a[.//b[text()='status input-required']]`))
	eventually(t, ctx, "it is decoded",
		`document.querySelector(".detail .tree")?.textContent.includes("TASK_STATE_INPUT_REQUIRED")`)
	run(t, ctx, chromedp.Click(`//button[text()='Raw']`))
	eventually(t, ctx, "it is as it came",
		`/^(id|data):/.test(document.querySelector(".detail pre").innerText)`)
	const before = `document.querySelectorAll(".rows [data-dir=request]").length`
	var requests int
	run(t, ctx, chromedp.Evaluate(before, &requests), chromedp.Click(`//button[text()='Replay']`))
	eventually(t, ctx, "the request is sent again", before+` > `+string(rune('0'+requests)))
	run(t, ctx, chromedp.SendKeys(`.tools input`, "agent-card"))
	eventually(t, ctx, "the filter leaves the fetches of the card",
		`document.querySelectorAll(".rows li").length === 4`)
}
