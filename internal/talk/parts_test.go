// SPDX-License-Identifier: Apache-2.0

package talk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// parseParts reads the flags of parts, and makes the parts.
func parseParts(args []string, words []string, stdin string) ([]a2a.Part, error) {
	var p PartFlags
	flags := pflag.NewFlagSet("send", pflag.ContinueOnError)
	p.Add(flags)
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	return p.Build(words, strings.NewReader(stdin))
}

func TestPartsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	photo, order, number := filepath.Join(dir, "photo.png"), filepath.Join(dir, "order.json"),
		filepath.Join(dir, "README")
	for name, content := range map[string]string{photo: "\x89PNG\r\n\x1a\n", order: `{"b": 1.0, "a": 2}`,
		number: "hello"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := parseParts([]string{
		"--text", "one", "--data", order, "--file", photo, "--text", "# two", "--media-type", "text/markdown",
		"--data", "-", "--data", `{"n": 1.50}`, "--media-type", "application/geo+json",
		"--file", "https://example.com/a/map.png?x=1", "--file", number, "--data", "42",
	}, []string{"some", "words"}, `[1, 2]`)
	if err != nil {
		t.Fatal(err)
	}
	want := []a2a.Part{
		a2a.TextPart("some words"),
		a2a.TextPart("one"),
		{Content: a2a.Data(`{"b": 1.0, "a": 2}`), MediaType: "application/json"},
		{Content: a2a.Raw("\x89PNG\r\n\x1a\n"), MediaType: "image/png", Filename: "photo.png"},
		{Content: a2a.Text("# two"), MediaType: "text/markdown"},
		{Content: a2a.Data(`[1, 2]`), MediaType: "application/json"},
		{Content: a2a.Data(`{"n": 1.50}`), MediaType: "application/geo+json"},
		{Content: a2a.URL("https://example.com/a/map.png?x=1"), MediaType: "image/png", Filename: "map.png"},
		{Content: a2a.Raw("hello"), MediaType: "text/plain; charset=utf-8", Filename: "README"},
		{Content: a2a.Data(`42`), MediaType: "application/json"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestPartsThatAreWrong(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"nothing":                  {nil, "empty"},
		"empty text":               {[]string{"--text", ""}, "--text is empty"},
		"bytes as text":            {[]string{"--text", "\xff"}, "--text is not UTF-8; send other bytes as a file"},
		"media type before a part": {[]string{"--media-type", "text/plain", "--text", "a"}, "it must follow"},
		"two media types": {[]string{"--text", "a", "--media-type", "text/plain", "--media-type",
			"text/html"}, "already"},
		"no media type":             {[]string{"--text", "a", "--media-type", "plain"}, "text/markdown"},
		"missing file":              {[]string{"--file", "missing"}, "missing"},
		"missing data":              {[]string{"--data", "missing.json"}, "missing.json"},
		"broken JSON":               {[]string{"--data", `{"a":}`}, "neither JSON nor a file"},
		"JSON with a key twice":     {[]string{"--data", `{"a":1,"a":2}`}, "neither JSON nor a file"},
		"standard input is no JSON": {[]string{"--data", "-"}, "standard input is not JSON"},
		"standard input is empty":   {[]string{"--file", "-"}, "standard input is empty"},
		"a file and data of it": {[]string{"--file", "-", "--data", "-"},
			"--data -: standard input can only be one part"},
		"standard input twice": {[]string{"--text", "x", "--data", "-", "--data", "-"}, "standard input"},
	} {
		input := "no JSON"
		if name == "standard input is empty" {
			input = ""
		}
		_, err := parseParts(test.args, nil, input)
		if err == nil || !strings.Contains(err.Error()+"; "+hintOf(err), test.want) {
			t.Errorf("%s: %v, want %q in it", name, err, test.want)
		}
	}
}

func TestPartsAreBounded(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "large")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(MaxPart+1), f.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := parseParts([]string{"--file", name}, nil, ""); err == nil ||
		!strings.Contains(err.Error(), "67108864 bytes") {
		t.Errorf("got %v", err)
	}
}

func hintOf(err error) string {
	if f, ok := errors.AsType[*cmdline.Failure](err); ok {
		return f.Hint
	}
	return ""
}
