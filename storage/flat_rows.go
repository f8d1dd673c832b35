package storage

import (
	"context"
	"errors"
	"fmt"

	"github.com/motifql/motif/internal/csr"
)

// mostIntoPass is how many relationships are sorted by target at once, which takes 4 bytes each. A type with more is read several times.
const mostIntoPass = 64 << 20

// typeRows reads the relationships of a type from its blocks.
type typeRows struct {
	ctx   context.Context
	read  readValue
	refs  []blockRef
	shape typeMeta
	n     uint64 // vertices
}

// each hands the rows to fn in order, those of a block at once: row i ends at ends[i], counted from the first of targets. fn may not keep
// them.
func (r *typeRows) each(fn func(first csr.VertexID, ends []uint64, targets []csr.VertexID) error) error {
	source, position := r.shape.lo, uint64(0)
	var ends []uint64
	var targets []csr.VertexID
	for i := range r.refs {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		err := r.refs[i].read(r.read, func(payload []byte) error {
			c := cursor{b: payload}
			h, err := readAdjacencyHead(&c, r.shape, r.refs[i].at)
			if err != nil {
				return err
			}
			if h.first != source || h.position != position {
				return fmt.Errorf("the relationships of vertices %d to %d are missing or stored twice", source, h.first)
			}
			ends, targets = roomFor(ends, h.sources), roomFor(targets, h.edges)
			if err := decodeRows(&c, ends, targets, 0, r.n); err != nil {
				return err
			}
			source, position = source+h.sources, position+h.edges
			return fn(csr.VertexID(h.first), ends, targets)
		})
		if err != nil {
			return err
		}
	}
	if source != r.shape.lo+max(r.shape.offsets, 1)-1 || position != r.shape.edges {
		return fmt.Errorf("the relationships from vertex %d on are missing", source)
	}
	return nil
}

// roomFor returns a list of n items, whose contents mean nothing, in the memory of another if that has room.
func roomFor[T any](list []T, n uint64) []T {
	if uint64(cap(list)) < n {
		return make([]T, n)
	}
	return list[:n]
}

// addType writes the sections of a type, which has these blocks.
func (w *flatWriter) addType(ctx context.Context, read readValue, refs []blockRef) error {
	t := refs[0].group
	if uint64(t) >= uint64(len(w.meta.types)) {
		return errors.New("unknown relationship type")
	}
	r := &typeRows{ctx: ctx, read: read, refs: refs, shape: w.meta.types[t], n: w.meta.vertices}
	targets, err := w.addRows(r, flatRows(t))
	if err == nil {
		err = w.addInto(r, flatInto(t), targets)
	}
	if err == nil {
		clear(w.counts[targets.Lo:targets.Hi])
	}
	return err
}

// addRows writes the rows by source. It counts the relationships of each target, and returns the range that these lie in.
func (w *flatWriter) addRows(r *typeRows, name string) (targets csr.Range, err error) {
	if w.counts == nil {
		w.counts = make([]uint64, w.meta.vertices)
	}
	section := w.to.Growing(name, 0)
	packed := csr.NewPackedWriter(section, csr.VertexID(r.shape.lo))
	lo, hi := csr.NoVertex, csr.VertexID(0)
	err = r.each(func(_ csr.VertexID, ends []uint64, targets []csr.VertexID) error {
		at := uint64(0)
		for _, end := range ends {
			row := targets[at:end]
			if err := packed.Row(row); err != nil {
				return err
			}
			if at = end; len(row) > 0 {
				lo, hi = min(lo, row[0]), max(hi, row[len(row)-1]+1)
			}
			for _, v := range row {
				w.counts[v]++
			}
		}
		return nil
	})
	if err == nil {
		err = packed.Close()
	}
	if err == nil {
		err = section.Close()
	}
	return csr.Range{Lo: min(lo, hi), Hi: hi}, err
}

// addInto writes the rows by target.
func (w *flatWriter) addInto(r *typeRows, name string, targets csr.Range) error {
	section := w.to.Growing(name, 0)
	packed := csr.NewPackedWriter(section, targets.Lo)
	var sources []csr.VertexID
	for lo := targets.Lo; lo < targets.Hi; {
		hi, edges := lo, uint64(0)
		for hi < targets.Hi && (hi == lo || edges+w.counts[hi] <= w.intoPass) {
			edges, w.counts[hi] = edges+w.counts[hi], edges // from now on where its next source goes
			hi++
		}
		sources = roomFor(sources, edges)
		if err := sortInto(r, csr.Range{Lo: lo, Hi: hi}, w.counts[lo:hi], sources); err != nil {
			return err
		}
		at := uint64(0)
		for _, end := range w.counts[lo:hi] {
			if err := packed.Row(sources[at:end]); err != nil {
				return err
			}
			at = end
		}
		lo = hi
	}
	if err := packed.Close(); err != nil {
		return err
	}
	return section.Close()
}

// sortInto writes the sources of the relationships to some targets, those of the i-th target from next[i] on. Then next[i] is where they end.
func sortInto(r *typeRows, targets csr.Range, next []uint64, sources []csr.VertexID) error {
	return r.each(func(v csr.VertexID, ends []uint64, row []csr.VertexID) error {
		at := uint64(0)
		for _, end := range ends {
			for _, w := range row[at:end] {
				if w-targets.Lo < csr.VertexID(len(next)) { // wraps below Lo
					sources[next[w-targets.Lo]] = v
					next[w-targets.Lo]++
				}
			}
			at = end
			v++
		}
		return nil
	})
}
