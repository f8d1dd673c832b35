package csr

import (
	"fmt"
	"slices"
)

// permutation says which element of a column, by index of addition, becomes which in order of dense ids.
type permutation struct {
	n    uint64                        // new elements
	old  uint64                        // elements before
	from func(i uint64) uint64         // the old place of new element i
	to   func(i uint64) (uint64, bool) // the new place of old element i; false if it was dropped

	// chunk, if not nil, stands for from: it returns from for the elements of a chunk.
	chunk func(i int) (from func(i uint64) uint64, err error)
}

// permute brings the columns into the order of dense ids.
func (j *assembly) permute() error {
	vertices := permutation{
		n:    j.n,
		old:  j.n,
		from: func(i uint64) uint64 { return uint64(j.data.NodeIDs[i]) },
		to:   func(i uint64) (uint64, bool) { return uint64(j.dense[i]), true },
	}
	edges, err := j.edgePermutation()
	if err != nil {
		return err
	}
	return j.permuteColumns(vertices, edges)
}

// permuteColumns brings all columns into new orders of vertices and relationships.
func (j *assembly) permuteColumns(vertices, edges permutation) (err error) {
	if j.data.VertexProps, err = j.permuteAll(j.vertexProps, vertices); err != nil {
		return err
	}
	if j.data.EdgeProps, err = j.permuteAll(j.edgeProps, edges); err != nil {
		return err
	}
	for i, x := range j.external {
		c, err := j.permuteColumn(x.IDs, vertices)
		if err != nil {
			return err
		}
		j.give(uint64(x.IDs.draftBytes()))
		j.external[i].IDs = nil
		j.data.External = append(j.data.External, ExternalSpace{x.Name, c})
	}
	return nil
}

// edgePermutation is the permutation of relationships, whose inverse only columns with few cells need.
func (j *assembly) edgePermutation() (permutation, error) {
	p := permutation{n: j.data.Edges, old: j.edges}
	if !j.ordered {
		return p, nil
	}
	if err := j.take(8 * p.n); err != nil {
		return p, err
	}
	old := slices.Concat(j.order...)
	p.from = func(i uint64) uint64 { return old[i] }
	if !slices.ContainsFunc(j.edgeProps, (*Column).sparse) {
		return p, nil
	}
	if err := j.take(8 * j.edges); err != nil {
		return p, err
	}
	places := make([]uint64, j.edges) // place + 1; 0: dropped
	err := j.blocks(len(old), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			places[old[i]] = uint64(i) + 1
		}
	})
	p.to = func(i uint64) (uint64, bool) { return places[i] - 1, places[i] > 0 }
	return p, err
}

// sparse reports whether every chunk of c, which is being set, has so few cells that Build moves each cell by itself.
func (c *Column) sparse() bool {
	return c != nil && !slices.ContainsFunc(c.drafts, func(d chunkDraft) bool { return d.full != nil })
}

// permuteAll permutes all columns: those with few cells side by side, the others one by one. So many columns with few
// cells take no time for the elements that have none.
func (j *assembly) permuteAll(columns []*Column, p permutation) ([]*Column, error) {
	out, errs := make([]*Column, len(columns)), make([]error, len(columns))
	dynamic(j.workers, len(columns), func(k int) {
		if columns[k].sparse() && j.ctx.Err() == nil {
			out[k], errs[k] = j.scatter(columns[k], p)
		}
	})
	if err := j.ctx.Err(); err != nil {
		return nil, err
	}
	for k, c := range columns {
		if c == nil {
			continue
		}
		if out[k] == nil && errs[k] == nil {
			out[k], errs[k] = j.permuteColumn(c, p)
		}
		if errs[k] != nil {
			return nil, fmt.Errorf("property %s: %w", j.keys.Name(uint32(k)), errs[k])
		}
		if out[k].empty() {
			out[k] = nil
		}
		j.give(uint64(c.draftBytes()))
		columns[k] = nil
	}
	return out, nil
}

// chunkRoom makes room for the chunks of a column.
func (j *assembly) chunkRoom(n uint64) (*Column, error) {
	chunks := (n + ChunkLen - 1) / ChunkLen
	if err := j.take(8 * chunks); err != nil {
		return nil, err
	}
	return &Column{chunks: make([]chunkPointer, chunks)}, nil
}

// scatter is permuteColumn for a column with few cells.
func (j *assembly) scatter(c *Column, p permutation) (*Column, error) {
	moved := NewColumn(0)
	for i := range c.drafts {
		c.drafts[i].each(func(slot int, cell Cell) {
			if to, ok := p.to(uint64(i)*ChunkLen + uint64(slot)); ok {
				moved.put(to, cell)
			}
		})
	}
	if err := moved.Freeze(); err != nil {
		return nil, err
	}
	out, err := j.chunkRoom(p.n)
	if err != nil {
		return nil, err
	}
	size := uint64(0)
	for i := range min(len(out.chunks), len(moved.chunks)) {
		if chunk := moved.Chunk(i); chunk != nil {
			out.SetChunk(i, chunk)
			size += chunk.bytes()
		}
	}
	return out, j.take(size)
}

// numbers is KindInt or KindFloat if each of the first n elements has a cell of this kind, as weights of relationships do; else 0.
// Each chunk of c has a slot for every element.
func (c *Column) numbers(n uint64) (kind Kind) {
	for i := range c.drafts {
		d := c.drafts[i].full
		if d == nil || d.strs != nil {
			return 0
		}
		if i == 0 {
			kind = d.kinds[0]
		}
		for _, k := range d.kinds[:min(ChunkLen, n-min(n, uint64(i)*ChunkLen))] {
			if k != kind {
				return 0
			}
		}
	}
	if uint64(len(c.drafts))*ChunkLen < n || kind != KindInt && kind != KindFloat {
		return 0
	}
	return kind
}

// gather packs the cells of n elements of a column for which numbers returned kind: from says where the cell of each stood, from first on.
func (c *Column) gather(kind Kind, first, n uint64, from func(i uint64) uint64) *Chunk {
	chunk := &Chunk{Kind: kind}
	for word := range (n + 63) / 64 {
		chunk.Present[word] = ^uint64(0) >> (64 - min(64, n-64*word))
	}
	chunk.allocate(int(n))
	for i := range n {
		old := from(first + i)
		chunk.put(int(i), kind, c.drafts[old/ChunkLen].full.nums[old%ChunkLen])
	}
	chunk.index()
	return chunk
}

// permuteColumn returns the frozen column whose element i is element p.from(i) of c.
func (j *assembly) permuteColumn(c *Column, p permutation) (*Column, error) {
	out, err := j.chunkRoom(p.n)
	if err != nil {
		return nil, err
	}
	if err := j.take(c.fill()); err != nil { // cells are read in no order
		return nil, err
	}
	errs := make([]error, len(out.chunks))
	kind := c.numbers(p.old)
	dynamic(j.workers, len(out.chunks), func(i int) {
		if errs[i] = j.ctx.Err(); errs[i] != nil {
			return
		}
		from := p.from
		if p.chunk != nil {
			if from, errs[i] = p.chunk(i); errs[i] != nil {
				return
			}
		}
		if kind != 0 {
			chunk := c.gather(kind, uint64(i)*ChunkLen, min(ChunkLen, p.n-uint64(i)*ChunkLen), from)
			out.SetChunk(i, chunk)
			errs[i] = j.take(chunk.bytes())
			return
		}
		var d draft
		for slot := range min(ChunkLen, p.n-uint64(i)*ChunkLen) {
			if cell, ok := c.Get(from(uint64(i)*ChunkLen + slot)); ok {
				d.set(int(slot), cell)
			}
		}
		var chunk *Chunk
		if chunk, errs[i] = d.seal(); chunk != nil && errs[i] == nil {
			out.SetChunk(i, chunk)
			errs[i] = j.take(chunk.bytes())
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
