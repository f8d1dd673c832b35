package lang

// composition checks the order of clauses: that RETURN stands at the end and nowhere else, and that a query ends with
// RETURN, with a change, or with CALL.
func (c *checker) composition(clauses []Clause, place queryPlace) {
	last := clauses[len(clauses)-1]
	for i, clause := range clauses[:len(clauses)-1] {
		if _, ok := clause.(*Return); ok {
			c.fail("InvalidClauseComposition", clauses[i+1].Position(), "", "nothing can follow RETURN")
		}
	}
	if place == existsQuery || place == collectQuery {
		c.onlyReads(clauses)
	}
	switch last := last.(type) {
	case *Return:
		return
	case *With:
	case *CallClause:
		if len(clauses) == 1 || last.Yield == nil && !last.Star {
			return
		}
	default:
		if Writes(last) {
			return
		}
	}
	if _, isWith := last.(*With); place == existsQuery && !isWith {
		return
	}
	c.fail("InvalidClauseComposition", last.Position(), "end the query with RETURN", "the query does not end with RETURN")
}

// onlyReads refuses changes where an expression is computed.
func (c *checker) onlyReads(clauses []Clause) {
	for _, clause := range clauses {
		if Writes(clause) {
			c.fail("InvalidClauseComposition", clause.Position(), "", "a subquery in an expression only reads")
		}
	}
}
