package join

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/hom"
)

// Groups without their matches. A grouped count reads a few values of a match: the label of one end, say, and that of the other. There may
// be a handful of groups and a billion matches. So the formula of the count is evaluated once for each group, with the candidates of the
// vertices that are read cut down to those that have the group's value. The graphs of all groups share their arrays.

// maxGroupGraphs is how many graphs are counted for the groups of one query, at most.
const maxGroupGraphs = 4096

// groupSums is an evaluation of pattern.Groups.
type groupSums struct {
	evaluation
	groups *pattern.Groups
	parts  [][]*pattern.CandidateSet // by vertex that is read
	at     []int                     // the part of each in the group at hand
	lists  []groupTerms
}

// groupTerms is a group and the graphs whose numbers add up to that of its matches.
type groupTerms struct {
	at    []int
	terms []termCount
}

// byGroups gives the sink one match a group, with the number of its matches as the weight, if that promises to be cheaper than a search.
// done tells whether it did.
func (c *program) byGroups(ctx context.Context, env *pattern.Env, sink pattern.Sink) (done bool, err error) {
	g := c.job.Groups
	if g == nil || g.Formula == nil || c.enumerate || c.root > 0 || len(c.job.Candidates.Deferred) > 0 || c.cost < formulaCost || !env.Uses(pattern.GroupSums) {
		return false, nil
	}
	if len(g.Read) == 1 {
		if done, err := c.byRoot(ctx, env, sink); done || err != nil {
			return done, err
		}
	}
	if g.Parts == nil {
		return false, nil
	}
	x := &groupSums{evaluation: evaluation{program: c, env: env, by: CPUCounter{}, formula: g.Formula, sets: map[string]int{}}, groups: g, at: make([]int, len(g.Read))}
	release, ok, err := x.divide()
	defer release()
	if err != nil || !ok {
		return false, leaveOut(ctx, err)
	}
	x.homs, x.cut = hom.NewCounter(c.s), x.candidates
	x.homs.Leave(env.Without)
	if !x.each(0) || x.homs.Cost()*formulaGain > c.cost || x.homs.Cost()*listGain*formulaGain > c.listCost() {
		return false, nil
	}
	if c.planOnly {
		return true, nil
	}
	batch, err := x.numbers(ctx)
	if err != nil {
		return false, leaveOut(ctx, err)
	}
	env.Took(pattern.GroupSums, uint64(len(batch)))
	if len(batch) > 0 {
		_, err = sink.Emit(batch)
	}
	return true, err
}

// A search that lists the vertices read and counts the rest does less than its cost says: listGain is how many times cheaper yet a formula
// must be than the listing, whose every row takes as long as rowCost partial matches.
const listGain, rowCost = 6, 8

// listCost is the work of a search up to its last step, and of the rows that it gives.
func (c *program) listCost() float64 {
	cost, steps := 0.0, c.job.Order.Steps
	for _, st := range steps[:len(steps)-1] {
		cost += st.Expected
	}
	given := len(steps)
	if c.tail >= 0 {
		given = c.tail
	}
	return cost + rowCost*steps[given-1].Expected
}

// leaveOut is the error of a way to count that a search may go without: none, if the numbers or the memory were too large for it.
func leaveOut(ctx context.Context, err error) error {
	if errors.Is(err, pattern.ErrOverflow) || errors.Is(err, pattern.ErrMemory) {
		return ctx.Err()
	}
	return err
}

// divide asks for the parts. ok is false if there are too many.
func (x *groupSums) divide() (release func(), ok bool, err error) {
	bytes, graphs := int64(0), len(x.formula.Terms)
	release = func() { x.env.Memory.Release(bytes) }
	for i := range x.groups.Read {
		parts, err := x.groups.Parts(i)
		if err != nil || parts == nil {
			return release, false, err
		}
		if x.parts, graphs = append(x.parts, parts), graphs*len(parts); graphs > maxGroupGraphs {
			return release, false, nil
		}
		n := int64(len(parts))*int64(x.s.N())/8 + 4*int64(x.s.N())
		bytes += n
		if err := x.env.Memory.Charge(n); err != nil {
			return release, false, err
		}
	}
	return release, true, nil
}

// each adds the graphs of all groups that agree with the first k entries of at. It reports false if only a search can count one.
func (x *groupSums) each(k int) bool {
	if k < len(x.at) {
		for i := range x.parts[k] {
			if x.at[k] = i; !x.each(k + 1) {
				return false
			}
		}
		return true
	}
	x.terms = nil
	for i := range x.formula.Terms {
		if !x.take(&x.formula.Terms[i]) || slices.ContainsFunc(x.terms, func(t termCount) bool { return t.clique != nil }) {
			return false
		}
	}
	x.lists = append(x.lists, groupTerms{slices.Clone(x.at), x.terms})
	return true
}

// candidates returns the part of vertex u that the group has, and its number; nil if the sink does not read u.
func (x *groupSums) candidates(u int) (part *pattern.CandidateSet, number int) {
	if i := slices.Index(x.groups.Read, u); i >= 0 {
		return x.parts[i][x.at[i]], x.at[i]
	}
	return nil, 0
}

// numbers counts, and returns a match for each group that has any.
func (x *groupSums) numbers(ctx context.Context) ([]pattern.Embedding, error) {
	counts, err := x.by.CountHoms(ctx, x.s, x.homs, x.env)
	if err != nil {
		return nil, err
	}
	var batch []pattern.Embedding
	for _, g := range x.lists {
		plus, minus, err := addUp(g.terms, func(*termCount) (n pattern.Count128, err error) {
			n, counts = counts[0], counts[1:]
			return n, nil
		})
		if err != nil {
			return nil, err
		}
		n, err := difference(plus, minus)
		if err != nil {
			return nil, err
		}
		if n == (pattern.Count128{}) {
			continue
		}
		if n.Hi > 0 || n.Lo > math.MaxInt64 {
			return nil, pattern.ErrOverflow
		}
		if x.env.Tally != nil {
			x.env.Tally.Embeddings.Add(n.Lo)
		}
		m := pattern.Embedding{Vertices: make([]csr.VertexID, len(x.p.Vertices)), Weight: n.Lo}
		for i, u := range x.groups.Read {
			m.Vertices[u] = x.parts[i][g.at[i]].List()[0]
		}
		batch = append(batch, m)
	}
	return batch, nil
}

// addUp adds up the terms, whose numbers of homomorphisms number gives in their order: those to be added and those to be subtracted.
func addUp(terms []termCount, number func(t *termCount) (pattern.Count128, error)) (plus, minus pattern.Count128, err error) {
	for i := range terms {
		t := &terms[i]
		n, err := number(t)
		if err != nil {
			return plus, minus, err
		}
		to, times := &plus, t.coefficient
		if times < 0 {
			to, times = &minus, -times
		}
		if n, err = n.Mul(uint64(times)); err != nil {
			return plus, minus, err
		}
		if *to, err = to.Add(n); err != nil {
			return plus, minus, err
		}
	}
	return plus, minus, nil
}

// difference is plus - minus, a number of matches.
func difference(plus, minus pattern.Count128) (pattern.Count128, error) {
	total, ok := plus.Sub(minus)
	if !ok {
		return total, fmt.Errorf("join: the formula gives %v - %v matches", plus, minus)
	}
	return total, nil
}
