package lang

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2/lexer"
)

// Rules read the tokens of a statement. They are made of the tags of the grammar's structs when the first statement is read. A rule knows
// which tokens it may begin with: a choice goes straight to the part that fits, and a missing part costs one test.
//
// The tags are in the language of participle, whose parser reads them, too, at a tenth of the speed. It is the oracle of the tests: both
// give the same tree, or stop at the same token, on every text. FuzzFastParse looks for a text that they read differently.

// rule is a part of the grammar.
type rule struct {
	op        ruleOp
	starts    symbolSet // the tokens that it may begin with, and perhaps more
	empty     bool      // it may match without taking a token
	skippable bool      // it matches, and does nothing, at a token that it may not begin with
	early     bool      // it may set a field before it takes a token
	state     ruleState // of finding out starts, empty and early

	set   symbolSet // ruleToken: any of these
	typed symbol    // ruleTyped: a word or sign that must also be of a kind
	parts []*rule

	into    int          // ruleCapture: the field
	capture captureKind  // ruleCapture: what the field takes
	typ     reflect.Type // ruleStruct
	tokens  int          // ruleStruct: the field that takes all its tokens, or -1
	hook    hook         // ruleHook
}

type ruleOp uint8

const (
	ruleToken ruleOp = iota
	ruleTyped
	ruleSequence
	ruleChoice
	ruleOptional
	ruleMany // none or more
	ruleSome // one or more
	ruleAhead
	ruleNotAhead
	ruleCapture
	ruleStruct
	ruleHook
)

type ruleState uint8

const (
	ruleNew ruleState = iota
	ruleBegun
	ruleReady
)

// captureKind is how a field takes what a rule matches.
type captureKind uint8

const (
	captureToken    captureKind = iota // the first token
	captureTokens                      // all tokens
	captureBool                        // true
	captureValue                       // the struct
	captureValues                      // the struct, behind those before it
	capturePointer                     // a pointer to the struct
	capturePointers                    // a pointer to the struct, behind those before it
)

// symbol is what the grammar sees of a token: its kind, and its word or sign if the grammar names it (otherwise 0).
type symbol struct{ kind, word uint8 }

// symbolSet is a set of kinds (bits from 0) and of words and signs (bits from wordBits).
type symbolSet [4]uint64

const wordBits = 32

func (s *symbolSet) add(bit uint8) { s[bit>>6] |= 1 << (bit & 63) }

func (s *symbolSet) has(t symbol) bool {
	word := wordBits + t.word
	return (s[0]>>(t.kind&63)|s[word>>6&3]>>(word&63))&1 != 0
}

func (s *symbolSet) union(o *symbolSet) {
	for i := range s {
		s[i] |= o[i]
	}
}

var everySymbol = symbolSet{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}

// ruleBook is the rules of the grammar.
type ruleBook struct {
	structs map[reflect.Type]*rule
	all     []*rule
	words   map[string]uint8 // the words that the grammar names, in upper case, and the signs
	signs   [128]uint8       // the signs of one character again
}

// grammarRoots are the types that texts are read as.
var grammarRoots = []reflect.Type{reflect.TypeFor[gStatement](), reflect.TypeFor[gExpr](), reflect.TypeFor[gLabelOr](), reflect.TypeFor[gType]()}

var rules = sync.OnceValue(func() *ruleBook { return newRuleBook(grammarRoots...) })

func newRuleBook(roots ...reflect.Type) *ruleBook {
	b := &ruleBook{structs: make(map[reflect.Type]*rule), words: make(map[string]uint8)}
	for _, t := range roots {
		b.structRule(t)
	}
	for _, r := range b.all {
		b.prepare(r)
	}
	return b
}

var (
	hookType   = reflect.TypeFor[hook]()
	tokenType  = reflect.TypeFor[lexer.Token]()
	tokensType = reflect.TypeFor[[]lexer.Token]()
)

// structRule is the rule of a struct type.
func (b *ruleBook) structRule(t reflect.Type) *rule {
	if r := b.structs[t]; r != nil {
		return r
	}
	r := b.rule(rule{op: ruleStruct, typ: t, tokens: -1})
	b.structs[t] = r
	if reflect.PointerTo(t).Implements(hookType) {
		r.op, r.hook = ruleHook, reflect.New(t).Interface().(hook)
		return r
	}
	if f, ok := t.FieldByName("Tokens"); ok && f.Type == tokensType {
		r.tokens = f.Index[0]
	}
	tags := readTags(b, t)
	r.parts = []*rule{tags.choice()}
	if tags.at < len(tags.words) {
		panic(fmt.Sprintf("the grammar of %s goes on with %s", t, tags.words[tags.at].text))
	}
	return r
}

func (b *ruleBook) rule(r rule) *rule {
	b.all = append(b.all, &r)
	return &r
}

// literal is the number of a word or sign.
func (b *ruleBook) literal(text string) uint8 {
	n, ok := b.words[text]
	if !ok {
		n = uint8(len(b.words) + 1)
		if wordBits+int(n) > 255 || len(text) > longestWord {
			panic("the grammar names too many words, or one that is too long")
		}
		b.words[text] = n
		if len(text) == 1 {
			b.signs[text[0]&127] = n
		}
	}
	return n
}

// prepare finds out which tokens a rule may begin with. It goes only where the rule may begin, so it ends in a grammar without left recursion.
func (b *ruleBook) prepare(r *rule) {
	switch r.state {
	case ruleReady:
		return
	case ruleBegun:
		panic(fmt.Sprintf("a rule of %v begins with itself", r.typ))
	}
	r.state = ruleBegun
	switch r.op {
	case ruleToken:
		r.starts = r.set
	case ruleTyped:
		r.starts.add(wordBits + r.typed.word)
	case ruleHook:
		r.starts = everySymbol
	case ruleAhead, ruleNotAhead:
		r.empty = true
	case ruleSequence:
		r.empty = true
		for _, p := range r.parts {
			b.prepare(p)
			r.starts.union(&p.starts)
			r.early = r.early || p.early
			if r.empty = p.empty; !r.empty {
				break
			}
		}
	default:
		for _, p := range r.parts {
			b.prepare(p)
			r.starts.union(&p.starts)
			r.empty, r.early = r.empty || p.empty, r.early || p.early
		}
		b.check(r)
		if r.op == ruleOptional || r.op == ruleMany {
			r.empty, r.skippable = true, !r.empty
		}
	}
	r.state = ruleReady
}

// check refuses tags that rules would read in another way than participle. The tests find such tags.
func (b *ruleBook) check(r *rule) {
	switch r.op {
	case ruleStruct:
		r.early = false
	case ruleCapture:
		if s := r.parts[0]; (r.capture == captureValue || r.capture == captureValues) && s.parts[0].early {
			panic(fmt.Sprintf("%v sets a field before it takes a token: take a pointer to it", s.typ))
		}
		r.early = r.early || r.empty
	case ruleChoice, ruleMany, ruleSome:
		if r.empty {
			panic("a part of a choice or repetition may be empty")
		}
		fallthrough
	case ruleOptional:
		for _, p := range r.parts {
			if p.op == ruleSequence && p.early {
				panic("a part that may be missing sets a field before it takes a token")
			}
		}
	}
}

// symbols are what the grammar sees of tokens, and of the end behind them.
func (b *ruleBook) symbols(toks []lexer.Token) []symbol {
	out := make([]symbol, len(toks)+1)
	for i := range toks {
		t := &toks[i]
		out[i].kind = uint8(t.Type)
		switch {
		case isWord(*t):
			out[i].word = b.word(t.Value)
		case sign(t) != 0:
			out[i].word = b.signs[t.Value[0]&127]
		case isSign(t.Type), t.Type == kindBad: // a $ without a name is one, and a sign of the grammar
			out[i].word = b.words[t.Value]
		}
	}
	return out
}

// longestWord bounds the words that the grammar names.
const longestWord = 32

// word is the number of a word in any case, or 0.
func (b *ruleBook) word(text string) uint8 {
	var buf [longestWord]byte
	if upper, ok := upperASCII(text, buf[:]); ok {
		return b.words[string(upper)]
	}
	if len(text) > 3*longestWord { // a letter in another case has at most three bytes
		return 0
	}
	return b.foreignWord(text)
}

// foreignWord is the number of a word with letters such as the sign for Kelvin, which is a k in another case.
func (b *ruleBook) foreignWord(text string) uint8 {
	for word, n := range b.words {
		if strings.EqualFold(word, text) {
			return n
		}
	}
	return 0
}
