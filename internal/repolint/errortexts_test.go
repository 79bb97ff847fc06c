// SPDX-License-Identifier: Apache-2.0

package repolint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// errorText is a text in the source that a user may see as an error, a warning or a hint.
type errorText struct {
	file string
	line int
	text string
}

// constructor tells which arguments of a function are texts that end up in an error.
type constructor struct{ format []int }

// constructors of errors by package path and name, or by "." and name for methods, which the check knows by name only.
type constructors map[[2]string]constructor

func ofTheStandardLibrary() constructors {
	return constructors{{"errors", "New"}: {[]int{0}}, {"fmt", "Errorf"}: {[]int{0}}}
}

// textParameters are the names of parameters that take such a text.
var textParameters = []string{"format", "message", "msg", "why", "reason", "hint"}

// textFields are the fields of composite literals that hold such a text.
var textFields = []string{"message", "hint", "why", "reason", "error"}

// errorTexts returns the literals that the program and the library pass to functions that make errors. It finds these
// functions by their signatures.
func errorTexts(t *testing.T) []errorText {
	t.Helper()
	fset := token.NewFileSet()
	parsed := make(map[string]*ast.File)
	known := ofTheStandardLibrary()
	isNested := nested(t)
	for _, name := range goFiles(t) {
		if strings.HasSuffix(name, "_test.go") || isNested(path.Dir(name)) {
			continue
		}
		file, err := parser.ParseFile(fset, name, read(t, name), parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("parse: %v", err)
		}
		parsed[name] = file
		known.learn(path.Join(module, path.Dir(name)), file)
	}
	var found []errorText
	for name, file := range parsed {
		for node := range ast.Preorder(file) {
			for _, expr := range known.texts(path.Join(module, path.Dir(name)), file, node) {
				if text := literal(expr); text != "" {
					found = append(found, errorText{name, fset.Position(expr.Pos()).Line, text})
				}
			}
		}
	}
	if len(found) == 0 {
		t.Fatal("no error texts found: the search is broken")
	}
	slices.SortFunc(found, func(a, b errorText) int {
		if a.file != b.file {
			return strings.Compare(a.file, b.file)
		}
		return a.line - b.line
	})
	return found
}

// learn adds the functions of a file that take a text and return an error, and those that warn.
func (known constructors) learn(pkg string, file *ast.File) {
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || !returnsError(f.Type) && !strings.HasPrefix(strings.ToLower(f.Name.Name), "warn") &&
			f.Name.Name != "WithHint" {
			continue
		}
		var c constructor
		index := 0
		for _, field := range f.Type.Params.List {
			for _, param := range field.Names {
				if ident, ok := field.Type.(*ast.Ident); ok && ident.Name == "string" &&
					slices.Contains(textParameters, param.Name) {
					c.format = append(c.format, index)
				}
				index++
			}
		}
		if len(c.format) == 0 {
			continue
		}
		if f.Recv != nil {
			pkg = "."
		}
		known[[2]string{pkg, f.Name.Name}] = c
	}
}

// returnsError reports whether a result has a type that is called error, Error, failure or Failure.
func returnsError(f *ast.FuncType) bool {
	if f.Results == nil {
		return false
	}
	for _, result := range f.Results.List {
		expr := result.Type
		if star, ok := expr.(*ast.StarExpr); ok {
			expr = star.X
		}
		if selector, ok := expr.(*ast.SelectorExpr); ok {
			expr = selector.Sel
		}
		if ident, ok := expr.(*ast.Ident); ok &&
			slices.Contains([]string{"error", "failure"}, strings.ToLower(ident.Name)) {
			return true
		}
	}
	return false
}

// texts returns the expressions of a node that are texts of errors.
func (known constructors) texts(pkg string, file *ast.File, node ast.Node) []ast.Expr {
	var found []ast.Expr
	switch node := node.(type) {
	case *ast.CallExpr:
		for _, i := range known.called(pkg, file, node.Fun).format {
			if i < len(node.Args) {
				found = append(found, node.Args[i])
			}
		}
	case *ast.KeyValueExpr:
		if key, ok := node.Key.(*ast.Ident); ok && slices.Contains(textFields, strings.ToLower(key.Name)) {
			found = append(found, node.Value)
		}
	}
	return found
}

func (known constructors) called(pkg string, file *ast.File, fun ast.Expr) constructor {
	switch fun := fun.(type) {
	case *ast.Ident:
		return known[[2]string{pkg, fun.Name}]
	case *ast.SelectorExpr:
		if ident, ok := fun.X.(*ast.Ident); ok {
			if imported := importedAs(file, ident.Name); imported != "" {
				return known[[2]string{imported, fun.Sel.Name}]
			}
		}
		return known[[2]string{".", fun.Sel.Name}]
	}
	return constructor{}
}

// importedAs returns the path of the package that a file calls by a name, or "".
func importedAs(file *ast.File, name string) string {
	for _, spec := range file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		if spec.Name != nil && spec.Name.Name == name || spec.Name == nil && path.Base(p) == name {
			return p
		}
	}
	return ""
}

// literal returns the text of an expression made of string literals. Each inserted value counts as one word.
func literal(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.BasicLit:
		if expr.Kind == token.STRING {
			text, _ := strconv.Unquote(expr.Value)
			return text
		}
	case *ast.ParenExpr:
		return literal(expr.X)
	case *ast.BinaryExpr:
		left, right := literal(expr.X), literal(expr.Y)
		if left != "" || right != "" {
			return orInserted(left) + orInserted(right)
		}
	case *ast.CallExpr: // fmt.Sprintf
		if selector, ok := expr.Fun.(*ast.SelectorExpr); ok && selector.Sel.Name == "Sprintf" && len(expr.Args) > 0 {
			return literal(expr.Args[0])
		}
	}
	return ""
}

func orInserted(text string) string {
	if text == "" {
		return "x"
	}
	return text
}

func TestErrorTextsAreFound(t *testing.T) {
	t.Parallel()
	const source = `package p

import (
	"errors"
	"fmt"

	e "example.com/e"
)

func failf(code int, format string, args ...any) *e.Error { return nil }

func (s *server) warn(format string) {}

func print(format string) {}

func f(s *server) {
	errors.New("one")
	fmt.Errorf("two "+("%w"), nil)
	failf(1, "three %d " + x)
	s.warn("four")
	_ = e.Error{Message: fmt.Sprintf("five %s", x)}
	print("no error")
	other.New("no error")
	failf(1, text)
}
`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	known := ofTheStandardLibrary()
	known.learn("p", file)
	var found []string
	for node := range ast.Preorder(file) {
		for _, expr := range known.texts("p", file, node) {
			if text := literal(expr); text != "" {
				found = append(found, text)
			}
		}
	}
	if want := []string{"one", "two %w", "three %d x", "four", "five %s"}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}
