// SPDX-License-Identifier: Apache-2.0

package host

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
)

func FuzzFormID(f *testing.F) {
	f.Add(`{"request_id":"request_id_1","type":"form"}`)
	f.Fuzz(func(_ *testing.T, data string) {
		formID([]a2a.Part{{Content: a2a.Data(data)}})
	})
}
