// SPDX-License-Identifier: Apache-2.0

package coder

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// testsOf writes skeletons of tests for code, beside the code itself.
func testsOf(files []File) (Outcome, error) {
	var out Outcome
	var untold []string
	for _, f := range files {
		var code, test File
		var ok bool
		switch f.Language {
		case "go":
			code, test, ok = goTests(f)
		case "python":
			code, test, ok = pythonTests(f)
		case "javascript":
			code, test, ok = scriptTests(f)
		}
		if !ok {
			untold = append(untold, f.Name)
			continue
		}
		out.Files = append(out.Files, code, test)
	}
	if len(out.Files) == 0 {
		return Outcome{Kind: Ask, Text: "I found no function to test in this code. I can write tests for functions in Go, Python and JavaScript that parse."}, nil
	}
	out.Text = "The tests have the signatures of your functions; fill in the cases."
	if len(untold) > 0 {
		out.Text += " No tests for " + strings.Join(untold, ", ") + "."
	}
	return out, nil
}

// standard are packages whose import a pasted function usually lacks.
var standard = []string{"bufio", "bytes", "context", "errors", "fmt", "io", "maps", "math", "os", "regexp", "slices", "sort", "strconv", "strings", "sync", "time", "unicode"}

// parseGo parses a file or a piece of one; source is what was parsed, with a package clause and imports.
func parseGo(content string) (fset *token.FileSet, file *ast.File, source string, err error) {
	fset = token.NewFileSet()
	if file, err = parser.ParseFile(fset, "", content, parser.ParseComments); err == nil {
		return fset, file, content, nil
	}
	fset = token.NewFileSet()
	source = "package main\n\n" + content
	if file, err = parser.ParseFile(fset, "", source, parser.ParseComments); err != nil {
		return nil, nil, "", err
	}
	if imports := missingImports(file); len(imports) > 0 {
		source = "package main\n\nimport (\n\t\"" + strings.Join(imports, "\"\n\t\"") + "\"\n)\n\n" + content
		fset = token.NewFileSet()
		file, err = parser.ParseFile(fset, "", source, parser.ParseComments)
	}
	return fset, file, source, err
}

func missingImports(file *ast.File) []string {
	var all []string
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && slices.Contains(standard, x.Name) && sel.Sel.IsExported() && !slices.Contains(all, x.Name) {
			all = append(all, x.Name)
		}
		return true
	})
	if len(file.Imports) > 0 {
		return nil
	}
	slices.Sort(all)
	return all
}

// goTests writes a table test for each function.
func goTests(f File) (code, test File, ok bool) {
	fset, file, source, err := parseGo(f.Content)
	if err != nil {
		return code, test, false
	}
	var b strings.Builder
	needs := map[string]bool{"testing": true}
	some := false
	for _, decl := range file.Decls {
		if fn, isFunc := decl.(*ast.FuncDecl); isFunc {
			some = goTest(&b, fset, fn, needs) || some
		}
	}
	if !some {
		return code, test, false
	}
	for _, spec := range file.Imports { // types of parameters may need them
		name, _ := strconv.Unquote(spec.Path.Value)
		if strings.Contains(b.String(), path.Base(name)+".") {
			needs[name] = true
		}
	}
	imports := slices.Sorted(func(yield func(string) bool) {
		for name := range needs {
			if !yield(name) {
				return
			}
		}
	})
	text := fmt.Sprintf("package %s\n\nimport (\n\t\"%s\"\n)\n%s", file.Name.Name, strings.Join(imports, "\"\n\t\""), b.String())
	formatted, err := format.Source([]byte(text))
	if err != nil {
		return code, test, false
	}
	tidy, err := format.Source([]byte(source))
	if err != nil {
		return code, test, false
	}
	name := strings.TrimSuffix(f.Name, ".go")
	return File{name + ".go", "go", string(tidy)}, File{name + "_test.go", "go", string(formatted)}, true
}

// A param is a parameter or a result: its name in the table, and its type.
type param struct {
	name, kind string
	variadic   bool
}

// goTest writes the test of a function, or a comment that says why not; it reports whether it wrote a test.
func goTest(b *strings.Builder, fset *token.FileSet, fn *ast.FuncDecl, needs map[string]bool) bool {
	if fn.Name.Name == "main" || fn.Name.Name == "init" || fn.Name.Name == "_" || fn.Body == nil {
		return false
	}
	name, call, receiver := fn.Name.Name, fn.Name.Name, []param(nil)
	if fn.Recv != nil && len(fn.Recv.List) == 1 {
		receiver = []param{{"receiver", expression(fset, fn.Recv.List[0].Type), false}}
		name, call = strings.Trim(receiver[0].kind, "*")+"_"+name, "tt.receiver."+name
	}
	if fn.Type.TypeParams != nil || strings.Contains(name, "[") {
		fmt.Fprintf(b, "\n// %s has type parameters: choose types, and write its test.\n", fn.Name.Name)
		return false
	}
	in := params(fset, fn.Type.Params, "in")
	out := params(fset, fn.Type.Results, "want")
	fails := len(out) > 0 && out[len(out)-1].kind == "error"
	if fails {
		out = out[:len(out)-1]
	}
	fmt.Fprintf(b, "\nfunc Test%s(t *testing.T) {\n\ttests := []struct {\n\t\tname string\n", exported(name))
	for _, p := range slices.Concat(receiver, in) {
		fmt.Fprintf(b, "\t\t%s %s\n", p.name, p.kind)
	}
	for i := range out {
		out[i].name = "want" + map[bool]string{true: "", false: strconv.Itoa(i + 1)}[len(out) == 1]
		fmt.Fprintf(b, "\t\t%s %s\n", out[i].name, out[i].kind)
	}
	if fails {
		b.WriteString("\t\twantErr bool\n")
	}
	b.WriteString("\t}{\n\t\t// TODO: add cases.\n\t}\n\tfor _, tt := range tests {\n\t\tt.Run(tt.name, func(t *testing.T) {\n")
	goCall(b, call, in, out, fails, needs)
	b.WriteString("\t\t})\n\t}\n}\n")
	return true
}

// goCall calls the function and compares.
func goCall(b *strings.Builder, call string, in, out []param, fails bool, needs map[string]bool) {
	var args, got []string
	for _, p := range in {
		arg := "tt." + p.name
		if p.variadic {
			arg += "..."
		}
		args = append(args, arg)
	}
	for _, p := range out {
		got = append(got, strings.Replace(p.name, "want", "got", 1))
	}
	if fails {
		got = append(got, "err")
	}
	call += "(" + strings.Join(args, ", ") + ")"
	if len(got) == 0 {
		fmt.Fprintf(b, "\t\t\t%s\n", call)
		return
	}
	fmt.Fprintf(b, "\t\t\t%s := %s\n", strings.Join(got, ", "), call)
	if fails {
		b.WriteString("\t\t\tif (err != nil) != tt.wantErr {\n\t\t\t\tt.Fatalf(\"error %v, want one: %t\", err, tt.wantErr)\n\t\t\t}\n")
	}
	for i, p := range out {
		needs["reflect"] = true
		fmt.Fprintf(b, "\t\t\tif !reflect.DeepEqual(%[1]s, tt.%[2]s) {\n\t\t\t\tt.Errorf(\"got %%v, want %%v\", %[1]s, tt.%[2]s)\n\t\t\t}\n", got[i], p.name)
	}
}

func params(fset *token.FileSet, list *ast.FieldList, otherwise string) []param {
	if list == nil {
		return nil
	}
	var all []param
	for _, field := range list.List {
		kind, variadic := expression(fset, field.Type), false
		if rest, ok := field.Type.(*ast.Ellipsis); ok {
			kind, variadic = "[]"+expression(fset, rest.Elt), true
		}
		if len(field.Names) == 0 {
			all = append(all, param{otherwise + strconv.Itoa(len(all)+1), kind, variadic})
		}
		for _, name := range field.Names {
			n := name.Name
			if n == "_" || n == "name" || n == "want" || n == "wantErr" || n == "receiver" {
				n = otherwise + strconv.Itoa(len(all)+1)
			}
			all = append(all, param{n, kind, variadic})
		}
	}
	return all
}

func expression(fset *token.FileSet, e ast.Expr) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, fset, e); err != nil {
		return "any" // of a tree that was parsed
	}
	return b.String()
}

func exported(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

var (
	pythonDef = regexp.MustCompile(`(?m)^(?:async )?def (\w+)\(([^)]*)\)`)
	scriptDef = regexp.MustCompile(`(?m)^(?:export )?(?:async )?function (\w+)\(([^)]*)\)`)
)

// pythonTests writes a unittest for each function at the top.
func pythonTests(f File) (code, test File, ok bool) {
	module := snake(strings.TrimSuffix(path.Base(f.Name), ".py"))
	var names []string
	var b strings.Builder
	for _, m := range pythonDef.FindAllStringSubmatch(f.Content, MaxFiles) {
		if m[1] == "main" || strings.HasPrefix(m[1], "_") {
			continue
		}
		args := arguments(m[2])
		names = append(names, m[1])
		fmt.Fprintf(&b, "\n\nclass Test%s(unittest.TestCase):\n    def test_cases(self):\n        cases = [\n            # TODO: add cases: (%s)\n        ]\n        for *args, want in cases:\n            with self.subTest(args=args):\n                self.assertEqual(%s(*args), want)\n",
			pascal(m[1]), strings.Join(append(args, "want"), ", "), m[1])
	}
	if len(names) == 0 {
		return code, test, false
	}
	text := "import unittest\n\nfrom " + module + " import " + strings.Join(names, ", ") + b.String() + "\n\nif __name__ == \"__main__\":\n    unittest.main()\n"
	return File{module + ".py", "python", f.Content}, File{"test_" + module + ".py", "python", text}, true
}

// scriptTests writes a test for the runner of Node for each function that is exported.
func scriptTests(f File) (code, test File, ok bool) {
	base := strings.TrimSuffix(path.Base(f.Name), path.Ext(f.Name))
	var names []string
	var b strings.Builder
	content := f.Content
	for _, m := range scriptDef.FindAllStringSubmatch(f.Content, MaxFiles) {
		names = append(names, m[1])
		fmt.Fprintf(&b, "\ntest(%q, () => {\n  const cases = [\n    // TODO: add cases: [[%s], want]\n  ];\n  for (const [args, want] of cases) {\n    assert.deepEqual(%s(...args), want);\n  }\n});\n", m[1], strings.Join(arguments(m[2]), ", "), m[1])
		content = strings.Replace(content, "\nfunction "+m[1]+"(", "\nexport function "+m[1]+"(", 1)
		if strings.HasPrefix(content, "function "+m[1]+"(") {
			content = "export " + content
		}
	}
	if len(names) == 0 {
		return code, test, false
	}
	name := base + ".mjs"
	text := "import assert from \"node:assert/strict\";\nimport test from \"node:test\";\n\nimport { " + strings.Join(names, ", ") + " } from \"./" + name + "\";\n" + b.String()
	return File{name, "javascript", content}, File{base + ".test.mjs", "javascript", text}, true
}

// arguments are the names in a list of parameters.
func arguments(list string) []string {
	var names []string
	for part := range strings.SplitSeq(list, ",") {
		name := strings.TrimSpace(regexp.MustCompile(`[:=].*`).ReplaceAllString(part, ""))
		if name != "" && name != "self" && name != "*" && name != "/" {
			names = append(names, cmp.Or(strings.TrimLeft(name, "*."), name))
		}
	}
	return names
}
