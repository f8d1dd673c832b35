package storage

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/internal/value"
)

// TestAlteredLog changes the stream of a transaction as an attacker would, who can compute its checksums. The stream is refused, or
// the graph after it is the one that its changes say, and passes Check. MOTIF_SEED repeats one alteration, MOTIF_ALTERATIONS sets how
// many there are.
func TestAlteredLog(t *testing.T) {
	seed, rounds := uint64(time.Now().UnixNano()), 400
	if n, err := strconv.Atoi(os.Getenv("MOTIF_ALTERATIONS")); err == nil {
		rounds = n
	}
	if s := os.Getenv("MOTIF_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
		rounds = 1
	}
	fmt.Printf("TestAlteredLog: MOTIF_SEED=%d and on\n", seed) // a panic would hide the test's log
	base := randomGraph(t, 3, testgraph.Options{Vertices: 30, Edges: 60, Labels: 3, Types: 2})
	replayed := 0
	for i := range uint64(rounds) {
		rng := rand.New(rand.NewPCG(seed+i, 34))
		changes := decodable(alterStream(rng, randomStream(t, rng, base)))
		snap, err := csr.Replay(t.Context(), base, changes)
		if err != nil {
			continue
		}
		replayed++
		want := modelOf(base)
		for i := range changes {
			want.apply(&changes[i])
		}
		if d := modelDifference(want, modelOf(snap)); d != "" {
			t.Fatalf("MOTIF_SEED=%d: %s", seed+i, d)
		}
		useValues(snap)
		if rng.IntN(20) == 0 {
			s := mustOpen(t, Memory, Options{})
			mustPublish(t, s, snap)
			mustBeClean(t, s)
			mustClose(t, s)
		}
	}
	t.Logf("%d alterations, of which %d were replayed", rounds, replayed)
}

// randomStream is the stream of a random transaction.
func randomStream(t *testing.T, rng *rand.Rand, base *csr.Snapshot) []byte {
	d, m := base.Draft(), modelOf(base)
	for range 1 + rng.IntN(20) {
		randomChange(t, rng, d, m)
	}
	return encodeAll(t, d.Changes())
}

// alterStream makes a few changes of bytes and numbers.
func alterStream(rng *rand.Rand, stream []byte) []byte {
	for range 1 + rng.IntN(3) {
		if len(stream) == 0 {
			return stream
		}
		at := rng.IntN(len(stream))
		switch rng.IntN(6) {
		case 0:
			stream[at] ^= 1 << rng.IntN(8)
		case 1:
			stream[at] = byte(rng.Uint32())
		case 2:
			stream = stream[:at]
		case 3:
			to := rng.IntN(len(stream))
			n := rng.IntN(len(stream) - max(at, to))
			copy(stream[to:], slices.Clone(stream[at:at+n]))
		default:
			old, size := binary.Uvarint(stream[at:])
			if size <= 0 {
				continue
			}
			number := []uint64{0, old + 1, old - 1, 1, 2, 3, 40, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 2, 1<<64 - 1}[rng.IntN(13)]
			stream = slices.Concat(stream[:at], binary.AppendUvarint(nil, number), stream[at+size:])
		}
	}
	return stream
}

// decodable is the changes of a stream up to the first that cannot be read.
func decodable(stream []byte) (changes []csr.Change) {
	d := changeDecoder{cursor: cursor{b: stream}}
	for len(d.b) > 0 {
		c := d.next()
		if d.err != nil {
			return changes
		}
		changes = append(changes, c)
	}
	return changes
}

// useValues decodes every property.
func useValues(s *csr.Snapshot) {
	for k := range csr.KeyID(s.Keys.Len()) {
		for v := range csr.VertexID(s.N()) {
			if c, ok := s.VertexProp(v, k); ok {
				_ = value.OfCell(c).String()
			}
		}
		for e := range s.AllEdges() {
			if c, ok := s.EdgeProp(e, k); ok {
				_ = value.OfCell(c).String()
			}
		}
	}
}
