package join

import (
	"context"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/hom"
)

// Numbers of matches by one vertex. A grouped count may read a single vertex, and many values of it. Then one run finds the number for every
// value: each term of the formula is counted by the value of the vertex that stands for the one read.

// rootRows is how many groups the sink gets at once.
const rootRows = 1024

// rootSums is an evaluation of pattern.Groups that read one vertex.
type rootSums struct {
	evaluation
	read  int
	roots []*hom.Rooted // by term
}

// byRoot gives the sink a match for each value of the vertex that is read, with the number of its matches as the weight, if that promises to
// be cheaper than a search. done tells whether it did.
func (c *program) byRoot(ctx context.Context, env *pattern.Env, sink pattern.Sink) (done bool, err error) {
	g := c.job.Groups
	x := &rootSums{evaluation: evaluation{program: c, env: env, by: CPUCounter{}, formula: g.Formula, sets: map[string]int{}}, read: g.Read[0]}
	x.homs = hom.NewCounter(c.s)
	x.homs.Leave(env.Without)
	for i := range g.Formula.Terms {
		if !x.root(&g.Formula.Terms[i]) {
			return false, nil
		}
	}
	cheaper := x.homs.Cost()*formulaGain <= c.cost && x.homs.Cost()*listGain*formulaGain <= c.listCost()
	if !cheaper && (formulaGain > 0 && x.homs.Cost() > g.Cost) {
		return false, nil
	}
	if c.planOnly {
		return true, nil
	}
	if _, err := x.by.CountHoms(ctx, c.s, x.homs, env); err != nil {
		return false, leaveOut(ctx, err)
	}
	weights, bytes, err := x.weights(ctx)
	defer func() { env.Memory.Release(bytes) }()
	if err != nil {
		return false, leaveOut(ctx, err)
	}
	if weights, err = x.byParts(g, weights); err != nil {
		return false, leaveOut(ctx, err)
	}
	return true, x.give(ctx, weights, sink)
}

// byParts moves the numbers of a part to its first vertex, if there are few parts.
func (x *rootSums) byParts(g *pattern.Groups, weights []uint64) ([]uint64, error) {
	if g.Parts == nil {
		return weights, nil
	}
	parts, err := g.Parts(0)
	if err != nil || parts == nil {
		return weights, err
	}
	for _, part := range parts {
		first, sum := part.List()[0], uint64(0)
		for v := range part.All() {
			if sum += weights[v]; sum > math.MaxInt64 {
				return nil, pattern.ErrOverflow
			}
			weights[v] = 0
		}
		weights[first] = sum
	}
	return weights, nil
}

// root adds the graph of t. It reports false if the graph cannot be counted by the vertex that is read.
func (x *rootSums) root(t *pattern.Term) bool {
	g, root := hom.Graph{Factors: t.Factors}, -1
	for i, kinds := range t.Vertices {
		set, some := x.set(kinds)
		if !some {
			return true // no vertex can be all that it stands for
		}
		if g.Sets = append(g.Sets, set); slices.Contains(kinds, x.formula.Kinds[x.read]) {
			root = i
		}
	}
	r := x.homs.AddRooted(g, root)
	if r == nil {
		return false
	}
	x.roots, x.terms = append(x.roots, r), append(x.terms, termCount{coefficient: t.Coefficient})
	return true
}

// weights returns the number of matches by the vertex that is read, and what it has charged.
func (x *rootSums) weights(ctx context.Context) (weights []uint64, bytes int64, err error) {
	bytes = 8 * int64(x.s.N())
	if err := x.env.Memory.Charge(bytes); err != nil {
		return nil, bytes, err
	}
	weights = make([]uint64, x.s.N())
	for v := range weights {
		if v%4096 == 0 && ctx.Err() != nil {
			return nil, bytes, ctx.Err()
		}
		i := 0
		plus, minus, err := addUp(x.terms, func(*termCount) (pattern.Count128, error) {
			i++
			return x.roots[i-1].At(csr.VertexID(v))
		})
		if err != nil {
			return nil, bytes, err
		}
		n, err := difference(plus, minus)
		if err != nil {
			return nil, bytes, err
		}
		if n.Hi > 0 || n.Lo > math.MaxInt64 {
			return nil, bytes, pattern.ErrOverflow
		}
		weights[v] = n.Lo
	}
	return weights, bytes, nil
}

// give gives the sink the vertices that have matches.
func (x *rootSums) give(ctx context.Context, weights []uint64, sink pattern.Sink) error {
	out := &rootOutput{rootSums: x, ctx: ctx, sink: sink}
	out.columns, _ = sink.(pattern.ColumnSink)
	for v, n := range weights {
		if n == 0 {
			continue
		}
		if x.env.Tally != nil {
			x.env.Tally.Embeddings.Add(n)
		}
		if out.add(csr.VertexID(v), n); len(out.weights) == rootRows {
			if more, err := out.flush(); !more {
				return err
			}
		}
	}
	if len(out.weights) == 0 {
		return ctx.Err()
	}
	_, err := out.flush()
	return err
}

// rootOutput takes vertices and their numbers to a sink.
type rootOutput struct {
	*rootSums
	ctx      context.Context
	sink     pattern.Sink
	columns  pattern.ColumnSink // the sink, if it takes columns; else nil
	vertices []csr.VertexID
	weights  []uint64
}

func (o *rootOutput) add(v csr.VertexID, n uint64) {
	o.vertices, o.weights = append(o.vertices, v), append(o.weights, n)
}

func (o *rootOutput) flush() (more bool, err error) {
	o.env.Took(pattern.GroupSums, uint64(len(o.weights)))
	if o.columns != nil {
		more, err = o.columns.EmitColumns(&pattern.Columns{Vertices: [][]csr.VertexID{o.vertices}, Weights: o.weights, Len: len(o.weights), Distinct: true})
	} else {
		more, err = o.sink.Emit(o.embeddings())
	}
	o.vertices, o.weights = o.vertices[:0], o.weights[:0]
	return more && err == nil && o.ctx.Err() == nil, err
}

func (o *rootOutput) embeddings() []pattern.Embedding {
	k := len(o.p.Vertices)
	batch, all := make([]pattern.Embedding, len(o.weights)), make([]csr.VertexID, len(o.weights)*k)
	for i, n := range o.weights {
		at := all[i*k:][:k:k]
		at[o.read] = o.vertices[i]
		batch[i] = pattern.Embedding{Vertices: at, Weight: n}
	}
	return batch
}
