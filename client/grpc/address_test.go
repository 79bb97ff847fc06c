// SPDX-License-Identifier: Apache-2.0

package grpc

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]address{
		"agent.example.com:50051":       {"agent.example.com:50051", true},
		"agent.example.com":             {"agent.example.com:443", true},
		"10.0.0.7:50051":                {"10.0.0.7:50051", true},
		"localhost:50051":               {"localhost:50051", false},
		"a.localhost.:50051":            {"a.localhost.:50051", false},
		"127.8.9.1:50051":               {"127.8.9.1:50051", false},
		"[::1]:50051":                   {"[::1]:50051", false},
		"[2001:db8::1]:50051":           {"[2001:db8::1]:50051", true},
		"localhost":                     {"localhost:80", false},
		"https://localhost:8443":        {"localhost:8443", true},
		"https://agent.example.com":     {"agent.example.com:443", true},
		"grpcs://agent.example.com/":    {"agent.example.com:443", true},
		"http://agent.example.com:8080": {"agent.example.com:8080", false},
		"HTTP://agent.example.com":      {"agent.example.com:80", false},
		"grpc://agent.example.com":      {"agent.example.com:80", false},
	} {
		if got, err := parse(raw); err != nil || got != want {
			t.Errorf("%q: %+v, %v", raw, got, err)
		}
	}
	for _, raw := range []string{
		"", ":50051", "https://", "ftp://example.com", "unix:///tmp/x", "https://example.com/path",
		"https://user@example.com",
		"example.com:x", "https://example.com?x=1", "example.com#x", "dns:///example.com",
	} {
		if got, err := parse(raw); err == nil {
			t.Errorf("%q is read as %+v", raw, got)
		}
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	o := client.Options{}.Defaults()
	for version, ok := range map[string]bool{"1.0": true, "1.0.1": true, "1.7": true, "0.3": true, "0.3.0": true,
		"0.2.5": true, "0.1": false, "2.0": false, "": false} {
		tr, err := NewTransport(a2a.AgentInterface{URL: "localhost:1", Binding: a2a.BindingGRPC,
			ProtocolVersion: version}, &o)
		if (err == nil) != ok {
			t.Errorf("%q: %v", version, err)
		}
		if err == nil {
			tr.Close()
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("agent.example.com:50051")
	f.Add("grpcs://[::1]:1/")
	f.Fuzz(func(t *testing.T, raw string) {
		if a, err := parse(raw); err == nil && a.target == "" {
			t.Errorf("%q is read as nothing", raw)
		}
	})
}
