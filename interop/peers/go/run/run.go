// SPDX-License-Identifier: Apache-2.0

// Package run is what the peers in Go share: each scenario runs with a deadline and becomes one line of JSON on
// standard output.
package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"time"
)

// deadline is that of one scenario.
const deadline = 20 * time.Second

// The scenarios use these texts with the sample agent currency and with the probe agent.
const (
	Amount   = "100 USD in GBP"
	Result   = "77.252"
	Question = "How much is 1 USD?"
	Answer   = "GBP"
	Slow     = "slow"
	Echo     = "echo"

	Bytes     = "\x00\x01binary\xff"
	BytesType = "application/octet-stream"
	BytesName = "blob.bin"
	Link      = "https://example.com/photo.png"
	LinkType  = "image/png"
	LinkName  = "photo.png"

	Unknown = "01a1fd5d-0000-7000-8000-000000000000"
	Webhook = "https://example.com/hook"
)

// Data is the content of a data part.
func Data() map[string]any {
	return map[string]any{"name": "Ada", "nested": map[string]any{"list": []any{1.0, "two", true, nil}}}
}

// SameData compares a data part with what was sent.
func SameData(got any) error {
	if !reflect.DeepEqual(got, any(Data())) {
		return fmt.Errorf("the data part came back as %#v", got)
	}
	return nil
}

// ErrNotOffered says that the SDK has no way to do what a scenario needs.
var ErrNotOffered = errors.New("the client has no such call")

// A Scenario is one exchange with the server. It returns a detail worth showing.
type Scenario struct {
	Name string
	Run  func(context.Context) (string, error)
}

// Play runs the scenarios in their order.
func Play(scenarios []Scenario) {
	out := json.NewEncoder(os.Stdout)
	for _, s := range scenarios {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		detail, err := s.Run(ctx)
		cancel()
		if err != nil {
			detail = err.Error()
		}
		out.Encode(map[string]any{"scenario": s.Name, "ok": err == nil, "absent": errors.Is(err, ErrNotOffered),
			"detail": detail})
	}
}

// Check returns an error that shows the detail unless truth holds.
func Check(truth bool, detail ...any) error {
	if truth {
		return nil
	}
	text, err := json.Marshal(detail)
	if err != nil {
		text = fmt.Appendf(nil, "%+v", detail)
	}
	return fmt.Errorf("unexpected: %.600s", text)
}

// Refused expects err to be one of the wanted errors.
func Refused(err error, wanted ...error) error {
	for _, w := range wanted {
		if errors.Is(err, w) {
			return nil
		}
	}
	return fmt.Errorf("%w expected, not %v", wanted[0], err)
}
