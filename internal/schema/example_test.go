// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"fmt"

	"github.com/dragoman-a2a/dragoman/internal/schema"
)

func Example() {
	wanted := []byte(`{"items":{"properties":{"ticketNumber":{"type":"string"}}}}`)
	s, err := schema.Compile(wanted)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Check([]byte(`[{"ticketNumber": 7}]`))) // the error is a *schema.Violations
	// Output: /0/ticketNumber: got number, want string
}
