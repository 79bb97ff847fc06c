// SPDX-License-Identifier: Apache-2.0

package repairshop

import (
	"fmt"
	"strconv"
	"strings"
)

// Money is an amount in US cents. Its text, and its JSON, is "64.00".
type Money int64

// String writes "64.00".
func (m Money) String() string { return fmt.Sprintf("%d.%02d", m/100, m%100) }

// MarshalText implements [encoding.TextMarshaler].
func (m Money) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. It takes what MarshalText writes, up to a million.
func (m *Money) UnmarshalText(text []byte) error {
	whole, cents, ok := strings.Cut(string(text), ".")
	units, err := strconv.ParseUint(whole, 10, 32)
	part, err2 := strconv.ParseUint(cents, 10, 8)
	if !ok || len(cents) != 2 || err != nil || err2 != nil || units > 1_000_000 {
		return fmt.Errorf("%q is no price such as 64.00", text)
	}
	*m = Money(units*100 + part)
	return nil
}
