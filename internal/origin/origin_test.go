// SPDX-License-Identifier: Apache-2.0

package origin

import "testing"

func TestOf(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://Agent.example.com/a":      "https://agent.example.com",
		"https://agent.example.com.:443":   "https://agent.example.com",
		"http://agent.example.com:443":     "http://agent.example.com:443",
		"https://ann@agent.example:8443/x": "https://agent.example:8443",
		"http://localhost:8080/":           "http://127.0.0.1:8080",
		"http://[::1]:8080":                "http://127.0.0.1:8080",
		"http://127.0.0.2:8080":            "http://127.0.0.2:8080",
		"http://localhost.example":         "http://localhost.example",
		"https://[2001:db8::1]/":           "https://[2001:db8::1]",
		"https://[2001:db8::1]:8443/":      "https://[2001:db8::1]:8443",
		"127.0.0.1:9000":                   "http://127.0.0.1:9000",
		"agent.example:443":                "https://agent.example",
		"grpc://agent.example:80":          "http://agent.example",
		"grpcs://agent.example":            "https://agent.example",
		"ftp://agent.example":              "",
		"":                                 "",
		"http://":                          "",
		"http://%zz":                       "",
	} {
		if got := Of(in); got != want {
			t.Errorf("%q has the origin %q, want %q", in, got, want)
		}
	}
}
