// Weights of vertices, and the order of pivots, for homs.cu.
//
// Input: weights are 8 bytes for every vertex of a set, by its place there; rows lead from one set's places to another's. What does
// not fit 64 bits sets beyond.
//
// What makes it fast: sums along rows are made of equal parts of all entries, whatever their rows: 32 at a time are added up by row in a
// warp, so that an atomic addition is for a row, or for the part of one that a warp has. Pivots are ordered by counting those of
// each power of two of work, in shared memory first.
#include "homs.cuh"

// out[i] += the sum along row i of the weights of its entries (0: they are 1) times what their vertices have: child, or the lengths of
// the rows next; neither: 1.
KERNEL(homs_sums, 256)(const u64 *offsets, u32 n, const u32 *targets, const u64 *weights, const u64 *child, const u64 *next, u64 *out, u32 *beyond_out) {
  u64 all = once(offsets + n), from = ((u64)block_id() * (block_size() >> 5) + warp_id()) * PART, end = from + PART < all ? from + PART : all;
  u32 lane = lane_id(), beyond = 0;
  each_edge(offsets, n, from, end, [&](bool some, u64 entry, u32 row) {
    u64 x = 0;
    if (some) {
      u32 t = once(targets + entry);
      x = child ? once(child + t) : next ? once(next + t + 1) - once(next + t) : 1;
      if (weights) x = times(x, once(weights + entry), &beyond);
    } else {
      row = ~0u;
    }
    for (u32 by = 1; by < 32; by <<= 1) {
      u64 other = shuffle_up64(x, by);
      u32 of = shuffle_up(ALL, row, by);
      if (lane < by || of != row) continue;
      x += other;
      if (x < other) beyond = 1;
    }
    u32 up = shuffle_up(ALL, row, 1), heads = ballot(ALL, lane == 0 || up != row);
    bool last = lane == 31 || heads >> (lane + 1) & 1;
    if (some && last && x && add(out + row, x) + x < x) beyond = 1;
  });
  if (beyond) either(beyond_out, 1);
}

// each *= by; by 0: each = number.
KERNEL(homs_times, 256)(u64 *each, const u64 *by, u64 number, u32 n, u32 *beyond_out) {
  u32 beyond = 0;
  for (u32 i = block_id() * block_size() + thread_id(); i < n; i += grid_size() * block_size()) each[i] = by ? times(each[i], once(by + i), &beyond) : number;
  if (beyond) either(beyond_out, 1);
}

// total = the sum of a weight, in 128 bits, or of by times it.
KERNEL(homs_sum, 256)(const u64 *each, const u64 *by, u32 n, u64 *total) {
  u64 low = 0, high = 0;
  for (u32 i = block_id() * block_size() + thread_id(); i < n; i += grid_size() * block_size()) {
    u128 x = (u128)once(each + i) * (by ? once(by + i) : 1);
    low += (u64)x;
    high += (u64)(x >> 64) + (low < (u64)x);
  }
  add_wide(total, low);
  if (high) add(total + 1, high);
}

#define CLASSES 65
DEV u32 class_of(u64 load) { return load ? __builtin_clzll(load) : 64; }

// sizes[c] += how many pivots have a load of class c: the heavier, the lower. Of the pivots, every of-th from at on counts, n of them.
KERNEL(homs_classes, 256)(const u64 *load, u32 n, u32 at, u32 of, u32 *sizes) {
  SHARED(u32, mine, CLASSES);
  if (thread_id() < CLASSES) mine[thread_id()] = 0;
  sync_block();
  for (u32 i = block_id() * block_size() + thread_id(); i < n; i += grid_size() * block_size()) add(&mine[class_of(once(load + at + i * of))], 1);
  sync_block();
  if (thread_id() < CLASSES && mine[thread_id()]) add(sizes + thread_id(), mine[thread_id()]);
}

// order = those pivots by class, of which there are as many as sizes says; taken is 0.
KERNEL(homs_order, 256)(const u64 *load, u32 n, u32 at, u32 of, const u32 *sizes, u32 *taken, u32 *order) {
  SHARED(u32, start, CLASSES);
  SHARED(u32, mine, CLASSES);
  SHARED(u32, base, CLASSES);
  if (thread_id() == 0) {
    u32 sum = 0;
    for (u32 c = 0; c < CLASSES; c++) start[c] = sum, sum += once(sizes + c);
  }
  for (u32 from = block_id() * block_size(); from < n; from += grid_size() * block_size()) {
    sync_block();
    if (thread_id() < CLASSES) mine[thread_id()] = 0;
    sync_block();
    u32 i = from + thread_id(), pivot = at + i * of, c = i < n ? class_of(once(load + pivot)) : 0, place = i < n ? add(&mine[c], 1) : 0;
    sync_block();
    if (thread_id() < CLASSES && mine[thread_id()]) base[thread_id()] = start[thread_id()] + add(taken + thread_id(), mine[thread_id()]);
    sync_block();
    if (i < n) order[base[c] + place] = pivot;
  }
}
