package exec

import (
	"slices"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/planner"
)

// pathStage extends every row by the matches of a path pattern of variable length.
type pathStage struct {
	*outlet
	plan   *planner.Paths
	env    pattern.Env
	job    pattern.PathJob
	search pattern.PathSearch // set at the first row
	query  pattern.PathQuery
	k      eval.Func
	accept []eval.Func
	// Which variables go into the row: nodes, relationships and lists by number, and the inner nodes.
	vertices, edges, lists, lengths []bool

	inner      bool
	mult       uint64
	gather     *endWeights // nil where each walk becomes a row
	more       bool
	tallyMark  uint64
	deriveTime time.Duration
	listBytes  int64 // bytes of the lists in the current row
}

func (x *execution) newPaths(n *planner.Paths, out *outlet) (*pathStage, error) {
	p := &pathStage{outlet: out, plan: n, env: x.pattern}
	p.env.Tally = new(pattern.Tally)
	x.newAccount("a path", out)
	for _, cond := range n.Accept {
		k, err := x.compiler.Compile(cond)
		if err != nil {
			return nil, err
		}
		p.accept = append(p.accept, k.Fn)
	}
	p.wanted(x.compiler.Live)
	path, err := x.pathTests(n)
	if err != nil {
		return nil, err
	}
	if n.K != nil {
		k, err := x.compiler.Compile(n.K)
		if err != nil {
			return nil, err
		}
		p.k = k.Fn
	}
	p.job = pattern.PathJob{Snapshot: x.s, Path: path, Select: pattern.PathSelection{Kind: n.Select, K: 1}, Count: n.Count}
	p.forget()
	p.job.Rels = slices.Contains(p.edges, true) || slices.Contains(p.lists, true)
	if n.Select == pattern.AllPaths && !n.Count && p.endsOnly() {
		switch {
		case n.Once:
			p.job.Select.Kind = pattern.OneEnd
		case worksPerRow(out.next):
			p.gather = &endWeights{weight: map[csr.VertexID]uint64{}, limit: 1}
		}
	}
	p.query = pattern.PathQuery{Vertices: make([]csr.VertexID, path.Vertices), Edges: make([]csr.EdgeID, path.Edges)}
	out.exact = worksLong(out.next)
	return p, nil
}

// endsOnly reports whether somebody reads only the ends of the path.
func (p *pathStage) endsOnly() bool {
	nodes := p.job.Path.Nodes
	if p.job.Rels || p.inner || slices.Contains(p.lengths, true) || len(p.accept) > 0 {
		return false
	}
	for i, wanted := range p.vertices {
		if wanted && i != nodes[len(nodes)-1].Var {
			return false
		}
	}
	return true
}

// wanted finds what somebody above reads, and marks what must be set below.
func (p *pathStage) wanted(live map[int]bool) {
	take := func(vars []planner.PathVar) []bool {
		w := make([]bool, len(vars))
		for i, v := range vars {
			w[i] = !v.Given && v.Slot >= 0 && live[v.Slot]
		}
		return w
	}
	n := p.plan
	p.vertices, p.edges, p.lists = take(n.Vertices), take(n.Edges), take(n.Lists)
	for _, slot := range n.Lengths {
		p.lengths = append(p.lengths, slot >= 0 && live[slot])
	}
	p.inner = n.Inner >= 0 && live[n.Inner]
	for _, slot := range n.Sets() {
		delete(live, slot)
	}
	for _, vars := range [][]planner.PathVar{n.Vertices, n.Edges, n.Lists} {
		for _, v := range vars {
			if v.Given {
				live[v.Slot] = true
			}
		}
	}
	for _, slot := range slices.Concat(n.UsedRels, n.UsedNodes) {
		live[slot] = true
	}
}

// pathTests returns a copy of the plan's path with its conditions compiled. The original belongs to the plan.
func (x *execution) pathTests(n *planner.Paths) (*pattern.Path, error) {
	names := func(vars []planner.PathVar) []string {
		list := make([]string, len(vars))
		for i, v := range vars {
			list[i] = v.Name
		}
		return list
	}
	c := x.compiler.Predicates(names(n.Vertices), names(n.Edges)).Alone()
	path := *n.Path
	path.Tests = slices.Clone(n.Path.Tests)
	for i := range path.Tests {
		var err error
		if path.Tests[i].Test, err = c.Test(n.Exprs[i]); err != nil {
			return nil, err
		}
	}
	return &path, nil
}

// forget drops the variables in p.job.Path that nobody reads, so that their relationships need no ids.
func (p *pathStage) forget() {
	path := p.job.Path
	path.Hops = slices.Clone(path.Hops)
	for i := range path.Hops {
		h := &path.Hops[i]
		h.Steps, h.Inner = slices.Clone(h.Steps), slices.Clone(h.Inner)
		for j := range h.Steps {
			if v := &h.Steps[j].Var; *v >= 0 && !p.edges[*v] && !p.plan.Edges[*v].Given && !tested(path, func(t *pattern.PathTest) []int { return t.Edges }, *v) {
				*v = -1
			}
		}
		seen := map[int]int{}
		for _, n := range h.Inner {
			seen[n.Var]++
		}
		for j := range h.Inner {
			if v := &h.Inner[j].Var; *v >= 0 && seen[*v] == 1 && !p.vertices[*v] && !tested(path, func(t *pattern.PathTest) []int { return t.Vertices }, *v) {
				*v = -1
			}
		}
	}
}

// tested reports whether a test reads a variable.
func tested(p *pattern.Path, reads func(*pattern.PathTest) []int, v int) bool {
	for i := range p.Tests {
		if slices.Contains(reads(&p.Tests[i]), v) {
			return true
		}
	}
	return false
}

func (p *pathStage) push(mult uint64) (bool, error) {
	before := p.x.s.DerivationTime()
	defer func() { p.deriveTime += p.x.s.DerivationTime() - before }()
	p.mult, p.more = mult, true
	p.x.pattern.Tally.Units.Add(1)
	defer p.x.pattern.Tally.UnitsDone.Add(1)
	there, err := p.prepare()
	if err != nil {
		return false, explain(err)
	}
	total := uint64(0)
	if there {
		err = p.search.Run(p.x.ctx, &p.query, func(w *pattern.Walk) (bool, error) {
			if p.plan.Count {
				if total = addSaturated(total, w.Weight); total > 1<<63-1 {
					return false, eval.Overflow("the number of paths")
				}
				return true, nil
			}
			if p.gather != nil {
				return p.collect(w)
			}
			return p.give(w)
		})
		if err == nil && p.more && p.gather != nil {
			_, err = p.giveEnds()
		}
	}
	p.passTally()
	if err != nil {
		return false, explain(err)
	}
	if p.plan.Count {
		p.x.row[p.plan.CountSlot] = value.OfInt(int64(total))
		return p.emitSampled(mult)
	}
	return p.more, nil
}

// prepare reads what the row gives. there is false if part of it is missing: the row then has no matches.
func (p *pathStage) prepare() (there bool, err error) {
	if p.k != nil {
		v, err := p.k(&p.x.input)
		if err != nil {
			return false, err
		}
		if v.Kind() != value.Int || v.Int() < 1 {
			return false, eval.At(p.plan.K.Position(), eval.Errorf(eval.CodeArgumentType, "the number of paths is an integer, at least 1, not %v", v))
		}
		if k := int(min(v.Int(), 1<<40)); k != p.job.Select.K {
			p.job.Select.K, p.search = k, nil
		}
	}
	if p.search == nil {
		a, err := p.x.device.Answer(p.x.ctx, &pattern.Request{Kind: pattern.KindPathSearch, Snapshot: p.job.Snapshot, PathJob: &p.job}, &p.env)
		if err != nil {
			return false, err
		}
		p.search = a.PathSearch
	}
	q := &p.query
	for i, v := range p.plan.Vertices {
		q.Vertices[i] = csr.NoVertex
		if v.Given {
			val := p.x.row[v.Slot]
			if eval.Absent(val) {
				return false, nil
			}
			if val.Kind() != value.Node {
				return false, eval.Errorf(eval.CodeArgumentType, "the path starts from %s where a node should be", eval.Describe(val))
			}
			q.Vertices[i] = val.Node()
		}
	}
	for i, v := range p.plan.Edges {
		q.Edges[i] = csr.NoEdge
		if v.Given {
			val := p.x.row[v.Slot]
			if val.Kind() != value.Rel {
				return false, notNull(val, "a relationship")
			}
			q.Edges[i] = val.Rel()
		}
	}
	if there, err := p.givenLists(); err != nil || !there {
		return false, err
	}
	if !p.readUsed() {
		return false, nil
	}
	q.Accept = nil
	if len(p.accept) > 0 {
		q.Accept = p.accepts
	}
	return true, nil
}

// readUsed reads what the path must not have. It returns false if the row gives the path such a node.
func (p *pathStage) readUsed() bool {
	q := &p.query
	q.UsedEdges, q.UsedNodes = q.UsedEdges[:0], q.UsedNodes[:0]
	for _, slot := range p.plan.UsedRels {
		q.UsedEdges = appendRels(q.UsedEdges, p.x.row[slot])
	}
	for _, slot := range p.plan.UsedNodes {
		q.UsedNodes = appendNodes(q.UsedNodes, p.x.row[slot])
	}
	for i, v := range p.plan.Vertices { // the search tests the nodes that it finds
		if v.Given && slices.Contains(q.UsedNodes, q.Vertices[i]) {
			return false
		}
	}
	return true
}

func notNull(v value.Value, what string) error {
	if v.IsNull() {
		return nil
	}
	return eval.Errorf(eval.CodeArgumentType, "the path is to have %s where %s should be", eval.Describe(v), what)
}

// givenLists reads the relationship lists that the row gives for repetitions.
func (p *pathStage) givenLists() (bool, error) {
	p.query.Lists = nil
	for i, v := range p.plan.Lists {
		if !v.Given {
			continue
		}
		val := p.x.row[v.Slot]
		if val.Kind() != value.List {
			return false, notNull(val, "a list of relationships")
		}
		if p.query.Lists == nil {
			p.query.Lists = make([][]csr.EdgeID, len(p.plan.Lists))
		}
		list := make([]csr.EdgeID, 0, len(val.List()))
		for _, r := range val.List() {
			if r.Kind() != value.Rel {
				return false, notNull(r, "a relationship")
			}
			list = append(list, r.Rel())
		}
		if p.plan.Turned {
			slices.Reverse(list)
		}
		p.query.Lists[i] = list
	}
	return true, nil
}

func appendRels(dst []csr.EdgeID, v value.Value) []csr.EdgeID {
	switch v.Kind() {
	case value.Rel:
		return append(dst, v.Rel())
	case value.List:
		for _, e := range v.List() {
			dst = appendRels(dst, e)
		}
	}
	return dst
}

func appendNodes(dst []csr.VertexID, v value.Value) []csr.VertexID {
	switch v.Kind() {
	case value.Node:
		return append(dst, v.Node())
	case value.List:
		for _, e := range v.List() {
			dst = appendNodes(dst, e)
		}
	}
	return dst
}

// give puts a match into the row and emits it.
func (p *pathStage) give(w *pattern.Walk) (more bool, err error) {
	if err := p.fill(w); err != nil {
		return false, err
	}
	n, err := times(p.mult, w.Weight)
	if err != nil {
		return false, err
	}
	outer := p.mult
	p.more, err = p.emitSampled(n)
	p.mult = outer
	return p.more, err
}

// accepts tests the conditions on a whole path.
func (p *pathStage) accepts(w *pattern.Walk) (bool, error) {
	if err := p.fill(w); err != nil {
		return false, err
	}
	for i, fn := range p.accept {
		v, err := fn(&p.x.input)
		if err != nil {
			return false, err
		}
		if ok, err := eval.Holds(v, p.plan.Accept[i]); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// fill sets the slots that somebody reads.
func (p *pathStage) fill(w *pattern.Walk) error {
	path, row := p.job.Path, p.x.row
	if len(w.Nodes) == 0 {
		return nil
	}
	if p.job.Select.Kind == pattern.OneEnd {
		if end := path.Nodes[len(path.Nodes)-1].Var; p.vertices[end] {
			row[p.plan.Vertices[end].Slot] = value.OfNode(w.Nodes[len(w.Nodes)-1])
		}
		return nil
	}
	for i, n := range path.Nodes {
		if n.Var >= 0 && p.vertices[n.Var] {
			row[p.plan.Vertices[n.Var].Slot] = value.OfNode(w.Nodes[w.Starts[i]])
		}
	}
	bytes := int64(0)
	for i := range path.Hops {
		bytes += p.fillHop(i, w)
	}
	if p.inner {
		list := []value.Value{}
		for i, v := range w.Nodes {
			if !slices.Contains(w.Starts, i) {
				list = append(list, value.OfNode(v))
			}
		}
		row[p.plan.Inner] = value.OfList(list)
	}
	if err := p.account.Charge(bytes - p.listBytes); err != nil {
		return err
	}
	p.listBytes = bytes
	return nil
}

// fillHop sets the slots of hop i and returns the bytes of their lists.
func (p *pathStage) fillHop(i int, w *pattern.Walk) (bytes int64) {
	h, from, to := &p.job.Path.Hops[i], w.Starts[i], w.Starts[i+1]
	put := func(slot int, list []value.Value) {
		if p.plan.Turned {
			slices.Reverse(list)
		}
		bytes += 24 * int64(len(list)+1)
		p.x.row[slot] = value.OfList(list)
	}
	if p.lengths[i] {
		p.x.row[p.plan.Lengths[i]] = value.OfInt(int64(to - from))
	}
	if p.lists[i] {
		put(p.plan.Lists[i].Slot, relList(w.Edges[from:to]))
	}
	for j, st := range h.Steps {
		if st.Var < 0 || !p.edges[st.Var] {
			continue
		}
		if slot := p.plan.Edges[st.Var].Slot; h.Loop {
			put(slot, every(w.Edges[from:to], j, len(h.Steps), value.OfRel))
		} else {
			p.x.row[slot] = value.OfRel(w.Edges[from])
		}
	}
	for j, n := range h.Inner {
		if n.Var >= 0 && p.vertices[n.Var] && to >= from {
			last := to + 1 // of an element at place j in a repetition
			if j < len(h.Steps) {
				last = to
			}
			put(p.plan.Vertices[n.Var].Slot, every(w.Nodes[from:last], j, len(h.Steps), value.OfNode))
		}
	}
	return bytes
}

func relList(edges []csr.EdgeID) []value.Value {
	list := make([]value.Value, len(edges))
	for i, e := range edges {
		list[i] = value.OfRel(e)
	}
	return list
}

// every returns the items j, j+k, j+2k ...
func every[T any](items []T, j, k int, of func(T) value.Value) []value.Value {
	list := []value.Value{}
	for ; j < len(items); j += k {
		list = append(list, of(items[j]))
	}
	return list
}

// passTally adds what the search visited to the query's tally.
func (p *pathStage) passTally() {
	now := p.env.Tally.Partial.Load()
	p.x.pattern.Tally.Partial.Add(now - p.tallyMark)
	p.tallyMark = now
	p.x.pattern.Tally.TakeOver(p.env.Tally)
}
