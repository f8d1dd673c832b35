package csr

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"
)

// plain is a graph as maps by stable id: what drafts are compared with.
type plain struct {
	nodes    map[NodeID]*plainNode
	rels     map[RelID]*plainRel
	nextNode NodeID
	nextRel  RelID
	schema   Schema
}

type plainNode struct {
	labels map[string]bool
	props  map[string]Cell
	space  Cell // external id
}

type plainRel struct {
	typ      string
	from, to NodeID
	props    map[string]Cell
}

func (p *plain) clone() *plain {
	c := &plain{map[NodeID]*plainNode{}, map[RelID]*plainRel{}, p.nextNode, p.nextRel, p.schema}
	for id, n := range p.nodes {
		c.nodes[id] = &plainNode{maps.Clone(n.labels), maps.Clone(n.props), n.space}
	}
	for id, r := range p.rels {
		c.rels[id] = &plainRel{r.typ, r.from, r.to, maps.Clone(r.props)}
	}
	return c
}

var (
	plainLabels = []string{"A", "B", "C", "D"}
	plainTypes  = []string{"R", "S", "T", "U"}
	plainKeys   = []string{"x", "y", "z"}
)

func some[T any](rng *rand.Rand, from []T) (set []T) {
	for _, x := range from {
		if rng.IntN(3) == 0 {
			set = append(set, x)
		}
	}
	return set
}

func someProps(rng *rand.Rand) (props []Prop) {
	for _, k := range some(rng, plainKeys) {
		props = append(props, Prop{k, randomCell(rng)})
	}
	return props
}

// randomPlain draws a graph and its snapshot.
func randomPlain(t *testing.T, rng *rand.Rand) (*plain, *Snapshot) {
	p := &plain{nodes: map[NodeID]*plainNode{}, rels: map[RelID]*plainRel{}}
	b := NewBuilder()
	n := rng.IntN(40)
	labels, types := plainLabels[:rng.IntN(4)], plainTypes[:1+rng.IntN(3)]
	for i := range n {
		node := &plainNode{labels: map[string]bool{}, props: map[string]Cell{}}
		var set []LabelID
		for _, l := range some(rng, labels) {
			node.labels[l] = true
			set = append(set, b.Label(l))
		}
		v := b.AddVertex(set...)
		for _, q := range someProps(rng) {
			node.props[q.Key] = q.Value
			b.SetVertex(v, b.Key(q.Key), q.Value)
		}
		if rng.IntN(3) == 0 {
			node.space = IntCell(int64(i))
			b.External("ids", v, node.space)
		}
		p.nodes[NodeID(v)] = node
	}
	for range rng.IntN(4*n + 1) {
		u, w := rng.IntN(n), rng.IntN(1+rng.IntN(n))
		typ := types[rng.IntN(len(types))]
		i := b.AddEdge(uint32(u), uint32(w), b.Type(typ))
		r := &plainRel{typ, NodeID(u), NodeID(w), map[string]Cell{}}
		for _, q := range someProps(rng) {
			r.props[q.Key] = q.Value
			b.SetEdge(i, b.Key(q.Key), q.Value)
		}
		p.rels[RelID(i)] = r
	}
	p.nextNode, p.nextRel = NodeID(n), RelID(len(p.rels))
	s, err := buildWithIDs(t, b)
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

// buildWithIDs builds a snapshot whose relationships have their index as their stable id.
func buildWithIDs(t *testing.T, b *Builder) (*Snapshot, error) {
	j := &assembly{Builder: b, ctx: t.Context(), workers: 1, n: b.Vertices(), ordered: true}
	if err := j.assemble(); err != nil {
		return nil, err
	}
	j.data.RelIDs = make([]RelID, 0, j.data.Edges)
	for _, at := range slices.Concat(j.order...) {
		j.data.RelIDs = append(j.data.RelIDs, RelID(at))
	}
	return New(j.data)
}

func pick[K ~uint64, V any](rng *rand.Rand, m map[K]V) (K, bool) {
	if len(m) == 0 {
		return 0, false
	}
	keys := slices.Sorted(maps.Keys(m))
	if rng.IntN(3) == 0 {
		keys = keys[:1+rng.IntN(min(3, len(keys)))] // the same few again and again
	}
	return keys[rng.IntN(len(keys))], true
}

// change makes a random change to both.
func (p *plain) change(t *testing.T, rng *rand.Rand, d *Draft) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if rng.IntN(3) == 0 {
		p.changeRel(t, rng, d, must)
		return
	}
	id, ok := pick(rng, p.nodes)
	kind := rng.IntN(9)
	if !ok || kind < 2 {
		n := &plainNode{labels: map[string]bool{}, props: map[string]Cell{}}
		labels, props := some(rng, plainLabels), someProps(rng)
		for _, l := range labels {
			n.labels[l] = true
		}
		for _, q := range props {
			n.props[q.Key] = q.Value
		}
		v, err := d.CreateNode(labels, props)
		must(err)
		if d.NodeID(v) != p.nextNode {
			t.Fatalf("node id %d, want %d", d.NodeID(v), p.nextNode)
		}
		p.nodes[p.nextNode] = n
		p.nextNode++
		return
	}
	n := p.nodes[id]
	v, ok := d.NodeByID(id)
	if !ok {
		t.Fatalf("node %d is gone", id)
	}
	switch kind {
	case 2:
		p.deleteNode(t, rng, d, id, v, must)
	case 3, 4:
		l := plainLabels[rng.IntN(len(plainLabels))]
		added, err := d.AddLabel(v, l)
		must(err)
		if added == n.labels[l] {
			t.Fatalf("AddLabel said %t", added)
		}
		n.labels[l] = true
	case 5:
		l := plainLabels[rng.IntN(len(plainLabels))]
		removed, err := d.RemoveLabel(v, l)
		must(err)
		if removed != n.labels[l] {
			t.Fatalf("RemoveLabel said %t", removed)
		}
		delete(n.labels, l)
	case 6:
		k := plainKeys[rng.IntN(len(plainKeys))]
		delete(n.props, k)
		must(d.SetNodeProps(v, Prop{Key: k}))
	default:
		props := someProps(rng)
		for _, q := range props {
			n.props[q.Key] = q.Value
		}
		must(d.SetNodeProps(v, props...))
	}
}

func (p *plain) deleteNode(t *testing.T, rng *rand.Rand, d *Draft, id NodeID, v VertexID, must func(error)) {
	var mine []RelID
	for r, x := range p.rels {
		if x.from == id || x.to == id {
			mine = append(mine, r)
		}
	}
	if err := d.DeleteNode(v); (err != nil) != (len(mine) > 0) || err != nil && !errors.Is(err, ErrHasRels) {
		t.Fatalf("deleting a node with %d relationships: %v", len(mine), err)
	}
	if len(mine) > 0 {
		if rng.IntN(2) == 0 {
			return
		}
		n, err := d.DetachDelete(v)
		must(err)
		if n != len(mine) {
			t.Fatalf("%d relationships went, want %d", n, len(mine))
		}
	}
	for _, r := range mine {
		delete(p.rels, r)
	}
	delete(p.nodes, id)
	if _, err := d.AddLabel(v, "A"); !errors.Is(err, ErrNotThere) {
		t.Fatalf("labelled a deleted node: %v", err)
	}
}

func (p *plain) changeRel(t *testing.T, rng *rand.Rand, d *Draft, must func(error)) {
	id, ok := pick(rng, p.rels)
	kind := rng.IntN(6)
	if !ok || kind < 3 {
		a, some := pick(rng, p.nodes)
		b, _ := pick(rng, p.nodes)
		if !some {
			return
		}
		if ok && rng.IntN(3) == 0 { // parallel, or the other way round
			a, b = p.rels[id].to, p.rels[id].from
			if rng.IntN(2) == 0 {
				a, b = b, a
			}
		}
		from, _ := d.NodeByID(a)
		to, _ := d.NodeByID(b)
		r := &plainRel{plainTypes[rng.IntN(len(plainTypes))], a, b, map[string]Cell{}}
		props := someProps(rng)
		for _, q := range props {
			r.props[q.Key] = q.Value
		}
		e, err := d.CreateRel(r.typ, from, to, props)
		must(err)
		if d.RelID(e) != p.nextRel {
			t.Fatalf("relationship id %d, want %d", d.RelID(e), p.nextRel)
		}
		p.rels[p.nextRel] = r
		p.nextRel++
		return
	}
	e, ok := d.RelByID(id)
	if !ok {
		t.Fatalf("relationship %d is gone", id)
	}
	switch kind {
	case 3:
		must(d.DeleteRel(e))
		delete(p.rels, id)
		if err := d.SetRelProps(e); !errors.Is(err, ErrNotThere) {
			t.Fatalf("changed a deleted relationship: %v", err)
		}
	case 4:
		k := plainKeys[rng.IntN(len(plainKeys))]
		delete(p.rels[id].props, k)
		must(d.SetRelProps(e, Prop{Key: k}))
	default:
		props := someProps(rng)
		for _, q := range props {
			p.rels[id].props[q.Key] = q.Value
		}
		must(d.SetRelProps(e, props...))
	}
}

// reader is what a draft and a snapshot have in common.
type reader struct {
	labels func(v VertexID) []string
	prop   func(v VertexID, key string) (Cell, bool)
	rel    func(e EdgeID, key string) (Cell, bool)
	typ    func(e EdgeID) string
	ends   func(e EdgeID) (src, dst VertexID)
	node   func(id NodeID) (VertexID, bool)
	edge   func(id RelID) (EdgeID, bool)
	rels   func(v VertexID, dir Direction) []EdgeID
}

func ofDraft(d *Draft) reader {
	return reader{d.Labels, d.NodeProp, d.RelProp, d.RelType, d.Endpoints, d.NodeByID, d.RelByID,
		func(v VertexID, dir Direction) []EdgeID { return d.Rels(nil, v, dir, nil) }}
}

func ofSnapshot(s *Snapshot) reader {
	return reader{
		func(v VertexID) (names []string) {
			for _, l := range s.LabelsOf(v) {
				names = append(names, s.Labels.Name(uint32(l)))
			}
			return names
		},
		func(v VertexID, key string) (Cell, bool) {
			k, ok := s.Keys.Lookup(key)
			if !ok {
				return Cell{}, false
			}
			return s.VertexProp(v, KeyID(k))
		},
		func(e EdgeID, key string) (Cell, bool) {
			k, ok := s.Keys.Lookup(key)
			if !ok {
				return Cell{}, false
			}
			return s.EdgeProp(e, KeyID(k))
		},
		func(e EdgeID) string { return s.Types.Name(uint32(s.TypeOf(e))) },
		s.Endpoints, s.VertexByNodeID, s.EdgeByRelID,
		func(v VertexID, dir Direction) (all []EdgeID) {
			s.incident(v, dir, nil, func(e EdgeID) { all = append(all, e) })
			return all
		},
	}
}

// compare reads everything that the graph should have.
func (p *plain) compare(r reader) error {
	for id := range p.nextNode + 1 {
		v, ok := r.node(id)
		n := p.nodes[id]
		if ok != (n != nil) {
			return fmt.Errorf("node %d there: %t", id, ok)
		}
		if !ok {
			continue
		}
		if got := slices.Sorted(slices.Values(r.labels(v))); !slices.Equal(got, slices.Sorted(maps.Keys(n.labels))) {
			return fmt.Errorf("labels of %d are %v, want %v", id, got, n.labels)
		}
		for _, k := range plainKeys {
			got, ok := r.prop(v, k)
			if want, has := n.props[k]; ok != has || got != want {
				return fmt.Errorf("property %s of %d is %v, want %v", k, id, got, want)
			}
		}
	}
	incident := map[NodeID][3][]EdgeID{}
	for id := range p.nextRel + 1 {
		e, ok := r.edge(id)
		x := p.rels[id]
		if ok != (x != nil) {
			return fmt.Errorf("relationship %d there: %t", id, ok)
		}
		if !ok {
			continue
		}
		src, dst := r.ends(e)
		from, _ := r.node(x.from)
		to, _ := r.node(x.to)
		if src != from || dst != to || r.typ(e) != x.typ {
			return fmt.Errorf("relationship %d is %d-%s->%d, want %d-%s->%d", id, src, r.typ(e), dst, from, x.typ, to)
		}
		for _, k := range plainKeys {
			got, ok := r.rel(e, k)
			if want, has := x.props[k]; ok != has || got != want {
				return fmt.Errorf("property %s of relationship %d is %v, want %v", k, id, got, want)
			}
		}
		at := incident[x.from]
		at[Out], at[Both] = append(at[Out], e), append(at[Both], e)
		incident[x.from] = at
		at = incident[x.to]
		if at[In] = append(at[In], e); x.from != x.to {
			at[Both] = append(at[Both], e)
		}
		incident[x.to] = at
	}
	for id := range p.nodes {
		v, _ := r.node(id)
		for dir := Out; dir <= Both; dir++ {
			got, want := r.rels(v, dir), slices.Clone(incident[id][dir])
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				return fmt.Errorf("relationships %v of %d are %v, want %v", dir, id, got, want)
			}
		}
	}
	return nil
}

// compareSnapshot sees what only a snapshot has.
func (p *plain) compareSnapshot(s *Snapshot, rng *rand.Rand) error {
	if err := p.compare(ofSnapshot(s)); err != nil {
		return err
	}
	if int(s.N()) != len(p.nodes) || int(s.M()) != len(p.rels) {
		return fmt.Errorf("%d nodes and %d relationships, want %d and %d", s.N(), s.M(), len(p.nodes), len(p.rels))
	}
	for v := VertexID(0); uint64(v) < s.N(); v++ {
		if w, ok := s.VertexByNodeID(s.NodeID(v)); !ok || w != v {
			return fmt.Errorf("node %d of vertex %d leads to %d", s.NodeID(v), v, w)
		}
		var space Cell
		for _, x := range s.External {
			if c, ok := x.IDs.Get(uint64(v)); ok {
				space = c
			}
		}
		if want := p.nodes[s.NodeID(v)].space; space != want {
			return fmt.Errorf("external id of %d is %v, want %v", s.NodeID(v), space, want)
		}
	}
	last, count := -1, 0
	for e := range s.AllEdges() {
		if back, ok := s.EdgeByRelID(s.RelID(e)); !ok || back != e || int(e) <= last {
			return fmt.Errorf("relationship %d of edge %d leads to %d", s.RelID(e), e, back)
		}
		last, count = int(e), count+1
	}
	if count != len(p.rels) {
		return fmt.Errorf("AllEdges yields %d of %d", count, len(p.rels))
	}
	next := VertexID(0)
	for _, c := range s.Classes {
		if c.Lo != next || c.Hi <= c.Lo {
			return fmt.Errorf("classes %v", s.Classes)
		}
		next = c.Hi
	}
	if uint64(next) != s.N() {
		return fmt.Errorf("classes %v of %d vertices", s.Classes, s.N())
	}
	for range 4 {
		if err := compareView(s, randomTypes(rng), Direction(rng.IntN(3))); err != nil {
			return err
		}
	}
	return p.compareStats(s)
}

func compareView(s *Snapshot, types TypeSet, dir Direction) error {
	a := s.Adjacency(types, dir)
	want := map[[2]VertexID]int{}
	rels := map[[2]VertexID][]EdgeID{}
	add := func(v, w VertexID, e EdgeID) {
		want[[2]VertexID{v, w}]++
		rels[[2]VertexID{v, w}] = append(rels[[2]VertexID{v, w}], e)
	}
	for e := range s.AllEdges() {
		src, dst := s.Endpoints(e)
		if !types.Has(s.TypeOf(e)) {
			continue
		}
		if dir != In {
			add(src, dst, e)
		}
		if dir == In || dir == Both && src != dst {
			add(dst, src, e)
		}
	}
	loops, simple := 0, true
	for v := VertexID(0); uint64(v) < s.N(); v++ {
		var row []VertexID
		for w := VertexID(0); uint64(w) < s.N(); w++ {
			n := want[[2]VertexID{v, w}]
			if n > 0 {
				row = append(row, w)
			}
			if v == w {
				loops += n
			}
			simple = simple && n <= 1 && (v != w || n == 0)
			if a.Count(v, w) != n {
				return fmt.Errorf("%d between %d and %d over %v %v, want %d", a.Count(v, w), v, w, types, dir, n)
			}
			if got := s.Relationships(nil, v, w, types, dir); !slices.Equal(got, rels[[2]VertexID{v, w}]) {
				return fmt.Errorf("relationships of %d and %d over %v %v: %v, want %v", v, w, types, dir, got, rels[[2]VertexID{v, w}])
			}
		}
		if !slices.Equal(a.Neighbours(v), row) {
			return fmt.Errorf("neighbours of %d over %v %v: %v, want %v", v, types, dir, a.Neighbours(v), row)
		}
	}
	if a.Loops != uint64(loops) || a.Simple() && !simple || s.Stats.SimpleUnion(types) && dir == Both && !simple {
		return fmt.Errorf("view over %v %v: %d loops, simple %t, union %t; want %d, %t", types, dir, a.Loops, a.Simple(), s.Stats.SimpleUnion(types), loops, simple)
	}
	return compareDegrees(s, a)
}

// compareDegrees counts the neighbours of every vertex beside itself, one by one, and compares.
func compareDegrees(s *Snapshot, a *Adjacency) error {
	want := make([]float64, s.N())
	list := slices.Clone(Numbers(s))
	for _, v := range list {
		for _, w := range a.Neighbours(v) {
			if w != v {
				want[v] += 0.5
			}
		}
	}
	d, err := NewDegrees(context.Background(), a, 0.5)
	if err != nil {
		return err
	}
	for lo := range want {
		hi := lo + (7*lo+len(want))%(len(want)-lo+1)
		got := AppendDegrees([]float64{-1}, d, s, Numbers(s)[lo:hi])
		if !slices.Equal(got[1:], want[lo:hi]) || d.Of(VertexID(lo)) != want[lo] {
			return fmt.Errorf("degrees from %d to %d: %v, %v; want %v", lo, hi, got, d.Of(VertexID(lo)), want[lo:hi])
		}
		if ids := AppendNodeIDs(nil, s, Numbers(s)[lo:hi]); !slices.Equal(ids, AppendNodeIDs(nil, s, list[lo:hi])) {
			return fmt.Errorf("ids from %d to %d: %v", lo, hi, ids)
		}
	}
	slices.Reverse(list)
	slices.Reverse(want)
	if got := AppendDegrees(nil, d, s, list); !slices.Equal(got, want) {
		return fmt.Errorf("degrees of %v: %v, want %v", list, got, want)
	}
	return nil
}

// compareStats sees that counts are exact and that nothing is called simple that is not.
func (p *plain) compareStats(s *Snapshot) error {
	fresh, err := computeStats(context.Background(), &Data{Vertices: s.N(), Edges: s.M(), Labels: s.Labels, Types: s.Types, Classes: s.Classes, Rels: s.FlatRels(nil)}, 1, nil)
	if err != nil {
		return err
	}
	if !slices.Equal(s.Stats.LabelCount, fresh.LabelCount) || !slices.Equal(s.Stats.Triples, fresh.Triples) {
		return fmt.Errorf("label counts %v, triples %v; want %v, %v", s.Stats.LabelCount, s.Stats.Triples, fresh.LabelCount, fresh.Triples)
	}
	for t, want := range fresh.Types {
		got := s.Stats.Types[t]
		if got.Edges != want.Edges || got.Loops != want.Loops || !got.Parallel && want.Parallel || !got.Reciprocal && want.Reciprocal ||
			got.MaxOut < want.MaxOut || got.MaxIn < want.MaxIn {
			return fmt.Errorf("type %d: %+v, want %+v", t, got, want)
		}
	}
	for _, pair := range fresh.Shared {
		if !slices.Contains(s.Stats.Shared, pair) {
			return fmt.Errorf("types %v share a pair", pair)
		}
	}
	return nil
}

func draftSeed(t *testing.T) uint64 {
	if text := os.Getenv("MOTIF_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return seed
	}
	return uint64(time.Now().UnixNano())
}

// TestDraftAgainstModel makes random changes to random graphs, several drafts and snapshots on end, and compares with
// plain maps; then it replays the changes.
func TestDraftAgainstModel(t *testing.T) {
	first := draftSeed(t)
	rounds := uint64(150)
	if testing.Short() {
		rounds = 40
	}
	for seed := first; seed < first+rounds; seed++ {
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { draftRound(t, rand.New(rand.NewPCG(seed, 4))) }) {
			t.Fatalf("MOTIF_SEED=%d", seed)
		}
	}
}

func draftRound(t *testing.T, rng *rand.Rand) {
	p, s := randomPlain(t, rng)
	base := s
	var log []Change
	for range 1 + rng.IntN(4) {
		d := s.Draft()
		for range 1 + rng.IntN(3) {
			if rng.IntN(2) == 0 {
				compareView(s, randomTypes(rng), Direction(rng.IntN(3))) // so that there are views to keep up
			}
			before, old := p.clone(), s
			created := map[VertexID]NodeID{}
			for range rng.IntN(20) {
				if id := p.nextNode; rng.IntN(4) == 0 { // created, and perhaps deleted before the snapshot
					p.change(t, rng, d)
					if v, ok := d.NodeByID(id); ok {
						created[v] = id
					}
				}
				p.change(t, rng, d)
			}
			if err := p.compare(ofDraft(d)); err != nil {
				t.Fatal("draft: ", err)
			}
			next, err := d.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := p.compareSnapshot(next, rng); err != nil {
				t.Fatal("snapshot: ", err)
			}
			if err := compareRemap(old, next, d.Remap()); err != nil {
				t.Fatal(err)
			}
			if rng.IntN(3) == 0 {
				compareSibling(t, rng, before, old)
			}
			if Kin(next) == Kin(old) {
				if a, b := warnedOf(t, old), warnedOf(t, next); !maps.Equal(a, b) {
					t.Fatalf("of the same kin, but %v became %v", a, b)
				}
			}
			for v, id := range created {
				want, there := next.VertexByNodeID(id)
				if got, ok := d.Remap().Vertex(v); ok != there || ok && got != want {
					t.Fatalf("new vertex %d went to %d %t, want %d %t", v, got, ok, want, there)
				}
			}
			if err := before.compareSnapshot(old, rng); err != nil {
				t.Fatal("the snapshot before: ", err)
			}
			if err := p.compareSnapshot(next, rng); err != nil {
				t.Fatal("the snapshot after its sibling: ", err)
			}
			s = next
		}
		log = append(log, d.Changes()...)
	}
	again, err := Replay(t.Context(), base, log)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.compareSnapshot(again, rng); err != nil {
		t.Fatal("replayed: ", err)
	}
	flat, err := s.Compact(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.compareSnapshot(flat, rng); err != nil || !flat.Flat() {
		t.Fatal("made flat: ", err)
	}
	if again.NextNode != s.NextNode || again.NextRel != s.NextRel || flat.NextNode != s.NextNode || flat.NextRel != s.NextRel {
		t.Fatalf("replayed up to ids %d and %d, want %d and %d", again.NextNode, again.NextRel, s.NextNode, s.NextRel)
	}
}

// compareSibling makes another successor of a snapshot that has one already.
func compareSibling(t *testing.T, rng *rand.Rand, p *plain, s *Snapshot) {
	t.Helper()
	p = p.clone()
	d := s.Draft()
	for range rng.IntN(20) {
		p.change(t, rng, d)
	}
	next, err := d.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.compareSnapshot(next, rng); err != nil {
		t.Fatal("sibling: ", err)
	}
}

// compareRemap sees that former ids lead to the same elements.
func compareRemap(old, next *Snapshot, m *Remap) error {
	for v := VertexID(0); uint64(v) < old.N(); v++ {
		want, there := next.VertexByNodeID(old.NodeID(v))
		if got, ok := m.Vertex(v); ok != there || ok && got != want {
			return fmt.Errorf("vertex %d went to %d %t, want %d %t", v, got, ok, want, there)
		}
	}
	for e := range old.AllEdges() {
		want, there := next.EdgeByRelID(old.RelID(e))
		if got, ok := m.Edge(e); ok != there || ok && got != want {
			return fmt.Errorf("edge %d went to %d %t, want %d %t", e, got, ok, want, there)
		}
	}
	return nil
}

func TestSavepoint(t *testing.T) {
	rng := rand.New(rand.NewPCG(draftSeed(t), 5))
	p, s := randomPlain(t, rng)
	d := s.Draft()
	for range 10 {
		p.change(t, rng, d)
	}
	if rng.IntN(2) == 0 { // or the savepoint is amid changes
		if _, err := d.Snapshot(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	point := d.Savepoint()
	then, changes := p.clone(), len(d.Changes())
	for range 10 {
		p.change(t, rng, d)
	}
	if err := d.Restore(point); err != nil {
		t.Fatal(err)
	}
	if err := then.compare(ofDraft(d)); err != nil {
		t.Fatal(err)
	}
	if len(d.Changes()) != changes {
		t.Fatalf("%d changes, want %d", len(d.Changes()), changes)
	}
	for range 10 {
		then.change(t, rng, d)
	}
	if next, err := d.Snapshot(t.Context()); err != nil || then.compareSnapshot(next, rng) != nil {
		t.Fatal(err, then.compareSnapshot(next, rng))
	}
}

func TestRules(t *testing.T) {
	s, _, err := NewBuilder().Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	d := s.Draft()
	index := Rule{Kind: RuleIndex, Name: "i", On: "A", Keys: []string{"x"}}
	unique := Rule{Kind: RuleUnique, Name: "u", On: "A", Keys: []string{"x"}}
	for _, r := range []Rule{index, unique} {
		if err := d.CreateRule(r); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range []Rule{index, {}, {Kind: RuleUnique, Name: "i", On: "A", Keys: []string{"y"}}, {Kind: 9, Name: "n", On: "A", Keys: []string{"y"}}} {
		if err := d.CreateRule(r); !errors.Is(err, ErrRule) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if err := d.DropIndex("u"); !errors.Is(err, ErrNotThere) {
		t.Errorf("dropped a constraint as an index: %v", err)
	}
	next, err := d.Snapshot(t.Context())
	if err != nil || len(s.Schema.Indexes) != 0 || !reflect.DeepEqual(next.Schema.Indexes, []Rule{index}) {
		t.Fatal(err, next.Schema)
	}
	if err := errors.Join(d.DropIndex("i"), d.DropConstraint("u")); err != nil {
		t.Fatal(err)
	}
	again, err := Replay(t.Context(), s, d.Changes()[:3])
	if err != nil || len(again.Schema.Indexes) != 0 || !reflect.DeepEqual(again.Schema.Constraints, []Rule{unique}) {
		t.Fatal(err, again.Schema)
	}
}

// TestReplayRefuses gives Replay changes that mean nothing.
func TestReplayRefuses(t *testing.T) {
	b := NewBuilder()
	b.AddVertices(2)
	b.AddEdge(0, 1, b.Type("T"))
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]Change{
		"no kind":         {},
		"unknown kind":    {Kind: LastChangeKind + 1},
		"used node id":    {Kind: CreateNode, ID: 1},
		"last node id":    {Kind: CreateNode, ID: ^uint64(0)},
		"used rel id":     {Kind: CreateRel, ID: 0, Name: "T"},
		"last rel id":     {Kind: CreateRel, ID: ^uint64(0), Name: "T"},
		"no end":          {Kind: CreateRel, ID: 1, Name: "T", To: 7},
		"no node":         {Kind: DeleteNode, ID: 2},
		"with rels":       {Kind: DeleteNode, ID: 0},
		"no rel":          {Kind: DeleteRel, ID: 1},
		"no rel to set":   {Kind: SetRelProps, ID: 1},
		"no node to set":  {Kind: SetNodeProps, ID: 9},
		"bad value":       {Kind: SetNodeProps, ID: 0, Props: []Prop{{"k", Cell{Kind: KindMixed}}}},
		"bad rel value":   {Kind: SetRelProps, ID: 0, Props: []Prop{{"k", Cell{Kind: 77}}}},
		"bad first value": {Kind: CreateNode, ID: 9, Props: []Prop{{"k", Cell{Kind: 77}}}},
		"label of none":   {Kind: AddLabel, ID: 9},
		"no label":        {Kind: RemoveLabel, ID: 9},
		"no rule":         {Kind: CreateIndex},
		"wrong rule":      {Kind: CreateIndex, Rule: &Rule{Kind: RuleUnique, Name: "a", On: "b", Keys: []string{"c"}}},
		"no index":        {Kind: DropIndex, Name: "a"},
		"no constraint":   {Kind: DropConstraint, Name: "a"},
	} {
		if _, err := Replay(t.Context(), s, []Change{c}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestCreatedAndDeleted deletes the only node created, so that no place changes, and one relationship.
func TestCreatedAndDeleted(t *testing.T) {
	b := NewBuilder()
	b.AddVertices(2)
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	d := s.Draft()
	v, err := d.CreateNode([]string{"A"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := d.CreateRel("T", 0, v, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.DetachDelete(v); err != nil {
		t.Fatal(err)
	}
	next, err := d.Snapshot(t.Context())
	if err != nil || next.N() != 2 || next.M() != 0 || next.NextNode != 3 || next.NextRel != 1 {
		t.Fatal(err, next)
	}
	if at, ok := d.Remap().Vertex(v); ok {
		t.Errorf("the deleted vertex went to %d", at)
	}
	if at, ok := d.Remap().Edge(e); ok {
		t.Errorf("the deleted relationship went to %d", at)
	}
	if _, ok := next.VertexByNodeID(2); ok || next.HasEdge(e) {
		t.Error("deleted, but there")
	}
}

// TestFewClasses creates nodes of three label sets in turn, each in a transaction of its own.
func TestFewClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	p, s := randomPlain(t, rng)
	d := s.Draft()
	for i := range 1500 {
		n := &plainNode{labels: map[string]bool{}, props: map[string]Cell{}}
		labels := plainLabels[:i%3]
		for _, l := range labels {
			n.labels[l] = true
		}
		v, err := d.CreateNode(labels, nil)
		if err != nil {
			t.Fatal(err)
		}
		p.nodes[d.NodeID(v)] = n
		p.nextNode++
		if i%4 == 0 {
			e, err := d.CreateRel("R", v, VertexID(i%7), nil)
			if err != nil {
				t.Fatal(err)
			}
			p.rels[d.RelID(e)] = &plainRel{typ: "R", from: d.NodeID(v), to: d.NodeID(VertexID(i % 7)), props: map[string]Cell{}}
			p.nextRel++
		}
		if s, err = d.Snapshot(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(s.Classes) > 20+mostRuns+i/32 {
			t.Fatalf("%d classes after %d nodes", len(s.Classes), i)
		}
	}
	if err := p.compare(ofSnapshot(s)); err != nil {
		t.Fatal(err)
	}
	if s.Flat() || len(s.Classes) > 150 {
		t.Errorf("%d classes, flat %t", len(s.Classes), s.Flat())
	}
}

// TestSnapshotCancelled ends the context at every moment that the making of a snapshot looks at it: the draft stays as it
// was, and the next attempt succeeds.
func TestSnapshotCancelled(t *testing.T) {
	for _, flat := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(draftSeed(t), 8))
		p, s := randomPlain(t, rng)
		for dir := Out; dir <= Both; dir++ {
			s.Adjacency(nil, dir)
		}
		d := s.Draft()
		if _, err := d.CreateNode(nil, nil); err != nil {
			t.Fatal(err)
		}
		p.nodes[p.nextNode] = &plainNode{labels: map[string]bool{}, props: map[string]Cell{}}
		p.nextNode++
		for range 30 {
			p.change(t, rng, d)
		}
		make := d.overlaid
		if flat {
			make = d.rebuild
		}
		for polls := int64(0); ; polls++ {
			ctx := &polled{Context: t.Context()}
			ctx.left.Store(polls)
			next, _, err := make(ctx)
			if err == nil {
				if err := p.compareSnapshot(next, rng); err != nil || polls < 5 {
					t.Errorf("flat %t, after %d polls: %v", flat, polls, err)
				}
				break
			}
			if !errors.Is(err, context.Canceled) || next != nil {
				t.Fatal(next, err)
			}
			if err := p.compare(ofDraft(d)); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.compare(ofDraft(d)); err != nil {
			t.Fatal(err)
		}
	}
}

// warnedOf lists what warnings of a query depend on: the names, label sets, connections, and the kinds of values. Kinds of deleted relationships
// count as long as RelationshipKinds names them.
func warnedOf(t *testing.T, s *Snapshot) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	note := func(what string, x ...any) { all[what+fmt.Sprint(x...)] = true }
	for _, names := range [][]string{s.Labels.Names(), s.Types.Names(), s.Keys.Names()} {
		note("names", names)
	}
	for _, c := range s.Classes {
		note("class", c.Labels)
	}
	for k := range s.Keys.Names() {
		for v := range VertexID(s.N()) {
			if cell, ok := s.VertexProp(v, KeyID(k)); ok {
				note("value", k, s.LabelsOf(v), cell.Kind)
				if cell.Kind.text() {
					note("text", k, s.LabelsOf(v), cell.Str)
				}
			}
		}
		for e := range s.AllEdges() {
			if cell, ok := s.EdgeProp(e, KeyID(k)); ok {
				if !s.RelationshipKinds(KeyID(k)).Has(cell.Kind) {
					t.Errorf("%v of relationships has a value of kind %v, which is not among its kinds", s.Keys.Names()[k], cell.Kind)
				}
			}
		}
		note("values of relationships", k, s.RelationshipKinds(KeyID(k)))
	}
	for _, x := range s.Stats.Triples {
		note("triple", x.Src, x.Dst, x.Type)
	}
	return all
}

// TestKin makes the small changes of many statements: some leave the kin, others do not.
func TestKin(t *testing.T) {
	first := draftSeed(t)
	same, rounds := 0, 0
	for seed := first; seed < first+200; seed++ {
		rng := rand.New(rand.NewPCG(seed, 9))
		p, s := randomPlain(t, rng)
		for range 8 {
			d := s.Draft()
			p.change(t, rng, d)
			next, err := d.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			rounds++
			if Kin(next) == Kin(s) && next != s {
				same++
				if a, b := warnedOf(t, s), warnedOf(t, next); !maps.Equal(a, b) {
					t.Fatalf("MOTIF_SEED=%d: of the same kin, but %v became %v", seed, a, b)
				}
			}
			s = next
		}
	}
	if same < rounds/50 || same > rounds*9/10 {
		t.Errorf("MOTIF_SEED=%d: %d of %d successors are of the same kin", first, same, rounds)
	}
}
