package storage

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/roaring"
	"github.com/motifql/motif/internal/testgraph"
)

func TestIntsRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 3000 {
		width := rng.IntN(65)
		values := make([]int64, rng.IntN(200))
		for i := range values {
			values[i] = int64(rng.Uint64() >> (64 - width)) // a shift by 64 gives 0
			if round%3 == 0 {
				values[i] -= 1 << max(width-1, 0)
			}
		}
		if round%2 == 0 {
			slices.Sort(values)
		}
		payload := appendInts(nil, values)
		got := make([]int64, len(values))
		c := cursor{b: payload}
		readInts(&c, got)
		if err := c.end(); err != nil || !slices.Equal(got, values) {
			t.Fatalf("round %d: %v became %v: %v", round, values, got, err)
		}
		if most := 12 + (len(values)*max(width, 1)+7)/8; len(payload) > most {
			t.Fatalf("round %d: %d values of %d bits took %d bytes", round, len(values), width, len(payload))
		}
	}
}

func TestBlockParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, size := range []int{0, 1, maxPayload - 1, maxPayload, maxPayload + 1, 3 * maxPayload, 5*maxPayload + 17} {
		payload := make([]byte, size)
		for i := range payload {
			payload[i] = byte(rng.Uint32())
		}
		key := columnKey(3, columnVertex, 1, 2)
		var parts []storedPart
		split(key, payload, func(key, value []byte) error {
			if len(value) > maxValue {
				t.Errorf("a value of %d bytes", len(value))
			}
			parts = append(parts, storedPart{key, value})
			return nil
		})
		if got, _, err := join(parts); err != nil || !bytes.Equal(got, payload) {
			t.Errorf("%d bytes in %d parts: %v", size, len(parts), err)
		}
		for i := range parts {
			if _, _, err := join(slices.Delete(slices.Clone(parts), i, i+1)); err == nil && len(parts) > 1 {
				t.Errorf("%d bytes: part %d of %d is missing and nobody notices", size, i, len(parts))
			}
		}
		// A value under the key of another, and every kind of damage to one.
		if _, _, err := unseal(partKey(columnKey(3, columnVertex, 1, 3), 0), parts[0].value); err == nil {
			t.Error("a value was read under a wrong key")
		}
		for range 50 {
			bad := slices.Clone(parts[0].value)
			bad[rng.IntN(len(bad))] ^= byte(1 + rng.IntN(255))
			if _, _, err := unseal(parts[0].key, bad); err == nil {
				t.Error("a damaged value was read")
			}
			if _, _, err := unseal(parts[0].key, parts[0].value[:rng.IntN(len(parts[0].value))]); err == nil {
				t.Error("a truncated value was read")
			}
		}
	}
}

// encodeRels encodes all sources of r.
func encodeRels(t testing.TB, r *csr.Rels) map[uint64][]byte {
	blocks := map[uint64][]byte{}
	cuts := adjacencySegments(r)
	for i := 1; i < len(cuts); i++ {
		err := encodeAdjacency(r, cuts[i-1], cuts[i], func(first uint32, payload []byte) error {
			if blocks[uint64(first)] != nil {
				t.Fatalf("two blocks from vertex %d on", first)
			}
			blocks[uint64(first)] = payload
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return blocks
}

// decodeRels decodes blocks in some order into the shape of r.
func decodeRels(r *csr.Rels, n uint64, blocks map[uint64][]byte) (*csr.Rels, error) {
	got := &csr.Rels{First: r.First, Lo: r.Lo, Offsets: make([]uint64, len(r.Offsets)), Targets: make([]csr.VertexID, len(r.Targets))}
	var heads []adjacencyHead
	for first, payload := range blocks {
		h, err := decodeAdjacency(got, first, n, payload)
		if err != nil {
			return nil, err
		}
		heads = append(heads, h)
	}
	return got, chained(heads, shapeOf(got))
}

func TestAdjacencyRoundTrip(t *testing.T) {
	for seed := range uint64(25) {
		rng := rand.New(rand.NewPCG(seed, 5))
		n := uint64(1 + rng.IntN(5000))
		r := randomRels(rng, n)
		blocks := encodeRels(t, r)
		got, err := decodeRels(r, n, blocks)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !slices.Equal(got.Offsets, r.Offsets) || !slices.Equal(got.Targets, r.Targets) {
			t.Fatalf("seed %d: another graph came back", seed)
		}
		for first := range blocks { // a block that is missing is found out
			rest := map[uint64][]byte{}
			for f, p := range blocks {
				if f != first {
					rest[f] = p
				}
			}
			if _, err := decodeRels(r, n, rest); err == nil {
				t.Fatalf("seed %d: the block of vertex %d is missing and nobody notices", seed, first)
			}
		}
	}
}

// randomRels has hubs of more than one value, long runs of idle sources, and parallel relationships.
func randomRels(rng *rand.Rand, n uint64) *csr.Rels {
	r := &csr.Rels{Lo: csr.VertexID(rng.Uint64N(n)), Offsets: []uint64{0}}
	for range rng.Uint64N(n-uint64(r.Lo)) + 1 {
		degree := 0
		switch rng.IntN(40) {
		case 0:
			degree = rng.IntN(3000)
		case 1:
			if rng.IntN(20) == 0 {
				degree = 100_000
			}
		default:
			degree = max(0, rng.IntN(8)-3)
		}
		row := make([]csr.VertexID, degree)
		for i := range row {
			row[i] = csr.VertexID(rng.Uint64N(n))
		}
		slices.Sort(row)
		r.Targets = append(r.Targets, row...)
		r.Offsets = append(r.Offsets, uint64(len(r.Targets)))
	}
	return r
}

// TestAdjacencyBlockSize sees that blocks are about as long as a value, but for hubs.
func TestAdjacencyBlockSize(t *testing.T) {
	g := rmat(t, 14, 40)
	blocks, long, sum := encodeRels(t, g.Rels(0)), 0, 0
	for _, payload := range blocks {
		sum += len(payload)
		if len(payload) > maxPayload {
			long++
		}
	}
	if fewest := sum/maxPayload + 1; len(blocks) > 2*fewest+1 || long > 0 {
		t.Errorf("%d bytes in %d blocks, %d of them too long", sum, len(blocks), long)
	}
}

// randomChunk has each kind and each way of presence.
func randomChunk(rng *rand.Rand) *csr.Chunk {
	c := csr.NewColumn(csr.ChunkLen)
	kind := rng.IntN(6)
	density := []int{1, 2, 40, 3000}[rng.IntN(4)]
	c.Set(uint64(rng.IntN(csr.ChunkLen)), randomCell(rng, kind))
	for i := range uint64(csr.ChunkLen) {
		if density == 3000 && i > 1000 && i < 3500 || rng.IntN(density) == 0 {
			c.Set(i, randomCell(rng, kind))
		}
	}
	if err := c.Freeze(); err != nil {
		panic(err)
	}
	return c.Chunk(0)
}

func randomCell(rng *rand.Rand, kind int) csr.Cell {
	if kind == 5 {
		kind = rng.IntN(5)
	}
	switch kind {
	case 0:
		return csr.IntCell(int64(rng.Uint64() >> rng.IntN(64)))
	case 1:
		return csr.FloatCell(rng.NormFloat64())
	case 2:
		return csr.BoolCell(rng.IntN(2) == 0)
	case 3:
		return csr.StringCell(strings.Repeat("x", rng.IntN(20)) + "é")
	}
	return csr.Cell{Kind: csr.KindEncoded, Str: string([]byte{0, byte(rng.Uint32())})}
}

func TestChunkRoundTrip(t *testing.T) {
	for seed := range uint64(400) {
		chunk := randomChunk(rand.New(rand.NewPCG(seed, 6)))
		payload, err := encodeChunk(chunk)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeChunk(payload)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for slot := range csr.ChunkLen {
			x, hasX := chunk.Get(slot)
			y, hasY := got.Get(slot)
			if x != y || hasX != hasY {
				t.Fatalf("seed %d: slot %d: %v %v became %v %v", seed, slot, x, hasX, y, hasY)
			}
		}
	}
}

func TestRecordsRoundTrip(t *testing.T) {
	for seed := range uint64(200) {
		g := randomGraph(t, seed, testgraph.Options{})
		m := newMeta(&g.Data)
		m.blocks[kindColumn] = 1 << 40
		same := func(what string, have, want any, err error) {
			t.Helper()
			if err != nil || fmt.Sprint(have) != fmt.Sprint(want) {
				t.Errorf("seed %d: %s %v became %v: %v", seed, what, want, have, err)
			}
		}
		gotMeta, err := decodeMeta(m.encode())
		same("meta", gotMeta, m, err)
		gotNames, err := decodeDict(encodeDict(&g.Data))
		lists := dictLists(&g.Data)
		same("dict", *gotNames, names{lists[0], lists[1], lists[2], lists[3]}, err)
		gotClasses, err := decodeClasses(encodeClasses(g.Classes))
		same("classes", gotClasses, g.Classes, err)
		g.Stats.Degeneracy = uint32(seed)
		gotStats, err := decodeStats(encodeStats(g.Stats))
		same("stats", *gotStats, *g.Stats, err)
		h := head{epoch: seed + 1, published: -5, bytes: 1 << 63, vertices: 3, edges: math.MaxUint64}
		gotHead, err := decodeHead(h.encode())
		same("head", *gotHead, h, err)
		h.store, h.tables = newStoreID(), []tableSum{{1 << 40, math.MaxUint32}, {size: int64(seed)}}
		payload, _, err := unseal(headKey(), h.encodeFile())
		if err == nil {
			gotHead, err = decodeHeadFile(payload)
		}
		same("file HEAD", *gotHead, h, err)
	}
}

// TestNothingForgotten fails when csr's types get a field, which the store then has to keep. Of Rels it keeps
// four fields; the others are an overlay's, which is made flat before. Of Data, two are ids that StoredNodeIDs and StoredRelIDs read.
func TestNothingForgotten(t *testing.T) {
	for _, c := range []struct {
		value  any
		fields int
	}{{csr.Data{}, 18}, {csr.Stats{}, 5}, {csr.TypeStat{}, 11}, {csr.Triple{}, 4}, {csr.Class{}, 2}, {csr.Rels{}, 10}, {csr.ExternalSpace{}, 2},
		{csr.Schema{}, 2}, {csr.Rule{}, 6}, {csr.Change{}, 8}, {csr.Prop{}, 2}} {
		if n := reflect.TypeOf(c.value).NumField(); n != c.fields {
			t.Errorf("%T has %d fields; the store knows %d", c.value, n, c.fields)
		}
	}
}

func TestLookupBlocks(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 8))
		c := csr.NewColumn(0)
		for v := range uint64(rng.IntN(12000)) {
			c.Set(v, externalCell(rng, v))
		}
		if seed%10 == 0 {
			c.Set(20000, csr.StringCell(strings.Repeat("long", 40000)))
		}
		if err := c.Freeze(); err != nil {
			t.Fatal(err)
		}
		want, err := sortedLookup(&csr.ExternalSpace{IDs: c})
		if err != nil {
			t.Fatal(err)
		}
		var got []lookupEntry
		for rest := want; len(rest) > 0; {
			n := cutLookup(rest)
			entries, err := decodeLookup(encodeLookup(rest[:n]))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			got, rest = append(got, entries...), rest[n:]
		}
		for i := range want {
			if got[i].cell() != want[i].cell() || got[i].vertex != want[i].vertex {
				t.Fatalf("seed %d: entry %d: %v became %v", seed, i, want[i], got[i])
			}
		}
	}
}

func TestLabelBitmaps(t *testing.T) {
	classes := []csr.Class{{Labels: []csr.LabelID{0}, Range: csr.Range{Lo: 0, Hi: 10}}, {Labels: []csr.LabelID{0, 1}, Range: csr.Range{Lo: 10, Hi: labelChunk + 5}}, {Range: csr.Range{Lo: labelChunk + 5, Hi: labelChunk + 6}}, {Labels: []csr.LabelID{1}, Range: csr.Range{Lo: labelChunk + 6, Hi: 3*labelChunk + 1}}}
	for l := range csr.LabelID(3) {
		chunks := map[uint64][]roaring.Range{}
		for chunk, set := range labelSets(labelRanges(classes, l)) {
			got, err := decodeLabel(roaring.Encode(set))
			if err != nil {
				t.Fatal(err)
			}
			chunks[uint64(chunk)] = got
		}
		for _, c := range classes {
			for v := uint64(c.Lo); v < uint64(c.Hi); v += 1 + min(uint64(c.Hi)-v-1, v%97) { // the last one too
				in := func(r roaring.Range) bool { return uint64(r.Lo) <= v%labelChunk && v%labelChunk < uint64(r.Hi) }
				if have := slices.ContainsFunc(chunks[v/labelChunk], in); have != slices.Contains(c.Labels, l) {
					t.Fatalf("label %d, vertex %d: %v", l, v, have)
				}
			}
		}
	}
}

func TestKeys(t *testing.T) {
	n := &names{labels: []string{"Person"}, types: []string{"KNOWS"}, keys: []string{"age"}, spaces: []string{"people"}}
	for _, c := range []struct {
		key  []byte
		want string
	}{
		{partKey(metaKey(2, recordStats), 0), `record "stats", epoch 2`},
		{partKey(adjacencyKey(2, 0, 4096), 3), `relationships of type "KNOWS" from vertex 4096 on, epoch 2, part 3`},
		{partKey(adjacencyKey(2, 9, 0), 0), `relationships of type number 9 from vertex 0 on, epoch 2`},
		{partKey(columnKey(2, columnVertex, 0, 7), 0), `node property "age", chunk 7, epoch 2`},
		{partKey(columnKey(2, columnEdge, 0, 7), 0), `relationship property "age", chunk 7, epoch 2`},
		{partKey(columnKey(2, columnNodeID, 0, 7), 0), `node ids, chunk 7, epoch 2`},
		{partKey(columnKey(2, columnRelID, 0, 7), 0), `relationship ids, chunk 7, epoch 2`},
		{partKey(labelKey(2, 0, 1), 0), `vertices of label "Person", chunk 1, epoch 2`},
		{partKey(lookupKey(2, 0, 1), 0), `lookup of external ids "people", block 1, epoch 2`},
		{partKey(externalKey(2, 0, 1), 0), `external ids "people", chunk 1, epoch 2`},
		{formatKey, "the format version"},
		{headKey(), "the pointer to the live graph"},
		{[]byte{0x42, 1}, "unknown key 4201"},
	} {
		if got := n.describe(c.key); got != c.want {
			t.Errorf("%x is %s, not %s", c.key, got, c.want)
		}
	}
	// Keys sort by kind, epoch, group and place.
	sorted := [][]byte{formatKey, headKey(), metaKey(1, "x"), metaKey(2, "a"), adjacencyKey(1, 0, 1<<31), adjacencyKey(1, 1, 5), adjacencyKey(256, 0, 0), columnKey(1, 0, 0, 1<<33), columnKey(1, 0, 1, 0), columnKey(1, 1, 0, 0)}
	if !slices.IsSortedFunc(sorted, bytes.Compare) {
		t.Error("keys are out of order")
	}
}

// TestSparseGraphs sees that few bytes cannot make opening take much memory, and that sparse graphs of a usual size open.
func TestSparseGraphs(t *testing.T) {
	columns := func(column byte, n int) (refs []blockRef) {
		for i := range n {
			refs = append(refs, blockRef{blockKey: blockKey{kind: kindColumn, column: column, group: uint32(i)}}, blockRef{blockKey: blockKey{kind: kindColumn, column: column, group: uint32(i), at: 1}})
		}
		return refs
	}
	types := func(offsets uint64, n int) (all []typeMeta) {
		for range n {
			all = append(all, typeMeta{offsets: offsets})
		}
		return all
	}
	for _, c := range []struct {
		name string
		meta meta
		refs []blockRef
		fits bool
	}{
		{"empty nodes", meta{vertices: 50_000_000}, nil, true},
		{"too many empty nodes", meta{vertices: 1 << 31}, nil, false},
		{"types", meta{vertices: 1_000_000, types: types(1_000_001, 50)}, nil, true},
		{"too many types", meta{vertices: 10_000_000, types: types(10_000_001, 50)}, nil, false},
		{"columns", meta{vertices: 1_000_000}, columns(columnVertex, 1000), true},
		{"too many columns", meta{vertices: 100_000_000}, columns(columnVertex, 5000), false},
		{"too many columns of relationships", meta{edges: 100_000_000}, columns(columnEdge, 10_000), false},
		{"too many id spaces", meta{vertices: 100_000_000, spaces: 10_000}, nil, false},
	} {
		if err := c.meta.affordable(&contents{refs: c.refs, total: 40_000}); c.fits != (err == nil) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
