package join

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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

// groupEvaluation is an evaluation of pattern.Groups, for one choice after the other.
type groupEvaluation struct {
	evaluation
	choice groupChoice
}

// groupSums evaluates the formula of each group.
type groupSums struct {
	*groupEvaluation
	lists []groupTerms
}

// groupTerms is a group and the graphs whose numbers add up to that of its matches.
type groupTerms struct {
	at    []int
	terms []termCount
}

// groupChoice goes through the groups: it chooses a part for each vertex that is read.
type groupChoice struct {
	*pattern.Groups
	parts [][]*pattern.CandidateSet // by vertex that is read
	at    []int                     // the part of each in the group at hand
	root  int                       // the one whose parts are not gone through, by its place in Read; -1: none
	bytes int64                     // of the parts
}

// each calls take for all choices that agree with the first k entries of at, until it reports false.
func (g *groupChoice) each(k int, take func() bool) bool {
	switch {
	case k == len(g.at):
		return take()
	case k == g.root:
		return g.each(k+1, take)
	}
	for i := range g.parts[k] {
		if g.at[k] = i; !g.each(k+1, take) {
			return false
		}
	}
	return true
}

// candidates returns the part of vertex u that is chosen, and its number; nil if there is no choice of u's.
func (g *groupChoice) candidates(u int) (part *pattern.CandidateSet, number int) {
	if i := slices.Index(g.Read, u); i >= 0 && i != g.root {
		return g.parts[i][g.at[i]], g.at[i]
	}
	return nil, 0
}

// choices returns how many there are.
func (g *groupChoice) choices() int {
	n := 1
	for i := range g.parts {
		if i != g.root {
			n *= len(g.parts[i])
		}
	}
	return n
}

// byGroups gives the sink one match a group, with the number of its matches as the weight, if that promises to be cheaper than a search.
// done tells whether it did.
func (c *program) byGroups(ctx context.Context, env *pattern.Env, sink pattern.Sink) (done bool, err error) {
	g := c.job.Groups
	if g == nil || g.Formula == nil || c.enumerate || c.root > 0 || len(c.job.Candidates.Deferred) > 0 || c.cost < formulaCost || !env.Uses(pattern.GroupSums) {
		return false, nil
	}
	if len(g.Read) == 1 {
		if x := c.planRoots(env, groupChoice{Groups: g, at: make([]int, 1)}); x != nil && c.formulaPays(env, x.homs) {
			if done, err := c.byRoot(ctx, x, sink); done || err != nil {
				return done, err
			}
		}
	}
	if g.Parts == nil {
		return false, nil
	}
	choice, err := c.choiceOf(g)
	if err != nil || choice == nil {
		return false, leaveOut(ctx, err)
	}
	defer env.Memory.Release(choice.bytes)
	if err := env.Memory.Charge(choice.bytes); err != nil {
		return false, leaveOut(ctx, err)
	}
	x := c.planGroups(env, *choice)
	if y := c.cheapestRoots(env, *choice); y != nil && (x == nil || y.homs.Cost() <= rootGain*x.homs.Cost()) && c.formulaPays(env, y.homs) {
		if done, err := c.byRoot(ctx, y, sink); done || err != nil {
			return done, err
		}
	}
	if x == nil || !c.formulaPays(env, x.homs) {
		return false, nil
	}
	if c.planOnly {
		return true, nil
	}
	return x.send(ctx, sink)
}

// Many groups have many arrays. They may take groupBytes for each vertex and each relationship of the graph, or leastGroupBytes.
const groupBytes, leastGroupBytes = 64, 1 << 28

// formulaPays reports whether the numbers of h promise to be cheaper than a search that lists the vertices read. A search of a cyclic pattern may
// take a hundred times the work that is expected of it, so the other estimate counts, too.
func (c *program) formulaPays(env *pattern.Env, h *hom.Counter) bool {
	g := c.job.Groups
	most := max(leastGroupBytes, groupBytes*float64(c.s.N()+c.s.M()))
	if env.Memory != nil && env.Memory.Limit > 0 {
		most = min(most, float64(env.Memory.Limit)/2)
	}
	if hom.Bytes(h) > most {
		return false
	}
	return h.Cost()*formulaGain <= c.cost && h.Cost()*listGain*formulaGain <= c.listCost() ||
		h.Cost() <= g.Cost && (len(g.Read) == 1 || len(c.p.Edges) >= len(c.p.Vertices))
}

// evaluationOf begins the evaluation of all choices. It returns nil if these are too many.
func (c *program) evaluationOf(env *pattern.Env, choice groupChoice) *groupEvaluation {
	x := &groupEvaluation{evaluation{program: c, env: env, by: CPUCounter{}, formula: choice.Formula, sets: map[string]int{}}, choice}
	x.choice.at = slices.Clone(choice.at)
	if x.choice.choices()*len(x.formula.Terms) > maxGroupGraphs {
		return nil
	}
	x.homs, x.cut = hom.NewCounter(c.s), x.choice.candidates
	x.homs.Leave(env.Without)
	return x
}

// planGroups plans the numbers of all groups. It returns nil if only a search can count one.
func (c *program) planGroups(env *pattern.Env, choice groupChoice) *groupSums {
	of := c.evaluationOf(env, choice)
	if of == nil {
		return nil
	}
	x := &groupSums{groupEvaluation: of}
	if !x.choice.each(0, x.group) {
		return nil
	}
	return x
}

// send counts, and gives the sink the groups.
func (x *groupSums) send(ctx context.Context, sink pattern.Sink) (done bool, err error) {
	counts, err := x.by.CountHoms(ctx, x.s, x.homs, x.env)
	if err != nil {
		return false, leaveOut(ctx, err)
	}
	numbers, err := x.signed(nil, counts)
	if err != nil {
		return false, leaveOut(ctx, err)
	}
	if done, err = x.give(numbers, sink); !done {
		err = leaveOut(ctx, err)
	}
	return done, err
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

// choiceOf asks for the parts. It returns nil if there are too many of some vertex. Whoever keeps the choice charges its bytes.
func (c *program) choiceOf(g *pattern.Groups) (*groupChoice, error) {
	choice := &groupChoice{Groups: g, at: make([]int, len(g.Read)), root: -1}
	for i := range g.Read {
		parts, err := g.Parts(i)
		if err != nil || parts == nil {
			return nil, err
		}
		choice.parts = append(choice.parts, parts)
		choice.bytes += int64(len(parts))*int64(c.s.N())/8 + 4*int64(c.s.N())
	}
	return choice, nil
}

// group adds the graphs of the group at hand. It reports false if only a search can count one.
func (x *groupSums) group() bool {
	x.terms = nil
	for i := range x.formula.Terms {
		if !x.take(&x.formula.Terms[i]) || slices.ContainsFunc(x.terms, func(t termCount) bool { return t.clique != nil }) {
			return false
		}
	}
	x.lists = append(x.lists, groupTerms{slices.Clone(x.choice.at), x.terms})
	return true
}

// give gives the sink a match for each group that has any. done is false if a number does not fit, and nothing was given.
func (x *groupSums) give(numbers []pattern.Signed, sink pattern.Sink) (done bool, err error) {
	var batch []pattern.Embedding
	for k, g := range x.lists {
		n, err := difference(numbers[k].Plus, numbers[k].Minus)
		if err != nil {
			return false, err
		}
		if n == (pattern.Count128{}) {
			continue
		}
		if n.Hi > 0 || n.Lo > math.MaxInt64 {
			return false, pattern.ErrOverflow
		}
		m := pattern.Embedding{Vertices: make([]csr.VertexID, len(x.p.Vertices)), Weight: n.Lo}
		for i, u := range x.choice.Read {
			m.Vertices[u] = x.choice.parts[i][g.at[i]].List()[0]
		}
		batch = append(batch, m)
	}
	if x.env.Tally != nil {
		for i := range batch {
			x.env.Tally.Embeddings.Add(batch[i].Weight)
		}
	}
	x.env.Took(pattern.GroupSums, uint64(len(batch)))
	if len(batch) > 0 {
		_, err = sink.Emit(batch)
	}
	return true, err
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

// errOtherGroups says that this process would count by other numbers than the scheme.
var errOtherGroups = errors.New("join: numbers by groups have another plan here than where the work was divided")

// countGroups counts the groups for the share's pivots: what they add to the number of each group, and what they subtract from it. The share keeps
// the arrays that all pivots need.
func countGroups(ctx context.Context, j *pattern.Job, env *pattern.Env) error {
	s := j.Share
	x, _ := s.Kept.(*groupSums)
	if x == nil {
		var err error
		if x, err = planGroupsOf(ctx, j, env); x == nil || err != nil {
			return err
		}
		s.Kept = x
	}
	n := x.s.N()
	x.homs.Divide(csr.VertexID(min(s.Lo, n)), csr.VertexID(min(s.Hi, n)), s.Until)
	prepared := x.prepares(s)
	counts, err := x.count(ctx)
	if err == nil {
		prepared()
		s.Groups, err = x.signed(s.Groups[:0], counts)
	}
	if err != nil {
		s.Kept = nil
	} else if end := uint64(hom.Counted(x.homs)); end < min(s.Hi, n) {
		s.Hi = end
	}
	return err
}

// count counts what the counter was given. Meanwhile the parts, which a share keeps, are charged.
func (x *groupEvaluation) count(ctx context.Context) ([]pattern.Count128, error) {
	defer x.env.Memory.Release(x.choice.bytes)
	if err := x.env.Memory.Charge(x.choice.bytes); err != nil {
		return nil, err
	}
	return x.by.CountHoms(ctx, x.s, x.homs, x.env)
}

// signed appends the number of each group that counts make.
func (x *groupSums) signed(to []pattern.Signed, counts []pattern.Count128) ([]pattern.Signed, error) {
	for _, g := range x.lists {
		plus, minus, err := addUp(g.terms, func(*termCount) (n pattern.Count128, err error) {
			n, counts = counts[0], counts[1:]
			return n, nil
		})
		if err != nil {
			return nil, err
		}
		to = append(to, pattern.Signed{Plus: plus, Minus: minus})
	}
	return to, nil
}

// planGroupsOf plans the numbers of a share. It returns nil if there are no matches at all.
func planGroupsOf(ctx context.Context, j *pattern.Job, env *pattern.Env) (*groupSums, error) {
	c, choice, err := choiceOfShare(ctx, j, env)
	if choice == nil || err != nil {
		return nil, err
	}
	x := c.planGroups(env, *choice)
	if x == nil {
		return nil, errOtherGroups
	}
	sum := sha256.Sum256([]byte(x.plan()))
	switch plan := hex.EncodeToString(sum[:]); j.Share.Plan {
	case "":
		j.Share.Plan = plan
	case plan:
	default:
		return nil, errOtherGroups
	}
	return x, nil
}

// choiceOfShare finds the groups of a share. The choice is nil if there are no matches at all.
func choiceOfShare(ctx context.Context, j *pattern.Job, env *pattern.Env) (c *program, choice *groupChoice, err error) {
	if c, err = compileOrder(ctx, j, env, nil, true); c != nil {
		defer c.byValue.release()
	}
	if err != nil || c.none {
		return nil, nil, err
	}
	g := j.Groups
	if g == nil || g.Formula == nil || g.Parts == nil {
		return nil, nil, errOtherGroups
	}
	if choice, err = c.choiceOf(g); choice == nil && err == nil {
		err = errOtherGroups
	}
	return c, choice, err
}

// giveGroups gives the sink the groups of a share whose numbers are known.
func giveGroups(ctx context.Context, j *pattern.Job, env *pattern.Env, sink pattern.Sink) error {
	if len(j.Share.Groups) == 0 {
		return nil
	}
	c, choice, err := choiceOfShare(ctx, j, env)
	if choice == nil || err != nil {
		return err
	}
	if choice.choices() != len(j.Share.Groups) {
		return errOtherGroups
	}
	x := &groupSums{groupEvaluation: &groupEvaluation{evaluation{program: c, env: env}, *choice}}
	x.choice.each(0, func() bool {
		x.lists = append(x.lists, groupTerms{at: slices.Clone(x.choice.at)})
		return true
	})
	defer env.Memory.Release(choice.bytes)
	if err := env.Memory.Charge(choice.bytes); err != nil {
		return err
	}
	_, err = x.give(j.Share.Groups, sink)
	return err
}
