package assist

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/motifql/motif"
	"github.com/motifql/motif/lang"
)

// Completion is what may stand at the cursor. One of Options replaces the text from From to the cursor.
type Completion struct {
	From    int    // byte of the text at which the word at the cursor begins
	Word    string // the part of the word before the cursor
	Options []Option
}

// Option is a word that may stand at the cursor.
type Option struct {
	Text  string // to insert
	About string // what it means, or ""
	Kind  string // "keywords", "labels" and the like
}

// modes are the words that may follow MATCH.
var modes = []lang.Keyword{
	{Word: "DIFFERENT NODES", Help: "no node twice: subgraph isomorphism"},
	{Word: "DIFFERENT RELATIONSHIPS", Help: "no relationship twice (the default)"},
	{Word: "REPEATABLE ELEMENTS", Help: "anything may repeat: homomorphism"},
	{Word: "DISTINCT SUBGRAPHS", Help: "each subgraph once"},
	{Word: "INDUCED SUBGRAPHS", Help: "no further relationship of the pattern's types between the nodes"},
	{Word: "DISTINCT INDUCED SUBGRAPHS", Help: "both"},
	{Word: "ANY SHORTEST", Help: "a shortest path"},
	{Word: "ALL SHORTEST", Help: "all shortest paths"},
	{Word: "SHORTEST", Help: "SHORTEST k [GROUPS]"},
	{Word: "TRAIL", Help: "paths in which no relationship repeats"},
	{Word: "ACYCLIC", Help: "paths in which no node repeats"},
}

// spelled gives the spelling of words that open a bracket.
var spelled = map[string]string{"EXISTS": "EXISTS {", "COUNT": "COUNT {", "COLLECT": "COLLECT {", "NONE": "none(", "SINGLE": "single(", "REDUCE": "reduce(",
	"SHORTESTPATH": "shortestPath(", "ALLSHORTESTPATHS": "allShortestPaths("}

// begins and clauses are the words offered before anything is typed.
var begins = []string{"MATCH", "OPTIONAL MATCH", "WITH", "UNWIND", "RETURN", "CREATE", "MERGE", "FOREACH", "LOAD CSV", "CALL", "SHOW", "DROP", "EXPLAIN", "PROFILE"}

var clauses = []string{"MATCH", "OPTIONAL MATCH", "WHERE", "WITH", "UNWIND", "RETURN", "CREATE", "MERGE", "SET", "REMOVE", "DELETE", "DETACH DELETE",
	"FOREACH", "LOAD CSV", "CALL", "UNION", "ORDER BY", "SKIP", "LIMIT", "AND", "OR", "AS"}

// Complete returns what may stand at the cursor, a byte of the text. It reads the text behind the cursor, too, because a variable may get its
// name there. The rules of highlighting decide what kind of word the place takes.
func (a *Assistant) Complete(ctx context.Context, text string, cursor int) Completion {
	cursor = max(0, min(cursor, len(text)))
	c := completer{a, ctx, a.Schema(ctx)}
	return c.query(text[:cursor], text)
}

// completer is one call of Complete.
type completer struct {
	*Assistant
	ctx   context.Context
	known *motif.Schema
}

func (c *completer) query(head, line string) Completion {
	start := wordStart(head)
	out := Completion{From: start, Word: head[start:]}
	before := head[:start]
	if out.Word != "" && unicode.IsDigit(rune(out.Word[0])) {
		return Completion{}
	}
	if quote := stringStart(head, start); quote < start {
		if call := callBefore(tokensBefore(head[:quote])); call != nil && call.place == "value" {
			return c.call(head, call)
		}
	}
	tokens := statementAround(lex(before+"x"), len(before))
	if strings.HasSuffix(before, "$") {
		out.add("parameters", slices.Sorted(maps.Keys(c.Params)))
		return out
	}
	if len(tokens) == 0 {
		return Completion{} // inside a comment
	}
	probe, tokens := tokens[len(tokens)-1], tokens[:len(tokens)-1]
	if call := callBefore(tokens); call != nil {
		return c.call(head, call)
	}
	switch probe.kind {
	case lang.TokenLabel:
		out.add("labels", names(c.known.Labels))
	case lang.TokenType:
		out.add("types", names(c.known.Types))
	case lang.TokenProperty:
		out.add("properties", c.propertiesAt(tokens, statementAround(lex(line), start)))
	case lang.TokenName:
		out.addExpression(tokens, variables(line, start), c.Words)
	}
	return out
}

// add appends the names that begin with the word at the cursor, in any case.
func (out *Completion) add(kind string, names []string) {
	for _, n := range names {
		shown := lang.QuoteKey(n)
		if hasPrefixFold(n, out.Word) || hasPrefixFold(shown, out.Word) {
			out.Options = append(out.Options, Option{Text: shown, Kind: kind})
		}
	}
}

// addExpression offers variables, keywords and functions. Before anything is typed there are too many: it then offers only
// variables and the words that begin a clause.
func (out *Completion) addExpression(tokens []token, vars []string, more []lang.Keyword) {
	last := ""
	if len(tokens) > 0 {
		last = strings.ToUpper(tokens[len(tokens)-1].text)
	}
	out.addSecond(last)
	switch {
	case last == "":
		out.addKeywords(lang.Keywords, begins)
		out.addKeywords(more, nil)
	case last == "AS":
		return // nobody can guess a new name
	case last == "MATCH":
		out.addKeywords(modes, nil)
	case inPattern(tokens):
		out.add("variables", vars)
		out.addKeywords(lang.Keywords, []string{"WHERE"})
	case out.Word == "":
		out.add("variables", vars)
		out.addKeywords(lang.Keywords, clauses)
	default:
		out.add("variables", vars)
		out.addKeywords(lang.Keywords, nil)
		out.addFunctions()
	}
}

// addSecond offers the rest of a keyword of several words whose first word is typed.
func (out *Completion) addSecond(first string) {
	var rest []lang.Keyword
	for _, k := range lang.Keywords {
		if word, ok := strings.CutPrefix(k.Word, first+" "); ok && first != "" {
			rest = append(rest, lang.Keyword{Word: word, Help: k.Help})
		}
	}
	out.addKeywords(rest, nil)
}

// inPattern reports whether the tokens end inside a node or relationship of MATCH.
func inPattern(tokens []token) bool {
	depth := 0
	for i := len(tokens) - 1; i >= 0; i-- {
		t := tokens[i]
		switch {
		case strings.Contains(")]}", t.text):
			depth--
		case t.text == "{" && depth == 0:
			return false
		case strings.Contains("([{", t.text):
			depth++
		case t.kind == lang.TokenKeyword:
			switch strings.ToUpper(t.text) {
			case "MATCH", "CREATE", "MERGE":
				return depth > 0
			case "WHERE", "RETURN", "WITH", "SET", "UNWIND", "DELETE":
				if depth >= 0 {
					return false
				}
			}
		}
	}
	return false
}

// addKeywords appends the keywords that begin with the word, in its case. If only is not nil, it appends no others than
// those.
func (out *Completion) addKeywords(words []lang.Keyword, only []string) {
	lower := out.Word != "" && strings.ToLower(out.Word) == out.Word
	for _, k := range words {
		if !hasPrefixFold(k.Word, out.Word) || only != nil && !slices.Contains(only, k.Word) {
			continue
		}
		text := k.Word
		if s, ok := spelled[text]; ok {
			text = s
		}
		if lower && text == strings.ToUpper(text) {
			text = strings.ToLower(text)
		}
		if slices.ContainsFunc(out.Options, func(o Option) bool { return o.Text == text }) {
			continue
		}
		out.Options = append(out.Options, Option{Text: text, About: k.Help, Kind: "keywords"})
	}
}

func (out *Completion) addFunctions() {
	for _, f := range lang.Functions {
		if hasPrefixFold(f.Name, out.Word) {
			out.Options = append(out.Options, Option{Text: f.Name + "(", About: f.Signature, Kind: "functions"})
		}
	}
}

// variables lists the names in the statement of the word at start, in order and without that word.
func variables(line string, start int) []string {
	var list []string
	for _, t := range statementAround(lex(line), start) {
		if t.kind == lang.TokenName && t.start != start && !slices.Contains(list, t.text) {
			list = append(list, t.text)
		}
	}
	return list
}

// statementAround returns the tokens of the statement at a place.
func statementAround(tokens []token, at int) []token {
	from := 0
	for i, t := range tokens {
		switch {
		case t.text != ";" || t.kind != lang.TokenOperator:
		case t.end <= at:
			from = i + 1
		default:
			return tokens[from:i]
		}
	}
	return tokens[from:]
}

func names(counts []motif.NameCount) []string {
	list := make([]string, len(counts))
	for i, c := range counts {
		list[i] = c.Name
	}
	return list
}

// wordStart returns where the name at the end of head begins. A backquote belongs to the name.
func wordStart(head string) int {
	i := len(head)
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(head[:i])
		if !isNameRune(r) {
			break
		}
		i -= n
	}
	if i > 0 && head[i-1] == '`' && strings.Count(head[:i], "`")%2 == 1 {
		i--
	}
	return i
}

// isNameRune reports whether a name may hold r without quotes.
func isNameRune(r rune) bool {
	return unicode.In(r, unicode.L, unicode.Nl, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc)
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
