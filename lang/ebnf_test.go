package lang

import (
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar of the reference is read here by a recogniser of its own, which knows nothing of the parser: it finds, for a rule and a
// place among the tokens, all places where the rule may end.

// ebnf is a part of a rule: a terminal, a name of a rule or class, a sequence, a choice, or one of these that is optional or repeats.
type ebnf struct {
	text  string // of a terminal or name
	kind  byte   // '"' terminal, 'n' name, ',' sequence, '|' choice, '[' optional, '{' repeated
	parts []*ebnf
	toks  []lexer.Token // of a terminal
}

type ebnfReader struct {
	words []string
}

var ebnfWords = regexp.MustCompile(`"[^"]*"|\w+|::=|[\[\]{}()|]`)

// readGrammar reads the rules in the reference by name.
func readGrammar(t *testing.T) map[string]*ebnf {
	data, err := os.ReadFile("../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```ebnf\n(.*?)```").FindSubmatch(data)
	if m == nil {
		t.Fatal("the reference has no grammar")
	}
	rules := map[string]*ebnf{}
	r := &ebnfReader{words: ebnfWords.FindAllString(string(m[1]), -1)}
	for len(r.words) > 0 {
		name := r.words[0]
		if len(r.words) < 2 || r.words[1] != "::=" || rules[name] != nil {
			t.Fatalf("no rule begins with %s", name)
		}
		r.words = r.words[2:]
		rules[name] = r.choice()
	}
	return rules
}

func (r *ebnfReader) peek() string {
	if len(r.words) == 0 || len(r.words) > 1 && r.words[1] == "::=" {
		return ""
	}
	return r.words[0]
}

func (r *ebnfReader) choice() *ebnf {
	c := &ebnf{kind: '|'}
	for {
		s := &ebnf{kind: ','}
		for w := r.peek(); w != "" && !strings.Contains("|)]}", w); w = r.peek() {
			s.parts = append(s.parts, r.part())
		}
		c.parts = append(c.parts, s)
		if r.peek() != "|" {
			return c
		}
		r.words = r.words[1:]
	}
}

func (r *ebnfReader) part() *ebnf {
	w := r.words[0]
	r.words = r.words[1:]
	switch w {
	case "(", "[", "{":
		inner := r.choice()
		r.words = r.words[1:]
		if w == "(" {
			return inner
		}
		return &ebnf{kind: w[0], parts: []*ebnf{inner}}
	}
	if w[0] == '"' {
		text := strings.Trim(w, `"`)
		return &ebnf{kind: '"', text: text, toks: scan(text)}
	}
	return &ebnf{kind: 'n', text: w}
}

// recogniser recognises the tokens of one text.
type recogniser struct {
	rules map[string]*ebnf
	toks  []lexer.Token
	memo  map[*ebnf]map[int][]int
}

func (r *recogniser) accepts() bool {
	for _, end := range r.ends(r.rules["script"], 0) {
		if end == len(r.toks) {
			return true
		}
	}
	return false
}

// ends is where x may end that begins at i.
func (r *recogniser) ends(x *ebnf, i int) []int {
	if ends, ok := r.memo[x][i]; ok {
		return ends
	}
	if r.memo[x] == nil {
		r.memo[x] = map[int][]int{}
	}
	r.memo[x][i] = nil // no rule begins with itself
	found := map[int]bool{}
	switch x.kind {
	case '"':
		if r.terminal(x, i) {
			found[i+len(x.toks)] = true
		}
	case 'n':
		r.named(x.text, i, found)
	case '|':
		for _, part := range x.parts {
			note(found, r.ends(part, i))
		}
	case ',':
		found[i] = true
		for _, part := range x.parts {
			next := map[int]bool{}
			for at := range found {
				note(next, r.ends(part, at))
			}
			found = next
		}
	case '[':
		found[i] = true
		note(found, r.ends(x.parts[0], i))
	case '{':
		found[i] = true
		for todo := []int{i}; len(todo) > 0; todo = todo[1:] {
			for _, end := range r.ends(x.parts[0], todo[0]) {
				if !found[end] {
					found[end] = true
					todo = append(todo, end)
				}
			}
		}
	}
	for end := range found {
		r.memo[x][i] = append(r.memo[x][i], end)
	}
	return r.memo[x][i]
}

func note(found map[int]bool, ends []int) {
	for _, end := range ends {
		found[end] = true
	}
}

func (r *recogniser) terminal(x *ebnf, i int) bool {
	if i+len(x.toks) > len(r.toks) {
		return false
	}
	for j, want := range x.toks {
		if t := r.toks[i+j]; t.Type == kindQuoted || t.Type == kindString || !strings.EqualFold(t.Value, want.Value) {
			return false
		}
	}
	return true
}

// named goes into a rule, or takes a token of a class.
func (r *recogniser) named(name string, i int, found map[int]bool) {
	if rule := r.rules[name]; rule != nil {
		note(found, r.ends(rule, i))
		return
	}
	if i == len(r.toks) {
		return
	}
	t := r.toks[i]
	switch name {
	case "NAME":
		found[i+1] = isVariable(t)
	case "KEY":
		found[i+1] = isVariable(t) || isWord(t)
	case "NUMBER":
		found[i+1] = t.Type == kindNumber
	case "STRING":
		found[i+1] = t.Type == kindString
	case "PARAMETER":
		found[i+1] = t.Type == kindParam
	}
	if !found[i+1] {
		delete(found, i+1)
	}
}

func recognised(rules map[string]*ebnf, text string) bool {
	r := recogniser{rules: rules, toks: scan(text), memo: map[*ebnf]map[int][]int{}}
	(&lookahead{toks: r.toks}).names()
	return r.accepts()
}

// The grammar of the reference and the parser agree: on statements of every form, on random ones, on the examples of the reference, and on
// the same with a token left out, doubled or put in another place. Where they differ they do so for a reason that the reference gives.
func TestGrammar(t *testing.T) {
	rules := readGrammar(t)
	for name, rule := range rules {
		checkNames(t, rules, name, rule)
	}
	g := generator{rand.New(rand.NewPCG(6, 6))}
	texts := forms(t)
	for range 25 {
		texts = append(texts, g.statement().String())
	}
	for _, text := range texts {
		if !recognised(rules, text) {
			t.Errorf("the grammar has no place for %s", text)
		}
	}
	agree, both := 0, 0
	for range 400 {
		text := mutated(g, pick(g, forms(t)...))
		_, err := Parse(text)
		reads := err == nil || !refused(err.(*Error))
		if reads != recognised(rules, text) {
			t.Errorf("the parser reads it: %v: %s\n%v", reads, text, err)
			continue
		}
		agree++
		if reads {
			both++
		}
	}
	t.Logf("%d agree, of which %d are read", agree, both)
}

// refused tells whether an error is about the form of a text, and not about what is in it.
func refused(e *Error) bool {
	return strings.HasPrefix(e.Msg, "unexpected ") || e.Code == codeNotSupported || strings.HasPrefix(e.Msg, "a length is not") || strings.HasPrefix(e.Msg, "a range of lengths") || e.Msg == "this is not a parameter name"
}

// checkNames checks that every name in a rule is a rule or a class of tokens.
func checkNames(t *testing.T, rules map[string]*ebnf, name string, x *ebnf) {
	if x.kind == 'n' && rules[x.text] == nil && !strings.Contains("NAME KEY NUMBER STRING PARAMETER", x.text) {
		t.Errorf("%s: there is no rule %s", name, x.text)
	}
	for _, part := range x.parts {
		checkNames(t, rules, name, part)
	}
}

// mutated leaves out, doubles or moves a token.
func mutated(g generator, text string) string {
	var words []string
	for _, tok := range scan(text) {
		words = append(words, tok.Value)
	}
	i, j := g.IntN(len(words)), g.IntN(len(words))
	switch g.IntN(3) {
	case 0:
		words[i] = ""
	case 1:
		words[i] += " " + words[i]
	case 2:
		words[i], words[j] = words[j], words[i]
	}
	return strings.Join(words, " ")
}
