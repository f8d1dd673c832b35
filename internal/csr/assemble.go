package csr

import (
	"context"
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/hugepages"
)

// Build makes the snapshot on up to workers goroutines (0: one per processor). It groups vertices by label set, the sets in
// lexical order of their label numbers. Inside a set it orders them by falling total degree, and by order of addition where
// degrees are equal. The caller sets Stats.Degeneracy. Build returns early with ctx's error.
func (b *Builder) Build(ctx context.Context, workers int) (*Snapshot, Dropped, error) {
	if workers <= 0 {
		workers = defaultWorkers()
	}
	j := &assembly{Builder: b, ctx: ctx, workers: min(workers, maxWorkers), n: uint64(len(b.setOf))}
	j.ordered = b.given[1] > 0 || slices.ContainsFunc(b.edgeProps, func(c *Column) bool { return c != nil })
	if err := j.assemble(); err != nil {
		return nil, Dropped{}, err
	}
	s, err := NewContext(j.ctx, j.data)
	return s, j.dropped, err
}

// assemble fills data.
func (j *assembly) assemble() error {
	b, d := j.Builder, &j.data
	for _, step := range []func() error{j.checkEnds, j.dropRepeats, j.number, j.sortEdges, j.permute} {
		if b.err != nil {
			return b.err
		}
		if err := j.ctx.Err(); err != nil {
			return err
		}
		if err := step(); err != nil {
			return err
		}
	}
	d.Vertices, d.NextNode, d.NextRel = j.n, NodeID(j.n), RelID(d.Edges)
	j.stableIDs()
	d.Labels, d.Types, d.Keys = b.labels, b.types, b.keys
	var err error
	d.Stats, err = computeStats(j.ctx, d, j.workers, j.budget)
	return err
}

// assembly is the state of one Build.
type assembly struct {
	*Builder
	ctx     context.Context
	workers int
	n       uint64
	ordered bool       // relationships have properties: keep track of their indices
	order   [][]uint64 // by type: the index of each relationship, where ordered
	dense   []uint32   // by index of vertex: its VertexID
	degree  []uint64   // by index of vertex, where it is known before number
	data    Data
	dropped Dropped
}

// parts runs fn over [0, n) in pieces.
func (j *assembly) parts(n int, fn func(lo, hi int)) {
	dynamic(j.workers, (n+stride-1)/stride, func(i int) {
		if j.ctx.Err() == nil {
			fn(i*stride, min(n, (i+1)*stride))
		}
	})
}

func (j *assembly) checkEnds() error {
	j.order = make([][]uint64, len(j.rels))
	for t := range j.rels {
		r := &j.rels[t]
		var top [2]uint32
		for i, ends := range [][]uint32{r.src, r.dst} {
			err := j.blocks(len(ends), func(lo, hi int) {
				for _, v := range ends[lo:hi] {
					top[i] = max(top[i], v)
				}
			})
			if err != nil {
				return err
			}
		}
		if len(r.src) > 0 && uint64(max(top[0], top[1])) >= j.n {
			return fmt.Errorf("relationship of type %s to vertex %d of %d", j.types.Name(uint32(t)), max(top[0], top[1]), j.n)
		}
		if j.ordered {
			if err := j.take(8 * uint64(len(r.src))); err != nil {
				return err
			}
			j.order[t] = r.indices()
		}
	}
	return nil
}

// blocks runs fn over [0, n) in pieces, one after the other, and ends early with ctx's error.
func (j *assembly) blocks(n int, fn func(lo, hi int)) error {
	for lo := 0; lo < n; lo += stride {
		if err := j.ctx.Err(); err != nil {
			return err
		}
		fn(lo, min(n, lo+stride))
	}
	return nil
}

// indices is the index of every relationship of the list.
func (r *relList) indices() []uint64 {
	all := hugepages.Make[uint64](len(r.src))
	for i, run := range r.runs {
		end := uint64(len(all))
		if i+1 < len(r.runs) {
			end = r.runs[i+1].pos
		}
		for p := run.pos; p < end; p++ {
			all[p] = run.index + p - run.pos
		}
	}
	return all
}

// dropRepeats thins the types that asked for it. It has to come before the vertices are ordered by degree, and so
// sorts by the order of addition first.
func (j *assembly) dropRepeats() error {
	for t := range j.rels {
		r := &j.rels[t]
		if !r.simple || len(r.src) == 0 {
			continue
		}
		drop := j.dropSorted
		if uint64(len(r.src)) < j.n/8 {
			drop = j.dropFew
		}
		if err := drop(t, r); err != nil {
			return err
		}
	}
	return nil
}

// keeper collects the relationships of a type that stay, in the lists that they come from.
type keeper struct {
	*assembly
	to    *relList
	order []uint64 // nil, or what goes with the relationships, by position
	k     int
}

// next takes the relationship v -> w at position p, or drops it. again says that the one before joins the same vertices.
func (x *keeper) next(v, w uint32, p uint64, again bool) {
	switch {
	case w == v:
		x.dropped.Loops++
		return
	case again:
		x.dropped.Duplicates++
		if x.order != nil && x.differ(x.order[x.k-1], x.order[p]) {
			x.dropped.Differing++
		}
		return
	}
	x.to.src[x.k], x.to.dst[x.k] = v, w
	if x.order != nil {
		x.order[x.k] = x.order[p]
	}
	x.k++
}

// differ reports whether two relationships, by index, differ in a property.
func (x *keeper) differ(a, b uint64) bool {
	for _, column := range x.edgeProps {
		one, _ := column.Get(a)
		other, _ := column.Get(b)
		if one != other {
			return true
		}
	}
	return false
}

func (x *keeper) done(t int) {
	x.to.src, x.to.dst = x.to.src[:x.k], x.to.dst[:x.k]
	if x.order != nil {
		x.assembly.order[t] = x.order[:x.k]
	}
}

// dropSorted is dropRepeats for a type with many relationships.
func (j *assembly) dropSorted(t int, r *relList) error {
	csr, order, err := j.sorted(r.src, r.dst, j.order[t])
	if err != nil {
		return err
	}
	x := keeper{assembly: j, to: r, order: order}
	err = j.blocks(len(csr.Offsets)-1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			v := csr.Lo + VertexID(i)
			for p := csr.Offsets[i]; p < csr.Offsets[i+1]; p++ {
				w := csr.Targets[p]
				x.next(uint32(v), uint32(w), p, p > csr.Offsets[i] && w == csr.Targets[p-1])
			}
		}
	})
	x.done(t)
	return err
}

// dropFew is dropRepeats for a type with few relationships: it makes no array by vertex.
func (j *assembly) dropFew(t int, r *relList) error {
	if err := j.take(j.sortBytes(uint64(len(r.src)))); err != nil {
		return err
	}
	defer j.give(j.sortBytes(uint64(len(r.src))))
	items := sortedItems(r.src, r.dst)
	x := keeper{assembly: j, to: r}
	if order := j.order[t]; order != nil {
		x.order = hugepages.Make[uint64](len(items))
		for i, it := range items {
			x.order[i] = order[it.at]
		}
	}
	for i, it := range items {
		x.next(uint32(it.key>>32), uint32(it.key), uint64(i), i > 0 && it.key == items[i-1].key)
	}
	x.done(t)
	return nil
}

// sorted makes the base CSR of some relationships; equal ones keep their order, and order is carried along.
func (j *assembly) sorted(src, dst []uint32, order []uint64) (*Rels, []uint64, error) {
	m := uint64(len(src))
	if err := j.take(j.sortBytes(m)); err != nil {
		return nil, nil, err
	}
	defer j.give(j.sortBytes(m))
	if m < j.n/8 {
		return j.sortFew(src, dst, order)
	}
	offsets, sources, order, err := group(j.ctx, j.n, dst, src, order, j.workers)
	if err != nil {
		return nil, nil, err
	}
	keys := Range{NoVertex, 0}
	for _, v := range src {
		keys.Lo, keys.Hi = min(keys.Lo, VertexID(v)), max(keys.Hi, VertexID(v)+1)
	}
	return transpose(j.ctx, &Rels{Offsets: offsets, Targets: sources}, keys, order, j.workers)
}

// sortFew is sorted for a type with few relationships, in a time that does not depend on the number of vertices
// but for the offsets.
func (j *assembly) sortFew(src, dst []uint32, order []uint64) (*Rels, []uint64, error) {
	if len(src) == 0 {
		return &Rels{}, order, nil
	}
	items := sortedItems(src, dst)
	first, last := items[0].key>>32, items[len(items)-1].key>>32
	if err := j.take(8*(last-first+2) + 4*uint64(len(items))); err != nil {
		return nil, nil, err
	}
	r := &Rels{Lo: VertexID(first), Offsets: hugepages.Make[uint64](last - first + 2), Targets: hugepages.Make[VertexID](len(items))}
	var sorted []uint64
	if order != nil {
		sorted = hugepages.Make[uint64](len(items))
	}
	for i, it := range items {
		r.Targets[i] = VertexID(it.key)
		r.Offsets[it.key>>32-first+1]++
		if order != nil {
			sorted[i] = order[it.at]
		}
	}
	for i := 1; i < len(r.Offsets); i++ {
		r.Offsets[i] += r.Offsets[i-1]
	}
	return r, sorted, nil
}

// item is a relationship to sort: its ends, and its position.
type item struct{ key, at uint64 }

// sortedItems are relationships by source, target and position.
func sortedItems(src, dst []uint32) []item {
	items := make([]item, len(src))
	for i := range src {
		items[i] = item{uint64(src[i])<<32 | uint64(dst[i]), uint64(i)}
	}
	slices.SortFunc(items, func(a, b item) int {
		if a.key != b.key {
			return compare(a.key, b.key)
		}
		return compare(a.at, b.at)
	})
	return items
}

// number groups and orders the vertices.
func (j *assembly) number() error {
	rank := make([]uint32, len(j.setLabels)) // of each label set
	bySets := make([]uint32, len(rank))
	for i := range bySets {
		bySets[i] = uint32(i)
	}
	slices.SortFunc(bySets, func(a, b uint32) int { return slices.Compare(j.setLabels[a], j.setLabels[b]) })
	for i, set := range bySets {
		rank[set] = uint32(i)
	}
	counters := 8 * j.n // of the order by degree, and of degrees that are to be counted
	if j.degree == nil {
		counters += 8 * j.n * uint64(sorters(j.workers, j.n, j.edges))
	}
	if err := j.take(counters + 12*j.n); err != nil {
		return err
	}
	defer j.give(counters)
	order, err := j.byDegree()
	if err != nil {
		return err
	}
	starts := make([]uint32, len(rank)+1)
	for _, set := range j.setOf {
		starts[rank[set]+1]++
	}
	for i, set := range bySets {
		starts[i+1] += starts[i]
		if starts[i+1] > starts[i] {
			j.data.Classes = append(j.data.Classes, Class{j.setLabels[set], Range{VertexID(starts[i]), VertexID(starts[i+1])}})
		}
	}
	j.dense, j.data.NodeIDs = make([]uint32, j.n), make([]NodeID, j.n)
	return j.blocks(len(order), func(lo, hi int) {
		for _, v := range order[lo:hi] {
			next := &starts[rank[j.setOf[v]]]
			j.dense[v], j.data.NodeIDs[*next] = *next, NodeID(v)
			*next++
		}
	})
}

// byDegree lists the vertices by falling total degree (a loop counts twice), by a stable radix sort.
func (j *assembly) byDegree() ([]uint32, error) {
	degree := j.degree
	if degree == nil {
		degree = j.degrees()
	}
	top := uint64(0)
	for _, d := range degree {
		top = max(top, d)
	}
	order, other := make([]uint32, j.n), make([]uint32, j.n)
	for i := range order {
		order[i] = uint32(i)
	}
	const digit = 11
	for shift := 0; top>>shift > 0; shift += digit {
		var starts [1<<digit + 1]uint64
		for _, d := range degree {
			starts[(top-d)>>shift&(1<<digit-1)+1]++
		}
		for i := 1; i < len(starts); i++ {
			starts[i] += starts[i-1]
		}
		err := j.blocks(len(order), func(lo, hi int) {
			for _, v := range order[lo:hi] {
				k := (top - degree[v]) >> shift & (1<<digit - 1)
				other[starts[k]] = v
				starts[k]++
			}
		})
		if err != nil {
			return nil, err
		}
		order, other = other, order
	}
	return order, j.ctx.Err()
}

func (j *assembly) degrees() []uint64 {
	k := sorters(j.workers, j.n, j.edges)
	counts := make([][]uint64, k)
	each(k, func(i int) {
		c := make([]uint64, j.n)
		for t := range j.rels {
			for _, ends := range [][]uint32{j.rels[t].src, j.rels[t].dst} {
				lo, hi := len(ends)*i/k, len(ends)*(i+1)/k
				_ = j.blocks(hi-lo, func(a, b int) { // byDegree looks at the context again
					for _, v := range ends[lo+a : lo+b] {
						c[v]++
					}
				})
			}
		}
		counts[i] = c
	})
	for _, c := range counts[1:] {
		for v, d := range c {
			counts[0][v] += d
		}
	}
	return counts[0]
}

// sortEdges renumbers the ends and makes the base CSR of every type.
func (j *assembly) sortEdges() error {
	first := EdgeID(0)
	j.data.Rels = make([]Rels, len(j.rels))
	for t := range j.rels {
		r := &j.rels[t]
		if err := j.ctx.Err(); err != nil {
			return err
		}
		for _, ends := range [][]uint32{r.src, r.dst} {
			j.parts(len(ends), func(lo, hi int) {
				for i, v := range ends[lo:hi] {
					ends[lo+i] = j.dense[v]
				}
			})
		}
		csr, order, err := j.sorted(r.src, r.dst, j.order[t])
		if err != nil {
			return err
		}
		j.give(4*uint64(cap(r.src)+cap(r.dst)) + 16*uint64(cap(r.runs)))
		r.src, r.dst, r.runs = nil, nil, nil
		csr.First = first
		first += EdgeID(len(csr.Targets))
		j.data.Rels[t], j.order[t] = *csr, order
	}
	j.data.Edges = uint64(first)
	return nil
}

// stableIDs puts the ids that the caller gave in place of the indices.
func (j *assembly) stableIDs() {
	d := &j.data
	j.nodeStableIDs()
	if !j.givenRelIDs() {
		return
	}
	d.RelIDs, d.NextRel = make([]RelID, 0, d.Edges), 0
	for _, order := range j.order {
		for _, index := range order {
			d.RelIDs = append(d.RelIDs, j.relIDs[index])
			d.NextRel = max(d.NextRel, j.relIDs[index]+1)
		}
	}
}

// givenRelIDs reports whether the caller gave every relationship an id, and all stay.
func (j *assembly) givenRelIDs() bool {
	return j.edges > 0 && j.given[1] == j.edges && uint64(len(j.relIDs)) == j.edges && j.edges == j.data.Edges
}

// nodeStableIDs is stableIDs for nodes.
func (j *assembly) nodeStableIDs() {
	d := &j.data
	if j.n > 0 && j.given[0] == j.n && uint64(len(j.nodeIDs)) == j.n {
		d.NextNode = 0
		for v, index := range d.NodeIDs {
			d.NodeIDs[v] = j.nodeIDs[index]
			d.NextNode = max(d.NextNode, d.NodeIDs[v]+1)
		}
	}
}
