// Stable sort of pairs, a key and a value, by some bits of the key: a pass of a radix sort. Pairs lie in chunks, a block each;
// the counts of a chunk's digits, summed up over all chunks by digit first (scan.cu), say where its pairs go.
//
// Input: n keys of 4 bytes, and as many values, or none: then the values are the pairs' numbers, which 4 bytes must hold. A digit
// has up to 8 bits. Blocks have 256 lanes. The result goes to another place.
//
// What makes it fast: each pass reads the keys twice and the values once; lanes find their place among those of the same digit
// by one vote a bit, so that the result is the same on every device. All warps of a block write behind each other, so that few
// places are open at a time: the second cache has lines whole before they go to memory. (With a chunk for each warp a pass took
// 1.1 ms for 15.7 M pairs on an H200.)
#include "lists.cuh"

#define DIGITS 256
#define TILE 2048 // pairs that a block moves at a time
#define ROUNDS 8  // those of a lane

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
  SHARED(u32, all, DIGITS);
  for (u32 c = block_id(); c < chunks; c += grid_size()) {
    all[thread_id()] = 0;
    sync_block();
    u64 begin = (u64)c * chunk, end = begin + chunk < n ? begin + chunk : n;
    for (u64 base = begin + warp_id() * 32; base < end; base += 256) {
      bool pair = base + lane_id() < end;
      u32 digit = pair ? once(keys + base + lane_id()) >> shift & ((1u << bits) - 1) : 0, same = same_digit(digit, bits, pair);
      if (pair && lane_id() == lowest(same)) add(all + digit, popcount(same));
    }
    sync_block();
    if (thread_id() < 1u << bits) counts[(u64)thread_id() * chunks + c] = all[thread_id()];
  }
}

// Moves the pairs to their places; places are the prefix sums of the counts.
KERNEL(sort_move, 256)(const u32 *keys, const u32 *values, u64 n, u32 chunk, u32 chunks, u32 shift, u32 bits, const u64 *places, u32 *to_keys,
                       u32 *to_values) {
  SHARED(u64, next, DIGITS);    // where the pairs of each digit go, from those of this tile on
  SHARED(u32, all, 8 * DIGITS); // how many of each digit each warp has, and then how many those before it
  u32 *mine = all + warp_id() * DIGITS, me = thread_id(), lane = lane_id(), digits = 1u << bits;
  for (u32 c = block_id(); c < chunks; c += grid_size()) {
    if (me < digits) next[me] = once(places + (u64)me * chunks + c);
    u64 begin = (u64)c * chunk, end = begin + chunk < n ? begin + chunk : n;
    for (u64 tile = begin; tile < end; tile += TILE) {
      u32 key[ROUNDS], before[ROUNDS], found = 0;
      for (u32 d = lane; d < digits; d += 32) mine[d] = 0;
      sync_warp(ALL);
      u64 at = tile + warp_id() * (ROUNDS * 32) + lane;
#pragma unroll
      for (u32 r = 0; r < ROUNDS; r++) {
        bool pair = at + r * 32 < end;
        key[r] = pair ? once(keys + at + r * 32) : 0;
        u32 digit = key[r] >> shift & (digits - 1), same = same_digit(digit, bits, pair), had = mine[digit];
        before[r] = had + popcount(same & lanes_below());
        sync_warp(ALL);
        if (pair && lane == lowest(same)) mine[digit] = had + popcount(same);
        sync_warp(ALL);
      }
      sync_block();
      for (u32 w = 0; me < digits && w < 8; w++) {
        u32 has = all[w * DIGITS + me];
        all[w * DIGITS + me] = found;
        found += has;
      }
      sync_block();
#pragma unroll
      for (u32 r = 0; r < ROUNDS; r++) {
        u64 i = at + r * 32;
        if (i >= end) break;
        u32 digit = key[r] >> shift & (digits - 1);
        u64 to = next[digit] + mine[digit] + before[r];
        to_keys[to] = key[r];
        to_values[to] = values ? once(values + i) : (u32)i;
      }
      sync_block();
      if (me < digits) next[me] += found;
    }
  }
}
