// SPDX-License-Identifier: Apache-2.0

package expenses

import (
	"context"
	"fmt"
	"strings"
)

// A situation is what an engine knows when it reads a text.
type situation struct {
	request Request // what the text may be about; the zero value when there is nothing
	own     bool    // the task is about that request
	today   string  // 2006-01-02
}

// An engine makes an action of what somebody wrote.
type engine interface {
	read(ctx context.Context, s situation, text string) (action, error)
}

// rules is the engine that reads by rules.
type rules struct{}

var (
	requestID  = lazily(`\brequest_id_\d{1,20}\b`)
	withdrawal = lazily(`(?i)^(?:please |no,? |ok,? )*(?:rejected form entry|(?:cancel|withdraw|drop|abort|delete|discard)\b(?: (?:it|that|this|everything|please|(?:the|my|this) (?:form|claim|expense|request|reimbursement)(?: request)?|request_id_\d+))*|never ?mind|forget (?:it|that)|stop|i (?:do not|don'?t) (?:want|need) (?:it|that|the (?:money|reimbursement)) any ?more)(?:,? (?:please|thanks|thank you))?[.! ]*$`)
	agreement  = lazily(`(?i)^(?:yes|y|yep|ok|okay|sure|submit|send|confirm|approved?|correct|right|looks? (?:good|right|fine)|go ahead|that'?s (?:right|correct|fine)|all (?:good|correct)|please do|do it)(?:[,.! ]+(?:it|please|thanks|thank you|submit|that is (?:right|correct)|that'?s (?:right|correct)|looks good|go ahead|approve|the form))*[.! ]*$`)
	topical    = lazily(`(?i)\b(?:re-?imburs\w*|refund\w*|expenses?|expensed|money back|pay(?: me)? back|paid|spent|out of (?:my )?pocket|business trip|receipt)\b`)
	anew       = lazily(`(?i)\b(?:re-?imburs\w*|refund\w*|(?:another|new) (?:request|claim|expense))\b`)
)

const refusal = "Sorry, I only deal with the reimbursement of expenses. You could ask me: Can you reimburse me $20 for my lunch with the clients?"

// read makes an action of a text.
func (rules) read(_ context.Context, s situation, text string) (action, error) {
	open := s.request.ID != ""
	id := requestID().FindString(text)
	plain := strings.TrimSpace(clean(text))
	switch {
	case withdrawal().MatchString(plain):
		return action{kind: withdraw, id: id}, nil
	case (open || id != "") && agreement().MatchString(strings.TrimSpace(strings.Replace(plain, id, "", 1))):
		return action{kind: submit, id: id}, nil
	}
	found := extract(strings.Replace(plain, id, "", 1))
	if open && (s.own || !anew().MatchString(plain)) {
		return found.answer(s, id, plain), nil
	}
	if !topical().MatchString(plain) && found.values.Amount == "" {
		return action{kind: say, text: refusal}, nil
	}
	return action{kind: create, values: found.values, problems: found.problems}, nil
}

// answer reads a text as an answer to the form.
func (f findings) answer(s situation, id, text string) action {
	v := f.values
	// What is left of a sentence is its purpose only when somebody waits for one, or when it is said to be.
	wanted := s.request.Purpose == "" || f.purposeNamed
	if _, problem := checkPurpose(s.request.Purpose); problem != "" {
		wanted = true
	}
	if !wanted || strings.HasSuffix(text, "?") {
		v.Purpose = ""
	}
	if v == (values{}) && len(f.problems) == 0 {
		return action{kind: say, id: id, text: "I do not understand " + fmt.Sprintf("%q", short(text)) + " as an answer to the form."}
	}
	return action{kind: submit, id: id, values: v, problems: f.problems}
}
