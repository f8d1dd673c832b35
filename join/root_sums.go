package join

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/hom"
)

// Numbers of matches by one vertex, the root. A grouped count may read a single vertex, and many values of it. Then one run finds the number
// for every value: each term of the formula is counted by the value of the vertex that stands for the root. If the count reads other
// vertices, too, there is such a run for each choice of their parts. Ranges of the root's values can be counted one by one: a share has them.

// rootRows is how many groups the sink gets at once.
const rootRows = 1024

// rootSums is an evaluation of pattern.Groups by the values of one vertex.
type rootSums struct {
	*groupEvaluation
	lists []rootTerms
	apart []*pattern.CandidateSet // the root's parts; nil: its values are told apart
	asked bool                    // for the parts
	sums  []uint64                // numbers of the last choice by value, from the first value that is counted on
	found []rootNumber            // those of the other choices
	bytes int64                   // charged for sums
}

// rootNumber is how many matches a value of the root has with a choice of the other vertices' parts.
type rootNumber struct {
	list   int
	value  csr.VertexID
	number uint64
}

// rootTerms is a choice of the other vertices' parts, and the graphs whose numbers add up to those of its matches.
type rootTerms struct {
	at    []int
	terms []termCount
	roots []*hom.Rooted // by term
}

// planRoots plans the numbers by the root of the choice. It returns nil if they cannot be counted so.
func (c *program) planRoots(env *pattern.Env, choice groupChoice) *rootSums {
	of := c.evaluationOf(env, choice)
	if of == nil {
		return nil
	}
	x := &rootSums{groupEvaluation: of}
	if !x.choice.each(0, x.group) {
		return nil
	}
	return x
}

// cheapestRoots plans the numbers by the root that makes them cheapest; nil: there is none.
func (c *program) cheapestRoots(env *pattern.Env, choice groupChoice) (best *rootSums) {
	for i := range choice.Read {
		choice.root = i
		if x := c.planRoots(env, choice); x != nil && (best == nil || x.homs.Cost() < best.homs.Cost()) {
			best = x
		}
	}
	return best
}

// group adds the graphs of the choice at hand. It reports false if one cannot be counted by the root.
func (x *rootSums) group() bool {
	l := rootTerms{at: slices.Clone(x.choice.at)}
	for i := range x.formula.Terms {
		if !x.root(&x.formula.Terms[i], &l) {
			return false
		}
	}
	x.lists = append(x.lists, l)
	return true
}

// root adds the graph of t. It reports false if the graph cannot be counted by the root.
func (x *rootSums) root(t *pattern.Term, to *rootTerms) bool {
	g, root := hom.Graph{Factors: t.Factors}, -1
	for i, kinds := range t.Vertices {
		set, some := x.set(kinds)
		if !some {
			return true // no vertex can be all that it stands for
		}
		if g.Sets = append(g.Sets, set); slices.Contains(kinds, x.formula.Kinds[x.choice.Read[x.choice.root]]) {
			root = i
		}
	}
	r := x.homs.AddRooted(g, root)
	if r == nil {
		return false
	}
	to.roots, to.terms = append(to.roots, r), append(to.terms, termCount{coefficient: t.Coefficient})
	return true
}

// byRoot gives the sink a match for each value of the root and each choice of the other vertices' parts that has matches, with their number as
// the weight. done is false if a search may do with smaller numbers and less memory.
func (c *program) byRoot(ctx context.Context, x *rootSums, sink pattern.Sink) (done bool, err error) {
	if c.planOnly {
		c.rooted, c.divided = true, x.choice.Read[x.choice.root]
		return true, nil
	}
	defer x.release()
	_, err = x.by.CountHoms(ctx, x.s, x.homs, x.env)
	if err == nil {
		err = x.numbers(ctx, 0, csr.VertexID(c.s.N()))
	}
	if err != nil {
		return false, leaveOut(ctx, err)
	}
	return true, x.give(ctx, 0, sink)
}

// numbers counts for the values [lo, hi) of the root, which give then gives a sink. release must follow.
func (x *rootSums) numbers(ctx context.Context, lo, hi csr.VertexID) error {
	if err := x.askParts(); err != nil {
		return err
	}
	x.sums, x.found = slices.Grow(x.sums[:0], int(hi-lo))[:hi-lo], x.found[:0]
	x.bytes = 8 * int64(cap(x.sums))
	if err := x.env.Memory.Charge(x.bytes); err != nil {
		return err
	}
	for i := range x.lists {
		if i > 0 {
			x.keep(i-1, lo)
		}
		if err := x.weigh(ctx, &x.lists[i], lo); err != nil {
			return err
		}
		if err := x.byParts(lo); err != nil {
			return err
		}
	}
	return nil
}

// release gives back what numbers has charged.
func (x *rootSums) release() {
	x.env.Memory.Release(x.bytes)
	x.bytes = 0
}

// askParts asks for the parts of the root, once.
func (x *rootSums) askParts() (err error) {
	if x.asked || x.choice.Parts == nil {
		return nil
	}
	x.apart, err = x.choice.Parts(x.choice.root)
	x.asked = err == nil
	return err
}

// keep keeps the numbers of a choice. They are few: if there are several choices, the root has few parts.
func (x *rootSums) keep(list int, lo csr.VertexID) {
	for v, n := range x.sums {
		if n > 0 {
			x.found = append(x.found, rootNumber{list, lo + csr.VertexID(v), n})
		}
	}
}

// weigh sets sums to the numbers of a choice by value of the root.
func (x *rootSums) weigh(ctx context.Context, l *rootTerms, lo csr.VertexID) error {
	for v := range x.sums {
		if v%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		i := 0
		plus, minus, err := addUp(l.terms, func(*termCount) (pattern.Count128, error) {
			i++
			return l.roots[i-1].At(lo + csr.VertexID(v))
		})
		if err != nil {
			return err
		}
		n, err := difference(plus, minus)
		if err != nil {
			return err
		}
		if n.Hi > 0 || n.Lo > math.MaxInt64 {
			return pattern.ErrOverflow
		}
		x.sums[v] = n.Lo
	}
	return nil
}

// byParts moves the numbers of each part of the root to the first of its values that is counted.
func (x *rootSums) byParts(lo csr.VertexID) error {
	for _, part := range x.apart {
		list := part.List()
		from, _ := slices.BinarySearch(list, lo)
		to, _ := slices.BinarySearch(list, lo+csr.VertexID(len(x.sums)))
		if from == to {
			continue
		}
		sum := uint64(0)
		for _, v := range list[from:to] {
			if sum += x.sums[v-lo]; sum > math.MaxInt64 {
				return pattern.ErrOverflow
			}
			x.sums[v-lo] = 0
		}
		x.sums[list[from]-lo] = sum
	}
	return nil
}

// give gives the sink what numbers has found.
func (x *rootSums) give(ctx context.Context, lo csr.VertexID, sink pattern.Sink) error {
	out := &rootOutput{rootSums: x, ctx: ctx, sink: sink, match: make([]csr.VertexID, len(x.p.Vertices))}
	if out.columns, _ = sink.(pattern.ColumnSink); out.columns != nil {
		out.read = out.columns.ReadVertices()
		out.batch.Make(len(out.read), 0)
	}
	for _, f := range x.found {
		if more, err := out.add(f); !more {
			return err
		}
	}
	for v, n := range x.sums {
		if n == 0 {
			continue
		}
		if more, err := out.add(rootNumber{len(x.lists) - 1, lo + csr.VertexID(v), n}); !more {
			return err
		}
	}
	_, err := out.flush()
	return err
}

// rootOutput takes vertices and their numbers to a sink.
type rootOutput struct {
	*rootSums
	ctx     context.Context
	sink    pattern.Sink
	columns pattern.ColumnSink // the sink, if it takes columns; else nil
	read    []int
	match   []csr.VertexID
	batch   pattern.Columns
	list    []pattern.Embedding
}

// add adds a match with its number, and hands a full batch over.
func (o *rootOutput) add(f rootNumber) (more bool, err error) {
	for i, u := range o.choice.Read {
		if o.match[u] = f.value; i != o.choice.root {
			o.match[u] = o.choice.parts[i][o.lists[f.list].at[i]].List()[0]
		}
	}
	if o.env.Tally != nil {
		o.env.Tally.Embeddings.Add(f.number)
	}
	if o.columns != nil {
		o.batch.Append(o.read, o.match, nil, nil, f.number)
	} else {
		o.list = append(o.list, pattern.Embedding{Vertices: slices.Clone(o.match), Weight: f.number})
	}
	if o.batch.Len+len(o.list) < rootRows {
		return true, nil
	}
	return o.flush()
}

func (o *rootOutput) flush() (more bool, err error) {
	rows := o.batch.Len + len(o.list)
	if rows == 0 {
		return true, o.ctx.Err()
	}
	o.env.Took(pattern.GroupSums, uint64(rows))
	if o.columns != nil {
		o.batch.Distinct = true
		more, err = o.columns.EmitColumns(&o.batch)
	} else {
		more, err = o.sink.Emit(o.list)
	}
	o.batch.Reset()
	o.list = o.list[:0]
	return more && err == nil && o.ctx.Err() == nil, err
}

// errOtherRoots says that this process would count by other numbers than the scheme.
var errOtherRoots = errors.New("join: numbers by one vertex have another plan here than where the work was divided")

// rootsOf sends the values of the root that are in the share. The share keeps the plan and what all values need. If a number or the memory is too
// large for formulas, a search finds the matches of these values.
func rootsOf(ctx context.Context, j *pattern.Job, env *pattern.Env, sink pattern.Sink) error {
	s := j.Share
	if _, searches := s.Kept.(rootSearch); searches {
		return searchRoots(ctx, j, env, sink)
	}
	x, _ := s.Kept.(*rootSums)
	if x == nil {
		var err error
		if x, err = planRootsOf(ctx, j, env, sink); x == nil || err != nil {
			return err
		}
		s.Kept = x
	}
	defer x.release()
	lo, hi := csr.VertexID(min(s.Lo, x.s.N())), csr.VertexID(min(s.Hi, x.s.N()))
	hom.DivideRoots(x.homs, lo, hi, s.Until)
	prepared := x.prepares(s)
	_, err := x.count(ctx)
	if err == nil {
		prepared()
		hi = hom.Counted(x.homs)
		err = x.numbers(ctx, lo, hi)
	}
	if errors.Is(err, pattern.ErrOverflow) || errors.Is(err, pattern.ErrMemory) {
		x.release()
		s.Kept = rootSearch{}
		return searchRoots(ctx, j, env, sink)
	}
	if err == nil {
		err = x.give(ctx, lo, sink)
	}
	if err != nil {
		s.Kept = nil
	} else if hi < csr.VertexID(min(s.Hi, x.s.N())) {
		s.Hi = uint64(hi)
	}
	return err
}

// rootSearch is what a share keeps that has gone over to searches.
type rootSearch struct{}

// searchRoots is rootsOf by a search among the candidates of the root that are in the share.
func searchRoots(ctx context.Context, j *pattern.Job, env *pattern.Env, sink pattern.Sink) error {
	s, own, of := j.Share, *j, *j.Candidates
	n, list := j.Snapshot.N(), j.Candidates.Sets[j.Share.Divided].List()
	from, _ := slices.BinarySearch(list, csr.VertexID(min(s.Lo, n)))
	to, _ := slices.BinarySearch(list, csr.VertexID(min(s.Hi, n)))
	if from == to {
		return nil
	}
	of.Sets = slices.Clone(of.Sets)
	of.Sets[s.Divided] = pattern.NewCandidateSet(n, slices.Clone(list[from:to]))
	own.Candidates, own.Share, own.Groups, own.Pairs, own.Formula = &of, nil, nil, nil, nil // formulas do without the candidates of the filter
	return Match(ctx, &own, env, sink)
}

// planRootsOf plans the numbers of a share. It returns nil if there are no matches at all.
func planRootsOf(ctx context.Context, j *pattern.Job, env *pattern.Env, sink pattern.Sink) (*rootSums, error) {
	c, err := compileOrder(ctx, j, env, sink, true)
	if c != nil {
		defer c.byValue.release()
	}
	if err != nil || c.none {
		return nil, err
	}
	g := j.Groups
	if g == nil || g.Formula == nil {
		return nil, errOtherRoots
	}
	choice := &groupChoice{Groups: g, at: make([]int, len(g.Read))}
	if len(g.Read) > 1 {
		if choice, err = c.choiceOf(g); err != nil {
			return nil, err
		}
	}
	if choice == nil {
		return nil, errOtherRoots
	}
	if choice.root = slices.Index(g.Read, j.Share.Divided); choice.root < 0 {
		return nil, errOtherRoots
	}
	x := c.planRoots(env, *choice)
	if x == nil {
		return nil, errOtherRoots
	}
	return x, nil
}
