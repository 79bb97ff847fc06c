// SPDX-License-Identifier: Apache-2.0

package coder

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"regexp"
	"strings"
)

// refactor tidies code and lists what it changed. What the code does stays the same.
func refactor(files []File) Outcome {
	var out Outcome
	var notes []string
	for _, f := range files {
		var changes []string
		if f.Language == "go" {
			f, changes = refactorGo(f)
		} else {
			f, changes = tidy(f)
		}
		if len(changes) == 0 {
			changes = []string{"nothing to change"}
		}
		notes = append(notes, f.Name+": "+strings.Join(changes, "; ")+".")
		out.Files = append(out.Files, f)
	}
	out.Text = strings.Join(notes, "\n")
	return out
}

// refactorGo rewrites what is plainly longer than it needs to be, and formats.
func refactorGo(f File) (File, []string) {
	fset, file, source, err := parseGo(f.Content)
	if err != nil {
		f, changes := tidy(f)
		return f, append(changes, "not formatted, as it does not parse: "+plain(err.Error()))
	}
	r := &rewriter{counts: map[string]int{}}
	ast.Inspect(file, r.visit)
	var b bytes.Buffer
	if err := format.Node(&b, fset, file); err != nil {
		return f, nil
	}
	var changes []string
	if source != f.Content {
		changes = append(changes, "package clause and imports added")
	}
	for _, what := range rewrites {
		if n := r.counts[what]; n > 0 {
			changes = append(changes, fmt.Sprintf("%s (%d×)", what, n))
		}
	}
	if len(changes) == 0 && b.String() != f.Content {
		changes = append(changes, "formatted")
	}
	f.Content = b.String()
	return f, changes
}

// rewrites are what a rewriter does, in the order in which they are told.
var rewrites = []string{
	"x = x + 1 became x++", "x = x + y became x += y", "b == true became b, and b == false !b",
	"for i, _ := range became for i := range", "interface{} became any",
}

type rewriter struct{ counts map[string]int }

func (r *rewriter) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BlockStmt:
		for i, s := range n.List {
			n.List[i] = r.statement(s)
		}
	case *ast.CaseClause:
		for i, s := range n.Body {
			n.Body[i] = r.statement(s)
		}
	case *ast.IfStmt:
		n.Cond = r.condition(n.Cond)
	case *ast.RangeStmt:
		if id, ok := n.Value.(*ast.Ident); ok && id.Name == "_" {
			n.Value = nil
			r.counts[rewrites[3]]++
		}
	case *ast.Field:
		n.Type = r.kind(n.Type)
	case *ast.ValueSpec:
		n.Type = r.kind(n.Type)
	case *ast.ArrayType:
		n.Elt = r.kind(n.Elt)
	case *ast.MapType:
		n.Value = r.kind(n.Value)
	case *ast.Ellipsis:
		n.Elt = r.kind(n.Elt)
	}
	return true
}

// statement makes x++ and x += y of assignments.
func (r *rewriter) statement(s ast.Stmt) ast.Stmt {
	a, ok := s.(*ast.AssignStmt)
	if !ok || a.Tok != token.ASSIGN || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return s
	}
	x, isName := a.Lhs[0].(*ast.Ident)
	sum, isSum := a.Rhs[0].(*ast.BinaryExpr)
	if !isName || !isSum {
		return s
	}
	left, ok := sum.X.(*ast.Ident)
	op, known := map[token.Token]token.Token{token.ADD: token.ADD_ASSIGN, token.SUB: token.SUB_ASSIGN, token.MUL: token.MUL_ASSIGN, token.QUO: token.QUO_ASSIGN}[sum.Op]
	if !ok || left.Name != x.Name || !known {
		return s
	}
	if one, ok := sum.Y.(*ast.BasicLit); ok && one.Value == "1" && (sum.Op == token.ADD || sum.Op == token.SUB) {
		r.counts[rewrites[0]]++
		return &ast.IncDecStmt{X: x, TokPos: a.TokPos, Tok: map[token.Token]token.Token{token.ADD: token.INC, token.SUB: token.DEC}[sum.Op]}
	}
	r.counts[rewrites[1]]++
	return &ast.AssignStmt{Lhs: a.Lhs, TokPos: a.TokPos, Tok: op, Rhs: []ast.Expr{sum.Y}}
}

func (r *rewriter) condition(e ast.Expr) ast.Expr {
	b, ok := e.(*ast.BinaryExpr)
	if !ok || b.Op != token.EQL && b.Op != token.NEQ {
		return e
	}
	id, ok := b.Y.(*ast.Ident)
	if !ok || id.Name != "true" && id.Name != "false" {
		return e
	}
	r.counts[rewrites[2]]++
	if (id.Name == "true") == (b.Op == token.EQL) {
		return b.X
	}
	if _, simple := b.X.(*ast.BinaryExpr); simple {
		return &ast.UnaryExpr{Op: token.NOT, X: &ast.ParenExpr{X: b.X}}
	}
	return &ast.UnaryExpr{Op: token.NOT, X: b.X}
}

func (r *rewriter) kind(e ast.Expr) ast.Expr {
	i, ok := e.(*ast.InterfaceType)
	if !ok || len(i.Methods.List) > 0 {
		return e
	}
	r.counts[rewrites[4]]++
	return &ast.Ident{NamePos: i.Pos(), Name: "any"}
}

var (
	trailing = regexp.MustCompile(`(?m)[ \t]+$`)
	gaps     = regexp.MustCompile(`\n{4,}`)
)

// tidy does what is right in every language.
func tidy(f File) (File, []string) {
	var changes []string
	change := func(what, to string) {
		if to != f.Content {
			f.Content = to
			changes = append(changes, what)
		}
	}
	change("lines end with a line feed alone", strings.ReplaceAll(f.Content, "\r\n", "\n"))
	if f.Language != "markdown" { // where two blanks break a line
		change("blanks at the ends of lines removed", trailing.ReplaceAllString(f.Content, ""))
	}
	change("long gaps closed", gaps.ReplaceAllString(f.Content, "\n\n\n"))
	if f.Language == "python" || f.Language == "java" || f.Language == "javascript" || f.Language == "typescript" {
		width := map[bool]int{true: 4, false: 2}[f.Language == "python" || f.Language == "java"]
		change(fmt.Sprintf("tabs became %d blanks", width), strings.ReplaceAll(f.Content, "\t", strings.Repeat(" ", width)))
	}
	change("one line feed at the end", strings.TrimRight(f.Content, "\n")+"\n")
	return f, changes
}
