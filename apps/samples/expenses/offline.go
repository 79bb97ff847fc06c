// SPDX-License-Identifier: Apache-2.0

package expenses

import (
	"strings"

	"github.com/dragoman-a2a/dragoman/apps/samples/expenses/rules"
)

func readByRules(known Request, text string) action {
	open := known.ID != ""
	plain := clean(text)
	r := rules.Read(plain)
	v := values{Date: r.Date, Amount: r.Amount, Purpose: r.Purpose}
	if open {
		// The rest of a sentence is its purpose only if the form lacks one or the user says that it is the purpose.
		_, problem := checkPurpose(known.Purpose)
		if problem == "" && !r.Explains || strings.HasSuffix(plain, "?") {
			v.Purpose = ""
		}
	}
	switch {
	case r.Withdraws:
		return action{kind: withdraw, id: r.ID}
	case r.Agrees && (open || r.ID != ""):
		return action{kind: submit, id: r.ID}
	case r.Several, open && v == (values{}), !open && !r.Topical && r.Amount == "":
		return action{kind: pass, id: r.ID, text: rules.Refusal}
	case open:
		return action{kind: submit, id: r.ID, values: v}
	}
	if letters(v.Purpose) < minLetters {
		v.Purpose = ""
	}
	return action{kind: create, values: v}
}
