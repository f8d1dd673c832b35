package enginetest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/storage"
)

// TestAlteredBackups changes the blocks of a backup and computes all checksums anew, as an attacker would. Restore refuses the
// backup and stores nothing, or the graph passes Check and every query gives the same rows as brute force. MOTIF_SEED repeats one
// alteration, MOTIF_ALTERATIONS sets how many there are.
func TestAlteredBackups(t *testing.T) {
	seed, rounds := uint64(time.Now().UnixNano()), 60
	if n, err := strconv.Atoi(os.Getenv("MOTIF_ALTERATIONS")); err == nil {
		rounds = n
	}
	if s := os.Getenv("MOTIF_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
		rounds = 1
	}
	fmt.Printf("TestAlteredBackups: MOTIF_SEED=%d and on\n", seed) // a panic would hide the test's log
	original := readBackup(t, richBackup(t))
	if err := useRestored(t, original.bytes()); err != nil {
		t.Fatalf("the backup as it was: %v", err)
	}
	restored := 0
	for i := range rounds {
		if err := alterOnce(t, seed+uint64(i), original); err == nil {
			restored++
		} else if os.Getenv("MOTIF_SEED") != "" {
			t.Log(err)
		}
	}
	t.Logf("%d alterations, of which %d were restored", rounds, restored)
}

// alterOnce alters a backup by a seed and returns why it was refused.
func alterOnce(t *testing.T, seed uint64, original *backupFile) error {
	t.Helper()
	x := &alterer{Rand: rand.New(rand.NewPCG(seed, 31)), backupFile: original.clone()}
	for range 1 + x.IntN(3)*x.IntN(2) {
		x.alter()
	}
	start := time.Now()
	err := useRestored(t, x.bytes())
	if took := time.Since(start); took > 5*time.Minute {
		t.Errorf("MOTIF_SEED=%d: %s: took %v", seed, strings.Join(x.what, ", "), took)
	}
	var wrong *wrongAnswer
	if errors.As(err, &wrong) {
		t.Fatalf("MOTIF_SEED=%d: %s: %v", seed, strings.Join(x.what, ", "), err)
	}
	return err
}

// wrongAnswer is what must not happen to a backup that was restored.
type wrongAnswer struct{ error }

func wrongf(format string, args ...any) error { return &wrongAnswer{fmt.Errorf(format, args...)} }

// useRestored restores a backup and asks everything of the graph. It returns why Restore refuses the backup.
func useRestored(t *testing.T, backup []byte) error {
	t.Helper()
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Restore(t.Context(), bytes.NewReader(backup)); err != nil {
		if !storeOf(db).Empty() {
			return wrongf("a store refused is not empty: %v", err)
		}
		if !errors.Is(err, motif.ErrCorrupt) && !strings.Contains(err.Error(), "blocks reached the disk") { // a block was there twice
			return wrongf("the reason is another: %v", err)
		}
		return err
	}
	report, err := db.Check(t.Context())
	if err != nil || !report.OK() {
		return wrongf("Check finds %v, %v", report, err)
	}
	if err := askAll(t, db); err != nil {
		return err
	}
	var memory runtime.MemStats
	if runtime.ReadMemStats(&memory); memory.HeapSys > 3<<30 {
		return wrongf("%d MiB of memory in use", memory.HeapSys>>20)
	}
	return askStore(t, storeOf(db))
}

// attackQueries touch every part of a graph.
var attackQueries = []string{
	"MATCH (n) RETURN id(n), labels(n), keys(n), properties(n)",
	"MATCH (n) RETURN count(*), count(n.x), sum(size(toString(n.name))), max(id(n))",
	"MATCH (a)-[r]->(b) RETURN id(a), type(r), id(r), id(b), properties(r)",
	"MATCH (a)-[r:R|S]-(b) WHERE a.x >= 0 OR r.w > 1 RETURN labels(a), count(*), collect(DISTINCT r.w)",
	"MATCH (a)-[:R]->(b)-[:S]->(c) RETURN count(*)",
	"MATCH (a)-->(b)-->(c), (a)-->(c) RETURN count(*)",
	"MATCH (a)--(b)--(c)--(a) RETURN count(*)",
	"MATCH (a:A)--(b)--(c:B) WHERE NOT (a)--(c) RETURN count(*)",
	"MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(d)--(a) RETURN count(*)",
	"MATCH (a)-[]->(b), (b)-[]->(c) WHERE IS_CLIQUE([a, b, c]) RETURN count(*)",
	"MATCH p = (a:A)-[:R*1..3]->(b:B) RETURN id(a), id(b), length(p), count(*)",
	"MATCH p = ANY SHORTEST (a:A)-[]-{1,3}(b:B) RETURN id(a), id(b), length(p)",
	"MATCH p = ALL SHORTEST (a:A)-[:R|S]->{1,3}(b) RETURN id(a), id(b), length(p), count(*)",
	"MATCH (n:A) WHERE n.x = 3 RETURN id(n)",
	"MATCH (n:A) WHERE n.x > 1 AND n.x < 9 RETURN id(n)",
	"MATCH (n:A) WHERE n.name STARTS WITH 'n' RETURN id(n)",
	"MATCH (n:B) WHERE n.key = 'k6' RETURN id(n)",
	"UNWIND range(0, 30) AS i MATCH (n:A) WHERE n.x = i RETURN i, id(n)",
	"MATCH (n) RETURN n.mixed AS m, count(*)",
	"MATCH (n) WHERE n.when < datetime('2030-01-01T00:00Z') RETURN id(n), toString(n.when), n.when.year, n.when.timezone",
	"MATCH (n) RETURN id(n), n.day + n.span, toString(n.span), n.span.months, n.list[0], size(n.list), n.map.k",
	"MATCH (a), (b) WHERE a.list = b.list AND a.map = b.map RETURN count(*)",
	"MATCH (n) RETURN n.day AS d, n.when AS w, n.list AS l, n.map AS m ORDER BY d, w, l, m, id(n)",
	"CALL algo.kcore({type: 'R', direction: 'BOTH'}) YIELD node, core RETURN id(node), core",
	"CALL algo.triangleCount({type: 'R', perNode: true}) YIELD node, count RETURN id(node), count",
	"CALL algo.connectedComponents({}) YIELD node, component RETURN component, count(*)",
	"CALL algo.diameter({direction: 'BOTH'}) YIELD length RETURN length",
	"CALL algo.orbits({size: 4, types: ['R', 'S']}) YIELD node, orbits RETURN id(node), orbits",
	"CALL algo.motifs({size: 3, directed: true}) YIELD motif, count RETURN motif, count",
	"CALL algo.maximalCliques({minSize: 2}) YIELD size RETURN size, count(*)",
}

// askAll asks the queries with and without brute force, and runs statements that write.
func askAll(t *testing.T, db *motif.DB) error {
	t.Helper()
	for _, q := range attackQueries {
		got, err := rowsOf(t.Context(), db, q)
		want, bruteErr := rowsOf(t.Context(), db, q, motif.WithBruteForce())
		if errors.Is(err, context.DeadlineExceeded) {
			return wrongf("no answer in time to %s", q)
		}
		if errors.Is(bruteErr, context.DeadlineExceeded) {
			continue
		}
		if !slices.Equal(got, want) || (err == nil) != (bruteErr == nil) {
			return wrongf("%s\ngives %d rows, %v\n%.2000s\nbrute force gives %d rows, %v\n%.2000s", q, len(got), err, strings.Join(got, "\n"), len(want), bruteErr, strings.Join(want, "\n"))
		}
		if _, err := rowsOf(t.Context(), db, "EXPLAIN "+q); err != nil {
			return wrongf("EXPLAIN %s: %v", q, err)
		}
	}
	for _, q := range []string{
		"SHOW INDEXES", "SHOW CONSTRAINTS", "CALL db.labels()", "CALL db.relationshipTypes()", "CALL db.propertyKeys()",
		"MATCH (n:A) SET n.x = 77, n:New REMOVE n.name", "MERGE (n:B {key: 'k6'}) SET n.seen = true",
		"MATCH (a:A), (b:B) WHERE a.x = 77 CREATE (a)-[:NEW {w: 1}]->(b)", "MATCH (n:B) DETACH DELETE n",
		"MATCH (n) RETURN n", "MATCH ()-[r]->() RETURN r",
	} {
		if _, err := rowsOf(t.Context(), db, q); errors.Is(err, context.DeadlineExceeded) {
			return wrongf("no answer in time to %s", q)
		} // a constraint may refuse the write
	}
	return nil
}

// rowsOf returns the rows of a query, sorted.
func rowsOf(ctx context.Context, db *motif.DB, query string, opts ...motif.QueryOption) (lines []string, err error) {
	rows, err := db.Query(ctx, query, nil, append(opts, motif.WithTimeout(time.Minute), motif.WithMemory(1<<30))...)
	lines, err = linesOf(rows, err)
	slices.Sort(lines)
	return lines, err
}

// askStore looks up every external id, and makes a backup of the graph as the statements have left it.
func askStore(t *testing.T, s *storage.Store) error {
	t.Helper()
	snap, err := s.Snapshot(t.Context())
	if err != nil {
		return wrongf("%v", err)
	}
	for _, x := range snap.External {
		for v := range csr.VertexID(snap.N()) {
			c, ok := x.IDs.Get(uint64(v))
			if !ok {
				continue
			}
			if at, found, err := s.Lookup(t.Context(), x.Name, c); err != nil || !found || at != v {
				return wrongf("external id %v of vertex %d leads to %d, %t, %v", c, v, at, found, err)
			}
		}
	}
	var copied bytes.Buffer
	if _, err := s.Backup(t.Context(), &copied); err != nil {
		return wrongf("backup: %v", err)
	}
	return nil
}

// richBackup is the backup of a small graph with everything that a store can hold.
func richBackup(t *testing.T) []byte {
	t.Helper()
	b := csr.NewBuilder()
	labels := []csr.LabelID{b.Label("A"), b.Label("B"), b.Label("C")}
	x, name, w := b.Key("x"), b.Key("name"), b.Key("w")
	for v := range uint32(26) {
		b.AddVertex(labels[:v%4]...)
		b.SetVertex(v, x, csr.IntCell(int64(v%7)))
		b.SetVertex(v, name, csr.StringCell(fmt.Sprintf("né%d", v)))
		if v%2 == 1 { // statements cannot store these
			b.SetVertex(v, b.Key("list"), nested(t, value.OfList([]value.Value{value.OfInt(int64(v)), value.OfString("x"), value.OfList(nil), {}})))
			b.SetVertex(v, b.Key("map"), nested(t, value.OfMap(&value.MapValue{Keys: []string{"k", "f"}, Values: []value.Value{value.OfInt(int64(v)), value.OfFloat(0.5)}})))
		}
		b.External("people", v, csr.IntCell(int64(v)*5-20))
		if v%2 == 0 {
			b.External("codes", v, csr.StringCell(fmt.Sprintf("code-%d", v)))
		}
	}
	r := rand.New(rand.NewPCG(1, 32))
	types := []csr.TypeID{b.Type("R"), b.Type("S"), b.Type("T")}
	for i := range uint64(55) {
		src, dst := uint32(r.IntN(26)), uint32(r.IntN(26))
		if i%9 == 0 {
			dst = src
		}
		for range 1 + i%5/4 { // some parallel
			e := b.AddEdge(src, dst, types[i%3%2+i%7/6])
			b.SetEdge(e, w, csr.FloatCell(float64(i)/4))
		}
	}
	snap, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	db := published(t, snap)
	for _, q := range []string{
		"MATCH (n) SET n.ok = id(n) % 2 = 0, n.f = id(n) / 3.0, n.key = 'k' + id(n)",
		"MATCH (n) SET n.mixed = CASE id(n) % 5 WHEN 0 THEN 1 WHEN 1 THEN 'text' WHEN 2 THEN 1.5 WHEN 3 THEN [1, 2] ELSE true END",
		"MATCH (n) WHERE id(n) % 2 = 0 SET n.list = [id(n), 1, 2], n.day = date('2020-01-01') + duration({days: id(n)})",
		"MATCH (n) WHERE id(n) % 3 = 0 SET n.when = datetime('2021-05-05T10:00[Europe/Berlin]'), n.span = duration({months: id(n), seconds: 5}), n.at = localtime('10:11:12')",
		"MATCH (n) SET n.strings = ['a', 'b'], n.clock = time('10:00+02:00'), n.local = localdatetime('2020-01-01T00:00')",
		"MATCH ()-[r:S]->() SET r.since = date('2020-01-01'), r.tags = ['a', 'b'], r.n = id(r)",
		"CREATE INDEX by_x FOR (n:A) ON (n.x)", "CREATE INDEX by_name FOR (n:A) ON (n.name)",
		"CREATE CONSTRAINT one_key FOR (n:B) REQUIRE n.key IS UNIQUE", "CREATE CONSTRAINT has_name FOR (n:A) REQUIRE n.name IS NOT NULL",
		"MATCH (n {key: 'k3'}) DETACH DELETE n", "CREATE (:D {x: 5})-[:U]->(:A {x: 3, name: 'new'})",
	} {
		if _, err := db.Exec(t.Context(), q, nil); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	var file bytes.Buffer
	if _, err := db.Backup(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func nested(t *testing.T, v value.Value) csr.Cell {
	t.Helper()
	c, err := v.Cell()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// backupFile is a backup taken apart, as docs/storage-format.md describes it.
type backupFile struct {
	blocks []block
	count  int    // added to the number of blocks
	tail   []byte // the published time, and the numbers of nodes and relationships, of the head
}

type block struct{ key, head, payload []byte } // head: version and flags

const backupMagic = "motif backup 1\n"

func readBackup(t *testing.T, file []byte) *backupFile {
	t.Helper()
	rest, ok := bytes.CutPrefix(file, []byte(backupMagic))
	if !ok {
		t.Fatal("this is no backup")
	}
	take := func() []byte {
		n, size := binary.Uvarint(rest)
		data := rest[size : size+int(n)]
		rest = rest[size+int(n):]
		return data
	}
	b := &backupFile{}
	for key := take(); len(key) > 0; key = take() {
		value := take()
		b.blocks = append(b.blocks, block{key, value[:2], value[2 : len(value)-4]})
	}
	_, size := binary.Uvarint(rest)
	rest = rest[size:]
	b.tail = take()
	return b
}

func (b *backupFile) clone() *backupFile {
	c := &backupFile{blocks: slices.Clone(b.blocks), tail: b.tail}
	for i := range c.blocks {
		x := &c.blocks[i]
		x.key, x.head, x.payload = bytes.Clone(x.key), bytes.Clone(x.head), bytes.Clone(x.payload)
	}
	return c
}

// bytes puts the backup together, with all checksums and lengths right.
func (b *backupFile) bytes() []byte {
	table := crc32.MakeTable(crc32.Castagnoli)
	out, size := []byte(backupMagic), uint64(0)
	field := func(data []byte) { out = append(binary.AppendUvarint(out, uint64(len(data))), data...) }
	for _, x := range b.blocks {
		value := slices.Concat(x.head, x.payload)
		sum := crc32.Update(crc32.Checksum(x.key, table), table, value)
		value = binary.LittleEndian.AppendUint32(value, sum)
		field(x.key)
		field(value)
		size += uint64(len(x.key) + len(value))
	}
	out = binary.AppendUvarint(append(out, 0), uint64(len(b.blocks)+b.count))
	rest := b.tail
	skip := func() []byte {
		_, n := binary.Uvarint(rest)
		part := rest[:n]
		rest = rest[n:]
		return part
	}
	head := slices.Concat(skip(), skip())
	skip()
	head = append(binary.AppendUvarint(head, size), rest...)
	field(head)
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, table))
}

// TestBackupOfTooManyNodes restores backups that announce nodes without any data, in every place that counts them.
func TestBackupOfTooManyNodes(t *testing.T) {
	snap, err := csr.New(csr.Data{Vertices: 1, Classes: []csr.Class{{Range: csr.Range{Hi: 1}}}, NextNode: 1})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := storeOf(published(t, snap)).Backup(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		nodes    uint64
		restored bool
	}{{1000, true}, {1 << 30, false}, {1<<32 - 3, false}} {
		x := readBackup(t, file.Bytes())
		number := binary.AppendUvarint(nil, c.nodes)
		for i := range x.blocks {
			p := x.blocks[i].payload
			switch key := string(x.blocks[i].key[13:]); {
			case strings.HasPrefix(key, "meta"): // nodes, relationships, next ids
				x.blocks[i].payload = slices.Concat(number, p[1:2], number, p[3:])
			case strings.HasPrefix(key, "classes"):
				x.blocks[i].payload = slices.Concat(p[:1], number, p[2:])
			}
		}
		x.tail = slices.Concat(x.tail[:len(x.tail)-2], number, x.tail[len(x.tail)-1:])
		db, err := motif.Open(":memory:")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		info, err := db.Restore(t.Context(), bytes.NewReader(x.bytes()))
		if c.restored && (err != nil || info.Nodes != c.nodes) || !c.restored && !errors.Is(err, motif.ErrCorrupt) {
			t.Errorf("%d nodes: %v, %v", c.nodes, info, err)
		}
	}
}
