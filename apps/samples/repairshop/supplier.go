// SPDX-License-Identifier: Apache-2.0

package repairshop

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/internal/reply"
	"github.com/dragoman-a2a/dragoman/apps/samples/repairshop/rules"
	"github.com/dragoman-a2a/dragoman/internal/retry"
)

// Names of the artifacts that carry the supplier's results.
const (
	OfferName = "offer"
	OrderName = "order"
)

// An Offer is what the supplier says about a part.
type Offer struct {
	Part         string `json:"part"` // its number
	Name         string `json:"name"`
	Price        Money  `json:"price"`
	Currency     string `json:"currency"`
	InStock      bool   `json:"inStock"`
	DeliveryDays int    `json:"deliveryDays"` // 0 when it is in stock
}

// An Order is a part that was ordered.
type Order struct {
	ID string `json:"orderId"`
	Offer
}

//go:embed data/parts.json
var partsJSON []byte

type stockedPart struct {
	Number       string `json:"number"`
	Name         string `json:"name"`
	Price        Money  `json:"price"`
	Stock        int    `json:"stock"`
	DeliveryDays int    `json:"deliveryDays"`
}

var parts = sync.OnceValue(func() map[string]stockedPart {
	var list []stockedPart
	if err := json.Unmarshal(partsJSON, &list, json.RejectUnknownMembers(true)); err != nil {
		panic("repairshop: data/parts.json: " + err.Error()) // a test reads it
	}
	all := make(map[string]stockedPart)
	for _, p := range list {
		all[p.Number] = p
	}
	return all
})

// NewSupplier returns the supplier of parts. "Do you have part #12345 in stock for a Toyota Camry 2018?" is answered
// with an [Offer], "Order part #12345 for a Toyota Camry 2018" with an [Order]; both as text and as data.
func NewSupplier(o Options) agent.Agent { return &supplier{o} }

// supplier implements [agent.Agent] and [agent.Resumable].
type supplier struct{ opts Options }

// Resumable says that a turn that was interrupted can be run again: an order's number is that of its task.
func (*supplier) Resumable() bool { return true }

var (
	partPattern  = regexp.MustCompile(`(?i)(?:#|\b(?:part|number|no\.?)\s+#?)\s*([0-9]{4,8})\b`)
	orderPattern = regexp.MustCompile(`(?i)^\W*(?:please\s+)?(?:order|buy|send|i(?:['’]d| would) like to order)\b`)
)

// Run answers one message.
func (s *supplier) Run(ctx context.Context, t *agent.Turn) error {
	text := t.Text()
	at := partPattern.FindStringSubmatch(text)
	if at == nil {
		return t.Ask(a2a.TextPart(
			`Which part, and for which car? For example: "Do you have part #12345 in stock for a Toyota Camry 2018?"`))
	}
	p, ok := parts()[at[1]]
	if !ok {
		return agent.Reject(a2a.TextPart(fmt.Sprintf("There is no part #%s.", at[1])))
	}
	offer := Offer{
		Part: p.Number, Name: p.Name, Price: p.Price, Currency: "USD", InStock: p.Stock > 0,
		DeliveryDays: p.DeliveryDays,
	}
	if !orderPattern.MatchString(text) {
		return reply.Artifact(t, OfferName, offer.describe(rules.ReadCar(text, Car{}, false)), offer)
	}
	if err := t.Working(a2a.TextPart(fmt.Sprintf("Ordering %s.", strings.ToLower(offer.Name)))); err != nil {
		return err
	}
	if err := retry.Sleep(ctx, s.opts.Pace); err != nil {
		return err
	}
	order := Order{ID: orderID(t.TaskID()), Offer: offer}
	text = fmt.Sprintf("Order %s: %s, $%s, %s.", order.ID, offer.Name, offer.Price, offer.when())
	return reply.Artifact(t, OrderName, text, order)
}

// orderID makes the number of an order of its task's id, so that a turn that is run twice orders once.
func orderID(id a2a.TaskID) string {
	s := strings.ToUpper(strings.ReplaceAll(string(id), "-", ""))
	return "PO-" + s[max(0, len(s)-8):]
}

func (o Offer) when() string {
	if o.InStock {
		return "in stock"
	}
	return "out of stock, delivery in " + days(o.DeliveryDays)
}

func days(n int) string {
	if n == 1 {
		return "1 day"
	}
	return fmt.Sprintf("%d days", n)
}

func (o Offer) describe(car Car) string {
	what := fmt.Sprintf("Part #%s (%s)", o.Part, strings.ToLower(o.Name))
	if car.Missing() == "" {
		what += " for a " + car.String()
	}
	return fmt.Sprintf("%s: $%s, %s.", what, o.Price, o.when())
}
