package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// madeNode is a node that LoadPart made of the end of a relationship: the other graph must have it.
type madeNode struct {
	space string
	id    key
	file  string
	line  int // 0 if it is not known
}

// givenIDs is what a load knows about the ids of its files.
type givenIDs struct {
	stable bool       // they are stable ids
	space  string     // the id space of stable ids, if the other graph has it; "motif" is always the stable ids
	names  []string   // properties that are ids, beside "id"
	made   []madeNode // of a Part
}

// Part is a graph that is to be added to another.
type Part struct {
	graph *csr.Snapshot
	given givenIDs
	ids   *storeIDs // of the graph that LoadPart looked at
}

// LoadPart is Load for files that add to old. Their relationships may refer to nodes that only old has.
func LoadPart(ctx context.Context, spec Spec, old *csr.Snapshot, progress func(Progress)) (*Part, *Report, error) {
	if ctx == nil || old == nil {
		return nil, nil, errors.New("the context or the graph is nil")
	}
	var given givenIDs
	ids := newStoreIDs(old)
	s, r, err := load(ctx, spec, progress, func(l *loader) func() {
		l.part, l.store = true, ids
		ids.ctx, ids.mem = ctx, l.mem
		return func() { given = l.given }
	})
	if err == nil || ctx.Err() == nil { // else the load may still run
		err = cmp.Or(ids.err, err)
	}
	if err != nil {
		return nil, nil, err
	}
	return &Part{s, given, ids}, r, nil
}

// AddTo returns the graph of old with p, and completes the report of p's load. A node of p with an id that old knows is that node:
// it gets the labels and properties of p beside its own, where both have a property that of p. Other nodes and all relationships
// are added. In an undirected load a pair that old relates already is a repetition. memory limits the bytes that AddTo may hold; 0
// sets no limit.
func (p *Part) AddTo(ctx context.Context, old *csr.Snapshot, r *Report, memory int64) (*csr.Snapshot, error) {
	if ctx == nil || p == nil || p.graph == nil || old == nil || r == nil {
		return nil, errors.New("the context, a graph or the report is nil")
	}
	if n := len(old.Schema.Constraints); n > 0 {
		return nil, fmt.Errorf("the store has %s, which an append does not check: drop them first and create them again", plural(uint64(n), "constraint", "constraints"))
	}
	a := &appending{ctx: ctx, old: old, add: p.graph, given: p.given, report: r, b: csr.NewBuilder(), ids: p.ids, at: make([]uint32, p.graph.N()), mem: budgetOf(memory)}
	if a.mem != nil {
		a.b.SetBudget(a.mem)
	}
	for _, step := range []func() error{a.checkIDs, a.oldNodes, a.match, a.newNodes, a.oldRels, a.newRels, a.repetitions} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	next, _, err := a.b.Build(ctx, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, err
	}
	next.Schema = old.Schema
	next.NextNode, next.NextRel = max(next.NextNode, a.nextNode), max(next.NextRel, a.nextRel)
	a.describe(next)
	return next, nil
}

// appending is the state of one AddTo.
type appending struct {
	ctx      context.Context
	old, add *csr.Snapshot
	given    givenIDs
	report   *Report
	b        *csr.Builder
	ids      *storeIDs      // of old
	at       []uint32       // for the vertices of add: their index in b
	fresh    []csr.VertexID // of add
	odd      uint64         // new ids that are text among integers
	nextNode csr.NodeID
	nextRel  csr.RelID
	mem      *pattern.Memory // nil: no limit
	held     int64           // bytes of tables that are not charged yet
}

// poll looks at the context and charges what tables have grown by, both once in a while. i counts the calls of one loop.
func (a *appending) poll(i uint64) error {
	if i%4096 != 0 {
		return nil
	}
	if err := a.ctx.Err(); err != nil {
		return err
	}
	n := a.held
	a.held = 0
	return a.mem.Charge(n)
}

func keyOfCell(c csr.Cell) key {
	if c.Kind == csr.KindString {
		return keyOf([]byte(c.Str))
	}
	return key{n: int64(c.Num)}
}

// checkIDs indexes the ids of old that files use, and refuses files whose ids cannot name any node of old.
func (a *appending) checkIDs() error {
	if a.ids.graph != a.old { // a transaction has changed the graph since
		a.ids = newStoreIDs(a.old)
	}
	if err := a.mem.Charge(a.ids.bytes); err != nil {
		return err
	}
	a.ids.ctx, a.ids.mem = a.ctx, a.mem
	unnamed := a.given.stable && len(a.add.External) == 0 && a.given.space == ""
	for _, x := range a.add.External {
		a.ids.space(x.Name)
		unnamed = unnamed || x.Name == ""
	}
	if a.given.stable {
		a.ids.space(a.given.space)
	}
	lacks := unnamed && a.ids.lacks("") && !a.byStable()
	if a.ids.err != nil {
		return a.ids.err
	}
	if lacks {
		return errors.New("the nodes of the store have no ids in the id space without a name, by which the files could add to them; name an id space in the headers, or write the rows with LOAD CSV and MERGE")
	}
	return nil
}

// byStable reports whether the ids of add are matched with those that id() shows.
func (a *appending) byStable() bool {
	return a.given.stable && len(a.add.External) == 0 && a.ids.space(a.given.space) == nil
}

func (a *appending) oldNodes() error {
	for v := range csr.VertexID(a.old.N()) {
		if err := a.poll(uint64(v)); err != nil {
			return err
		}
		var labels []csr.LabelID
		for _, l := range a.old.LabelsOf(v) {
			labels = append(labels, a.b.Label(a.old.Labels.Name(uint32(l))))
		}
		i := a.b.AddVertex(labels...)
		a.props(a.old, v, func(_ string, k csr.KeyID, c csr.Cell) { a.b.SetVertex(i, k, c) })
		a.b.SetNodeID(i, a.old.NodeID(v))
		for _, x := range a.old.External {
			if c, ok := x.IDs.Get(uint64(v)); ok {
				a.b.External(x.Name, i, c)
			}
		}
	}
	a.nextNode, a.nextRel = a.old.NextNode, a.old.NextRel
	return a.b.Err()
}

func (a *appending) props(s *csr.Snapshot, v csr.VertexID, set func(name string, k csr.KeyID, c csr.Cell)) {
	for k, column := range s.VertexProps {
		if column == nil {
			continue
		}
		if c, ok := s.VertexProp(v, csr.KeyID(k)); ok {
			name := s.Keys.Name(uint32(k))
			set(name, a.b.Key(name), c)
		}
	}
}

// find returns the vertex of old that is vertex v of add.
func (a *appending) find(v csr.VertexID) (at uint32, ok bool, err error) {
	for _, x := range a.add.External {
		c, has := x.IDs.Get(uint64(v))
		if !has {
			continue
		}
		if to, there := a.oldVertex(x.Name, keyOfCell(c)); there {
			if ok && to != at {
				return 0, false, fmt.Errorf("a node of the files has ids of two nodes of the store, %d and %d", a.old.NodeID(csr.VertexID(at)), a.old.NodeID(csr.VertexID(to)))
			}
			at, ok = to, true
		}
	}
	switch id := a.add.NodeID(v); {
	case a.byStable():
		to, there := a.old.VertexByNodeID(id)
		return uint32(to), there, nil
	case a.given.stable && len(a.add.External) == 0:
		at, ok = a.oldVertex(a.given.space, key{n: int64(id)})
	}
	return at, ok, nil
}

// oldVertex returns the vertex of old that an earlier load gave an id in an id space.
func (a *appending) oldVertex(space string, k key) (at uint32, ok bool) {
	if s := a.ids.space(space); s != nil {
		at, ok = s.vertices[k]
	}
	return at, ok
}

// match finds the nodes that old has, and gives them what add says.
func (a *appending) match() error {
	for _, m := range a.given.made {
		if _, ok := a.oldVertex(m.space, m.id); ok {
			continue
		}
		if id := csr.NodeID(m.id.n); a.byStable() && !m.id.isText() {
			if _, ok := a.old.VertexByNodeID(id); ok {
				continue
			}
		}
		return &Error{File: m.file, Line: m.line, Msg: fmt.Sprintf("found id %q at the end of a relationship, which neither the files nor the store have", m.id.String())}
	}
	seen := make(map[uint32]bool) // of old
	for v := range csr.VertexID(a.add.N()) {
		if err := a.poll(uint64(v)); err != nil {
			return err
		}
		at, ok, err := a.find(v)
		if err != nil {
			return err
		}
		if !ok {
			a.fresh = append(a.fresh, v)
			continue
		}
		if seen[at] {
			return fmt.Errorf("two nodes of the files are node %d of the store", a.old.NodeID(csr.VertexID(at)))
		}
		seen[at], a.at[v] = true, at
		a.held += mapEntry
		a.report.Matched++
		labels := append([]csr.LabelID(nil), a.b.LabelsOf(at)...)
		for _, l := range a.add.LabelsOf(v) {
			labels = append(labels, a.b.Label(a.add.Labels.Name(uint32(l))))
		}
		a.b.SetLabels(at, labels...)
		was := a.externals(v)
		a.props(a.add, v, func(name string, k csr.KeyID, c csr.Cell) { a.b.SetVertex(at, k, a.idCell(name, c, was)) })
	}
	a.report.Matched -= uint64(len(a.given.made)) // the files say nothing of them
	slices.SortFunc(a.fresh, func(v, w csr.VertexID) int { return cmp.Compare(a.add.NodeID(v), a.add.NodeID(w)) })
	return a.b.Err()
}

// externals are the ids of a vertex of add that old writes otherwise: text for an integer, or an integer for text.
func (a *appending) externals(v csr.VertexID) (was []externalID) {
	for _, x := range a.add.External {
		if c, ok := x.IDs.Get(uint64(v)); ok {
			was = append(was, externalID{x.Name, c, a.cell(x.Name, c)})
		}
	}
	return was
}

// externalID is an id of add, and how old would write it.
type externalID struct {
	space   string
	is, new csr.Cell
}

// cell is how old writes an id.
func (a *appending) cell(space string, c csr.Cell) csr.Cell {
	s := a.ids.space(space)
	switch k := keyOfCell(c); {
	case s == nil || len(s.vertices) == 0:
		return c
	case s.text:
		return csr.StringCell(k.String())
	case !k.isText():
		return csr.IntCell(k.n)
	}
	return c
}

// idCell is the value of a property, or how old writes it if it is an id of the node.
func (a *appending) idCell(name string, c csr.Cell, ids []externalID) csr.Cell {
	for _, id := range ids {
		if id.is == c && (name == "id" || slices.Contains(a.given.names, name)) {
			return id.new
		}
	}
	return c
}

// newNodes adds the nodes that old does not have. Stable ids of the files stay where old knows its nodes by stable ids.
func (a *appending) newNodes() error {
	next := a.nextNode
	if a.byStable() {
		for _, v := range a.fresh {
			next = max(next, a.add.NodeID(v)+1)
		}
	}
	for i, v := range a.fresh {
		if err := a.poll(uint64(i)); err != nil {
			return err
		}
		var labels []csr.LabelID
		for _, l := range a.add.LabelsOf(v) {
			labels = append(labels, a.b.Label(a.add.Labels.Name(uint32(l))))
		}
		at := a.b.AddVertex(labels...)
		a.at[v] = at
		ids := a.externals(v)
		a.props(a.add, v, func(name string, k csr.KeyID, c csr.Cell) { a.b.SetVertex(at, k, a.idCell(name, c, ids)) })
		for _, id := range ids {
			a.b.External(id.space, at, id.new)
			if s := a.ids.space(id.space); s != nil && len(s.vertices) > 0 && !s.text && id.new.Kind == csr.KindString {
				a.odd++
			}
		}
		switch id := a.add.NodeID(v); {
		case a.byStable():
			a.b.SetNodeID(at, id)
			continue
		case a.given.stable && len(a.add.External) == 0:
			a.b.External(a.given.space, at, a.cell(a.given.space, csr.IntCell(int64(id))))
		}
		a.b.SetNodeID(at, next)
		next++
	}
	a.nextNode = next
	if a.odd > 0 {
		a.report.Warnings = append(a.report.Warnings, fmt.Sprintf("the ids of the store are integers; %s of the files are text", plural(a.odd, "id", "ids")))
	}
	return a.b.Err()
}

func (a *appending) oldRels() error {
	for e := range a.old.AllEdges() {
		if err := a.poll(uint64(e)); err != nil {
			return err
		}
		u, v := a.old.Endpoints(e)
		i := a.b.AddEdge(uint32(u), uint32(v), a.b.Type(a.old.Types.Name(uint32(a.old.TypeOf(e)))))
		a.b.SetRelID(i, a.old.RelID(e))
		a.relProps(a.old, e, i)
	}
	return a.b.Err()
}

func (a *appending) relProps(s *csr.Snapshot, e csr.EdgeID, i uint64) {
	for k, column := range s.EdgeProps {
		if column == nil {
			continue
		}
		if c, ok := s.EdgeProp(e, csr.KeyID(k)); ok {
			a.b.SetEdge(i, a.b.Key(s.Keys.Name(uint32(k))), c)
		}
	}
}

// newRels adds the relationships. They get new ids.
func (a *appending) newRels() error {
	there := make(map[[3]uint32]csr.EdgeID) // pairs of old, for undirected loads
	if !a.report.Directed && !a.report.Fixed {
		for e := range a.old.AllEdges() {
			if err := a.poll(uint64(e)); err != nil {
				return err
			}
			u, v := a.old.Endpoints(e)
			a.held += mapEntry
			there[[3]uint32{uint32(min(u, v)), uint32(max(u, v)), uint32(a.b.Type(a.old.Types.Name(uint32(a.old.TypeOf(e)))))}] = e
		}
	}
	for e := range a.add.AllEdges() {
		if err := a.poll(uint64(e)); err != nil {
			return err
		}
		u, v := a.add.Endpoints(e)
		from, to, t := a.at[u], a.at[v], a.b.Type(a.add.Types.Name(uint32(a.add.TypeOf(e))))
		if known, ok := there[[3]uint32{min(from, to), max(from, to), uint32(t)}]; ok {
			a.report.Duplicates++
			if a.differ(known, e) {
				a.report.Differing++
			}
			continue
		}
		i := a.b.AddEdge(from, to, t)
		a.b.SetRelID(i, a.nextRel)
		a.nextRel++
		a.relProps(a.add, e, i)
	}
	return a.b.Err()
}

// differ reports whether relationship e of add has a property that relationship known of old has not, or has otherwise.
func (a *appending) differ(known, e csr.EdgeID) bool {
	for k := range a.add.EdgeProps {
		c, ok := a.add.EdgeProp(e, csr.KeyID(k))
		if !ok {
			continue
		}
		other := csr.Cell{}
		if k, ok := a.old.Keys.Lookup(a.add.Keys.Name(uint32(k))); ok {
			other, _ = a.old.EdgeProp(known, csr.KeyID(k))
		}
		if c != other {
			return true
		}
	}
	return false
}
