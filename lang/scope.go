package lang

// scope is the variables that a clause or an expression may use: its own, and those of the scopes around it.
type scope struct {
	vars  []*variable // in order of first appearance
	names map[string]*variable
	outer *scope // nil: none
	csv   bool   // LOAD CSV has filled its rows
}

// variable is a variable in a scope.
type variable struct {
	Variable
	kinds kinds // what it may hold; kNull where it may be null is left out for elements
	elems kinds // what its elements may be, where it is a list
}

func newScope(outer *scope) *scope { return &scope{names: map[string]*variable{}, outer: outer} }

// find returns the variable called name, or nil.
func (s *scope) find(name string) *variable {
	for ; s != nil; s = s.outer {
		if b := s.names[name]; b != nil {
			return b
		}
	}
	return nil
}

// ofCSV reports whether the rows of s, or of a scope around it, come from LOAD CSV.
func (s *scope) ofCSV() bool {
	for ; s != nil && !s.csv; s = s.outer {
	}
	return s != nil
}

// add makes a variable of s itself; one that has the name is hidden.
func (s *scope) add(b *variable) {
	if s.names[b.Name] == nil {
		s.vars = append(s.vars, b)
	} else {
		for i, old := range s.vars {
			if old.Name == b.Name {
				s.vars[i] = b
			}
		}
	}
	s.names[b.Name] = b
}

// value adds a variable that holds any value of some kinds.
func (s *scope) value(name Name, k, elems kinds) {
	s.add(&variable{Variable: Variable{Name: name.Text, Kind: k.varKind(), Pos: name.Pos}, kinds: k, elems: elems})
}

// all lists the names in scope, the innermost scope last.
func (s *scope) all() (list []string) {
	if s == nil {
		return nil
	}
	for _, name := range s.outer.all() {
		if s.names[name] == nil {
			list = append(list, name)
		}
	}
	for _, b := range s.vars {
		list = append(list, b.Name)
	}
	return list
}

// with runs f in a scope inside the present one.
func (c *checker) with(f func(*scope)) {
	around := c.scope
	defer func() { c.scope = around }()
	c.scope = newScope(around)
	f(c.scope)
}
