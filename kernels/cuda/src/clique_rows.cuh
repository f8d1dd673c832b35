// The graph among the out-neighbours of a root, as rows of bits.
//
// Input: the oriented graph in CSR form, out lists sorted by rank, as in cliques.cu. Rows are 0 before.
//
// What makes it fast: lists of few entries, of which there are many where triangles are rare, are dealt evenly over the lanes, which look the
// entries up among the root's neighbours. Longer lists go through a warp's shared memory, the next one while the one before is at work, and each
// lane looks its own neighbour of the root up in them.
#pragma once
#include "lists.cuh"

#define FEW_ENTRIES 16

// Loads the next list of a root's neighbours while the one before is at work: the lane's two entries of the first 64.
struct Ahead {
  u32 e[2];
};

DEV Ahead load_ahead(const u32 *list, u32 n) {
  Ahead a;
  for (u32 c = 0; c < 2; c++) a.e[c] = c * 32 + lane_id() < n ? once(list + c * 32 + lane_id()) : 0;
  return a;
}

// Puts a list into a warp's memory, n entries of which two a lane are here already.
DEV void keep_list(u32 *kept, const u32 *list, u32 n, const Ahead &a) {
  u32 lane = lane_id();
  for (u32 c = 0; c < 2; c++)
    if (c * 32 + lane < n) kept[c * 32 + lane] = a.e[c];
  for (u32 e = 64 + lane; e < n; e += 32) kept[e] = once(list + e);
}

// Whether x is in a sorted list of n, which others than this kernel never see.
DEV bool is_kept(const u32 *kept, u32 n, u32 x) {
  u32 at = 0; // entries below x
  for (u32 step = n ? 1u << (31 - __builtin_clz(n)) : 0; step; step >>= 1)
    if (at + step <= n && kept[at + step - 1] < x) at += step;
  return at < n && kept[at] == x;
}

// The graph among up to 32 neighbours of a root: the row of the lane's own. Lists of few entries are dealt over the lanes, which
// look the entries up among the neighbours; the neighbours are looked up in longer ones, one list at a time. A warp has 96 words.
DEV u32 row_of_small(const u64 *offsets, const u32 *targets, u64 begin, u32 d, u32 *kept) {
  u32 lane = lane_id(), *rows = kept + 64, mine = lane < d ? once(targets + begin + lane) : ~0u, many = 0;
  u64 from = 0;
  if (lane + 1 < d) from = once(offsets + mine), many = (u32)(once(offsets + mine + 1) - from);
  rows[lane] = 0;
  sync_warp(ALL);
  u32 left = ballot(ALL, many >= FEW_ENTRIES), row = 0, i = left ? lowest(left) : 0;
  const u32 *list = targets + shuffle64(ALL, from, i);
  u32 n = shuffle(ALL, many, i);
  Ahead ahead = load_ahead(list, left ? n : 0);
  while (left) {
    const u32 *here = list;
    u32 m = n, now = i;
    if (m <= 64) keep_list(kept, here, m, ahead);
    left &= left - 1, i = left ? lowest(left) : 0;
    list = targets + shuffle64(ALL, from, i), n = shuffle(ALL, many, i);
    ahead = load_ahead(list, left ? n : 0);
    sync_warp(ALL);
    bool joined = lane > now && lane < d && (m <= 64 ? is_kept(kept, m, mine) : place(here, m, mine) < m);
    u32 word = ballot(ALL, joined);
    if (lane == now) row |= word;
    if (joined) row |= 1u << now;
    sync_warp(ALL);
  }
  u32 all, prefix = warp_prefix(many < FEW_ENTRIES ? many : 0, &all);
  for (u32 base = 0; base < all; base += 32) {
    u32 x = base + lane, o = owner_of(prefix, x < all ? x : all - 1), within = x - shuffle(ALL, prefix, o), at = 0;
    u64 start = shuffle64(ALL, from, o);
    u32 wanted = x < all ? once(targets + start + within) : 0;
    for (u32 step = 16; step; step >>= 1) at += shuffle(ALL, mine, at + step - 1) < wanted ? step : 0;
    if (shuffle(ALL, mine, at) == wanted && x < all) either(&rows[o], 1u << at), either(&rows[at], 1u << o);
  }
  sync_warp(ALL);
  row |= rows[lane];
  sync_warp(ALL);
  return row;
}

// Row i of the bitmap of the d vertices at hood, and the column: which of those above it vertex i has edges to, from its list. By the
// whole warp; the rows are 0 before.
DEV void build_row(const u32 *hood, u32 d, u32 *rows, u32 stride, u32 i, const u32 *list, u32 n, const u32 *kept) {
  u32 lane = lane_id();
  for (u32 base = (i + 1) & ~31u; base < d; base += 32) {
    u32 j = base + lane;
    bool in = j > i && j < d;
    if (in) {
      u32 x = once(hood + j);
      in = kept ? is_kept(kept, n, x) : place(list, n, x) < n;
    }
    u32 word = ballot(ALL, in);
    if (lane == 0 && word) either(&rows[(u64)i * stride + (base >> 5)], word);
    if (in) either(&rows[(u64)j * stride + (i >> 5)], 1u << (i & 31));
  }
}

// The warp's share of the rows of a bitmap: as row_of_small. It has room for the lists of that many vertices; longer ones are searched
// where they are.
DEV void build_rows(const u64 *offsets, const u32 *targets, const u32 *hood, u32 d, u32 *rows, u32 stride, u32 *kept, u32 room) {
  u32 lane = lane_id(), warps = block_size() >> 5;
  for (u32 base = warp_id(); base + 1 < d; base += 32 * warps) {
    u32 i = base + lane * warps, many = 0;
    u64 from = 0;
    if (i + 1 < d) {
      u32 t = once(hood + i);
      from = once(offsets + t), many = (u32)(once(offsets + t + 1) - from);
    }
    u32 left = ballot(ALL, many >= FEW_ENTRIES), r = left ? lowest(left) : 0;
    const u32 *list = targets + shuffle64(ALL, from, r);
    u32 n = shuffle(ALL, many, r);
    Ahead ahead = load_ahead(list, left ? n : 0);
    while (left) {
      const u32 *here = list;
      u32 m = n, now = base + r * warps;
      bool fits = m <= room;
      if (fits) keep_list(kept, here, m, ahead);
      left &= left - 1, r = left ? lowest(left) : 0;
      list = targets + shuffle64(ALL, from, r), n = shuffle(ALL, many, r);
      ahead = load_ahead(list, left ? n : 0);
      sync_warp(ALL);
      build_row(hood, d, rows, stride, now, here, m, fits ? kept : 0);
      sync_warp(ALL);
    }
    u32 all, prefix = warp_prefix(many < FEW_ENTRIES ? many : 0, &all);
    for (u32 x0 = 0; x0 < all; x0 += 32) {
      u32 x = x0 + lane, o = owner_of(prefix, x < all ? x : all - 1), within = x - shuffle(ALL, prefix, o), v = base + o * warps;
      u64 start = shuffle64(ALL, from, o);
      if (x >= all) continue;
      u32 j = v + 1 + place(hood + v + 1, d - v - 1, once(targets + start + within));
      if (j < d) either(&rows[(u64)v * stride + (j >> 5)], 1u << (j & 31)), either(&rows[(u64)j * stride + (v >> 5)], 1u << (v & 31));
    }
  }
}

// Takes roots, each so many at a time, whose places and lengths the lanes look up together; f gets where a root's list begins, how
// long it is, and the root's place, and tells whether to go on.
template <class F> DEV void each_small(const u64 *offsets, const u32 *roots, u32 first, u32 last, u32 step, u32 each, u32 *next, const u32 *stop, F f) {
  for (;;) {
    u32 taken = lane_id() || read(stop) ? ~0u : add(next, each);
    taken = shuffle(ALL, taken, 0);
    u64 begin = 0, at = first + ((u64)taken + lane_id()) * step;
    u32 d = 0, n = popcount(ballot(ALL, taken != ~0u && lane_id() < each && at < last));
    if (!n) return;
    if (lane_id() < n) {
      u32 root = once(roots + at);
      begin = once(offsets + root), d = (u32)(once(offsets + root + 1) - begin);
    }
    for (u32 i = 0; i < n; i++)
      if (!f(shuffle64(ALL, begin, i), shuffle(ALL, d, i), (u32)(first + ((u64)taken + i) * step))) return;
  }
}
