package lang

import "strings"

// habitOfNot knows NOT where it stands inside of a condition, and IS before other things than NULL.
func (src habit) habitOfNot(at int, want expected) string {
	word, next := src.word(at), src.word(at+1)
	switch {
	case word == "NOT" && next == "NULL":
		return "write IS NOT NULL"
	case word == "NOT" && next == "LIKE":
		return src.like(at + 1)
	case word == "NOT" && next == "BETWEEN":
		return src.betweenHint(at + 1)
	case word == "NOT" && next == "IN":
		return "NOT stands before the condition: NOT " + src.left(at) + " IN " + src.listAt(at+2)
	case word == "NOT" && (next == "STARTS" || next == "ENDS") && src.word(at+2) == "WITH":
		return "NOT stands before the condition: NOT " + src.left(at) + " " + next + " WITH " + src.right(at+3)
	case word == "NOT" && (next == "CONTAINS" || next == "="):
		return "NOT stands before the condition: NOT " + src.left(at) + " " + next + " " + src.right(at+2)
	case word == "NOT" && want.oper:
		return "NOT stands before the condition: WHERE NOT " + src.left(at) + " ..."
	case src.word(at-1) == "IS" || src.word(at-2) == "IS" && src.word(at-1) == "NOT":
		return src.isHint(at)
	}
	return ""
}

// isHint is about what stands after IS or IS NOT at token at.
func (src habit) isHint(at int) string {
	not := src.word(at-1) == "NOT"
	is := at - 1
	if not {
		is--
	}
	left := src.left(is)
	switch word := src.word(at); {
	case word == "UNKNOWN":
		return "write IS NULL"
	case word == "IN":
		return "write " + left + " IN [...], without IS"
	case word == "EMPTY":
		return "write isEmpty(" + left + ")"
	case word == "DISTINCT", word == "LIKE", word == "EQUAL":
		return "write " + left + " <> x, or " + left + " = x"
	case word == "A", word == "AN", word == "LABELED", word == "LABELLED":
		return "a label is tested with " + left + ":Label"
	case src.word(0) == "CREATE" && src.seen(at, "REQUIRE", "ASSERT") && at < len(src.toks):
		return "write IS UNIQUE, IS NODE KEY, IS NOT NULL or IS :: TYPE"
	case at < len(src.toks) && isOp(src.toks[at], ")]}"):
		return ""
	case at < len(src.toks) && src.toks[at].Type == kindIdent && !reserved[word] && not:
		return "a label is tested with NOT " + left + ":" + src.toks[at].Value
	case at < len(src.toks) && src.toks[at].Type == kindIdent && !reserved[word]:
		return "a label is tested with " + left + ":" + src.toks[at].Value
	case at < len(src.toks) && not:
		return "IS NOT is only for NULL: write " + left + " <> " + src.right(at)
	case at < len(src.toks):
		return "IS is only for NULL: write " + left + " = " + src.right(at)
	}
	return ""
}

// listAt writes the list at token i in square brackets.
func (src habit) listAt(i int) string {
	end := src.operandEnd(i)
	switch text := src.between(i, end); {
	case src.word(i+1) == "SELECT":
		return "[...]"
	case text != "..." && isOp(src.toks[i], "({") && isOp(src.toks[end-1], ")}"):
		return "[" + text[1:len(text)-1] + "]"
	default:
		return text
	}
}

// habitOfList knows lists without square brackets.
func (src habit) habitOfList(at int, want expected) string {
	open, ok := src.unclosed(at)
	for i := at - 1; i >= 0 && i >= at-40; i-- {
		isOpen := ok && src.toks[i].Pos == open.Pos
		switch {
		case isOpen && (open.Value == "(" || open.Value == "{") && src.word(i-1) == "IN":
			return "a list stands in square brackets: IN " + src.listAt(i)
		case isOpen && open.Value == "(" && src.word(i-1) == "UNWIND":
			return "a list stands in square brackets: UNWIND " + src.listAt(i)
		case src.word(at) == "," && src.word(i) == "IN" && want.oper && src.toks[i].Type == kindOpWord:
			return "a list stands in square brackets: IN [1, 2, 3]"
		case src.word(at) == "," && src.word(i) == "UNWIND":
			return "a list stands in square brackets: UNWIND [1, 2, 3] AS x"
		case isOpen && open.Value == "[" && src.word(at) == "FOR":
			return "write [x IN list | expression]"
		}
	}
	return ""
}

// habitOfSign knows operators and casts of other languages.
func (src habit) habitOfSign(at int, want expected) string {
	word, before, next := src.word(at), src.word(at-1), src.word(at+1)
	switch {
	case word == "!" && next != "=" && want.expr:
		return "write NOT"
	case word == "<" && before == "=":
		return "write <="
	case word == ">" && before == "=", word == ">" && before == "-" && want.expr && src.isWordAt(at+1) && src.isWordAt(at-2) && src.word(at+2) != "+":
		if before == "=" {
			return "write >="
		}
		return "a property follows a dot: " + src.toks[at-2].Value + "." + src.toks[at+1].Value
	case word == "=" && before == ":":
		return "write ="
	case word == ":" && next == "=" && want.oper:
		return "write ="
	case word == "{" && before == "{" && src.isWordAt(at+1):
		return "a parameter is written $" + src.toks[at+1].Value
	case word == "=" && want.expr && (before == "WHERE" || before == "AND" || before == "OR"):
		return "write what stands before the ="
	case word == "<" && before == ">":
		return "write <>"
	case word == "*" && before == "*":
		return "write ^ for a power"
	case word == "?" && want.expr, word == "%" && want.expr, word == ":" && want.expr && src.isWordAt(at+1):
		return "a parameter is written $name"
	case word == "}" && src.word(at-2) == "{" && src.isWordAt(at-1) && want.punct[":"]:
		return "a parameter is written $" + src.toks[at-1].Value
	case word == "/" && want.expr:
		return "a regular expression is a string: =~ 'A.*'"
	case word == ":" && before == ":", word == "AS" && src.seen(at, "CONVERT") && want.punct[")"]:
		return "a test is x IS :: INTEGER; CAST(x AS INTEGER) converts, and so do toInteger(x), toFloat(x), toString(x), toBoolean(x), date(x)"
	case word == "CONTAINS" && want.expr:
		return "CONTAINS stands between its operands: x CONTAINS 'text'"
	case (before == "STARTS" || before == "ENDS") && at < len(src.toks):
		return "write " + before + " WITH"
	case at > 0 && src.toks[at-1].Type == kindIdent && at < len(src.toks) && src.toks[at].Type == kindString && functionIndex[strings.ToLower(before)] != nil:
		return "write " + src.toks[at-1].Value + "(" + src.toks[at].Value + ")"
	}
	return ""
}

// habitOfCondition knows WHERE in other words or too often, and AND between patterns.
func (src habit) habitOfCondition(at int, want expected) string {
	word, before := src.word(at), src.word(at-1)
	switch {
	case (word == "&" || word == "|") && src.word(at+1) != word && want.oper && !want.punct[","] && src.afterWhere(at):
		return "write AND or OR between conditions"
	case word == "WHERE" && before == "(":
		return ""
	case (word == "WHEN" || word == "IF" || word == "SUCH") && hasWord(want, "WHERE") && !want.oper:
		return "write WHERE"
	case word == "WHERE" && (before == "AND" || before == "OR"):
		return "write WHERE once, and " + before + " between the conditions"
	case word == "WHERE" && src.seen(at, "RETURN") && !src.seen(at, "UNION"):
		return "WHERE stands before RETURN: MATCH (n) WHERE ... RETURN n; WITH ... WHERE filters what WITH computes"
	case word == "WHERE" && want.oper:
		return "write WHERE once, and AND between the conditions"
	case (word == "AND" || word == "OR") && hasWord(want, "WHERE") && src.word(at+1) == "(":
		return "patterns are separated by commas: MATCH (a), (b)"
	case (word == "AND" || word == "OR") && hasWord(want, "WHERE") && !want.oper && before == ")":
		return "a condition follows WHERE"
	case word == "MATCH" && src.word(at-2) == "EXISTS", word == "SELECT" && src.word(at-2) == "EXISTS", src.words(at-3, "EXISTS", "(", "SELECT"):
		return "write EXISTS { MATCH ... }, with braces"
	case src.words(at-2, "(", "SELECT"), src.words(at, "(", "SELECT"):
		return "compute it first: CALL { MATCH (n:Label) RETURN avg(n.key) AS mean }; a query in a condition is EXISTS { MATCH ... }"
	case before == "COUNT" && word == "DISTINCT":
		return "write count(DISTINCT " + src.right(at+1) + ")"
	case src.words(at-2, "(", "DISTINCT", "*") && src.word(at-3) == "COUNT":
		return "write count(*) for the rows, or count(DISTINCT x) for the different values of x"
	case src.words(at-2, "(", "ALL") && src.isWordAt(at-3):
		return "leave ALL out: " + src.toks[at-3].Value + "(" + src.right(at) + ")"
	case src.words(at-1, "DISTINCT", "ON"):
		return "write RETURN DISTINCT x, or WITH key, head(collect(x)) AS first for one of each"
	}
	return ""
}

// afterWhere tells whether WHERE is the last clause word before token at.
func (src *source) afterWhere(at int) bool {
	for i := at - 1; i >= 0; i-- {
		if word := src.word(i); clauseBegins(word) && isReservedWord(src.toks[i]) {
			return word == "WHERE"
		}
	}
	return false
}

func hasWord(want expected, word string) bool {
	for _, w := range want.words {
		if w == word {
			return true
		}
	}
	return false
}
