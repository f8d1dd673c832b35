// Weak components, after Afforest (Sutton, Ben-Nun and Barak 2018).
//
// Input: CSR adjacency in both directions, of fewer than 2^32 - 1 vertices. of[v] leads to a vertex of v's component that is no
// larger than v; a root leads to itself, so that in the end it is the smallest of its component. open is the bitmap of the vertices
// that are there; null: all.
//
// What makes it fast: links lead to smaller vertices only, so that lanes agree by one compare-and-swap. One or two edges of every
// vertex are linked first, which joins most of the graph; the vertices that are then with a vertex of large degree are left
// out: an edge from them to others is seen from there.
#include "lists.cuh"

DEV bool is_open(const u32 *open, u32 v) { return !open || once(open + (v >> 5)) >> (v & 31) & 1; }

// Joins the trees of two vertices, the root that is larger below the other. Whether they were in two.
DEV bool join_trees(u32 *of, u32 v, u32 w) {
  u32 a = read(of + v), b = read(of + w);
  bool two = a != b;
  while (a != b) {
    u32 high = a > b ? a : b, low = a > b ? b : a, above = read(of + high);
    if (above == low || above == high && swap_if(of + high, high, low) == high) break;
    a = read(of + read(of + high)), b = read(of + low);
  }
  return two;
}

KERNEL(components_begin, 256)(u32 *of, u32 vertices) {
  for (u64 v = (u64)block_id() * block_size() + thread_id(); v < vertices; v += (u64)grid_size() * block_size()) of[v] = (u32)v;
}

// Links every vertex by its edge in a place of its row.
KERNEL(components_first, 256)(const u64 *offsets, const u32 *targets, const u32 *open, u32 *of, u32 vertices, u32 place) {
  for (u64 v = (u64)block_id() * block_size() + thread_id(); v < vertices; v += (u64)grid_size() * block_size()) {
    u64 e = once(offsets + v) + place;
    if (e >= once(offsets + v + 1) || !is_open(open, (u32)v)) continue;
    u32 w = once(targets + e);
    if (is_open(open, w)) join_trees(of, (u32)v, w);
  }
}

// Points every vertex to its root.
KERNEL(components_flatten, 256)(u32 *of, u32 vertices) {
  for (u64 v = (u64)block_id() * block_size() + thread_id(); v < vertices; v += (u64)grid_size() * block_size()) {
    u32 root = read(of + v), above = read(of + root);
    while (above != root) root = above, above = read(of + root);
    exchange(of + v, root);
  }
}

// Links all vertices by their edges from a place of their rows on, but those that are with hub; ~0: there is none. A warp spreads
// the rows of 32 vertices over its lanes, and a block shares long ones. joined counts the edges that were not needed.
KERNEL(components_rest, 256)(const u64 *offsets, const u32 *targets, const u32 *open, u32 *of, u32 vertices, u32 place, u32 hub,
                             u32 long_row, u64 *joined) {
  SHARED(u32, later, 256);
  SHARED(u32, count, 1);
  u32 lane = lane_id(), needless = 0;
  auto link = [&](u32 v, u64 e) __attribute__((always_inline)) {
    u32 w = once(targets + e);
    if (is_open(open, w) && !join_trees(of, v, w)) needless++;
  };
  for (u64 base = (u64)block_id() * block_size(); base < vertices; base += (u64)grid_size() * block_size()) {
    if (thread_id() == 0) count[0] = 0;
    sync_block();
    u64 v = base + thread_id(), begin = 0, n = 0;
    if (v < vertices && is_open(open, (u32)v) && (hub == ~0u || read(of + v) != read(of + hub))) {
      begin = once(offsets + v) + place;
      u64 end = once(offsets + v + 1);
      n = end > begin ? end - begin : 0;
    }
    if (n >= long_row) later[add(&count[0], 1)] = (u32)v, n = 0;
    u32 total, prefix = warp_prefix((u32)n, &total);
    for (u32 at = 0; at < total; at += 32) {
      u32 x = at + lane, o = owner_of(prefix, x < total ? x : total - 1), from = shuffle(ALL, (u32)v, o), first = shuffle(ALL, prefix, o);
      u64 start = shuffle64(ALL, begin, o);
      if (x < total) link(from, start + (x - first));
    }
    sync_block();
    for (u32 i = 0; i < read(&count[0]); i++)
      for (u64 e = once(offsets + later[i]) + place + thread_id(), end = once(offsets + later[i] + 1); e < end; e += block_size()) link(later[i], e);
    sync_block();
  }
  needless = warp_sum(needless);
  if (lane == 0 && needless) add(joined, (u64)needless);
}

// The bitmap of the roots.
KERNEL(components_roots, 256)(const u32 *of, const u32 *open, u32 vertices, u32 *roots) {
  for (u64 base = (u64)block_id() * block_size() + (thread_id() & ~31u); base < vertices; base += (u64)grid_size() * block_size()) {
    u64 v = base + lane_id();
    u32 word = ballot(ALL, v < vertices && once(of + v) == v && is_open(open, (u32)v));
    if (lane_id() == 0) roots[base >> 5] = word;
  }
}

// Numbers the components by their roots, ranks of the words of whose bitmap are given, and counts their vertices.
KERNEL(components_name, 256)(u32 *of, const u32 *open, u32 vertices, const u32 *roots, const u64 *ranks, u32 *sizes) {
  for (u64 base = (u64)block_id() * block_size() + (thread_id() & ~31u); base < vertices; base += (u64)grid_size() * block_size()) {
    u64 v = base + lane_id();
    u32 name = ~0u;
    if (v < vertices && is_open(open, (u32)v)) {
      u32 root = of[v];
      name = (u32)once(ranks + (root >> 5)) + popcount(once(roots + (root >> 5)) & ((1u << (root & 31)) - 1));
    }
    if (v < vertices) of[v] = name;
    for (u32 left = ballot(ALL, name != ~0u); left;) {
      u32 first = shuffle(ALL, name, lowest(left)), same = ballot(ALL, name == first);
      if (lane_id() == lowest(left)) add(sizes + first, popcount(same));
      left &= ~same;
    }
  }
}
