// SPDX-License-Identifier: Apache-2.0

package conformance_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/apps/conformance"
	"github.com/dragoman-a2a/dragoman/apps/samples/flaky"
)

// garbage answers everything but the card with one text.
type garbage struct{ status, mediaType, body string }

func (g garbage) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, ".json") {
		return http.DefaultTransport.RoundTrip(r)
	}
	return g.answer(r), nil
}

func (g garbage) answer(r *http.Request) *http.Response {
	status := http.StatusOK
	if g.status != "" {
		status = http.StatusBadRequest
	}
	body := g.body
	// the id of the request, so that the envelope is right
	if sent, err := io.ReadAll(r.Body); err == nil && len(sent) > 0 {
		_, rest, _ := strings.Cut(string(sent), `"id":"`)
		id, _, _ := strings.Cut(rest, `"`)
		body = strings.ReplaceAll(body, "ID", id)
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {g.mediaType}}, Request: r,
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}

// Any garbage is found to be wrong, and breaks nothing.
func TestGarbage(t *testing.T) {
	t.Parallel()
	url := serve(t, flaky.New(flaky.Options{}), flaky.Card(), flaky.Service)
	for _, body := range []string{
		``, `null`, `[]`, `1`, `<html>`, `{}`, `{"jsonrpc":"2.0","id":"ID"}`,
		`{"jsonrpc":"2.0","id":"ID","result":null}`, `{"jsonrpc":"2.0","id":"ID","result":[]}`,
		`{"jsonrpc":"2.0","id":"ID","error":{}}`,
		`{"jsonrpc":"2.0","id":"ID","error":{"code":-32001,"message":1,"data":[1,null]}}`, `{"error":[]}`,
		`{"error":{"details":[[]]}}`,
		`{"jsonrpc":"2.0","id":"ID","result":{"task":{"id":"x","status":1,"history":[1],"artifacts":{}}}}`,
		`{"jsonrpc":"2.0","id":"ID","result":{"kind":"task","id":"x","status":{"state":"completed","message":[]},` +
			`"history":[null],"artifacts":[{"artifactId":"a","parts":[1]}]}}`,
		`{"task":{"id":"x","contextId":"y","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[null]},"tasks":[1,` +
			`null],"nextPageToken":"x"}`,
		"data: 1\n\n", "data: {}\n\n", ":\n\n", "data:\n\n",
		"data: {\"jsonrpc\":\"2.0\",\"id\":\"ID\",\"result\":{\"task\":null}}\n\ndata: {\"task\":{}}\n\ndata: " +
			"{\"error\":{}}\n\n",
	} {
		for _, profile := range []string{conformance.Profile10, conformance.Profile03} {
			for _, g := range []garbage{{"", "application/json", body}, {"400", "text/event-stream", body}} {
				report, err := conformance.Run(t.Context(), url,
					&conformance.Options{Profile: profile, Timeout: 30 * time.Second,
						HTTPClient: &http.Client{Transport: g}})
				if err != nil {
					t.Fatal(err)
				}
				if report.Conforms() {
					t.Errorf("%s with %q conforms to %s", g.status, body, profile)
				}
			}
		}
	}
}

// So is whatever the card has.
func TestGarbageCards(t *testing.T) {
	t.Parallel()
	url := serve(t, flaky.New(flaky.Options{}), flaky.Card(), flaky.Service)
	for _, card := range []string{
		`null`, `[]`, `{}`, `{"supportedInterfaces":{}}`,
		`{"supportedInterfaces":[1,null,{}],"capabilities":[],"skills":[1]}`,
		`{"name":1,"supportedInterfaces":[{"url":"URL","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],` +
			`"skills":[{"inputModes":{}}],"defaultInputModes":[1],"securityRequirements":[1,{"schemes":[]}]}`,
		`{"protocolVersion":"0.3.0","url":"URL","preferredTransport":1,"security":[[]],"additionalInterfaces":[1]}`,
	} {
		transport := cardOf{strings.ReplaceAll(card, "URL", url), http.DefaultTransport}
		report, err := conformance.Run(t.Context(), url,
			&conformance.Options{Timeout: 30 * time.Second, HTTPClient: &http.Client{Transport: transport}})
		if err == nil && report.Conforms() {
			t.Errorf("an agent with the card %s conforms", card)
		}
	}
}

// cardOf answers with a card of its own.
type cardOf struct {
	card string
	rest http.RoundTripper
}

func (c cardOf) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.URL.Path, ".json") {
		return c.rest.RoundTrip(r)
	}
	return garbage{mediaType: "application/json", body: c.card}.answer(r), nil
}
