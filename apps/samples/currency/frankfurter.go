// SPDX-License-Identifier: Apache-2.0

package currency

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/apps/samples/internal/fetch"
)

// DefaultBaseURL is the public instance of the Frankfurter service, which serves reference rates of central banks.
const DefaultBaseURL = "https://api.frankfurter.dev/v1"

const (
	liveSource   = "Frankfurter service"
	maxRedirects = 5
)

// Live is the [Provider] of rates from a Frankfurter service. It follows up to 5 redirects, none of them from https to
// http.
type Live struct {
	base   *url.URL
	client *http.Client
}

// NewLive returns the provider of a base URL. An empty one is [DefaultBaseURL], a nil transport that of package http.
func NewLive(baseURL string, transport http.RoundTripper) (*Live, error) {
	base, err := fetch.BaseURL(cmp.Or(baseURL, DefaultBaseURL))
	if err != nil {
		return nil, fmt.Errorf("currency: rates: %w", err)
	}
	return &Live{base, &http.Client{Transport: transport, CheckRedirect: checkRedirect}}, nil
}

func checkRedirect(next *http.Request, before []*http.Request) error {
	if len(before) > maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	if before[len(before)-1].URL.Scheme == "https" && next.URL.Scheme != "https" {
		return errors.New("redirect from https to http")
	}
	return nil
}

// Today is the day of now.
func (*Live) Today(now time.Time) Date { return DateOf(now) }

// Rates asks the service. It answers 404 both for currencies and for days that it does not have and does not say which:
// a day that was named is blamed first.
func (l *Live) Rates(ctx context.Context, q Query) (Quote, error) {
	target := l.base.JoinPath(cmp.Or(string(q.On), "latest"))
	target.RawQuery = url.Values{"base": {q.From}, "symbols": {strings.Join(q.To, ",")}}.Encode()
	var answer liveAnswer
	err := fetch.JSON(ctx, l.client, target, http.Header{"Accept": {"application/json"}}, &answer)
	codes := append([]string{q.From}, q.To...)
	switch missing := errors.Is(err, fetch.StatusError(http.StatusNotFound)); {
	case missing && q.On != "":
		return Quote{}, &DateError{Date: q.On, Source: liveSource, Note: "or for " + strings.Join(codes, " or ")}
	case missing:
		return Quote{}, &UnknownCurrencyError{Codes: codes, Source: liveSource}
	case err != nil:
		return Quote{}, fmt.Errorf("currency: %s: %w", liveSource, err)
	}
	return answer.quote(q)
}

type liveAnswer struct {
	Base  string             `json:"base"`
	Date  string             `json:"date"`
	Rates map[string]Decimal `json:"rates"`
}

// quote checks the answer of the service: money is not the place to be lenient.
func (a liveAnswer) quote(q Query) (Quote, error) {
	date, err := ParseDate(a.Date)
	if err != nil {
		return Quote{}, fmt.Errorf("currency: %s: answer: %w", liveSource, err)
	}
	if a.Base != q.From {
		return Quote{}, fmt.Errorf("currency: %s: answer is for %q, asked for %s", liveSource, a.Base, q.From)
	}
	quote := Quote{Date: date, Rates: make(map[string]Decimal, len(q.To)), Source: liveSource}
	var missing []string
	for _, to := range q.To {
		rate, ok := a.Rates[to]
		switch {
		case !ok:
			missing = append(missing, to)
		case rate.Sign() <= 0:
			return Quote{}, fmt.Errorf("currency: %s: rate of %s is %s", liveSource, to, rate)
		}
		quote.Rates[to] = rate
	}
	if len(missing) > 0 {
		return Quote{}, &UnknownCurrencyError{Codes: missing, Source: liveSource}
	}
	return quote, nil
}

const fallbackNote = "live rates could not be had, so these are the bundled sample rates."

// Auto is the [Provider] that asks First and, when that fails, Second. The answer says so. What First answers to be
// unknown is an answer, not a failure.
type Auto struct {
	First, Second Provider
}

// Today is that of the first provider.
func (a Auto) Today(now time.Time) Date { return a.First.Today(now) }

// Rates falls back unless the context has ended: then nobody waits for the answer.
func (a Auto) Rates(ctx context.Context, q Query) (Quote, error) {
	quote, err := a.First.Rates(ctx, q)
	var unknown *UnknownCurrencyError
	var date *DateError
	if err == nil || errors.As(err, &unknown) || errors.As(err, &date) || ctx.Err() != nil {
		return quote, err
	}
	quote, fallback := a.Second.Rates(ctx, q)
	if errors.As(fallback, &date) {
		noted := *date
		noted.Note = "live rates could not be had"
		return Quote{}, &noted
	}
	quote.Note = fallbackNote
	return quote, fallback
}

// NewProvider makes the provider that a setting names: "snapshot" (or ""), "live" or "auto". The other arguments are
// those of [NewLive].
func NewProvider(name, baseURL string, transport http.RoundTripper) (Provider, error) {
	if name == "" || name == "snapshot" {
		return Snapshot{}, nil
	}
	live, err := NewLive(baseURL, transport)
	switch {
	case name != "live" && name != "auto":
		return nil, fmt.Errorf("currency: rates %q: want snapshot, live or auto", name)
	case err != nil:
		return nil, err
	case name == "live":
		return live, nil
	}
	return Auto{First: live, Second: Snapshot{}}, nil
}
