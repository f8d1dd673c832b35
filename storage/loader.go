package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/dgraph-io/badger/v4"
	"golang.org/x/sync/errgroup"

	"github.com/motifql/motif/internal/csr"
)

// blockRef is one block of an epoch as the keys tell it.
type blockRef struct {
	blockKey
	parts [][]byte // stored keys, in order
}

// contents are the blocks of an epoch in order of key.
type contents struct {
	refs   []blockRef
	blocks [lastEpochKind + 1]uint64 // blocks of each kind
	bytes  [lastEpochKind + 1]uint64 // of their values
	total  uint64                    // bytes of all keys and values
}

// listBlocks lists the blocks of an epoch without reading their values. Keys that are none are handed to unknown.
func listBlocks(txn *badger.Txn, epoch uint64, unknown func(key []byte)) *contents {
	list := new(contents)
	it := txn.NewIterator(badger.IteratorOptions{})
	defer it.Close()
	for _, prefix := range epochPrefixes(epoch) {
		var last []byte // logical key of the latest ref
		for it.Seek(prefix); it.ValidForPrefix(prefix); it.Next() {
			key := it.Item().KeyCopy(nil)
			logical, _, ok := splitPart(key)
			k, known := parseKey(logical)
			if !ok || !known {
				unknown(key)
				continue
			}
			if !bytes.Equal(logical, last) {
				list.refs = append(list.refs, blockRef{blockKey: k})
				list.blocks[k.kind]++
				last = logical
			}
			ref := &list.refs[len(list.refs)-1]
			ref.parts = append(ref.parts, key)
			size := uint64(it.Item().ValueSize())
			list.bytes[k.kind] += size
			list.total += uint64(len(key)) + size
		}
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
func (ref *blockRef) read(txn *badger.Txn, decode func(payload []byte) error) error {
	if len(ref.parts) == 1 {
		item, err := txn.Get(ref.parts[0])
		if err != nil {
			return &blockError{ref.parts[0], err}
		}
		return item.Value(func(value []byte) error { return ref.decode([]storedPart{{ref.parts[0], value}}, decode) })
	}
	parts := make([]storedPart, len(ref.parts))
	for i, key := range ref.parts {
		value, err := get(txn, key)
		if err != nil {
			return &blockError{key, err}
		}
		parts[i] = storedPart{key, value}
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
	meta  *meta
	names *names
	data  csr.Data

	mu       sync.Mutex
	heads    [][]adjacencyHead // by type
	idChunks [2]uint64         // chunks of node ids and relationship ids seen
}

// load reads the live graph: its blocks, and the log on top of them.
func (s *Store) load(ctx context.Context) (*csr.Snapshot, error) {
	txn := s.db.NewTransaction(false)
	defer txn.Discard()
	epoch := s.head.Load().epoch
	if epoch == 0 {
		base, err := csr.New(csr.Data{})
		if err == nil {
			base, err = s.replay(ctx, txn, 0, base)
		}
		return base, s.loadError(err, nil, 0)
	}
	base, names, err := s.loadBlocks(ctx, txn, epoch)
	if err == nil {
		base, err = s.replay(ctx, txn, epoch, base)
	}
	return base, s.loadError(err, names, epoch)
}

// loadBlocks reads the graph of an epoch's blocks, and the names in it as far as they are known.
func (s *Store) loadBlocks(ctx context.Context, txn *badger.Txn, epoch uint64) (*csr.Snapshot, *names, error) {
	l := new(loader)
	list := listBlocks(txn, epoch, func([]byte) {})
	err := l.readRecords(txn, list)
	if err == nil {
		err = l.meta.complete(list)
	}
	if err == nil {
		err = l.allocate(list)
	}
	if err == nil {
		err = s.readBlocks(ctx, list, l)
	}
	if err == nil {
		err = l.complete()
	}
	var snap *csr.Snapshot
	if err == nil {
		snap, err = csr.New(l.data)
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
	if errors.As(err, &block) {
		return corrupt(s.dir, n.describe(block.key), block.err)
	}
	return corrupt(s.dir, fmt.Sprintf("the graph of epoch %d", epoch), err)
}

// record reads one record of an epoch.
func (c *contents) record(txn *badger.Txn, name string, decode func(payload []byte) error) error {
	for i := range c.refs {
		if c.refs[i].kind == kindMeta && c.refs[i].record == name {
			return c.refs[i].read(txn, decode)
		}
	}
	return fmt.Errorf("the record %q is missing", name)
}

// has reports whether an epoch has a record.
func (c *contents) has(name string) bool {
	return slices.ContainsFunc(c.refs, func(ref blockRef) bool { return ref.kind == kindMeta && ref.record == name })
}

// readRecords reads the records of an epoch.
func (l *loader) readRecords(txn *badger.Txn, list *contents) error {
	err := list.record(txn, recordDict, func(payload []byte) (err error) {
		l.names, err = decodeDict(payload)
		return err
	})
	if err != nil {
		return err
	}
	err = list.record(txn, recordMeta, func(payload []byte) (err error) {
		l.meta, err = decodeMeta(payload)
		return err
	})
	if err != nil {
		return err
	}
	err = list.record(txn, recordClasses, func(payload []byte) (err error) {
		l.data.Classes, err = decodeClasses(payload)
		return err
	})
	if err != nil {
		return err
	}
	err = list.record(txn, recordStats, func(payload []byte) (err error) {
		l.data.Stats, err = decodeStats(payload)
		return err
	})
	if err != nil || !list.has(recordSchema) {
		return err
	}
	return list.record(txn, recordSchema, func(payload []byte) (err error) {
		l.data.Schema, err = decodeSchema(payload)
		return err
	})
}

// allocate makes room for what meta announces, once that is plausible.
func (l *loader) allocate(list *contents) error {
	m, d := l.meta, &l.data
	if err := m.plausible(list); err != nil {
		return err
	}
	if len(l.names.types) != len(m.types) || len(l.names.spaces) != m.spaces || len(l.names.keys) < max(m.vertexKeys, m.edgeKeys) {
		return errors.New("the dictionaries do not fit the graph")
	}
	d.Vertices, d.Edges = m.vertices, m.edges
	d.NextNode, d.NextRel = csr.NodeID(m.nextNode), csr.RelID(m.nextRel)
	d.Labels, d.Types, d.Keys = csr.NewDict(l.names.labels...), csr.NewDict(l.names.types...), csr.NewDict(l.names.keys...)
	d.Rels = make([]csr.Rels, len(m.types))
	first := csr.EdgeID(0)
	for i, t := range m.types {
		d.Rels[i] = csr.Rels{First: first, Lo: csr.VertexID(t.lo), Offsets: make([]uint64, t.offsets), Targets: make([]csr.VertexID, t.edges)}
		first += csr.EdgeID(t.edges)
	}
	if m.nodeIDs {
		d.NodeIDs = make([]csr.NodeID, m.vertices)
	}
	if m.relIDs {
		d.RelIDs = make([]csr.RelID, m.edges)
	}
	d.VertexProps, d.EdgeProps = make([]*csr.Column, m.vertexKeys), make([]*csr.Column, m.edgeKeys)
	for _, name := range l.names.spaces {
		d.External = append(d.External, csr.ExternalSpace{Name: name, IDs: newColumn(m.vertices)})
	}
	l.heads = make([][]adjacencyHead, len(m.types))
	return nil
}

func chunks(n uint64) uint64 { return (n + csr.ChunkLen - 1) / csr.ChunkLen }

func newColumn(n uint64) *csr.Column { return &csr.Column{Chunks: make([]*csr.Chunk, chunks(n))} }

// blocksPerRead is how many blocks a worker reads in one transaction.
const blocksPerRead = 8

// readBlocks reads the blocks that make up the graph, on all cores.
func (s *Store) readBlocks(ctx context.Context, list *contents, l *loader) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(s.opt.Workers)
	for lo := 0; lo < len(list.refs); lo += blocksPerRead {
		run := list.refs[lo:min(lo+blocksPerRead, len(list.refs))]
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			txn := s.db.NewTransaction(false)
			defer txn.Discard()
			for i := range run {
				switch run[i].kind {
				case kindMeta, kindLabel, kindLookup: // read already, or not part of a snapshot
					continue
				}
				if err := run[i].read(txn, func(payload []byte) error { return l.add(run[i].blockKey, payload) }); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
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
	return addChunk(l.data.External[k.group].IDs, k.at, payload)
}

func (l *loader) addAdjacency(k blockKey, payload []byte) error {
	if uint64(k.group) >= uint64(len(l.data.Rels)) {
		return errors.New("unknown relationship type")
	}
	h, err := decodeAdjacency(&l.data.Rels[k.group], k.at, l.data.Vertices, payload)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heads[k.group] = append(l.heads[k.group], h)
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
		columns[k.group] = newColumn(n)
	}
	c := columns[k.group]
	l.mu.Unlock()
	return addChunk(c, k.at, payload)
}

func addChunk(c *csr.Column, at uint64, payload []byte) error {
	if at >= uint64(len(c.Chunks)) {
		return fmt.Errorf("chunk %d of %d", at, len(c.Chunks))
	}
	if c.Chunks[at] != nil {
		return fmt.Errorf("chunk %d is stored twice", at)
	}
	chunk, err := decodeChunk(payload)
	if err == nil {
		c.Chunks[at] = chunk
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
		if err := chained(l.heads[t], &l.data.Rels[t]); err != nil {
			return fmt.Errorf("relationships of type %s: %w", nameOf(l.names.types, uint32(t)), err)
		}
	}
	for i, n := range [...]uint64{uint64(len(l.data.NodeIDs)), uint64(len(l.data.RelIDs))} {
		if l.idChunks[i] != chunks(n) {
			return fmt.Errorf("%d of %d blocks of stable ids", l.idChunks[i], chunks(n))
		}
	}
	return nil
}
