package lang

import (
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// participle finds out that a part of the grammar is not there by trying it, which takes some ten allocations, and most optional
// parts are not there. The Parse methods of this file look at the first token instead. They also read by hand what most queries
// consist of: (a:Label), -[r:TYPE]-> and a.key. Everything else goes to participle's parser of the part. So the grammar stands in the
// tags alone, and each shortcut gives the tree that the tags give; TestShortcuts compares the two.

// shortcuts is false in the test that compares.
var shortcuts = true

// parsePart reads a part of the grammar with its own parser.
func parsePart[G any](p *participle.Parser[G], lx *lexer.PeekingLexer, to **G) error {
	start := lx.RawCursor()
	part, err := p.ParseFromLexer(lx, participle.AllowTrailing(true))
	if err != nil && lx.RawCursor() == start {
		return participle.NextMatch
	}
	*to = part
	return err
}

// isName reports whether t can be a gName.
func isName(t *lexer.Token) bool {
	switch t.Type {
	case kindIdent, kindQuoted, kindKeyword, kindOpWord, kindConstant:
		return true
	}
	return false
}

func (g *gNode) Parse(lx *lexer.PeekingLexer) error {
	if lx.Peek().Value != "(" {
		return participle.NextMatch
	}
	if g.gNodeParts = plainNode(lx); g.gNodeParts != nil {
		return nil
	}
	return parsePart(nodeParser(), lx, &g.gNodeParts)
}

// plainNode reads a node of a name and a label at most. It returns nil, and takes no token, if there is anything else.
func plainNode(lx *lexer.PeekingLexer) *gNodeParts {
	if !shortcuts {
		return nil
	}
	start, from := lx.MakeCheckpoint(), lx.RawCursor()
	g := &gNodeParts{}
	lx.Next()
	t := lx.Next()
	if isVariable(*t) {
		g.Name = *t
		t = lx.Next()
	}
	if t.Value == ":" {
		if t = lx.Next(); !isName(t) {
			lx.LoadCheckpoint(start)
			return nil
		}
		g.Labels = &gLabels{&gColons{[]*gLabelOr{{[]*gLabelAnd{plainLabel(t)}}}}}
		t = lx.Next()
	}
	if t.Value != ")" {
		lx.LoadCheckpoint(start)
		return nil
	}
	g.Tokens = lx.Range(from, lx.RawCursor())
	return g
}

func plainLabel(t *lexer.Token) *gLabelAnd {
	return &gLabelAnd{[]*gLabelNot{{Name: &gName{*t}}}}
}

func (g *gRel) Parse(lx *lexer.PeekingLexer) error {
	if v := lx.Peek().Value; v != "-" && v != "<" {
		return participle.NextMatch
	}
	if g.gRelParts = plainRel(lx); g.gRelParts != nil {
		return nil
	}
	return parsePart(relParser(), lx, &g.gRelParts)
}

// plainRel reads a relationship of a name and a type at most, with a node behind it. It returns nil, and takes no token, if there is
// anything else.
func plainRel(lx *lexer.PeekingLexer) *gRelParts {
	if !shortcuts {
		return nil
	}
	start, from := lx.MakeCheckpoint(), lx.RawCursor()
	g := &gRelParts{}
	if readPlainRel(lx, g) {
		g.Tokens = lx.Range(from, lx.RawCursor())
		return g
	}
	lx.LoadCheckpoint(start)
	return nil
}

func readPlainRel(lx *lexer.PeekingLexer, g *gRelParts) bool {
	t := lx.Next()
	if t.Value == "<" {
		g.Left = true
		t = lx.Next()
	}
	if t.Value != "-" {
		return false
	}
	if t = lx.Next(); t.Value == "[" {
		t = lx.Next()
		d := &gDetail{}
		if g.Detail = d; isVariable(*t) {
			d.Name = *t
			t = lx.Next()
		}
		if t.Value == ":" {
			if t = lx.Next(); !isName(t) {
				return false
			}
			d.Types = &gTypes{[]*gLabelAnd{plainLabel(t)}}
			t = lx.Next()
		}
		if t.Value != "]" || d.Name.Value == "" && d.Types == nil {
			return false
		}
		t = lx.Next()
	}
	if t.Value != "-" {
		return false
	}
	if lx.Peek().Value == ">" {
		g.Right = true
		lx.Next()
	}
	return lx.Peek().Value == "("
}

func (g *gLabels) Parse(lx *lexer.PeekingLexer) error {
	if lx.Peek().Value != ":" {
		return participle.NextMatch
	}
	return parsePart(labelsParser(), lx, &g.gColons)
}

func (g *gProps) Parse(lx *lexer.PeekingLexer) error {
	if t := lx.Peek(); t.Value != "{" && t.Type != kindParam {
		return participle.NextMatch
	}
	return parsePart(propsParser(), lx, &g.gPropsParts)
}

func (g *gTail) Parse(lx *lexer.PeekingLexer) error {
	t := lx.Peek()
	if t.Type != kindBinary && t.Type != kindOpWord && !isTailWord(t.Value) {
		return participle.NextMatch
	}
	return parsePart(tailParser(), lx, &g.gTailParts)
}

// isTailWord reports whether an operator of more than a sign may begin with a word.
func isTailWord(word string) bool {
	for _, w := range [...]string{"IS", "STARTS", "ENDS"} {
		if strings.EqualFold(word, w) {
			return true
		}
	}
	return false
}

func (g *gPostfix) Parse(lx *lexer.PeekingLexer) error {
	if v := lx.Peek().Value; v != "." && v != "[" {
		return participle.NextMatch
	}
	return parsePart(postfixParser(), lx, &g.gPostfixParts)
}

func (g *gCall) Parse(lx *lexer.PeekingLexer) error {
	if lx.Peek().Value != "(" {
		return participle.NextMatch
	}
	return parsePart(callParser(), lx, &g.gCallParts)
}

func (g *gMapOf) Parse(lx *lexer.PeekingLexer) error {
	if lx.Peek().Value != "{" {
		return participle.NextMatch
	}
	return parsePart(mapOfParser(), lx, &g.gMapOfParts)
}

// plainReference reads a variable, or one property of a variable, that is a whole expression. It returns nil, and takes no token, if
// there is anything else.
func plainReference(lx *lexer.PeekingLexer, ahead *[maxPeek]lexer.Token) *gChain {
	if !shortcuts || !isVariable(ahead[0]) {
		return nil
	}
	ref, n := &gReference{Head: ahead[0]}, 1
	if ahead[1].Value == "." {
		if !isName(&ahead[2]) {
			return nil
		}
		ref.Path, n = []*gName{{ahead[2]}}, 3
	}
	if end := &ahead[n]; !end.EOF() && !isOp(*end, ",)]}") && !(end.Type == kindKeyword && strings.EqualFold(end.Value, "AS")) {
		return nil
	}
	for range n {
		lx.Next()
	}
	return &gChain{First: &gOperand{Atom: &gAtom{Name: ref}}}
}
