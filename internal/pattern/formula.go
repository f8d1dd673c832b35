package pattern

import (
	"fmt"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
)

// Formula writes the number of matches of a pattern as a sum of numbers of homomorphisms of smaller graphs. Homomorphisms
// need no comparison of vertices, so they can be counted without a search. Quotients of the pattern, which merge vertices that
// one graph vertex may stand for, give matches with different nodes or relationships (Lovász, "Operations with structures",
// 1967). Supergraphs give INDUCED matches. DISTINCT divides the sum by the number of automorphisms.
type Formula struct {
	Kinds []int  // by vertex of the pattern; vertices of one kind ask for the same labels and conditions
	Terms []Term // none: there are no matches
}

// Term is a coefficient times the number of homomorphisms of a graph.
type Term struct {
	Coefficient int64
	Vertices    [][]int // by vertex of the term: the kinds whose demands its graph vertex must all meet, rising
	Factors     []Factor
}

// Factor gives every homomorphism a weight by the graph vertices v and w of two vertices of the term, From and To: of
// the relationships of some types that lead from v to w (either way, if Undirected), m in number, the product of the
// falling factorials m (m-1) ... (m-k+1) for all k in Falls. Without Falls it is 1 if there is such a relationship
// and 0 if not. If From is To, the relationships are v's loops. Else, v = w weighs 0 unless Loops.
type Factor struct {
	From, To   int
	Types      csr.TypeSet
	Undirected bool
	Loops      bool
	Falls      []int // rising
}

// String prints a term a line.
func (f *Formula) String() string {
	var b strings.Builder
	for i := range f.Terms {
		b.WriteString(f.Terms[i].String() + "\n")
	}
	return b.String()
}

// String prints t with the kinds of its vertices, as in 2 hom({0} {0,1}; 0-1).
func (t *Term) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%+d hom(", t.Coefficient)
	for i, kinds := range t.Vertices {
		b.WriteString(strings.ReplaceAll(strings.Trim(fmt.Sprint(kinds), "[]"), " ", ",") + []string{" ", "; "}[bool2(i+1 == len(t.Vertices))])
	}
	for i := range t.Factors {
		if i > 0 {
			b.WriteByte(' ')
		}
		x := &t.Factors[i]
		fmt.Fprintf(&b, "%d%s", x.From, x.Ask(x.From, x.To))
	}
	return b.String() + ")"
}

// FourCycle reports whether t has a cycle of four different vertices.
func (t *Term) FourCycle() bool {
	n := len(t.Vertices)
	for a := range n {
		for c := range a {
			between := 0
			for b := range n {
				if b != a && b != c && t.joins(a, b) && t.joins(b, c) {
					between++
				}
			}
			if between > 1 {
				return true
			}
		}
	}
	return false
}

// joins reports whether a factor joins u and w.
func (t *Term) joins(u, w int) bool {
	return slices.ContainsFunc(t.Factors, func(f Factor) bool { return f.From == u && f.To == w || f.From == w && f.To == u })
}

// Ask says what x asks of v and w when it is seen from its end from, with its other end to. Equal texts ask for the same.
func (x *Factor) Ask(from, to int) string {
	arrow := "-"
	switch {
	case x.From == x.To:
		arrow = "o"
	case x.Undirected:
	case x.From == from:
		arrow = ">"
	default:
		arrow = "<"
	}
	if x.Loops {
		arrow += "~"
	}
	text := fmt.Sprint(arrow, to, TypesText(x.Types, nil))
	for _, k := range x.Falls {
		if text += "·m"; k > 1 {
			text += fmt.Sprint("_", k)
		}
	}
	return text
}

// Weight is the weight of m relationships, or ErrOverflow.
func (x *Factor) Weight(m uint64) (uint64, error) {
	if len(x.Falls) == 0 {
		return min(m, 1), nil
	}
	w := Count(1)
	for _, k := range x.Falls {
		for i := range uint64(k) {
			if m <= i {
				return 0, nil
			}
			var err error
			if w, err = w.Mul(m - i); err != nil || w.Hi != 0 {
				return 0, ErrOverflow
			}
		}
	}
	return w.Lo, nil
}

func bool2(b bool) int {
	if b {
		return 1
	}
	return 0
}

// FormulaRequest asks how long counting by arrays takes: about so many list elements over the relationships of some types.
type FormulaRequest struct {
	Types    csr.TypeSet
	Elements float64
}
