// SPDX-License-Identifier: Apache-2.0

package wire_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// errorTables are what stands between marks in docs/errors.md.
var errorTables = map[string]func(names map[string]string) string{
	"kinds":   kindsForReaders,
	"jsonrpc": codesForReaders,
	"http":    statusesForReaders,
}

var errorMark = regexp.MustCompile(`(?s)<!-- table: (\w+) -->\n\n(.*?)\n\n<!-- end -->`)

// The tables of docs/errors.md are those that the servers and clients go by.
func TestErrorsOfTheDocs(t *testing.T) {
	t.Parallel()
	const file = "../../docs/errors.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	names, found := namesOfKinds(t), 0
	wanted := errorMark.ReplaceAllStringFunc(string(text), func(block string) string {
		match := errorMark.FindStringSubmatch(block)
		written, ok := errorTables[match[1]]
		if !ok {
			t.Fatalf("there is no table %q", match[1])
		}
		found++
		table := written(names)
		if match[2] != table && !*update {
			t.Errorf("the table %q is not what the code does; write it with: go test ./internal/wire -run Docs "+
				"-update\n%s", match[1], table)
		}
		return "<!-- table: " + match[1] + " -->\n\n" + table + "\n\n<!-- end -->"
	})
	if found != len(errorTables) {
		t.Errorf("%d of %d tables were found", found, len(errorTables))
	}
	if *update {
		if err := os.WriteFile(file, []byte(wanted), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// namesOfKinds returns the names that Go has for the kinds, by their reasons, from the syntax of the table.
func namesOfKinds(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for node := range ast.Preorder(file) {
		row, ok := node.(*ast.CompositeLit)
		if !ok || len(row.Elts) < 2 {
			continue
		}
		kind, isKind := row.Elts[0].(*ast.SelectorExpr)
		reason, isReason := row.Elts[1].(*ast.BasicLit)
		if isKind && isReason && strings.HasPrefix(kind.Sel.Name, "Err") {
			text, err := strconv.Unquote(reason.Value)
			if err != nil {
				t.Fatal(err)
			}
			names[text] = kind.Sel.Name
		}
	}
	if len(names) != len(wire.Table) {
		t.Fatalf("%d names of %d kinds", len(names), len(wire.Table))
	}
	return names
}

// table writes a table of Markdown.
func table(head []string, rows [][]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |\n|%s", strings.Join(head, " | "), strings.Repeat(" --- |", len(head)))
	for _, row := range rows {
		fmt.Fprintf(&b, "\n| %s |", strings.Join(row, " | "))
	}
	return b.String()
}

func kindsForReaders(names map[string]string) string {
	var rows [][]string
	for _, r := range wire.Table {
		rows = append(rows, []string{"`a2a." + names[r.Reason] + "`", "`" + r.Reason + "`", r.Kind.String()})
	}
	return table([]string{"in Go", "reason on the wire", "default text"}, rows)
}

func codesForReaders(map[string]string) string {
	var rows [][]string
	for _, r := range wire.Table {
		if r.Code02 != r.Code03 {
			panic("0.2 and 0.3 need columns of their own")
		}
		rows = append(rows, []string{
			"`" + r.Reason + "`", fmt.Sprint(r.Code(a2a.Generation10)), fmt.Sprint(r.Code(a2a.Generation03)),
			fmt.Sprint(r.Code(a2a.Generation01)), fmt.Sprint(r.JSONRPCStatus()),
		})
	}
	return table([]string{"reason", "1.0", "0.2 to 0.3", "0.1", "HTTP status"}, rows)
}

func statusesForReaders(map[string]string) string {
	var rows [][]string
	for _, r := range wire.Table {
		old := ""
		if r.HTTP100 != r.HTTP || r.GRPC100 != r.GRPC {
			old = fmt.Sprintf("%d, `%s`", r.HTTP100, r.GRPC100)
		}
		rows = append(rows, []string{
			"`" + r.Reason + "`", fmt.Sprint(r.Status(a2a.Generation10)), "`" + r.GRPCCode(a2a.Generation10) + "`",
			fmt.Sprint(r.Status(a2a.Generation03)), "`" + r.GRPCCode(a2a.Generation03) + "`", cmp.Or(old, "the same"),
		})
	}
	return table([]string{"reason", "1.0 HTTP", "1.0 gRPC", "0.3 HTTP", "0.3 gRPC", "edition 1.0.0"}, rows)
}
