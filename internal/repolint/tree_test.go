// SPDX-License-Identifier: Apache-2.0

package repolint

import (
	"bytes"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../.." // the repository, seen from this package
	module = "github.com/dragoman-a2a/dragoman"
)

// files returns the slash-separated paths, relative to the repository, of every file that people write: not what the
// build puts into ignored folders. It walks instead of asking git, so that it works in an unpacked archive and sees
// files before they are committed.
func files(t *testing.T) []string {
	t.Helper()
	var found []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && notOurs(name) {
			return fs.SkipDir
		}
		if d.Type().IsRegular() && name != ".git" { // a file in a work tree beside the main one
			found = append(found, name)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("walk the repository: %v", err)
	}
	return found
}

func notOurs(dir string) bool {
	switch dir {
	case ".", ".ci", ".github":
		return false
	case "bin", "data", "dist": // ignored by git, see .gitignore
		return true
	}
	base := path.Base(dir)
	return strings.HasPrefix(base, ".") || base == "node_modules"
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatalf("read %s: %v", name, err)
	}
	return content
}

func goFiles(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, name := range files(t) {
		if strings.HasSuffix(name, ".go") && !inTestdata(name) {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		t.Fatal("no Go files found: the walk is broken")
	}
	return found
}

func inTestdata(name string) bool {
	return strings.Contains("/"+name, "/testdata/")
}

// source is one Go file that belongs to a package: not a test, and not a generator that is only ever run by name.
type source struct {
	name string // path of the file
	file *ast.File
}

// packages returns the sources of every package by its folder; "." is the root package.
func packages(t *testing.T) map[string][]source {
	t.Helper()
	found := make(map[string][]source)
	for _, name := range goFiles(t) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		content := read(t, name)
		if onlyRunByName(content) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, content, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			t.Errorf("parse: %v", err)
			continue
		}
		found[path.Dir(name)] = append(found[path.Dir(name)], source{name, file})
	}
	return found
}

func onlyRunByName(content []byte) bool {
	for line := range bytes.Lines(content) {
		if expr, err := constraint.Parse(strings.TrimSpace(string(line))); err == nil {
			return expr.String() == "ignore"
		}
		if bytes.HasPrefix(line, []byte("package ")) {
			return false
		}
	}
	return false
}

func (s source) imports(t *testing.T) []string {
	t.Helper()
	paths := make([]string, 0, len(s.file.Imports))
	for _, spec := range s.file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatalf("%s: import %s: %v", s.name, spec.Path.Value, err)
		}
		paths = append(paths, p)
	}
	return paths
}

// nested tells the folders of modules of their own, such as bench: they use the library as any user does.
func nested(t *testing.T) func(dir string) bool {
	t.Helper()
	var modules []string
	for _, name := range files(t) {
		if path.Base(name) == "go.mod" && name != "go.mod" && !inTestdata(name) {
			modules = append(modules, path.Dir(name))
		}
	}
	return func(dir string) bool {
		for _, m := range modules {
			if within(dir, m) {
				return true
			}
		}
		return false
	}
}

// within reports whether dir is the folder top or inside it.
func within(dir, top string) bool {
	return dir == top || strings.HasPrefix(dir, top+"/")
}
