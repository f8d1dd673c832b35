package storage

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/roaring"
	"github.com/motifql/motif/internal/testgraph"
)

// checkGraph has everything that a store holds.
func checkGraph(t testing.TB) *csr.Snapshot {
	d := testgraph.Random(11, testgraph.Options{Vertices: 5000, Edges: 20000, Labels: 2, Types: 2, Flat: true}).Data
	ids := csr.NewColumn(d.Vertices)
	for v := range d.Vertices {
		ids.Set(v, csr.IntCell(int64(v)*3))
	}
	if err := ids.Freeze(); err != nil {
		t.Fatal(err)
	}
	d.External = []csr.ExternalSpace{{Name: "people", IDs: ids}}
	return newSnapshot(t, d)
}

// alter writes the blocks of a store's epoch anew, with others as its values.
func alter(t testing.TB, s *Store, change func(values map[string][]byte)) {
	t.Helper()
	h := *s.head.Load()
	values := make(map[string][]byte)
	err := s.withBlocks(&h, func(from blockSource) error {
		read, done := from.reader()
		defer done()
		var err error
		from.keys(nil, func(key []byte, _ uint64) {
			key = bytes.Clone(key)
			err = cmp.Or(err, read(key, func(value []byte) error { values[string(key)] = bytes.Clone(value); return nil }))
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	change(values)
	w, err := newEpochWriter(t.Context(), s.disk, filepath.Join(s.dir, epochFolder(h.epoch)))
	keys := slices.Sorted(maps.Keys(values))
	for _, records := range []bool{false, true} {
		for _, key := range keys {
			if err == nil && (key[0] == kindMeta) == records {
				err = w.add([]byte(key), values[key])
			}
		}
		if err == nil {
			err = w.restart()
		}
	}
	if err == nil {
		err = w.finish()
	}
	if err != nil {
		t.Fatal(err)
	}
	h.tables = w.tables
	s.head.Store(&h)
}

// rewrite puts a payload in place of that of a block, with a good checksum.
func rewrite(t testing.TB, s *Store, logical []byte, change func(payload []byte) []byte) {
	t.Helper()
	key := partKey(logical, 0)
	alter(t, s, func(values map[string][]byte) {
		payload, _, err := unseal(key, values[string(key)])
		if err != nil {
			t.Fatal(err)
		}
		values[string(key)] = seal(key, change(slices.Clone(payload)), true)
	})
}

func drop(t testing.TB, s *Store, key []byte) {
	t.Helper()
	alter(t, s, func(values map[string][]byte) { delete(values, string(key)) })
}

func put(t testing.TB, s *Store, key, value []byte) {
	t.Helper()
	alter(t, s, func(values map[string][]byte) { values[string(key)] = value })
}

// mustFind sees that Check reports a problem with a key and text that hold some words, and that damage to what makes up
// the graph keeps it from being read.
func mustFind(t *testing.T, s *Store, key, what string, unreadable bool) {
	t.Helper()
	report := mustCheck(t, s)
	if !slices.ContainsFunc(report.Problems, func(p Problem) bool { return strings.Contains(p.Key, key) && strings.Contains(p.What, what) }) {
		t.Errorf("no problem %q %q among %v", key, what, report.Problems)
	}
	t.Log(report.Problems)
	s.cached.Store(nil)
	if _, err := decodedSnapshot(s); unreadable != (err != nil) {
		t.Errorf("reading the graph: %v", err)
	} else if err != nil {
		wantError(t, err, ErrCorrupt, s.dir)
	}
}

// decodedSnapshot is the graph of s once all of it has been decoded.
func decodedSnapshot(s *Store) (g *csr.Snapshot, err error) {
	if g, err = s.Snapshot(context.Background()); err != nil {
		return nil, err
	}
	defer func() {
		if fault, ok := recover().(*csr.Fault); ok {
			g, err = nil, fault.Err
		}
	}()
	for t := range g.Types.Len() {
		g.Rels(csr.TypeID(t))
	}
	columns := slices.Concat(g.VertexProps, g.EdgeProps)
	for i := range g.External {
		columns = append(columns, g.External[i].IDs)
	}
	for _, c := range columns {
		for i := range c.NumChunks() {
			c.Chunk(i)
		}
	}
	return g, nil
}

func TestCheckFinds(t *testing.T) {
	g := checkGraph(t)
	flip := func(payload []byte) []byte { payload[len(payload)/2] ^= 0x55; return payload }
	truncate := func(payload []byte) []byte { return payload[:len(payload)/2] }
	for _, c := range []struct {
		name       string
		damage     func(s *Store)
		key, what  string
		unreadable bool
	}{
		{"checksum", func(s *Store) {
			key := partKey(adjacencyKey(1, 0, uint32(g.Rels(0).Lo)), 0)
			alter(t, s, func(values map[string][]byte) { values[string(key)] = flip(values[string(key)]) })
		}, `relationships of type "R" from vertex`, "checksum", true},
		{"adjacency", func(s *Store) { rewrite(t, s, adjacencyKey(1, 1, uint32(g.Rels(1).Lo)), truncate) }, `relationships of type "S"`, "", true},
		{"adjacency gone", func(s *Store) { drop(t, s, partKey(adjacencyKey(1, 1, uint32(g.Rels(1).Lo)), 0)) }, graphWords, `relationships of type "S"`, true},
		{"column", func(s *Store) { rewrite(t, s, columnKey(1, columnVertex, 0, 1), truncate) }, `node property "x", chunk 1`, "", true},
		{"column gone", func(s *Store) { drop(t, s, partKey(columnKey(1, columnEdge, 0, 1), 0)) }, graphWords, "blocks of properties", true},
		{"node ids", func(s *Store) { rewrite(t, s, columnKey(1, columnNodeID, 0, 0), truncate) }, "node ids, chunk 0", "", true},
		{"repeated node id", func(s *Store) {
			rewrite(t, s, columnKey(1, columnNodeID, 0, 0), func([]byte) []byte { return appendInts(nil, make([]uint64, csr.ChunkLen)) })
		}, graphWords, "node ids", true},
		{"label", func(s *Store) {
			rewrite(t, s, labelKey(1, 1, 0), func([]byte) []byte {
				return roaring.Encode([]roaring.Range{{Lo: 0, Hi: 5}})
			})
		}, `vertices of label "B"`, "class table", false},
		{"label malformed", func(s *Store) { rewrite(t, s, labelKey(1, 1, 0), truncate) }, `vertices of label "B"`, "", false},
		{"label gone", func(s *Store) { drop(t, s, partKey(labelKey(1, 0, 0), 0)) }, `vertices of label "A"`, "missing", true},
		{"lookup", func(s *Store) {
			rewrite(t, s, lookupKey(1, 0, 0), func([]byte) []byte { return encodeLookup([]lookupEntry{newLookupEntry(csr.IntCell(3), 2)}) })
		}, `lookup of external ids "people"`, "vertex 2 does not have the id 3", false},
		{"external", func(s *Store) {
			rewrite(t, s, externalKey(1, 0, 1), func(payload []byte) []byte { p, _ := encodeChunk(g.External[0].IDs.Chunk(0)); return p })
		}, "external ids", "", true},
		{"classes", func(s *Store) {
			rewrite(t, s, metaKey(1, recordClasses), func([]byte) []byte {
				classes := slices.Clone(g.Classes)
				classes[0].Labels, classes[1].Labels = classes[1].Labels, classes[0].Labels
				return encodeClasses(classes)
			})
		}, "vertices of label", "class table", true},
		{"statistics", func(s *Store) {
			rewrite(t, s, metaKey(1, recordStats), func([]byte) []byte {
				stats := *g.Stats
				stats.Types = slices.Clone(stats.Types)
				stats.Types[0].MaxOut++
				return encodeStats(&stats)
			})
		}, `record "stats"`, "figures of relationship types", false},
		{"degeneracy", func(s *Store) {
			rewrite(t, s, metaKey(1, recordStats), func([]byte) []byte {
				stats := *g.Stats
				stats.Degeneracy++
				return encodeStats(&stats)
			})
		}, `record "stats"`, "degeneracy", false},
		{"dictionary", func(s *Store) { drop(t, s, partKey(metaKey(1, recordDict), 0)) }, graphWords, `"dict" is missing`, true},
		{"meta", func(s *Store) { rewrite(t, s, metaKey(1, recordMeta), truncate) }, `record "meta"`, "", true},
		{"unknown record", func(s *Store) {
			put(t, s, partKey(metaKey(1, "more"), 0), []byte("x"))
		}, `record "more"`, "unknown", false},
		{"unknown key", func(s *Store) {
			put(t, s, []byte{0x77, 1}, []byte("x"))
		}, "key 7701", "unknown", false},
		{"head", func(s *Store) { s.head.Load().edges++ }, "the pointer to the live graph", "relationships where the graph has", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mustOpen(t, t.TempDir(), Options{Create: true})
			mustPublish(t, s, g)
			mustBeClean(t, s)
			c.damage(s)
			mustFind(t, s, c.key, c.what, c.unreadable)
		})
	}
}

// TestDamageAnywhere changes one byte of one block at a time, under a good checksum: opening and Check return errors
// and problems, but never panic, and what reads without error has the shape of a graph.
func TestDamageAnywhere(t *testing.T) {
	g := checkGraph(t)
	s := mustOpen(t, t.TempDir(), Options{Create: true})
	mustPublish(t, s, g)
	var keys [][]byte
	alter(t, s, func(values map[string][]byte) {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			keys = append(keys, []byte(key))
		}
	})
	found := 0
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 12))
		key := keys[rng.IntN(len(keys))]
		logical, _, _ := splitPart(key)
		var before []byte
		rewrite(t, s, logical, func(payload []byte) []byte {
			before = bytes.Clone(payload)
			payload[rng.IntN(len(payload))] ^= byte(1 << rng.IntN(8))
			return payload
		})
		if s.cached.Store(nil); rng.IntN(2) == 0 {
			if got, err := decodedSnapshot(s); err == nil && (got.N() != g.N() || got.M() != g.M()) {
				t.Fatalf("seed %d: %d nodes and %d relationships", seed, got.N(), got.M())
			}
		} else if !mustCheck(t, s).OK() {
			found++
		}
		rewrite(t, s, logical, func([]byte) []byte { return before })
	}
	t.Logf("Check found %d damaged blocks", found)
	mustBeClean(t, s)
}

func TestCheckCancelled(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{Create: true})
	mustPublish(t, s, checkGraph(t))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Check(ctx); err != context.Canceled {
		t.Errorf("Check under a cancelled context: %v", err)
	}
}
