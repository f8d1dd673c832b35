// Weights of vertices, and the order of pivots, for homs.cu.
//
// Input: weights are 8 bytes for every vertex of a set, by its place there; rows lead from one set's places to another's. What does
// not fit 64 bits (or 128, in a sum) sets beyond.
//
// What makes it fast: rows are a lane's, a warp's or the block's by their length; pivots are ordered by counting those of each power
// of two of work, the first pass in shared memory.
#include "homs.cuh"

#define TILE 256 // rows that a block takes at a time

// each *= the sum of the weights child along the rows; child 0: of ones.
KERNEL(homs_times_rows, 256)(u64 *each, u32 n, const u64 *offsets, const u32 *targets, const u64 *weights, const u64 *lengths, const u64 *child,
                             u32 classes, u32 *beyond_out) {
  SHARED(u64, sum, 2);
  SHARED(u32, count, 1);
  SHARED(u32, large, LARGE);
  u32 beyond = 0;
  Rows r = {offsets, targets, weights, lengths};
  Long rows = {large, count, sum, classes};
  for (u32 base = block_id() * TILE; base < n; base += grid_size() * TILE) {
    u32 end = n - base < TILE ? n : base + TILE;
    if (thread_id() == 0) *count = 0, sum[0] = sum[1] = 0;
    sync_block();
    if (child) {
      sum_rows(
          rows, r, base, end, [&](u32 i) { return i; }, [&](u32 t) { return once(child + t); }, [&](u32 i, u64 x) { each[i] = times(each[i], x, &beyond); },
          &beyond);
    } else {
      for (u32 i = base + thread_id(); i < end; i += block_size())
        each[i] = times(each[i], weights ? once(lengths + i) : once(offsets + i + 1) - once(offsets + i), &beyond);
    }
    sync_block();
  }
  if (beyond) either(beyond_out, 1);
}

// each *= by; by 0: each = number.
KERNEL(homs_times, 256)(u64 *each, const u64 *by, u64 number, u32 n, u32 *beyond_out) {
  u32 beyond = 0;
  for (u32 i = block_id() * block_size() + thread_id(); i < n; i += grid_size() * block_size()) each[i] = by ? times(each[i], once(by + i), &beyond) : number;
  if (beyond) either(beyond_out, 1);
}

// lengths[i] = the sum of the weights of row i.
KERNEL(homs_lengths, 256)(const u64 *offsets, const u64 *weights, u32 n, u64 *lengths, u32 *beyond_out) {
  u32 beyond = 0;
  for (u32 i = block_id() * block_size() + thread_id(); i < n; i += grid_size() * block_size()) {
    u64 sum = 0;
    for (u64 at = once(offsets + i); at < once(offsets + i + 1); at++) {
      u64 x = once(weights + at);
      sum += x;
      if (sum < x) beyond = 1;
    }
    lengths[i] = sum;
  }
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

// load[i] += the lengths of the rows that row i leads to: what a pivot's neighbours have around them. It stops at 32 bits.
KERNEL(homs_load, 256)(u32 *load, u32 n, const u64 *offsets, const u32 *targets, const u64 *next_offsets) {
  SHARED(u64, sum, 2);
  SHARED(u32, count, 1);
  SHARED(u32, large, LARGE);
  u32 beyond = 0;
  Rows r = {offsets, targets, 0, 0};
  Long rows = {large, count, sum, 1};
  for (u32 base = block_id() * TILE; base < n; base += grid_size() * TILE) {
    u32 end = n - base < TILE ? n : base + TILE;
    if (thread_id() == 0) *count = 0, sum[0] = sum[1] = 0;
    sync_block();
    sum_rows(
        rows, r, base, end, [&](u32 i) { return i; }, [&](u32 t) { return once(next_offsets + t + 1) - once(next_offsets + t); },
        [&](u32 i, u64 x) { load[i] = x > ~load[i] ? ~0u : load[i] + (u32)x; }, &beyond);
    sync_block();
  }
}

DEV u32 class_of(u32 load) { return load ? __builtin_clz(load) : 32; }

// starts[c + 1] += how many pivots have a load of class c: the heavier, the lower.
KERNEL(homs_classes, 256)(const u32 *load, u32 n, u32 *starts) {
  SHARED(u32, mine, 33);
  if (thread_id() < 33) mine[thread_id()] = 0;
  sync_block();
  for (u32 i = block_id() * block_size() + thread_id(); i < n; i += grid_size() * block_size()) add(&mine[class_of(once(load + i))], 1);
  sync_block();
  if (thread_id() < 33 && mine[thread_id()]) add(starts + thread_id() + 1, mine[thread_id()]);
}

// order = the pivots by class; starts, counts of classes, is not needed longer. taken is 0.
KERNEL(homs_order, 256)(const u32 *load, u32 n, const u32 *starts, u32 *taken, u32 *order) {
  SHARED(u32, start, 33);
  SHARED(u32, mine, 33);
  SHARED(u32, base, 33);
  if (thread_id() == 0) {
    u32 sum = 0;
    for (u32 c = 0; c < 33; c++) start[c] = sum += once(starts + c);
  }
  for (u32 from = block_id() * block_size(); from < n; from += grid_size() * block_size()) {
    sync_block();
    if (thread_id() < 33) mine[thread_id()] = 0;
    sync_block();
    u32 i = from + thread_id(), c = i < n ? class_of(once(load + i)) : 0, at = i < n ? add(&mine[c], 1) : 0;
    sync_block();
    if (thread_id() < 33 && mine[thread_id()]) base[thread_id()] = start[thread_id()] + add(taken + thread_id(), mine[thread_id()]);
    sync_block();
    if (i < n) order[base[c] + at] = i;
  }
}
