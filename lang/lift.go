package lang

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// Lifting is a text with numbers and strings taken out, so that texts that differ in them only can share a plan. Of the candidates,
// Statement.Lift takes those that are values of properties, or are compared with a property. There a parameter means the same.
type Lifting struct {
	Key      string // the text with marks for the literals. Equal literals have equal marks
	Literals []LiftedLiteral

	places []liftedPlace // in the order of the text
}

// liftedPlace is where a literal stands.
type liftedPlace struct{ offset, literal int }

// LiftedLiteral is a literal, and the name of the parameter in its place.
type LiftedLiteral struct {
	Name  string
	Value any // int64, float64 or string
	token lexer.Token
}

const (
	liftedPrefix = "_literal"
	mostLifted   = 99
)

// liftedKind is a letter for the type of a value: a plan holds for one.
func liftedKind(value any) byte {
	switch value.(type) {
	case int64:
		return 'i'
	case float64:
		return 'f'
	}
	return 's'
}

// LiftLiterals looks for literals in a text. It returns nil if it finds none, or if the text cannot be read so quickly.
func LiftLiterals(text string) *Lifting {
	if strings.Contains(text, liftedPrefix) || !mayHoldValue(text) {
		return nil
	}
	toks := scan(text)
	l := &Lifting{}
	key := make([]byte, 0, len(text)+32)
	from := 0
	for i, t := range toks {
		if t.Type == kindBad || isSemicolon(t) {
			return nil
		}
		if i == 0 || !mayLift(toks, i) {
			continue
		}
		if l.Literals == nil {
			l.Literals, l.places = make([]LiftedLiteral, 0, 4), make([]liftedPlace, 0, 4)
		}
		n := slices.IndexFunc(l.Literals, func(x LiftedLiteral) bool { return x.token.Value == t.Value })
		if n < 0 {
			if n = len(l.Literals); n == mostLifted || !l.add(text, t) {
				return nil
			}
		}
		l.places = append(l.places, liftedPlace{t.Pos.Offset, n})
		key = append(append(key, text[from:t.Pos.Offset]...), 0)
		key = append(append(key, liftedKind(l.Literals[n].Value), byte(n)), 0)
		from = endOf(t)
	}
	if len(l.Literals) == 0 {
		return nil
	}
	l.Key = string(append(key, text[from:]...))
	return l
}

// mayHoldValue reports whether a literal that mayLift accepts can stand in a text. It looks at bytes alone, and a text with comments, or
// with letters beyond ASCII in front of a literal, may hold anything. Patterns with labels alone end here, before they are scanned.
func mayHoldValue(text string) bool {
	if strings.Contains(text, "//") || strings.Contains(text, "/*") {
		return true
	}
	last := byte(' ') // the byte before, blanks left out
	for i := range len(text) {
		c := text[i]
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			continue
		}
		if (last == ':' || last == '=' || last == '<' || last == '>' || last >= utf8.RuneSelf || last < ' ') &&
			(c >= '0' && c <= '9' || c == '.' || c == '\'' || c == '"') {
			return true
		}
		last = c
	}
	return false
}

// mayLift reports whether token i stands where a value of a property may: behind a colon or a comparison, and alone.
func mayLift(toks []lexer.Token, i int) bool {
	if t := toks[i].Type; t != kindNumber && t != kindString {
		return false
	}
	switch toks[i-1].Value {
	case ":", "=", "<", ">", "<=", ">=":
	default:
		return false
	}
	return i+1 == len(toks) || isOp(toks[i+1], ",)}") || toks[i+1].Type == kindKeyword || toks[i+1].Type == kindOpWord
}

func (l *Lifting) add(text string, t lexer.Token) bool {
	b := builder{text: text}
	lit, err := built(&b, func() *Literal { return b.literal(t).(*Literal) })
	if err != nil {
		return false
	}
	n := len(l.Literals) + 1 // of two digits, so that no name begins another
	name := liftedPrefix + string([]byte{'0' + byte(n/10), '0' + byte(n%10)})
	l.Literals = append(l.Literals, LiftedLiteral{name, lit.Value, t})
	return true
}

// Lift puts parameters in the place of the literals of l, which is of the statement's own text. It reports false if one of them stands
// where a parameter may mean something else; the statement is then of no use.
func (s *Statement) Lift(l *Lifting) bool {
	if s.Query == nil || len(s.Query.Unions) > 0 {
		return false
	}
	x := &lifter{l, make(map[int]bool)}
	for _, c := range s.Query.Clauses {
		switch c := c.(type) {
		case *Match:
			x.paths(c.Paths)
			c.Where = x.condition(c.Where)
		case *Create:
			x.paths(c.Paths)
		case *Merge:
			x.paths([]*PathPattern{c.Path})
			x.items(c.OnCreate)
			x.items(c.OnMatch)
		case *Set:
			x.items(c.Items)
		}
	}
	return len(x.done) == len(l.places)
}

type lifter struct {
	*Lifting
	done map[int]bool // by offset
}

func (x *lifter) paths(paths []*PathPattern) {
	for _, p := range paths {
		for _, n := range p.Nodes {
			x.entries(n.Props)
		}
		for _, r := range p.Rels {
			if r.Length == nil && r.Group == nil {
				x.entries(r.Props)
			}
		}
	}
}

func (x *lifter) items(items []*SetItem) {
	for _, it := range items {
		switch it.Kind {
		case SetProperty:
			it.Value = x.value(it.Value)
		case SetMap, AddMap:
			x.entries(it.Value)
		}
	}
}

// entries lifts the values of a map.
func (x *lifter) entries(e Expr) {
	if m, ok := e.(*MapLit); ok {
		for i := range m.Values {
			m.Values[i] = x.value(m.Values[i])
		}
	}
}

// condition lifts what is compared with a property.
func (x *lifter) condition(e Expr) Expr {
	b, ok := e.(*Binary)
	if !ok {
		return e
	}
	switch b.Op {
	case "AND":
		b.L, b.R = x.condition(b.L), x.condition(b.R)
	case "=", "<", ">", "<=", ">=":
		if _, ok := b.L.(*Property); ok {
			b.R = x.value(b.R)
		}
	}
	return e
}

// value returns the parameter for a literal, and any other expression as it is.
func (x *lifter) value(e Expr) Expr {
	lit, ok := e.(*Literal)
	if !ok {
		return e
	}
	i, ok := slices.BinarySearchFunc(x.places, lit.Pos.Offset, func(p liftedPlace, offset int) int { return p.offset - offset })
	if !ok || x.Literals[x.places[i].literal].Value != lit.Value {
		return e
	}
	x.done[lit.Pos.Offset] = true
	return &Param{Pos: lit.Pos, Name: x.Literals[x.places[i].literal].Name}
}

// Show returns a text about a lifted statement with the literals in the place of the parameters.
func (l *Lifting) Show(text string) string {
	if !strings.Contains(text, liftedPrefix) {
		return text
	}
	for _, x := range l.Literals {
		text = strings.ReplaceAll(text, "$"+x.Name, Text(&Literal{Value: x.Value}))
	}
	return text
}

// MovePlace returns where a place of one text is in another text of the same tokens, but for literals.
func MovePlace(p Pos, from, to string) Pos {
	if p.Line == 0 {
		return p // no place
	}
	a, b := scan(from), scan(to)
	first := slices.IndexFunc(a, func(t lexer.Token) bool { return t.Pos.Offset == p.Offset })
	last := slices.IndexFunc(a, func(t lexer.Token) bool { return endOf(t) == p.Offset+p.Len })
	switch {
	case len(a) != len(b) || first < 0:
		return p
	case last < first:
		last = first
	}
	return span(b[first], b[last])
}
