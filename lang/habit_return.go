package lang

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/alecthomas/participle/v2/lexer"
)

// habitOfReturn knows ORDER BY, LIMIT and RETURN as SQL writes them, and columns without AS.
func (src habit) habitOfReturn(at int, want expected) string {
	word, before := src.word(at), src.word(at-1)
	switch {
	case word == "," && src.word(at-2) == "LIMIT":
		return "write SKIP " + src.toks[at-1].Value + " LIMIT " + src.right(at+1) + ": LIMIT takes one number"
	case (word == "OFFSET" || word == "SKIP") && src.word(at-2) == "LIMIT":
		return "write " + word + " " + src.right(at+1) + " LIMIT " + src.toks[at-1].Value + ": " + word + " stands before LIMIT"
	case (before == "TOP" || before == "FIRST") && src.isNumber(at):
		return "write LIMIT at the end: RETURN x LIMIT " + src.toks[at].Value
	case word == "ORDER" && src.seen(at, "LIMIT", "SKIP", "OFFSET"):
		return "ORDER BY stands before SKIP and LIMIT"
	case word == "ORDERBY" && hasWord(want, "ORDER"):
		return "write ORDER BY"
	case (word == "ORDER" || word == "LIMIT" || word == "SKIP" || word == "OFFSET" || word == "ORDERBY") && hasWord(want, "RETURN"):
		return phrase(word) + " follows RETURN or WITH: RETURN n ORDER BY n.key LIMIT 10"
	case before == "ORDER" && hasWord(want, "BY"):
		return "write ORDER BY " + src.right(at)
	case word == "*" && before == ".":
		return "write " + src.verbatim(at-2) + "{.*} for all properties as a map, or " + src.verbatim(at-2) + " for the whole"
	case word == "*" && before == "," && src.seen(at, "RETURN", "WITH"):
		return "* stands first: RETURN *, n.key"
	case before == "ALL" && src.word(at-2) == "RETURN":
		return "leave ALL out: RETURN " + src.right(at)
	case src.words(at-2, "RETURN", "IF"), src.words(at-2, ",", "IF"):
		return "write CASE WHEN condition THEN x ELSE y END"
	case word == "-" && src.word(at-2) == "AS" && src.adjacent(at) && src.isWordAt(at+1):
		return "such a name stands in backticks: `" + src.verbatim(at-1) + "-" + src.verbatim(at+1) + "`"
	case word == "," && want.punct[")"] && src.tuple(at):
		return "leave the brackets out, or write a list: [x, y]"
	case word == "UNLESS", before == "CASE" && word == "IF":
		return "write CASE WHEN condition THEN x ELSE y END"
	}
	return src.open(at, want)
}

// verbatim is token i as it is written; n outside of the statement.
func (src habit) verbatim(i int) string {
	if i < 0 || i >= len(src.toks) {
		return "n"
	}
	return src.toks[i].Value
}

// tuple tells whether the bracket around token at stands where a column begins.
func (src *source) tuple(at int) bool {
	open, ok := src.unclosed(at)
	for i := at - 1; ok && i > 0; i-- {
		if src.toks[i].Pos == open.Pos {
			return open.Value == "(" && (src.word(i-1) == "RETURN" || src.word(i-1) == "WITH" || src.word(i-1) == "DISTINCT" || src.word(i-1) == ",")
		}
	}
	return false
}

// open finds what is not closed where a query ends: a CASE, or the braces of a subquery.
func (src habit) open(at int, want expected) string {
	if hasWord(want, "END") || hasWord(want, "THEN") {
		if hasWord(want, "THEN") && at < len(src.toks) {
			return "write CASE WHEN condition THEN x ELSE y END"
		}
		return "a CASE ends with END"
	}
	return ""
}

// habitOfQuotes knows quotation marks around names, and quotation marks in strings.
func (src habit) habitOfQuotes(at int, want expected) string {
	if at == len(src.toks) {
		return ""
	}
	t, before := src.toks[at], src.before(at)
	if before.Type == kindString && src.adjacent(at) && isWord(t) {
		inner := before.Value[1 : len(before.Value)-1]
		rest, _, _ := strings.Cut(src.text[t.Pos.Offset:], "\n")
		if end := strings.IndexByte(rest, before.Value[0]); end >= 0 && end < 40 {
			rest = rest[:end]
		} else {
			rest = t.Value
		}
		if before.Value[0] == '\'' {
			return `a string with ' in it stands in double quotes: "` + inner + "'" + rest + `"`
		}
		return `a string with " in it stands in single quotes: '` + inner + `"` + rest + `'`
	}
	if t.Type == kindNumber && (want.name || isWord(before) && t.Value[0] == '.') {
		return "a name that begins with a digit stands in backticks: `" + strings.TrimPrefix(t.Value, ".") + "`"
	}
	if t.Type != kindString || want.expr || len(t.Value) < 2 {
		return ""
	}
	name := t.Value[1 : len(t.Value)-1]
	open, _ := src.unclosed(at)
	switch {
	case strings.EqualFold(before.Value, "AS") && want.name:
		return "a name stands without quotes or in backticks: AS " + QuoteKey(name)
	case before.Value == "." && want.name:
		return "a property key stands without quotes: ." + QuoteKey(name)
	case isOp(before, ":|&!") && want.name:
		return "a name stands without quotes: :" + QuoteKey(name)
	case open.Value == "{" && want.name:
		return "a key stands without quotes: {" + QuoteKey(name) + ": ...}"
	case want.name:
		return "a name stands without quotes or in backticks: " + QuoteKey(name)
	case before.Value == "." || open.Value == "(" && want.punct[")"] && before.Type == kindIdent && want.punct["{"]:
		return "properties stand in braces: {key: " + t.Value + "}"
	}
	return ""
}

// habitOfBlank knows property keys with a blank that stand without backticks.
func (src habit) habitOfBlank(at int, want expected) string {
	if at < 2 || at == len(src.toks) || !isWord(src.toks[at]) || isReservedWord(src.toks[at]) || !isWord(src.toks[at-1]) || didYouMean(src.word(at), want.words, phrase) != "" {
		return ""
	}
	key := "`" + src.toks[at-1].Value + " " + src.toks[at].Value + "`"
	switch open, _ := src.unclosed(at); {
	case src.word(at-2) == "." && src.isWordAt(at-3):
		return "a name with a blank stands in backticks: " + src.toks[at-3].Value + "." + key
	case open.Value == "{" && want.punct[":"] && (src.word(at-2) == "{" || src.word(at-2) == ","):
		return "a name with a blank stands in backticks: {" + key + ": ...}"
	}
	return ""
}

// habitOfComma knows commas too many and too few.
func (src habit) habitOfComma(at int, want expected) string {
	word, before := src.word(at), src.before(at)
	end := at == len(src.toks)
	closes := end || isOp(src.toks[at], ")]}") || clauseBegins(word)
	open, isOpen := src.unclosed(at)
	entry := !end && (isWord(src.toks[at]) || src.toks[at].Type == kindString)
	switch {
	case before.Value == "," && closes:
		return "leave the comma before it out, or write what follows it"
	case clauseBegins(strings.ToUpper(before.Value)) && src.isOperandless(at) && (end || clauseBegins(word)):
		return missingAfter(strings.ToUpper(before.Value))
	case strings.EqualFold(before.Value, "AS") && (end || clauseBegins(word) && at+1 < len(src.toks) && !isOp(src.toks[at+1], ",)}") && (word != "ORDER" || src.word(at+1) == "BY")):
		return "a name follows AS: AS name"
	case (end || clauseBegins(word)) && want.expr && at > 0 && (before.Type == kindOpWord || before.Type == kindBinary || isOp(before, "=<>")):
		return "write what follows " + before.Value + ", or leave it out"
	case isOpen && open.Value == "{" && entry && want.punct[","] && src.word(at+1) == ":":
		return "a comma is missing before " + src.toks[at].Value
	case isOpen && open.Value == "[" && want.punct[","] && !end && (src.toks[at].Type == kindString || src.toks[at].Type == kindNumber):
		return "a comma is missing before " + src.toks[at].Value
	case word == "(" && before.Value == ")" && want.punct[","] && want.punct["-"] && !isOpen:
		return "write a comma between patterns, or a relationship between nodes: (a), (b) or (a)-->(b)"
	case !end && hasWord(want, "AS") && isVariable(src.toks[at]) && !isOp(before, ",") && didYouMean(word, want.words, phrase) == "":
		hint := "a name follows AS: " + src.left(at) + " AS " + src.toks[at].Value
		if key := src.habitOfBlank(at, want); key != "" && unicode.IsUpper([]rune(src.toks[at].Value)[0]) {
			hint += "; " + key
		}
		return hint
	case !end && isOp(src.toks[at], ")]}") && !isOpen:
		return "no bracket is open here: leave the " + src.toks[at].Value + " out"
	case !end && isOp(src.toks[at], ")]}") && isOpen && closer(open.Value) != src.toks[at].Value && want.punct[closer(open.Value)]:
		return "write " + closer(open.Value) + ", which closes the " + open.Value + " at " + placeText(open)
	case word == "," && src.isNumber(at-1) && src.isNumber(at+1) && src.adjacent(at+1) && len(src.toks[at+1].Value) == 3:
		return "write " + src.toks[at-1].Value + src.toks[at+1].Value + ", without a comma"
	case word == "," && src.isNumber(at-1) && src.isNumber(at+1) && src.adjacent(at+1) && !isOpen && want.oper && src.afterWhere(at):
		return "write " + src.toks[at-1].Value + "." + src.toks[at+1].Value + ", with a point"
	case word == "," && !isOpen && want.oper && src.afterWhere(at):
		return "write AND or OR between conditions"
	}
	return ""
}

func placeText(t lexer.Token) string {
	return fmt.Sprintf("line %d, column %d", t.Pos.Line, t.Pos.Column)
}

func (src *source) isNumber(i int) bool {
	return i >= 0 && i < len(src.toks) && src.toks[i].Type == kindNumber
}

// isOperandless tells whether the word before token at wants something after it.
func (src habit) isOperandless(at int) bool {
	switch src.word(at - 1) {
	case "MATCH", "RETURN", "WITH", "UNWIND", "WHERE", "CREATE", "MERGE", "SET", "DELETE", "REMOVE", "LIMIT", "SKIP", "OFFSET":
		return true
	}
	return false
}

func missingAfter(word string) string {
	switch word {
	case "MATCH", "CREATE", "MERGE":
		return "a pattern is missing: " + word + " (n:Label)"
	case "WHERE":
		return "a condition is missing: WHERE n.key = 1"
	case "LIMIT", "SKIP", "OFFSET":
		return "write a number: " + word + " 10"
	case "SET":
		return "write SET n.key = value"
	}
	return "write what follows " + word + ": " + word + " n"
}

// clauseBegins tells whether a word begins a clause or a part of one.
func clauseBegins(word string) bool {
	switch word {
	case "MATCH", "OPTIONAL", "RETURN", "WITH", "UNWIND", "CALL", "CREATE", "MERGE", "SET", "REMOVE", "DELETE", "DETACH", "FOREACH", "WHERE", "ORDER", "LIMIT", "SKIP", "UNION", "OFFSET":
		return true
	}
	return false
}
