package lang

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// explain makes an error that says what was found, what was expected, and what was perhaps meant.
func (src *source) explain(stop ruleStop, accepts func([]lexer.Token) int) error {
	at := stop.at
	switch {
	case stop.refusal != nil:
		stop.refusal.Query = src.text
		return stop.refusal
	case at < 0: // maxRepetitions
		return &Error{Code: codeTooLarge, Msg: "the query has too many parts", Pos: src.place(0), Query: src.text}
	}
	e := &Error{Code: codeSyntax, Pos: src.place(at), Query: src.text}
	if at < len(src.toks) && src.toks[at].Type == kindBad {
		bad := src.toks[at].Value
		e.Msg, e.Hint = reason(bad)
		from := max(0, invalid(bad))
		s := scanner{text: src.text, pos: src.toks[at].Pos}
		s.advance(from)
		_, size := utf8.DecodeRuneInString(bad[from:])
		e.Pos = Pos{Offset: s.pos.Offset, Line: s.pos.Line, Column: s.pos.Column, Len: size}
		return e
	}
	e.Msg = "unexpected " + src.found(at)
	from := src.clauseStart(at, accepts)
	if at-from > maxTrialTokens {
		return e
	}
	want := tryAll(src.toks[from:at], accepts)
	if text := src.describe(at, want); text != "" {
		e.Msg += ", expected " + text
	}
	e.Hint = src.hint(at, want)
	return e
}

// clauseStart is the first token of the clause that token at is in: what is before it makes no difference to what may
// follow. It is 0 if the clause read alone does not fail at the same token.
func (src *source) clauseStart(at int, accepts func([]lexer.Token) int) int {
	for i := at - 1; i > 0; i-- {
		t := src.toks[i]
		if t.Type != kindKeyword || !strings.EqualFold(t.Value, "MATCH") && !strings.EqualFold(t.Value, "RETURN") {
			continue
		}
		if accepts(src.toks[i:]) == at-i {
			return i
		}
		return 0
	}
	return 0
}

// positionAt is where token at stands, or where the statement ends.
func (src *source) positionAt(at int) lexer.Position {
	if at < len(src.toks) {
		return src.toks[at].Pos
	}
	return src.end
}

// place is the place of token at, or one character after the last token.
func (src *source) place(at int) Pos {
	if at < len(src.toks) {
		return posOf(src.toks[at])
	}
	if at == 0 {
		return Pos{Offset: src.end.Offset, Line: src.end.Line, Column: src.end.Column}
	}
	last := scanner{text: src.text, pos: src.toks[at-1].Pos}
	last.advance(len(src.toks[at-1].Value))
	return Pos{Offset: last.pos.Offset, Line: last.pos.Line, Column: last.pos.Column}
}

// before is the token before token at, or an empty one.
func (src *source) before(at int) lexer.Token {
	if at == 0 {
		return lexer.Token{}
	}
	return src.toks[at-1]
}

// found describes token at.
func (src *source) found(at int) string {
	if at == len(src.toks) {
		return "end of the query"
	}
	t := src.toks[at]
	switch t.Type {
	case kindOp, kindBinary, kindPattern, kindListComp, kindPatternComp, kindBar:
		return quote(t.Value)
	case kindString:
		return "string " + shorten(t.Value)
	case kindNumber:
		return "number " + shorten(t.Value)
	case kindParam:
		return "parameter " + shorten(t.Value)
	}
	return shorten(t.Value)
}

func shorten(s string) string {
	const most = 40
	s, _, _ = strings.Cut(s, "\n")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// maxExpected is how many alternatives an error lists.
const maxExpected = 6

// describe says in words what was expected at token at.
func (src *source) describe(at int, e expected) string {
	var list []string
	for _, p := range []string{")", "]", "}"} {
		if e.punct[p] {
			list = append(list, quote(p))
		}
	}
	switch {
	case e.expr && e.punct["*"]:
		list = append(list, "an expression", quote("*"))
	case e.expr:
		list = append(list, "an expression")
	default:
		list = append(list, src.parts(at, e)...)
	}
	returned := slices.ContainsFunc(src.toks[src.union(at):at], func(t lexer.Token) bool {
		return t.Type == kindKeyword && strings.EqualFold(t.Value, "RETURN")
	})
	clauses := !slices.ContainsFunc(clauseWords, func(w string) bool { return !slices.Contains(e.words, w) })
	for _, w := range e.words {
		switch {
		case clauses && (w == "UNION" || slices.Contains(clauseWords, w)):
		case e.punct["("] && slices.Contains(pathWords, w): // a path may begin with them, too
		case (e.expr || e.oper) && slices.Contains(operatorWords, w):
		case returned && slices.Contains(clauseWords, w) && len(e.words) > 1: // the grammar takes them; Check would not
		case quietWords[w]:
		case clauses && (w == "FOR" || pageRank[w] > 0 && pageRank[w] <= src.page(at)): // clauses, too
		default:
			list = append(list, phrase(w))
		}
	}
	if clauses && !returned {
		list = append(list, "a clause such as MATCH or RETURN")
	}
	if e.oper {
		list = append(list, "an operator")
	}
	if len(list) == 0 && slices.Contains(e.words, "INDEX") { // of DROP, which takes only quiet words
		list = append(list, "INDEX", "CONSTRAINT")
	}
	if len(list) == 0 && at < len(src.toks) {
		return "the end of the query"
	}
	if len(list) > maxExpected {
		return strings.Join(list[:maxExpected], ", ") + ", ..."
	}
	return joinOr(list)
}

// union is the first token of the part of a UNION that token at is in.
func (src *source) union(at int) int {
	for at > 0 && (src.toks[at-1].Type != kindKeyword || !strings.EqualFold(src.toks[at-1].Value, "UNION")) {
		at--
	}
	return at
}

// pageRank is the order of the words behind the columns of RETURN and WITH.
var pageRank = map[string]int{"ORDER": 1, "SKIP": 2, "OFFSET": 2, "LIMIT": 3}

// page is the rank of the last such word before token at in its RETURN or WITH: 0 if there is none, the highest if another clause
// is open.
func (src *source) page(at int) int {
	rank := 0
	for i := at - 1; i >= 0; i-- {
		t := src.toks[i]
		if t.Type != kindKeyword && t.Type != kindOpWord && pageRank[strings.ToUpper(t.Value)] == 0 {
			continue
		}
		switch w := strings.ToUpper(t.Value); {
		case w == "RETURN", w == "WITH" && (i == 0 || !strings.EqualFold(src.toks[i-1].Value, "STARTS") && !strings.EqualFold(src.toks[i-1].Value, "ENDS")):
			return rank
		case w == "WHERE", w == "UNION", w != "WITH" && slices.Contains(clauseWords, w):
			return pageRank["LIMIT"]
		default:
			rank = max(rank, pageRank[w])
		}
	}
	return pageRank["LIMIT"]
}

// parts lists what may stand at token at, where no expression may begin.
func (src *source) parts(at int, e expected) (list []string) {
	if e.name {
		list = append(list, src.nameNoun(at))
	}
	switch {
	case e.punct["("] && (src.afterCall(at) || strings.EqualFold(src.before(at).Value, "ON")):
		list = append(list, quote("("))
	case e.punct["("] && !e.name && !e.oper:
		list = append(list, `a node "("`)
	}
	if e.punct["-"] && e.punct["<"] && !e.oper {
		list = append(list, "a relationship")
	} else if e.punct["-"] && !e.oper {
		list = append(list, `"-"`)
	}
	for _, p := range []string{",", ":", "|"} {
		if e.punct[p] && !(e.oper && p == ":") {
			list = append(list, quote(p))
		}
	}
	if e.punct[":"] && e.punct["="] && !e.punct[")"] && !e.oper { // of SET, not of a node or a path in brackets
		list = append(list, quote("="))
	}
	if e.param && e.punct["{"] {
		list = append(list, "properties")
	}
	if e.typ {
		list = append(list, "a type")
	}
	if len(list) == 0 && len(e.words) == 0 && e.text && !e.oper {
		list = append(list, "a string")
	}
	for _, p := range []string{"=", ".", "{", "[", "*", "<"} { // where nothing else will do
		if len(list) == 0 && len(e.words) == 0 && e.punct[p] && !e.oper {
			list = append(list, quote(p))
		}
	}
	return list
}

// afterCall tells whether CALL and the name of a procedure stand before token at.
func (src *source) afterCall(at int) bool {
	i := at - 1
	if i >= 0 && src.toks[i].Value == "." {
		i--
	}
	for i >= 1 && src.toks[i-1].Value == "." {
		i -= 2
	}
	return i >= 1 && strings.EqualFold(src.toks[i-1].Value, "CALL")
}

// nameNoun says what kind of name is expected at token at.
func (src *source) nameNoun(at int) string {
	before := src.before(at)
	open, _ := src.unclosed(at)
	switch {
	case strings.EqualFold(before.Value, "CALL"), before.Value == "." && src.afterCall(at):
		return "the name of a procedure"
	case before.Value == ".":
		return "a property key"
	case strings.EqualFold(before.Value, "YIELD"):
		return "a column of the procedure"
	case isOp(before, ":|&!") && open.Value == "[":
		return "a relationship type"
	case isOp(before, ":|&!"):
		return "a label"
	case open.Value == "{":
		return "a key"
	case strings.EqualFold(before.Value, "AS"):
		return "a column name"
	case before.Value == "(" || before.Value == "[":
		return "a variable"
	}
	return "a name"
}

func quote(s string) string { return `"` + s + `"` }

func joinOr(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

// hint finds what was perhaps meant by token at.
func (src *source) hint(at int, want expected) string {
	if h := (habit{src}).find(at, want); h != "" {
		return h
	}
	if at < len(src.toks) {
		t := src.toks[at]
		if h := confusion(src.before(at).Value, src.toks[at:]); h != "" {
			return h
		}
		if isWord(t) {
			if h := didYouMean(strings.ToUpper(t.Value), want.words, phrase); h != "" {
				return h
			}
		}
		if h := src.misplaced(at); h != "" {
			return h
		}
		if name := src.calledBefore(at); name != "" && want.punct["("] {
			return "a procedure is called with brackets: " + name + "()"
		}
		if strings.EqualFold(src.before(at).Value, "ON") && want.punct["("] { // of an index
			return "the key stands in round brackets: ON (n.key)"
		}
		if isVariable(t) && want.punct["("] && !want.oper && !want.expr && !want.name {
			return "nodes stand in round brackets: (" + t.Value + ")"
		}
		if isReservedWord(t) && want.name {
			return t.Value + " is a word of the language: as a name it is written `" + t.Value + "`"
		}
	}
	if open, ok := src.unclosed(at); ok && (want.punct[closer(open.Value)] || at == len(src.toks)) && !src.closedLater(at, open.Value) {
		return fmt.Sprintf("the %q at line %d, column %d is not closed", open.Value, open.Pos.Line, open.Pos.Column)
	}
	return ""
}

func phrase(word string) string {
	if two, ok := twoWords[word]; ok {
		return two
	}
	return word
}

// confusion is advice on operators and comments that come from other languages.
func confusion(before string, found []lexer.Token) string {
	next := ""
	if len(found) > 1 {
		next = found[1].Value
	}
	switch found[0].Value {
	case "=":
		if before == "=" {
			return "equality is written ="
		}
	case "!":
		if next == "=" {
			return "inequality is written <>"
		}
	case "&":
		if next == "&" {
			return "write AND"
		}
	case "|":
		if next == "|" {
			return "write OR, or + to join strings"
		}
	case "-":
		if next == "-" {
			return "comments begin with //"
		}
	}
	return ""
}

// misplaced is advice on words that are known but stand in the wrong order.
func (src *source) misplaced(at int) string {
	found, before := strings.ToUpper(src.toks[at].Value), strings.ToUpper(src.before(at).Value)
	was := func(i int, word string) bool { return i >= 0 && strings.EqualFold(src.toks[i].Value, word) }
	switch {
	case found == "SKIP" || found == "OFFSET":
		if slices.ContainsFunc(src.toks[src.union(at):at], func(t lexer.Token) bool { return strings.EqualFold(t.Value, "LIMIT") }) {
			return found + " stands before LIMIT"
		}
	case before == "INDUCED" && found == "DISTINCT" && was(at-2, "MATCH"):
		return "write DISTINCT INDUCED SUBGRAPHS"
	case isModeEnd(before) && (found == "INDUCED" || found == "DISTINCT" || found == "SUBGRAPHS"):
		return "MATCH takes one mode; SUBGRAPHS already makes all nodes differ"
	case (before == "DISTINCT" || before == "INDUCED") && (was(at-2, "MATCH") || was(at-3, "MATCH") && was(at-2, "DISTINCT")):
		return "DISTINCT and INDUCED belong to SUBGRAPHS: MATCH [DISTINCT] [INDUCED] SUBGRAPHS"
	}
	return ""
}

func isModeEnd(word string) bool {
	switch word {
	case "ELEMENTS", "NODES", "VERTICES", "RELATIONSHIPS", "EDGES":
		return true
	}
	return false
}

// unclosed is the innermost bracket that is open before token at.
func (src *source) unclosed(at int) (lexer.Token, bool) {
	var open []lexer.Token
	for _, t := range src.toks[:at] {
		switch {
		case isOp(t, "([{"):
			open = append(open, t)
		case isOp(t, ")]}") && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return lexer.Token{}, false
	}
	return open[len(open)-1], true
}

// closedLater tells whether a bracket that is open at token at is closed after it.
func (src *source) closedLater(at int, open string) bool {
	depth := 1
	for _, t := range src.toks[at:] {
		switch {
		case isOp(t, open):
			depth++
		case isOp(t, closer(open)):
			if depth--; depth == 0 {
				return true
			}
		}
	}
	return false
}

func closer(open string) string {
	return map[string]string{"(": ")", "[": "]", "{": "}"}[open]
}

// calledBefore is the name of a procedure that ends before token at, after CALL.
func (src *source) calledBefore(at int) (name string) {
	for i := at - 1; i >= 0; i-- {
		t := src.toks[i]
		if strings.EqualFold(t.Value, "CALL") {
			break
		}
		if name = t.Value + name; i == 0 || !isWord(t) && t.Value != "." {
			return ""
		}
	}
	if FindProcedure(name) == nil {
		return ""
	}
	return name
}
