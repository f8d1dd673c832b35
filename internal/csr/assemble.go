package csr

import (
	"context"
	"fmt"
	"slices"
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
	s, err := New(j.data)
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
	d.Stats = computeStats(d, j.workers)
	return j.ctx.Err()
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
			for _, v := range ends {
				top[i] = max(top[i], v)
			}
		}
		if len(r.src) > 0 && uint64(max(top[0], top[1])) >= j.n {
			return fmt.Errorf("relationship of type %s to vertex %d of %d", j.types.Name(uint32(t)), max(top[0], top[1]), j.n)
		}
		if j.ordered {
			j.order[t] = r.indices()
		}
	}
	return nil
}

// indices is the index of every relationship of the list.
func (r *relList) indices() []uint64 {
	all := make([]uint64, len(r.src))
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
		csr, order, err := j.sorted(r.src, r.dst, j.order[t])
		if err != nil {
			return err
		}
		k := 0
		for i := range len(csr.Offsets) - 1 {
			v := csr.Lo + VertexID(i)
			for p := csr.Offsets[i]; p < csr.Offsets[i+1]; p++ {
				w := csr.Targets[p]
				switch {
				case w == v:
					j.dropped.Loops++
					continue
				case p > csr.Offsets[i] && w == csr.Targets[p-1]:
					j.dropped.Duplicates++
					continue
				}
				r.src[k], r.dst[k] = uint32(v), uint32(w)
				if order != nil {
					order[k] = order[p]
				}
				k++
			}
		}
		r.src, r.dst = r.src[:k], r.dst[:k]
		if order != nil {
			j.order[t] = order[:k]
		}
	}
	return nil
}

// sorted makes the base CSR of some relationships; equal ones keep their order, and order is carried along.
func (j *assembly) sorted(src, dst []uint32, order []uint64) (*Rels, []uint64, error) {
	if uint64(len(src)) < j.n/8 {
		r, order := sortFew(src, dst, order)
		return r, order, nil
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
func sortFew(src, dst []uint32, order []uint64) (*Rels, []uint64) {
	if len(src) == 0 {
		return &Rels{}, order
	}
	type item struct{ key, at uint64 }
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
	first, last := items[0].key>>32, items[len(items)-1].key>>32
	r := &Rels{Lo: VertexID(first), Offsets: make([]uint64, last-first+2), Targets: make([]VertexID, len(items))}
	var sorted []uint64
	if order != nil {
		sorted = make([]uint64, len(items))
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
	return r, sorted
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
	order := j.byDegree()
	if err := j.ctx.Err(); err != nil {
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
	for _, v := range order {
		next := &starts[rank[j.setOf[v]]]
		j.dense[v], j.data.NodeIDs[*next] = *next, NodeID(v)
		*next++
	}
	return nil
}

// byDegree lists the vertices by falling total degree (a loop counts twice), by a stable radix sort.
func (j *assembly) byDegree() []uint32 {
	degree := j.degrees()
	top := uint64(0)
	for _, d := range degree {
		top = max(top, d)
	}
	order, other := make([]uint32, j.n), make([]uint32, j.n)
	for i := range order {
		order[i] = uint32(i)
	}
	const digit = 11
	for shift := 0; top>>shift > 0 && j.ctx.Err() == nil; shift += digit {
		var starts [1<<digit + 1]uint64
		for _, d := range degree {
			starts[(top-d)>>shift&(1<<digit-1)+1]++
		}
		for i := 1; i < len(starts); i++ {
			starts[i] += starts[i-1]
		}
		for _, v := range order {
			k := (top - degree[v]) >> shift & (1<<digit - 1)
			other[starts[k]] = v
			starts[k]++
		}
		order, other = other, order
	}
	return order
}

func (j *assembly) degrees() []uint64 {
	k := sorters(j.workers, j.n, j.edges)
	counts := make([][]uint64, k)
	each(k, func(i int) {
		c := make([]uint64, j.n)
		for t := range j.rels {
			for _, ends := range [][]uint32{j.rels[t].src, j.rels[t].dst} {
				lo, hi := len(ends)*i/k, len(ends)*(i+1)/k
				for _, v := range ends[lo:hi] {
					c[v]++
				}
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
		r.src, r.dst, r.runs = nil, nil, nil
		csr.First = first
		first += EdgeID(len(csr.Targets))
		j.data.Rels[t], j.order[t] = *csr, order
	}
	j.data.Edges = uint64(first)
	return nil
}

// permute brings the columns into the order of dense ids.
func (j *assembly) permute() error {
	vertex := func(i uint64) uint64 { return uint64(j.data.NodeIDs[i]) }
	edges := slices.Concat(j.order...)
	edge := func(i uint64) uint64 { return edges[i] }
	var err error
	if j.data.VertexProps, err = j.permuteAll(j.vertexProps, j.n, vertex); err != nil {
		return err
	}
	if j.data.EdgeProps, err = j.permuteAll(j.edgeProps, j.data.Edges, edge); err != nil {
		return err
	}
	for _, x := range j.external {
		c, err := j.permuteColumn(x.IDs, j.n, vertex)
		if err != nil {
			return err
		}
		j.data.External = append(j.data.External, ExternalSpace{x.Name, c})
	}
	return nil
}

func (j *assembly) permuteAll(columns []*Column, n uint64, from func(uint64) uint64) ([]*Column, error) {
	out := make([]*Column, len(columns))
	for k, c := range columns {
		if c == nil {
			continue
		}
		p, err := j.permuteColumn(c, n, from)
		if err != nil {
			return nil, fmt.Errorf("property %s: %w", j.keys.Name(uint32(k)), err)
		}
		if slices.ContainsFunc(p.Chunks, func(c *Chunk) bool { return c != nil }) {
			out[k] = p
		}
		columns[k] = nil
	}
	return out, nil
}

// permuteColumn returns the frozen column whose element i is element from(i) of c.
func (j *assembly) permuteColumn(c *Column, n uint64, from func(uint64) uint64) (*Column, error) {
	chunks := int((n + ChunkLen - 1) / ChunkLen)
	out := &Column{Chunks: make([]*Chunk, chunks)}
	errs := make([]error, chunks)
	dynamic(j.workers, chunks, func(i int) {
		if errs[i] = j.ctx.Err(); errs[i] != nil {
			return
		}
		var d draft
		for slot := range min(ChunkLen, n-uint64(i)*ChunkLen) {
			if cell, ok := c.Get(from(uint64(i)*ChunkLen + slot)); ok {
				d.set(int(slot), cell)
			}
		}
		out.Chunks[i], errs[i] = d.seal()
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// stableIDs puts the ids that the caller gave in place of the indices.
func (j *assembly) stableIDs() {
	d := &j.data
	if j.n > 0 && j.given[0] == j.n && uint64(len(j.nodeIDs)) == j.n {
		d.NextNode = 0
		for v, index := range d.NodeIDs {
			d.NodeIDs[v] = j.nodeIDs[index]
			d.NextNode = max(d.NextNode, d.NodeIDs[v]+1)
		}
	}
	if j.edges == 0 || j.given[1] != j.edges || uint64(len(j.relIDs)) != j.edges || j.edges != d.Edges {
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
