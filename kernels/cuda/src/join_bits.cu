// Neighbour lists as bitmaps: for a range of vertices, which vertices of another range are neighbours.
//
// Input: neighbour lists; bits has a row of whole words for each of count vertices from first on, which are 0, with a bit for each of
// span vertices from low on.
//
// What makes it fast: a warp goes through a list, 32 entries at a time.
#include "lists.cuh"

KERNEL(join_bits, 256)(const u64 *offsets, const u32 *targets, u32 first, u32 count, u32 low, u32 span, u32 *bits) {
  u32 warps = grid_size() * (block_size() >> 5), words = (span + 31) / 32;
  for (u32 i = block_id() * (block_size() >> 5) + warp_id(); i < count; i += warps) {
    u64 end = once(offsets + first + i + 1);
    for (u64 e = once(offsets + first + i) + lane_id(); e < end; e += 32) {
      u32 w = once(targets + e) - low;
      if (w < span) either(bits + (u64)i * words + (w >> 5), 1u << (w & 31));
    }
  }
}
