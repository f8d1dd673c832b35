package repl

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/motifql/motif"
	"github.com/motifql/motif/lang"
)

// candidates is what may stand at the cursor. before and one of the list replace the line up to the cursor.
type candidates struct {
	before string // the line up to the word at the cursor
	word   string // the part of the word that is typed
	list   []candidate
}

type candidate struct {
	text  string // to insert
	about string // shown beside it; may be ""
	kind  string // heading
}

// completer offers what may come next. It knows the language and the names in the graph.
type completer struct {
	schema *motif.Schema
	params motif.Params // the shell sets them
	db     *motif.DB    // nil: the schema is all that is known

	stale      bool                // the schema may have changed
	keysByName map[string][]string // by label or type
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

// transactionWords are statements of the shell and of motif run, not of the language.
var transactionWords = []lang.Keyword{
	{Word: "BEGIN", Help: "opens a transaction: what follows is kept by COMMIT, or dropped by ROLLBACK"},
	{Word: "COMMIT", Help: "ends a transaction and keeps what was written in it"},
	{Word: "ROLLBACK", Help: "ends a transaction and drops what was written in it"},
}

// complete returns the candidates for line. cursor is the first byte after the cursor.
func (c *completer) complete(line string, cursor int) candidates {
	c.refresh()
	head := line[:cursor]
	if strings.HasPrefix(strings.TrimSpace(head), ":") {
		return c.completeCommand(head)
	}
	return c.completeQuery(head, line)
}

// completeQuery completes inside a query. line is the whole input, because a variable may get its name after the cursor.
// The highlighter's rules decide what kind of word the place takes.
func (c *completer) completeQuery(head, line string) candidates {
	start := wordStart(head)
	out := candidates{before: head[:start], word: head[start:]}
	if out.word != "" && unicode.IsDigit(rune(out.word[0])) {
		return candidates{}
	}
	if quote := stringStart(head, start); quote < start {
		if call := callBefore(tokensBefore(head[:quote])); call != nil && call.place == "value" {
			return c.completeCall(head, call)
		}
	}
	tokens := statementAround(lex(out.before+"x"), len(out.before))
	if strings.HasSuffix(out.before, "$") {
		out.add("parameters", sortedKeys(c.params))
		return out
	}
	if len(tokens) == 0 {
		return candidates{} // inside a comment
	}
	probe, tokens := tokens[len(tokens)-1], tokens[:len(tokens)-1]
	if call := callBefore(tokens); call != nil {
		return c.completeCall(head, call)
	}
	switch probe.kind {
	case lang.TokenLabel:
		out.add("labels", names(c.schema.Labels))
	case lang.TokenType:
		out.add("types", names(c.schema.Types))
	case lang.TokenProperty:
		out.add("properties", c.propertiesAt(tokens, statementAround(lex(line), start)))
	case lang.TokenName:
		out.addExpression(tokens, variables(line, start))
	}
	return out
}

// add appends the names that begin with the word at the cursor, in any case.
func (out *candidates) add(kind string, names []string) {
	for _, n := range names {
		shown := Name(n)
		if hasPrefixFold(n, out.word) || hasPrefixFold(shown, out.word) {
			out.list = append(out.list, candidate{text: shown, kind: kind})
		}
	}
}

// addExpression offers variables, keywords and functions. Before anything is typed there are too many: it then offers only
// variables and the words that begin a clause.
func (out *candidates) addExpression(tokens []token, vars []string) {
	last := ""
	if len(tokens) > 0 {
		last = strings.ToUpper(tokens[len(tokens)-1].text)
	}
	out.addSecond(last)
	switch {
	case last == "":
		out.addKeywords(lang.Keywords, begins)
		out.addKeywords(transactionWords, nil)
	case last == "AS":
		return // nobody can guess a new name
	case last == "MATCH":
		out.addKeywords(modes, nil)
	case inPattern(tokens):
		out.add("variables", vars)
		out.addKeywords(lang.Keywords, []string{"WHERE"})
	case out.word == "":
		out.add("variables", vars)
		out.addKeywords(lang.Keywords, clauses)
	default:
		out.add("variables", vars)
		out.addKeywords(lang.Keywords, nil)
		out.addFunctions()
	}
}

// addSecond offers the rest of a keyword of several words whose first word is typed.
func (out *candidates) addSecond(first string) {
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
func (out *candidates) addKeywords(words []lang.Keyword, only []string) {
	lower := out.word != "" && strings.ToLower(out.word) == out.word
	for _, k := range words {
		if !hasPrefixFold(k.Word, out.word) || only != nil && !slices.Contains(only, k.Word) {
			continue
		}
		text := k.Word
		if s, ok := spelled[text]; ok {
			text = s
		}
		if lower && text == strings.ToUpper(text) {
			text = strings.ToLower(text)
		}
		if slices.ContainsFunc(out.list, func(c candidate) bool { return c.text == text }) {
			continue
		}
		out.list = append(out.list, candidate{text: text, about: k.Help, kind: "keywords"})
	}
}

func (out *candidates) addFunctions() {
	for _, f := range lang.Functions {
		if hasPrefixFold(f.Name, out.word) {
			out.list = append(out.list, candidate{text: f.Name + "(", about: f.Signature, kind: "functions"})
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

func (c *completer) keys() []string {
	all := slices.Concat(c.schema.NodeKeys, c.schema.RelationshipKeys)
	slices.Sort(all)
	return slices.Compact(all)
}

// completeCommand completes a colon command and its argument.
func (c *completer) completeCommand(head string) candidates {
	lead := len(head) - len(strings.TrimLeftFunc(head, unicode.IsSpace))
	word, arg, hasArg := strings.Cut(head[lead:], " ")
	if !hasArg {
		out := candidates{before: head[:lead], word: word}
		for _, cmd := range commands() {
			if strings.HasPrefix(":"+cmd.name, word) {
				out.list = append(out.list, candidate{text: ":" + cmd.name, about: cmd.about, kind: "commands"})
			}
		}
		return out
	}
	arg = strings.TrimLeft(arg, " ")
	out := candidates{before: strings.TrimSuffix(head, arg), word: arg}
	switch strings.TrimPrefix(word, ":") {
	case "mode":
		out.add("formats", Formats)
	case "help":
		out.add("topics", topics())
	case "timing", "brute":
		out.add("", []string{"on", "off"})
	case "param":
		out.add("parameters", sortedKeys(c.params))
	case "set":
		out.addKnobs()
	case "schema":
		out.add("labels", names(c.schema.Labels))
		out.add("types", names(c.schema.Types))
	case "read", "source", "output":
		out.addFiles()
	case "explain", "watch", "edit":
		inner := c.completeQuery(arg, arg)
		inner.before = out.before + inner.before
		return inner
	}
	return out
}

// addKnobs offers the knobs, or the values of a named one.
func (out *candidates) addKnobs() {
	knob, value, named := strings.Cut(out.word, " ")
	for _, set := range settings() {
		switch {
		case !named && strings.HasPrefix(set.name, knob):
			out.list = append(out.list, candidate{text: set.name, about: set.about, kind: "settings"})
		case named && set.name == knob:
			out.before, out.word = out.before+knob+" ", value
			out.add("values", set.values)
			return
		}
	}
	for _, k := range motif.Knobs() {
		switch {
		case !named && strings.HasPrefix(k.Name, knob):
			out.list = append(out.list, candidate{text: k.Name, about: k.Help, kind: "knobs"})
		case named && k.Name == knob:
			list := value[:strings.LastIndexByte(value, ',')+1]
			out.before, out.word = out.before+knob+" "+list, value[len(list):]
			for i, v := range k.Values {
				if strings.HasPrefix(v, out.word) {
					out.list = append(out.list, candidate{text: v, about: k.About[i], kind: "values"})
				}
			}
			return
		}
	}
}

// addFiles offers the files and folders whose path begins with the word.
func (out *candidates) addFiles() {
	dir, base := filepath.Split(out.word)
	at := dir
	if at == "" {
		at = "."
	}
	entries, err := os.ReadDir(at)
	if err != nil {
		return // nothing to offer
	}
	for _, e := range entries {
		path := dir + e.Name()
		switch {
		case !strings.HasPrefix(e.Name(), base), base == "" && strings.HasPrefix(e.Name(), "."):
			continue
		case e.IsDir():
			path += string(filepath.Separator)
		}
		out.list = append(out.list, candidate{text: path, kind: "files"})
	}
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
