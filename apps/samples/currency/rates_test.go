// SPDX-License-Identifier: Apache-2.0

package currency

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"github.com/dragoman-a2a/dragoman/apps/samples/currency/rules"
)

func TestDecimal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1": "1", "-1.50": "-1.5", "0.10": "0.1", "1e3": "1000", "1.5E-3": "0.0015", "0": "0", "-0": "0",
		"123456789012345678901234567890.123": "123456789012345678901234567890.123",
	} {
		if d, err := ParseDecimal(text); err != nil || d.String() != want {
			t.Errorf("%s: %s, %v, want %s", text, d, err, want)
		}
	}
	for _, text := range []string{"", "-", ".", "1e", "1e99", "1e-41", "0x10", "1/3", "1_0", "NaN", "Inf", " 1",
		strings.Repeat("1", 65)} {
		if d, err := ParseDecimal(text); err == nil {
			t.Errorf("%q passed as %s", text, d)
		}
	}
}

func TestDecimalRounding(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ a, b, want string }{
		{"1", "3", "0.33333"}, {"2", "3", "0.66667"}, {"1", "17979.17", "0.00005562"}, {"0.83339", "1.0788", "0.77252"},
		{"17979.17", "1.0788", "16666"}, {"1", "1", "1"}, {"99999.95", "1", "100000"}, {"1000000", "7", "142857"},
	} {
		a, b := decimal.RequireFromString(row.a), decimal.RequireFromString(row.b)
		if got := (Decimal{a.DivRound(b, maxDecimalExponent)}).significant(rateDigits, 0).String(); got != row.want {
			t.Errorf("%s/%s = %s, want %s", row.a, row.b, got, row.want)
		}
	}
	for text, want := range map[string]string{"0": "0", "1234567.5": "1,234,567.5", "999": "999", "1000": "1,000"} {
		if got := (Decimal{decimal.RequireFromString(text)}).grouped(); got != want {
			t.Errorf("grouped: %s, want %s", got, want)
		}
	}
}

func FuzzParseDecimal(f *testing.F) {
	for _, text := range []string{"1.5", "-0.001", "1e30", "1e-30", "9999999999999999999999", "1e", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDecimal(text)
		if err != nil {
			return
		}
		if again, err := ParseDecimal(d.String()); len(d.String()) <= maxDecimalLen &&
			(err != nil || !again.Equal(d.Decimal)) {
			t.Errorf("%q: %s becomes %s, %v", text, d, again, err)
		}
	})
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	if n := len(bundled.codes); n != 30 {
		t.Errorf("%d currencies beside the euro", n)
	}
	if n := len(bundled.days); n != 20 {
		t.Errorf("%d days", n)
	}
	for _, code := range bundled.codes {
		if r, ok := (rules.Request{}).Read("5 "+code, ""); !ok || r.From != code {
			t.Errorf("the rules read %s as %+v", code, r)
		}
	}
	for _, day := range bundled.days {
		if d, err := time.Parse(time.DateOnly, string(day)); err != nil || d.Weekday() == time.Saturday ||
			d.Weekday() == time.Sunday {
			t.Errorf("%s is on a weekend: %v", day, err)
		}
	}
	if !slices.IsSorted(bundled.days) || len(slices.Compact(slices.Clone(bundled.days))) != len(bundled.days) {
		t.Errorf("the days do not rise: %v", bundled.days)
	}
	for day, rates := range bundled.rates {
		for code, rate := range rates {
			if rate.Sign() <= 0 {
				t.Errorf("the rate of %s of %s is %s", code, day, rate)
			}
		}
	}
	if !strings.Contains(ratesCSV, "sample reference data") {
		t.Error("the table does not say what it is")
	}
	for _, row := range []struct {
		q    Query
		date Date
		rate string
	}{
		{Query{From: "USD", To: []string{"GBP"}}, "2025-04-01", "0.77252"},
		{Query{From: "USD", To: []string{"CAD"}}, "2025-04-01", "1.4328"},
		{Query{From: "USD", To: []string{"INR"}}, "2025-04-01", "85.49"},
		{Query{From: "EUR", To: []string{"USD"}, On: "2025-04-01"}, "2025-04-01", "1.0788"},
		{Query{From: "EUR", To: []string{"USD"}, On: "2025-03-30"}, "2025-03-28", "1.0761"},
		{Query{From: "EUR", To: []string{"USD"}, On: "2025-03-05"}, "2025-03-05", "1.0799"},
	} {
		quote, err := Snapshot{}.Rates(t.Context(), row.q)
		if err != nil || quote.Date != row.date || quote.Rates[row.q.To[0]].String() != row.rate ||
			quote.Source != snapshotSource {
			t.Errorf("%+v: %+v, %v, want %s of %s", row.q, quote, err, row.rate, row.date)
		}
	}
}

func TestSnapshotRefuses(t *testing.T) {
	t.Parallel()
	_, err := Snapshot{}.Rates(t.Context(), Query{From: "VND", To: []string{"EUR", "XAF"}})
	var unknown *UnknownCurrencyError
	if !errors.As(err, &unknown) || !slices.Equal(unknown.Codes, []string{"VND", "XAF"}) ||
		len(unknown.Supported) != 31 {
		t.Errorf("unknown currencies: %v", err)
	}
	for _, day := range []Date{"2025-03-04", "2025-04-02", "1999-01-01"} {
		_, err := Snapshot{}.Rates(t.Context(), Query{From: "USD", To: []string{"EUR"}, On: day})
		var date *DateError
		if !errors.As(err, &date) || date.First != "2025-03-05" || date.Last != "2025-04-01" {
			t.Errorf("%s: %v", day, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Snapshot{}).Rates(ctx, Query{From: "USD", To: []string{"EUR"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func fixedNow() time.Time { return time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC) }

// The stub counts calls and answers what it is told to.
type stub struct {
	calls int
	quote Quote
	err   error
}

func (s *stub) Today(now time.Time) Date { return DateOf(now) }

func (s *stub) Rates(context.Context, Query) (Quote, error) {
	s.calls++
	return s.quote, s.err
}

// serve starts a Frankfurter service on loopback.
func serve(t *testing.T, handler http.HandlerFunc) *Live {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	live, err := NewLive(server.URL+"/v1", server.Client().Transport)
	if err != nil {
		t.Fatal(err)
	}
	return live
}

func answering(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

const goodAnswer = `{"amount":1.0,"base":"USD","date":"2026-11-20","rates":{"EUR":0.92,"GBP":7.7252e-1}}`

func TestLive(t *testing.T) {
	t.Parallel()
	var asked []string
	live := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.String())
		fmt.Fprint(w, goodAnswer)
	})
	for _, on := range []Date{"", "2026-11-21"} {
		quote, err := live.Rates(t.Context(), Query{From: "USD", To: []string{"GBP", "EUR"}, On: on})
		if err != nil || quote.Date != "2026-11-20" || quote.Rates["GBP"].String() != "0.77252" ||
			quote.Rates["EUR"].String() != "0.92" {
			t.Errorf("%+v, %v", quote, err)
		}
	}
	want := []string{"GET /v1/latest?base=USD&symbols=GBP%2CEUR", "GET /v1/2026-11-21?base=USD&symbols=GBP%2CEUR"}
	if !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
	if live.Today(fixedNow()) != "2026-11-21" {
		t.Errorf("today is %s", live.Today(fixedNow()))
	}
}

func TestLiveFailures(t *testing.T) {
	t.Parallel()
	var unknown *UnknownCurrencyError
	var date *DateError
	for name, row := range map[string]struct {
		handler http.HandlerFunc
		on      Date
		want    string
		as      any
	}{
		"unknown currency": {answering(404, `{"message":"not found"}`), "", "USD and GBP", &unknown},
		"unknown day":      {answering(404, `{"message":"not found"}`), "1900-01-01", "1900-01-01", &date},
		"left out": {answering(200, `{"base":"USD","date":"2026-11-20","rates":{"EUR":1}}`), "", "GBP",
			&unknown},
		"server error": {answering(500, ""), "", "status 500", nil},
		"not JSON":     {answering(200, "<html>"), "", "not what it should be", nil},
		"twice": {answering(200, `{"base":"USD","base":"USD","date":"2026-11-20","rates":{"GBP":1}}`), "",
			"not what it should be", nil},
		"bad rate": {answering(200, `{"base":"USD","date":"2026-11-20","rates":{"GBP":"1"}}`), "",
			"not what it should be", nil},
		"large exponent": {answering(200, `{"base":"USD","date":"2026-11-20","rates":{"GBP":1e99}}`), "", "exponent",
			nil},
		"huge exponent": {answering(200, `{"base":"USD","date":"2026-11-20","rates":{"GBP":1e999999999}}`), "",
			"decimal number", nil},
		"negative rate": {answering(200, `{"base":"USD","date":"2026-11-20","rates":{"GBP":-1}}`), "",
			"rate of GBP is -1", nil},
		"no date": {answering(200, `{"base":"USD","rates":{"GBP":1}}`), "", "not a date", nil},
		"other base": {answering(200, `{"base":"EUR","date":"2026-11-20","rates":{"GBP":1}}`), "",
			`for "EUR", asked for USD`, nil},
		"too large": {answering(200, strings.Repeat(" ", 2<<20+1)), "", "more than 2097152 bytes", nil},
		"endless redirect": {func(w http.ResponseWriter,
			r *http.Request) {
			http.Redirect(w, r, r.URL.String(), http.StatusFound)
		}, "", "more than 5 redirects", nil},
	} {
		t.Run(name, func(t *testing.T) {
			quote, err := serve(t, row.handler).Rates(t.Context(), Query{From: "USD", To: []string{"GBP"}, On: row.on})
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%+v, %v, want %q", quote, err, row.want)
			}
			if row.as != nil && !errors.As(err, row.as) {
				t.Errorf("%v is a %T", err, err)
			}
		})
	}
}

func TestLiveAsksOnce(t *testing.T) {
	t.Parallel()
	calls := 0
	live := serve(t, func(w http.ResponseWriter, _ *http.Request) { calls++; w.WriteHeader(503) })
	if _, err := live.Rates(t.Context(), Query{From: "USD", To: []string{"GBP"}}); err == nil || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

func TestLiveFollowsRedirects(t *testing.T) {
	t.Parallel()
	live := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			http.Redirect(w, r, "/v2/latest?"+r.URL.RawQuery, http.StatusMovedPermanently)
			return
		}
		fmt.Fprint(w, goodAnswer)
	})
	if quote, err := live.Rates(t.Context(), Query{From: "USD", To: []string{"GBP"}}); err != nil ||
		quote.Date != "2026-11-20" {
		t.Errorf("%+v, %v", quote, err)
	}
}

// roundTrip is a transport without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestLiveRefusesDowngrade(t *testing.T) {
	t.Parallel()
	transport := roundTrip(func(r *http.Request) (*http.Response, error) {
		header := http.Header{"Location": {"http://127.0.0.1/latest"}}
		return &http.Response{StatusCode: 302, Header: header, Body: http.NoBody, Request: r}, nil
	})
	live, err := NewLive("", transport)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := live.Rates(t.Context(), Query{From: "USD", To: []string{"GBP"}}); err == nil ||
		!strings.Contains(err.Error(), "https to http") {
		t.Errorf("%v", err)
	}
}

func TestLiveTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var target string
		transport := roundTrip(func(r *http.Request) (*http.Response, error) {
			target = r.URL.String()
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		live, err := NewLive("", transport)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = live.Rates(t.Context(), Query{From: "USD", To: []string{"GBP"}})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 10*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		if want := "https://api.frankfurter.dev/v1/latest?base=USD&symbols=GBP"; target != want {
			t.Errorf("asked %s, want %s", target, want)
		}
	})
}

func TestNewProvider(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "snapshot", "live", "auto"} {
		if p, err := NewProvider(name, "", nil); err != nil || p == nil {
			t.Errorf("%q: %v, %v", name, p, err)
		}
	}
	if _, err := NewProvider("guess", "", nil); err == nil ||
		!strings.Contains(err.Error(), "snapshot, live or auto") {
		t.Errorf("%v", err)
	}
	for _, base := range []string{"ftp://x", "http://", "://", "api.frankfurter.dev", "http://x?y=1", "http://x#y"} {
		for _, name := range []string{"live", "auto"} {
			if p, err := NewProvider(name, base, nil); err == nil || p != nil {
				t.Errorf("%s %q passed: %v", name, base, err)
			}
		}
	}
}

func TestAuto(t *testing.T) {
	t.Parallel()
	q := Query{From: "USD", To: []string{"GBP"}}
	down := Auto{First: &stub{err: errors.New("down")}, Second: Snapshot{}}
	quote, err := down.Rates(t.Context(), q)
	if err != nil || quote.Note != fallbackNote || quote.Source != snapshotSource {
		t.Errorf("fallback: %+v, %v", quote, err)
	}
	up := Auto{First: &stub{quote: Quote{Source: "live"}}, Second: Snapshot{}}
	if quote, err := up.Rates(t.Context(), q); err != nil || quote.Source != "live" {
		t.Errorf("live: %+v, %v", quote, err)
	}
	unknown := Auto{First: &stub{err: &UnknownCurrencyError{Codes: []string{"GBP"}}}, Second: Snapshot{}}
	if quote, err := unknown.Rates(t.Context(), q); err == nil {
		t.Errorf("unknown to the live rates: %+v", quote)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	second := &stub{}
	ended := Auto{First: &stub{err: ctx.Err()}, Second: second}
	if _, err := ended.Rates(ctx, q); !errors.Is(err, context.Canceled) || second.calls > 0 {
		t.Errorf("cancelled: %v, %d calls", err, second.calls)
	}
}
