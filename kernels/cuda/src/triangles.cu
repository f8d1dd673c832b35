// Triangles of a graph whose edges run from lower to higher rank: for every edge u -> v, how many out-neighbours they share.
//
// Input: the oriented graph in CSR form, out lists sorted by rank; roots lists the vertices by falling out-degree, and those at
// every step-th place of [first, last) are taken. by counts the triangles of each vertex if it is not 0.
//
// What makes it fast: a warp has a root u, and spreads the entries of the lists of 32 of its neighbours evenly over its
// lanes, whatever their lengths; each lane looks its entry up in the list of u, which all of them search, so that it stays in the
// nearest cache (in shared memory, where it is short enough).
#include "lists.cuh"

#define KEPT 1024 // entries of a root's list that a warp keeps in shared memory

KERNEL(triangles, 128)(const u64 *offsets, const u32 *targets, const u32 *roots, u32 first, u32 last, u32 step, u32 *next, const u32 *stop,
                       u64 *total, u64 *by) {
  SHARED(u32, lists, 4 * KEPT);
  u32 *kept = lists + warp_id() * KEPT, lane = lane_id();
  u64 found = 0;
  for (;;) {
    u32 at = next_item(stop, next, first, last, step);
    if (at == ~0u) break;
    u32 u = once(roots + at);
    u64 begin = once(offsets + u);
    const u32 *hood = targets + begin;
    u32 d = (u32)(once(offsets + u + 1) - begin);
    u64 own = 0;
    if (d <= KEPT)
      for (u32 i = lane; i < d; i += 32) kept[i] = once(hood + i);
    sync_warp(ALL);
    for (u32 base = 0; base < d; base += 32) {
      u32 v = 0, n = 0;
      u64 start = 0;
      if (base + lane < d) {
        v = once(hood + base + lane);
        start = once(offsets + v);
        n = (u32)(once(offsets + v + 1) - start);
      }
      u32 all, prefix = warp_prefix(n, &all);
      for (u32 x0 = 0; x0 < all; x0 += 32) {
        u32 x = x0 + lane, o = owner_of(prefix, x < all ? x : all - 1);
        u64 from = shuffle64(ALL, start, o);
        u32 below = shuffle(ALL, prefix, o), middle = shuffle(ALL, v, o);
        if (x >= all) continue;
        u32 w = once(targets + from + (x - below)), lo = base + o + 1, hi = d; // w is above v, which stands at base + o
        if (d <= KEPT) {
          while (lo < hi) {
            u32 mid = (lo + hi) >> 1;
            if (kept[mid] < w) lo = mid + 1;
            else hi = mid;
          }
          if (lo >= d || kept[lo] != w) continue;
        } else {
          u32 there = place(hood + lo, d - lo, w);
          if (there == d - lo) continue;
        }
        own++;
        if (by) add(&by[middle], (u64)1), add(&by[w], (u64)1);
      }
    }
    own = warp_sum64(own);
    if (lane == 0) {
      found += own;
      if (by && own) add(&by[u], own);
    }
    sync_warp(ALL);
  }
  if (lane == 0 && found) add(total, found);
}
