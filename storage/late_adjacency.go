package storage

import (
	"bytes"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
)

// Relationships of a type that no query reads need not be decoded. Their blocks are kept, checked as far as their heads and checksums tell.

// mostLate is how many relationships a type may have to be decoded late. That takes less than 100 ms, since no context ends it. Larger types
// are decoded when the store is opened.
const mostLate = 4 << 20

// lateAdjacency holds the blocks of a type.
type lateAdjacency struct {
	blocks []lateBlock
	bytes  uint64
}

type lateBlock struct {
	key     blockKey
	payload []byte
}

func (a *lateAdjacency) add(k blockKey, payload []byte) {
	a.blocks = append(a.blocks, lateBlock{k, bytes.Clone(payload)})
	a.bytes += uint64(len(payload))
}

// later reports whether the relationships of a type are decoded when somebody first asks for them.
func (l *loader) later(t typeMeta) bool {
	return l.late != nil && l.data.Stats != nil && t.edges > 0 && t.edges <= mostLate
}

// lateRels returns the relationships of type t, whose blocks have been kept.
func (l *loader) lateRels(t int) csr.Rels {
	kept, shape, n, was := l.kept[t], l.meta.types[t], l.data.Vertices, l.data.Rels[t]
	l.kept[t] = lateAdjacency{} // the loader lives as long as something may be decoded late
	key := blockKey{kind: kindAdjacency, group: uint32(t), at: shape.lo}
	decode := func() ([]uint64, []csr.VertexID, error) {
		r := csr.Rels{Lo: was.Lo, Offsets: hugepages.Make[uint64](shape.offsets), Targets: hugepages.Make[csr.VertexID](shape.edges)}
		var group errgroup.Group
		group.SetLimit(max(1, l.workers))
		for _, b := range kept.blocks {
			group.Go(guarded(func() error {
				if _, err := decodeAdjacency(&r, b.key.at, n, b.payload); err != nil {
					return l.late(b.key, err)
				}
				return nil
			}))
		}
		return r.Offsets, r.Targets, passOn(group.Wait())
	}
	fault := func(err error) error {
		var known *Error
		if errors.As(err, &known) {
			return err
		}
		return l.late(key, err)
	}
	return csr.LateRels(was.First, was.Lo, shape.edges, kept.bytes, decode, fault)
}
