// SPDX-License-Identifier: Apache-2.0

// Package share says how much of a bound that owners share one of them may take.
package share

// Of returns what one owner may take of a total: three quarters, so that a quarter is left for others. Of a total below
// four it returns all.
func Of[N int | int64](total N) N { return total - total/4 }
