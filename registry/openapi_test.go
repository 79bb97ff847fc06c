// SPDX-License-Identifier: Apache-2.0

package registry_test

import (
	"net/http"
	"testing"
)

func documented(t *testing.T) *http.Client { return http.DefaultClient }
