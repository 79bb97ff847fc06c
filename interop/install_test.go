// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestInstallationsAreKept(t *testing.T) {
	t.Parallel()
	cache, source := t.TempDir(), filepath.Join(t.TempDir(), "python", "v9")
	if err := os.MkdirAll(source, 0o755); err != nil {
		t.Fatal(err)
	}
	pin := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(source, "lock"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	fills := 0
	install := func(result error) (string, error) {
		return cached(t.Context(), cache, source, "lock", func(folder string) error {
			fills++
			if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
				t.Errorf("the folder has %v, %v", left, err)
			}
			if err := os.WriteFile(filepath.Join(folder, "part"), nil, 0o644); err != nil {
				t.Error(err)
			}
			return result
		})
	}
	pin("a==1")
	if _, err := install(errors.New("interrupted")); err == nil {
		t.Fatal("an installation that failed is used")
	}
	first, err := install(nil)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := install(nil); err != nil || again != first || fills != 2 {
		t.Errorf("installed %d times, in %s and %s (%v)", fills, first, again, err)
	}
	pin("a==2")
	if other, err := install(nil); err != nil || other == first || fills != 3 {
		t.Errorf("other pins: installed %d times, in %s and %s (%v)", fills, first, other, err)
	}
}

func TestNoNetworkIsRecognized(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"dial tcp: lookup example.com: no such host":                               true,
		"npm error code ENOTFOUND":                                                 true,
		"Failed to establish a new connection: [Errno 101] Network is unreachable": true,
		"ERROR: No matching distribution found for a2a-sdk":                        false,
		"npm error notarget No matching version found":                             false,
		"./main.go:3:8: package nothing is not in std":                             false,
	} {
		if got := noNetwork.MatchString(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
