package storage

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/roaring"
	"github.com/motifql/motif/internal/testgraph"
)

// The decoders below never panic, whatever they read, and what they accept comes back from the encoders' inverse.

func FuzzAdjacency(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 9))
	for range 3 {
		r := randomRels(rng, 300)
		for first, payload := range encodeRels(f, r) {
			if len(payload) < 4096 {
				f.Add(uint32(r.Lo), uint32(len(r.Offsets)), uint32(len(r.Targets)), uint32(first), payload)
			}
		}
	}
	f.Add(uint32(204), uint32(0), uint32(49), uint32(204), []byte{0, ' ', 2}) // no sources in a type without offsets
	f.Fuzz(func(t *testing.T, lo, offsets, targets, first uint32, payload []byte) {
		const n = 300
		r := &csr.Rels{Lo: csr.VertexID(lo), Offsets: make([]uint64, offsets%1024), Targets: make([]csr.VertexID, targets%4096)}
		h, err := decodeAdjacency(r, uint64(first), n, payload)
		if err != nil {
			return
		}
		at := h.first - uint64(r.Lo)
		for i := at; i < at+h.sources; i++ {
			start := h.position
			if i > at {
				start = r.Offsets[i]
			}
			row := r.Targets[start:r.Offsets[i+1]]
			if !slices.IsSorted(row) || len(row) > 0 && row[len(row)-1] >= n {
				t.Errorf("row %d is %v", i, row)
			}
		}
	})
}

func FuzzChunk(f *testing.F) {
	for seed := range uint64(60) {
		if payload, err := encodeChunk(randomChunk(rand.New(rand.NewPCG(seed, 6)))); err == nil && len(payload) < 2048 {
			f.Add(payload)
		}
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		chunk, err := decodeChunk(payload)
		if err != nil {
			return
		}
		again, err := encodeChunk(chunk)
		if err != nil {
			t.Fatal(err)
		}
		back, err := decodeChunk(again)
		if err != nil {
			t.Fatal(err)
		}
		for slot := range csr.ChunkLen {
			x, hasX := chunk.Get(slot)
			y, hasY := back.Get(slot)
			if x != y || hasX != hasY {
				t.Fatalf("slot %d: %v and %v", slot, x, y)
			}
		}
	})
}

func FuzzInts(f *testing.F) {
	f.Add(uint16(3), appendInts(nil, []int64{1, 5, -7}))
	f.Add(uint16(3), appendInts(nil, []int64{1, 2, 3}))
	f.Add(uint16(2), appendInts(nil, []int64{math.MinInt64, math.MaxInt64}))
	f.Fuzz(func(t *testing.T, n uint16, payload []byte) {
		values := make([]int64, n%5000)
		c := cursor{b: payload}
		readInts(&c, values)
		if c.end() != nil {
			return
		}
		again := make([]int64, len(values))
		c = cursor{b: appendInts(nil, values)}
		if readInts(&c, again); c.end() != nil || !slices.Equal(values, again) {
			t.Errorf("%v became %v", values, again)
		}
	})
}

func FuzzRecords(f *testing.F) {
	for seed := range uint64(5) {
		g := randomGraph(f, seed, testgraph.Options{})
		for i, payload := range [][]byte{newMeta(&g.Data).encode(), encodeDict(&g.Data), encodeClasses(g.Classes), encodeStats(g.Stats), (&head{epoch: 1}).encode()} {
			f.Add(uint8(i), payload)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, payload []byte) {
		var again []byte
		var err error
		switch which % 5 {
		case 0:
			var m *meta
			if m, err = decodeMeta(payload); err == nil {
				again = m.encode()
			}
		case 1:
			var n *names
			if n, err = decodeDict(payload); err == nil {
				d := csr.Data{Labels: csr.NewDict(n.labels...), Types: csr.NewDict(n.types...), Keys: csr.NewDict(n.keys...)}
				for _, space := range n.spaces {
					d.External = append(d.External, csr.ExternalSpace{Name: space})
				}
				again = encodeDict(&d)
			}
		case 2:
			var classes []csr.Class
			if classes, err = decodeClasses(payload); err == nil {
				again = encodeClasses(classes)
			}
		case 3:
			var s *csr.Stats
			if s, err = decodeStats(payload); err == nil {
				again = encodeStats(s)
			}
		case 4:
			var h *head
			if h, err = decodeHead(payload); err == nil {
				again = h.encode()
			}
		}
		// Numbers may be written longer than need be; else the coding is the same.
		if err == nil && len(again) > len(payload) {
			t.Errorf("record %d: %x became %x", which%5, payload, again)
		}
	})
}

func FuzzLookup(f *testing.F) {
	for _, c := range []csr.Cell{csr.IntCell(-5), csr.StringCell("abc"), csr.FloatCell(1), csr.BoolCell(true)} {
		f.Add(encodeLookup([]lookupEntry{newLookupEntry(c, 7)}))
	}
	f.Add(encodeLookup([]lookupEntry{newLookupEntry(csr.StringCell("abc"), 7), newLookupEntry(csr.StringCell("abd"), 1)}))
	f.Fuzz(func(t *testing.T, payload []byte) {
		entries, err := decodeLookup(payload)
		if err != nil {
			return
		}
		again, err := decodeLookup(encodeLookup(entries))
		if err != nil || !slices.Equal(entries, again) {
			t.Errorf("%v became %v: %v", entries, again, err)
		}
	})
}

func FuzzLabel(f *testing.F) {
	for _, r := range [][]csr.Range{{{Lo: 0, Hi: 5}}, {{Lo: 3, Hi: 70000}, {Lo: 80000, Hi: 80001}}} {
		f.Add(roaring.Encode(labelSets(r)[0]))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		set, err := decodeLabel(payload)
		if err != nil {
			return
		}
		again, err := decodeLabel(roaring.Encode(set))
		if err != nil || !slices.Equal(set, again) {
			t.Errorf("%v became %v: %v", set, again, err)
		}
	})
}

// FuzzReplay reads bytes as the changes of a transaction and replays them on a small graph. Whatever they are, reading
// gives what encodes to the same changes, and replaying gives an error or a graph that passes all checks.
func FuzzReplay(f *testing.F) {
	base := randomGraph(f, 3, testgraph.Options{Vertices: 12, Edges: 20, Labels: 3, Types: 2})
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 11))
		d, m := base.Draft(), modelOf(base)
		for range 1 + rng.IntN(25) {
			randomChange(f, rng, d, m)
		}
		f.Add(encodeAll(f, d.Changes()))
	}
	f.Add(encodeAll(f, goldenLog(formatVersion)))
	f.Fuzz(func(t *testing.T, stream []byte) {
		d := changeDecoder{cursor: cursor{b: stream}}
		var changes []csr.Change
		for len(d.b) > 0 && d.err == nil {
			if c := d.next(); d.err == nil {
				changes = append(changes, c)
			}
		}
		again, err := decodeChanges(encodeAll(t, changes), uint64(len(changes)))
		if err != nil || fmt.Sprintf("%+v", plain(again)) != fmt.Sprintf("%+v", plain(changes)) {
			t.Fatalf("%+v became %+v: %v", changes, again, err)
		}
		snap, err := csr.Replay(t.Context(), base, changes)
		if err != nil {
			return
		}
		want := modelOf(base)
		for i := range changes {
			want.apply(&changes[i])
		}
		if d := modelDifference(want, modelOf(snap)); d != "" {
			t.Fatal(d)
		}
	})
}

// plain is changes without pointers.
func plain(changes []csr.Change) (all []any) {
	for _, c := range changes {
		rule := csr.Rule{}
		if c.Rule != nil {
			rule = *c.Rule
		}
		c.Rule = nil
		all = append(all, c, rule)
	}
	return all
}

func encodeAll(t testing.TB, changes []csr.Change) []byte {
	e := newChangeEncoder()
	for i := range changes {
		if err := e.add(&changes[i]); err != nil {
			t.Fatal(err)
		}
	}
	return e.buf
}

// FuzzCommit reads bytes as a commit record and as the record "schema".
func FuzzCommit(f *testing.F) {
	f.Add((&commitRecord{parts: 3, changes: 9, bytes: 1 << 20, sum: 77, previous: 2, time: 1 << 60, relaxed: true}).encode())
	schema := goldenOf(f, formatVersion).Schema
	f.Add(encodeSchema(&schema))
	f.Fuzz(func(t *testing.T, payload []byte) {
		if r, err := decodeCommit(payload); err == nil {
			if back, err := decodeCommit(r.encode()); err != nil || *back != *r {
				t.Errorf("%+v became %+v: %v", r, back, err)
			}
		}
		if s, err := decodeSchema(payload); err == nil && len(encodeSchema(&s)) > len(payload) {
			t.Errorf("%x became %x", payload, encodeSchema(&s))
		}
	})
}

func FuzzBlock(f *testing.F) {
	key := partKey(labelKey(1, 2, 3), 0)
	f.Add(key, seal(key, []byte("payload"), true))
	f.Add(key, seal(key, nil, false))
	f.Fuzz(func(t *testing.T, key, value []byte) {
		new(names).describe(key)
		if payload, last, err := unseal(key, value); err == nil && !bytes.Equal(seal(key, payload, last), value) {
			t.Errorf("%x under %x", value, key)
		}
		if len(value) >= 4 { // behind the checksum too
			body := value[:len(value)-4]
			fixed := binary.LittleEndian.AppendUint32(slices.Clone(body), checksum(key, body))
			unseal(key, fixed)
			join([]storedPart{{key, fixed}})
		}
	})
}

func FuzzTable(f *testing.F) {
	tables, _ := filepath.Glob(filepath.Join(storeDir(f), epochFolder(1), "*.sst"))
	table, err := os.ReadFile(tables[0])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint32(0), byte(0), uint32(len(table)))
	f.Add(uint32(len(table)-1), byte(1), uint32(len(table)))
	f.Add(uint32(0), byte(0), uint32(len(table)/2))
	f.Fuzz(func(t *testing.T, at uint32, flip byte, size uint32) {
		damaged := slices.Clone(table[:min(int(size), len(table))])
		if int(at) < len(damaged) {
			damaged[at] ^= flip
		}
		_, err := checkTable(bytes.NewReader(damaged), int64(len(damaged)))
		if same := bytes.Equal(damaged, table); same != (err == nil) {
			t.Errorf("byte %d by %x, length %d: %v", at, flip, size, err)
		}
	})
}
