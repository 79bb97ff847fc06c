// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
	"github.com/dragoman-a2a/dragoman/server"
)

func newCommand(env map[string]string) *command {
	r := &Run{Program: "dragoman", Stdin: strings.NewReader(""),
		LookupEnv: func(name string) (string, bool) { value, ok := env[name]; return value, ok }}
	r.Stdout, r.Stderr = io.Discard, io.Discard
	return newCommandOf(r)
}

func TestEveryCommandHasHelp(t *testing.T) {
	t.Parallel()
	root := newCommand(nil).root()
	for _, cmd := range append(descendants(root), root) {
		if cmd.Short == "" || cmd.Example == "" {
			t.Errorf("%s: short text %q, example %q", cmd.CommandPath(), cmd.Short, cmd.Example)
		}
		for line := range strings.Lines(cmd.Example) {
			if !strings.HasPrefix(line, "  ") || !strings.Contains(line, "dragoman") {
				t.Errorf("%s: example %q", cmd.CommandPath(), line)
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s: --%s has no help", cmd.CommandPath(), f.Name)
			}
		})
	}
}

func TestShellQuote(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"http://127.0.0.1:8080": "http://127.0.0.1:8080", "": "''", "a b": "'a b'", "it's": `'it'\''s'`,
		"$(reboot)": "'$(reboot)'", terminal.Placeholder: `"..."`, "a;b": "'a;b'", "~": "'~'",
	} {
		if got := terminal.ShellQuote(in); got != want {
			t.Errorf("shellQuote(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestDataHome(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("checks the folders of Linux; run this test there")
	}
	for _, test := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"HOME": "/h"}, "/h/.local/share"},
		{map[string]string{"HOME": "/h", "XDG_DATA_HOME": "/x"}, "/x"},
		{map[string]string{"HOME": "/h", "XDG_DATA_HOME": "relative"}, "/h/.local/share"},
		{nil, ""},
	} {
		got, err := newCommand(test.env).DataHome()
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%v: %q, %v", test.env, got, err)
		}
	}
}

func TestPrivate(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		"https://example.com": true, "http://127.0.0.1:8080": true, "http://localhost": true, "http://[::1]:1": true,
		"example.com:443": true, "grpcs://example.com": true, "grpc://example.com:80": false, ":80": false,
		"http://example.com": false, "http://10.0.0.1": false, "http://127.0.0.1.example.com": false, ":": false,
	} {
		if got := connect.IsPrivate(in); got != want {
			t.Errorf("private(%q) = %t", in, got)
		}
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	for in, want := range map[time.Duration]string{
		time.Hour: "1h", 2 * time.Minute: "2m", 30 * time.Second: "30s", 90 * time.Minute: "1h30m",
		720 * time.Hour:        "720h",
		500 * time.Millisecond: "500ms", 70 * time.Second: "1m10s", 10 * time.Minute: "10m",
	} {
		if got := terminal.FormatDuration(in); got != want {
			t.Errorf("span(%v) = %s, want %s", in, got, want)
		}
	}
}

// Each number among the options of a server, an engine and a client is a limit, and is shown.
func TestLimitsShowEveryOption(t *testing.T) {
	t.Parallel()
	var srv server.Options
	var eng engine.Options
	var cl client.Options
	var cards card.Options
	marks := map[string]string{} // by how the value is shown, which field it is
	next := int64(1_000_003)     // no multiple of anything that is shown otherwise
	for _, options := range []any{&srv.Limits, &srv, &eng, &cl, &cards} {
		fields := reflect.ValueOf(options).Elem()
		for i := range fields.NumField() {
			field := fields.Field(i)
			if !field.CanInt() || !field.CanSet() {
				continue
			}
			next++
			field.SetInt(next)
			name := fields.Type().String() + "." + fields.Type().Field(i).Name
			for _, text := range []string{cmdline.Itoa(int(next)), terminal.FormatBytes(next),
				terminal.FormatDuration(time.Duration(next))} {
				marks[text] = name
			}
		}
	}
	shown := map[string]bool{}
	for _, l := range limitsOf(srv, eng, cl, cards) {
		shown[marks[l.Value]] = true
	}
	for _, name := range marks {
		if !shown[name] {
			t.Errorf("%s is not shown", name)
			shown[name] = true
		}
	}
}

// A limit that is shown and a limit that is kept must not drift apart by one being left out.
func TestLimitsAreWhole(t *testing.T) {
	t.Parallel()
	for _, l := range limits() {
		if l.Value == "" || l.Value == "0" || l.Value == "0s" || strings.HasPrefix(l.Value, "0 ") {
			t.Errorf("%s of the %s is %q", l.Name, l.Of, l.Value)
		}
	}
}

// lists is a service that has the history of its tasks in no list, and notes how much of it was asked for.
type lists struct {
	a2a.Service
	asked chan int
}

func (s lists) ListTasks(_ context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	if req.HistoryLength == nil {
		return nil, a2a.NewError(a2a.ErrInvalidParams, "no history length")
	}
	s.asked <- *req.HistoryLength
	history := []*a2a.Message{a2a.NewMessage(a2a.RoleUser, a2a.TextPart("Count the sheep")),
		a2a.NewMessage(a2a.RoleAgent, a2a.TextPart("there are 7"))}
	return &a2a.ListTasksResponse{Tasks: []*a2a.Task{
		// however much is asked for
		{ID: "t1", ContextID: "c1", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}, History: history},
	}, TotalSize: 1, PageSize: 50}, nil
}

func TestListAsksForNoHistory(t *testing.T) {
	t.Parallel()
	s := lists{asked: make(chan int, 3)}
	url := serveService(t, s, nil, func() {})
	for i, args := range [][]string{nil, {"--history", "1"}, {"-o", "json"}} {
		got := run(t.Context(), append([]string{"task", "list", "-a", url}, args...)...)
		if asked := <-s.asked; got.code != cmdline.ExitOK || asked != i%2 {
			t.Errorf("%v asked for %d messages: %+v", args, asked, got)
		}
		if i < 2 && (strings.Contains(got.stdout, "Count the sheep") || strings.Contains(got.stdout, "7") != (i == 1)) {
			t.Errorf("%v: %s", args, got.stdout)
		}
	}
}

func TestConfigShowTellsTheValueOfEachCommand(t *testing.T) {
	t.Parallel()
	env := map[string]string{"DRAGOMAN_AGENT_CARD": "http://a:1, http://b:2", "DRAGOMAN_AGENT": "hello",
		"DRAGOMAN_SVC_PARAM": "X-A: 1, 2,X-B:3", "DRAGOMAN_PARALLEL": "3"}
	show := func(args ...string) string {
		var out, errs strings.Builder
		r := &Run{Program: "dragoman", Args: append([]string{"config", "show"}, args...), Stdin: strings.NewReader(""),
			Stdout: &out, Stderr: &errs,
			LookupEnv: func(name string) (string, bool) { value, ok := env[name]; return value, ok }}
		if code := r.Do(t.Context()); code != cmdline.ExitOK {
			t.Fatalf("exit code %d: %s", code, errs.String())
		}
		return out.String()
	}
	has(t, "what variables say", show(), "\nchat agent-card: [http://a:1,http://b:2] (DRAGOMAN_AGENT_CARD)\n",
		"\nmcp bridge agent-card: [http://a:1,http://b:2] (DRAGOMAN_AGENT_CARD)\n",
		"\nhost agent-card: [http://a:1,http://b:2] (DRAGOMAN_AGENT_CARD)\n", "\nserve agent: hello (DRAGOMAN_AGENT)\n",
		"\nhost parallel: 3 (DRAGOMAN_PARALLEL)\n", "\nhost registry:  (default)\n",
		"\ncoord serve session-timeout: 2m (default)\n",
		"\ncoordinator session timeout: 2m\n", "\ncoordinator leases: 5000\n")
	has(t, "what flags say", show("-a", "http://e:5", "--timeout", "7s"), "\nagent-card: http://e:5 (flag)\n",
		"\nchat agent-card: [http://e:5] (flag)\n", "\ntimeout: 7s (flag)\n")
}

// Every option that a variable sets is shown, under the name of its command or, if it is the same in all, alone.
func TestConfigShowsEveryOption(t *testing.T) {
	t.Parallel()
	got := run(t.Context(), "config", "show")
	root := newCommand(nil).root()
	for _, cmd := range descendants(root) {
		if cmd.RunE == nil || cmd.Hidden || isFromCobra(cmd) {
			continue
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if takesVariable(f) && !strings.Contains(got.stdout, "\n"+f.Name+": ") &&
				!strings.Contains(got.stdout, "\n"+afterFirst(cmd.CommandPath())[1:]+" "+f.Name+": ") {
				t.Errorf("%s: --%s is not shown", cmd.CommandPath(), f.Name)
			}
		})
	}
}

func TestValuesOfAVariable(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		flag, text string
		want       []string
	}{
		{"transport", "GRPC", []string{"GRPC"}},
		{"transport", " GRPC ,, JSONRPC,", []string{"GRPC", "JSONRPC"}},
		{connect.FlagSvcParam, "X-A:1", []string{"X-A:1"}},
		{connect.FlagSvcParam, "Accept-Language: en, de,X-B:2", []string{"Accept-Language: en, de", "X-B:2"}},
	} {
		if got := splitValues(test.flag, test.text); !slices.Equal(got, test.want) {
			t.Errorf("%s %q: %q", test.flag, test.text, got)
		}
	}
}
