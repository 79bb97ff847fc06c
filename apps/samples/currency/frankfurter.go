// SPDX-License-Identifier: Apache-2.0

package currency

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// DefaultBaseURL is the public instance of the Frankfurter service, which serves reference rates of central banks.
const DefaultBaseURL = "https://api.frankfurter.dev/v1"

const (
	liveSource   = "Frankfurter service"
	liveTimeout  = 10 * time.Second // of a whole request, redirects and body included
	liveMaxBody  = 1 << 20          // bytes of an answer
	maxRedirects = 5
)

// LiveOptions configure a [Live] provider.
type LiveOptions struct {
	BaseURL string       // "": [DefaultBaseURL]; http or https, without query
	Client  *http.Client // nil: a client of its own; its transport is used, its redirect rule and timeout are not
}

// Live is the [Provider] of rates from a Frankfurter service. It asks once: no retries, 10 seconds, at most 1 MiB
// and 5 redirects, none of them from https to http.
type Live struct {
	base   *url.URL
	client *http.Client
}

// NewLive refuses a base URL that no request could use.
func NewLive(o LiveOptions) (*Live, error) {
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("currency: base URL of the rates: %w", err)
	}
	if (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" || base.RawQuery != "" ||
		base.Fragment != "" {
		return nil, fmt.Errorf("currency: base URL of the rates is %q, want something like %s", o.BaseURL,
			DefaultBaseURL)
	}
	client := &http.Client{CheckRedirect: checkRedirect}
	if o.Client != nil {
		client.Transport = o.Client.Transport
	}
	return &Live{base: base, client: client}, nil
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
	ctx, cancel := context.WithTimeout(ctx, liveTimeout)
	defer cancel()
	response, err := l.get(ctx, q)
	if err != nil {
		return Quote{}, fmt.Errorf("currency: %s: %w", liveSource, err)
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusNotFound && q.On != "":
		return Quote{}, &DateError{Date: q.On, Source: liveSource,
			Note: "or for " + strings.Join(append([]string{q.From}, q.To...), " or ")}
	case response.StatusCode == http.StatusNotFound:
		return Quote{}, &UnknownCurrencyError{Codes: append([]string{q.From}, q.To...), Source: liveSource}
	case response.StatusCode != http.StatusOK:
		return Quote{}, fmt.Errorf("currency: %s: status %d", liveSource, response.StatusCode)
	}
	return readQuote(response.Body, q)
}

func (l *Live) get(ctx context.Context, q Query) (*http.Response, error) {
	day := "latest"
	if q.On != "" {
		day = string(q.On)
	}
	target := l.base.JoinPath(day)
	target.RawQuery = url.Values{"base": {q.From}, "symbols": {strings.Join(q.To, ",")}}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	return l.client.Do(request)
}

// liveAnswer is the part of the service's answer that matters.
type liveAnswer struct {
	Base  string             `json:"base"`
	Date  string             `json:"date"`
	Rates map[string]Decimal `json:"rates"`
}

// readQuote checks the answer of the service: money is not the place to be lenient.
func readQuote(body io.Reader, q Query) (Quote, error) {
	text, err := io.ReadAll(io.LimitReader(body, liveMaxBody+1))
	if err != nil {
		return Quote{}, fmt.Errorf("currency: %s: %w", liveSource, err)
	}
	if len(text) > liveMaxBody {
		return Quote{}, fmt.Errorf("currency: %s: answer of more than %d bytes", liveSource, liveMaxBody)
	}
	var answer liveAnswer
	if err := json.Unmarshal(text, &answer); err != nil {
		return Quote{}, fmt.Errorf("currency: %s: answer is not what it should be: %w", liveSource, err)
	}
	date, err := ParseDate(answer.Date)
	if err != nil {
		return Quote{}, fmt.Errorf("currency: %s: answer: %w", liveSource, err)
	}
	if answer.Base != q.From {
		return Quote{}, fmt.Errorf("currency: %s: answer is for %q, asked for %s", liveSource, answer.Base, q.From)
	}
	quote := Quote{Date: date, Rates: make(map[string]Decimal, len(q.To)), Source: liveSource}
	var missing []string
	for _, to := range q.To {
		rate, ok := answer.Rates[to]
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

// fallbackNote is what answers say when the live rates were not to be had.
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
	quote, fallbackErr := a.Second.Rates(ctx, q)
	switch {
	case errors.As(fallbackErr, &unknown):
		return Quote{}, fallbackErr
	case fallbackErr == nil:
		quote.Note = fallbackNote
		return quote, nil
	case errors.As(fallbackErr, &date):
		noted := *date
		noted.Note = "live rates could not be had"
		return Quote{}, &noted
	}
	return Quote{}, errors.Join(err, fallbackErr)
}

// NewProvider makes the provider that a setting names: "snapshot" (or ""), "live" or "auto". The options are for the
// latter two.
func NewProvider(name string, o LiveOptions) (Provider, error) {
	if name == "" || name == "snapshot" {
		return Snapshot{}, nil
	}
	live, err := NewLive(o)
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
