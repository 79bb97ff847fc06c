// SPDX-License-Identifier: Apache-2.0

package repolint

import (
	"maps"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// here is the file that people edit when the plan changes.
const here = "internal/repolint/imports_test.go"

// rings says how far out a folder lies: a package imports its own folder and folders of lower rings, so that
// imports point inward. Two folders of one ring do not know each other. The longest entry that contains a package
// counts. A new folder at the top needs an entry here; a new one in internal/ needs one when it imports more than a2a.
var rings = map[string]int{
	"internal/jsonio": -1, // the JSON engine of the model and of its dialects; it knows no type of A2A

	"a2a": 0,

	"internal": 1, // helpers that know the model at most

	"agent": 2, "auth": 2, "card": 2, "journal": 2, "store": 2,

	"journal/sql":      3, // the journal on a store
	"journal/postgres": 3, // what it needs of one engine
	"journal/sqlite":   4, // the two in one, for a folder
	"internal/binding": 3, "files": 3,

	"engine": 4, "server": 4, "client": 4, // they meet in a2a.Service only
	"server/audit": 1, // knows nothing of A2A
	"push":         4, // serves an engine that does not know it

	"internal/cmdline":   3,                          // what the commands of apps and of internal/cli share
	"internal/execagent": 3,                          // an agent that runs a shell command
	"internal/storage":   5,                          // opens the journals of commands
	"internal/modelflag": 5,                          // opens the language model that --llm names
	"internal/authcmd":   6,                          // the command auth
	"internal/logins":    4,                          // credentials of the user
	"internal/pushcmd":   6,                          // the command push
	"internal/auditcmd":  4,                          // the command audit
	"internal/benchcmd":  8,                          // the command bench
	"internal/form":      3,                          // forms of agents, as people fill them
	"internal/show":      4,                          // objects of the protocol as text
	"internal/connect":   5,                          // reaches agents for the commands
	"internal/talk":      6,                          // follows the task of a message to its end
	"internal/chat":      7, "internal/clientcmd": 7, // the commands that call agents

	"internal/llm": 4, // for the agents and hosts among the apps; nothing that runs or serves agents knows it

	"agent/agenttest": 5, // runs an engine in memory

	"internal/a2atest": 5, // serves agents to tests

	// These packages are built on the library. No app imports another one, but the host has the registry's client, as
	// have the commands that call agents.
	"apps/registry": 4, "apps/registry/registrycmd": 8,
	"apps/conformance": 8, "apps/console": 8, "apps/coord": 8, "apps/gateway": 8, "apps/host": 8, "apps/mcpbridge": 8,
	"apps/recorder": 8, "apps/samples": 8,

	"internal/clitest/dragoman": 10, // runs the program in tests of its commands

	"internal/wiretest": 8, // speaks with any agent that a test serves

	"internal/cli": 9,

	"cmd": 10, "examples": 10,
}

// rootRing is that of the root package, which is sugar over engine, server and client.
const rootRing = 9

// ring returns the entry of rings that counts for a package's folder.
func ring(dir string) (folder string, level int, ok bool) {
	if dir == "." {
		return ".", rootRing, true
	}
	for top, l := range rings {
		if within(dir, top) && len(top) > len(folder) {
			folder, level, ok = top, l, true
		}
	}
	return folder, level, ok
}

// eachImport calls visit for each import that a package of this module, tests aside, makes of another one.
func eachImport(t *testing.T, visit func(file, from, to string)) {
	t.Helper()
	isNested := nested(t)
	for dir, sources := range packages(t) {
		if isNested(dir) {
			continue
		}
		for _, s := range sources {
			for _, p := range s.imports(t) {
				if p == module {
					visit(s.name, dir, ".")
				} else if to, ours := strings.CutPrefix(p, module+"/"); ours {
					visit(s.name, dir, to)
				}
			}
		}
	}
}

func TestImportsPointInward(t *testing.T) {
	t.Parallel()
	eachImport(t, func(file, from, to string) {
		fromTop, fromRing, ok := ring(from)
		if !ok {
			return // TestEveryFolderHasARing says it once
		}
		toTop, toRing, ok := ring(to)
		if !ok || fromTop == toTop || toRing < fromRing {
			return
		}
		t.Errorf("%s: %s (ring %d) imports %s (ring %d): imports point inward; move the code, or change the design "+
			"and then rings in %s",
			file, fromTop, fromRing, toTop, toRing, here)
	})
}

func TestEveryFolderHasARing(t *testing.T) {
	t.Parallel()
	isNested := nested(t)
	for dir := range packages(t) {
		if _, _, ok := ring(dir); !ok && !isNested(dir) {
			t.Errorf("package folder %s is not in the plan: say in %s in which ring it lies, and in "+
				"docs/architecture.md what it is", dir, here)
		}
	}
}

// A ring or a rule for a package that does not exist would never fail.
func TestEveryRingAndRuleHasAPackage(t *testing.T) {
	t.Parallel()
	folders := slices.Collect(maps.Keys(rings))
	for _, rule := range never {
		folders = append(folders, rule.from, rule.to)
		folders = append(folders, strings.Fields(rule.except)...)
	}
	all := packages(t)
	for _, folder := range folders {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(all)), func(dir string) bool { return within(dir, folder) }) {
			t.Errorf("%s names %s, and there is no package: remove the entry", here, folder)
		}
	}
}

// never are imports that the rings would allow and the design does not.
var never = []struct{ from, except, to, why string }{
	{"apps/coord", "apps/coord/mcp apps/coord/a2abridge", "server",
		"the core of coordination is a library; what serves it is chosen outside"},
	{"apps/conformance", "", "client", "a check made through our own client would forgive our own faults"},
	{"apps/conformance", "", "internal/wire", "a check made through our own codecs would forgive our own faults"},
	{"apps/conformance", "", "internal/binding", "a check made through our own bindings would forgive our own faults"},
}

func TestForbiddenImports(t *testing.T) {
	t.Parallel()
	eachImport(t, func(file, from, to string) {
		if to == "." && !within(from, "examples") { // whose programs stand for those of users
			t.Errorf("%s imports the root package: it is sugar for users, and importing it pulls in everything", file)
		}
		for _, rule := range never {
			if within(from, rule.from) && within(to, rule.to) && !excepted(from, rule.except) {
				t.Errorf("%s: %s imports %s: %s", file, from, to, rule.why)
			}
		}
	})
}

func excepted(dir, folders string) bool {
	for folder := range strings.FieldsSeq(folders) {
		if within(dir, folder) {
			return true
		}
	}
	return false
}

func TestModelImportsOnlyTheJSONLibrary(t *testing.T) {
	t.Parallel()
	const json = "github.com/go-json-experiment/json"
	for _, s := range append(packages(t)["a2a"], packages(t)["internal/jsonio"]...) {
		for _, p := range s.imports(t) {
			first, _, _ := strings.Cut(p, "/")
			if strings.Contains(first, ".") && !within(p, json) && p != module+"/internal/jsonio" {
				t.Errorf("%s imports %s: the model has no dependency but the standard library, the JSON library and "+
					"our "+
					"engine over it", s.name, p)
			}
		}
	}
}

// heavy are modules that must not come along with the light packages, and why.
var heavy = map[string]string{
	"modernc.org/sqlite":                     "a database driver",
	"github.com/mattn/go-sqlite3":            "a database driver",
	"github.com/ncruces/go-sqlite3":          "a database driver",
	"github.com/jackc/pgx":                   "a database driver",
	"github.com/pressly/goose":               "database migrations",
	"github.com/modelcontextprotocol/go-sdk": "MCP",
	"github.com/santhosh-tekuri/jsonschema":  "JSON Schema; agents that check their answers import a validator",
	"github.com/openai":                      "an LLM client",
	"github.com/anthropics":                  "an LLM client",
	module + "/internal/llm":                 "an LLM client",
	"google.golang.org/genai":                "an LLM client",
	"github.com/charmbracelet":               "a terminal UI",
	"charm.land":                             "a terminal UI",
	"github.com/peterh/liner":                "a terminal UI",
	"github.com/spf13/cobra":                 "the command line",
	"google.golang.org/grpc":                 "gRPC",
	"connectrpc.com/connect":                 "gRPC",
	"google.golang.org/protobuf":             "protobuf",
	"github.com/golang/protobuf":             "protobuf",
	"github.com/a2aproject":                  "generated protobuf types",
	"github.com/coreos/go-oidc":              "OIDC",
	"github.com/go-jose":                     "JOSE",
	"golang.org/x/oauth2":                    "OAuth 2",
	"github.com/google/cel-go":               "conditions in CEL",
	"github.com/nats-io":                     "NATS",
	"go.opentelemetry.io/otel/sdk":           "the OpenTelemetry SDK; libraries use the API",
	"go.opentelemetry.io/otel/exporters":     "an OpenTelemetry exporter; libraries use the API",
}

// Programs that contain or call an agent need only these packages. To add gRPC, databases and the rest, they import
// more packages.
func TestLightPackagesStayLight(t *testing.T) {
	t.Parallel()
	for _, light := range []string{".", "a2a", "agent", "client", "server", "engine"} {
		t.Run(light, func(t *testing.T) {
			t.Parallel()
			if len(packages(t)[light]) == 0 {
				t.Fatalf("there is no package %s: the search is broken", light)
			}
			for _, p := range dependencies(t, light) {
				for prefix, what := range heavy {
					if within(p, prefix) {
						t.Errorf("%s depends on %s, %s; find the import with: go mod why %s", light, p, what, p)
					}
				}
			}
		})
	}
}

// Tools over MCP are an addition to package llm: who talks to a model only does not link MCP.
func TestModelsNeedNoMCP(t *testing.T) {
	t.Parallel()
	for _, p := range dependencies(t, "internal/llm") {
		if within(p, "github.com/modelcontextprotocol") {
			t.Errorf("internal/llm depends on %s; internal/llm/mcptools is the place for it", p)
		}
	}
}

// dependencies lists every package that one package needs, tests aside. Packages that do not compile count too.
func dependencies(t *testing.T, dir string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-deps", "-f", "{{.ImportPath}}", "./"+dir)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list -deps ./%s: %v", dir, err)
	}
	list := strings.Fields(string(out))
	if !slices.Contains(list, path.Join(module, dir)) {
		t.Fatalf("go list -deps ./%s does not list the package itself: %q", dir, list)
	}
	return list
}
