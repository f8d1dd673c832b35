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
//	rows TYPE, into TYPE         the relationships of a type by source and by target, as csr.Packed has them
//	node ids, relationship ids   numbers of 8 bytes, where they are stored
const (
	flatNodeIDs = "node ids"
	flatRelIDs  = "relationship ids"

	flatRowsFormat = "rows %d"
	flatIntoFormat = "into %d"
)

func flatRows(t uint32) string { return fmt.Sprintf(flatRowsFormat, t) }
func flatInto(t uint32) string { return fmt.Sprintf(flatIntoFormat, t) }

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
	w := &flatWriter{to: flat.NewWriter(f, flatOwner(h)), intoPass: mostIntoPass}
	if err = s.readEpoch(h, func(from blockSource) error { return w.write(ctx, from, h.epoch) }); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// flatWriter turns blocks, in order of their keys, into sections. It holds one block at a time, but of relationships by target it holds
// what intoPass says.
type flatWriter struct {
	to       *flat.Writer
	meta     *meta
	intoPass uint64 // how many relationships are sorted by target at once

	ids     [2]*flat.SectionWriter
	idsLeft [2]uint64 // numbers that are still to come
	counts  []uint64  // of relationships by target; zeros between two types
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
	for refs := list.refs; len(refs) > 0; {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		ref, n := &refs[0], 1
		if ref.kind == kindAdjacency {
			for n < len(refs) && refs[n].kind == kindAdjacency && refs[n].group == ref.group {
				n++
			}
			err = w.addType(ctx, read, refs[:n])
		} else {
			err = ref.read(read, func(payload []byte) error { return w.add(ref.blockKey, ref.parts[0], payload) })
		}
		refs = refs[n:]
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

func (w *flatWriter) finish() error {
	for _, ids := range w.ids {
		if ids != nil {
			if err := ids.Close(); err != nil {
				return err
			}
		}
	}
	return w.to.Finish()
}
