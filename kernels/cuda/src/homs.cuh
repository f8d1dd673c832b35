// What kernels share that go along weighted neighbour lists: sums over rows of any length by all lanes of a block.
#pragma once
#include "lists.cuh"

typedef unsigned __int128 u128;

#define WARP_ROW 32 // shorter rows are a lane's
#define BLOCK_ROW 1024 // longer ones a block's
#define LARGE 64 // long rows that a block remembers; further ones are a warp's

// Neighbour lists, the weights of their entries, or 0, and then the sums of these by list.
struct Rows {
  const u64 *offsets;
  const u32 *targets;
  const u64 *weights, *lengths;
};

// Long rows of a block, in shared memory; classes 0: there are none, nor short ones.
struct Long {
  u32 *item, *count;
  u64 *sum; // of 128 bits, 0 between rows
  u32 classes;
};

// Remembers a row for the whole block, if it is long.
DEV bool is_long(const Long &rows, u32 n, u32 i) {
  if (!rows.classes || n <= BLOCK_ROW) return false;
  u32 at = add(rows.count, 1);
  if (at < LARGE) rows.item[at] = i;
  return at < LARGE;
}
DEV u32 long_rows(const Long &rows) { return *rows.count < LARGE ? *rows.count : LARGE; }

DEV u64 times(u64 a, u64 b, u32 *beyond) {
  u128 p = (u128)a * b;
  if (p >> 64) *beyond = 1;
  return (u64)p;
}

// The sum of the values along entries of a row, every step-th one from `from` on.
template <class Value> DEV u64 sum_row(const Rows &r, u64 begin, u32 n, u32 from, u32 step, Value value, u32 *beyond) {
  u64 sum = 0;
  for (u32 i = from; i < n; i += step) {
    u64 x = value(once(r.targets + begin + i));
    if (r.weights) x = times(x, once(r.weights + begin + i), beyond);
    sum += x;
    if (sum < x) *beyond = 1;
  }
  return sum;
}

DEV u64 warp_total(u64 x, u32 *beyond) {
  for (u32 by = 16; by; by >>= 1) {
    u64 other = shuffle_xor(ALL, (u32)x, by) | (u64)shuffle_xor(ALL, (u32)(x >> 32), by) << 32;
    x += other;
    if (x < other) *beyond = 1;
  }
  return x;
}

// For each item of [first, last), which vertex gives the row of, puts the sum of the values along its row. All lanes of the block
// call it, with *count of the long rows 0, and wait behind it.
template <class Vertex, class Value, class Put>
DEV void sum_rows(const Long &rows, const Rows &r, u32 first, u32 last, Vertex vertex, Value value, Put put, u32 *beyond) {
  for (u32 base = first + warp_id() * 32; base < last; base += block_size()) {
    u32 i = base + lane_id(), n = 0;
    u64 begin = 0, sum = 0;
    if (i < last) {
      u32 v = vertex(i);
      begin = once(r.offsets + v);
      n = (u32)(once(r.offsets + v + 1) - begin);
    }
    bool apart = is_long(rows, n, i);
    for (u32 left = ballot(ALL, !apart && n && (n >= WARP_ROW || !rows.classes)); left; left &= left - 1) {
      u32 o = lowest(left);
      u64 part = sum_row(r, shuffle64(ALL, begin, o), shuffle(ALL, n, o), lane_id(), 32, value, beyond), all = warp_total(part, beyond);
      if (lane_id() == o) sum = all;
    }
    if (rows.classes && n < WARP_ROW) sum = sum_row(r, begin, n, 0, 1, value, beyond);
    if (i < last && !apart) put(i, sum);
  }
  sync_block();
  for (u32 q = 0; q < long_rows(rows); q++) {
    u32 i = rows.item[q], v = vertex(i);
    u64 begin = once(r.offsets + v);
    u64 all = warp_total(sum_row(r, begin, (u32)(once(r.offsets + v + 1) - begin), thread_id(), block_size(), value, beyond), beyond);
    if (lane_id() == 0) add_wide(rows.sum, all);
    sync_block();
    if (thread_id() == 0) {
      put(i, rows.sum[0]);
      if (rows.sum[1]) *beyond = 1;
      rows.sum[0] = rows.sum[1] = 0;
    }
    sync_block();
  }
  sync_block();
}
