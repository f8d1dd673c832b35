package lang

// match declares the variables of the clause, then checks its expressions, which may use all of them.
func (c *checker) match(m *Match) {
	p := patternChecker{checker: c, mode: m.Mode, rels: map[string]bool{}, place: "MATCH"}
	p.patterns(m.Paths)
	p.modes(m)
	for _, h := range m.Hints {
		warnOfNoEffect(c, h.Pos, "USING has no effect: the planner chooses indexes and the matching order by itself", "leave it out")
	}
	c.condition(m.Where)
}

// patternChecker checks the patterns of one clause or expression that reads.
type patternChecker struct {
	*checker
	place string
	mode  ElementMode
	rels  map[string]bool // relationships bound in it
	fixed bool            // names must be bound already: a predicate
	group *Group          // with a quantifier, around what is checked
}

func (c *patternChecker) patterns(paths []*PathPattern) {
	for _, p := range paths {
		c.declarePath(p)
	}
	for _, p := range paths {
		c.forms(p)
		c.elements(p)
	}
}

func (c *patternChecker) declarePath(p *PathPattern) {
	for i, n := range p.Nodes {
		if i > 0 {
			c.declareRel(p.Rels[i-1])
		}
		if n.Labels == nil && c.names.cat != nil && c.scope.find(n.Name) == nil {
			c.names.colonless(c.checker, Name{n.NamePos, n.Name}, labelName, c.names.cat.Labels, "node", "(:%s)")
		}
		c.declare(Name{n.NamePos, n.Name}, kNode, 0)
	}
	if p.Name != "" {
		c.declarePathName(p)
	}
}

func (c *checker) declarePathName(p *PathPattern) {
	c.declareNew(Name{p.NamePos, p.Name})
	c.bind(Name{p.NamePos, p.Name}, kPath, 0)
}

// bind makes a variable of a pattern.
func (c *checker) bind(name Name, k, elems kinds) {
	v := Variable{Name: name.Text, Kind: k.varKind(), Pos: name.Pos}
	c.scope.add(&variable{Variable: v, kinds: k, elems: elems})
	c.info.Variables = append(c.info.Variables, v)
}

// declare binds a name, or checks that what it is bound to fits.
func (c *patternChecker) declare(name Name, k, elems kinds) {
	if name.Text == "" {
		return
	}
	if was := c.scope.find(name.Text); was != nil {
		c.fits(was, name, k)
		return
	}
	if c.fixed {
		x := exprChecker{checker: c.checker}
		x.undefined(&Var{Pos: name.Pos, Name: name.Text})
	}
	c.bind(name, k, elems)
}

// fits checks that a variable may hold what a pattern wants.
func (c *checker) fits(was *variable, name Name, k kinds) {
	if got := was.kinds &^ kNull; got != 0 && got&k == 0 {
		c.fail("VariableTypeConflict", name.Pos, "use another name", "`%s` is %s and cannot be %s as well", name.Text, got, k)
	}
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
	if r.Types == nil && r.TypeExpr == nil && c.names.cat != nil && c.scope.find(r.Name) == nil {
		c.names.colonless(c.checker, Name{r.NamePos, r.Name}, typeName, c.names.cat.Types, "relationship", "-[:%s]-")
	}
	c.declare(Name{r.NamePos, r.Name}, kind, elems)
	c.rels[r.Name] = r.Name != ""
}

// declareGroup binds what a parenthesised path binds. With a quantifier these are lists, one element for each repetition, and new.
func (c *patternChecker) declareGroup(r *RelPattern) {
	if r.Length == nil {
		c.declarePath(r.Group.Path)
		return
	}
	for _, v := range groupVariables(r.Group.Path) {
		c.declareNew(v.Name)
		if v.kind == kRel {
			c.rels[v.Text] = true
		}
		c.bind(v.Name, kList, v.kind)
	}
}

// groupVariable is a variable inside of a parenthesised path, and what it holds there.
type groupVariable struct {
	Name
	kind kinds
}

// groupVariables lists the variables of a path, each once.
func groupVariables(p *PathPattern) (list []groupVariable) {
	seen := map[string]bool{"": true}
	add := func(name string, pos Pos, k kinds) {
		if !seen[name] {
			seen[name] = true
			list = append(list, groupVariable{Name{pos, name}, k})
		}
	}
	for i, n := range p.Nodes {
		if i > 0 {
			r := p.Rels[i-1]
			add(r.Name, r.NamePos, kRel)
			if r.Group != nil {
				for _, v := range groupVariables(r.Group.Path) {
					add(v.Text, v.Pos, v.kind)
				}
			}
		}
		add(n.Name, n.NamePos, kNode)
	}
	add(p.Name, p.NamePos, kPath)
	return list
}

// elements checks the expressions in the elements of a path.
func (c *patternChecker) elements(p *PathPattern) {
	for i, n := range p.Nodes {
		if i > 0 {
			c.relElement(p.Rels[i-1])
		}
		c.names.labels(c.checker, n.Labels)
		c.element(n.Props, n.Where)
	}
}

// relElement checks a relationship or a parenthesised path. Inside of what is repeated a name stands for what one repetition binds.
func (c *patternChecker) relElement(r *RelPattern) {
	c.names.types(c.checker, r.Types)
	c.names.typesOf(c.checker, r.TypeExpr)
	switch {
	case r.Group != nil && r.Length == nil:
		c.elements(r.Group.Path)
		c.condition(r.Group.Where)
	case r.Group != nil:
		c.with(func(s *scope) {
			for _, v := range groupVariables(r.Group.Path) {
				s.value(v.Name, v.kind, kAny)
			}
			inner := *c
			inner.group = r.Group
			inner.forms(r.Group.Path)
			inner.elements(r.Group.Path)
			c.condition(r.Group.Where)
		})
	case r.Length != nil && r.Name != "":
		c.with(func(s *scope) {
			s.value(Name{r.NamePos, r.Name}, kRel, kAny)
			c.element(r.Props, r.Where)
		})
	default:
		c.element(r.Props, r.Where)
	}
}

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
