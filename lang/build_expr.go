package lang

import (
	"cmp"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// Precedences of operators: one that binds tighter has a higher one. All of them are left-associative, but for
// comparisons, which chain.
const (
	precOr = iota + 1
	precXor
	precAnd
	precNot
	precCompare
	precTest // IN, STARTS WITH, =~, IS NULL and the like
	precAdd
	precMul
	precPow
	precSign
	precLabels
	precAtom // with properties and indexes
)

var precedence = map[Op]int{
	"OR": precOr, "XOR": precXor, "AND": precAnd,
	"=": precCompare, "<>": precCompare, "<": precCompare, "<=": precCompare, ">": precCompare, ">=": precCompare,
	"IN": precTest, "STARTS WITH": precTest, "ENDS WITH": precTest, "CONTAINS": precTest, "=~": precTest, "IS": precTest,
	"+": precAdd, "-": precAdd, "||": precAdd, "*": precMul, "/": precMul, "%": precMul, "^": precPow,
}

func (b *builder) optional(g *gExpr) Expr {
	if g == nil {
		return nil
	}
	return b.expr(g)
}

func (b *builder) expr(g *gExpr) Expr {
	c, creates := chain{builder: b, tails: g.Rest}, b.creates
	b.creates = false
	x := c.expr(&g.First, 0, precOr)
	b.creates = creates
	return x
}

func (b *builder) exprs(gs []*gExpr) []Expr {
	out := make([]Expr, len(gs))
	for i, g := range gs {
		out[i] = b.expr(g)
	}
	return out
}

// enter counts a prefix operator inside others, which begins at t.
func (b *builder) enter(t lexer.Token) {
	if b.depth++; b.depth > maxNesting {
		panic(tooDeep(b.text, t))
	}
}

func (b *builder) leave() { b.depth-- }

// count counts operators.
func (b *builder) count(n int, pos Pos) {
	if b.operators += n; b.operators > maxOperators {
		b.fail(codeTooLarge, pos, operatorsHint,
			"the query has more than %d operators", maxOperators)
	}
}

// chain arranges the operands and operators of one expression by precedence (precedence climbing).
type chain struct {
	*builder
	tails []gTail
	i     int // the next tail
}

// op is the operator of the next tail.
func (c *chain) op() (op Op, pos Pos) {
	switch t := &c.tails[c.i]; {
	case t.Is != nil:
		if t.Type == nil {
			return "IS", span(t.Is[0], first(t.Null, t.Norm))
		}
		return "IS", span(t.Is[0], t.Is[len(t.Is)-1])
	case t.Words != nil:
		return Op(strings.ToUpper(t.Words[0].Value) + " WITH"), span(t.Words[0], t.Words[1])
	default:
		return Op(strings.ToUpper(t.Op.Value)), posOf(t.Op)
	}
}

// expr reads from operand o, without the first skip of its prefix operators, as long as operators bind at least as
// tightly as min.
func (c *chain) expr(o *gOperand, skip, min int) Expr {
	left := c.prefixed(o, skip, min)
	for c.i < len(c.tails) {
		tail := &c.tails[c.i]
		op, pos := c.op()
		prec := precedence[op]
		if prec < min {
			break
		}
		c.count(1, pos)
		switch {
		case op == "IS":
			left = c.is(left, tail)
			c.i++
		case prec == precCompare:
			left = c.comparison(left)
		default:
			c.i++
			left = &Binary{Pos: pos, Op: op, L: left, R: c.expr(&tail.Right, 0, prec+1)}
		}
	}
	return left
}

// is puts IS [NOT] NULL or IS [NOT] :: TYPE behind left.
func (c *chain) is(left Expr, t *gTail) Expr {
	_, pos := c.op()
	if t.Norm.Value != "" {
		return normalized(left, t, pos)
	}
	if t.Type == nil {
		return &IsNull{Pos: pos, X: left, Not: len(t.Is) == 2}
	}
	return &IsType{Pos: pos, X: left, Not: len(t.Is) == 2, Type: schemaBuilder{c.builder}.valueType(t.Type)}
}

// normalized reads x IS [NOT] [NFC] NORMALIZED as a call.
func normalized(left Expr, t *gTail, pos Pos) Expr {
	var x Expr = &Call{Pos: pos, Name: "isnormalized", Args: []Expr{left}}
	if t.Form.Value != "" {
		x.(*Call).Args = append(x.(*Call).Args, &Literal{Pos: posOf(t.Form), Value: strings.ToUpper(t.Form.Value)})
	}
	if len(t.Is) == 2 {
		return &Unary{Pos: pos, Op: "NOT", X: x}
	}
	return x
}

// maxCopies bounds how deep comparison chains may stand in the middle operands of others.
const maxCopies = 4

// comparison reads a < b < c ... as a < b AND b < c ... The trees of the middle operands are made twice, so that no
// part of a tree is shared.
func (c *chain) comparison(left Expr) Expr {
	var all Expr
	for {
		op, pos := c.op()
		right, from := &c.tails[c.i].Right, c.i+1
		c.i = from
		cmp := &Binary{Pos: pos, Op: op, L: left, R: c.expr(right, 0, precCompare+1)}
		if all == nil {
			all = cmp
		} else {
			all = &Binary{Pos: pos, Op: "AND", L: all, R: cmp}
		}
		if c.i == len(c.tails) {
			return all
		}
		next, at := c.op()
		if precedence[next] != precCompare {
			return all
		}
		c.count(1, at)
		if c.copies++; c.copies > maxCopies {
			c.fail(codeTooLarge, at, "join the comparisons by AND", "chains of comparisons are nested too deep")
		}
		end := c.i
		c.i = from
		left = c.expr(right, 0, precCompare+1)
		c.i = end
		c.copies--
	}
}

// prefixed reads an operand without the first skip of its prefix operators. NOT takes all that binds tighter than NOT.
func (c *chain) prefixed(o *gOperand, skip, min int) Expr {
	if skip == len(o.Prefix) {
		return c.operand(o)
	}
	t := o.Prefix[skip]
	c.enter(t)
	defer c.leave()
	op := Op(strings.ToUpper(t.Value))
	if op == "NOT" {
		if min > precNot {
			c.fail(codeSyntax, posOf(t), "put brackets around NOT and its operand", "NOT binds less tightly than the operator before it")
		}
		return &Unary{Pos: posOf(t), Op: op, X: c.expr(o, skip+1, precNot)}
	}
	if last := skip == len(o.Prefix)-1; last && op == "-" && o.Atom.Literal.Type == kindNumber && len(o.Ops) == 0 && o.Labels == nil {
		lit := c.number(o.Atom.Literal, true)
		lit.Pos = span(t, o.Atom.Literal)
		return lit
	}
	return &Unary{Pos: posOf(t), Op: op, X: c.prefixed(o, skip+1, precSign)}
}

// operand reads an operand with its properties, indexes and labels, but without its prefix operators.
func (b *builder) operand(o *gOperand) Expr {
	x := b.postfix(b.atom(&o.Atom), o.Ops)
	if o.Labels != nil {
		l := b.labels(o.Labels)
		noLabelsFrom(b, l)
		x = &HasLabels{Pos: l.Pos, X: x, Labels: l}
	}
	return x
}

// postfix puts properties and indexes behind x.
func (b *builder) postfix(x Expr, ops []*gPostfix) Expr {
	for _, op := range ops {
		if op.Key != nil {
			x = &Property{Pos: posOf(op.Key.Token), Of: x, Key: b.name(op.Key.Token)}
		} else {
			x = b.index(x, op.Index)
		}
		b.count(1, x.Position())
	}
	return x
}

func (b *builder) index(of Expr, g *gIndex) Expr {
	if !g.Range && !g.Upto {
		return &Index{Pos: posOf(g.Open), Of: of, At: b.expr(g.From)}
	}
	s := &Slice{Pos: posOf(g.Open), Of: of, From: b.optional(g.From), To: b.optional(g.To)}
	if g.Upto {
		s.To = b.optional(g.End)
	}
	return s
}

func (b *builder) atom(g *gAtom) Expr {
	switch {
	case g.Literal.Value != "":
		return b.literal(g.Literal)
	case g.Typed != nil:
		return &Call{Pos: posOf(g.Typed.Word), Name: strings.ToLower(g.Typed.Word.Value), Args: []Expr{b.literal(g.Typed.Text)}}
	case g.Cast != nil:
		return castOf(b, g.Cast)
	case g.Trim != nil:
		return trimOf(b, g.Trim)
	case g.Name != nil:
		return b.reference(g.Name)
	case g.Paren != nil:
		return b.expr(g.Paren)
	case g.List != nil:
		return &ListLit{Pos: posOf(g.List.Open), Items: b.exprs(g.List.Items)}
	case g.Map != nil:
		return b.mapLit(g.Map)
	case g.Case != nil:
		return b.caseExpr(g.Case)
	case g.Each != nil:
		return b.each(g.Each)
	case g.Pattern != nil:
		p := b.path(g.Pattern.Path)
		return &PatternExpr{Pos: p.Pos, Path: p}
	}
	return b.subqueryExpr(g.Subquery)
}

// each reads the expressions that go through a list, or through the matches of a pattern.
func (b *builder) each(g *gEach) Expr {
	switch {
	case g.List != nil:
		c := g.List
		return &ListComprehension{Pos: posOf(c.Open), Var: b.named(c.Var), List: b.expr(c.In), Where: b.optional(c.Where), Map: b.optional(c.Map)}
	case g.Pattern != nil:
		c := g.Pattern
		return &PatternComprehension{Pos: posOf(c.Open), Path: b.path(c.Path), Where: b.optional(c.Where), Map: b.expr(c.Map)}
	case g.Quantifier != nil:
		q := g.Quantifier
		return &Quantifier{Pos: posOf(q.Word), Kind: strings.ToLower(q.Word.Value), Var: b.named(q.Var), List: b.expr(q.In), Where: b.expr(q.Where)}
	}
	r := g.Reduce
	return &Reduce{Pos: posOf(r.Word), Acc: b.named(r.Acc), Init: b.expr(r.Init), Var: b.named(r.Var), List: b.expr(r.In), Step: b.expr(r.Step)}
}

func (b *builder) subqueryExpr(g *gSubquery) *Subquery {
	s := &Subquery{Pos: posOf(g.Word), Kind: strings.ToLower(g.Word.Value)}
	if q := cmp.Or(g.Query, g.Round); q != nil {
		s.Query = b.query(q)
		return s
	}
	m := &Match{Paths: b.paths(g.Paths), Where: b.optional(g.Where)}
	m.Pos = m.Paths[0].Pos
	s.Query = &Query{Clauses: []Clause{m}}
	return s
}

// copyReference copies a variable with properties behind it, so that no part of a tree is shared.
func copyReference(x Expr) Expr {
	switch x := x.(type) {
	case *Property:
		return &Property{Pos: x.Pos, Of: copyReference(x.Of), Key: x.Key}
	case *Var:
		return &Var{Pos: x.Pos, Name: x.Name}
	}
	return x
}

// mapOf reads a map projection.
func (b *builder) mapOf(of Expr, g *gMapOf) *MapProjection {
	m := &MapProjection{Pos: posOf(g.Open), Of: of}
	for _, it := range g.Items {
		switch {
		case it.All.Value != "":
			m.Items = append(m.Items, MapProjectionItem{Pos: posOf(it.All), All: true})
		case it.Of != nil:
			key := Name{Pos: posOf(it.Of.Token), Text: b.name(it.Of.Token)}
			m.Items = append(m.Items, MapProjectionItem{Pos: key.Pos, Key: key, Value: &Property{Pos: key.Pos, Of: copyReference(of), Key: key.Text}})
		default:
			key := Name{Pos: posOf(it.Key.Token), Text: b.name(it.Key.Token)}
			item := MapProjectionItem{Pos: key.Pos, Key: key, Value: b.optional(it.Value)}
			if item.Value == nil {
				if t := it.Key.Token; isReservedWord(t) {
					b.fail(codeSyntax, posOf(t), "as a name it is written `"+t.Value+"`", "%s is a word of the language", strings.ToUpper(t.Value))
				}
				item.Value = &Var{Pos: key.Pos, Name: b.nonempty(it.Key.Token)}
			}
			m.Items = append(m.Items, item)
		}
	}
	return m
}

func (b *builder) literal(t lexer.Token) Expr {
	switch t.Type {
	case kindNumber:
		return b.number(t, false)
	case kindString:
		return &Literal{Pos: posOf(t), Value: b.unquote(t)}
	case kindParam:
		return b.param(t)
	}
	values := map[string]any{"NULL": nil, "TRUE": true, "FALSE": false}
	return &Literal{Pos: posOf(t), Value: values[strings.ToUpper(t.Value)]}
}

func (b *builder) param(t lexer.Token) *Param {
	name := t
	name.Value = t.Value[1:]
	if strings.HasPrefix(name.Value, "`") {
		name.Type = kindQuoted
	}
	return &Param{Pos: posOf(t), Name: b.nonempty(name)}
}

// reference is a variable, a property of a variable of a variable's property, or a call.
func (b *builder) reference(g *gReference) Expr {
	if g.Call != nil {
		return b.call(g)
	}
	var x Expr = &Var{Pos: posOf(g.Head), Name: b.nonempty(g.Head)}
	for _, key := range g.Path {
		x = &Property{Pos: posOf(key.Token), Of: x, Key: b.name(key.Token)}
		b.count(1, x.Position())
	}
	if g.Map != nil {
		return b.mapOf(x, g.Map)
	}
	return x
}

func (b *builder) call(g *gReference) Expr {
	name, pos := b.dotted(g.Head, g.Path)
	f := function(name)
	if f != nil {
		name = f.key()
	}
	if g.Call.Star && f == nil {
		code, msg, hint := noFunction(name)
		b.fail(code, pos, hint, "%s", msg)
	}
	if g.Call.Star {
		if name != "count" {
			b.fail(codeSyntax, posOf(g.Call.Open), "only count(*) takes a star", "%s does not take *", name)
		}
		return &CountStar{Pos: pos}
	}
	args := b.exprs(g.Call.Args)
	if name == "normalize" && len(args) == 2 {
		if v, ok := args[1].(*Var); ok && slices.Contains(normalForms, strings.ToUpper(v.Name)) {
			args[1] = &Literal{Pos: v.Pos, Value: strings.ToUpper(v.Name)}
		}
	}
	return &Call{Pos: pos, Name: name, Distinct: g.Call.Distinct, Args: args}
}

// normalForms are the forms of Unicode text, which stand in normalize() as words.
var normalForms = []string{"NFC", "NFD", "NFKC", "NFKD"}

// castOf reads CAST(x AS TYPE) as a call whose last argument is the type.
func castOf(b *builder, g *gCast) Expr {
	t := schemaBuilder{b}.valueType(g.Type)
	return &Call{Pos: posOf(g.Word), Name: "cast", Args: []Expr{b.expr(g.X), &Literal{Pos: t.Pos, Value: t.String()}}}
}

// trimOf reads trim(BOTH 'x' FROM s) as bTrim(s, 'x'), and LEADING and TRAILING likewise.
func trimOf(b *builder, g *gTrim) Expr {
	name := map[string]string{"BOTH": "btrim", "LEADING": "ltrim", "TRAILING": "rtrim"}[strings.ToUpper(g.Side.Value)]
	c := &Call{Pos: posOf(g.Word), Name: name, Args: []Expr{b.expr(g.Of)}}
	if g.Chars != nil {
		c.Args = append(c.Args, b.expr(g.Chars))
	}
	return c
}

func (b *builder) mapLit(g *gMap) *MapLit {
	m := &MapLit{Pos: posOf(g.Open)}
	for i := range g.Entries {
		e := &g.Entries[i]
		m.Keys = append(m.Keys, Name{Pos: posOf(e.Key.Token), Text: b.name(e.Key.Token)})
		m.Values = append(m.Values, b.expr(&e.Value))
	}
	return m
}

func (b *builder) caseExpr(g *gCase) *Case {
	c := &Case{Pos: posOf(g.Case), Test: b.optional(g.Test), Else: b.optional(g.Else)}
	whole := c.Test != nil && slices.ContainsFunc(g.Whens, func(w gWhen) bool { return len(w.Tests) > 1 || w.Tests[0].Tails != nil })
	for i := range g.Whens {
		w := &g.Whens[i]
		var cond Expr
		for _, t := range w.Tests {
			switch x := whenTest(b, g, t, whole); {
			case cond == nil:
				cond = x
			case !whole:
				b.fail(codeSyntax, x.Position(), "write OR between the conditions", "several values after WHEN need a value after CASE")
			default:
				b.count(1, x.Position())
				cond = &Binary{Pos: x.Position(), Op: "OR", L: cond, R: x}
			}
		}
		c.Whens = append(c.Whens, When{Cond: cond, Then: b.expr(w.Then)})
	}
	if whole {
		if f := volatileIn(c.Test); f != "" {
			b.fail(codeSyntax, c.Pos, "name the value with WITH first: WITH "+f+"() AS x ... CASE x WHEN", "%s() gives another value at each call, and this CASE looks at its value several times", f)
		}
		c.Test = nil
	}
	return c
}

// volatileIn is a function in x that gives another value at each call; "" if there is none.
func volatileIn(x Expr) (name string) {
	Walk(x, func(x Expr) bool {
		switch x := x.(type) {
		case *Call:
			if f := functionIndex[x.Name]; f != nil && f.Volatile {
				name = f.Name
			}
		case *Subquery:
			if strings.Contains(strings.ToLower(x.Query.String()), "rand") {
				name = "rand"
			}
		}
		return true
	})
	return name
}

// whenTest reads one condition or value after WHEN. With whole, what CASE tests becomes the left side of a condition of its own.
func whenTest(b *builder, g *gCase, t *gWhenTest, whole bool) Expr {
	if t.Tails != nil && g.Test == nil {
		b.fail(codeSyntax, posOf(g.Case), "write CASE x WHEN > 1 THEN ..., or a whole condition after WHEN", "an operator after WHEN needs a value after CASE")
	}
	if !whole {
		return b.expr(t.Value)
	}
	if b.copies++; b.copies > maxCopies {
		b.fail(codeTooLarge, posOf(g.Case), "name the value with WITH first", "CASE stands too deep in the value of others")
	}
	defer func() { b.copies-- }()
	if t.Tails != nil {
		return b.expr(&gExpr{First: gOperand{Atom: gAtom{Paren: g.Test}}, Rest: t.Tails})
	}
	x := b.expr(t.Value)
	b.count(1, x.Position())
	return &Binary{Pos: x.Position(), Op: "=", L: b.expr(g.Test), R: x}
}
