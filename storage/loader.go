package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
)

// blockRef is one block of an epoch as the keys tell it.
type blockRef struct {
	blockKey
	parts [][]byte // stored keys, in order
}

// contents are the blocks of an epoch in order of key.
type contents struct {
	from   blockSource
	refs   []blockRef
	blocks [lastEpochKind + 1]uint64 // blocks of each kind
	bytes  [lastEpochKind + 1]uint64 // of their values
	total  uint64                    // bytes of all keys and values
}

// listBlocks lists the blocks of an epoch without reading their values. Keys that are none are handed to unknown.
func listBlocks(from blockSource, epoch uint64, unknown func(key []byte)) *contents {
	list := &contents{from: from}
	for _, prefix := range epochPrefixes(epoch) {
		var last []byte // logical key of the latest ref
		from.keys(prefix, func(key []byte, size uint64) {
			key = bytes.Clone(key)
			logical, _, ok := splitPart(key)
			k, known := parseKey(logical)
			if !ok || !known {
				unknown(key)
				return
			}
			if !bytes.Equal(logical, last) {
				list.refs = append(list.refs, blockRef{blockKey: k})
				list.blocks[k.kind]++
				last = logical
			}
			ref := &list.refs[len(list.refs)-1]
			ref.parts = append(ref.parts, key)
			list.bytes[k.kind] += size
			list.total += uint64(len(key)) + size
		})
	}
	return list
}

// blockError is a fault of one block.
type blockError struct {
	key []byte
	err error
}

func (e *blockError) Error() string { return new(names).describe(e.key) + ": " + e.err.Error() }

// read checks a block and hands its payload to decode, which must not keep it.
func (ref *blockRef) read(read readValue, decode func(payload []byte) error) error {
	parts := make([]storedPart, len(ref.parts))
	for i, key := range ref.parts {
		err := read(key, func(value []byte) error {
			if len(parts) == 1 {
				return ref.decode([]storedPart{{key, value}}, decode)
			}
			parts[i] = storedPart{key, bytes.Clone(value)}
			return nil
		})
		var block *blockError
		if err != nil && !errors.As(err, &block) {
			err = &blockError{key, err}
		}
		if err != nil || len(parts) == 1 {
			return err
		}
	}
	return ref.decode(parts, decode)
}

func (ref *blockRef) decode(parts []storedPart, decode func(payload []byte) error) error {
	payload, at, err := join(parts)
	if err != nil {
		return &blockError{at, err}
	}
	if err := decode(payload); err != nil {
		return &blockError{ref.parts[0], err}
	}
	return nil
}

// loader fills the parts of a graph from blocks, which may come in any order and at once.
type loader struct {
	meta    *meta
	names   *names
	data    csr.Data
	workers int
	late    func(k blockKey, err error) error // nil: every block is decoded at once; else it words the error of one decoded later
	kept    []lateAdjacency                   // by type, where it is decoded later

	mu       sync.Mutex
	heads    [][]adjacencyHead // by type
	idChunks [2]uint64         // chunks of node ids and relationship ids seen
}

// load reads the live graph: its blocks, and the log on top of them. The caller has the store's token.
func (s *Store) load(ctx context.Context) (*csr.Snapshot, error) {
	h := s.head.Load()
	if s.inMemory() || h.epoch == 0 && s.old == nil && s.log.Load().end == 0 {
		return csr.New(csr.Data{})
	}
	var names *names
	base, err := loadFlat(ctx, s, h)
	if base == nil && err == nil {
		base, names, err = loadEpoch(ctx, s, h)
	}
	if err == nil {
		base, err = s.replay(ctx, h, base)
	}
	return base, s.loadError(err, names, h.epoch)
}

// loadEpoch reads the graph of the live epoch from its blocks, without the log.
func loadEpoch(ctx context.Context, s *Store, h *head) (base *csr.Snapshot, names *names, err error) {
	err = s.withBlocks(h, func(from blockSource) (err error) {
		if h.epoch == 0 {
			base, err = csr.New(csr.Data{})
			return err
		}
		l := &loader{}
		l.late = func(k blockKey, err error) error { return corrupt(s.dir, l.names.words(k), err) }
		base, names, err = l.loadBlocks(ctx, from, h.epoch, s.opt.Workers)
		return err
	})
	return base, names, err
}

// withBlocks calls fn with the blocks of the live epoch.
func (s *Store) withBlocks(h *head, fn func(from blockSource) error) error {
	switch {
	case s.old != nil:
		return catchFault(func() error { return fn(s.old.blocks()) })
	case h.epoch == 0:
		return fn(memoryBlocks(nil))
	}
	return s.readEpoch(h, fn)
}

// loadBlocks reads the graph of an epoch's blocks, and the names in it as far as they are known.
func (l *loader) loadBlocks(ctx context.Context, from blockSource, epoch uint64, workers int) (*csr.Snapshot, *names, error) {
	l.workers = workers
	list := listBlocks(from, epoch, func([]byte) {})
	err := l.readRecords(list)
	if err == nil {
		err = l.meta.complete(list)
	}
	if err == nil {
		err = l.allocate(list)
	}
	if err == nil {
		err = l.readBlocks(ctx, list, workers)
	}
	if err == nil {
		err = l.complete()
	}
	var snap *csr.Snapshot
	if err == nil {
		snap, err = csr.NewContext(ctx, l.data)
	}
	return snap, l.names, err
}

// loadError says what is wrong with the graph of an epoch; nil if nothing is.
func (s *Store) loadError(err error, n *names, epoch uint64) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if n == nil {
		n = new(names)
	}
	var block *blockError
	var known *Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &block):
		return corrupt(s.dir, n.describe(block.key), block.err)
	case isSystemError(err):
		return wrap(s.dir, "reading the graph", err)
	}
	return corrupt(s.dir, fmt.Sprintf("the graph of epoch %d", epoch), err)
}

// record reads one record of an epoch.
func (c *contents) record(name string, decode func(payload []byte) error) error {
	read, done := c.from.reader()
	defer done()
	for i := range c.refs {
		if c.refs[i].kind == kindMeta && c.refs[i].record == name {
			return c.refs[i].read(read, decode)
		}
	}
	return fmt.Errorf("the record %q is missing", name)
}

// has reports whether an epoch has a record.
func (c *contents) has(name string) bool {
	return slices.ContainsFunc(c.refs, func(ref blockRef) bool { return ref.kind == kindMeta && ref.record == name })
}

// recordSource has the records of an epoch.
type recordSource interface {
	record(name string, decode func(payload []byte) error) error
	has(name string) bool
}

// readRecords reads the records of an epoch.
func (l *loader) readRecords(list recordSource) error {
	err := list.record(recordDict, func(payload []byte) (err error) {
		l.names, err = decodeDict(payload)
		return err
	})
	if err != nil {
		return err
	}
	err = list.record(recordMeta, func(payload []byte) (err error) {
		l.meta, err = decodeMeta(payload)
		return err
	})
	if err != nil {
		return err
	}
	err = list.record(recordClasses, func(payload []byte) (err error) {
		l.data.Classes, err = decodeClasses(payload)
		return err
	})
	if err != nil {
		return err
	}
	err = list.record(recordStats, func(payload []byte) (err error) {
		l.data.Stats, err = decodeStats(payload)
		return err
	})
	if err != nil || !list.has(recordSchema) {
		return err
	}
	return list.record(recordSchema, func(payload []byte) (err error) {
		l.data.Schema, err = decodeSchema(payload)
		return err
	})
}

// allocate makes room for what meta announces, once that is plausible.
func (l *loader) allocate(list *contents) error {
	m, d := l.meta, &l.data
	err := m.plausible(list)
	if err == nil {
		err = l.outline()
	}
	if err != nil {
		return err
	}
	first := csr.EdgeID(0)
	for i, t := range m.types {
		if d.Rels[i] = (csr.Rels{First: first, Lo: csr.VertexID(t.lo)}); !l.later(t) {
			d.Rels[i].Offsets, d.Rels[i].Targets = hugepages.Make[uint64](t.offsets), hugepages.Make[csr.VertexID](t.edges)
		}
		first += csr.EdgeID(t.edges)
	}
	if m.nodeIDs {
		d.NodeIDs = make([]csr.NodeID, m.vertices)
	}
	if m.relIDs {
		d.RelIDs = make([]csr.RelID, m.edges)
	}
	l.heads, l.kept = make([][]adjacencyHead, len(m.types)), make([]lateAdjacency, len(m.types))
	return nil
}

// outline makes what meta announces, without relationships, ids and chunks of columns.
func (l *loader) outline() error {
	m, d := l.meta, &l.data
	if len(l.names.types) != len(m.types) || len(l.names.spaces) != m.spaces || len(l.names.keys) < max(m.vertexKeys, m.edgeKeys) {
		return errors.New("the dictionaries do not fit the graph")
	}
	d.Vertices, d.Edges = m.vertices, m.edges
	d.NextNode, d.NextRel = csr.NodeID(m.nextNode), csr.RelID(m.nextRel)
	d.Labels, d.Types, d.Keys = csr.NewDict(l.names.labels...), csr.NewDict(l.names.types...), csr.NewDict(l.names.keys...)
	d.Rels = make([]csr.Rels, len(m.types))
	d.VertexProps, d.EdgeProps = make([]*csr.Column, m.vertexKeys), make([]*csr.Column, m.edgeKeys)
	for _, name := range l.names.spaces {
		d.External = append(d.External, csr.ExternalSpace{Name: name, IDs: csr.NewChunkColumn(m.vertices)})
	}
	return nil
}

func chunks(n uint64) uint64 { return (n + csr.ChunkLen - 1) / csr.ChunkLen }

// blocksPerRead is how many blocks a worker reads in one transaction.
const blocksPerRead = 8

// readBlocks reads the blocks that make up the graph, in parallel.
func (l *loader) readBlocks(ctx context.Context, list *contents, workers int) error {
	return list.each(ctx, workers, func(ref *blockRef, read readValue) error {
		switch ref.kind {
		case kindMeta, kindLabel, kindLookup: // read already, or not part of a snapshot
			return nil
		}
		return ref.read(read, func(payload []byte) error { return l.add(ref.blockKey, payload) })
	})
}

// each calls fn for every block, in parallel.
func (c *contents) each(ctx context.Context, workers int, fn func(ref *blockRef, read readValue) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for lo := 0; lo < len(c.refs); lo += blocksPerRead {
		run := c.refs[lo:min(lo+blocksPerRead, len(c.refs))]
		group.Go(guarded(func() error {
			return catchFault(func() error {
				read, done := c.from.reader()
				defer done()
				for i := range run {
					err := ctx.Err()
					if err == nil {
						err = fn(&run[i], read)
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		}))
	}
	return passOn(group.Wait())
}

// add decodes one block into its place.
func (l *loader) add(k blockKey, payload []byte) error {
	switch k.kind {
	case kindAdjacency:
		return l.addAdjacency(k, payload)
	case kindColumn:
		return l.addColumn(k, payload)
	}
	if uint64(k.group) >= uint64(len(l.data.External)) {
		return errors.New("unknown id space")
	}
	return l.addChunk(l.data.External[k.group].IDs, l.data.Vertices, k, payload)
}

func (l *loader) addAdjacency(k blockKey, payload []byte) error {
	if uint64(k.group) >= uint64(len(l.data.Rels)) {
		return errors.New("unknown relationship type")
	}
	var h adjacencyHead
	var err error
	later := l.later(l.meta.types[k.group])
	if later {
		h, err = readAdjacencyHead(&cursor{b: payload}, l.meta.types[k.group], k.at)
	} else {
		h, err = decodeAdjacency(&l.data.Rels[k.group], k.at, l.data.Vertices, payload)
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heads[k.group] = append(l.heads[k.group], h)
	if later {
		l.kept[k.group].add(k, payload)
	}
	return nil
}

func (l *loader) addColumn(k blockKey, payload []byte) error {
	switch k.column {
	case columnVertex:
		return l.addProperty(l.data.VertexProps, l.data.Vertices, k, payload)
	case columnEdge:
		return l.addProperty(l.data.EdgeProps, l.data.Edges, k, payload)
	case columnNodeID:
		return addIDs(l, 0, l.data.NodeIDs, k, payload)
	case columnRelID:
		return addIDs(l, 1, l.data.RelIDs, k, payload)
	}
	return errors.New("unknown column")
}

func (l *loader) addProperty(columns []*csr.Column, n uint64, k blockKey, payload []byte) error {
	if uint64(k.group) >= uint64(len(columns)) {
		return errors.New("unknown property key")
	}
	l.mu.Lock()
	if columns[k.group] == nil {
		columns[k.group] = csr.NewChunkColumn(n)
	}
	c := columns[k.group]
	l.mu.Unlock()
	return l.addChunk(c, n, k, payload)
}

// addChunk sets a chunk of a column of n elements. If a loader is late, it keeps the payload until somebody asks for the chunk.
func (l *loader) addChunk(c *csr.Column, n uint64, k blockKey, payload []byte) error {
	at := int(k.at)
	if k.at >= uint64(c.NumChunks()) {
		return fmt.Errorf("chunk %d of %d", k.at, c.NumChunks())
	}
	if c.HasChunk(at) {
		return fmt.Errorf("chunk %d is stored twice", k.at)
	}
	if l.late != nil && len(payload) > 0 {
		kept := bytes.Clone(payload)
		c.SetLateChunk(at, csr.Kind(payload[0]), uint64(len(kept)), func() (*csr.Chunk, error) {
			chunk, err := decodeChunk(kept)
			if err == nil && k.at*csr.ChunkLen+uint64(chunk.End()) > n {
				err = fmt.Errorf("property value past the last of %d elements", n)
			}
			if err != nil {
				return nil, l.late(k, err)
			}
			return chunk, nil
		})
		return nil
	}
	chunk, err := decodeChunk(payload)
	if err == nil {
		c.SetChunk(at, chunk)
	}
	return err
}

func addIDs[T ~uint64](l *loader, which int, ids []T, k blockKey, payload []byte) error {
	if k.group != 0 || k.at >= chunks(uint64(len(ids))) {
		return fmt.Errorf("chunk %d of %d", k.at, chunks(uint64(len(ids))))
	}
	lo := k.at * csr.ChunkLen
	c := cursor{b: payload}
	readInts(&c, ids[lo:min(lo+csr.ChunkLen, uint64(len(ids)))])
	l.mu.Lock()
	l.idChunks[which]++
	l.mu.Unlock()
	return c.end()
}

// complete sees that nothing is missing of what has to be complete.
func (l *loader) complete() error {
	for t := range l.heads {
		if err := chained(l.heads[t], l.meta.types[t]); err != nil {
			return fmt.Errorf("relationships of type %s: %w", nameOf(l.names.types, uint32(t)), err)
		}
		if l.later(l.meta.types[t]) {
			l.data.Rels[t] = l.lateRels(t)
		}
	}
	for i, n := range [...]uint64{uint64(len(l.data.NodeIDs)), uint64(len(l.data.RelIDs))} {
		if l.idChunks[i] != chunks(n) {
			return fmt.Errorf("%d of %d blocks of stable ids", l.idChunks[i], chunks(n))
		}
	}
	return nil
}
