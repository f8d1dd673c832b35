package lang

// match declares the variables of the clause, then checks its expressions, which may use all of them.
func (c *checker) match(m *Match) {
	p := patternChecker{checker: c, mode: m.Mode, rels: map[string]bool{}, place: "MATCH"}
	if m.Optional {
		p.place = "OPTIONAL MATCH"
	}
	p.patterns(m.Paths)
	p.modes(m)
	c.condition(m.Where)
}

// patternChecker checks the patterns of one clause or expression.
type patternChecker struct {
	*checker
	place string
	mode  ElementMode
	rels  map[string]bool // relationships bound in it
	fixed bool            // names must be bound already: a predicate
	lists bool            // inside a group with a quantifier
}

func (c *patternChecker) patterns(paths []*PathPattern) {
	for _, p := range paths {
		c.declarePath(p)
	}
	for _, p := range paths {
		c.elements(p)
	}
}

func (c *patternChecker) declarePath(p *PathPattern) {
	for i, n := range p.Nodes {
		if i > 0 {
			c.declareRel(p.Rels[i-1])
		}
		c.declare(Name{n.NamePos, n.Name}, kNode, 0)
	}
	if p.Name == "" {
		return
	}
	name := Name{p.NamePos, p.Name}
	c.declareNew(name, "")
	c.scope.add(&variable{Variable: Variable{Name: p.Name, Kind: ValueVar, Pos: p.NamePos}, kinds: kPath, elems: kAny, path: true})
	c.info.Variables = append(c.info.Variables, Variable{Name: p.Name, Kind: ValueVar, Pos: p.NamePos})
}

// declare binds a name, or checks that what it is bound to fits.
func (c *patternChecker) declare(name Name, k, elems kinds) {
	if name.Text == "" {
		return
	}
	if was := c.scope.find(name.Text); was != nil {
		if wrong(was.kinds&^kNull, k) {
			c.fail("VariableTypeConflict", name.Pos, "use another name", "`%s` is %s and cannot be %s as well", name.Text, was.kinds&^kNull, k)
		}
		return
	}
	if c.fixed {
		x := exprChecker{checker: c.checker}
		x.undefined(&Var{Pos: name.Pos, Name: name.Text})
	}
	v := Variable{Name: name.Text, Kind: k.varKind(), Pos: name.Pos}
	c.scope.add(&variable{Variable: v, kinds: k, elems: elems})
	c.info.Variables = append(c.info.Variables, v)
}

func (c *patternChecker) declareRel(r *RelPattern) {
	if r.Group != nil {
		c.declareGroup(r)
		return
	}
	kind, elems := kRel, kinds(0)
	if r.Length != nil {
		kind, elems = kList, kRel
	}
	if c.rels[r.Name] {
		code, why := "RelationshipUniquenessViolation", "the relationships of a MATCH are all different"
		if c.mode == RepeatableElements {
			code, why = "VariableAlreadyBound", "use another name, and compare the two in WHERE"
		}
		c.fail(code, r.NamePos, why, "the relationship `%s` stands twice in one MATCH", r.Name)
	}
	c.declare(Name{r.NamePos, r.Name}, kind, elems)
	c.rels[r.Name] = r.Name != ""
}

// declareGroup binds what a parenthesised path binds: lists, where it has a quantifier.
func (c *patternChecker) declareGroup(r *RelPattern) {
	c.declarePath(r.Group.Path)
}

// elements checks the expressions in the elements of a path.
func (c *patternChecker) elements(p *PathPattern) {
	for i, n := range p.Nodes {
		if i > 0 {
			r := p.Rels[i-1]
			if r.Group != nil {
				c.elements(r.Group.Path)
				c.condition(r.Group.Where)
				continue
			}
			c.names.types(c.checker, r.Types)
			c.names.typesOf(c.checker, r.TypeExpr)
			c.element(r.Props, r.Where)
		}
		c.names.labels(c.checker, n.Labels)
		c.element(n.Props, n.Where)
	}
}

// modes checks that the words before a pattern and its forms go together.
func (c *patternChecker) modes(m *Match) {}

// element checks the properties and the condition inside a node or relationship pattern.
func (c *patternChecker) element(props, where Expr) {
	switch p := props.(type) {
	case *Param:
		c.fail("InvalidParameterUse", p.Pos, "write the properties one by one: {key: $"+quoteParam(p.Name)+".key}",
			"a parameter cannot stand for the whole property map of a pattern")
	case *MapLit:
		for _, k := range p.Keys {
			c.names.key(c.checker, k)
		}
		x := exprChecker{checker: c.checker, place: "a pattern"}
		x.kindOf(p)
	}
	c.condition(where)
}
