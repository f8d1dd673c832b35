// Prefix sums over a whole list: three launches, of sums by tile, of their sums before each tile, and of those before each item.
//
// Input: n counts of 4 bytes, or n words whose bits are counted. The sums go to another place than the counts: out[i] is the sum
// of those before i, and out[n] that of all. Sums are of 8 bytes throughout; where they are kept in 4, the caller must
// see that the last one fits.
//
// What makes it fast: a list is read twice and written once; a warp holds its part of a tile in registers.
#include "gpu.h"

#define ROUNDS 16 // items of a lane
#define TILE 4096 // items of a block of 256 lanes

DEV u64 item_of(const u32 *in, u64 n, u32 bits, u64 i) {
  if (i >= n) return 0;
  u32 x = once(in + i);
  return bits ? popcount(x) : x;
}

// The sum of the lanes' numbers up to this one's.
DEV u64 warp_through64(u64 v) {
  for (u32 by = 1; by < 32; by <<= 1) {
    u64 below = shuffle_up64(v, by);
    if (lane_id() >= by) v += below;
  }
  return v;
}

// sums[b] becomes the sum of tile b.
KERNEL(scan_tiles, 256)(const u32 *in, u64 n, u32 bits, u64 *sums) {
  SHARED(u64, part, 8);
  u64 at = (u64)block_id() * TILE + warp_id() * (ROUNDS * 32) + lane_id(), sum = 0;
  for (u32 r = 0; r < ROUNDS; r++) sum += item_of(in, n, bits, at + r * 32);
  sum = warp_sum64(sum);
  if (lane_id() == 0) part[warp_id()] = sum;
  sync_block();
  if (thread_id() == 0) {
    for (u32 w = 1; w < 8; w++) sum += part[w];
    sums[block_id()] = sum;
  }
}

// Each of the tiles' sums becomes that of the tiles before; sums[tiles] that of all. One block of up to 1,024 lanes.
KERNEL(scan_sums, 1024)(u64 *sums, u32 tiles) {
  SHARED(u64, part, 32);
  u64 before = 0;
  for (u32 base = 0; base < tiles; base += block_size()) {
    u32 i = base + thread_id();
    u64 own = i < tiles ? sums[i] : 0, through = warp_through64(own);
    if (lane_id() == 31) part[warp_id()] = through;
    sync_block();
    u64 warps = 0, all = 0;
    for (u32 w = 0; w < block_size() >> 5; w++) {
      if (w == warp_id()) warps = all;
      all += part[w];
    }
    if (i < tiles) sums[i] = before + warps + through - own;
    before += all;
    sync_block();
  }
  if (thread_id() == 0) sums[tiles] = before;
}

// out becomes the sums before each item, in 8 bytes, or in 4 in narrow; the other one of the two is 0.
KERNEL(scan_items, 256)(const u32 *in, u64 n, u32 bits, const u64 *sums, u64 *out, u32 *narrow) {
  SHARED(u64, part, 8);
  u64 first = (u64)block_id() * TILE + warp_id() * (ROUNDS * 32), item[ROUNDS], sum = 0;
#pragma unroll
  for (u32 r = 0; r < ROUNDS; r++) sum += item[r] = item_of(in, n, bits, first + r * 32 + lane_id());
  sum = warp_sum64(sum);
  if (lane_id() == 0) part[warp_id()] = sum;
  sync_block();
  u64 before = once(sums + block_id());
  for (u32 w = 0; w < warp_id(); w++) before += part[w];
#pragma unroll
  for (u32 r = 0; r < ROUNDS; r++) {
    u64 i = first + r * 32 + lane_id();
    if (first + r * 32 > n) break;
    u64 through = before + warp_through64(item[r]);
    if (i <= n && out) out[i] = through - item[r];
    if (i <= n && narrow) narrow[i] = (u32)(through - item[r]);
    before = (u64)shuffle(ALL, (u32)through, 31) | (u64)shuffle(ALL, (u32)(through >> 32), 31) << 32;
  }
}
