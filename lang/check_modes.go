package lang

// The forms of patterns that go together, and with which modes of the clause.

const codePath = "InvalidPathPattern"

// forms checks the form of one path.
func (c *patternChecker) forms(p *PathPattern) {
	if k := p.Selector.K; k != nil {
		if lit, ok := k.(*Literal); ok {
			if n, ok := lit.Value.(int64); !ok || n < 1 {
				c.fail("InvalidArgumentType", lit.Pos, "", "the number of paths is an integer, at least 1")
			}
		} else {
			x := exprChecker{checker: c.checker, place: "a pattern"}
			x.kindOf(k)
		}
	}
	if p.Function != NoPathFunction && (len(p.Rels) != 1 || p.Rels[0].Group != nil) {
		c.fail(codePath, p.Pos, "write ANY SHORTEST or ALL SHORTEST before any other pattern", "%s takes two nodes and one relationship between them", p.Function)
	}
	for _, r := range p.Rels {
		c.repeated(p, r)
	}
}

// String is the name as it is usually written.
func (f PathFunction) String() string {
	return [...]string{"", "shortestPath()", "allShortestPaths()"}[f]
}

// repeated checks a relationship or parenthesised path with a quantifier.
func (c *patternChecker) repeated(p *PathPattern, r *RelPattern) {
	if r.Length == nil {
		return
	}
	if c.group != nil {
		c.fail(codePath, r.Length.Pos, "write one quantifier around both", "a quantifier cannot stand inside of what another one repeats")
	}
	if r.Group != nil && len(r.Group.Path.Rels) == 0 {
		c.fail(codePath, r.Pos, "", "what is repeated has at least one relationship")
	}
	if r.Length.Max >= 0 || c.mode != RepeatableElements {
		return
	}
	selective := p.Selector.Kind != AllPaths || p.Function != NoPathFunction
	if !selective && p.Mode != TrailMode && p.Mode != SimpleMode && p.Mode != AcyclicMode {
		c.fail(codePath, r.Length.Pos, "give it an upper bound, or write TRAIL, ACYCLIC or ANY SHORTEST before the path",
			"where elements may repeat, a path without an upper bound has endlessly many matches")
	}
}

// modes checks that the mode of the clause and the forms of its paths go together.
func (c *patternChecker) modes(m *Match) {
	if !m.Induced && !m.Distinct {
		return
	}
	word := "DISTINCT SUBGRAPHS"
	if m.Induced {
		word = "INDUCED SUBGRAPHS"
	}
	for _, p := range m.Paths {
		if p.Selector.Kind != AllPaths || p.Function != NoPathFunction {
			c.fail(codePath, p.Pos, "search for paths in a MATCH of its own", "%s does not go with a choice among paths", word)
		}
		for _, r := range p.Rels {
			if m.Induced && r.Length != nil {
				c.fail(codePath, r.Length.Pos, "spell the relationships out", "%s needs patterns of fixed length", word)
			}
		}
	}
}
