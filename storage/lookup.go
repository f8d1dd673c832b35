package storage

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
)

// A lookup block maps external ids to vertices. The blocks of an id space hold its ids in rising order (of kind,
// then of value), each block ids of one kind. Its payload:
//
//	kind      1 byte
//	count     uvarint
//	ids       int: appendInts; text: uvarint length of the prefix shared with the id before, then the rest as a
//	          string; other kinds 8 bytes each
//	vertices  appendInts
const (
	lookupEntries = 8192     // ids in a block at most
	lookupText    = 48 << 10 // bytes of text after which a block ends

	signBit = 1 << 63
)

var errLookup = errors.New("the lookup block is malformed")

// lookupEntry is one external id. rank orders ids of one kind that is not text.
type lookupEntry struct {
	kind   csr.Kind
	rank   uint64
	text   string
	vertex uint64
}

func isText(k csr.Kind) bool { return k == csr.KindString || k == csr.KindEncoded }

func newLookupEntry(c csr.Cell, vertex uint64) lookupEntry {
	e := lookupEntry{kind: c.Kind, rank: c.Num, text: c.Str, vertex: vertex}
	if c.Kind == csr.KindInt {
		e.rank ^= signBit // so that negative numbers come first
	}
	return e
}

func (e *lookupEntry) cell() csr.Cell {
	if isText(e.kind) {
		return csr.Cell{Kind: e.kind, Str: e.text}
	}
	if e.kind == csr.KindInt {
		return csr.IntCell(int64(e.rank ^ signBit))
	}
	return csr.Cell{Kind: e.kind, Num: e.rank}
}

func compareEntries(a, b lookupEntry) int {
	if c := cmp.Compare(a.kind, b.kind); c != 0 {
		return c
	}
	if isText(a.kind) {
		return strings.Compare(a.text, b.text)
	}
	return cmp.Compare(a.rank, b.rank)
}

// cells calls fn for every cell of a column, in order of element.
func cells(c *csr.Column, fn func(i uint64, cell csr.Cell)) {
	if c == nil {
		return
	}
	for at := range c.NumChunks() {
		chunk := c.Chunk(at)
		if chunk == nil {
			continue
		}
		for w, word := range chunk.Present {
			for ; word != 0; word &= word - 1 {
				slot := w*64 + bits.TrailingZeros64(word)
				cell, _ := chunk.Get(slot)
				fn(uint64(at)*csr.ChunkLen+uint64(slot), cell)
			}
		}
	}
}

// sortedLookup lists the external ids of a space in the order of their lookup blocks. An id that two vertices
// have is an error.
func sortedLookup(space *csr.ExternalSpace) ([]lookupEntry, error) {
	n := 0
	for i := range space.IDs.NumChunks() {
		if chunk := space.IDs.Chunk(i); chunk != nil {
			n += chunk.Len()
		}
	}
	all := make([]lookupEntry, 0, n)
	cells(space.IDs, func(v uint64, c csr.Cell) { all = append(all, newLookupEntry(c, v)) })
	slices.SortFunc(all, compareEntries)
	for i := 1; i < len(all); i++ {
		if compareEntries(all[i-1], all[i]) == 0 {
			return nil, fmt.Errorf("two nodes, vertices %d and %d, have the same external id %s in %q",
				all[i-1].vertex, all[i].vertex, cellWords(all[i].cell()), space.Name)
		}
	}
	return all, nil
}

// cellWords shows an external id in a message.
func cellWords(c csr.Cell) string {
	switch c.Kind {
	case csr.KindInt:
		return fmt.Sprint(int64(c.Num))
	case csr.KindString:
		return fmt.Sprintf("%.60q", c.Str)
	}
	return fmt.Sprintf("of kind %d", c.Kind)
}

// cutLookup is the number of leading entries that go into one block.
func cutLookup(entries []lookupEntry) int {
	text := 0
	for i, e := range entries {
		text += len(e.text)
		if i > 0 && (i == lookupEntries || e.kind != entries[0].kind || text > lookupText) {
			return i
		}
	}
	return len(entries)
}

// encodeLookup encodes one block; entries are of one kind and sorted.
func encodeLookup(entries []lookupEntry) []byte {
	kind := entries[0].kind
	dst := binary.AppendUvarint([]byte{byte(kind)}, uint64(len(entries)))
	vertices := make([]uint64, len(entries))
	numbers := make([]int64, len(entries))
	prev := ""
	for i, e := range entries {
		vertices[i], numbers[i] = e.vertex, int64(e.rank^signBit)
		switch {
		case isText(kind):
			shared := sharedPrefix(prev, e.text)
			dst = appendString(binary.AppendUvarint(dst, uint64(shared)), e.text[shared:])
			prev = e.text
		case kind != csr.KindInt:
			dst = binary.LittleEndian.AppendUint64(dst, e.rank)
		}
	}
	if kind == csr.KindInt {
		dst = appendInts(dst, numbers)
	}
	return appendInts(dst, vertices)
}

func sharedPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// decodeLookup decodes a block and sees that its ids rise.
func decodeLookup(payload []byte) ([]lookupEntry, error) {
	c := cursor{b: payload}
	kind := csr.Kind(c.byte())
	n := int(c.limited(lookupEntries, "external ids"))
	if c.err == nil && (n == 0 || kind < csr.KindInt || kind > csr.KindEncoded) {
		c.fail(errLookup)
	}
	entries, numbers, vertices := make([]lookupEntry, n), make([]int64, n), make([]uint64, n)
	if kind == csr.KindInt {
		readInts(&c, numbers)
	} else if isText(kind) {
		readTexts(&c, entries)
	}
	for i := range entries {
		if kind == csr.KindInt {
			entries[i].rank = uint64(numbers[i]) ^ signBit
		} else if !isText(kind) {
			entries[i].rank = c.uint64()
		}
	}
	readInts(&c, vertices)
	if err := c.end(); err != nil {
		return nil, err
	}
	for i := range entries {
		e := &entries[i]
		e.kind, e.vertex = kind, vertices[i]
		if i > 0 && compareEntries(entries[i-1], *e) >= 0 || e.vertex >= csr.MaxVertices {
			return nil, errLookup
		}
	}
	return entries, nil
}

// readTexts reads the front-coded ids of a block. Only an id alone in its block may pass lookupText, so a short
// payload cannot unfold into gigabytes.
func readTexts(c *cursor, entries []lookupEntry) {
	prev, total := "", 0
	for i := range entries {
		shared := c.limited(uint64(len(prev)), "shared bytes")
		prev = prev[:shared] + c.str()
		total += len(prev)
		if c.err == nil && i > 0 && total > lookupText {
			c.fail(errLookup)
		}
		if c.err != nil {
			return
		}
		entries[i].text = prev
	}
}

// Lookup returns the vertex of the live graph that has an external id in a space. It reads a few blocks; once there are
// changes on top of them, it searches the graph.
func (s *Store) Lookup(ctx context.Context, space string, id csr.Cell) (v csr.VertexID, ok bool, err error) {
	if s.log.Load().count > 0 || s.inMemory() {
		snap, err := s.Snapshot(ctx)
		if err != nil {
			return 0, false, err
		}
		v, ok := scanExternal(snap, space, id)
		return v, ok, nil
	}
	if err := s.acquire(ctx); err != nil {
		return 0, false, err
	}
	defer s.release()
	h := s.head.Load()
	if h.epoch == 0 {
		return 0, false, nil
	}
	var n *names
	err = s.withBlocks(h, func(from blockSource) error {
		list := listBlocks(from, h.epoch, func([]byte) {})
		err := list.record(recordDict, func(payload []byte) (err error) {
			n, err = decodeDict(payload)
			return err
		})
		if err == nil {
			v, ok, err = list.lookup(slices.Index(n.spaces, space), newLookupEntry(id, 0))
		}
		return err
	})
	return v, ok, s.loadError(err, n, h.epoch)
}

func scanExternal(snap *csr.Snapshot, space string, id csr.Cell) (v csr.VertexID, ok bool) {
	for _, x := range snap.External {
		for v := range snap.N() {
			if c, has := x.IDs.Get(v); x.Name == space && has && c == id {
				return csr.VertexID(v), true
			}
		}
	}
	return 0, false
}

// lookup searches the blocks of a space: the last block whose first id is not above the one wanted may hold it.
func (c *contents) lookup(space int, want lookupEntry) (v csr.VertexID, ok bool, err error) {
	read, done := c.from.reader()
	defer done()
	var refs []blockRef
	for _, ref := range c.refs {
		if ref.kind == kindLookup && int(ref.group) == space {
			refs = append(refs, ref)
		}
	}
	for lo, hi := 0, len(refs); lo < hi && err == nil && !ok; {
		mid := (lo + hi) / 2
		err = refs[mid].read(read, func(payload []byte) error {
			entries, err := decodeLookup(payload)
			if err != nil {
				return err
			}
			if compareEntries(want, entries[0]) < 0 {
				hi = mid
				return nil
			}
			lo = mid + 1
			if i, found := slices.BinarySearchFunc(entries, want, compareEntries); found {
				v, ok = csr.VertexID(entries[i].vertex), true
			}
			return nil
		})
	}
	return v, ok, err
}
