package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/flat"
)

// loadFlat reads the live graph from its flat file, which it makes first if there is none and this store may write. It returns nil if the graph is
// to be read from its blocks.
func loadFlat(ctx context.Context, s *Store, h *head) (*csr.Snapshot, error) {
	if s.opt.Partial != nil {
		return loadPartial(ctx, s, h)
	}
	if !s.opt.Flat || !flat.Supported || s.old != nil || h.epoch == 0 {
		return nil, nil
	}
	snap, err := mapFlat(ctx, s, h)
	if err != nil && ctx.Err() == nil && mayWrite(s) {
		makeFlat(ctx, s, h)
		snap, err = mapFlat(ctx, s, h)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, fs.ErrNotExist) {
		s.say("the flat file is not used", "why", err)
	}
	return snap, nil
}

// mayWrite reports whether this process alone may write to the store now.
func mayWrite(s *Store) bool { return !s.opt.ReadOnly && (!s.opt.Shared || s.sharing.locked.Load()) }

func mapFlat(ctx context.Context, s *Store, h *head) (*csr.Snapshot, error) {
	file, err := flat.Open(filepath.Join(s.dir, flatName(h.epoch)), flatOwner(h), s.opt.Workers)
	if err != nil {
		return nil, err
	}
	if s.opt.Partial != nil {
		file.FetchBy(s.opt.Partial.Fetch)
	}
	r := &flatReader{store: s, epoch: h.epoch, file: file}
	if err := r.records(); err != nil {
		return nil, err
	}
	if err := r.allocate(); err != nil {
		return nil, err
	}
	if err := file.Each(r.column); err != nil {
		return nil, err
	}
	return csr.NewContext(ctx, r.data)
}

// flatReader makes a graph of a flat file. Relationships and chunks of columns are decoded when somebody asks for them, and ids are copied then:
// the goroutines of programs read them.
type flatReader struct {
	loader
	store *Store
	epoch uint64
	file  *flat.File
}

// records reads the records of the epoch.
func (r *flatReader) records() error {
	return r.readRecords(flatRecords{r.file, r.epoch})
}

// flatRecords are the records in a flat file.
type flatRecords struct {
	file  *flat.File
	epoch uint64
}

func (f flatRecords) record(name string, decode func(payload []byte) error) error {
	payload, err := f.file.Section(string(metaKey(f.epoch, name)))
	if err != nil {
		return err
	}
	return flat.Guarded(func() error { return decode(payload) })
}

func (f flatRecords) has(name string) bool { return f.file.Has(string(metaKey(f.epoch, name))) }

// allocate makes the graph without its columns.
func (r *flatReader) allocate() error {
	if err := r.outline(); err != nil {
		return err
	}
	m, d := r.meta, &r.data
	first := csr.EdgeID(0)
	for t := range m.types {
		if d.Rels[t] = (csr.Rels{First: first, Lo: csr.VertexID(m.types[t].lo)}); m.types[t].offsets > 0 {
			d.Rels[t] = r.rels(uint32(t), first)
		}
		first += csr.EdgeID(m.types[t].edges)
	}
	r.ids()
	return nil
}

// ids has the stable ids read when somebody asks for them.
func (r *flatReader) ids() {
	m, d := r.meta, &r.data
	if m.nodeIDs {
		d.SetLateNodeIDs(lateIDs[csr.NodeID](r, flatNodeIDs, columnNodeID, m.vertices))
	}
	if m.relIDs {
		d.SetLateRelIDs(lateIDs[csr.RelID](r, flatRelIDs, columnRelID, m.edges))
	}
}

// lateIDs reads the n numbers of a section.
func lateIDs[T ~uint64](r *flatReader, section string, column byte, n uint64) csr.LateIDs[T] {
	return csr.LateIDs[T]{
		All: func() ([]T, error) {
			list, err := flat.Array[T](r.file, section, n)
			if err != nil {
				return nil, err
			}
			out := make([]T, len(list))
			return out, flat.Guarded(func() error { copy(out, list); return nil })
		},
		One: func(i uint64) (T, error) { return flat.At[T](r.file, section, n, i) },
		Find: func(id T) (i uint64, ok bool, err error) {
			list, err := flat.Array[T](r.file, section, n)
			if err != nil {
				return 0, false, err
			}
			return i, ok, flat.Guarded(func() error {
				at := slices.Index(list, id)
				i, ok = uint64(at), at >= 0
				return nil
			})
		},
		Fault: func(err error) error { return r.fault(blockKey{kind: kindColumn, column: column}, err) },
	}
}

// rels are the relationships of a type. Their checksums are compared, and they are decoded, when somebody first needs them.
func (r *flatReader) rels(t uint32, first csr.EdgeID) csr.Rels {
	shape := r.meta.types[t]
	out := func() (*csr.Packed, error) {
		p, err := r.packed(flatRows(t))
		if err == nil {
			if lo, rows, edges := p.Shape(); uint64(lo) != shape.lo || rows != shape.offsets-1 || edges != shape.edges {
				return nil, fmt.Errorf("%d rows from vertex %d on with %d relationships, not %d from %d on with %d", rows, lo, edges, shape.offsets-1, shape.lo, shape.edges)
			}
		}
		return p, err
	}
	in := func() (*csr.Packed, error) {
		p, err := r.packed(flatInto(t))
		if err == nil {
			if _, _, edges := p.Shape(); edges != shape.edges {
				return nil, fmt.Errorf("%d relationships by target, not %d", edges, shape.edges)
			}
		}
		return p, err
	}
	fault := func(err error) error {
		return r.fault(blockKey{kind: kindAdjacency, group: t, at: shape.lo}, err)
	}
	return csr.LatePacked(first, csr.VertexID(shape.lo), shape.edges, csr.PackedRows{Out: out, In: in}, fault)
}

func (r *flatReader) packed(section string) (p *csr.Packed, err error) {
	part, err := r.file.Part(section)
	if err == nil {
		err = flat.Guarded(func() error {
			p, err = csr.NewPacked(part.Bytes, r.meta.vertices, part.Check)
			return err
		})
	}
	return p, err
}

// fault is the error of a part of the file that cannot be used.
func (r *flatReader) fault(k blockKey, err error) error {
	e := &Error{Reason: ErrCorrupt, Path: showPath(r.store.dir), Err: err, What: "the file " + flatName(r.epoch) + " is damaged: " + r.names.words(k),
		Do: "delete the file " + flatName(r.epoch) + " and open the store again: the file holds nothing that the store does not hold elsewhere"}
	var fault *flat.Fault
	var unfetched *flat.Unfetched
	switch {
	case errors.As(err, &unfetched):
		e.Reason, e.What, e.Do = ErrIO, "a part of the graph could not be fetched: "+r.names.words(k), "try again"
	case errors.As(err, &fault):
		e.Reason, e.What = ErrIO, "the file "+flatName(r.epoch)+" could not be read: "+r.names.words(k)
	}
	if r.store.opt.Partial != nil && unfetched == nil {
		e.Do = "delete the folder " + e.Path + " and fetch the graph again"
	}
	return e
}

// column takes note of a section that is a chunk of a column.
func (r *flatReader) column(name string, tag byte, length uint64) error {
	k, known := parseKey([]byte(name))
	if !known || k.kind != kindColumn && k.kind != kindExternal {
		return nil
	}
	c, n, err := r.columnOf(k)
	if err != nil {
		return err
	}
	at := int(k.at)
	if k.at >= uint64(c.NumChunks()) || c.HasChunk(at) || length == 0 {
		return fmt.Errorf("chunk %d of %d", k.at, c.NumChunks())
	}
	c.SetLateChunk(at, csr.Kind(tag), 0, func() (chunk *csr.Chunk, err error) {
		payload, err := r.file.Section(name)
		if err == nil {
			err = flat.Guarded(func() (err error) {
				chunk, err = decodeChunk(payload) // which copies what it keeps
				return err
			})
		}
		if err == nil && k.at*csr.ChunkLen+uint64(chunk.End()) > n {
			err = fmt.Errorf("property value past the last of %d elements", n)
		}
		if err == nil && chunk.Kind != csr.Kind(tag) {
			err = fmt.Errorf("values of kind %d, not %d", chunk.Kind, tag)
		}
		if err != nil {
			return nil, r.fault(k, err)
		}
		return chunk, nil
	})
	return nil
}

// columnOf finds or makes the column of a chunk, which has n elements.
func (r *flatReader) columnOf(k blockKey) (c *csr.Column, n uint64, err error) {
	d := &r.data
	var list []*csr.Column
	switch {
	case k.kind == kindExternal:
		if uint64(k.group) >= uint64(len(d.External)) {
			return nil, 0, errors.New("unknown id space")
		}
		return d.External[k.group].IDs, d.Vertices, nil
	case k.column == columnVertex:
		list, n = d.VertexProps, d.Vertices
	case k.column == columnEdge:
		list, n = d.EdgeProps, d.Edges
	}
	if uint64(k.group) >= uint64(len(list)) {
		return nil, 0, errors.New("unknown property key")
	}
	if list[k.group] == nil {
		list[k.group] = csr.NewChunkColumn(n)
	}
	return list[k.group], n, nil
}
