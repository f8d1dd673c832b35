package lang

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

func (b *builder) match(g *gMatch) *Match {
	m := &Match{Pos: posOf(g.Match), Where: b.optional(g.Where)}
	if g.Optional.Value != "" {
		m.Optional, m.Pos = true, span(g.Optional, g.Match)
	}
	if mode := g.Mode; mode != nil {
		switch different := strings.ToUpper(mode.Different.Value); {
		case mode.Repeatable:
			m.Mode = RepeatableElements
		case different == "NODES" || different == "VERTICES":
			m.Mode = DifferentNodes
		case different == "":
			m.Mode, m.Subgraphs, m.Distinct, m.Induced = DifferentNodes, true, mode.Distinct, mode.Induced
		}
	}
	m.Paths = b.paths(g.Paths)
	for _, h := range g.Hints {
		pos := span(h.Tokens[0], h.Tokens[len(h.Tokens)-1])
		m.Hints = append(m.Hints, Name{Pos: pos, Text: b.text[pos.Offset : pos.Offset+pos.Len]})
	}
	return m
}

// path reads a pattern. A lone node is a path, too.
func (b *builder) path(g *gPath) *PathPattern {
	p := &PathPattern{Pos: span(g.Tokens[0], g.Tokens[len(g.Tokens)-1])}
	if g.Name.Value != "" {
		p.Name, p.NamePos = b.nonempty(g.Name), posOf(g.Name)
	}
	b.prefix(p, g.Prefix)
	chain := g.Chain
	if g.Around != nil {
		chain = g.Around.Chain
		p.Function = ShortestPath
		if strings.EqualFold(g.Around.Word.Value, "allShortestPaths") {
			p.Function = AllShortestPaths
		}
	}
	b.hops(p, chain)
	return p
}

var pathModes = map[string]PathMode{"WALK": WalkMode, "TRAIL": TrailMode, "SIMPLE": SimpleMode, "ACYCLIC": AcyclicMode}

// prefix reads what stands before a path: which of the paths are wanted, and what may not repeat in them.
func (b *builder) prefix(p *PathPattern, g *gPrefix) {
	if g == nil {
		return
	}
	p.Mode = pathModes[strings.ToUpper(g.Mode.Value+g.Only.Value)]
	s := &p.Selector
	if sel := g.Selector; sel != nil {
		s.Pos = posOf(first(sel.All, sel.Any, sel.Word))
		switch {
		case sel.All.Value != "" && sel.Shortest:
			s.Kind = AllShortest
		case sel.All.Value != "":
			s.Kind = AllPaths
		case sel.Any.Value != "" && !sel.Short:
			s.Kind = AnyPaths
		default:
			s.Kind = ShortestPaths
		}
		if k := first(sel.AnyK, sel.K); k.Value != "" {
			s.K = b.literal(k)
		}
	}
	if g.Groups.Value == "" {
		return
	}
	if s.Kind != ShortestPaths || g.Selector.Short {
		b.fail(codeSyntax, posOf(g.Groups), "write SHORTEST k GROUPS", "only SHORTEST takes %s", strings.ToUpper(g.Groups.Value))
	}
	s.Kind = ShortestGroups
}

// first is the first of the tokens that is there.
func first(toks ...lexer.Token) lexer.Token {
	for _, t := range toks {
		if t.Value != "" {
			return t
		}
	}
	return lexer.Token{}
}

// hops reads the elements of a path. Beside a parenthesised path an anonymous node stands where the text has none.
func (b *builder) hops(p *PathPattern, g *gHops) {
	rel := func(r *RelPattern) {
		if len(p.Nodes) == len(p.Rels) {
			p.Nodes = append(p.Nodes, &NodePattern{Pos: Pos{Offset: r.Pos.Offset, Line: r.Pos.Line, Column: r.Pos.Column}})
		}
		p.Rels = append(p.Rels, r)
	}
	group := func(g *gGroup) {
		rel(b.group(g))
		if g.Next != nil {
			p.Nodes = append(p.Nodes, b.node(g.Next))
		}
	}
	factor := func(f *gFactor) {
		if f.Group != nil {
			group(f.Group)
		} else {
			p.Nodes = append(p.Nodes, b.node(f.Node))
		}
	}
	factor(&g.Head)
	for i := range g.Hops {
		h := &g.Hops[i]
		if h.Group != nil {
			group(h.Group)
			continue
		}
		rel(b.rel(h.Rel))
		factor(&h.To)
	}
	if len(p.Nodes) == len(p.Rels) {
		p.Nodes = append(p.Nodes, &NodePattern{Pos: Pos{Offset: endOf(g.Tokens[len(g.Tokens)-1]), Line: p.Pos.Line, Column: p.Pos.Column}})
	}
}

func (b *builder) group(g *gGroup) *RelPattern {
	first, last := g.Tokens[0], g.Chain.Tokens[len(g.Chain.Tokens)-1]
	path := &PathPattern{Pos: span(g.Chain.Tokens[0], g.Chain.Tokens[len(g.Chain.Tokens)-1])}
	if g.Name.Value != "" {
		path.Name, path.NamePos = b.nonempty(g.Name), posOf(g.Name)
	}
	b.hops(path, g.Chain)
	return &RelPattern{Pos: span(first, last), Group: &Group{Path: path, Where: b.optional(g.Where)}, Length: b.times(g.Times)}
}

func (b *builder) node(g *gNode) *NodePattern {
	n := &NodePattern{Pos: span(g.Tokens[0], g.Tokens[len(g.Tokens)-1])}
	n.Name, n.NamePos = b.nonempty(g.Name), posOf(g.Name)
	if n.Labels = b.labels(g.Labels); g.Is != nil {
		n.Labels = b.labelOr(g.Is)
	}
	labels, from := labelsFrom(b, n.Labels)
	n.Labels = labels
	n.Props, n.Where = b.props(g.Props), b.optional(g.Where)
	switch {
	case len(from) == 0:
	case b.creates:
		n.From = joinedFrom(b, from)
	default:
		n.Where = both(n.Where, fromConditions(b, Name{Pos: n.Pos, Text: n.Name}, from, false))
	}
	return n
}

func (b *builder) rel(g *gRel) *RelPattern {
	r := &RelPattern{Pos: span(g.Tokens[0], g.Tokens[len(g.Tokens)-1]), Length: b.times(g.Times)}
	switch right := g.Right || g.Long || g.Short; {
	case g.Left && !right:
		r.Direction = Left
	case right && !g.Left:
		r.Direction = Right
	}
	d := g.Detail
	if d == nil {
		return r
	}
	r.Name, r.NamePos = b.nonempty(d.Name), posOf(d.Name)
	b.types(r, d.Types)
	if d.Length != nil {
		if r.Length != nil {
			b.fail(codeRelationship, r.Length.Pos, "write one of them", "a relationship has one length, not both *m..n and a quantifier")
		}
		r.Length = b.length(d.Length)
	}
	r.Props, r.Where = b.props(d.Props), b.optional(d.Where)
	if l := r.TypeExpr; l != nil && l.Op == labelFrom {
		r.TypeExpr = nil
		if b.creates {
			r.From = joinedFrom(b, []*LabelExpr{l})
		} else {
			r.Where = both(r.Where, fromConditions(b, Name{Pos: r.Pos, Text: r.Name}, []*LabelExpr{l}, true))
		}
	}
	noLabelsFrom(b, r.TypeExpr)
	return r
}

// types reads names joined by |, or any other label expression.
func (b *builder) types(r *RelPattern, g *gTypes) {
	if g == nil {
		return
	}
	all := make([]*LabelExpr, len(g.Of))
	plain := true
	for i := range g.Of {
		all[i] = b.labelAnd(&g.Of[i])
		plain = plain && all[i].Op == LabelName
	}
	if !plain {
		r.TypeExpr = joinLabels(LabelOr, all)
		return
	}
	for _, l := range all {
		r.Types = append(r.Types, Name{Pos: l.Pos, Text: l.Name})
	}
}

// length reads *m..n.
func (b *builder) length(g *gLength) *Length {
	l := &Length{Pos: posOf(g.Star), Star: true, Min: 1, Max: -1}
	if g.Min.Value != "" {
		l.Min = b.times64(g.Min)
	}
	switch {
	case g.Max.Value != "":
		l.Max = b.times64(g.Max)
	case g.Min.Value != "" && !g.Upto:
		l.Max = l.Min
	}
	return l
}

// times reads a quantifier.
func (b *builder) times(g *gTimes) *Length {
	if g == nil {
		return nil
	}
	l := &Length{Pos: span(g.Tokens[0], g.Tokens[len(g.Tokens)-1]), Max: -1}
	switch g.Sign.Value {
	case "+":
		l.Min = 1
		return l
	case "*":
		return l
	case "?":
		l.Max = 1
		return l
	}
	if g.Min.Value != "" {
		l.Min = b.times64(g.Min)
	}
	switch {
	case g.Max.Value != "":
		l.Max = b.times64(g.Max)
	case !g.Comma && g.Min.Value == "":
		b.fail(codeSyntax, l.Pos, "write {2}, {1,3}, {2,}, + or *", "a quantifier says how often")
	case !g.Comma:
		l.Max = l.Min
	}
	if l.Max >= 0 && l.Max < l.Min {
		b.fail(codeRelationship, l.Pos, "the smaller number stands first", "no number is at least %d and at most %d", l.Min, l.Max)
	}
	return l
}

// times64 reads how often a relationship or a path is repeated.
func (b *builder) times64(t lexer.Token) int64 {
	n, ok := b.number(t, false).Value.(int64)
	if !ok {
		b.fail(codeRelationship, posOf(t), "write *1..3", "%s is not a whole number", shorten(t.Value))
	}
	return n
}

func (b *builder) props(g *gProps) Expr {
	switch {
	case g == nil:
		return nil
	case g.Map != nil:
		return b.mapLit(g.Map)
	}
	return b.param(g.Param)
}

// labels joins :A:B, the old way to write a conjunction. It is not mixed with the operators: whether :A:B|C means
// A and (B or C) or (A and B) or C is anybody's guess.
func (b *builder) labels(g *gLabels) *LabelExpr {
	if g == nil {
		return nil
	}
	all := make([]*LabelExpr, len(g.Colons))
	for i := range g.Colons {
		all[i] = b.labelOr(&g.Colons[i])
		if len(g.Colons) > 1 && all[i].Op != LabelName && all[i].Op != labelFrom {
			b.fail(codeSyntax, all[i].Pos, "write & in place of the second colon, with brackets where they are needed",
				"labels joined by colons are not mixed with other operators")
		}
	}
	return joinLabels(LabelAnd, all)
}

// joinLabels returns the only operand, or a node that joins several.
func joinLabels(op LabelOp, args []*LabelExpr) *LabelExpr {
	if len(args) == 1 {
		return args[0]
	}
	return &LabelExpr{Pos: args[0].Pos, Op: op, Args: args}
}

func (b *builder) labelOr(g *gLabelOr) *LabelExpr {
	args := make([]*LabelExpr, len(g.Of))
	for i := range g.Of {
		args[i] = b.labelAnd(&g.Of[i])
	}
	return joinLabels(LabelOr, args)
}

func (b *builder) labelAnd(g *gLabelAnd) *LabelExpr {
	factors := make([]*LabelExpr, len(g.Of))
	for i := range g.Of {
		factors[i] = b.labelNot(&g.Of[i])
	}
	return joinLabels(LabelAnd, factors)
}

func (b *builder) labelNot(g *gLabelNot) *LabelExpr {
	var l *LabelExpr
	switch {
	case g.Name != nil:
		l = &LabelExpr{Pos: posOf(g.Name.Token), Op: LabelName, Name: b.nonempty(g.Name.Token)}
	case g.Of != nil:
		l = b.labelOr(g.Of)
	case g.From != nil:
		l = labelFromOf(b, g.From)
	default:
		l = &LabelExpr{Pos: posOf(g.Any), Op: LabelAny}
	}
	if len(g.Not) > maxNesting {
		panic(tooDeep(b.text, g.Not[maxNesting]))
	}
	for i := len(g.Not) - 1; i >= 0; i-- {
		l = &LabelExpr{Pos: posOf(g.Not[i]), Op: LabelNot, Args: []*LabelExpr{l}}
	}
	return l
}
