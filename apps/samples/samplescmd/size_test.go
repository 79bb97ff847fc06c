// SPDX-License-Identifier: Apache-2.0

package samplescmd

import "testing"

func TestSizeFlag(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"0": "0", "1": "1", "1000": "1000", "1024": "1KiB", "1536KiB": "1536KiB", "500MiB": "500MiB", "2048MiB": "2GiB",
		"1TiB": "1TiB",
		"-1":   "", "1.5GiB": "", "GiB": "", "2 GiB": "", "2GB": "", "9999999TiB": "", "": "",
	} {
		var f sizeFlag
		err := f.Set(given)
		if want == "" && err == nil || want != "" && (err != nil || f.String() != want) {
			t.Errorf("%q is %s, error %v; want %q", given, f.String(), err, want)
		}
	}
}
