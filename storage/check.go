package storage

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sync"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/roaring"
	"github.com/motifql/motif/internal/value"
)

// Problem is one thing that Check found wrong.
type Problem struct {
	Key  string // the block or key, in words
	What string
}

func (p Problem) String() string { return p.Key + ": " + p.What }

// CheckReport is what Check found.
type CheckReport struct {
	Info   Info
	Blocks uint64 // blocks of the live graph that were read
	// Transactions of the change log that were read and applied.
	Transactions uint64
	// Orphans are values of unfinished or superseded loads and transactions; harmless, the next open for writing removes them.
	Orphans  uint64
	Problems []Problem
}

// OK reports whether nothing is wrong.
func (r *CheckReport) OK() bool { return len(r.Problems) == 0 }

// mostProblems bounds the list, so that a store made for it cannot fill memory.
const mostProblems = 1000

// checker gathers problems while it fills the same structures that opening does.
type checker struct {
	loader
	store  *Store
	head   *head
	report *CheckReport

	found  sync.Mutex // guards report and what follows
	labels map[[2]uint32][]roaring.Range
	lookup []lookupBlock
}

type lookupBlock struct {
	space   uint32
	number  uint64
	entries []lookupEntry
}

// Check reads everything in the store, whatever is cached, and verifies it. It covers every checksum, the number of blocks,
// adjacency, stable ids, columns, and external ids in both directions. It compares label bitmaps with the class table, and
// the statistics and the degeneracy with new ones. The error is about Check itself; the report lists the faults of the
// store.
func (s *Store) Check(ctx context.Context) (*CheckReport, error) {
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	for try := 0; ; try++ {
		if s.opt.Shared {
			if err := s.sharing.catchUp(ctx); err != nil {
				return nil, err
			}
		}
		report, err := checkOnce(ctx, s)
		if wrong := err != nil || !report.OK(); !wrong || ctx.Err() != nil || !s.opt.Shared || try == followTries || !s.sharing.epochGone() {
			return report, err
		}
		s.sharing.followed.tail = nil // another process has replaced what was being checked
	}
}

// checkOnce is Check of the files as they are. The caller has busy.
func checkOnce(ctx context.Context, s *Store) (*CheckReport, error) {
	info, err := s.Info()
	if err != nil {
		return nil, err
	}
	c := newChecker(s, s.head.Load(), info)
	if err := s.checkFiles(c); err != nil {
		return nil, err
	}
	if s.inMemory() {
		return c.report, nil
	}
	err = s.withBlocks(c.head, func(from blockSource) error {
		c.checkKeys(from)
		if info.Epoch == 0 {
			return nil
		}
		return c.checkGraph(ctx, from)
	})
	if err != nil && ctx.Err() == nil { // the files of the epoch cannot be used at all
		c.failure(graphWords, err)
		err = nil
	}
	if err == nil {
		err = c.checkLog(ctx)
	}
	slices.SortFunc(c.report.Problems, func(a, b Problem) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.What, b.What)) })
	c.report.Problems = slices.Compact(c.report.Problems)
	return c.report, err
}

func newChecker(s *Store, h *head, info Info) *checker {
	c := &checker{store: s, head: h, report: &CheckReport{Info: info}, labels: make(map[[2]uint32][]roaring.Range)}
	c.names = new(names)
	return c
}

// verify checks the blocks of an epoch before it is published, as Check does. It refuses encoded values that Check lets pass, too:
// those that no version of Motif writes.
func verify(ctx context.Context, s *Store, h *head, from blockSource) error {
	c := newChecker(s, h, Info{Epoch: h.epoch})
	if err := c.checkGraph(ctx, from); err != nil {
		return err
	}
	if len(c.report.Problems) == 0 {
		c.checkNested()
	}
	if p := c.report.Problems; len(p) > 0 {
		return errors.New(p[0].String())
	}
	return nil
}

// checkNested sees that encoded values are lists, maps, temporal values or points.
func (c *checker) checkNested() {
	nested := func(s string) error {
		if !value.IsNested(s) {
			return value.ErrEncoding
		}
		return nil
	}
	columns := slices.Concat(c.data.VertexProps, c.data.EdgeProps)
	for _, x := range c.data.External {
		columns = append(columns, x.IDs)
	}
	for _, column := range columns {
		if column == nil {
			continue
		}
		for i := range column.NumChunks() {
			chunk := column.Chunk(i)
			if chunk == nil {
				continue
			}
			if err := checkEncoded(chunk, nested); err != nil {
				c.failure(graphWords, err)
			}
		}
	}
}

// problem records a fault.
func (c *checker) problem(key, what string, args ...any) {
	c.found.Lock()
	defer c.found.Unlock()
	switch n := len(c.report.Problems); {
	case n < mostProblems:
		c.report.Problems = append(c.report.Problems, Problem{key, fmt.Sprintf(what, args...)})
	case n == mostProblems:
		c.report.Problems = append(c.report.Problems, Problem{"more problems", "they are not listed"})
	}
}

// failure records an error of reading.
func (c *checker) failure(key string, err error) {
	var block *blockError
	if errors.As(err, &block) {
		key, err = c.names.describe(block.key), block.err
	}
	c.problem(key, "%v", err)
}

const graphWords = "the graph"

// checkFiles looks for files that do not belong to the live graph, and at the saved queries.
func (s *Store) checkFiles(c *checker) error {
	queries, err := s.storedQueries()
	if err != nil {
		c.failure("the saved queries", err)
	}
	for _, q := range queries {
		if _, err := readQuery(q.key, q.value); err != nil {
			c.problem(fmt.Sprintf("saved query %q", q.key[min(5, len(q.key)):]), "%v", err)
		}
	}
	if s.inMemory() || s.old != nil {
		return nil
	}
	live := s.head.Load()
	contents, err := s.disk.ReadFile(filepath.Join(s.dir, markName))
	if err == nil && !bytes.HasPrefix(contents, mark(live.store)[:markLen]) {
		err = errChecksum
	}
	if err == nil {
		var id storeID
		if id, err = readMark(contents); err == nil && id != live.store {
			err = errors.New("it belongs to another store")
		}
	}
	if err != nil {
		c.problem("the file "+markName, "%v", err)
	}
	entries, err := s.disk.ReadDir(s.dir)
	for _, e := range entries {
		if name := e.Name(); isEpochFile(name) && name != epochFolder(live.epoch) && name != logName(live.epoch) && name != flatName(live.epoch) {
			c.report.Orphans++
		}
	}
	return wrap(s.dir, "listing the directory", err)
}

// checkKeys looks for keys that should not be there and counts the blocks of other epochs.
func (c *checker) checkKeys(from blockSource) {
	from.keys(nil, func(key []byte, _ uint64) {
		logical, _, ok := splitPart(key)
		k, known := parseKey(logical)
		switch {
		case key[0] == kindStore && (slices.Equal(key, formatKey) || slices.Equal(key, headKey())), key[0] == kindQuery:
			if c.store.old == nil {
				c.problem(fmt.Sprintf("key %x", key), "it does not belong to an epoch")
			}
		case key[0] == kindChange && c.store.old != nil:
			if epoch, _, _, ok := parseChangeKey(key); !ok {
				c.problem(fmt.Sprintf("key %x", key), "unknown")
			} else if epoch != c.report.Info.Epoch {
				c.report.Orphans++
			}
		case !ok || !known:
			c.problem(fmt.Sprintf("key %x", key), "unknown")
		case k.epoch != c.report.Info.Epoch:
			c.report.Orphans++
		}
	})
}

func (c *checker) checkGraph(ctx context.Context, from blockSource) error {
	list := listBlocks(from, c.report.Info.Epoch, func([]byte) {})
	c.report.Blocks = uint64(len(list.refs))
	for i := range list.refs {
		if k := list.refs[i].blockKey; k.kind == kindMeta && !slices.Contains(records, k.record) {
			c.problem(c.names.words(k), "unknown")
		}
	}
	err := c.readRecords(list)
	if c.names == nil {
		c.names = new(names)
	}
	if err == nil {
		if err := c.meta.complete(list); err != nil {
			c.failure(graphWords, err)
		}
		err = c.allocate(list)
	}
	if err != nil {
		c.failure(graphWords, err)
		return c.checkSums(ctx, list) // nothing can be compared; see at least what can be read
	}
	c.checkHead(list)
	before := len(c.report.Problems)
	if err := c.checkBlocks(ctx, list); err != nil {
		return err
	}
	if err := c.complete(); err != nil {
		c.failure(graphWords, err)
	}
	if len(c.report.Problems) == before { // else the graph in memory has holes
		c.checkStats(ctx)
	}
	c.checkLabels()
	c.checkLookup()
	return ctx.Err()
}

// checkLog reads the change log, and applies it if what it changes is sound.
func (c *checker) checkLog(ctx context.Context) error {
	live := c.store.head.Load()
	st, err := c.store.eachTransaction(ctx, live, func(e logEntry) error {
		if _, err := e.changesOf(live.epoch); err != nil {
			c.failure(logWords, err)
		}
		return ctx.Err()
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.report.Transactions, c.report.Orphans = st.count, c.report.Orphans+st.orphans
	if err != nil {
		c.failure(logWords, err)
	}
	if len(c.report.Problems) > 0 || st.count == 0 {
		return nil
	}
	switch snap, err := c.store.load(ctx); {
	case err == nil:
		c.report.Info.Nodes, c.report.Info.Relationships = snap.N(), snap.M()
	case ctx.Err() == nil:
		c.problem(logWords, "%v", err)
	}
	return ctx.Err()
}

const logWords = "the change log"

// checkHead compares what the pointer to the graph tells of it.
func (c *checker) checkHead(list *contents) {
	have, words := c.head, c.names.describe(headKey())
	if c.meta.vertices != have.vertices || c.meta.edges != have.edges {
		c.problem(words, "%d nodes and %d relationships where the graph has %d and %d",
			have.vertices, have.edges, c.meta.vertices, c.meta.edges)
	}
	if list.total != have.bytes {
		c.problem(words, "%d bytes where the blocks take %d", have.bytes, list.total)
	}
}

// checkSums verifies only the checksums of blocks.
func (c *checker) checkSums(ctx context.Context, list *contents) error {
	return c.eachBlock(ctx, list, func(blockKey, []byte) error { return nil })
}

// checkBlocks decodes every block into its place.
func (c *checker) checkBlocks(ctx context.Context, list *contents) error {
	return c.eachBlock(ctx, list, func(k blockKey, payload []byte) error {
		switch k.kind {
		case kindMeta:
			return nil // decoded already
		case kindLabel:
			return c.addLabel(k, payload)
		case kindLookup:
			return c.addLookup(k, payload)
		}
		return c.add(k, payload)
	})
}

// eachBlock reads all blocks in parallel; what fails becomes a problem.
func (c *checker) eachBlock(ctx context.Context, list *contents, decode func(k blockKey, payload []byte) error) error {
	return list.each(ctx, c.store.opt.Workers, func(ref *blockRef, read readValue) error {
		if err := ref.read(read, func(payload []byte) error { return decode(ref.blockKey, payload) }); err != nil {
			c.failure(graphWords, err)
		}
		return nil
	})
}

func (c *checker) addLabel(k blockKey, payload []byte) error {
	set, err := decodeLabel(payload)
	if err != nil {
		return err
	}
	c.found.Lock()
	defer c.found.Unlock()
	c.labels[[2]uint32{k.group, uint32(k.at)}] = set
	return nil
}

func (c *checker) addLookup(k blockKey, payload []byte) error {
	entries, err := decodeLookup(payload)
	if err != nil {
		return err
	}
	c.found.Lock()
	defer c.found.Unlock()
	c.lookup = append(c.lookup, lookupBlock{k.group, k.at, entries})
	return nil
}

// checkLabels compares the label bitmaps with the class table.
func (c *checker) checkLabels() {
	for l, ranges := range allLabelRanges(c.data.Classes, len(c.names.labels)) {
		for chunk, want := range labelSets(ranges) {
			id := [2]uint32{uint32(l), chunk}
			words := c.names.words(blockKey{kind: kindLabel, group: uint32(l), at: uint64(chunk)})
			switch have, ok := c.labels[id]; {
			case !ok:
				c.problem(words, "missing or unreadable")
			case !slices.Equal(have, want):
				c.problem(words, "differs from the class table: %d nodes where that has %d", roaring.Len(have), roaring.Len(want))
			}
			delete(c.labels, id)
		}
	}
	for id := range c.labels {
		c.problem(c.names.words(blockKey{kind: kindLabel, group: id[0], at: uint64(id[1])}), "the class table has no such nodes")
	}
}

// checkLookup compares the two directions of the external ids: every entry of the lookup is the id of its vertex, the
// entries rise, and there are as many as ids.
func (c *checker) checkLookup() {
	slices.SortFunc(c.lookup, func(a, b lookupBlock) int {
		return cmp.Or(cmp.Compare(a.space, b.space), cmp.Compare(a.number, b.number))
	})
	found := make([]uint64, len(c.data.External))
	for i, b := range c.lookup {
		words := c.names.words(blockKey{kind: kindLookup, group: b.space, at: b.number})
		if int(b.space) >= len(found) {
			c.problem(words, "unknown id space")
			continue
		}
		first := i == 0 || c.lookup[i-1].space != b.space
		if want := uint64(0); !first {
			before := c.lookup[i-1]
			want = before.number + 1
			if b.number != want || compareEntries(before.entries[len(before.entries)-1], b.entries[0]) >= 0 {
				c.problem(words, "out of order")
			}
		} else if b.number != want {
			c.problem(words, "the blocks before it are missing")
		}
		found[b.space] += uint64(len(b.entries))
		c.checkEntries(words, c.data.External[b.space].IDs, b.entries)
	}
	for i, n := range found {
		ids := uint64(0)
		cells(c.data.External[i].IDs, func(uint64, csr.Cell) { ids++ })
		if n != ids {
			c.problem(fmt.Sprintf("external ids %q", c.data.External[i].Name), "%d can be looked up, %d nodes have one", n, ids)
		}
	}
}

func (c *checker) checkEntries(words string, ids *csr.Column, entries []lookupEntry) {
	for i := range entries {
		e := &entries[i]
		cell, ok := csr.Cell{}, false
		if e.vertex < c.data.Vertices {
			cell, ok = ids.Get(e.vertex)
		}
		if !ok || compareEntries(newLookupEntry(cell, e.vertex), *e) != 0 {
			c.problem(words, "vertex %d does not have the id %s", e.vertex, cellWords(e.cell()))
			return // one of a block is enough
		}
	}
}

// checkStats checks the invariants of the graph, and its statistics against new ones.
func (c *checker) checkStats(ctx context.Context) {
	stored := c.data.Stats
	snap, err := csr.NewContext(ctx, c.data)
	if ctx.Err() != nil {
		return // Check returns the context's error
	}
	if err != nil {
		c.failure(graphWords, err)
		return
	}
	words := c.names.words(blockKey{kind: kindMeta, record: recordStats})
	for _, what := range compareStats(stored, csr.RecomputeStats(&snap.Data)) {
		c.problem(words, "%s", what)
	}
	degeneracy, err := degeneracyOf(ctx, snap)
	if err != nil {
		return // Check returns the context's error
	}
	if stored.Degeneracy != degeneracy {
		c.problem(words, "degeneracy %d where the graph has %d", stored.Degeneracy, degeneracy)
	}
}

// compareStats lists the parts of the statistics that differ. Wedge counts are sums of floats, whose last digits
// depend on the order of summing.
func compareStats(have, want *csr.Stats) []string {
	var diffs []string
	note := func(same bool, what string) {
		if !same {
			diffs = append(diffs, what+" differ from those of the graph")
		}
	}
	near := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-9*math.Abs(b) }
	note(slices.Equal(have.LabelCount, want.LabelCount), "counts of nodes by label")
	note(slices.EqualFunc(have.Types, want.Types, func(a, b csr.TypeStat) bool {
		same := near(a.OutOut, b.OutOut) && near(a.InIn, b.InIn) && near(a.InOut, b.InOut)
		a.OutOut, a.InIn, a.InOut = b.OutOut, b.InIn, b.InOut
		return same && a == b
	}), "figures of relationship types")
	note(slices.Equal(have.Shared, want.Shared), "pairs of types that share nodes")
	note(slices.Equal(have.Triples, want.Triples), "counts by label, type and label")
	return diffs
}
