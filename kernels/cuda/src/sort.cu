// Stable sort of pairs, a key and a value, by some bits of the key: a pass of a radix sort. Pairs lie in chunks, a warp each;
// the counts of a chunk's digits, summed up over all chunks by digit first (scan.cu), say where its pairs go.
//
// Input: n keys of 4 bytes, and as many values, or none: then the values are the pairs' numbers, which 4 bytes must hold. A digit
// has up to 8 bits. chunk is a multiple of 32. The result goes to another place.
//
// What makes it fast: each pass reads the keys twice and the values once; lanes find their place among those of the same digit
// by one vote a bit, without atomics, so that the result is the same on every device.
#include "lists.cuh"

#define DIGITS 256

// Which lanes of those with a pair have the digit of this one.
DEV u32 same_digit(u32 digit, u32 bits, bool pair) {
  u32 same = ballot(ALL, pair);
  for (u32 b = 0; b < bits; b++) {
    u32 set = ballot(ALL, digit >> b & 1);
    same &= digit >> b & 1 ? set : ~set;
  }
  return same;
}

// counts[d * chunks + c] becomes how many pairs of chunk c have digit d.
KERNEL(sort_count, 256)(const u32 *keys, u64 n, u32 chunk, u32 chunks, u32 shift, u32 bits, u32 *counts) {
  SHARED(u32, all, 8 * DIGITS);
  u32 *mine = all + warp_id() * DIGITS, lane = lane_id();
  for (u32 c = block_id() * 8 + warp_id(); c < chunks; c += grid_size() * 8) {
    for (u32 d = lane; d < DIGITS; d += 32) mine[d] = 0;
    sync_warp(ALL);
    u64 begin = (u64)c * chunk, end = begin + chunk < n ? begin + chunk : n;
    for (u64 base = begin; base < end; base += 32) {
      bool pair = base + lane < end;
      u32 digit = pair ? once(keys + base + lane) >> shift & ((1u << bits) - 1) : 0, same = same_digit(digit, bits, pair);
      if (pair && lane == lowest(same)) mine[digit] += popcount(same);
      sync_warp(ALL);
    }
    for (u32 d = lane; d < 1u << bits; d += 32) counts[(u64)d * chunks + c] = mine[d];
    sync_warp(ALL);
  }
}

// Moves the pairs to their places; places are the prefix sums of the counts.
KERNEL(sort_move, 256)(const u32 *keys, const u32 *values, u64 n, u32 chunk, u32 chunks, u32 shift, u32 bits, const u64 *places, u32 *to_keys,
                       u32 *to_values) {
  SHARED(u64, all, 8 * DIGITS);
  u64 *next = all + warp_id() * DIGITS;
  u32 lane = lane_id();
  for (u32 c = block_id() * 8 + warp_id(); c < chunks; c += grid_size() * 8) {
    for (u32 d = lane; d < 1u << bits; d += 32) next[d] = once(places + (u64)d * chunks + c);
    sync_warp(ALL);
    u64 begin = (u64)c * chunk, end = begin + chunk < n ? begin + chunk : n;
    for (u64 base = begin; base < end; base += 32) {
      bool pair = base + lane < end;
      u32 key = pair ? once(keys + base + lane) : 0, digit = key >> shift & ((1u << bits) - 1), same = same_digit(digit, bits, pair);
      u64 at = pair ? next[digit] : 0;
      sync_warp(ALL);
      if (pair && lane == lowest(same)) next[digit] = at + popcount(same);
      sync_warp(ALL);
      if (!pair) continue;
      at += popcount(same & lanes_below());
      to_keys[at] = key;
      to_values[at] = values ? once(values + base + lane) : (u32)(base + lane);
    }
  }
}
