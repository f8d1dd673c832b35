package storage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// An adjacency block holds the outgoing relationships of one type for a run of sources, the first of which is in
// its key. Its payload, all uvarints:
//
//	sources       how many vertices the block covers
//	position      of its first relationship within the type
//	edges         how many relationships it holds
//	then source by source
//	  degree      0: one more number follows, and so many further sources have none either
//	  targets     the first as it is, then differences; 0 is a parallel relationship
//
// Targets are stored as they are, not relative to the source: vertices stand in order of falling degree, so most
// targets are small numbers. Blocks can be decoded in any order and at once: position says where the targets go.
type adjacencyHead struct {
	first, sources  uint64
	position, edges uint64
}

// segmentEdges is about how many relationships are encoded in one go. It bounds what one worker does at a time and is
// fixed, so that what is stored does not depend on the number of workers.
const segmentEdges = csr.RunEdges

// adjacencySegments cuts the sources of r into runs of about segmentEdges relationships: run i is
// [cuts[i], cuts[i+1]), in positions of r.Offsets.
func adjacencySegments(r *csr.Rels) []int {
	if len(r.Offsets) == 0 {
		return nil
	}
	n := len(r.Offsets) - 1
	cuts := []int{0}
	for next := uint64(segmentEdges); next < uint64(len(r.Targets)); next += segmentEdges {
		at, _ := slices.BinarySearch(r.Offsets, next)
		if at > cuts[len(cuts)-1] && at < n {
			cuts = append(cuts, at)
		}
	}
	return append(cuts, n)
}

// encodeAdjacency encodes the sources [lo, hi) of r, in positions of r.Offsets. A block has at most maxPayload bytes, unless
// a single source is longer. emit owns the payload.
func encodeAdjacency(r *csr.Rels, lo, hi int, emit func(first uint32, payload []byte) error) error {
	return encodeRows(r, 0, lo, hi, emit)
}

// encodeRows is encodeAdjacency for rows whose first relationship has a position in its type.
func encodeRows(r *csr.Rels, position uint64, lo, hi int, emit func(first uint32, payload []byte) error) error {
	const headRoom = 3 * binary.MaxVarintLen64
	body := make([]byte, 0, maxPayload)
	var row []byte
	first, idle := lo, 0 // idle: sources without relationships since the last that has some
	flush := func(end int) error {
		h := adjacencyHead{sources: uint64(end - first), position: position + r.Offsets[first], edges: r.Offsets[end] - r.Offsets[first]}
		payload := make([]byte, 0, headRoom+len(body))
		for _, x := range [...]uint64{h.sources, h.position, h.edges} {
			payload = binary.AppendUvarint(payload, x)
		}
		err := emit(uint32(r.Lo)+uint32(first), append(payload, body...))
		first, body = end, body[:0]
		return err
	}
	for i := lo; i < hi; i++ {
		targets := r.Targets[r.Offsets[i]:r.Offsets[i+1]]
		if len(targets) == 0 {
			idle++
			continue
		}
		row = appendRow(row[:0], targets)
		if start := i - idle; len(body)+len(row) > maxPayload-2*headRoom && start > first {
			if err := flush(start); err != nil {
				return err
			}
		}
		body = append(appendIdle(body, idle), row...)
		idle = 0
	}
	body = appendIdle(body, idle)
	if hi > first {
		return flush(hi)
	}
	return nil
}

// appendIdle appends a run of sources without relationships.
func appendIdle(dst []byte, idle int) []byte {
	if idle == 0 {
		return dst
	}
	return binary.AppendUvarint(append(dst, 0), uint64(idle-1))
}

func appendRow(dst []byte, targets []csr.VertexID) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(targets)))
	prev := csr.VertexID(0)
	for _, w := range targets {
		dst = binary.AppendUvarint(dst, uint64(w-prev))
		prev = w
	}
	return dst
}

// decodeAdjacency decodes the block that starts at vertex first into r, whose Offsets and Targets have their final
// lengths. It writes the targets of its relationships and the end offset of each of its sources. n is the number of
// vertices.
func decodeAdjacency(r *csr.Rels, first, n uint64, payload []byte) (adjacencyHead, error) {
	c := cursor{b: payload}
	h, err := readAdjacencyHead(&c, shapeOf(r), first)
	if err != nil {
		return h, err
	}
	at := first - uint64(r.Lo)
	ends := r.Offsets[at+1 : at+1+h.sources]
	return h, decodeRows(&c, ends, r.Targets[h.position:h.position+h.edges], h.position, n)
}

// readAdjacencyHead reads the head of the block that starts at vertex first of a type.
func readAdjacencyHead(c *cursor, t typeMeta, first uint64) (adjacencyHead, error) {
	h := adjacencyHead{first: first, sources: c.uvarint(), position: c.uvarint(), edges: c.uvarint()}
	at, covered := first-t.lo, max(t.offsets, 1)-1
	switch {
	case c.err != nil:
		return h, c.err
	case h.sources == 0: // and there may be no offsets
		return h, errors.New("a block without sources")
	case first < t.lo || at > covered || h.sources > covered-at:
		return h, fmt.Errorf("%d sources from vertex %d on where there are %d from vertex %d on", h.sources, first, covered, t.lo)
	case h.position > t.edges || h.edges > t.edges-h.position:
		return h, fmt.Errorf("relationships %d to %d of %d", h.position, h.position+h.edges, t.edges)
	}
	return h, nil
}

// shapeOf is the shape of r as the record of sizes has it.
func shapeOf(r *csr.Rels) typeMeta {
	return typeMeta{uint64(r.Lo), uint64(len(r.Offsets)), uint64(len(r.Targets))}
}

// decodeRows reads one row for each of ends. With readRow it is most of the time of opening a store, so it keeps the bytes in b and writes
// them back to c at the end: a pointer written in the loop would cost a write barrier while the collector runs.
func decodeRows(c *cursor, ends []uint64, targets []csr.VertexID, position, n uint64) error {
	b, used := c.b, uint64(0)
	for i := 0; i < len(ends); i++ {
		degree, size := uvarint(b)
		if size <= 0 {
			return errTruncated
		}
		b = b[size:]
		if degree == 0 {
			more, size := uvarint(b)
			if size <= 0 {
				return errTruncated
			}
			b = b[size:]
			if most := uint64(len(ends) - 1 - i); more > most {
				return fmt.Errorf("%d further sources without relationships where at most %d fit", more, most)
			}
			for end := i + int(more); i < end; i++ {
				ends[i] = position + used
			}
			ends[i] = position + used
			continue
		}
		if degree > uint64(len(targets))-used {
			return errors.New("more relationships than the block announces")
		}
		size = readRow(b, targets[used:used+degree], n)
		if size == 0 {
			return errTruncated
		}
		if size < 0 {
			return fmt.Errorf("a target beyond the %d vertices", n)
		}
		b = b[size:]
		used += degree
		ends[i] = position + used
	}
	if used != uint64(len(targets)) {
		return errors.New("fewer relationships than the block announces")
	}
	c.b = b
	return c.end()
}

// uvarint is binary.Uvarint with a short way for numbers of one byte and of two.
func uvarint(b []byte) (x uint64, size int) {
	if len(b) > 1 {
		if b[0] < 0x80 {
			return uint64(b[0]), 1
		}
		if b[1] < 0x80 {
			return uint64(b[0])&0x7f | uint64(b[1])<<7, 2
		}
	}
	return binary.Uvarint(b)
}

// readRow reads the targets of one source and returns how many bytes they take: 0 if the payload ends before, -1 if a target is not
// below n.
func readRow(b []byte, targets []csr.VertexID, n uint64) int {
	at, prev := 0, uint64(0)
	for i := range targets {
		if len(b)-at >= 4 {
			word := binary.LittleEndian.Uint32(b[at:])
			switch {
			case word&0x80 == 0:
				prev += uint64(word & 0x7f)
				at++
			case word&0x8000 == 0:
				prev += uint64(word&0x7f | word>>1&0x3f80)
				at += 2
			case word&0x800000 == 0:
				prev += uint64(word&0x7f | word>>1&0x3f80 | word>>2&0x1fc000)
				at += 3
			default:
				delta, size := binary.Uvarint(b[at:])
				if size <= 0 {
					return 0
				}
				if delta >= n { // before adding: the sum cannot wrap
					return -1
				}
				prev += delta
				at += size
			}
		} else {
			delta, size := binary.Uvarint(b[at:])
			if size <= 0 {
				return 0
			}
			if delta >= n {
				return -1
			}
			prev += delta
			at += size
		}
		if prev >= n {
			return -1
		}
		targets[i] = csr.VertexID(prev)
	}
	return at
}

// chained checks that the blocks of one type cover all its sources and relationships, in order and once.
func chained(heads []adjacencyHead, t typeMeta) error {
	slices.SortFunc(heads, func(a, b adjacencyHead) int { return int(int64(a.first) - int64(b.first)) })
	source, position := t.lo, uint64(0)
	for _, h := range heads {
		if h.first != source || h.position != position || h.sources == 0 {
			return fmt.Errorf("the relationships of vertices %d to %d are missing or stored twice", source, h.first)
		}
		source, position = source+h.sources, position+h.edges
	}
	if end := t.lo + max(t.offsets, 1) - 1; source != end || position != t.edges {
		return fmt.Errorf("the relationships of vertices %d to %d are missing", source, end)
	}
	return nil
}
