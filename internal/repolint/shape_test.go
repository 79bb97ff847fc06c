// SPDX-License-Identifier: Apache-2.0

package repolint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
	"testing"
)

// Bounds of what one reader keeps in mind. Tests do not count.
const (
	maxMethods      = 40   // of a type
	maxFileLines    = 500  // of a Go file
	maxPackageLines = 4000 // of the files of a package
)

// eachFile calls visit for each Go file of this module that is no test and was not generated.
func eachFile(t *testing.T, visit func(name string, lines int, file *ast.File)) {
	t.Helper()
	isNested := nested(t)
	seen := 0
	for _, name := range goFiles(t) {
		if strings.HasSuffix(name, "_test.go") || isNested(path.Dir(name)) || inTestdata(name) {
			continue
		}
		text := read(t, name)
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if ast.IsGenerated(file) {
			continue
		}
		seen++
		visit(name, strings.Count(string(text), "\n"), file)
	}
	if seen == 0 {
		t.Fatal("no Go files found: the search is broken")
	}
}

func TestTypesAreSmall(t *testing.T) {
	t.Parallel()
	report, unused := reportUnless(t, exceptions.types)
	methods, at := make(map[string]int), make(map[string]string)
	eachFile(t, func(name string, _ int, file *ast.File) {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				of := path.Dir(name) + "/" + receiver(f)
				methods[of]++
				at[of] = name
			}
		}
	})
	for of, n := range methods {
		if n > maxMethods {
			report(of, 0, fmt.Sprintf("the type has %d methods, at most %d are allowed: give a part of them a type "+
				"of its own, "+
				"see %s", n, maxMethods, at[of]))
		}
	}
	unused()
}

// receiver returns the name of the type that a method belongs to.
func receiver(f *ast.FuncDecl) string {
	expr := f.Recv.List[0].Type
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	t.Parallel()
	report, unused := reportUnless(t, exceptions.files)
	eachFile(t, func(name string, lines int, _ *ast.File) {
		if lines > maxFileLines {
			report(name, lines, fmt.Sprintf("the file has %d lines, at most %d are allowed: split it", lines,
				maxFileLines))
		}
	})
	unused()
}

func TestPackagesAreSmall(t *testing.T) {
	t.Parallel()
	report, unused := reportUnless(t, exceptions.packages)
	lines := make(map[string]int)
	eachFile(t, func(name string, n int, _ *ast.File) { lines[path.Dir(name)] += n })
	for dir, n := range lines {
		if n > maxPackageLines {
			report(dir+"/.", 0, fmt.Sprintf("the package has %d lines, at most %d are allowed: split it, "+
				"or name the reason here and in docs/architecture.md", n, maxPackageLines))
		}
	}
	unused()
}
