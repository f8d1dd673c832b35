package lang

// Writes tells whether running the statement may change the graph or its schema.
func (s *Statement) Writes() bool {
	if s.Query == nil {
		_, show := s.Command.(*Show)
		return s.Command != nil && !show
	}
	return queryWrites(s.Query)
}

func queryWrites(q *Query) bool {
	found := clausesWrite(q.Clauses)
	for _, u := range q.Unions {
		found = found || clausesWrite(u.Clauses)
	}
	return found
}

func clausesWrite(clauses []Clause) bool {
	for _, c := range clauses {
		switch c := c.(type) {
		case *Create, *Merge, *Set, *Remove, *Delete, *Foreach:
			return true
		case *CallSubquery:
			if queryWrites(c.Query) {
				return true
			}
		}
	}
	return false
}
