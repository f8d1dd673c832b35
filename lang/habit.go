package lang

import "strings"

// A habit is something that SQL or another dialect writes, or that people often get wrong. When the parser has failed, the
// tokens around the failure tell the habit, and the hint says how it is written here. Correct queries never come this way.

type habit struct{ *source }

// find returns the hint for the habit that made the parser fail at token at, or "".
func (src habit) find(at int, want expected) string {
	for _, find := range []func(int, expected) string{
		src.habitOfComment, src.habitOfStatement, src.habitOfWord, src.habitOfSchema, src.habitOfWrite, src.habitOfCondition, src.habitOfNot,
		src.habitOfSign, src.habitOfQuotes, src.habitOfReturn, src.habitOfList, src.habitOfLength, src.habitOfComma, src.habitOfMap, src.habitOfArrow, src.habitOfNode, src.habitOfBlank,
	} {
		if h := find(at, want); h != "" {
			return h
		}
	}
	return ""
}

// word is token i in upper case if it is a word, else its text; "" outside of the statement.
func (src *source) word(i int) string {
	if i < 0 || i >= len(src.toks) {
		return ""
	}
	return strings.ToUpper(src.toks[i].Value)
}

// words tells whether the tokens from i on are these words or signs.
func (src *source) words(i int, words ...string) bool {
	for k, w := range words {
		if src.word(i+k) != w {
			return false
		}
	}
	return true
}

// seen tells whether one of these words stands before token at.
func (src *source) seen(at int, words ...string) bool {
	for i := range at {
		for _, w := range words {
			if src.word(i) == w && isWord(src.toks[i]) {
				return true
			}
		}
	}
	return false
}

// isWordAt tells whether token i is a name or a word of the language.
func (src *source) isWordAt(i int) bool { return i >= 0 && i < len(src.toks) && isWord(src.toks[i]) }

// atStart tells whether token at begins the statement.
func (src habit) atStart(at int) bool {
	return at == 0 || at == 1 && (src.word(0) == "EXPLAIN" || src.word(0) == "PROFILE")
}

// adjacent tells whether nothing stands between token i and the one before it.
func (src *source) adjacent(i int) bool {
	return i > 0 && i < len(src.toks) && endOf(src.toks[i-1]) == src.toks[i].Pos.Offset
}

// between is the text of the tokens from i to j, without j, on one line and not too long; else "...".
func (src *source) between(i, j int) string {
	if i < 0 || i >= j || j > len(src.toks) {
		return "..."
	}
	text := src.text[src.toks[i].Pos.Offset:endOf(src.toks[j-1])]
	if len(text) > 60 || strings.Contains(text, "\n") {
		return "..."
	}
	return text
}

// operandStart is where the operand begins that ends before token at: a name with properties, a call, a bracket or a literal.
func (src habit) operandStart(at int) int {
	i := at - 1
	if i >= 0 && isOp(src.toks[i], ")]}") {
		depth := 0
		for ; i >= 0; i-- {
			if isOp(src.toks[i], ")]}") {
				depth++
			}
			if isOp(src.toks[i], "([{") {
				if depth--; depth == 0 {
					break
				}
			}
		}
		if src.isWordAt(i-1) && !isReservedWord(src.toks[i-1]) && (src.word(i) == "(" || src.adjacent(i)) {
			i--
		}
	}
	for src.word(i-1) == "." && i >= 2 {
		i -= 2
	}
	return max(i, 0)
}

// operandEnd is where the operand that begins at token i has ended.
func (src habit) operandEnd(i int) int {
	if src.word(i) == "-" {
		i++
	}
	for i = src.bracketEnd(i); src.word(i) == "." || src.word(i) == "[" && src.adjacent(i); {
		if src.word(i) == "." {
			i++
		}
		i = src.bracketEnd(i)
	}
	return min(i, len(src.toks))
}

// bracketEnd is behind token i, or behind the brackets that begin with it or right after it.
func (src habit) bracketEnd(i int) int {
	depth := 0
	for k := i; k >= 0 && k < len(src.toks); k++ {
		switch {
		case isOp(src.toks[k], "([{"):
			depth++
		case isOp(src.toks[k], ")]}"):
			if depth--; depth == 0 {
				return k + 1
			}
		}
		if depth == 0 && !(k == i && src.isWordAt(k) && src.word(k+1) == "(") {
			return k + 1
		}
	}
	return len(src.toks)
}

// left is the text of the operand before token at.
func (src habit) left(at int) string { return src.between(src.operandStart(at), at) }

// right is the text of the operand at token i.
func (src habit) right(i int) string { return src.between(i, src.operandEnd(i)) }

// wordHabits are words that begin nothing here, with the hint for each, wherever the parser fails at them.
var wordHabits = map[string]string{
	"HAVING":     "filter groups by WITH: WITH n.key AS key, count(*) AS k WHERE k > 1 RETURN key, k",
	"JOIN":       "a relationship joins nodes: MATCH (a)-[:TYPE]->(b); equal values join them by WHERE: MATCH (a), (b) WHERE a.key = b.key",
	"INNER":      "a relationship joins nodes: MATCH (a)-[:TYPE]->(b); equal values join them by WHERE: MATCH (a), (b) WHERE a.key = b.key",
	"LEFT":       "for an outer join write OPTIONAL MATCH (a)-[:TYPE]->(b)",
	"RIGHT":      "for an outer join write OPTIONAL MATCH (a)-[:TYPE]->(b)",
	"OUTER":      "for an outer join write OPTIONAL MATCH (a)-[:TYPE]->(b)",
	"FULL":       "for an outer join write OPTIONAL MATCH (a)-[:TYPE]->(b)",
	"NATURAL":    "a relationship joins nodes: MATCH (a)-[:TYPE]->(b)",
	"CROSS":      "list the patterns with commas: MATCH (a), (b)",
	"MINUS":      "write EXCEPT",
	"FETCH":      "write LIMIT 5",
	"ROWS":       "write SKIP 10 LIMIT 5, without ROWS",
	"NULLS":      "null comes last, and first with DESC; to choose, sort by whether it is null: ORDER BY x IS NULL, x",
	"OVER":       "there are no window functions: group with WITH, or collect the rows: WITH key, collect(x) AS list",
	"PARTITION":  "there are no window functions: group with WITH, or collect the rows: WITH key, collect(x) AS list",
	"QUALIFY":    "there are no window functions: group with WITH, or collect the rows: WITH key, collect(x) AS list",
	"REGEXP":     "write =~ 'A.*': the expression matches the whole string",
	"RLIKE":      "write =~ 'A.*': the expression matches the whole string",
	"MATCHES":    "write =~ 'A.*': the expression matches the whole string",
	"SIMILAR":    "write =~ 'A.*': the expression matches the whole string",
	"GLOB":       "write =~ 'A.*': the expression matches the whole string",
	"STARTSWITH": "write STARTS WITH", "BEGINS": "write STARTS WITH", "STARTING": "write STARTS WITH", "START_WITH": "write STARTS WITH", "STARTS_WITH": "write STARTS WITH",
	"ENDSWITH": "write ENDS WITH", "ENDING": "write ENDS WITH", "ENDS_WITH": "write ENDS WITH",
	"INCLUDES": "write CONTAINS for a part of a string, IN for an element of a list", "HAS": "a label is tested with n:Label, a property with n.key IS NOT NULL",
	"DIV": "write /, which divides integers without a rest", "MOD": "write %",
	"USING": "leave USING out: the planner chooses indexes and the matching order by itself",
	"SORT":  "write ORDER BY", "ORDERED": "write ORDER BY",
	"ISNULL": "write IS NULL", "NOTNULL": "write IS NOT NULL", "EQUALS": "write =", "EQ": "write =",
}

// habitOfWord knows words that begin nothing here.
func (src habit) habitOfWord(at int, want expected) string {
	if !src.isWordAt(at) || want.name && !want.oper {
		return ""
	}
	switch word := src.word(at); word {
	case "LIKE", "ILIKE":
		return src.like(at)
	case "BETWEEN":
		return src.betweenHint(at)
	case "SELECT":
		return src.selectHint(at)
	case "GROUP":
		return "leave GROUP BY out: RETURN groups by all that it returns beside aggregates"
	case "FROM":
		return "what to read stands in MATCH: MATCH (n:Label) ... RETURN n.key"
	case "INTO":
		if src.word(at-1) == "INSERT" {
			return "write CREATE (n:Label {key: value})"
		}
		return wordHabits[word]
	case "LEFT", "RIGHT", "FULL":
		if src.word(at+1) == "(" {
			return ""
		}
		return wordHabits[word]
	default:
		return wordHabits[word]
	}
}

// like translates LIKE with its pattern.
func (src habit) like(at int) string {
	left, not, fold := src.left(at), "", src.word(at) == "ILIKE"
	if src.word(at-1) == "NOT" {
		left, not = src.left(at-1), "NOT "
		if src.word(at-2) == "IS" {
			left = src.left(at - 2)
		}
	}
	if at+1 >= len(src.toks) || src.toks[at+1].Type != kindString {
		return "write STARTS WITH, ENDS WITH, CONTAINS or =~ in place of LIKE"
	}
	quoted := src.toks[at+1].Value
	like := quoted[1 : len(quoted)-1]
	if fold {
		left, like = "toLower("+left+")", strings.ToLower(like)
	}
	core := strings.Trim(like, "%")
	oper := " = "
	switch first, last := strings.HasPrefix(like, "%"), strings.HasSuffix(like, "%"); {
	case strings.ContainsAny(core, "%_\\"):
		return "write " + not + left + " =~ '...', with .* for % and . for _"
	case first && last:
		oper = " CONTAINS "
	case first:
		oper = " ENDS WITH "
	case last:
		oper = " STARTS WITH "
	}
	return "write " + not + left + oper + quoted[:1] + core + quoted[:1]
}

// betweenHint translates BETWEEN a AND b.
func (src habit) betweenHint(at int) string {
	left, open, end := src.left(at), "", ""
	if src.word(at-1) == "NOT" {
		left, open, end = src.left(at-1), "NOT (", ")"
	}
	and := src.operandEnd(at + 1)
	if src.word(and) != "AND" {
		return "write low <= " + left + " <= high"
	}
	return "write " + open + src.right(at+1) + " <= " + left + " <= " + src.right(and+1) + end
}

// selectHint translates SELECT columns FROM table, if it is that simple.
func (src habit) selectHint(at int) string {
	const general = "say first what to match, then what to return: MATCH (n:Label) WHERE n.key = 1 RETURN n.key"
	if !src.atStart(at) {
		if src.seen(at, "IN") && src.word(at-1) == "(" || src.word(at-2) == "EXISTS" {
			return "a query in a condition is EXISTS { MATCH ... }, and COLLECT { MATCH ... RETURN x } gives a list"
		}
		return "write RETURN"
	}
	i, distinct := at+1, ""
	if src.word(i) == "DISTINCT" {
		i, distinct = i+1, "DISTINCT "
	}
	limit := ""
	if src.word(i) == "TOP" {
		i, limit = i+2, " LIMIT "+src.word(i+1)
	}
	from := i
	for from < len(src.toks) && src.word(from) != "FROM" {
		from++
	}
	if from == i || !src.isWordAt(from+1) || from-i > 40 {
		return general
	}
	table, next := src.toks[from+1].Value, from+2
	name := strings.ToLower(string([]rune(table)[:1]))
	if src.word(next) == "AS" {
		next++
	}
	if src.isWordAt(next) && !reserved[src.word(next)] && wordHabits[src.word(next)] == "" && src.word(next) != "GROUP" {
		name, next = src.toks[next].Value, next+1
	}
	if name == table || name == "`" {
		name = "n"
	}
	columns, ok := src.selected(i, from, name)
	if !ok {
		return general
	}
	rest := ""
	switch src.word(next) {
	case "":
	case "WHERE":
		rest = " WHERE ..."
	case "JOIN", "INNER", "LEFT":
		rest = src.joined(next)
	}
	return "write MATCH (" + name + ":" + table + ")" + rest + " RETURN " + distinct + columns + limit
}

// joined is a path to the tables that JOIN at token i and behind it names.
func (src habit) joined(i int) string {
	var nodes []string
	for ; i < len(src.toks) && src.word(i) != "SELECT"; i++ {
		switch {
		case src.word(i) != "JOIN":
			continue
		case !src.isWordAt(i + 1):
			nodes = append(nodes, "...")
		case src.word(i+2) == "AS" && src.isWordAt(i+3):
			nodes = append(nodes, src.toks[i+3].Value+":"+src.toks[i+1].Value)
		case src.isWordAt(i+2) && src.word(i+2) != "ON" && src.word(i+2) != "USING":
			nodes = append(nodes, src.toks[i+2].Value+":"+src.toks[i+1].Value)
		default:
			nodes = append(nodes, ":"+src.toks[i+1].Value)
		}
	}
	if len(nodes) == 1 {
		return "-[:TYPE]->(" + nodes[0] + ")"
	}
	return "-[:TYPE]-(" + strings.Join(nodes, ")-[:TYPE]-(") + ")"
}

// selected writes the columns in tokens i to end as properties of a node.
func (src habit) selected(i, end int, name string) (string, bool) {
	var list []string
	for i < end {
		switch {
		case src.word(i) == "*":
			list, i = append(list, name), i+1
		case src.isWordAt(i) && src.word(i+1) == ".":
			list, i = append(list, src.between(i, i+3)), i+3
		case src.words(i, "COUNT", "(", "*", ")"):
			list, i = append(list, "count(*)"), i+4
		case src.isWordAt(i) && src.word(i+1) != "(":
			list, i = append(list, name+"."+src.toks[i].Value), i+1
		default:
			return "", false
		}
		if src.word(i) == "AS" && i+1 < end {
			list[len(list)-1] += " AS " + src.toks[i+1].Value
			i += 2
		}
		if i < end && src.word(i) != "," {
			return "", false
		}
		i++
	}
	return strings.Join(list, ", "), true
}
