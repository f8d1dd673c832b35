package lang

import "strings"

// exprChecker checks one expression and finds the kinds of value that it may have.
type exprChecker struct {
	*checker
	place      string // for messages: "WHERE", "ORDER BY"
	aggregates bool   // whether aggregates may stand here
	inside     string // the aggregate that the expression is an argument of
	predicate  bool   // whether a pattern may stand here as a condition
}

// wrong tells whether a value of these kinds is never one of the wanted kinds. Null is: it makes the result null.
func wrong(got, want kinds) bool { return got&(want|kNull) == 0 }

// need checks x, whose value is to be of the wanted kinds. what names who wants it.
func (c *exprChecker) need(x Expr, want kinds, what string) kinds {
	got := c.kindOf(x)
	if wrong(got, want) {
		c.fail("InvalidArgumentType", placeOf(x), "", "%s needs %s, not %s", what, want, got)
	}
	return got
}

// kindOf checks x and says what it may be. A pattern is a condition only where a condition is asked for.
func (c *exprChecker) kindOf(x Expr) kinds {
	c.poll()
	if c.predicate && !isLogical(x) {
		inner := *c
		inner.predicate = false
		if p, ok := x.(*PatternExpr); ok {
			return inner.pattern(p)
		}
		return inner.kindOf(x)
	}
	switch x := x.(type) {
	case *Literal:
		return literalKind(x)
	case *Param:
		c.parameter(x)
	case *Var:
		return c.variable(x)
	case *Property:
		return c.property(x)
	case *Index:
		return c.index(x)
	case *Slice:
		return c.slice(x)
	case *Unary:
		if x.Op == "NOT" {
			c.where(x.X, "NOT")
			return kBool
		}
		c.need(x.X, kNumber, "the sign "+string(x.Op))
		return kNumber
	case *Binary:
		return c.binary(x)
	case *IsNull:
		c.kindOf(x.X)
		return kBool
	case *IsType:
		c.kindOf(x.X)
		return kBool
	case *HasLabels:
		return c.hasLabels(x)
	case *Call:
		return c.call(x)
	case *CountStar:
		c.aggregate("count", x.Pos)
		return kInt
	default:
		return c.composite(x)
	}
	return kAny
}

// isLogical tells whether the operands of x are conditions where x is one.
func isLogical(x Expr) bool {
	switch x := x.(type) {
	case *Unary:
		return x.Op == "NOT"
	case *Binary:
		return x.Op == "AND" || x.Op == "OR" || x.Op == "XOR"
	}
	return false
}

// composite checks lists, maps and CASE.
func (c *exprChecker) composite(x Expr) kinds {
	switch x := x.(type) {
	case *ListLit:
		for _, it := range x.Items {
			c.kindOf(it)
		}
		return kList
	case *MapLit:
		for _, v := range x.Values {
			c.kindOf(v)
		}
		return kMap
	case *Case:
		return c.caseExpr(x)
	}
	return c.each(x)
}

func literalKind(x *Literal) kinds {
	switch x.Value.(type) {
	case bool:
		return kBool
	case int64:
		return kInt
	case float64:
		return kFloat
	case string:
		return kString
	}
	return kNull
}

func (c *exprChecker) variable(x *Var) kinds {
	b := c.scope.find(x.Name)
	switch {
	case b != nil:
		return b.kinds
	case x.Name == "UNKNOWN" && x.Pos.Len == len(x.Name) && !c.dropped[x.Name] && c.outside.find(x.Name) == nil:
		x.Null = true
		return kNull
	}
	c.undefined(x)
	return 0
}

// parameter notes that the statement needs a value for x.
func (c *checker) parameter(x *Param) {
	if !c.params[x.Name] {
		if c.params == nil {
			c.params = map[string]bool{}
		}
		c.params[x.Name] = true
		c.info.Parameters = append(c.info.Parameters, Name{Pos: x.Pos, Text: x.Name})
	}
}

func (c *exprChecker) undefined(x *Var) {
	c.fail("UndefinedVariable", x.Pos, c.undefinedHint(x), "variable `%s` is not defined", x.Name)
}

func (c *exprChecker) property(x *Property) kinds {
	got := c.kindOf(x.Of)
	if wrong(got, kNode|kRel|kMap|kTemporal|kPoint) {
		code := "TypeError.InvalidArgumentType"
		if got == kPath {
			code = "SyntaxError.InvalidArgumentType"
		}
		hint := ""
		if got == kList {
			hint = "write [x IN list | x." + QuoteKey(x.Key) + "]"
		}
		switch {
		case got == kPath && x.Key == "length":
			hint = "write length(p)"
		case got == kPath:
			hint = "write [n IN nodes(p) | n." + QuoteKey(x.Key) + "]"
		}
		c.fail(code, x.Pos, hint, "%s has no properties", got)
	}
	if !wrong(got, kNode|kRel) && got.known() {
		c.names.key(c.checker, Name{Pos: x.Pos, Text: x.Key})
	}
	return kAny
}

// index checks list[i], and map[key], node[key] and relationship[key].
func (c *exprChecker) index(x *Index) kinds {
	of := c.kindOf(x.Of)
	if v, ok := x.At.(*Var); ok && of.known() && of&kList == 0 && c.scope.find(v.Name) == nil {
		c.fail("UndefinedVariable", v.Pos, "write "+Text(&Property{Of: x.Of, Key: v.Name})+", or a property key in quotes: ['"+v.Name+"']", "variable `%s` is not defined", v.Name)
	}
	at := c.kindOf(x.At)
	if wrong(of, kList|kMap|kNode|kRel|kTemporal|kPoint) {
		panic(c.stmt.errorAt(x.Pos, "TypeError.InvalidArgumentType", of.String()+" has no elements"))
	}
	if of == kList && wrong(at, kInt) {
		panic(c.stmt.errorAt(placeOf(x.At), "TypeError.InvalidArgumentType", "the index of a list is an integer, not "+at.String()))
	}
	if of&(kList|kNull) == 0 && wrong(at, kString) {
		panic(c.stmt.errorAt(placeOf(x.At), "TypeError.MapElementAccessByNonString", "a property key is a string, not "+at.String()))
	}
	if key, ok := x.At.(*Literal); ok && of&^(kNode|kRel) == 0 {
		if text, ok := key.Value.(string); ok {
			c.names.key(c.checker, Name{Pos: key.Pos, Text: text})
		}
	}
	return kAny
}

func (c *exprChecker) slice(x *Slice) kinds {
	c.need(x.Of, kList, "a slice")
	for _, bound := range []Expr{x.From, x.To} {
		if bound != nil {
			c.need(bound, kInt, "a slice")
		}
	}
	return kList
}

func (c *exprChecker) binary(x *Binary) kinds {
	switch x.Op {
	case "AND", "OR", "XOR":
		c.where(x.L, string(x.Op))
		c.where(x.R, string(x.Op))
		return kBool
	case "IN":
		c.kindOf(x.L)
		c.quotesHint(x)
		if got := c.kindOf(x.R); wrong(got, kList) {
			c.fail("InvalidArgumentType", placeOf(x.R), "a list stands in square brackets: IN [1, 2, 3]", "IN needs a list, not %s", got)
		}
		return kBool
	case "+":
		return c.plus(x, c.kindOf(x.L), c.kindOf(x.R))
	case "||":
		return c.join(x)
	case "-", "*", "/", "%", "^":
		return c.arithmetic(x)
	}
	c.kindOf(x.L) // comparisons and string tests of other kinds are null
	c.quotesHint(x)
	c.kindOf(x.R)
	return kBool
}

// plus adds numbers, joins strings (also a string and a number or a temporal value) and lists (also a list and an element).
func (c *exprChecker) plus(x *Binary, l, r kinds) kinds {
	const addable = kNumber | kString | kTemporal
	switch {
	case l == kList || r == kList:
		return kList
	case l&kList != 0 || r&kList != 0:
		return kAny
	case wrong(l, addable) || wrong(r, addable):
		c.fail("InvalidArgumentType", x.Pos, "", "+ cannot join %s and %s", l, r)
	case l == kString || r == kString:
		return kString
	case l == kInt && r == kInt:
		return kInt
	case l&^kNumber == 0 && r&^kNumber == 0:
		return kNumber
	case l == kTemporal && r == kTemporal:
		return kTemporal
	case l == kTemporal || r == kTemporal:
		return kTemporal | kString
	}
	return kAny
}

// join joins two strings or two lists.
func (c *exprChecker) join(x *Binary) kinds {
	l, r := c.kindOf(x.L), c.kindOf(x.R)
	for _, k := range [...]kinds{l, r} {
		if wrong(k, kString|kList) {
			c.fail("InvalidArgumentType", x.Pos, "write OR between conditions, and + or toString() for other values", "|| joins strings or lists, not %s", k)
		}
	}
	switch {
	case l == kString || r == kString:
		return kString
	case l == kList || r == kList:
		return kList
	}
	return kString | kList
}

func (c *exprChecker) arithmetic(x *Binary) kinds {
	want := kNumber
	if x.Op == "-" || x.Op == "*" || x.Op == "/" {
		want |= kTemporal // durations
	}
	l := c.need(x.L, want, string(x.Op))
	r := c.need(x.R, want, string(x.Op))
	switch {
	case x.Op == "^":
		return kFloat
	case l == kTemporal || r == kTemporal:
		return kTemporal
	case (l|r)&kTemporal != 0:
		return kNumber | kTemporal
	}
	return kNumber
}

func (c *exprChecker) hasLabels(x *HasLabels) kinds {
	got := c.kindOf(x.X)
	if wrong(got, kNode|kRel) {
		c.fail("InvalidArgumentType", x.Pos, "", "%s has no labels", got)
	}
	switch got {
	case kNode:
		c.names.labels(c.checker, x.Labels)
	case kRel:
		c.names.typesOf(c.checker, x.Labels)
	}
	return kBool
}

// caseExpr gives the kinds that the branches may have.
func (c *exprChecker) caseExpr(x *Case) kinds {
	if x.Test != nil {
		c.kindOf(x.Test)
	}
	result := kinds(0)
	for _, w := range x.Whens {
		if x.Test == nil {
			c.where(w.Cond, "WHEN")
		} else {
			c.kindOf(w.Cond)
		}
		result |= c.kindOf(w.Then)
	}
	if x.Else == nil {
		return result | kNull
	}
	return result | c.kindOf(x.Else)
}

// aggregate checks that an aggregate may stand here.
func (c *exprChecker) aggregate(name string, pos Pos) {
	switch {
	case c.inside != "":
		c.fail("NestedAggregation", pos, "compute the inner one first: WITH "+name+"(...) AS k RETURN "+c.inside+"(k)", "%s() stands inside another aggregate, %s()", name, c.inside)
	case !c.aggregates:
		c.fail("InvalidAggregation", pos, aggregateHint(c.place, name), "an aggregate such as %s() cannot stand in %s", name, c.place)
	}
}

func (c *exprChecker) call(x *Call) kinds {
	f := functionIndex[x.Name]
	if f == nil {
		c.unknown(x)
	}
	if f.Aggregate {
		c.aggregate(f.Name, x.Pos)
		inner := *c
		inner.inside = f.Name
		c = &inner
	} else if x.Distinct {
		c.fail("InvalidAggregation", x.Pos, "", "only aggregates take DISTINCT, and %s is none", f.Name)
	}
	if ReadsCSV(x) && c.loads && !c.scope.ofCSV() {
		c.fail("UndefinedVariable", x.Pos, "keep it: LOAD CSV ... WITH row, "+x.Name+"() AS name", "%s() stands after LOAD CSV, before the next WITH or subquery with variables of its own", x.Name)
	}
	if f.Volatile && c.inside != "" {
		c.fail("NonConstantExpression", x.Pos, "compute it in a WITH before", "%s() gives another value at each call, which an aggregate such as %s() cannot take", f.Name, c.inside)
	}
	if n := len(x.Args); n < f.MinArgs || f.MaxArgs >= 0 && n > f.MaxArgs {
		hint := f.Signature
		if f.Name == "count" && n == 0 {
			hint = "count(*) counts the rows, count(x) those where x is not null"
		}
		c.fail("InvalidNumberOfArguments", x.Pos, hint, "%s takes %s, not %d", f.Name, f.arity(), n)
	}
	for i, arg := range x.Args {
		if p, ok := arg.(*PatternExpr); ok && x.Name == "exists" {
			c.pattern(p)
			continue
		}
		if got := c.kindOf(arg); wrong(got, f.arg(i)) {
			c.fail("InvalidArgumentType", placeOf(arg), f.Signature, "%s needs %s, not %s", f.Name, f.arg(i), got)
		}
	}
	if f.Name == "IS_CLIQUE" {
		c.clique(x)
	}
	return f.result
}

// clique checks the elements of list literals among the arguments of IS_CLIQUE.
func (c *exprChecker) clique(x *Call) {
	each := func(arg Expr, want kinds, what string) {
		l, ok := arg.(*ListLit)
		if !ok {
			return
		}
		for _, it := range l.Items {
			c.need(it, want, what)
		}
	}
	each(x.Args[0], kNode, "the first list of IS_CLIQUE")
	if len(x.Args) > 1 {
		each(x.Args[1], kString, "the second list of IS_CLIQUE")
		Walk(x.Args[1], func(t Expr) bool {
			if lit, ok := t.(*Literal); ok && literalKind(lit) == kString {
				c.names.types(c.checker, []Name{{Pos: lit.Pos, Text: lit.Value.(string)}})
			}
			_, isList := t.(*ListLit)
			return isList
		})
	}
}

func (c *exprChecker) unknown(x *Call) {
	code, msg, hint := noFunction(x.Name)
	e := c.stmt.errorAt(x.Pos, code, msg)
	if e.Hint = c.callHint(x); e.Hint == "" {
		e.Hint = hint
	}
	panic(e)
}

const codeNoFunction = "SyntaxError.UnknownFunction"

// noFunction says that there is no function called name.
func noFunction(name string) (code, msg, hint string) {
	if hint, ok := missingFunctions[strings.ToLower(name)]; ok {
		return codeNotSupported, "the function " + name + "() is not supported in this version", hint
	}
	if hint := foreignFunctions[strings.ToLower(name)]; hint != "" {
		return codeNoFunction, "there is no function " + name + "()", hint
	}
	if hint = didYouMean(name, functionNames(), func(name string) string { return name + "()" }); hint == "" && isAPOC(name) {
		hint = apocHint
	}
	return codeNoFunction, "there is no function " + name + "()", hint
}

// placeOf is where x is marked in an error: for a property that includes what it is a property of.
func placeOf(x Expr) Pos {
	p, ok := x.(*Property)
	if !ok {
		return x.Position()
	}
	first := placeOf(p.Of)
	if _, chain := p.Of.(*Property); first.Line == p.Pos.Line && (chain || isVar(p.Of)) {
		first.Len = p.Pos.Offset + p.Pos.Len - first.Offset
		return first
	}
	return p.Pos
}

func isVar(x Expr) bool {
	_, ok := x.(*Var)
	return ok
}
