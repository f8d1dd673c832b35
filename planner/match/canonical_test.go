package match

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// randomTerm draws a graph of few kinds of vertices and factors, in which many vertices can change places.
func randomTerm(r *rand.Rand, n int) *pattern.Term {
	t := &pattern.Term{Coefficient: 1}
	kinds, copies := 1+r.IntN(2), 1+r.IntN(n)
	for v := range n {
		t.Vertices = append(t.Vertices, []int{r.IntN(kinds)})
		if v >= copies { // a copy of an earlier vertex
			w := r.IntN(v)
			t.Vertices[v] = t.Vertices[w]
			for _, x := range slices.Clone(t.Factors) {
				switch {
				case x.From == w && x.To != w:
					x.From = v
				case x.To == w && x.From != w:
					x.To = v
				default:
					continue
				}
				t.Factors = append(t.Factors, x)
			}
			continue
		}
		for w := range v {
			if r.IntN(2) == 0 {
				t.Factors = append(t.Factors, pattern.Factor{From: w, To: v, Undirected: r.IntN(3) > 0})
			}
		}
	}
	return t
}

// renamed is t with vertex v called to[v].
func renamed(t *pattern.Term, to []int) *pattern.Term {
	u := &pattern.Term{Coefficient: t.Coefficient, Vertices: make([][]int, len(t.Vertices)), Factors: slices.Clone(t.Factors)}
	for v, kinds := range t.Vertices {
		u.Vertices[to[v]] = kinds
	}
	for i := range u.Factors {
		x := &u.Factors[i]
		if x.From, x.To = to[x.From], to[x.To]; x.Undirected && x.From > x.To {
			x.From, x.To = x.To, x.From
		}
	}
	return u
}

// permutations calls f with all orders of 0 to n-1.
func permutations(n int, f func([]int)) {
	order := make([]int, 0, n)
	var place func()
	place = func() {
		if len(order) == n {
			f(order)
			return
		}
		for v := range n {
			if !slices.Contains(order, v) {
				order = append(order, v)
				place()
				order = order[:len(order)-1]
			}
		}
	}
	place()
}

// Two terms have one form exactly if some order of the vertices makes them equal.
func TestCanonicalForm(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 3))
	same, different := 0, 0
	for range 300 {
		c := newCanonical()
		n := 1 + r.IntN(5)
		a := randomTerm(r, n)
		if b := renamed(a, r.Perm(n)); c.form(a) != c.form(b) {
			t.Fatalf("seed %d: the forms of\n%+v and\n%+v differ", seed, a, b)
		}
		b := randomTerm(r, n)
		isomorphic := false
		permutations(n, func(to []int) {
			isomorphic = isomorphic || fmt.Sprint(c.matrix(renamed(b, to))) == fmt.Sprint(c.matrix(a))
		})
		if isomorphic != (c.form(a) == c.form(b)) {
			t.Fatalf("seed %d: isomorphic is %v for\n%+v and\n%+v", seed, isomorphic, a, b)
		}
		if isomorphic {
			same++
		} else {
			different++
		}
	}
	if same == 0 || different == 0 {
		t.Errorf("seed %d: %d pairs are isomorphic, %d are not", seed, same, different)
	}
}

// Vertices that can change places are put in one order, not in all: stars and scattered vertices have a factorial number.
func TestFormsOfSymmetricPatterns(t *testing.T) {
	s := testgraph.Random(1, testgraph.Options{Vertices: 6, Edges: 9, Types: 1, Labels: 1, Simple: true})
	for _, n := range []int{4, 7, 9} {
		for _, star := range []bool{false, true} {
			p := &pattern.Pattern{Scopes: []pattern.Scope{{Mode: pattern.DifferentNodes}}}
			for v := range n + 1 {
				p.Vertices, p.Scopes[0].Vertices = append(p.Vertices, pattern.Vertex{}), append(p.Scopes[0].Vertices, v)
				if star && v > 0 {
					p.Edges, p.Scopes[0].Edges = append(p.Edges, pattern.Edge{From: 0, To: v, Undirected: true}), append(p.Scopes[0].Edges, v-1)
				}
			}
			q, why := newQuotients(p, s, nil, nil)
			if why != "" {
				t.Fatal(why)
			}
			q.left = maxMergings
			why = q.supergraphs()
			if few := 9 * maxMergings; q.forms.places > few || n < 8 && why != "" {
				t.Errorf("%d vertices, star %v: %d vertices placed for %d forms (%s)", n+1, star, q.forms.places, len(q.forms.terms), why)
			}
		}
	}
}
