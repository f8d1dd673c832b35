//go:build cuda && cgo && linux

package cuda

func init() {
	mutants = append(mutants,
		mutant{"no barrier behind the bitmap", "cliques.cu", "stack, r.warp_room);\n    sync_block();", "stack, r.warp_room);", "Cliques"},
		mutant{"no barrier before the next root", "cliques.cu", "      sync_warp(ALL);\n    }\n    sync_block();", "      sync_warp(ALL);\n    }", "Cliques"},
		mutant{"no barrier behind a queue", "lists.cuh", "n += popcount(word);\n  }\n  sync_warp(ALL);", "n += popcount(word);\n  }", "Cliques"},
		mutant{"a row is not cleared", "cliques.cu", "rows[w] = 0;", "", "Cliques"},
		mutant{"off by one at 32 lanes", "cliques.cu", "} else if (n <= 32 && need", "} else if (n <= 33 && need", "Cliques"},
		mutant{"off by one at a word of 32", "cliques.cu", "words = (d + 31) >> 5, stride", "words = d >> 5, stride", "Cliques"},
		mutant{"every share has what is the first's", "cliques.cu", "bool mine = depth || share == 0;", "bool mine = true;", "Cliques"},
		mutant{"a wrong lane in the stack", "cliques.cu", "top_rest = shuffle(ALL, kept_rest, depth)", "top_rest = shuffle(ALL, kept_rest, depth + 1)", "Cliques"},
		mutant{"a total of 32 bits", "cliques.cu", "u64 lo = (u64)f.sum,", "u64 lo = (u32)f.sum,", "Cliques"},
		mutant{"a long list's last entry is left out", "clique_rows.cuh", "for (u32 e = 64 + lane; e < n; e += 32)", "for (u32 e = 64 + lane; e + 1 < n; e += 32)", "Cliques"},
		mutant{"no barrier before the next list", "clique_rows.cuh", "fits ? kept : 0);\n      sync_warp(ALL);", "fits ? kept : 0);", "Cliques"},
		mutant{"a short list's last entry is left out", "clique_rows.cuh", "warp_prefix(many < FEW_ENTRIES ? many : 0, &all);\n    for", "warp_prefix(many && many < FEW_ENTRIES ? many - 1 : 0, &all);\n    for", "Cliques"},
		mutant{"a warp forgets the last of its roots", "clique_rows.cuh", "i < n; i++)\n      if (!f(", "i + (n > 1) < n; i++)\n      if (!f(", "Cliques"},
		mutant{"edges of many vertices have one share", "cliques.cu", "items = many * r.shares + at[2];", "items = many + at[2];", "Cliques"},
		mutant{"a root that was put off is counted at once, too", "cliques.cu", "      sync_block();\n      continue;", "      sync_block();", "Cliques"},
		mutant{"no barrier behind the edges that begin cliques", "cliques.cu", "count[0] = many, count[1] = few;\n  }\n  sync_block();", "count[0] = many, count[1] = few;\n  }", "Cliques"},
		mutant{"what is handed on forgets its pivots", "cliques.cu", "lane == 1 ? q : need", "lane == 1 ? 0 : need", "Cliques"},
		mutant{"a bitmap of a word misses the second", "cliques.cu", "y & 32 ? high : low", "low", "Cliques"},
		mutant{"a root's bound is too low by one", "clique_bounds.cu", ">= k) k++;", "> k) k++;", "CliqueBounds"},
		mutant{"a lane without a neighbour counts", "clique_bounds.cu", "base + lane_id() < d && degrees[base + lane_id()] + 2 >= k", "degrees[base + lane_id() < d ? base + lane_id() : 0] + 2 >= k", "CliqueBounds"},
		mutant{"no barrier before the degrees", "clique_bounds.cu", "list, warp_room);\n    sync_block();", "list, warp_room);", "CliqueBounds"},
		mutant{"a root's place is the warp's first", "clique_rows.cuh", "first + ((u64)taken + i) * step)", "first + (u64)taken * step)", "CliqueBounds"},
		mutant{"a clique's last vertex stands beside its place", "cliques_list.cu", "below += y < x;", "below += y <= s.mine;", "CliqueLists"},
		mutant{"a page has one clique of the next", "cliques_list.cu", "number >= p.from && number < p.to", "number >= p.from && number <= p.to", "CliqueLists"},
		mutant{"no barrier behind a set", "cliques_list.cu", "from[w] & row[w]);\n      sync_warp(ALL);", "from[w] & row[w]);", "CliqueLists"},
		mutant{"no empty tasks behind the last", "kcminer.cu", "bool task = at < n && (use", "bool task = (use", "KCMiner"},
		mutant{"a lane takes its neighbour's task", "kcminer.cu", "u32 task = mine ? ring[(head + lane) & 63] : 0", "u32 task = mine ? ring[(head + lane + 1) & 63] : 0", "KCMiner"},
		mutant{"a lane's wrong bit", "kcminer.cu", "= lane << 16 | at;", "= lane << 16 | (at ^ 1);", "KCMiner"},
		mutant{"no barrier between the buffers", "kcminer.cu", "      c.found += found;\n      sync_warp(ALL);", "      c.found += found;", "KCMiner"},
		mutant{"no barrier behind a ring", "kcminer.cu", "    sync_warp(ALL);\n    u32 n = tail - head < 32", "    u32 n = tail - head < 32", "KCMiner"},
		mutant{"the rest of a ring is not drained", "kcminer.cu", "if (n == 0) { // the level is done", "if (n == 0 || n < 32 && level) { // the level is done", "KCMiner"},
	)
	slips = append(slips, mutant{"a copy waits for kernels that nobody can stop then", "launch.go", "	if d.launched == 0 {", "	if true {", "StopCliques"})
}
