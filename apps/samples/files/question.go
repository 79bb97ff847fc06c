// SPDX-License-Identifier: Apache-2.0

package files

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Operation is what a question asks for.
type Operation string

// The operations.
const (
	Statistics Operation = "statistics"
	Rows       Operation = "rows"    // how many
	Columns    Operation = "columns" // which
	Mean       Operation = "mean"
	Sum        Operation = "sum"
	Min        Operation = "min"
	Max        Operation = "max"
	Median     Operation = "median"
	Distinct   Operation = "distinct" // how many different values
	Values     Operation = "values"   // which, and how often
	Missing    Operation = "missing"  // how many cells
	Show       Operation = "show"     // rows as they are
	Said       Operation = "answer"   // of a text: what a language model says
)

// needsNumbers reports whether an operation calculates.
func (o Operation) needsNumbers() bool { return o == Mean || o == Sum || o == Median }

// A Question is what there is to do with a table. Columns are named.
type Question struct {
	Operation Operation   `json:"operation"`
	Column    string      `json:"column,omitzero"` // what it is about
	By        string      `json:"by,omitzero"`     // a result for each value of this column
	Of        string      `json:"of,omitzero"`     // of Min and Max: show this column of the row that has it
	Order     Operation   `json:"order,omitzero"`  // of Show: Max or Min of the column first
	Where     []Condition `json:"where,omitzero"`  // all of them; several = on one column are alternatives
	Limit     int         `json:"limit,omitzero"`  // of Show and Values
}

// A Condition is one on the rows that count.
type Condition struct {
	Column string `json:"column"`
	Is     string `json:"is"` // = != < <= > >=
	Value  string `json:"value"`
}

// An unclear question is one to ask back about; the error's text does.
type unclear struct {
	text   string
	open   *Question // what the answer completes by the name of a column; nil when the whole has to be said again
	choice []string  // names to choose from
}

func (u *unclear) Error() string { return u.text }

// keywords are never values.
var keywords = map[string]bool{}

func words(to Operation, list string) map[string]Operation {
	m := map[string]Operation{}
	for w := range strings.FieldsSeq(list) {
		m[w], keywords[w] = to, true
	}
	return m
}

var operations = func() map[string]Operation {
	all := map[string]Operation{}
	for _, group := range []map[string]Operation{
		words(Statistics, "statistics statistic stats summary summarize summarise describe overview analyze analyse profile range"),
		words(Mean, "average averages avg mean means"),
		words(Sum, "sum sums total totals altogether"),
		words(Max, "max maximum highest largest biggest greatest most longest latest newest best top"),
		words(Min, "min minimum lowest smallest least shortest earliest cheapest fewest worst bottom"),
		words(Median, "median"),
		words(Distinct, "distinct unique different"),
		words(Values, "common frequent values"),
		words(Missing, "missing empty blank null nulls blanks"),
		words(Columns, "columns column fields field header headers schema types"),
		words(Rows, "rows row records record lines entries"),
		words(Show, "show list display print first head rows: sample"),
	} {
		for w, o := range group {
			all[w] = o
		}
	}
	return all
}()

var (
	groupers = words("", "by per each every grouped")
	above    = words("", "above over more greater higher larger bigger exceeding after")
	below    = words("", "below under less fewer lower smaller cheaper before")
	little   = set(`a an the of in for with where is are was were what which who whose that than to and how many much do does there give me please it its this file table data has have on at all number value between not as from when tell can you i want only if equals equal know see find get
		calculate compute could would will should many please ok hello hi now then also again same here there's what's so or but be been any count
		some one ones my our your we us let overall together question about say thanks they them these those well right just set dataset csv json everything`)
)

func init() {
	for w := range little {
		keywords[w] = true
	}
}

// ParseQuestion reads a question about a table. Error: *unclear.
func ParseQuestion(text string, t *Table) (Question, error) {
	p := &parser{table: t, items: lex(text, t), limit: -1}
	p.conditions()
	p.grouping()
	if odd := p.odd(); odd != "" {
		return Question{}, &unclear{text: fmt.Sprintf("%q is neither a column of the file nor a value in it. ", clip(odd, 60)) + help(t)}
	}
	q, err := p.operation()
	if err != nil {
		return q, err
	}
	return p.settle(q)
}

// parser reads the items of one question. What has been understood is taken out, so that the rest is simpler.
type parser struct {
	table *Table
	items []item
	where []Condition
	by    string
	limit int
}

// odd returns a word that is left and means nothing here. To leave it out would answer another question: the average of
// all cities in place of that of a city which is not there.
func (p *parser) odd() string {
	for _, it := range p.items {
		if it.kind == itemQuoted || it.kind == itemWord && !keywords[it.word] {
			return it.word
		}
	}
	return ""
}

func (p *parser) name(column int) string { return p.table.Columns[column].Name }

// conditions takes out "price above 10", "city is Oslo", "between 2 and 5", and values that stand by themselves.
func (p *parser) conditions() {
	for i := 0; i < len(p.items); i++ {
		if p.between(i) || p.comparison(i) {
			i = -1 // the items are others now
		}
	}
	for i := 0; i < len(p.items); i++ {
		it := p.items[i]
		if it.kind != itemValue {
			continue
		}
		from := i
		is := "="
		for from > 0 && p.items[from-1].kind == itemWord && little[p.items[from-1].word] && !groupsBy(p.items[from-1]) {
			if p.items[from-1].word == "not" {
				is = "!="
			}
			from--
		}
		if from > 0 && p.items[from-1].kind == itemColumn && p.items[from-1].column == it.column {
			from-- // "the city is Oslo"
		}
		p.where = append(p.where, Condition{p.name(it.column), is, it.value})
		p.items = slices.Delete(p.items, from, i+1)
		i = from - 1
	}
}

func groupsBy(it item) bool {
	_, ok := groupers[it.word]
	return it.kind == itemWord && ok
}

// between takes out "[column] between 2 and 5".
func (p *parser) between(i int) bool {
	if !p.isWord(i, "between") || i+3 >= len(p.items) || p.items[i+1].kind != itemNumber || !p.isWord(i+2, "and") || p.items[i+3].kind != itemNumber {
		return false
	}
	column, from, ok := p.subject(i)
	if !ok {
		return false
	}
	p.where = append(p.where, Condition{column, ">=", figure(p.items[i+1].number)}, Condition{column, "<=", figure(p.items[i+3].number)})
	p.items = slices.Delete(p.items, from, i+4)
	return true
}

// comparison takes out "[column] above 10", "[column] >= 10", "[column] is at least 10", "[column] = 'x y'".
func (p *parser) comparison(i int) bool {
	is, used := p.comparator(i)
	if used == 0 || i+used >= len(p.items) {
		return false
	}
	column, from, ok := p.subject(i)
	if !ok {
		return false
	}
	value, ok := p.operand(p.items[i+used], column, p.items[i].kind == itemSign)
	if !ok {
		return false
	}
	p.where = append(p.where, Condition{column, is, value})
	p.items = slices.Delete(p.items, from, i+used+1)
	return true
}

// operand returns what a column is compared with. Words that mean nothing here are none, unless a sign is before them.
func (p *parser) operand(it item, column string, afterSign bool) (value string, ok bool) {
	switch it.kind {
	case itemNumber:
		return figure(it.number), true
	case itemQuoted:
		return it.word, true
	case itemValue:
		return it.value, true
	case itemWord:
		cells := p.table.column(column).Cells
		if at := slices.IndexFunc(cells, func(cell string) bool { return strings.EqualFold(cell, it.word) }); at >= 0 {
			return cells[at], true
		}
		return it.word, afterSign || isDate(it.word)
	}
	return "", false
}

var signs = map[string]string{"<": "<", "<=": "<=", "≤": "<=", ">": ">", ">=": ">=", "≥": ">=", "=": "=", "==": "=", "!=": "!=", "≠": "!="}

// comparator reads what compares at i, and how many items that takes.
func (p *parser) comparator(i int) (is string, used int) {
	it := p.items[i]
	if it.kind == itemSign {
		return signs[it.word], min(1, len(signs[it.word]))
	}
	if it.kind != itemWord {
		return "", 0
	}
	_, isAbove := above[it.word]
	_, isBelow := below[it.word]
	switch {
	case it.word == "at" && p.isWord(i+1, "least"):
		return ">=", 2
	case it.word == "at" && p.isWord(i+1, "most"):
		return "<=", 2
	case isAbove || isBelow:
		if used = 1; p.isWord(i+1, "than") {
			used = 2
		}
		return map[bool]string{true: ">", false: "<"}[isAbove], used
	case (it.word == "is" || it.word == "equals" || it.word == "equal") && i > 0 && p.items[i-1].kind == itemColumn:
		if p.isWord(i+1, "not") {
			return "!=", 2
		}
		return "=", 1
	}
	return "", 0
}

func (p *parser) isWord(i int, word string) bool {
	return i >= 0 && i < len(p.items) && p.items[i].kind == itemWord && p.items[i].word == word
}

// subject finds the column that a comparison at i is about: the one right before it, or the only one that has numbers.
func (p *parser) subject(i int) (column string, from int, ok bool) {
	from = i
	for from > 0 && p.items[from-1].kind == itemWord && (little[p.items[from-1].word]) {
		from--
	}
	if from > 0 && p.items[from-1].kind == itemColumn {
		return p.name(p.items[from-1].column), from - 1, true
	}
	var numeric []string
	for _, c := range p.table.Columns {
		if c.Kind.numeric() {
			numeric = append(numeric, c.Name)
		}
	}
	if len(numeric) == 1 {
		return numeric[0], i, true
	}
	return "", 0, false
}

// grouping takes out "by city", "per city", "for each city".
func (p *parser) grouping() {
	for i, it := range p.items {
		if !groupsBy(it) {
			continue
		}
		at := i + 1
		for at < len(p.items) && p.items[at].kind == itemWord && (little[p.items[at].word] || groupsBy(p.items[at])) {
			at++
		}
		if at < len(p.items) && p.items[at].kind == itemColumn && !p.sorts(i) {
			p.by = p.name(p.items[at].column)
			p.items = slices.Delete(p.items, i, at+1)
			return
		}
	}
}

// sorts reports whether the "by" at i is that of "top 3 rows by price".
func (p *parser) sorts(by int) bool {
	for i := range by {
		if p.items[i].kind == itemNumber && i > 0 && (p.isWord(i-1, "top") || p.isWord(i-1, "bottom")) {
			return true
		}
	}
	return false
}

// operation finds what is asked for in what is left.
func (p *parser) operation() (Question, error) {
	var q Question
	at := -1
	for i, it := range p.items {
		if o, ok := operations[it.word]; ok && it.kind == itemWord && (q.Operation == "" || stronger(o, q.Operation)) {
			q.Operation, at = o, i
		}
		if it.kind == itemNumber {
			p.limit = int(min(max(it.number, 1), 100))
		}
	}
	howMany := p.counts()
	columns := p.mentioned()
	if several := p.computations(); len(several) > 1 {
		if !p.says("and") || p.by != "" {
			return q, &unclear{text: "That asks for several things in one. Ask for " + orList(several) + ", one at a time."}
		}
		q.Operation = Statistics // which has them all
	}
	switch {
	case howMany && q.Operation == Columns && len(columns) == 0:
		return Question{Operation: Columns}, nil
	case howMany && (q.Operation == Rows || q.Operation == "" || q.Operation == Sum || q.Operation == Values || q.Operation == Show):
		q.Operation = Rows
		if len(columns) > 0 && p.table.Columns[columns[0]].Kind == Text && p.by == "" {
			q.Operation, q.Column = Distinct, p.name(columns[0])
		}
	case q.Operation == Distinct && !howMany:
		q.Operation = Values
	case (q.Operation == Max || q.Operation == Min) && p.limit > 0:
		return p.ranking(q.Operation, columns)
	case q.Operation == Show && len(columns) == 1 && p.table.Columns[columns[0]].Kind == Text && p.limit < 0 && !p.says("rows"):
		q.Operation = Values // "list all cities"
	case q.Operation == Rows && !howMany && p.limit > 0, q.Operation == Show:
		q.Operation = Show
	case q.Operation == "" && p.by != "" && len(columns) == 0:
		q.Operation = Rows
	case q.Operation == "" && len(columns) > 0 && p.by != "":
		q.Operation = Sum
	case q.Operation == "" && len(columns) > 0:
		q.Operation = Statistics
	case q.Operation == "" && len(p.where) > 0:
		q.Operation = Show
	case q.Operation == "":
		return q, &unclear{text: help(p.table)}
	}
	if len(columns) > 1 && (q.Operation.needsNumbers() || q.Operation == Rows || q.Operation == Distinct || q.Operation == Missing) {
		return q, &unclear{text: fmt.Sprintf("That is about several columns in one: %s. Ask about one at a time, by one other at most.", p.listed(columns))}
	}
	p.assign(&q, at, columns)
	return q, nil
}

func (p *parser) listed(columns []int) string {
	var names []string
	for _, c := range columns {
		names = append(names, p.name(c))
	}
	return strings.Join(names, ", ")
}

// stronger reports whether operation a counts when b was named before it: "show the average", "most common",
// "total rows".
func stronger(a, b Operation) bool {
	weak := b == Show || b == Rows || b == Columns
	switch a {
	case Show, Columns:
		return false
	case Rows:
		return b == Sum
	case Values:
		return weak || b == Max || b == Min
	case Missing, Distinct:
		return true
	}
	return weak
}

// computations returns the labels of what is to be computed.
func (p *parser) computations() []string {
	var all []string
	for _, it := range p.items {
		switch o := operations[it.word]; o {
		case Mean, Sum, Min, Max, Median:
			name := strings.TrimSuffix(labels[o], " of")
			if p.sumOfRows(o) || it.kind != itemWord || slices.Contains(all, name) {
				continue
			}
			all = append(all, name)
		}
	}
	return all
}

// sumOfRows reports whether a "total" is that of "total number of rows", and "most" that of "most common".
func (p *parser) sumOfRows(o Operation) bool {
	return o == Sum && (p.counts() || p.says("rows")) || (o == Max || o == Min) && (p.says("common") || p.says("frequent"))
}

func (p *parser) says(word string) bool {
	return slices.ContainsFunc(p.items, func(it item) bool { return it.kind == itemWord && it.word == word })
}

// ranking makes of "top 3 rows by price" rows in that order.
func (p *parser) ranking(o Operation, columns []int) (Question, error) {
	q := Question{Operation: Show, Limit: p.limit, Order: o}
	for _, c := range slices.Backward(columns) {
		if p.table.Columns[c].Kind != Text {
			q.Column = p.name(c)
			return q, nil
		}
	}
	if p.by != "" {
		q.Column, p.by = p.by, ""
		return q, nil
	}
	return q, p.which("By which column", numericNames(p.table), q)
}

func (p *parser) counts() bool {
	for i, it := range p.items {
		if it.kind == itemWord && (it.word == "count" || it.word == "many" || it.word == "number" && p.isWord(i+1, "of")) {
			return true
		}
	}
	return false
}

// mentioned returns the columns that are left, in order.
func (p *parser) mentioned() []int {
	var columns []int
	for _, it := range p.items {
		if it.kind == itemColumn {
			columns = append(columns, it.column)
		}
	}
	return columns
}

// assign gives the columns that are left their parts in a question: "which city has the highest price" is about the
// price and shows the city.
func (p *parser) assign(q *Question, at int, columns []int) {
	if q.Column == "" && len(columns) > 0 {
		q.Column = p.name(columns[0])
	}
	if (q.Operation != Max && q.Operation != Min) || len(columns) < 2 {
		return
	}
	for i, it := range p.items {
		if it.kind == itemColumn && i > at {
			q.Column = p.name(it.column)
			break
		}
	}
	for _, c := range columns {
		if name := p.name(c); name != q.Column {
			q.Of = name
			return
		}
	}
}

// settle completes a question, or asks for what it lacks.
func (p *parser) settle(q Question) (Question, error) {
	q.Where, q.By = p.where, p.by
	if q.Limit = 0; (q.Operation == Show || q.Operation == Values) && p.limit > 0 {
		q.Limit = p.limit
	}
	return complete(q, p.table)
}

// complete checks that a question can be answered. A column that only one can be meant is filled in.
func complete(q Question, t *Table) (Question, error) {
	p := &parser{table: t}
	c := t.column(q.Column)
	numeric := numericNames(t)
	switch {
	case q.Operation == Values || q.Operation == Distinct:
		if c == nil {
			return q, p.which("Of which column", allNames(t), q)
		}
	case q.Operation.needsNumbers(), q.Operation == Min || q.Operation == Max:
		if c != nil && (c.Kind.numeric() || c.Kind == Date && !q.Operation.needsNumbers()) {
			return q, nil
		}
		if len(numeric) == 0 {
			return q, &unclear{text: "No column of the file has numbers to calculate with. " + help(t)}
		}
		if c != nil {
			return q, p.which(fmt.Sprintf("%s has no numbers. Which column do you mean", c.Name), numeric, q)
		}
		if len(numeric) > 1 {
			return q, p.which("Of which column", numeric, q)
		}
		q.Column = numeric[0]
	}
	return q, nil
}

// which asks for the column of a question.
func (p *parser) which(text string, names []string, q Question) error {
	shown := names[:min(len(names), 12)]
	if len(names) > len(shown) {
		text += ", for example"
	} else {
		text += ":"
	}
	q.Where, q.By = append(q.Where, p.where...), q.By+p.by
	return &unclear{text: text + " " + orList(shown) + "?", open: &q, choice: names}
}

func (t *Table) column(name string) *Column {
	for i := range t.Columns {
		if name != "" && t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

func allNames(t *Table) []string {
	names := make([]string, len(t.Columns))
	for i := range t.Columns {
		names[i] = t.Columns[i].Name
	}
	return names
}

func numericNames(t *Table) []string {
	var names []string
	for i := range t.Columns {
		if t.Columns[i].Kind.numeric() {
			names = append(names, t.Columns[i].Name)
		}
	}
	return names
}

// answered completes an open question by the answer to what was asked back; false when the text is none.
func (q Question) answered(text string, t *Table) (Question, bool) {
	items := lex(text, t)
	var columns []string
	for _, it := range items {
		switch {
		case it.kind == itemColumn:
			columns = append(columns, t.Columns[it.column].Name)
		case it.kind == itemWord && little[it.word]:
		default:
			return q, false
		}
	}
	if len(columns) != 1 {
		return q, false
	}
	q.Column = columns[0]
	return q, true
}

// help says what can be asked, with names of the table.
func help(t *Table) string {
	names := allNames(t)
	example := "how many rows there are"
	if numeric := numericNames(t); len(numeric) > 0 {
		example += fmt.Sprintf(", the average %s", numeric[0])
		for i := range t.Columns {
			if t.Columns[i].Kind == Text {
				example += fmt.Sprintf(", the highest %s by %s", numeric[0], t.Columns[i].Name)
				break
			}
		}
	}
	more := ""
	if len(names) > 12 {
		names, more = names[:12], " and others"
	}
	return fmt.Sprintf("Ask for statistics, %s, or the like. The columns are %s%s.", example, strings.Join(names, ", "), more)
}

func orList(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// figure writes a number as people do.
func figure(f float64) string {
	f = tidy(f)
	if f == float64(int64(f)) && f < 1e15 && f > -1e15 {
		return strconv.FormatInt(int64(f), 10)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
