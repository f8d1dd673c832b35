package lang

import (
	"slices"
	"strings"
)

// inPattern tells whether token at stands in a pattern: in a node, in a relationship, or between them.
func (src habit) inPattern(at int) bool {
	for i := at - 1; i >= 0; i-- {
		switch word := src.word(i); {
		case word == "MATCH" || word == "CREATE" || word == "MERGE":
			return true
		case clauseBegins(word) && isReservedWord(src.toks[i]):
			return false
		}
	}
	return false
}

// habitOfNode knows nodes without round brackets, and what does not belong into a node.
func (src habit) habitOfNode(at int, want expected) string {
	if at == len(src.toks) || !src.inPattern(at) {
		return ""
	}
	t, before := src.toks[at], src.before(at)
	open, _ := src.unclosed(at)
	node := want.punct["("] && !want.oper && !want.expr && !want.name
	switch {
	case node && isOp(t, "[{") && (strings.EqualFold(before.Value, "MATCH") || isOp(before, ",->")):
		inner := src.between(at+1, src.bracketEnd(at)-1)
		return "nodes stand in round brackets: (" + inner + ")"
	case node && isReservedWord(t) && isOp(before, "->"):
		return "a relationship ends at a node: -->(), or -->(n:Label)"
	case node && (src.misplaced(at) != "" || didYouMean(strings.ToUpper(t.Value), want.words, phrase) != ""):
		return ""
	case node && isVariable(t) && src.word(at+1) == "=" && (src.isNumber(at-1) || slices.Contains(pathWords, src.word(at-1))):
		return "the name of a path stands first: MATCH " + t.Value + " = SHORTEST 1 (a)-[:TYPE]->{1,3}(b)"
	case node && (isVariable(t) || t.Value == ":"):
		end := at
		for end < len(src.toks) && (src.toks[end].Value == ":" || src.isWordAt(end) && !isReservedWord(src.toks[end]) || end > at && src.word(end-1) == ":") {
			end++
		}
		if src.word(end) == "{" && end > at {
			end = src.bracketEnd(end)
		}
		return "nodes stand in round brackets: (" + src.between(at, max(end, at+1)) + ")"
	case t.Value == "[" && before.Value == ":" && want.name:
		return "labels stand without brackets: (n:A|B)"
	case open.Value == "(" && isOp(before, ":&|") && want.name:
		return "a label follows " + before.Value + ": (n:Label)"
	case open.Value != "(" || !want.punct[")"] || want.oper || want.expr:
		return ""
	case isWord(t) && isOp(src.before(at-1), "(") && isWord(before) && want.punct[":"] && !isReservedWord(t):
		return "a label follows a colon: (" + before.Value + ":" + t.Value + ")"
	case t.Value == "," && src.word(at+2) == ":" && src.isWordAt(at+1) && src.isWordAt(at+3):
		return "each node has its own brackets: (" + src.between(at-3, at) + "), (" + src.between(at+1, at+4) + ")"
	case t.Value == "," && src.isWordAt(at+1) && src.word(at+2) == ")":
		return "write &: (n:A&B) has both labels"
	case isWord(t) && src.word(at+1) == ":" && before.Value != "(" && !isReservedWord(t), t.Value == ",", (t.Value == "[" || t.Value == "(") && src.word(at+2) == ":":
		return "properties stand in braces: {key: value}"
	case strings.EqualFold(t.Value, "AND"):
		return "write &: (n:A&B) has both labels"
	case strings.EqualFold(t.Value, "OR"), t.Value == "/":
		return "write |: (n:A|B) has one of the labels"
	case t.Value == "-" && src.adjacent(at) && src.isWordAt(at+1):
		return "such a name stands in backticks: `" + before.Value + "-" + src.toks[at+1].Value + "`"
	case isWord(t) && isWord(before) && !isReservedWord(t):
		return "a name with a blank stands in backticks: `" + before.Value + " " + t.Value + "`"
	case t.Value == "." || t.Value == "(" && src.word(at+2) == "=":
		return "properties stand in braces: {key: value}"
	case strings.EqualFold(t.Value, "IN") && isWord(before):
		return "a label follows a colon: (" + before.Value + ":Label)"
	case t.Value == "=" || t.Value == "<" || t.Value == ">":
		return "a condition follows WHERE: (n:Label WHERE n.key > 1)"
	}
	return ""
}

// habitOfMap knows maps that are written otherwise.
func (src habit) habitOfMap(at int, want expected) string {
	open, ok := src.unclosed(at)
	if !ok || open.Value != "{" || at == len(src.toks) {
		return ""
	}
	t, before := src.toks[at], src.before(at)
	first := isWord(before) && isOp(src.before(at-1), "{,")
	switch {
	case t.Value == "=" && first:
		return "a map is written with colons: {" + before.Value + ": " + src.right(at+1) + "}"
	case isOp(t, "<>!") && (first || before.Value == ":"), strings.HasPrefix(t.Value, "<") && first, strings.HasPrefix(t.Value, ">") && first, t.Value == "=~" && first:
		return "a map holds values only; conditions follow WHERE: (n:Label WHERE n.key > 1)"
	case t.Value == "." && first:
		key := "key"
		if at+1 < len(src.toks) {
			key = src.toks[at+1].Value
		}
		if src.inPattern(at) {
			return "a key stands alone: {" + key + ": ...}"
		}
		return "a map has keys: {" + key + ": " + src.right(at-1) + "}, or " + before.Value + "{." + key + "}"
	case isOp(t, ",}") && first && want.punct[":"]:
		return "each key has a value: {" + before.Value + ": ...}"
	case t.Value == "{" && before.Value == "{":
		return "write one brace: {key: value}"
	case (t.Type == kindString || t.Type == kindNumber) && first && want.punct[":"]:
		return "a map is written with colons: {" + before.Value + ": " + t.Value + "}"
	}
	return ""
}

// searches are words of Memgraph behind the * of a relationship.
var searches = map[string]string{
	"BFS": "write MATCH p = SHORTEST 1 (a)-[:TYPE]->{1,3}(b)", "DFS": "leave it out: [:TYPE*1..3] finds the same paths",
	"WSHORTEST": "write CALL algo.kShortestPaths(from, to, {type: 'TYPE', weight: 'key'}) YIELD path, cost", "ALLSHORTEST": "write CALL algo.kShortestPaths(from, to, {k: 10, type: 'TYPE', weight: 'key'}) YIELD path, cost",
}

// habitOfLength knows lengths and types in a relationship that are written otherwise.
func (src habit) habitOfLength(at int, want expected) string {
	open, ok := src.unclosed(at)
	if open.Value == "{" && src.isNumber(at) && src.word(at-1) == "{" && src.inPattern(at) {
		return "write *" + strings.ReplaceAll(src.between(at, src.bracketEnd(at-1)-1), ",", "..") + " inside the brackets, or braces behind the arrow: -[:TYPE]->{1,3}"
	}
	if !ok || open.Value != "[" || at == len(src.toks) || !src.inPattern(at) || want.expr {
		return ""
	}
	t, before := src.toks[at], src.before(at)
	switch {
	case (t.Value == "-" || t.Value == "," || t.Value == ":") && src.isNumber(at-1) && src.isNumber(at+1):
		return "write *" + before.Value + ".." + src.toks[at+1].Value
	case t.Value == ":" && before.Value == "*" && src.isWordAt(at+1):
		return "the length follows the type: [:" + src.toks[at+1].Value + "*]"
	case before.Value == "*" && searches[src.word(at)] != "":
		return searches[src.word(at)]
	case t.Value == "+" || t.Value == "*":
		return "write [:TYPE*1..] for one or more, [:TYPE*0..] for any number"
	case t.Type == kindNumber:
		return "a length begins with *: [:TYPE*1..3]"
	case t.Value == "," && src.isWordAt(at+1), strings.EqualFold(t.Value, "OR"), strings.EqualFold(t.Value, "AND"), t.Value == "/":
		next := at + 1
		if src.word(next) == ":" {
			next++
		}
		if src.isWordAt(next) && isWord(before) {
			return "write | between types: [:" + before.Value + "|" + src.toks[next].Value + "]"
		}
		return "write | between types: [:A|B]"
	case isWord(t) && isOp(src.before(at-1), "[") && isWord(before):
		return "a type follows a colon: [" + before.Value + ":" + t.Value + "]"
	case isWord(t) && src.word(at+1) == ":":
		return "properties stand in braces: {key: value}"
	case t.Value == "-" && src.adjacent(at) && src.isWordAt(at+1) && src.adjacent(at+1):
		return "such a name stands in backticks: `" + before.Value + "-" + src.toks[at+1].Value + "`"
	}
	return ""
}

const arrowHint = "a relationship is written -->, <-- or --, with a type -[:TYPE]->, <-[:TYPE]- or -[:TYPE]-"

// habitOfArrow knows arrows that are written otherwise.
func (src habit) habitOfArrow(at int, want expected) string {
	if at == len(src.toks) || !src.inPattern(at) || want.expr || want.oper {
		return ""
	}
	if open, ok := src.unclosed(at); ok && open.Value != "(" && open.Value != "{" || ok && !want.punct["-"] && !want.punct["("] {
		return ""
	}
	t, before := src.toks[at], src.before(at)
	after := isOp(before, "-<>)]=") || before.Value == "->"
	switch {
	case !after:
		return ""
	case before.Value == "-" && isWord(t) && want.punct["-"]:
		return "a type stands in square brackets: -[:" + t.Value + "]-"
	case before.Value == "-" && t.Value == ":" && src.isWordAt(at+1):
		return "a type stands in square brackets: -[:" + src.toks[at+1].Value + "]-"
	case before.Value == "-" && t.Value == "(" && src.word(at+1) == ":" && src.word(src.bracketEnd(at)) == "-":
		return "a type stands in square brackets: -[" + src.between(at+1, src.bracketEnd(at)-1) + "]-"
	case isOp(t, "<>-=") || (t.Value == "(" || t.Value == "[") && want.punct["-"], t.Value == "[" && before.Value == ">", strings.HasPrefix(t.Value, "<") || strings.HasPrefix(t.Value, ">") || t.Value == "=~" || t.Value == "..":
		return arrowHint
	}
	return ""
}
