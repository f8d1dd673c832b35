package join

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/clique"
	"github.com/motifql/motif/kernels/hom"
)

// Counting without a search. The planner writes the number of matches as a sum of numbers of homomorphisms (pattern.Formula).
// hom.Counter counts those of sparse graphs by arrays, and goes once through the lists around each value of one vertex.
// The clique kernel counts cliques. Where a search takes fewer steps, because candidates are few or the memo spares it most,
// the search counts. So formulas mostly count patterns without labels, whose matches outnumber the lists many times. They count
// labelled patterns where no two vertices can be the same, since each coincidence costs a term.

// Counter finds the numbers that a formula is made of.
type Counter interface {
	// CountHoms counts what h was given, as h.Count does.
	CountHoms(ctx context.Context, s *csr.Snapshot, h *hom.Counter, env *pattern.Env) ([]pattern.Count128, error)
	CountCliques(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env) (pattern.Count128, error)
}

// CPUCounter is the Counter of the CPU's kernels.
type CPUCounter struct{}

// CountHoms is h.Count.
func (CPUCounter) CountHoms(ctx context.Context, _ *csr.Snapshot, h *hom.Counter, env *pattern.Env) ([]pattern.Count128, error) {
	return h.Count(ctx, env)
}

// CountCliques is clique.Count.
func (CPUCounter) CountCliques(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env) (pattern.Count128, error) {
	return clique.Count(ctx, s, c, env)
}

// CountByFormula is Count where the job's formula promises to be cheaper than a search. done is false where it does not.
func CountByFormula(ctx context.Context, j *pattern.Job, env *pattern.Env, by Counter) (total pattern.Count128, done bool, err error) {
	c, err := compile(ctx, j, env, nil)
	if err != nil || c.none {
		return total, c != nil && c.none, err
	}
	return c.byFormula(ctx, env, by, c.cost)
}

// FormulaOnly is CountByFormula whatever a search would take. done is false if there is no formula, or one of its numbers exceeds
// 64 bits.
func FormulaOnly(ctx context.Context, j *pattern.Job, env *pattern.Env, by Counter) (total pattern.Count128, done bool, err error) {
	c, err := compile(ctx, j, env, nil)
	if err != nil || c.none {
		return total, c != nil && c.none, err
	}
	return c.byFormula(ctx, env, by, math.Inf(1))
}

// ExpectFormula estimates how many list elements CountByFormula will go through, if a vertex has about as many candidates as its size says
// and a search visits cost partial matches. ok tells whether it expects to do without the search.
func ExpectFormula(s *csr.Snapshot, f *pattern.Formula, sizes []float64, cost float64) (elements float64, ok bool) {
	if f == nil || cost < formulaCost || plain(f) && isClique(&f.Terms[0]) {
		return 0, false
	}
	h, all := hom.NewCounter(s), float64(s.N())
	sets := make(map[float64]int)
	for i := range f.Terms {
		g := hom.Graph{Factors: f.Terms[i].Factors}
		for _, kinds := range f.Terms[i].Vertices {
			least := all
			for u, kind := range f.Kinds {
				if u < len(sizes) && slices.Contains(kinds, kind) {
					least = min(least, sizes[u])
				}
			}
			set, ok := sets[least]
			if !ok {
				set = h.AddSet(nil)
				if least < all {
					set = h.AddSize(least)
				}
				sets[least] = set
			}
			g.Sets = append(g.Sets, set)
		}
		if !h.Add(g) {
			return 0, false
		}
	}
	return h.Cost(), h.Cost()*formulaGain <= cost
}

// byFormula counts by the job's formula if that promises to be cheaper than a search of the given cost. done tells whether it did.
func (c *program) byFormula(ctx context.Context, env *pattern.Env, by Counter, cost float64) (total pattern.Count128, done bool, err error) {
	x := c.planFormula(env, by, cost, false)
	if x == nil {
		return total, false, nil
	}
	total, err = x.sum(ctx)
	if errors.Is(err, pattern.ErrOverflow) || errors.Is(err, pattern.ErrMemory) {
		return total, false, ctx.Err() // a search may do with smaller numbers and less memory
	}
	if err != nil {
		return total, false, err
	}
	whole, left := total.Div(x.divisor)
	if left != 0 {
		return total, false, fmt.Errorf("join: the formula gives %v matches, not a multiple of %d automorphisms", total, x.divisor)
	}
	x.took()
	if env.Tally != nil {
		env.Tally.Embeddings.Add(whole.Lo)
	}
	return whole, true, nil
}

// planFormula plans the evaluation of the job's formula. It returns nil if that does not promise to be cheaper than a search of the given
// cost. decided says that somebody has found so before, by that cost.
func (c *program) planFormula(env *pattern.Env, by Counter, cost float64, decided bool) *evaluation {
	f := c.job.Formula
	if f == nil || c.enumerate || c.root > 0 || len(c.job.Candidates.Deferred) > 0 || !decided && cost < formulaCost || !env.Uses(pattern.Separators) {
		return nil
	}
	if !plain(f) && !env.Uses(pattern.Quotients) || plain(f) && isClique(&f.Terms[0]) && formulaGain > 0 && !math.IsInf(cost, 1) {
		return nil
	}
	divisor, ok := c.matchesEach()
	if !ok {
		return nil
	}
	x := &evaluation{program: c, env: env, by: by, formula: f, divisor: divisor, sets: map[string]int{}, terms: make([]termCount, 0, len(f.Terms))}
	x.homs = hom.NewCounter(c.s)
	x.homs.Leave(env.Without)
	x.homs.Against(cost / formulaGain)
	for i := range f.Terms {
		if !x.take(&f.Terms[i]) {
			return nil
		}
	}
	if !decided && x.homs.Cost()*formulaGain > cost {
		c.byArrays = x.homs.Cost()
		return nil
	}
	return x
}

// took notes the techniques of an evaluation.
func (x *evaluation) took() {
	x.env.Took(pattern.Separators, uint64(x.graphs))
	if !plain(x.formula) {
		x.env.Took(pattern.Quotients, uint64(len(x.formula.Terms)))
	}
}

// plain reports whether a formula is the pattern's own graph.
func plain(f *pattern.Formula) bool { return len(f.Terms) == 1 && f.Terms[0].Coefficient == 1 }

// isClique reports whether a graph is complete over four vertices or more. Arrays go around two of them at a time and save nothing
// then, while the search does the rest in bitmaps (labelled 4-cliques of an RMAT graph of 2^16 vertices: 55 ms, by
// arrays 160).
func isClique(t *pattern.Term) bool {
	n := len(t.Vertices)
	joined := make(map[[2]int]bool)
	for i := range t.Factors {
		if f := &t.Factors[i]; f.From != f.To {
			joined[[2]int{min(f.From, f.To), max(f.From, f.To)}] = true
		}
	}
	return n >= 4 && len(joined) == n*(n-1)/2
}

// evaluation is a formula being counted.
type evaluation struct {
	*program
	env     *pattern.Env
	by      Counter
	formula *pattern.Formula
	divisor uint64 // matches that each subgraph is counted as
	// cut returns the candidates of a vertex that are to be counted, with a name for them; nil for all. cut may be nil.
	cut    func(u int) (set *pattern.CandidateSet, name int)
	homs   *hom.Counter
	sets   map[string]int // of homs, by the kinds whose demands they meet
	terms  []termCount
	graphs int // given to homs
}

// termCount is a term and who counts it: homs, or the clique kernel.
type termCount struct {
	coefficient int64
	clique      *pattern.Clique
	orders      uint64 // matches that a clique stands for
}

// take decides how to count t. It reports false if only a search can.
func (x *evaluation) take(t *pattern.Term) bool {
	g := hom.Graph{Factors: t.Factors}
	for _, kinds := range t.Vertices {
		set, some := x.set(kinds)
		if !some {
			return true // no vertex can be all that it stands for
		}
		g.Sets = append(g.Sets, set)
	}
	n := termCount{coefficient: t.Coefficient}
	if n.clique = x.clique(t, g.Sets); n.clique != nil {
		n.orders = 1
		for i := range g.Sets {
			n.orders *= uint64(i + 1)
		}
	} else if !x.homs.Add(g) {
		return false
	} else {
		x.graphs++
	}
	x.terms = append(x.terms, n)
	return true
}

// set returns the set of the vertices that are candidates of each of the kinds, and whether there are any. All vertices of one kind share
// their candidates, the union: what the filter knows beyond the kind's demands only says that some have no matches. A kind
// that asks for nothing has all vertices, so that lists are equal.
func (x *evaluation) set(kinds []int) (i int, some bool) {
	key := fmt.Sprint(kinds)
	if x.cut != nil {
		for u, kind := range x.formula.Kinds {
			if set, name := x.cut(u); set != nil && slices.Contains(kinds, kind) {
				key += fmt.Sprint(" ", u, ":", name)
			}
		}
	}
	if i, ok := x.sets[key]; ok {
		return i, i >= 0
	}
	var c *pattern.CandidateSet // nil: all
	for _, kind := range kinds {
		switch of := x.candidatesOf(kind); {
		case of == nil:
		case c == nil:
			c = of
		default:
			c = combined(c, of, func(a, b uint64) uint64 { return a & b })
		}
	}
	if c != nil && c.Len() == 0 {
		x.sets[key] = -1
		return -1, false
	}
	for _, j := range x.sets {
		if j >= 0 && sameCandidates(x.homs.Set(j), c) {
			x.sets[key] = j
			return j, true
		}
	}
	i = x.homs.AddSet(c)
	x.sets[key] = i
	return i, true
}

// sameCandidates reports whether two sets, nil for all, hold the same vertices.
func sameCandidates(a, b *pattern.CandidateSet) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a == b || a.Len() == b.Len() && slices.Equal(a.Bits(), b.Bits())
}

// candidatesOf returns the union of the candidates of a kind's vertices, or nil if the kind asks for nothing.
func (x *evaluation) candidatesOf(kind int) (union *pattern.CandidateSet) {
	for u, k := range x.formula.Kinds {
		if k != kind {
			continue
		}
		if x.cut != nil {
			if set, _ := x.cut(u); set != nil {
				return set // no other vertex is of this kind
			}
		}
		asks := !x.admitsAll(x.p.Vertices[u].Labels) || slices.ContainsFunc(x.p.Predicates, func(q pattern.Predicate) bool { return slices.Contains(q.Vertices, u) })
		if !asks {
			return nil
		}
		if set := x.job.Candidates.Sets[u]; union == nil || union == set {
			union = set
		} else {
			union = combined(union, set, func(a, b uint64) uint64 { return a | b })
		}
	}
	return union
}

// admitsAll reports whether every vertex of the graph has the labels.
func (x *evaluation) admitsAll(labels *pattern.Label) bool {
	return labels == nil || !slices.ContainsFunc(x.s.Classes, func(c csr.Class) bool { return c.Lo < c.Hi && !labels.Admits(c.Labels) })
}

// combined makes a set of two, word by word.
func combined(a, b *pattern.CandidateSet, f func(a, b uint64) uint64) *pattern.CandidateSet {
	words, others := slices.Clone(a.Bits()), b.Bits()
	for i := range words {
		words[i] = f(words[i], others[i])
	}
	return pattern.CandidateSetOf(words)
}

// clique returns the request to the clique kernel if t is a complete graph of four or more vertices that all ask for the same; else
// nil.
func (x *evaluation) clique(t *pattern.Term, sets []int) *pattern.Clique {
	k := len(sets)
	if k < 4 || k > 20 || len(t.Factors) != k*(k-1)/2 {
		return nil
	}
	first := &t.Factors[0]
	seen := map[[2]int]bool{}
	for i := range t.Factors {
		f := &t.Factors[i]
		seen[[2]int{min(f.From, f.To), max(f.From, f.To)}] = true
		if f.From == f.To || f.Loops || len(f.Falls) > 0 || !f.Undirected || !sameSet(f.Types, first.Types) {
			return nil
		}
	}
	if len(seen) != len(t.Factors) || slices.ContainsFunc(sets, func(s int) bool { return s != sets[0] }) {
		return nil
	}
	return &pattern.Clique{K: k, Types: first.Types, Sets: []*pattern.CandidateSet{x.homs.Set(sets[0])}, Sizes: []int{k}}
}

func sameSet(a, b csr.TypeSet) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }

// sum adds up the terms, and subtracts the sum of the negative ones in the end.
func (x *evaluation) sum(ctx context.Context) (pattern.Count128, error) {
	plus, minus, err := x.sums(ctx, nil)
	if err != nil {
		return pattern.Count128{}, err
	}
	return difference(plus, minus)
}

// sums adds up the terms: those to be added and those to be subtracted. ranks says which cliques are counted, by their roots; nil: all. They
// end where a divided count of homomorphisms has ended.
func (x *evaluation) sums(ctx context.Context, ranks *pattern.RankRange) (plus, minus pattern.Count128, err error) {
	counts, err := x.by.CountHoms(ctx, x.s, x.homs, x.env)
	if err != nil {
		return plus, minus, err
	}
	if ranks != nil {
		ranks.Hi = uint64(hom.Counted(x.homs))
	}
	return addUp(x.terms, func(t *termCount) (n pattern.Count128, err error) {
		if t.clique == nil {
			n, counts = counts[0], counts[1:]
			return n, nil
		}
		part := *t.clique
		part.Ranks = ranks
		if n, err = x.by.CountCliques(ctx, x.s, &part, x.env); err == nil {
			n, err = n.Mul(t.orders)
		}
		return n, err
	})
}
