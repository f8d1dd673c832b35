package lang

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar has one token of lookahead. Where it needs more, one pass over the tokens of a statement decides beforehand, in
// linear time: the tokens that decide get kinds of their own.
//
//	"(" before a node of a pattern with a relationship behind it      kindPattern
//	"[" of a list comprehension, of a pattern comprehension           kindListComp, kindPatternComp
//	"|" between the parts of a comprehension, reduce or FOREACH       kindBar
//	EXISTS, COUNT, COLLECT before "{" with a query or patterns        kindSubquery
//	all, any, none, single before "(x IN"                             kindQuantifier
//	reduce before "(x ="                                              kindReduce
//	shortestPath, allShortestPaths before "("                         kindShortest
//
// In a comprehension the first "|" outside of inner brackets ends the condition. A label expression with an "|" needs brackets
// there: [x IN xs WHERE x:(A|B) | x.name].

// lookahead decides about the tokens of one statement.
type lookahead struct {
	toks  []lexer.Token
	close []int // by bracket: the place of the one that closes it, or the number of tokens
}

// frame is an open bracket.
type frame struct {
	open  int
	bar   int  // the first "|" in it, outside of inner brackets; 0 if none
	comma bool // whether a "," stands in it, likewise
	where bool
}

// lookAhead gives the tokens that decide their kinds. It returns toks.
func lookAhead(toks []lexer.Token) []lexer.Token {
	m := lookahead{toks: toks, close: make([]int, len(toks))}
	m.match()
	m.names()
	for i := range toks {
		t := &toks[i]
		switch {
		case sign(t) == '(':
			if m.isPattern(i) {
				t.Type = kindPattern
			}
		case i+1 < len(toks) && (toks[i+1].Value == "(" || toks[i+1].Value == "{") && isWord(*t) && m.at(i-1).Value != ".":
			m.word(i)
		}
	}
	m.brackets()
	return toks
}

// at is token i, or an empty one behind the end.
func (m *lookahead) at(i int) lexer.Token {
	if i < 0 || i >= len(m.toks) {
		return lexer.Token{}
	}
	return m.toks[i]
}

// match finds the bracket that closes each.
func (m *lookahead) match() {
	open := make([]int, 0, 16)
	for i := range m.toks {
		m.close[i] = len(m.toks)
		switch sign(&m.toks[i]) {
		case '(', '[', '{':
			open = append(open, i)
		case ')', ']', '}':
			if len(open) > 0 {
				m.close[open[len(open)-1]] = i
				open = open[:len(open)-1]
			}
		}
	}
}

// after is the place behind the bracket that token i opens.
func (m *lookahead) after(i int) int { return min(m.close[i]+1, len(m.toks)) }

// isPattern tells whether the "(" at i begins a node with an arrow behind it.
func (m *lookahead) isPattern(i int) bool {
	if !m.isNode(i) {
		return false
	}
	j := m.after(i)
	left := m.at(j).Value == "<"
	if left {
		j++
	}
	if m.at(j).Value != "-" {
		return false
	}
	switch m.at(j + 1).Value {
	case ">":
		return !left && m.at(j+2).Value == "("
	case "[":
		return m.at(m.after(j+1)).Value == "-"
	case "-":
		j += 2
		if m.at(j).Value == ">" {
			j++
		}
		switch t := m.at(j); t.Value {
		case "{":
			return m.at(j+1).Type == kindNumber || m.at(j+1).Value == ","
		case "+", "*", "?":
			j++
		}
		return m.at(j).Value == "("
	}
	return false
}

// isNode tells whether the brackets at i may hold a node: a variable, labels, properties and a condition.
func (m *lookahead) isNode(i int) bool {
	j := i + 1
	if isVariable(m.at(j)) {
		j++
	}
	for m.at(j).Value == ":" || m.isLabel(j) {
		j = m.afterLabels(j + 1)
		switch t := m.at(j); {
		case t.Value == ":":
		case t.Type == kindBinary, t.Type == kindOpWord, isOp(t, ".["), afterTest[strings.ToUpper(t.Value)]:
			return false // more of an expression follows a test of labels
		default:
			return true
		}
	}
	switch t := m.at(j); { // properties, unless more of an expression follows them
	case t.Value == "{":
		j = m.after(j)
	case t.Type == kindParam:
		j++
	}
	t := m.at(j)
	return t.Value == ")" || strings.EqualFold(t.Value, "WHERE")
}

// afterTest are the words behind a test of labels that go on with the expression.
var afterTest = wordSet("AND OR XOR IN IS STARTS ENDS CONTAINS")

// afterLabels is the place behind the label expression at j.
func (m *lookahead) afterLabels(j int) int {
	for {
		for m.at(j).Value == "!" {
			j++
		}
		if t := m.at(j); t.Value == "$" || t.Type == kindParam {
			j++
		}
		if m.at(j).Value == "(" {
			j = m.after(j)
		} else {
			j++
		}
		if !isOp(m.at(j), "&|") {
			return j
		}
		j++
	}
}

// nameable are the reserved words that are names where an operand of an expression must begin. They follow an operand where they are words
// of the language.
var nameable = wordSet("ORDER BY ASC ASCENDING DESC DESCENDING END SKIP LIMIT ON STARTS ENDS CONTAINS AS IN MATCH UNION")

// names makes identifiers of reserved words that stand where only a name can.
func (m *lookahead) names() {
	for i := range m.toks {
		t := &m.toks[i]
		if t.Type != kindKeyword && t.Type != kindOpWord || len(t.Value) > longestReserved {
			continue
		}
		var buf [longestWord]byte
		if word, ok := upperASCII(t.Value, buf[:]); ok && nameable[string(word)] && m.needsName(i) {
			t.Type = kindIdent
		}
	}
}

// needsName tells whether an operand or a name must begin at token i.
func (m *lookahead) needsName(i int) bool {
	next := m.at(i + 1)
	switch strings.ToUpper(m.toks[i].Value) {
	case "AS", "IN", "MATCH", "UNION":
		return m.isBetweenNameSigns(i)
	case "ORDER", "STARTS", "ENDS":
		if w := strings.ToUpper(next.Value); w == "BY" || w == "WITH" && m.toks[i].Type == kindKeyword {
			return false
		}
	case "CONTAINS": // as in CASE x WHEN CONTAINS 'a'
		if next.Type == kindString || next.Type == kindParam || isVariable(next) {
			return false
		}
	case "ON":
		if next.Type == kindKeyword {
			return false
		}
	case "SKIP", "LIMIT":
		if next.Type == kindNumber || next.Type == kindParam {
			return false
		}
	}
	before := m.at(i - 1)
	if next.Value == "(" {
		return false
	}
	switch before.Type {
	case kindOp, kindBinary:
		switch before.Value {
		case "(", "[":
			return !isVariable(next)
		case ",", "{", "|", "=", "<>", "<", "<=", ">=", "=~", "/", "||":
			return true
		}
	case kindKeyword, kindOpWord:
		if isOp(m.at(i-2), ".:|&!") { // a label or a key
			return false
		}
		switch strings.ToUpper(before.Value) {
		case "RETURN", "WITH", "DISTINCT", "AS", "WHERE", "BY", "AND", "OR", "XOR", "NOT", "IN", "WHEN", "THEN", "ELSE", "UNWIND", "SET", "DELETE", "REMOVE", "CONTAINS":
			return true
		}
	}
	return false
}

// isBetweenNameSigns tells whether what stands around token i, AS, IN, MATCH or UNION, leaves room for nothing but a name.
func (m *lookahead) isBetweenNameSigns(i int) bool {
	before, next := m.at(i-1), m.at(i+1)
	word := ""
	if (before.Type == kindKeyword || before.Type == kindOpWord) && !isOp(m.at(i-2), ".:|&!") {
		word = strings.ToUpper(before.Value)
	}
	switch {
	case word == "AS":
		return true
	case isOp(before, "([") && isOp(next, ":)]"):
		return true
	}
	switch word {
	case "RETURN", "WITH", "DISTINCT", "WHERE", "BY", "AND", "OR", "XOR", "NOT", "IN", "WHEN", "THEN", "ELSE", "UNWIND", "SET", "DELETE", "REMOVE", "CONTAINS":
		return next.Type == kindKeyword || next.Type == kindOpWord || m.followsOperand(i+1)
	}
	wildcard := before.Value == "%" && isOp(m.at(i-2), ":|&!(") // the label %, which is an operand, and not a remainder
	return (isOp(before, "([,|") || before.Type == kindBinary && before.Value != "|" && !wildcard && !m.closesType(i-1)) && m.followsOperand(i+1)
}

// closesType tells whether token i is the ">" of a type such as LIST<INTEGER | FLOAT NOT NULL>.
func (m *lookahead) closesType(i int) bool {
	for depth := 0; ; i-- {
		switch t := m.at(i); {
		case t.Value == ">":
			depth++
		case t.Value == "<":
			if depth--; depth == 0 {
				before := m.at(i - 1).Value
				return strings.EqualFold(before, "LIST") || strings.EqualFold(before, "ARRAY")
			}
		case t.Value != "|" && !isVariable(t) && !strings.EqualFold(t.Value, "NOT") && !strings.EqualFold(t.Value, "NULL"):
			return false
		}
		if depth == 0 {
			return false
		}
	}
}

// followsOperand tells whether token i can only stand behind an operand, or nothing stands there.
func (m *lookahead) followsOperand(i int) bool {
	t := m.at(i)
	switch t.Type {
	case 0:
		return true
	case kindOp, kindBinary:
		return !isOp(t, "([{$")
	case kindKeyword, kindOpWord:
		switch strings.ToUpper(t.Value) {
		case "AS", "ORDER", "SKIP", "LIMIT", "WHERE", "THEN", "ELSE", "END", "AND", "OR", "XOR", "IN", "IS", "STARTS", "ENDS", "CONTAINS", "WHEN", "ASC", "DESC":
			return true
		}
	}
	return false
}

// isLabel tells whether IS at i begins labels, as in (a IS Label), and is no test of a value.
func (m *lookahead) isLabel(i int) bool {
	if !strings.EqualFold(m.at(i).Value, "IS") || !isReservedWord(m.at(i)) {
		return false
	}
	switch t := m.at(i + 1); strings.ToUpper(t.Value) {
	case "NOT", "NULL", "TYPED", "UNKNOWN", ":":
		return false
	}
	return true
}

// word decides about a word before a bracket that begins an expression of its own kind.
func (m *lookahead) word(i int) {
	var buf [longestWord]byte
	word, ok := upperASCII(m.toks[i].Value, buf[:])
	if !ok {
		word = []byte(strings.ToUpper(m.toks[i].Value))
	}
	next := m.at(i + 1)
	variable := next.Value == "(" && isVariable(m.at(i+2))
	switch string(word) {
	case "EXISTS":
		switch {
		case next.Value == "{" && (m.isSubquery(i+2) || !isOp(m.at(i-1), ":|&!")): // and no label with properties behind it
			m.toks[i].Type = kindSubquery
		case next.Value == "(" && m.at(i+2).Type == kindKeyword && strings.EqualFold(m.at(i+2).Value, "MATCH"):
			m.toks[i].Type = kindSubquery
		case next.Value == "(":
			m.toks[i].Type = kindIdent // a function
		}
	case "COUNT", "COLLECT":
		if next.Value == "{" && m.isSubquery(i+2) {
			m.toks[i].Type = kindSubquery
		}
	case "ALL", "ANY", "NONE", "SINGLE":
		if variable && isIn(m.at(i+3)) {
			m.toks[i].Type = kindQuantifier
		}
	case "REDUCE":
		if variable && m.at(i+3).Value == "=" {
			m.toks[i].Type = kindReduce
		}
	case "SHORTESTPATH", "ALLSHORTESTPATHS":
		if next.Value == "(" {
			m.toks[i].Type = kindShortest
		}
	}
}

func isIn(t lexer.Token) bool { return t.Type == kindOpWord && strings.EqualFold(t.Value, "IN") }

// isSubquery tells a query or a pattern at i, behind a "{", from the entries of a map and from those of a projection.
func (m *lookahead) isSubquery(i int) bool {
	t, next := m.at(i), m.at(i+1)
	return isOp(t, "(") || (isWord(t) || isVariable(t)) && !isOp(next, ":,}")
}

// brackets decides about comprehensions, and about the "|" in them, in reduce and in FOREACH.
func (m *lookahead) brackets() {
	open := make([]frame, 1, 16) // the first is not a bracket
	for i := range m.toks {
		t, f := &m.toks[i], &open[len(open)-1]
		switch sign(t) {
		case 0:
			f.where = f.where || t.Type == kindKeyword && strings.EqualFold(t.Value, "WHERE")
		case '|':
			if f.bar == 0 {
				f.bar = i
			}
		case ',':
			f.comma = true
		case '(', '[', '{':
			open = append(open, frame{open: i})
		case ')', ']', '}':
			if len(open) > 1 {
				m.closed(*f)
				open = open[:len(open)-1]
			}
		}
	}
	for _, f := range open[1:] {
		m.closed(f)
	}
}

// closed decides what a bracket is, once all that stands in it has been seen.
func (m *lookahead) closed(f frame) {
	i := f.open
	bar := false
	switch before := m.at(i - 1); {
	case m.toks[i].Value == "(":
		bar = before.Type == kindReduce || before.Type == kindIdent && strings.EqualFold(before.Value, "FOREACH")
	case m.toks[i].Value == "[" && isVariable(m.at(i+1)) && isIn(m.at(i+2)):
		if bar = !f.comma; bar {
			m.toks[i].Type = kindListComp
		}
	case m.toks[i].Value == "[" && m.beginsPath(i+1):
		if bar = !f.comma && (f.bar > 0 || f.where); bar {
			m.toks[i].Type = kindPatternComp
		}
	}
	if bar && f.bar > 0 {
		m.toks[f.bar].Type = kindBar
	}
}

// beginsPath tells whether a pattern stands at i, or a name with a pattern: p = (a)-->(b).
func (m *lookahead) beginsPath(i int) bool {
	if isVariable(m.at(i)) && m.at(i+1).Value == "=" {
		i += 2
	}
	return m.at(i).Type == kindPattern
}
