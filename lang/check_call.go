package lang

import (
	"fmt"
	"slices"
	"strings"
)

// procedure checks CALL: its name, its arguments, and the columns that it yields, which become variables.
func (c *checker) procedure(call *CallClause) []*variable {
	p := c.find(call)
	if p == nil {
		e := c.stmt.errorAt(call.NamePos, "ProcedureError.ProcedureNotFound", "there is no procedure "+call.Name)
		if e.Hint = insteadOf(call.Name); e.Hint != "" {
			panic(e)
		}
		e.Hint = didYouMean(call.Name, c.procedureNames(), func(name string) string { return name })
		if e.Hint == "" {
			e.Hint = algorithmNamed(call.Name)
		}
		switch {
		case e.Hint == "" && isAPOC(call.Name):
			e.Hint = apocHint
		case e.Hint == "":
			e.Hint = "SHOW PROCEDURES lists what there is"
		}
		panic(e)
	}
	p = p.inlined(call.Args)
	alone := c.alone
	if call.Implicit && !alone {
		c.fail("InvalidArgumentPassingMode", call.NamePos, "write the arguments in brackets: "+p.Signature(), "only a CALL that is the whole query can do without brackets")
	}
	if p.Impl != nil {
		call.pass(p)
	}
	check := callChecker{c, p}
	check.arguments(call)
	p = p.With(call.Args)
	check.p = p
	if call.Yield == nil && !alone && len(p.Columns) > 0 {
		c.fail("UndefinedVariable", call.NamePos, "write YIELD "+strings.Join(p.columnNames(), ", ")+" after it",
			"CALL beside other clauses must say which columns it yields")
	}
	if call.Star && !alone {
		c.fail("UnexpectedSyntax", call.Yield[0].Column.Pos, "write YIELD "+strings.Join(p.columnNames(), ", "),
			"YIELD * can stand only where CALL is the whole query")
	}
	for _, y := range call.Yield {
		check.yield(y)
	}
	c.condition(call.Where)
	if alone {
		return check.columns(call)
	}
	return nil
}

// callChecker checks the parts of one CALL.
type callChecker struct {
	*checker
	p *Procedure
}

// yield makes a column a variable, which must be new.
func (c *callChecker) yield(y *YieldItem) {
	p := c.p
	i := p.Column(y.Column.Text)
	if i < 0 {
		hint := didYouMean(y.Column.Text, p.columnNames(), QuoteName)
		switch {
		case p.split != nil && (&Procedure{Columns: p.split.columns}).Column(y.Column.Text) >= 0:
			hint = "it has with the option " + p.split.option + ": true"
		case hint == "":
			hint = "its columns: " + strings.Join(p.columnNames(), ", ")
		}
		c.fail("UnknownColumn", y.Column.Pos, hint, "%s has no column `%s`", p.Name, y.Column.Text)
	}
	if c.scope.find(y.As.Text) != nil {
		c.fail("VariableAlreadyBound", y.As.Pos, "give the column another name with AS", "the variable `%s` is there already", y.As.Text)
	}
	c.scope.value(y.As, p.Columns[i].kinds, kAny)
	c.info.Variables = append(c.info.Variables, Variable{Name: y.As.Text, Kind: p.Columns[i].Kind(), Pos: y.As.Pos})
}

// columns lists the columns of a CALL that is the whole query.
func (c *callChecker) columns(call *CallClause) (columns []*variable) {
	for _, y := range call.Yield {
		columns = append(columns, c.scope.find(y.As.Text))
	}
	if call.Yield == nil {
		for _, col := range c.p.Given() {
			columns = append(columns, &variable{Variable: Variable{Name: col.Name}, kinds: col.kinds})
		}
	}
	return columns
}

// callSubquery checks CALL { }: its columns become variables.
func (c *checker) callSubquery(call *CallSubquery) {
	checkTransactions(c, call)
	if call.Rows != nil {
		x := exprChecker{checker: c, place: "IN TRANSACTIONS"}
		x.need(call.Rows, kInt, "IN TRANSACTIONS OF")
	}
	around := c.scope
	inner := newScope(nil)
	switch {
	case call.Star:
		inner = newScope(around)
	case call.Scoped:
		for _, name := range call.Imports {
			b := around.find(name.Text)
			if b == nil {
				x := exprChecker{checker: c}
				x.undefined(&Var{Pos: name.Pos, Name: name.Text})
			}
			inner.add(b)
		}
	}
	c.scope = inner
	c.imports = nil
	if !call.Scoped {
		c.imports = around
	}
	outside := c.outside
	c.outside = around
	columns := c.query(call.Query, callQuery)
	c.outside = outside
	c.scope, c.imports = around, nil
	for _, col := range columns {
		c.declareNew(Name{col.Pos, col.Name})
		if call.Optional || call.OnError != ErrorFails {
			col.kinds |= kNull
		}
		around.add(&variable{Variable: Variable{Name: col.Name, Kind: col.kinds.varKind(), Pos: col.Pos}, kinds: col.kinds, elems: col.elems})
	}
	if call.Status.Text != "" {
		c.declareNew(call.Status)
		around.value(call.Status, kMap, kAny)
	}
}

// checkTransactions checks what stands behind IN TRANSACTIONS.
func checkTransactions(c *checker, call *CallSubquery) {
	switch {
	case !call.Transactions:
	case call.OnError == ErrorFails && call.Status.Text != "":
		c.fail(codeSyntax, call.Status.Pos, "write ON ERROR CONTINUE REPORT STATUS AS name", "REPORT STATUS needs ON ERROR CONTINUE or ON ERROR BREAK")
	case call.OnError == ErrorFails && !call.Batches():
		warnOfNoEffect(c, call.inPos, "IN TRANSACTIONS has no effect: the subquery changes nothing", "leave it out")
	case !call.Batches():
		c.fail("InvalidClauseComposition", call.inPos, "leave out the rows that would fail, by WHERE", "ON ERROR undoes changes, and this subquery makes none")
	case c.outside != nil || len(c.stmt.Query.Unions) > 0:
		c.fail("InvalidClauseComposition", call.inPos, "write it in the outermost query", "IN TRANSACTIONS cannot stand in another subquery or in a UNION")
	case writtenBefore(c.stmt.Query.Clauses, call):
		c.fail("InvalidClauseComposition", call.inPos, "make the changes before it in a statement of their own", "IN TRANSACTIONS cannot stand behind a clause that changes the graph")
	case call.concurrentPos.Len > 0:
		warnOfNoEffect(c, call.concurrentPos, "CONCURRENT has no effect: batches run one after the other", "leave it out")
	}
}

// writtenBefore reports whether a clause before call has made changes that are not committed when call begins.
func writtenBefore(clauses []Clause, call *CallSubquery) bool {
	for _, clause := range clauses {
		c, ok := clause.(*CallSubquery)
		switch {
		case c == call && ok:
			return false
		case Writes(clause) && !(ok && c.Batches()):
			return true
		}
	}
	return false
}

// arguments checks how many there are, and each of them.
func (c *callChecker) arguments(call *CallClause) {
	p := c.p
	least, most := p.arity()
	if n := len(call.Args); n < least || n > most {
		takes := fmt.Sprintf("%d or %d arguments", least, most)
		switch {
		case most == 0:
			takes = "no arguments"
		case least == most && most == 1:
			takes = "one argument"
		case least == most:
			takes = fmt.Sprintf("%d arguments", least)
		case most == 1:
			takes = "at most one argument"
		case most > least+1:
			takes = fmt.Sprintf("%d to %d arguments", least, most)
		}
		c.fail("InvalidNumberOfArguments", call.NamePos, p.Signature(), "%s takes %s, not %d", p.Name, takes, n)
	}
	for i := range p.places {
		c.places(call.Args[i], p.Name)
	}
	for i, a := range p.Arguments[:min(len(p.Arguments), len(call.Args))] {
		c.argument(a, call.Args[i])
	}
	if args := call.Args[min(p.Places(), len(call.Args)):]; len(args) > 0 {
		c.options(args[0])
	}
}

// argument checks one of a declared procedure. An integer will do for a float.
func (c *callChecker) argument(a ProcedureArgument, x Expr) {
	check := c.expression()
	want := a.kinds
	if want&kFloat != 0 {
		want |= kInt
	}
	if got := check.kindOf(x); wrong(got, want) {
		c.fail("InvalidArgumentType", placeOf(x), c.p.Help, "the argument `%s` of %s is %s, not %s", a.Name, c.p.Name, a.kinds, got)
	}
}

func (c *checker) procedureNames() []string {
	names := procedureNames()
	for _, p := range c.declared {
		names = append(names, p.Name)
	}
	return names
}

// places checks a node, or a list of nodes. Numbers are ids. what names who wants it.
func (c *callChecker) places(x Expr, what string) {
	check := c.expression()
	check.need(x, kNode|kInt|kList, what)
	if l, ok := x.(*ListLit); ok {
		for _, it := range l.Items {
			check.need(it, kNode|kInt, "the list of "+what)
		}
	}
}

// expression returns a checker for an expression in the arguments.
func (c *callChecker) expression() exprChecker {
	return exprChecker{checker: c.checker, place: "CALL"}
}

// options checks the map of options, which is written out.
func (c *callChecker) options(x Expr) {
	p := c.p
	m, ok := x.(*MapLit)
	if !ok {
		check := c.expression()
		what := "this value"
		if got := check.kindOf(x); got.known() {
			what = got.String()
		}
		c.fail("InvalidArgumentType", placeOf(x), "parameters may stand inside: {key: $value}", "%s takes a map of options, written out, not %s", p.Name, what)
	}
	seen := map[string]bool{}
	for i, key := range m.Keys {
		c.option(key, m.Values[i], seen)
	}
	for _, o := range p.With([]Expr{m}).Options {
		if o.Needed && !seen[o.Name] {
			c.fail("MissingOption", m.Pos, o.Name+": "+o.Help, "%s needs the option `%s`", p.Name, o.Name)
		}
	}
}

// option checks one entry of the map; seen has the keys before it.
func (c *callChecker) option(key Name, x Expr, seen map[string]bool) {
	p := c.p
	o := p.Option(key.Text)
	if o == nil {
		hint := didYouMean(key.Text, p.optionNames(), QuoteKey)
		if hint == "" {
			hint = "its options: " + strings.Join(p.optionNames(), ", ")
		}
		c.fail("UnknownOption", key.Pos, hint, "%s has no option `%s`", p.Name, key.Text)
	}
	if seen[key.Text] {
		c.fail("UnknownOption", key.Pos, "", "the option `%s` is there twice", key.Text)
	}
	if seen[key.Text] = true; seen["type"] && seen["types"] {
		c.fail("UnknownOption", key.Pos, "types takes a list of them", "`type` and `types` say the same: write one of them")
	}
	if seen["size"] && seen["maxSize"] {
		c.fail("UnknownOption", key.Pos, "maxSize is for counts of every size", "`size` and `maxSize` exclude each other: write one of them")
	}
	if o.Idle {
		warnOfNoEffect(c.checker, key.Pos, "the option `"+o.Name+"` has no effect", o.Help)
	}
	check := c.expression()
	if got := check.kindOf(x); wrong(got, o.kinds) {
		c.fail("InvalidArgumentType", placeOf(x), o.Name+": "+o.Help, "the option `%s` needs %s, not %s", o.Name, o.Admits(), got)
	}
	if p.split != nil && p.split.option == o.Name {
		if lit, ok := x.(*Literal); !ok || literalKind(lit) == kString {
			c.fail("InvalidArgumentType", placeOf(x), "the columns depend on it", "the option `%s` is true or false, written out", o.Name)
		}
	}
	if o.kinds&kNode != 0 {
		c.places(x, "`"+o.Name+"`")
		return
	}
	c.optionLiterals(o, x)
}

// optionLiterals checks the literals of an option: the numbers, words and names that it may be.
func (c *callChecker) optionLiterals(o *ProcedureOption, x Expr) {
	switch x := x.(type) {
	case *ListLit:
		check := c.expression()
		for _, it := range x.Items {
			check.need(it, kString, "the list of `"+o.Name+"`")
			c.optionLiterals(o, it)
		}
	case *Literal:
		switch v := x.Value.(type) {
		case int64:
			if v < o.Least {
				c.fail("NumberOutOfRange", x.Pos, "", "the option `%s` is at least %d", o.Name, o.Least)
			}
		case string:
			c.optionWord(o, v, x.Pos)
		}
	}
}

// optionWord checks a word: one of those that the option lists, or a name in the graph.
func (c *callChecker) optionWord(o *ProcedureOption, word string, pos Pos) {
	if o.Words != nil && !slices.ContainsFunc(o.Words, func(w string) bool { return strings.EqualFold(w, word) }) {
		c.fail("InvalidArgumentValue", pos, didYouMean(word, o.Words, quoteString), "the option `%s` is %s", o.Name, o.Admits())
	}
	switch o.names {
	case "type":
		c.names.types(c.checker, []Name{{Pos: pos, Text: word}})
	case "key":
		c.names.key(c.checker, Name{Pos: pos, Text: word})
	case "label":
		l, err := ParseLabels(word)
		if err != nil {
			c.fail("InvalidArgumentValue", pos, LabelHint, "the option `%s` is a label expression, which %s is not", o.Name, quoteString(word))
		}
		c.names.each(l, func(name Name) {
			c.names.look(c.checker, Name{Pos: pos, Text: name.Text}, "UnknownLabel", "label", c.names.cat.Labels, colon)
		})
	}
}

// LabelHint says what a label expression is.
const LabelHint = "such as 'Person', 'Person|Company' or '!Bot'; a name with other signs than letters and digits stands in backticks"
