// Neighbour lists over candidates only: of a view, the rows of some vertices cut down to those neighbours that are in a set. A
// search that goes through a list many times does better with what is left of it.
//
// Input: the view in CSR form; list names the vertices whose rows are wanted, count of them; bits is the bitmap of the set.
// Without targets_out, lengths gets the number of neighbours of each vertex of list that stay; with it, these are written to where
// offsets_out, made of the lengths, says. taken counts rows done by a lane, by a warp, and by a block.
//
// What makes it fast: a row of fewer than 32 neighbours is a lane's, one of up to 1,024 a warp's, and a longer one a block's,
// whose warps have equal parts of it. classes 0 leaves all to warps.
#include "lists.cuh"

#define WARP_ROW 32
#define BLOCK_ROW 1024

struct Slice {
  const u64 *offsets, *offsets_out;
  const u32 *targets, *bits;
  u32 *lengths, *targets_out;
};

DEV bool stays(const Slice &s, u32 w) { return once(s.bits + (w >> 5)) >> (w & 31) & 1; }

// How many of n neighbours from `from` on stay, by a warp; they are written to `to`, if that is not 0.
DEV u32 slice_part(const Slice &s, const u32 *from, u32 n, u32 *to) {
  u32 kept = 0;
  for (u32 base = 0; base < n; base += 32) {
    u32 w = base + lane_id() < n ? once(from + base + lane_id()) : 0;
    bool stay = base + lane_id() < n && stays(s, w);
    u32 who = ballot(ALL, stay);
    if (to && stay) to[kept + popcount(who & lanes_below())] = w;
    kept += popcount(who);
  }
  return kept;
}

// The same by a lane.
DEV u32 slice_short(const Slice &s, const u32 *from, u32 n, u32 *to) {
  u32 kept = 0;
  for (u32 i = 0; i < n; i++) {
    u32 w = once(from + i);
    if (!stays(s, w)) continue;
    if (to) to[kept] = w;
    kept++;
  }
  return kept;
}

DEV u32 *room_of(const Slice &s, u32 v) { return s.targets_out ? s.targets_out + once(s.offsets_out + v) : 0; }

#define TILE 32 // rows that a block takes at a time

KERNEL(join_slice, 256)(const u64 *offsets, const u32 *targets, const u32 *list, u32 count, const u32 *bits, u32 *lengths, const u64 *offsets_out,
                        u32 *targets_out, u32 classes, u32 *taken) {
  SHARED(u32, middle, TILE);
  SHARED(u32, large, TILE);
  SHARED(u32, found, 2); // how many middle and large ones there are
  SHARED(u32, parts, 8);
  Slice s = {offsets, offsets_out, targets, bits, lengths, targets_out};
  u32 lane = lane_id(), warp = warp_id(), warps = block_size() >> 5, by_lane = 0, by_warp = 0, by_block = 0;
  for (u32 base = block_id() * TILE; base < count; base += grid_size() * TILE) {
    if (thread_id() < 2) found[thread_id()] = 0;
    sync_block();
    if (thread_id() < TILE && base + thread_id() < count) {
      u32 v = once(list + base + thread_id());
      u64 begin = once(offsets + v);
      u32 n = (u32)(once(offsets + v + 1) - begin);
      if (classes && n < WARP_ROW) {
        u32 kept = slice_short(s, targets + begin, n, room_of(s, v));
        if (!targets_out) lengths[v] = kept;
        by_lane++;
      } else if (classes && n > BLOCK_ROW) {
        large[add(&found[1], 1)] = v;
      } else {
        middle[add(&found[0], 1)] = v;
      }
    }
    sync_block();
    u32 middles = read(&found[0]), larges = read(&found[1]);
    for (u32 q = warp; q < middles; q += warps) {
      u32 v = middle[q];
      u64 begin = once(offsets + v);
      u32 kept = slice_part(s, targets + begin, (u32)(once(offsets + v + 1) - begin), room_of(s, v));
      if (lane == 0 && !targets_out) lengths[v] = kept;
      by_warp++;
    }
    for (u32 q = 0; q < larges; q++) {
      u32 v = large[q];
      u64 begin = once(offsets + v);
      u32 d = (u32)(once(offsets + v + 1) - begin), each = (d + warps - 1) / warps;
      u32 first = warp * each < d ? warp * each : d, last = first + each < d ? first + each : d;
      u32 kept = slice_part(s, targets + begin + first, last - first, 0);
      if (lane == 0) parts[warp] = kept;
      sync_block();
      u32 before = 0, all = 0;
      for (u32 p = 0; p < warps; p++) {
        if (p < warp) before += parts[p];
        all += parts[p];
      }
      if (targets_out) slice_part(s, targets + begin + first, last - first, room_of(s, v) + before);
      else if (thread_id() == 0) lengths[v] = all;
      if (thread_id() == 0) by_block++;
      sync_block();
    }
    sync_block();
  }
  by_lane = warp_sum(by_lane);
  if (lane == 0 && by_lane) add(taken, by_lane);
  if (lane == 0 && by_warp) add(taken + 1, by_warp);
  if (by_block) add(taken + 2, by_block);
}
