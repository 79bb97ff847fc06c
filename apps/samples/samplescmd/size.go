// SPDX-License-Identifier: Apache-2.0

package samplescmd

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

const flagOwnerQuota = "owner-quota"

// sizeFlag is a number of bytes; it implements pflag.Value.
type sizeFlag int64

func (f *sizeFlag) Type() string { return "size" }

func (f *sizeFlag) String() string {
	if *f == 0 {
		return "0"
	}
	for _, u := range sizeUnits {
		if n := int64(*f) / u.bytes; n*u.bytes == int64(*f) {
			return strconv.FormatInt(n, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(*f), 10)
}

func (f *sizeFlag) Set(s string) error {
	number, unit := s, int64(1)
	for _, u := range sizeUnits {
		if cut, ok := strings.CutSuffix(s, u.name); ok {
			number, unit = cut, u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit {
		return errors.New("use a whole number of bytes, alone or with KiB, MiB, GiB or TiB behind it")
	}
	*f = sizeFlag(n * unit)
	return nil
}

// sizeUnits are the units of sizes, the largest first.
var sizeUnits = []struct {
	name  string
	bytes int64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}
