// SPDX-License-Identifier: Apache-2.0

package redact

import "testing"

func TestText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Authorization: Bearer abcdefgh.ijk==":   "Authorization: Bearer [redacted]",
		"bearer of news":                         "bearer of news",
		"http://ann:hunter2@h/p":                 "http://ann:[redacted]@h/p",
		"http://h:8080/a@b and mail to ann@h":    "http://h:8080/a@b and mail to ann@h",
		"see https://h/f?a=1&sig=x-y&expires=5.": "see https://h/f?a=1&sig=[redacted]&expires=5.",
		"https://h/?access_token=t#x":            "https://h/?access_token=[redacted]#x",
		"what? nothing & more=1":                 "what? nothing & more=1",
	} {
		if got := Text(in); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]bool{ // a member, a header
		"token": {true, true}, "nextPageToken": {false, false}, "client_secret": {true, true},
		"Set-Cookie": {true, true},
		"key":        {false, true}, "code": {false, true}, "X-Api-Key": {true, true}, "Content-Type": {false, false},
	} {
		if got := [2]bool{Member(name), Name(name)}; got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
