// k-cliques of a graph whose edges run from lower to higher rank, each clique counted at its lowest vertex, its root.
//
// Input: the oriented graph in CSR form; out lists sorted by rank. A degeneracy order keeps them short, but any length is right.
// k is at least 3. roots lists the vertices to start from; a launch takes those at every step-th place of [first, last).
//
// What makes it fast: the graph among a root's out-neighbours becomes a bitmap, so that choosing a vertex is an AND of words and
// the last two levels are popcounts (KCMiner). A root of up to 32 neighbours is a warp's, with a word a row; a larger one
// is a block's, whose lanes form groups just wide enough for a row, so that no lane holds nothing. Rows lie in shared memory
// as long as they fit. Roots are taken from a counter, the heavy ones first, so that no one waits long for the last.
#include "lists.cuh"


// How many sets of r vertices of the word set are cliques; row holds, for each vertex, those above it that it is joined to.
DEV u64 descend(const u32 *row, u32 set, u32 r) {
  u32 stack[32];
  u32 depth = 0;
  u64 found = 0;
  if (r == 1) return popcount(set);
  for (;;) {
    if (r - depth == 2) {
      for (; set; set &= set - 1) found += popcount(set & row[lowest(set)]);
    }
    if (!set) {
      if (depth == 0) return found;
      set = stack[--depth];
      continue;
    }
    u32 v = lowest(set);
    stack[depth++] = set & (set - 1);
    set &= row[v];
  }
}

KERNEL(cliques_small, 256)(const u64 *offsets, const u32 *targets, const u32 *roots, u32 first, u32 last, u32 step, u32 k, u32 *next,
                           const u32 *stop, u64 *total) {
  SHARED(u32, rows, 256);
  u32 *row = rows + warp_id() * 32;
  u32 lane = lane_id();
  u64 found = 0;
  for (;;) {
    u32 at = next_item(stop, next, first, last, step);
    if (at == ~0u) break;
    u32 root = once(roots + at);
    u64 begin = once(offsets + root);
    u32 d = (u32)(once(offsets + root + 1) - begin), mine = lane < d ? once(targets + begin + lane) : 0, own = 0;
    for (u32 i = 0; i + 1 < d; i++) {
      u32 t = shuffle(ALL, mine, i);
      u64 from = once(offsets + t);
      u32 n = (u32)(once(offsets + t + 1) - from);
      u32 word = ballot(ALL, lane > i && lane < d && place(targets + from, n, mine) < n);
      if (lane == i) own = word;
    }
    row[lane] = own;
    sync_warp(ALL);
    found += descend(row, own, k - 2);
    sync_warp(ALL);
  }
  found = warp_sum64(found);
  if (lane == 0) add_wide(total, found);
}

// The lanes of a group, which hold a row of words between them.
struct Group {
  u32 size, lane, mask, base; // base: the warp's lane that is its first
};

DEV Group group_of(u32 size) {
  u32 base = lane_id() & ~(size - 1);
  return {size, lane_id() - base, (size == 32 ? ALL : (1u << size) - 1) << base, base};
}

// This lane's share of the edges among the vertices of set: it goes through those in its own words.
DEV u64 edges_in(const Group &g, const u32 *rows, u32 words, const u32 *set) {
  u64 found = 0;
  for (u32 w = g.lane; w < words; w += g.size) {
    for (u32 left = set[w]; left; left &= left - 1) {
      const u32 *row = rows + (u64)(w * 32 + lowest(left)) * words;
      for (u32 i = w; i < words; i++) found += popcount(set[i] & row[i]);
    }
  }
  return found;
}

// Takes the lowest vertex out of the set; ~0 where it is empty. All lanes of the group get it.
DEV u32 take_lowest(const Group &g, u32 *set, u32 words) {
  for (u32 base = 0; base < words; base += g.size) {
    u32 w = base + g.lane, word = w < words ? set[w] : 0;
    u32 some = ballot(g.mask, word != 0);
    if (some) {
      u32 owner = lowest(some), bits = shuffle(g.mask, word, owner);
      if (lane_id() == owner) set[w] = bits & (bits - 1);
      return (base + owner - g.base) * 32 + lowest(bits);
    }
  }
  return ~0u;
}

// This lane's share of the cliques of r vertices among those that row i of the bitmap holds. stack has room for r - 1 sets.
DEV u64 count_from(const Group &g, const u32 *rows, u32 words, u32 *stack, u32 i, u32 r) {
  u64 found = 0;
  const u32 *own = rows + (u64)i * words;
  if (r == 1) {
    for (u32 w = g.lane; w < words; w += g.size) found += popcount(own[w]);
    return found;
  }
  if (r == 2) return edges_in(g, rows, words, own);
  for (u32 w = g.lane; w < words; w += g.size) stack[w] = own[w];
  u32 depth = 0;
  for (;;) {
    u32 *set = stack + depth * words, *below = set + words;
    u32 v = take_lowest(g, set, words);
    if (v == ~0u) {
      if (depth == 0) return found;
      depth--;
      continue;
    }
    const u32 *row = rows + (u64)v * words;
    for (u32 w = g.lane; w < words; w += g.size) below[w] = set[w] & row[w];
    if (r - depth == 3) {
      sync_warp(g.mask);
      found += edges_in(g, rows, words, below);
      sync_warp(g.mask);
    } else {
      depth++;
    }
  }
}

// Row i of the bitmap of the d vertices at hood: which of those above it vertex i has edges to. By the whole warp.
DEV void build_row(const u64 *offsets, const u32 *targets, const u32 *hood, u32 d, u32 *row, u32 words, u32 i) {
  u32 t = once(hood + i), lane = lane_id();
  u64 from = once(offsets + t);
  const u32 *list = targets + from;
  u32 n = (u32)(once(offsets + t + 1) - from);
  if (d - i <= 2 * n) { // fewer vertices to look up in the list than entries of the list
    for (u32 w = 0; w < words; w++) {
      u32 j = w * 32 + lane;
      u32 word = ballot(ALL, j > i && j < d && place(list, n, once(hood + j)) < n);
      if (lane == 0) row[w] = word;
    }
    return;
  }
  for (u32 w = lane; w < words; w += 32) row[w] = 0;
  sync_warp(ALL);
  for (u32 e = lane; e < n; e += 32) {
    u32 j = place(hood, d, once(list + e));
    if (j < d) either(&row[j >> 5], 1u << (j & 31));
  }
}

KERNEL(cliques_block, 256)(const u64 *offsets, const u32 *targets, const u32 *roots, u32 first, u32 last, u32 step, u32 k, u32 *next,
                           const u32 *stop, u64 *total, u32 group, u32 most, u32 *scratch, u64 scratch_words) {
  DYNAMIC(u32, memory);
  SHARED(u32, at, 1);
  SHARED(u32, turn, 1);
  u32 most_words = (most + 31) >> 5;
  u32 *rows = scratch ? scratch + block_id() * scratch_words : memory;
  Group g = group_of(group);
  u32 *stacks = scratch ? rows + (u64)most * most_words : memory + most * most_words;
  u32 *stack = stacks + (u64)(thread_id() / group) * (k - 2) * most_words;
  u64 found = 0;
  for (;;) {
    if (warp_id() == 0) {
      u32 got = next_item(stop, next, first, last, step);
      if (lane_id() == 0) at[0] = got, turn[0] = 0;
    }
    sync_block();
    if (at[0] == ~0u) break;
    u32 root = once(roots + at[0]);
    u64 begin = once(offsets + root);
    const u32 *hood = targets + begin;
    u32 d = (u32)(once(offsets + root + 1) - begin), words = (d + 31) >> 5;
    for (u32 i = warp_id(); i < d; i += block_size() >> 5) build_row(offsets, targets, hood, d, rows + (u64)i * words, words, i);
    sync_block();
    for (;;) {
      u32 i = 0;
      if (g.lane == 0) i = add(&turn[0], 1);
      i = shuffle(g.mask, i, g.base);
      if (i >= d) break;
      found += count_from(g, rows, words, stack, i, k - 2);
      sync_warp(g.mask);
    }
    sync_block();
  }
  sync_warp(ALL);
  found = warp_sum64(found);
  if (lane_id() == 0) add_wide(total, found);
}
