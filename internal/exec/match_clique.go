package exec

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/planner/match"
)

// cliqueMatch answers a Match by the clique kernel. Each clique stands for one match or several.
type cliqueMatch struct {
	*matchStage
	route  *match.CliqueRoute
	clique pattern.Clique
	scope  *pattern.Scope

	flat    []int  // query vertices, group by group, in the order of a kernel's clique; those that somebody reads come first in their group
	ends    []int  // by position in flat: the end of its group
	reads   []bool // by position in flat: somebody reads the vertex
	groupOf []int  // by query vertex

	found     []csr.VertexID   // by query vertex: the match under construction
	remaining [][]csr.VertexID // by group: vertices of the clique that found does not have yet
	rels      []csr.EdgeID     // reused between cliques
	nodeTime  time.Duration    // what countNodes takes to emit a node, as far as is known
}

// newCliqueMatch prepares the kernel's input from the candidate sets. Sets of different groups are disjoint: the planner
// compared the labels that they admit.
func newCliqueMatch(m *matchStage) (*cliqueMatch, error) {
	p := m.job.Pattern
	c := &cliqueMatch{matchStage: m, route: m.plan.Clique, scope: &p.Scopes[0], nodeTime: perGroup}
	c.clique = pattern.Clique{K: len(p.Vertices), Types: p.Edges[0].Types}
	c.groupOf, c.found = make([]int, len(p.Vertices)), make([]csr.VertexID, len(p.Vertices))
	c.remaining = make([][]csr.VertexID, len(c.route.Groups))
	for g, group := range c.route.Groups {
		var set *pattern.CandidateSet
		if !anyClique(m) {
			var err error
			if set, err = c.candidates(group); err != nil {
				return nil, err
			}
		}
		c.clique.Sets = append(c.clique.Sets, set)
		c.clique.Sizes = append(c.clique.Sizes, len(group))
		c.flat = append(c.flat, c.readFirst(group)...)
		for _, u := range group {
			c.ends = append(c.ends, len(c.flat))
			c.groupOf[u] = g
		}
	}
	for _, u := range c.flat {
		c.reads = append(c.reads, c.unread(u) == 0)
	}
	if set := c.clique.Sets[0]; len(c.clique.Sets) == 1 && set != nil && uint64(set.Len()) == m.x.s.N() {
		c.clique.Sets[0] = nil
	}
	m.profile.Kernel = "clique" + m.profile.Kernel[len("join"):]
	return c, nil
}

// readFirst returns the vertices of a group, first those that somebody reads.
func (c *cliqueMatch) readFirst(group []int) []int {
	us := slices.Clone(group)
	slices.SortStableFunc(us, func(u, w int) int { return cmp.Compare(c.unread(u), c.unread(w)) })
	return us
}

// unread returns 1 for a query vertex that nobody reads, and 0 for others.
func (c *cliqueMatch) unread(u int) int {
	if slices.ContainsFunc(c.vertices, func(p place) bool { return p.element == u }) {
		return 0
	}
	return 1
}

// anyClique reports whether the pattern of a clique asks only adjacency of its vertices. The kernel then runs on the whole graph: no
// clique contains what the filter dropped, and the graph keeps its order, which is faster.
func anyClique(m *matchStage) bool {
	p := m.job.Pattern
	return len(m.plan.Clique.Groups) == 1 && len(p.Predicates) == 0 &&
		!slices.ContainsFunc(p.Vertices, func(v pattern.Vertex) bool { return v.Labels != nil || v.Bound })
}

// candidates returns the set that the vertices of a group come from. The kernel tests only adjacency, so candidates tests
// what the filter may have let through. Every permutation of a group is a match too, so a vertex must be a candidate of
// all query vertices of the group.
func (c *cliqueMatch) candidates(group []int) (*pattern.CandidateSet, error) {
	var list []csr.VertexID
	sets := c.job.Candidates.Sets
	vertices := make([]csr.VertexID, len(sets))
next:
	for _, v := range sets[group[0]].List() {
		for _, u := range group[1:] {
			if !sets[u].Has(v) {
				continue next
			}
		}
		vertices[group[0]] = v
		ok, err := c.admits(group[0], vertices)
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, v)
		}
	}
	return pattern.NewCandidateSet(c.x.s.N(), list), nil
}

// admits tests the label expression and the predicates of the query vertex u.
func (c *cliqueMatch) admits(u int, vertices []csr.VertexID) (bool, error) {
	p := c.job.Pattern
	if l := p.Vertices[u].Labels; l != nil && !l.Admits(c.x.s.LabelsOf(vertices[u])) {
		return false, nil
	}
	for i := range p.Predicates {
		if w, single := p.Predicates[i].Single(); single && w == u {
			ok, err := p.Predicates[i].Test(vertices, nil)
			if err != nil {
				return false, c.met(i, vertices, nil, err)
			}
			if !ok {
				return false, nil
			}
		}
	}
	return true, nil
}

func (c *cliqueMatch) count() (pattern.Count128, error) {
	a, err := c.x.device.Answer(c.x.ctx, &pattern.Request{Kind: pattern.KindCliqueCount, Snapshot: c.x.s, Clique: &c.clique}, &c.env)
	if err != nil {
		return a.Count, err
	}
	return a.Count.Mul(c.route.Factor)
}

// packetOf is the largest number of cliques in a packet. The first packets are smaller, so that the first row comes soon.
const packetOf = 256

func (c *cliqueMatch) list(mult uint64) (bool, error) {
	if c.perNode() {
		return c.countNodes(mult)
	}
	s := &stream{left: c.left}
	return s.run(c.x.ctx, 2*max(1, c.matchStage.env.Workers), func(ctx context.Context, s *stream) error {
		p, size := newPacket(), 1
		r := &pattern.Request{Kind: pattern.KindCliqueList, Snapshot: c.x.s, Clique: &c.clique}
		r.Emit = func(clique []csr.VertexID) (bool, error) {
			p.vertices = append(p.vertices, clique...)
			p.weights = append(p.weights, 1)
			if len(p.weights) < size {
				return true, nil
			}
			full := p
			p, size = newPacket(), min(2*size, packetOf)
			return s.send(full, uint64(len(full.weights))*c.route.Factor), nil
		}
		_, err := c.x.device.Answer(ctx, r, &c.env)
		if err == nil {
			s.send(p, uint64(len(p.weights)))
		}
		return explain(err)
	}, func(p *packet) (bool, error) {
		for k := c.clique.K; len(p.vertices) > 0; p.vertices = p.vertices[k:] {
			if more, err := c.matches(p.vertices[:k], mult); err != nil || !more {
				return false, err
			}
		}
		return true, nil
	})
}

// perNode reports whether the kernel is asked how many cliques each node is in: as the plan says, and if this query reads that node.
func (c *cliqueMatch) perNode() bool { return c.plan.CliquesByNode() && len(c.vertices) == 1 }

// countNodes emits each node of a clique, with the number of matches that have it in the place that is read.
func (c *cliqueMatch) countNodes(mult uint64) (bool, error) {
	bytes := 16 * int64(c.x.s.N())
	defer c.env.Memory.Release(bytes)
	if err := c.env.Memory.Charge(bytes); err != nil {
		return false, explain(err)
	}
	a, err := c.x.device.Answer(c.x.ctx, &pattern.Request{Kind: pattern.KindCliquesPerVertex, Snapshot: c.x.s, Clique: &c.clique}, &c.env)
	if err != nil {
		return false, explain(err)
	}
	if began := time.Now(); len(a.Counts) >= manyGroups {
		defer func() { c.nodeTime = time.Since(began) / time.Duration(len(a.Counts)) }()
	}
	each := c.route.Factor / uint64(c.clique.K) // arrangements of the others
	for i, n := range a.Counts {
		v := csr.VertexID(i)
		if a.Vertices != nil {
			v = a.Vertices[i]
		}
		if n == (pattern.Count128{}) {
			continue
		}
		if n, err = n.Mul(each); err != nil || n.Hi > 0 {
			return false, eval.Overflow("the number of equal rows")
		}
		c.x.row[c.vertices[0].slot] = value.OfNode(v)
		if more, err := c.emitTimes(mult, n.Lo); err != nil || !more {
			return false, err
		}
	}
	return true, c.x.ctx.Err()
}

// matches emits the matches that a clique stands for.
func (c *cliqueMatch) matches(clique []csr.VertexID, mult uint64) (bool, error) {
	switch {
	case len(c.vertices) == 0: // nobody reads which
		return c.emitTimes(mult, c.route.Factor)
	case c.route.Ordered:
		return c.permute(clique, 0, mult, 1)
	}
	if err := c.representative(clique); err != nil {
		return false, err
	}
	return c.emitFound(mult, 1)
}

// permute emits every choice of the vertices that are read, from position i on, by permutations inside the groups. weight is how many
// permutations of those that nobody reads come with it.
func (c *cliqueMatch) permute(clique []csr.VertexID, i int, mult, weight uint64) (more bool, err error) {
	for i < len(clique) && !c.reads[i] {
		weight *= uint64(c.ends[i] - i) // no overflow: it divides the route's factor
		i++
	}
	if i == len(clique) {
		return c.emitFound(mult, weight)
	}
	more = true
	for j := i; j < c.ends[i] && more && err == nil; j++ {
		clique[i], clique[j] = clique[j], clique[i]
		c.found[c.flat[i]] = clique[i]
		more, err = c.permute(clique, i+1, mult, weight)
		clique[i], clique[j] = clique[j], clique[i]
	}
	return more, err
}

// representative finds the match with the smallest stable ids in the scope's order. A vertex takes the smallest left in
// its group. A relationship that comes before one of its ends takes the smallest one that leads to a vertex left.
func (c *cliqueMatch) representative(clique []csr.VertexID) error {
	start := 0
	for g, group := range c.route.Groups {
		c.remaining[g] = clique[start : start+len(group)]
		start += len(group)
		slices.SortFunc(c.remaining[g], func(v, w csr.VertexID) int { return cmp.Compare(c.x.s.NodeID(v), c.x.s.NodeID(w)) })
		for _, u := range group {
			c.found[u] = csr.NoVertex
		}
	}
	for _, element := range c.scope.Order {
		if element < 0 {
			if err := c.follow(&c.job.Pattern.Edges[^element]); err != nil {
				return err
			}
		} else if c.found[element] == csr.NoVertex {
			c.take(element, 0)
		}
	}
	return nil
}

// take gives query vertex u the i-th vertex left in its group.
func (c *cliqueMatch) take(u, i int) {
	left := &c.remaining[c.groupOf[u]]
	c.found[u] = (*left)[i]
	*left = slices.Delete(*left, i, i+1)
}

// follow chooses the far end of e, unless it has one, so that e is the smallest.
func (c *cliqueMatch) follow(e *pattern.Edge) error {
	far := e.To
	if c.found[e.From] == csr.NoVertex {
		far = e.From
	}
	if e.AtLeastOne || c.found[far] != csr.NoVertex {
		return nil
	}
	best, at := csr.RelID(0), -1
	for i, v := range c.remaining[c.groupOf[far]] {
		c.found[far] = v
		id, err := c.between(e)
		if err != nil {
			return err
		}
		if rel := c.x.s.RelID(id); at < 0 || rel < best {
			best, at = rel, i
		}
	}
	c.take(far, at)
	return nil
}

// between returns the relationship that e binds between the vertices found for its ends. The planner takes the clique
// route only for undirected edges, and only where there cannot be two.
func (c *cliqueMatch) between(e *pattern.Edge) (csr.EdgeID, error) {
	c.rels = c.x.s.Relationships(c.rels[:0], c.found[e.From], c.found[e.To], e.Types, csr.Both)
	if len(c.rels) != 1 {
		return 0, eval.Errorf(eval.CodeInternal, "%d relationships join two nodes of a clique where one was expected", len(c.rels))
	}
	return c.rels[0], nil
}

// emitFound emits the match in found, which stands for weight matches. The planner makes sure that nobody reads its relationships.
func (c *cliqueMatch) emitFound(mult, weight uint64) (bool, error) {
	for _, p := range c.vertices {
		c.x.row[p.slot] = value.OfNode(c.found[p.element])
	}
	return c.emitTimes(mult, weight)
}
