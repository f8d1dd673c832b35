package lang

import (
	"strings"
	"unicode"
)

// composition checks the order of clauses: that RETURN stands at the end and nowhere else, and that a query ends with
// RETURN, with a change, or with CALL.
func (c *checker) composition(clauses []Clause, place queryPlace) {
	last := clauses[len(clauses)-1]
	for i, clause := range clauses[:len(clauses)-1] {
		switch clause.(type) {
		case *Return:
			next := clauses[i+1].Position()
			c.fail("InvalidClauseComposition", next, afterReturn(c, next), "nothing can follow RETURN")
		case *Finish:
			c.fail("InvalidClauseComposition", clauses[i+1].Position(), "leave FINISH out", "nothing can follow FINISH")
		}
	}
	if place == existsQuery || place == collectQuery {
		c.onlyReads(clauses)
	}
	switch last := last.(type) {
	case *Return, *Finish:
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
	hint := "end the query with RETURN"
	if rest := strings.TrimSpace(c.stmt.source[min(c.stmt.Pos.Offset+c.stmt.Pos.Len, len(c.stmt.source)):]); place == wholeQuery && len(rest) > 1 && rest[0] == ';' {
		hint += "; the semicolon ends it here, so leave that out if the next line belongs to it"
	}
	c.fail("InvalidClauseComposition", last.Position(), hint, "the query does not end with RETURN")
}

// afterReturn is the hint for what stands behind a RETURN.
func afterReturn(c *checker, pos Pos) string {
	switch rest := strings.ToUpper(c.stmt.source[pos.Offset:]); {
	case strings.HasPrefix(rest, "ORDER"):
		return "ORDER BY stands before SKIP and LIMIT"
	case strings.HasPrefix(rest, "SKIP"), strings.HasPrefix(rest, "OFFSET"):
		return "write " + rest[:strings.IndexFunc(rest, unicode.IsSpace)] + " before LIMIT"
	}
	return "to go on after it, write WITH in place of RETURN"
}

// onlyReads refuses changes where an expression is computed.
func (c *checker) onlyReads(clauses []Clause) {
	for _, clause := range clauses {
		if Writes(clause) {
			c.fail("InvalidClauseComposition", clause.Position(), "", "a subquery in an expression only reads")
		}
	}
}
