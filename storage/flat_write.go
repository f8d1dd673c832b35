package storage

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/flat"
)

// A flat file holds the graph of an epoch as arrays, to be mapped (package flat). It is made from the epoch's blocks, which stay the truth: a
// store is read from these if the file is missing, or if opening finds that it is not whole. Damage that a query finds is an error, which
// says to delete the file.
//
// Its sections:
//
//	the records of the epoch, under their keys
//	chunks of properties and external ids, under their keys; the tag is the chunk's kind
//	offsets TYPE, targets TYPE   the base CSR of a type: numbers of 8 and of 4 bytes
//	node ids, relationship ids   numbers of 8 bytes, where they are stored
const (
	flatNodeIDs = "node ids"
	flatRelIDs  = "relationship ids"

	flatOffsetsFormat = "offsets %d"
	flatTargetsFormat = "targets %d"
)

func flatOffsets(t uint32) string { return fmt.Sprintf(flatOffsetsFormat, t) }
func flatTargets(t uint32) string { return fmt.Sprintf(flatTargetsFormat, t) }

// flatOwner is the graph that a head names.
func flatOwner(h *head) flat.Owner { return sha256.Sum256(h.payload()) }

// makeFlat writes the flat file of an epoch whose blocks are durable. Without one the store works as well, so an error is only said.
func makeFlat(ctx context.Context, s *Store, h *head) {
	if !s.opt.Flat || !flat.Supported {
		return
	}
	path := filepath.Join(s.dir, flatName(h.epoch))
	err := writeFlat(ctx, s, h, path+newSuffix)
	if err == nil {
		err = s.disk.Rename(path+newSuffix, path)
	}
	if err == nil {
		return
	}
	if ctx.Err() == nil {
		s.say("the flat file was not made; the store works without it", "why", err)
	}
	if err := removeIfThere(s.disk, path+newSuffix); err != nil {
		s.say("a file that is not needed any more is left in the store", "file", filepath.Base(path)+newSuffix, "why", err)
	}
}

func writeFlat(ctx context.Context, s *Store, h *head, path string) error {
	f, err := s.disk.Create(path)
	if err != nil {
		return err
	}
	w := &flatWriter{to: flat.NewWriter(f, flatOwner(h))}
	if err = s.readEpoch(h, func(from blockSource) error { return w.write(ctx, from, h.epoch) }); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// flatWriter turns blocks, in order of their keys, into sections. It holds one block at a time.
type flatWriter struct {
	to   *flat.Writer
	meta *meta
	typ  uint32 // of offsets and targets

	offsets, targets *flat.SectionWriter // nil: of no type
	source, position uint64              // where the next block of the type has to begin
	ids              [2]*flat.SectionWriter
	idsLeft          [2]uint64 // numbers that are still to come
}

func (w *flatWriter) write(ctx context.Context, from blockSource, epoch uint64) error {
	list := listBlocks(from, epoch, func([]byte) {})
	read, done := from.reader()
	defer done()
	err := list.record(recordMeta, func(payload []byte) (err error) {
		w.meta, err = decodeMeta(payload)
		return err
	})
	if err == nil {
		err = w.meta.complete(list)
	}
	if err == nil {
		err = w.meta.plausible(list)
	}
	if err == nil {
		w.beginIDs()
	}
	for i := range list.refs {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		ref := &list.refs[i]
		err = ref.read(read, func(payload []byte) error { return w.add(ref.blockKey, ref.parts[0], payload) })
	}
	if err == nil {
		err = w.finish()
	}
	return err
}

func (w *flatWriter) beginIDs() {
	for i, n := range [...]uint64{w.meta.vertices, w.meta.edges} {
		if stored := [...]bool{w.meta.nodeIDs, w.meta.relIDs}[i]; stored {
			w.ids[i] = w.to.Section([...]string{flatNodeIDs, flatRelIDs}[i], 0, 8*n)
			w.idsLeft[i] = n
		}
	}
}

// add writes one block.
func (w *flatWriter) add(k blockKey, stored, payload []byte) error {
	logical, _, _ := splitPart(stored)
	switch {
	case k.kind == kindMeta, k.kind == kindExternal:
		return w.chunk(logical, payload)
	case k.kind == kindAdjacency:
		return w.addAdjacency(k, payload)
	case k.kind != kindColumn: // not part of a snapshot
		return nil
	case k.column == columnNodeID:
		return w.addIDs(0, payload)
	case k.column == columnRelID:
		return w.addIDs(1, payload)
	}
	return w.chunk(logical, payload)
}

func (w *flatWriter) chunk(logical, payload []byte) error {
	if len(payload) == 0 {
		return errTruncated
	}
	return w.to.Add(string(logical), payload[0], payload)
}

func (w *flatWriter) addIDs(which int, payload []byte) error {
	if w.ids[which] == nil {
		return errors.New("stable ids that were not announced")
	}
	ids := make([]csr.NodeID, min(csr.ChunkLen, w.idsLeft[which]))
	c := cursor{b: payload}
	readInts(&c, ids)
	if err := c.end(); err != nil {
		return err
	}
	w.idsLeft[which] -= uint64(len(ids))
	_, err := w.ids[which].Write(flat.Bytes(ids))
	return err
}

// begin begins the sections of a type.
func (w *flatWriter) begin(t uint32) error {
	if err := w.endType(); err != nil {
		return err
	}
	if uint64(t) >= uint64(len(w.meta.types)) {
		return errors.New("unknown relationship type")
	}
	shape := w.meta.types[t]
	w.typ, w.source, w.position = t, shape.lo, 0
	w.offsets = w.to.Section(flatOffsets(t), 0, 8*shape.offsets)
	w.targets = w.to.Section(flatTargets(t), 0, 4*shape.edges)
	_, err := w.offsets.Write(make([]byte, 8)) // the first row begins at 0
	return err
}

func (w *flatWriter) addAdjacency(k blockKey, payload []byte) error {
	if w.offsets == nil || w.typ != k.group {
		if err := w.begin(k.group); err != nil {
			return err
		}
	}
	c := cursor{b: payload}
	h, err := readAdjacencyHead(&c, w.meta.types[k.group], k.at)
	if err != nil {
		return err
	}
	if h.first != w.source || h.position != w.position {
		return fmt.Errorf("the relationships of vertices %d to %d are missing or stored twice", w.source, h.first)
	}
	ends, targets := make([]uint64, h.sources), make([]csr.VertexID, h.edges)
	if err := decodeRows(&c, ends, targets, h.position, w.meta.vertices); err != nil {
		return err
	}
	w.source, w.position = w.source+h.sources, w.position+h.edges
	if _, err := w.offsets.Write(flat.Bytes(ends)); err != nil {
		return err
	}
	_, err = w.targets.Write(flat.Bytes(targets))
	return err
}

func (w *flatWriter) endType() error {
	if w.offsets == nil {
		return nil
	}
	err := errors.Join(w.offsets.Close(), w.targets.Close())
	w.offsets, w.targets = nil, nil
	return err
}

func (w *flatWriter) finish() error {
	if err := w.endType(); err != nil {
		return err
	}
	for _, ids := range w.ids {
		if ids != nil {
			if err := ids.Close(); err != nil {
				return err
			}
		}
	}
	return w.to.Finish()
}
