// SPDX-License-Identifier: Apache-2.0

package currency

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// The longest number in text form, and the largest exponent, that [ParseDecimal] takes: without them a short text
// such as 1e999999999 would cost unbounded memory.
const (
	maxDecimalLen      = 64
	maxDecimalExponent = 30
)

// Decimal is an exact decimal number: money and rates are never held in binary floating point. The zero value is 0.
// Decimals are immutable and safe for concurrent use.
type Decimal struct{ rat *big.Rat }

// ParseDecimal reads a JSON number, such as 1234.5 or 1.5e-3, of at most 64 bytes.
func ParseDecimal(text string) (Decimal, error) {
	if len(text) > maxDecimalLen {
		return Decimal{}, fmt.Errorf("currency: number of %d bytes, at most %d are allowed", len(text), maxDecimalLen)
	}
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(text), "e")
	if !plainNumber(mantissa) {
		return Decimal{}, fmt.Errorf("currency: %q is not a decimal number", text)
	}
	if hasExponent {
		n, err := strconv.Atoi(exponent)
		if err != nil || n > maxDecimalExponent || n < -maxDecimalExponent {
			return Decimal{}, fmt.Errorf("currency: exponent of %q is not within ±%d", text, maxDecimalExponent)
		}
	}
	r, ok := new(big.Rat).SetString(strings.ToLower(text))
	if !ok {
		return Decimal{}, fmt.Errorf("currency: %q is not a decimal number", text)
	}
	return Decimal{r}, nil
}

// plainNumber tells whether s is an optional minus, digits, and optionally a point and digits.
func plainNumber(s string) bool {
	whole, fraction, hasFraction := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	return onlyDigits(whole) && (!hasFraction || onlyDigits(fraction))
}

func onlyDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func decimalFromInt(n int64) Decimal { return Decimal{new(big.Rat).SetInt64(n)} }

func (d Decimal) value() *big.Rat {
	if d.rat == nil {
		return new(big.Rat)
	}
	return d.rat
}

// Sign is -1, 0 or 1.
func (d Decimal) Sign() int { return d.value().Sign() }

// Equal tells whether both are the same number: 1.0 equals 1.
func (d Decimal) Equal(e Decimal) bool { return d.value().Cmp(e.value()) == 0 }

// Mul is the exact product.
func (d Decimal) Mul(e Decimal) Decimal { return Decimal{new(big.Rat).Mul(d.value(), e.value())} }

// Quo is d/e rounded to so many significant digits, halves away from zero. The divisor must not be 0.
func (d Decimal) Quo(e Decimal, digits int) Decimal {
	return Decimal{new(big.Rat).Quo(d.value(), e.value())}.significant(digits)
}

// significant rounds to n significant digits, halves away from zero. Digits left of the point are rounded away only
// in the fraction: 123456 stays as it is for n = 5.
func (d Decimal) significant(n int) Decimal { return d.places(max(0, n-d.magnitude())) }

// places rounds to n digits right of the point, halves away from zero.
func (d Decimal) places(n int) Decimal {
	r, ok := new(big.Rat).SetString(d.value().FloatString(n))
	if !ok {
		return d // FloatString always prints what SetString reads
	}
	return Decimal{r}
}

// magnitude is the number of digits left of the point; for numbers under 0.1 minus the number of zeros after it.
func (d Decimal) magnitude() int {
	const deepest = 40 // nothing that small is told from 0
	r := new(big.Rat).Abs(d.value())
	if r.Sign() == 0 {
		return 1
	}
	if whole := new(big.Int).Quo(r.Num(), r.Denom()); whole.Sign() > 0 {
		return len(whole.String())
	}
	ten, zeros := big.NewRat(10, 1), 0
	for r.Mul(r, ten); r.Cmp(big.NewRat(1, 1)) < 0 && zeros < deepest; r.Mul(r, ten) {
		zeros++
	}
	return -zeros
}

// String is the number in plain digits with a point, exact, without needless zeros.
func (d Decimal) String() string {
	places, _ := d.value().FloatPrec() // exact: every constructor makes finite decimals
	return d.value().FloatString(places)
}

// grouped is String with commas between thousands, for people.
func (d Decimal) grouped() string {
	whole, fraction, hasFraction := strings.Cut(d.String(), ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, digit := range []byte(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(digit)
	}
	if hasFraction {
		b.WriteString("." + fraction)
	}
	return b.String()
}

// MarshalJSON writes a JSON number, digit by digit.
func (d Decimal) MarshalJSON() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalJSON reads a JSON number, digit by digit.
func (d *Decimal) UnmarshalJSON(text []byte) error {
	parsed, err := ParseDecimal(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}
