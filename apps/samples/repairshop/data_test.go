// SPDX-License-Identifier: Apache-2.0

package repairshop

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/apps/samples/repairshop/rules"
)

// The supplier has every part that the manual tells the mechanic to replace.
func TestData(t *testing.T) {
	t.Parallel()
	for _, p := range theManual().Procedures {
		if parts()[p.Part].Name == "" || p.Minutes <= 0 || len(p.Steps) == 0 || p.Problem == "" ||
			(p.Code == "") == (p.Complaint == "") {
			t.Errorf("%+v", p)
		}
		if p.Complaint != "" && rules.Describe(p.Complaint) == p.Complaint {
			t.Errorf("nobody complains about %q", p.Complaint)
		}
	}
	for id, codes := range theManual().Vehicles {
		for _, code := range codes {
			if _, p, err := lookUp(t.Context(), nil, manualArguments{ErrorCode: code}); err != nil || p.Problem == "" {
				t.Errorf("%s has %s: %v", id, code, err)
			}
		}
	}
}

func TestMoney(t *testing.T) {
	t.Parallel()
	var m Money
	if err := m.UnmarshalText([]byte("64.05")); err != nil || m != 64_05 || m.String() != "64.05" {
		t.Errorf("%v %v", m, err)
	}
	for _, text := range []string{"", "64", "64.5", "64.005", "-1.00", "1.-1", "9999999.00", "a.bc"} {
		if err := m.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is %v", text, m)
		}
	}
}
