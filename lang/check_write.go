package lang

// writing checks a clause that changes the graph, and LOAD CSV.
func (c *checker) writing(clause Clause) {
	switch clause := clause.(type) {
	case *Create:
		w := writeChecker{checker: c, clause: "CREATE"}
		for _, p := range clause.Paths {
			w.path(p)
		}
	case *Merge:
		w := writeChecker{checker: c, clause: "MERGE"}
		w.path(clause.Path)
		c.setItems(clause.OnCreate, "SET")
		c.setItems(clause.OnMatch, "SET")
	case *Set:
		c.setItems(clause.Items, "SET")
	case *Remove:
		c.setItems(clause.Items, "REMOVE")
	case *Delete:
		c.delete(clause)
	case *Foreach:
		c.foreach(clause)
	case *LoadCSV:
		c.load(clause)
	}
}

// writeChecker checks the patterns of CREATE and MERGE, whose elements may use what stands before them.
type writeChecker struct {
	*checker
	clause string
}

func (c *writeChecker) path(p *PathPattern) {
	if p.Mode != NoPathMode || p.Selector.Kind != AllPaths || p.Selector.Pos.Line > 0 || p.Function != NoPathFunction {
		c.fail(codePath, p.Pos, "", "%s makes one path, and takes no words that choose among paths", c.clause)
	}
	alone := len(p.Rels) == 0
	c.node(p.Nodes[0], alone)
	for i, r := range p.Rels {
		if r.Group != nil || r.Length != nil {
			c.fail("CreatingVarLength", r.Pos, "spell the relationships out", "%s makes relationships one by one", c.clause)
		}
		c.rel(r)
		c.node(p.Nodes[i+1], false)
		if r.Name != "" {
			c.bind(Name{r.NamePos, r.Name}, kRel, 0)
		}
	}
	if p.Name != "" {
		c.declarePathName(p)
	}
}

// node checks a node. One that is there already says nothing but its name, and stands beside a relationship.
func (c *writeChecker) node(n *NodePattern, alone bool) {
	if n.Where != nil {
		c.fail("UnexpectedSyntax", n.Where.Position(), "say it in WHERE of a MATCH before", "%s takes no conditions", c.clause)
	}
	c.labels(n.Labels)
	c.from(n.From, kString|kList)
	c.props(n.Props)
	if n.Name == "" {
		return
	}
	name := Name{n.NamePos, n.Name}
	was := c.scope.find(n.Name)
	if was == nil {
		c.bind(name, kNode, 0)
		return
	}
	c.fits(was, name, kNode)
	if alone || n.Labels != nil || n.From != nil || n.Props != nil {
		c.fail("VariableAlreadyBound", n.NamePos, "use another name, or SET for what is to change", "`%s` is a node that is there already", n.Name)
	}
}

func (c *writeChecker) rel(r *RelPattern) {
	if r.Where != nil {
		c.fail("UnexpectedSyntax", r.Where.Position(), "say it in WHERE of a MATCH before", "%s takes no conditions", c.clause)
	}
	if r.Name != "" {
		if was := c.scope.find(r.Name); was != nil {
			c.fits(was, Name{r.NamePos, r.Name}, kRel)
			c.fail("VariableAlreadyBound", r.NamePos, "use another name", "`%s` is a relationship that is there already", r.Name)
		}
	}
	c.from(r.From, kString|kList)
	if len(r.Types) != 1 && r.From == nil {
		c.fail("NoSingleRelationshipType", r.Pos, "write -[:TYPE]->", "a relationship that %s makes has exactly one type", c.clause)
	}
	if r.Direction == Undirected && c.clause == "CREATE" {
		c.fail("RequiresDirectedRelationship", r.Pos, "write --> or <--", "a relationship that CREATE makes has a direction")
	}
	c.props(r.Props)
}

// from checks the expression of labels or of a type.
func (c *writeChecker) from(x Expr, want kinds) {
	if x != nil {
		check := exprChecker{checker: c.checker, place: c.clause}
		check.need(x, want, "$()")
	}
}

// labels admits names, all of which the node is to have.
func (c *writeChecker) labels(l *LabelExpr) {
	if l == nil || l.Op == LabelName {
		return
	}
	if l.Op != LabelAnd {
		c.fail("InvalidLabelExpression", l.Pos, "write :A:B", "%s takes labels without operators", c.clause)
	}
	for _, arg := range l.Args {
		c.labels(arg)
	}
}

func (c *writeChecker) props(props Expr) {
	if p, ok := props.(*Param); ok && c.clause == "MERGE" {
		c.fail("InvalidParameterUse", p.Pos, "write the properties one by one: {key: $"+quoteParam(p.Name)+".key}",
			"a parameter cannot stand for the whole property map in MERGE")
	}
	if props != nil {
		x := exprChecker{checker: c.checker, place: c.clause}
		x.kindOf(props)
	}
}

func (c *checker) setItems(items []*SetItem, clause string) {
	x := exprChecker{checker: c, place: clause}
	for _, it := range items {
		of := it.Of
		switch o := it.Of.(type) {
		case *Property:
			of = o.Of
		case *Index:
			of = o.Of
			x.need(o.At, kString, "the name of a property")
		}
		want := kNode | kRel
		if it.Kind == SetLabels {
			want = kNode
		}
		x.need(of, want, clause)
		if it.Value == nil {
			continue
		}
		switch it.Kind {
		case SetProperty:
			x.kindOf(it.Value)
		case SetLabels:
			x.need(it.Value, kString|kList, "$()")
		default:
			x.need(it.Value, kMap|kNode|kRel, clause)
		}
	}
}

func (c *checker) delete(d *Delete) {
	x := exprChecker{checker: c, place: "DELETE"}
	for _, e := range d.Exprs {
		if l, ok := e.(*HasLabels); ok {
			c.fail("InvalidDelete", l.Pos, "write REMOVE "+Text(l), "DELETE takes nodes and relationships, not labels")
		}
		x.need(e, kNode|kRel|kPath, "DELETE")
	}
}

func (c *checker) foreach(f *Foreach) {
	x := exprChecker{checker: c, place: "FOREACH"}
	x.need(f.List, kList, "FOREACH")
	elems := c.elements(f.List)
	c.with(func(s *scope) { // it hides a variable of the same name, as in a list comprehension
		s.value(f.Var, elems, kAny)
		for _, clause := range f.Clauses {
			if _, isCall := clause.(*CallSubquery); isCall || !Writes(clause) {
				c.fail("InvalidClauseComposition", clause.Position(), "", "FOREACH only takes clauses that change the graph")
			}
			c.clause(clause)
		}
	})
}

func (c *checker) load(l *LoadCSV) {
	x := exprChecker{checker: c, place: "LOAD CSV"}
	x.need(l.From, kString, "LOAD CSV")
	c.declareNew(l.As)
	c.scope.csv, c.loads = true, true
	if l.Headers {
		c.scope.value(l.As, kMap, kAny)
		return
	}
	c.scope.value(l.As, kList, kString|kNull)
}
