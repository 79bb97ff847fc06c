// SPDX-License-Identifier: Apache-2.0

package benchcmd

import "context"

// Measurement is a report in JSON.
type Measurement = measurement

// Allow checks a host that the user owns.
func Allow(ctx context.Context, host string) error {
	return (&benchOptions{ownHost: true}).allow(ctx, host)
}
