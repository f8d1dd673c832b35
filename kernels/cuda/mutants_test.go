//go:build cuda && cgo && linux

package cuda

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mutant is a mistake planted into a kernel, and the test that must notice it.
type mutant struct{ name, file, was, is, test string }

var mutants = []mutant{
	{"test-and-set becomes check-then-set", "bfs.cuh", "return !(either(seen + at, bit) & bit);", "bool first = !(read(seen + at) & bit);\n  either(seen + at, bit);\n  return first;", "BFS"},
	{"an atomic addition becomes a plain one", "trusses.cu", "add(support + third, 1);", "support[third]++;", "Trusses"},
	{"a degree is taken down without an atomic", "cores.cu", "if (read(state + w) == LIVE) add(degree + w, ~0u);", "if (read(state + w) == LIVE) degree[w]--;", "Cores"},
	{"a counter of the block is not cleared", "cores.cu", "    exchange(&ends[0], 0);\n    exchange(&ends[1], 0);\n", "    exchange(&ends[1], 0);\n", "Cores"},
	{"a wrong lane in the prefix sum", "gpu.h", "*total = shuffle(ALL, sum, 31);", "*total = shuffle(ALL, sum, 30);", "Triangles"},
	{"the owner of an item is off by one", "lists.cuh", "if (at <= x) lo += step;", "if (at < x) lo += step;", "Triangles"},
	{"off by one at 1,024", "bfs.cuh", "here = size < NARROW ? size : NARROW;", "here = size < NARROW ? size : NARROW - 1;", "LongWays"},
	{"what overflows a block's frontier is dropped", "bfs.cuh", "enqueue(f.queue, &f.next->few, few && !fits, v);", "", "BFS"},
	{"a block's frontier is taken for larger by one", "bfs.cuh", "fits = at < s.room;", "fits = at <= s.room;", "BFS"},
	{"no barrier before a block's frontier is handed on", "bfs.cuh", "  sync_block();\n  u32 n = read(&f.places[0]);", "  u32 n = read(&f.places[0]);", "BFS"},
	{"the rest of a hub's edges is dropped", "bfs.cuh", "(end - begin + part - 1) / part", "(end - begin) / part", "BFS"},
	{"a warp leaves a quarter of a long row out", "bfs.cu", "for (u32 i = 0; i < 4; i++)\n      if (u[i] != UNSEEN && once(seen", "for (u32 i = 0; i < 3; i++)\n      if (u[i] != UNSEEN && once(seen", "BFS"},
	{"a component counts among those before it", "components.cu", "((1u << (root & 31)) - 1)", "((2u << (root & 31)) - 1)", "Components"},
	{"no barrier before the long rows", "components.cu", "    sync_block();\n    for (u32 i = 0; i < read(&count[0])", "    for (u32 i = 0; i < read(&count[0])", "Components"},
	{"a search has the bit of another", "bfs_many.cu", "(u64)1 << i);", "(u64)1 << (i & 31));", "ManySearches"},
	{"a vertex is queued by all that add to it", "bfs_many.cu", "either(masks + (u64)vertices + w, fresh) == had;", "(either(masks + (u64)vertices + w, fresh), true);", "ManySearches"},
	{"a pull forgets the searches that a vertex had", "bfs_many.cu", "= had | got;", "= got;", "ManySearches"},
	{"blocks do not wait for each other", "bfs_together.cu", "sync_grid(gate);", "sync_block();", "BFS"},
	{"a slot of a level is not cleared", "bfs_together.cu", "mine[(done + 1) % 3] = Level{}, ", "", "BFS"},
	{"lanes of one word claim without the others", "bfs_together.cu", "if (lane >= first + by) all |= others;", "", "BFS"},
	{"lanes of one word ask the wrong lane", "bfs_together.cu", "last = later ? lowest(later) - 1 : 31", "last = later ? lowest(later) : 31", "BFS"},
	{"pieces of a row that warps share are left out", "bfs_together.cu", "end, 32 * BATCH << shift", "end, 64 * BATCH << shift", "BFS"},
	{"a batch finds room for its first edges alone", "bfs_together.cu", "    at += popcount(who[i]);\n", "", "BFS"},
	{"a pull forgets what was reached before", "bfs.cu", "seen[word] = was | found", "seen[word] = found", "BFS"},
	{"a support that passes the level is not put back", "trusses.cu", "if (exchange(support + e, to.level) != to.level) restored++;", "", "Trusses"},
	{"two edges that leave both update the third", "trusses.cu", "bool mine = !(s1 == LEAVES && e1 < e) && !(s2 == LEAVES && e2 < e);", "bool mine = true;", "Trusses"},
	{"an estimate wakes its own vertex", "cores.cu", "exchange(listed + w, pass + 1) != pass + 1;", "exchange(listed + v, pass + 1) != pass + 1;\n      w = v;", "Cores"},
	{"a vertex that counted on less is not woken", "cores.cu", "of > now && exchange", "of > now + 1 && exchange", "Cores"},
	{"a degree that passes the level is not put back", "cores.cu", "      add(p.degree + w, 1);\n", "", "Cores"},
	{"a scan forgets what lies before the last 1,024", "scan.cu", "before += all;", "before = all;", "Scan"},
	{"no barrier before the next 1,024 sums", "scan.cu", "    before += all;\n    sync_block();", "    before += all;", "Scan"},
	{"edges that leave stay in the matrix", "trusses.cu", "      clear_bits(matrix, words, once(low + e), once(high + e));\n    }\n    if (block", "    }\n    if (block", "Trusses"},
	{"a segment of 1,024 entries ends one too early", "lists.cuh", "*end = from + SEGMENT;", "*end = from + SEGMENT - 1;", "Trusses"},
	{"a full queue forgets who comes", "cores.cu", "  else p.spill[add(&p.now->spilled, 1)] = w;", "", "Cores"},
	{"a launch forgets the least degree that the one before has seen", "cores.cu", "    largest(&mine->least, to.least);\n", "", "Cores"},
	{"a bucket is full one count early", "signatures.cu", "u32 top = at + width - 1;", "u32 top = at + width - (width > 1 ? 2 : 1);", "Signatures"},
	{"a path's bucket is full one count early", "signatures.cu", "if (read(at) < width) add", "if (read(at) + 1 < width) add", "Signatures"},
	{"what is left out of a row reaches into the next class", "signatures.cu", "once(class_to + now))", "once(class_to + now + 1))", "Signatures"},
	{"a class of a long row is counted with the vertex itself", "signatures.cu", "place(row + first, n, v) < n) n--;", "place(row + first, n, v) > n) n--;", "Signatures"},
	{"pieces of a long row are left out", "filter.cu", "i += 32 * pieces", "i += 64 * pieces", "Filter"},
	{"triangles of equal degrees are found twice", "signatures.cu", "(other == row && w > v)", "other == row", "Signatures"},
	{"a vertex stands in its own walks", "signatures.cu", " - once(mine + j);", ";", "Signatures"},
	{"no barrier behind the labels around a vertex", "signatures.cu", "    sync_warp(ALL);\n    if (lane < words) around", "    if (lane < words) around", "Signatures"},
	{"a wrong lane in the list of a set", "filter.cu", "popcount(word & lanes_below())] = w * 32 + lane;", "popcount(word & lanes_below())] = w * 32 + (lane ^ 1);", "Filter"},
	{"the last word of a set is left out", "filter.cu", "w < words; w += grid_size() * warps) {\n    u32 word = set[w]", "w + 1 < words; w += grid_size() * warps) {\n    u32 word = set[w]", "Filter"},
	{"a warp looks through a row to another lane's end", "filter.cu", "last = shuffle64(ALL, end, o);", "last = shuffle64(ALL, end, (o + 1) & 31);", "Filter"},
	{"no empty tasks behind the last", "kcminer.cu", "bool task = at < n && (use", "bool task = (use", "KCMiner"},
	{"a lane takes its neighbour's task", "kcminer.cu", "u32 task = mine ? ring[(head + lane) & 63] : 0", "u32 task = mine ? ring[(head + lane + 1) & 63] : 0", "KCMiner"},
	{"no barrier between the buffers", "kcminer.cu", "      c.found += found;\n      sync_warp(ALL);", "      c.found += found;", "KCMiner"},
	{"no barrier behind a ring", "kcminer.cu", "    sync_warp(ALL);\n    u32 n = tail - head < 32", "    u32 n = tail - head < 32", "KCMiner"},
	{"the rest of a ring is not drained", "kcminer.cu", "if (n == 0) { // the level is done", "if (n == 0 || n < 32 && level) { // the level is done", "KCMiner"},
	{"a step of the join forgets what its vertex must differ from", "join.cuh", "for (; steps; steps &= steps - 1)", "for (steps &= steps - 1; steps; steps &= steps - 1)", "JoinLarge"},
	{"a length counts vertices that are taken", "join.cuh", "if (!again && place(list, n, v) < n) choices--;", "", "JoinTrees"},
	{"a page takes one match too many", "join.cu", "if (at + n > page.most) {", "if (at + n > page.most + 1) {", "JoinLarge"},
	{"matches are summed up in 32 bits", "join.cuh", "s->low += n;", "s->low = (u32)(s->low + n);", "JoinManyMatches"},
	{"what a warp has not got to is dealt from its start", "join.cu", "past = done > b.prefix ? done - b.prefix : 0;", "past = 0;", "JoinTrees"},
	{"no barrier behind the rows of a frame", "join.cu", "weights_of(j, k)[slot] = e.weight;\n  }\n  sync_warp(ALL);", "weights_of(j, k)[slot] = e.weight;\n  }", "JoinLarge"},
	{"an array is not cleared where it was touched", "homs.cu", "    if (a.wide) ((u64 *)a.at)[v] = 0;\n    else ((u32 *)a.at)[v] = 0;", "    if (a.wide) ((u64 *)a.at)[v] = 0;", "HomsRandom"},
	{"numbers stay in 32 bits", "homs.cu", "r.weights || x.sum >> 32, (u32)op[10]};", "r.weights != 0, (u32)op[10]};", "HomsNumbers"},
	{"all lanes add to an array without an atomic", "homs.cu", "add((u32 *)a.at + place[u], (u32)x[u]) == 0;", "(((u32 *)a.at)[place[u]] += (u32)x[u]) == (u32)x[u];", "HomsLarge"},
	{"no barrier before what was found is a vector", "homs.cu", "u32 *beyond) {\n  sync_block();\n  if (thread_id() == 0) {\n    b.vectors[to]", "u32 *beyond) {\n  if (thread_id() == 0) {\n    b.vectors[to]", "HomsRandom"},
	{"the block's share of a long row is a warp's", "homs.cu", "thread_id(), block_size(), value, beyond), beyond);", "lane_id(), block_size(), value, beyond), beyond);", "HomsRows"},
	{"a place counts its own vertex", "join_slices.cu", "((1u << (w & 31)) - 1)", "((2u << (w & 31)) - 1)", "HomsRandom"},
	{"rows that are empty start nowhere", "join_slices.cu", "for (u32 r = shuffle(ALL, first, o) + lane; r <= to; r += 32)", "for (u32 r = to + lane; r <= to; r += 32)", "HomsRandom|JoinLarge"},
	{"a sum along a row loses what another warp adds", "homs_weights.cu", "if (some && last && x && add(out + row, x) + x < x) beyond = 1;", "if (some && last) out[row] += x;", "HomsRows"},
	{"edges of two rows are added up together", "homs_weights.cu", "if (lane < by || of != row) continue;", "if (lane < by) continue;", "HomsRandom"},
	{"a vertex leaves a round too late", "orient.cu", "add(left + w, ~0u) == k + 1;", "add(left + w, ~0u) == k;", "Orient"},
	{"rows of a round overwrite those before", "orient.cu", "at += warp_take(count, all);", "at += shuffle(ALL, read(count), 0);\n  if (lane_id() == 0) add(count, all);", "Orient"},
	{"no barrier before a warp's next pairs", "sort.cu", "= had + popcount(same);\n        sync_warp(ALL);", "= had + popcount(same);", "Sort"},
	{"pairs of one digit change places", "sort.cu", "= had + popcount(same & lanes_below());", "= had + popcount(same & ~lanes_below()) - 1;", "Sort"},
	{"a tile is written over the one before", "sort.cu", "next[me] += found;", "next[me] += 0;", "Sort"},
	{"a part's first row is looked up by its entries alone", "join_level.cu", "lo + i + once(before + lo + i) <= d", "once(before + lo + i) <= d", "JoinLarge"},
	{"a part goes through its last row to the end", "join_level.cu", "u32 n = end - at < over - begin ? (u32)(end - at) : (u32)(over - begin)", "u32 n = (u32)(over - begin)", "JoinLarge"},
	{"rows and their entries find their places one after the other", "join_level.cu", "base = add(j.counter, (u64)rows << ENTRY_BITS | entries);", "for (u32 i = 0; i < 30; i++) base = i ? base | (i < 29 ? read((u32 *)j.counter) & 0 : add(j.counter, entries) & ENTRIES) : add(j.counter, (u64)rows << ENTRY_BITS) & ~ENTRIES;", "JoinLong"},
	{"a lane has only one of its two entries", "join_level.cu", "if (x + 32 * h < all && meets", "if (!h && x < all && meets", "JoinLong"},
	{"a bitmap lacks the first neighbour", "join_bits.cu", "once(offsets + first + i) + lane_id();", "once(offsets + first + i) + lane_id() + 1;", "JoinLong"},
	{"no barrier before what was collected is moved", "join_level.cu", "      sync_warp(ALL);\n      partial +=", "      partial +=", "JoinLarge"},
	{"numbers go on from a sum that does not fit", "homs.cu", "b.sum[1] ? 0 : *b.found, kind};", "*b.found, kind};", "HomsNumbers"},
	{"what is 0 again is listed beyond the list's end", "homs.cu", "if (fresh[u] && to + count[u] < a.places)", "if (fresh[u])", "HomsNumbers"},
}

// Every planted mistake is noticed, in one of a few orders of the lanes (with -v in how many: few are a weak test). It takes minutes: MOTIF_MUTANTS names the folder of the
// emulator (see emulate.sh), or the test is skipped.
func TestMutants(t *testing.T) {
	emulator := os.Getenv("MOTIF_MUTANTS")
	if emulator == "" {
		t.Skip("MOTIF_MUTANTS does not name the folder of the emulator")
	}
	list := mutants
	if strings.Contains(os.Getenv("SANITIZE"), "address") {
		list = overruns
	}
	for _, m := range list {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			src, out := t.TempDir(), t.TempDir()
			plant(t, m, src)
			reuse(t, m, emulator, out)
			if log, err := exec.Command("./emulate.sh", out, src).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, log)
			}
			m.mustBeNoticed(t, os.Args[0], out)
		})
	}
}

// overruns are mistakes that the address sanitizer must notice: SANITIZE=-fsanitize=address, as emulate.sh says, and go test -asan.
var overruns = []mutant{
	{"a copy reads beyond what it copies", "driver.cpp", "push(stream, [=] { memcpy(d, (void *)s, n); })", "push(stream, [=] { memcpy(d, (void *)s, n + 8); })", "Copies"},
	{"a lane writes beyond its array", "bfs.cu", "for (u32 i = 0; i < 4; i++) u[i] =", "for (u32 i = 0; i < 4 + (u32)(end - e > 6); i++) u[i] =", "BFS"},
}

// slips are mistakes in the part that is Go.
var slips = []mutant{
	{"a download does not wait for its copy", "copy.go", "			if err := before.wait(d); err != nil {\n				return err\n			}\n			copyWide(coming", "			copyWide(coming", "Copies"},
	{"an upload does not wait until its memory is free", "copy.go", "		if err := h.wait(d); err != nil {\n			return err\n		}\n		copyWide", "		copyWide", "Copies"},
	{"memory is not cleared", "memory.go", "	return b, fill(b, n, x)", "	return b, nil", "Triangles"},
	{"what a descent has left of a table is forgotten", "join_levels.go", "x.at += min(n, x.items-x.at)", "_, x.at = n, x.items", "JoinLong"},
	{"two answers get one loan", "loans.go", "return !x.lent && len", "return len", "Loans"},
	{"an answer does not wait for its ends", "trusses_answer.go", "	if err := p.q.ends.arrive(p.d); err != nil {\n		return nil, err\n	}\n", "", "Loans"},
	{"devices take the same turns", "deal.go", "(p.at-i%p.of+p.of)%p.of", "0", "Group"},
}

// TestSlips plants mistakes into the Go part, which is built anew for each, and has the emulator that MOTIF_MUTANTS names notice them.
func TestSlips(t *testing.T) {
	emulator := os.Getenv("MOTIF_MUTANTS")
	if emulator == "" || strings.Contains(os.Getenv("SANITIZE"), "address") {
		t.Skip("MOTIF_MUTANTS does not name the folder of the emulator, or it looks for overruns only")
	}
	for _, m := range slips {
		t.Run(m.name, func(t *testing.T) {
			out := t.TempDir()
			text, err := os.ReadFile(m.file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), m.was) {
				t.Fatalf("%s no longer has %q: write the mutant anew", m.file, m.was)
			}
			here, err := os.Getwd()
			if err != nil {
				t.Fatal(err)
			}
			planted := filepath.Join(out, "planted.go")
			overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(here, m.file): planted}})
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{planted: strings.Replace(string(text), m.was, m.is, 1), filepath.Join(out, "overlay"): string(overlay)} {
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			program := filepath.Join(out, "test")
			build := exec.Command("go", "test", "-c", "-tags", "cuda", "-overlay", filepath.Join(out, "overlay"), "-o", program, ".")
			if log, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, log)
			}
			m.mustBeNoticed(t, program, emulator)
		})
	}
}

// mustBeNoticed runs a test program on an emulator, one of which has the mistake, in several orders of the lanes.
func (m mutant) mustBeNoticed(t *testing.T, program, emulator string) {
	t.Helper()
	noticed := 0
	for seed := 0; seed < 8 && (noticed == 0 || testing.Verbose()); seed++ {
		c := exec.Command(program, "-test.run", "^Test"+m.test+"$", "-test.timeout", "60s", "-seed", fmt.Sprint(seed+1), "-rounds", "2")
		c.Env = append(os.Environ(), "LD_LIBRARY_PATH="+emulator, fmt.Sprintf("MOTIF_SIMT_SEED=%d", seed), "MOTIF_NEED_GPU=1", "MOTIF_MUTANTS=")
		if log, err := c.CombinedOutput(); err != nil {
			t.Logf("seed %d: %s", seed, strings.SplitN(string(log), "\n", 2)[0])
			noticed++
		}
	}
	if noticed == 0 {
		t.Error("nobody noticed")
	}
}

// reuse copies to out what the emulator was linked from, but what the mistake changes.
func reuse(t *testing.T, m mutant, emulator, out string) {
	t.Helper()
	objects, err := filepath.Glob(filepath.Join(emulator, "*.o"))
	if err != nil || len(objects) == 0 {
		t.Fatalf("%d objects in %s, %v", len(objects), emulator, err)
	}
	for _, object := range objects {
		name := filepath.Base(object)
		cpp := strings.TrimSuffix(m.file, ".cpp") // of a file that is the emulator's own, the rest of which stays
		source, kernels := strings.CutSuffix(name, ".cu.o")
		if name == m.file+".o" || name == cpp+".o" || kernels && strings.HasSuffix(m.file, ".h") || kernels && includes(t, source+".cu", m.file) {
			continue
		}
		text, err := os.ReadFile(object)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(out, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// includes reports whether a source includes a file, itself or by way of another one.
func includes(t *testing.T, source, file string) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("src", source))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "#include \"")
		if name = strings.TrimSuffix(name, "\""); ok && (name == file || strings.HasSuffix(name, ".cuh") && includes(t, name, file)) {
			return true
		}
	}
	return false
}

// plant copies the sources to dir, with the mistake.
func plant(t *testing.T, m mutant, dir string) {
	t.Helper()
	files, err := filepath.Glob("src/*")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(files, "src/"+m.file) {
		t.Fatalf("there is no %s: write the mutant anew", m.file)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(f) == m.file {
			if n := strings.Count(string(text), m.was); n == 0 {
				t.Fatalf("%s no longer has %q: write the mutant anew", m.file, m.was)
			}
			text = []byte(strings.Replace(string(text), m.was, m.is, 1))
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(f)), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
