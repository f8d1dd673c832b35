package lang

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// The kinds of token the scanner gives. Operators are one character each, so that an arrow such as "-->" may be
// taken apart by the grammar, but for the few in twoCharOps that no pattern can contain.
const (
	kindIdent    lexer.TokenType = iota + 1 // a word that may be a variable
	kindKeyword                             // a reserved word: a name only after ":" and ".", or as a map key
	kindOpWord                              // a reserved word that stands between two operands
	kindConstant                            // null, true or false
	kindQuoted                              // `any name`
	kindNumber                              // well-formedness is checked when the tree is built
	kindString                              // '...' or "..."
	kindParam                               // $name, $0, $`any name`
	kindOp
	kindBinary  // an operator that may stand between two operands, in patterns also a part of an arrow
	kindComment // only given when asked for, if it can be read
	kindBad     // what cannot be a token; reason() says why

	// Those that mark gives.
	kindPattern
	kindListComp
	kindPatternComp
	kindBar
	kindSubquery
	kindQuantifier
	kindReduce
	kindShortest
)

var twoCharOps = [...]string{"..", "<>", "<=", ">=", "=~", "||"}

const oneCharOps = "-+*/%^=<>(){}[],.:;|&!?"

// scanner cuts text into tokens. It never fails: what it cannot read becomes a kindBad token, so that the parser
// reports whatever is wrong first in the order of the text.
type scanner struct {
	text     string
	pos      lexer.Position
	comments bool            // give comments as tokens
	most     int             // of tokens; 0: any number
	ctx      context.Context // nil: scanning does not stop
	room     []lexer.Token   // all puts the tokens here, as far as they fit
}

// scan returns the tokens of text, without comments.
func scan(text string) []lexer.Token { return (&scanner{text: text}).all() }

func (s *scanner) all() []lexer.Token {
	toks := slices.Grow(s.room[:0], min(len(s.text)/2+1, maxTokenRoom))
	s.each(func(t lexer.Token) bool {
		toks = append(toks, t)
		return s.most == 0 || len(toks) <= s.most
	})
	return toks
}

// pollEvery is after how many tokens, or parts of a tree, reading a query looks at its context.
const pollEvery = 1024

// each calls visit for every token until visit returns false or the context ends.
func (s *scanner) each(visit func(lexer.Token) bool) {
	s.pos = lexer.Position{Line: 1, Column: 1}
	n := 0
	for more := true; more; {
		if n++; n%pollEvery == 0 && s.ctx != nil && s.ctx.Err() != nil {
			return
		}
		s.advance(blanks(s.text[s.pos.Offset:]))
		rest := s.text[s.pos.Offset:]
		if rest == "" {
			return
		}
		kind, size := token(rest)
		if kind != kindComment || s.comments {
			more = visit(lexer.Token{Type: kind, Value: rest[:size], Pos: s.pos})
		}
		s.advance(size)
	}
}

// end is the position after the last character; all has been called.
func (s *scanner) end() lexer.Position { return s.pos }

func (s *scanner) advance(n int) {
	span := s.text[s.pos.Offset : s.pos.Offset+n]
	s.pos.Offset += n
	for i := range len(span) {
		switch c := span[i]; {
		case c >= utf8.RuneSelf:
			s.advanceRunes(span[i:])
			return
		case c == '\n':
			s.pos.Line++
			s.pos.Column = 1
		default:
			s.pos.Column++
		}
	}
}

func (s *scanner) advanceRunes(span string) {
	if i := strings.LastIndexByte(span, '\n'); i >= 0 {
		s.pos.Line += strings.Count(span, "\n")
		s.pos.Column = 1
		span = span[i+1:]
	}
	s.pos.Column += utf8.RuneCountInString(span)
}

// blanks is the length of the blanks that rest begins with: Unicode spaces and a byte order mark.
func blanks(rest string) int {
	i := 0
	for i < len(rest) && (rest[i] == ' ' || '\t' <= rest[i] && rest[i] <= '\r') {
		i++
	}
	if i == len(rest) || rest[i] < utf8.RuneSelf {
		return i
	}
	rest = rest[i:]
	n := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsSpace(r) && r != '\uFEFF' })
	if n < 0 {
		n = len(rest)
	}
	return i + n
}

// token returns the kind and length of the token that rest, which is not empty, begins with.
func token(rest string) (lexer.TokenType, int) {
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r == '\'' || r == '"':
		return stringToken(rest)
	case r == '`':
		return quotedToken(rest)
	case r == '$':
		return paramToken(rest)
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"):
		return commentToken(rest)
	case isDigit(r), r == '.' && len(rest) > 1 && isDigit(rune(rest[1])):
		return kindNumber, numberLen(rest)
	case isNameStart(r):
		n := nameLen(rest)
		return wordKind(rest[:n]), n
	}
	if len(rest) > 1 && slices.Contains(twoCharOps[:], rest[:2]) {
		return opKind(rest[:2]), 2
	}
	if r < utf8.RuneSelf && signKinds[r] != 0 {
		return signKinds[r], 1
	}
	return kindBad, size
}

// signKinds are the kinds of the operators of one character.
var signKinds = func() (kinds [utf8.RuneSelf]lexer.TokenType) {
	for i, c := range oneCharOps {
		kinds[c] = opKind(oneCharOps[i : i+1])
	}
	return kinds
}()

func opKind(op string) lexer.TokenType {
	if precedence[Op(op)] > 0 {
		return kindBinary
	}
	return kindOp
}

// wordKind is the kind of a word that is not quoted.
func wordKind(word string) lexer.TokenType {
	if len(word) > longestReserved {
		return kindIdent
	}
	var buf [longestReserved]byte
	if upper, ok := upperASCII(word, buf[:]); ok {
		return max(kindIdent, reservedKinds[string(upper)])
	}
	return max(kindIdent, reservedKinds[strings.ToUpper(word)])
}

// reservedKinds are the kinds of the reserved words.
var reservedKinds = func() map[string]lexer.TokenType {
	kinds := make(map[string]lexer.TokenType)
	for word := range reserved {
		switch word {
		case "OR", "XOR", "AND", "IN", "CONTAINS":
			kinds[word] = kindOpWord
		case "NULL", "TRUE", "FALSE":
			kinds[word] = kindConstant
		default:
			kinds[word] = kindKeyword
		}
	}
	return kinds
}()

// upperASCII writes a word in upper case into buf. It reports false if the word has other letters than ASCII's, or more than buf holds.
func upperASCII(word string, buf []byte) ([]byte, bool) {
	if len(word) > len(buf) {
		return nil, false
	}
	for i := range len(word) {
		c := word[i]
		if c >= utf8.RuneSelf {
			return nil, false
		}
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		buf[i] = c
	}
	return buf[:len(word)], true
}

// isWord tells whether t is a word, reserved or not, and not quoted.
func isWord(t lexer.Token) bool {
	return t.Type == kindIdent || isReservedWord(t) || kindSubquery <= t.Type && t.Type <= kindShortest
}

func isReservedWord(t lexer.Token) bool {
	return t.Type == kindKeyword || t.Type == kindOpWord || t.Type == kindConstant
}

// isOp tells whether t is one of a few operators of one character.
func isOp(t lexer.Token, ops string) bool {
	return isSign(t.Type) && strings.Contains(ops, t.Value)
}

func isSign(kind lexer.TokenType) bool {
	return kind == kindOp || kind == kindBinary || kindPattern <= kind && kind <= kindBar
}

// sign is the character that t is, or 0.
func sign(t *lexer.Token) byte {
	if len(t.Value) != 1 || !isSign(t.Type) {
		return 0
	}
	return t.Value[0]
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// isNameStart and isNamePart follow Unicode's identifier syntax, plus connectors such as "_".
func isNameStart(r rune) bool {
	return unicode.IsLetter(r) || r == '_' || unicode.In(r, unicode.Nl, unicode.Pc)
}

func isNamePart(r rune) bool {
	return isNameStart(r) || unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc)
}

func nameLen(rest string) int {
	for i := range len(rest) {
		c := rest[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_':
		case c >= utf8.RuneSelf:
			if n := strings.IndexFunc(rest[i:], func(r rune) bool { return !isNamePart(r) }); n >= 0 {
				return i + n
			}
			return len(rest)
		default:
			return i
		}
	}
	return len(rest)
}

// stringToken reads up to the closing quote. A backslash escapes the next character, a doubled quote is a quote.
func stringToken(rest string) (lexer.TokenType, int) {
	q := rest[0]
	for i := 1; i < len(rest); i++ {
		switch {
		case rest[i] == '\\':
			i++
		case rest[i] == q && i+1 < len(rest) && rest[i+1] == q:
			i++
		case rest[i] == q:
			if !utf8.ValidString(rest[:i+1]) {
				return kindBad, i + 1
			}
			return kindString, i + 1
		}
	}
	return kindBad, len(rest)
}

// quotedToken reads `name`; a doubled backtick stands for one.
func quotedToken(rest string) (lexer.TokenType, int) {
	for i := 1; i < len(rest); i++ {
		if rest[i] != '`' {
			continue
		}
		if i+1 < len(rest) && rest[i+1] == '`' {
			i++
			continue
		}
		if !utf8.ValidString(rest[:i+1]) {
			return kindBad, i + 1
		}
		return kindQuoted, i + 1
	}
	return kindBad, len(rest)
}

func paramToken(rest string) (lexer.TokenType, int) {
	r, _ := utf8.DecodeRuneInString(rest[1:])
	switch {
	case r == '`':
		kind, n := quotedToken(rest[1:])
		if kind == kindQuoted {
			kind = kindParam
		}
		return kind, n + 1
	case isNameStart(r):
		return kindParam, 1 + nameLen(rest[1:])
	case isDigit(r):
		n := nameLen(rest[1:])
		if strings.Trim(rest[1:1+n], "0123456789") != "" {
			return kindBad, 1 + n
		}
		return kindParam, 1 + n
	case r == '(': // a label from an expression
		return kindOp, 1
	}
	return kindBad, 1
}

func commentToken(rest string) (lexer.TokenType, int) {
	n := len(rest)
	if rest[1] == '/' {
		if i := strings.IndexByte(rest, '\n'); i >= 0 {
			n = i
		}
	} else if i := strings.Index(rest[2:], "*/"); i >= 0 {
		n = i + 4
	}
	if !isClosedComment(rest[:n]) || !utf8.ValidString(rest[:n]) {
		return kindBad, n
	}
	return kindComment, n
}

// isClosedComment tells whether a token is a comment that has its end.
func isClosedComment(tok string) bool {
	return strings.HasPrefix(tok, "//") || strings.HasPrefix(tok, "/*") && len(tok) >= 4 && strings.HasSuffix(tok, "*/")
}

// numberLen is the length of a number: 12, 1.5, .5, 1e-9, 0x1F, 0o17, and of any name characters stuck to it, which
// make it a bad number and not two tokens.
func numberLen(rest string) int {
	digits := func(i int) int {
		for i < len(rest) && isDigit(rune(rest[i])) {
			i++
		}
		return i
	}
	n := digits(0)
	if n+1 < len(rest) && rest[n] == '.' && isDigit(rune(rest[n+1])) {
		n = digits(n + 1)
	}
	if n < len(rest) && (rest[n] == 'e' || rest[n] == 'E') {
		m := n + 1
		if m < len(rest) && (rest[m] == '-' || rest[m] == '+') {
			m++
		}
		if k := digits(m); k > m {
			n = k
		}
	}
	return n + nameLen(rest[n:])
}

// invalid is the index of the first byte of s that is not UTF-8, or -1.
func invalid(s string) int {
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)) {
			return i
		}
	}
	return -1
}

// reason says why a kindBad token cannot be read, and what to do about it.
func reason(bad string) (msg, hint string) {
	r, size := utf8.DecodeRuneInString(bad)
	switch {
	case !utf8.ValidString(bad):
		return "the text is not valid UTF-8 here", ""
	case r == '\'' || r == '"':
		return "the string is not closed", "a string ends with the quote that it begins with: " + string(r)
	case r == '`':
		return "the quoted name is not closed", "a quoted name ends with a backtick: `"
	case strings.HasPrefix(bad, "/*"):
		return "the comment is not closed", "a comment that begins with /* ends with */"
	case strings.HasPrefix(bad, "$`"):
		return "the quoted name is not closed", ""
	case r == '$':
		return "this is not a parameter name", "a parameter is written $name or $0; a label or a type cannot come from an expression"
	}
	if plain, ok := lookalikes[r]; ok {
		return "unexpected character " + bad[:size], "write " + plain
	}
	return "unexpected character " + printable(r), signHints[r]
}

// signHints are hints for characters that mean something in other languages, or nothing at all.
var signHints = map[rune]string{
	'#': "comments begin with //", '@': "a parameter is written $name", '~': "a relationship in either direction is -[r:TYPE]-; a regular expression is tested by =~ 'A.*'", '\\': "in the shell, commands begin with a colon: :help",
	'\u200b': "delete this invisible character", '\u200c': "delete this invisible character", '\u200d': "delete this invisible character",
	'\ufeff': "delete this invisible character", '\u2060': "delete this invisible character", '\u00ad': "delete this invisible character",
}

// lookalikes are characters that word processors put for others.
var lookalikes = map[rune]string{
	'‘': "'", '’': "'", '‚': "'", '“': `"`, '”': `"`, '„': `"`, '«': `"`, '»': `"`, '´': "'",
	'–': "-", '—': "-", '−': "-", '‐': "-", '→': "->", '←': "<-", '⟨': "<", '⟩': ">",
	'≠': "<>", '≤': "<=", '≥': ">=", '∧': "AND", '∨': "OR", '¬': "NOT", '×': "*", '…': "..", '；': ";", '，': ",",
	'（': "(", '）': ")", '：': ":", '＝': "=",
}

func printable(r rune) string {
	if unicode.IsPrint(r) {
		return string(r)
	}
	return fmt.Sprintf("U+%04X", r)
}

// tokenKinds are the kinds that the grammar names.
var tokenKinds = map[string]lexer.TokenType{
	"Ident": kindIdent, "Keyword": kindKeyword, "OpWord": kindOpWord, "Constant": kindConstant,
	"Quoted": kindQuoted, "Number": kindNumber, "String": kindString, "Param": kindParam, "Op": kindOp,
	"Binary": kindBinary, "Bad": kindBad, "Pattern": kindPattern, "ListComp": kindListComp, "PatternComp": kindPatternComp,
	"Bar": kindBar, "Subquery": kindSubquery, "Quantifier": kindQuantifier, "Reduce": kindReduce, "Shortest": kindShortest,
}
