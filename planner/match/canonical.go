package match

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/pattern"
)

// canonical adds up terms, isomorphic graphs together. A graph's form is the smallest matrix of what its vertices ask
// of each other among all orders of the vertices, those first that look the same from near by in any order.
type canonical struct {
	terms  map[string]*pattern.Term // by form
	order  []string                 // forms in order of appearance
	names  map[string]int           // of what vertices and pairs ask for
	places int                      // vertices placed while forms were looked for
}

func newCanonical() canonical {
	return canonical{terms: map[string]*pattern.Term{}, names: map[string]int{}}
}

// add adds t, whose memory it keeps.
func (c *canonical) add(t *pattern.Term) {
	form := c.form(t)
	if old := c.terms[form]; old != nil {
		old.Coefficient += t.Coefficient
		return
	}
	c.terms[form] = t
	c.order = append(c.order, form)
}

// sum lists the terms that have not cancelled out, those with most edges first: what those need will serve others.
func (c *canonical) sum() (terms []pattern.Term) {
	for _, form := range c.order {
		if t := c.terms[form]; t.Coefficient != 0 {
			terms = append(terms, *t)
		}
	}
	slices.SortStableFunc(terms, func(a, b pattern.Term) int { return len(b.Factors) - len(a.Factors) })
	return terms
}

// name numbers texts.
func (c *canonical) name(text string) int {
	i, ok := c.names[text]
	if !ok {
		i = len(c.names) + 1
		c.names[text] = i
	}
	return i
}

// matrix says what every vertex asks of every other, and on the diagonal of itself.
func (c *canonical) matrix(t *pattern.Term) [][]int {
	n := len(t.Vertices)
	texts := make([][][]string, n)
	for v, kinds := range t.Vertices {
		texts[v] = make([][]string, n)
		texts[v][v] = []string{fmt.Sprint(kinds)}
	}
	for i := range t.Factors {
		x := &t.Factors[i]
		texts[x.From][x.To] = append(texts[x.From][x.To], x.Ask(x.From, 0))
		if x.From != x.To {
			texts[x.To][x.From] = append(texts[x.To][x.From], x.Ask(x.To, 0))
		}
	}
	m := make([][]int, n)
	for v := range m {
		m[v] = make([]int, n)
		for w, asks := range texts[v] {
			if len(asks) > 0 {
				slices.Sort(asks)
				m[v][w] = c.name(strings.Join(asks, "|"))
			}
		}
	}
	return m
}

func (c *canonical) form(t *pattern.Term) string {
	m := c.matrix(t)
	n := len(m)
	if n > maxCanonical {
		return key(n, slices.Concat(m...)...)
	}
	colour, around := make([]int, n), make([]int, n+2)
	for range 3 {
		next := make([]int, n)
		for v := range next {
			for w := range n {
				around[w] = m[v][w]<<32 | colour[w]
			}
			around[v], around[n], around[n+1] = -1, m[v][v], colour[v]
			slices.Sort(around[:n])
			next[v] = c.name(key(0, around...))
		}
		colour = next
	}
	f := former{m: m, colour: colour, used: make([]bool, n), twin: twins(m)}
	f.sorted = slices.Sorted(slices.Values(colour))
	f.place(nil, nil)
	c.places += f.places
	return key(n, f.best...)
}

// key is a text for numbers.
func key(first int, rest ...int) string {
	text := binary.AppendVarint(make([]byte, 0, 4*len(rest)+8), int64(first))
	for _, x := range rest {
		text = binary.AppendVarint(text, int64(x))
	}
	return string(text)
}

// twins gives each vertex the last one before it with which it can change places without changing m, or -1. All that are
// linked so can change places with each other: one order of them is as good as any other.
func twins(m [][]int) []int {
	twin := slices.Repeat([]int{-1}, len(m))
	for v := range m {
		for w := range v {
			same := m[v][v] == m[w][w] && m[v][w] == m[w][v]
			for x := range m {
				same = same && (x == v || x == w || m[v][x] == m[w][x] && m[x][v] == m[x][w])
			}
			if same {
				twin[v] = w
			}
		}
	}
	return twin
}

// former looks for the smallest matrix.
type former struct {
	m      [][]int
	colour []int
	sorted []int // the colours in the order that the vertices must have
	used   []bool
	twin   []int // by vertex: one to be placed before it, or -1
	best   []int
	places int // calls of place
}

// place tries all vertices that may follow those in seq, whose part of the matrix is form.
func (f *former) place(seq, form []int) {
	f.places++
	if len(seq) == len(f.m) {
		if f.best == nil || slices.Compare(form, f.best) < 0 {
			f.best = slices.Clone(form)
		}
		return
	}
	for v := range f.m {
		if f.used[v] || f.colour[v] != f.sorted[len(seq)] || f.twin[v] >= 0 && !f.used[f.twin[v]] {
			continue
		}
		next := append(slices.Clip(form), f.m[v][v])
		for _, w := range seq {
			next = append(next, f.m[v][w], f.m[w][v])
		}
		if f.best != nil && slices.Compare(next, f.best[:len(next)]) > 0 {
			continue
		}
		f.used[v] = true
		f.place(append(slices.Clip(seq), v), next)
		f.used[v] = false
	}
}
