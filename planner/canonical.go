package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/pattern"
)

// canonical adds up terms, isomorphic graphs together. A graph's form is the smallest matrix of what its vertices ask
// of each other among all orders of the vertices, those first that look the same from near by in any order.
type canonical struct {
	terms map[string]*pattern.Term // by form
	order []string                 // forms in order of appearance
	names map[string]int           // of what vertices and pairs ask for
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
		return fmt.Sprint(m)
	}
	colour := make([]int, n)
	for range 3 {
		next := make([]int, n)
		for v := range next {
			around := make([]string, n)
			for w := range around {
				around[w] = fmt.Sprint(m[v][w], colour[w])
			}
			around[v] = ""
			slices.Sort(around)
			next[v] = c.name(fmt.Sprint(m[v][v], colour[v], around))
		}
		colour = next
	}
	f := former{m: m, colour: colour, used: make([]bool, n)}
	f.sorted = slices.Sorted(slices.Values(colour))
	f.place(nil, nil)
	return fmt.Sprint(n, f.best)
}

// former looks for the smallest matrix.
type former struct {
	m      [][]int
	colour []int
	sorted []int // the colours in the order that the vertices must have
	used   []bool
	best   []int
}

// place tries all vertices that may follow those in seq, whose part of the matrix is form.
func (f *former) place(seq, form []int) {
	if len(seq) == len(f.m) {
		if f.best == nil || slices.Compare(form, f.best) < 0 {
			f.best = slices.Clone(form)
		}
		return
	}
	for v := range f.m {
		if f.used[v] || f.colour[v] != f.sorted[len(seq)] {
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
