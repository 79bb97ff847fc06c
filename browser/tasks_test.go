// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/dragoman-a2a/dragoman/apps/samples/expenses"
	"github.com/dragoman-a2a/dragoman/internal/a2atest"
)

func TestTasksCanBeSeenAndCancelled(t *testing.T) {
	ctx := openConsole(t)
	add(t, ctx, a2atest.Serve(t, expenses.New(expenses.Options{}), expenses.Card()), "Reimbursement Agent")
	run(t, ctx, chromedp.Evaluate(`location.hash = "#/c"`, nil),
		chromedp.Click(`//button[text()='Reimbursement Agent']`))
	tell(t, ctx, "Can you reimburse me $20 for my lunch with the clients?")
	eventually(t, ctx, "a form is there", `document.getElementById("field-date") !== null`)
	run(t, ctx, chromedp.Evaluate(`location.hash = "#/tasks"`, nil),
		chromedp.Click(`.tasks [data-state="input-required"]`))
	eventually(t, ctx, "its history is there", `document.querySelectorAll(".detail .timeline li").length >= 2`)
	run(t, ctx, chromedp.Click(`//aside//button[text()='Cancel']`))
	eventually(t, ctx, "it is canceled", `document.querySelector('.detail .row [data-state="canceled"]') !== null`)
	eventually(t, ctx, "the list says so", `document.querySelector('.tasks [data-state="canceled"]') !== null`)
}
