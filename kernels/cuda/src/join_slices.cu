// Neighbour lists over candidates only: of a view, the rows of some vertices cut down to those neighbours that are in a set. A
// search that goes through a list many times does better with what is left of it.
//
// Input: the view in CSR form; list names the vertices whose rows are wanted, count of them (0: all vertices); bits is the bitmap of
// the set (0: all). Without targets_out, lengths gets the number of neighbours of each vertex of list that stay; with it,
// these are written to where offsets_out, made of the lengths, says. With places, vertices are named by those: rows by that in
// list, neighbours by that in the set, for which ranks says how many of its vertices lie before each word of its bitmap. Given factors, a
// neighbour stays if it weighs anything, and weights_out gets what it weighs; beyond is set where that does not fit 64 bits. taken
// counts rows done by a lane, by a warp, and by a block.
//
// What makes it fast: a row of fewer than 32 neighbours is a lane's, one of up to 1,024 a warp's, and a longer one a block's,
// whose warps have equal parts of it. classes 0 leaves all to warps.
#include "lists.cuh"

#define WARP_ROW 32
#define BLOCK_ROW 1024

// Factors: their number, then for each the words of its record, offsets, targets and counts (0: one relationship each) of its view,
// whether loops count, and of how many falling factorials of the number of relationships it is the product (0: it is 1 if there
// is any), and these (pattern.Factor). The first one's view is the one that is cut.
#define FACTOR_WORDS 0
#define FACTOR_VIEW 1
#define FACTOR_LOOPS 4
#define FACTOR_FALLS 5

struct Slice {
  const u64 *offsets, *offsets_out;
  const u32 *targets, *list, *bits;
  u32 *lengths, *targets_out;
  const u64 *ranks, *factors;
  u64 *weights_out;
  u32 places;
};

DEV u64 weight_of(const u64 *factor, u64 m, u32 *beyond) {
  u64 weight = 1;
  for (u64 f = 0; f < factor[FACTOR_FALLS]; f++)
    for (u64 i = 0; i < factor[FACTOR_FALLS + 1 + f]; i++) {
      if (m <= i) return 0;
      u64 x = m - i;
      if (weight > ~(u64)0 / x) *beyond = 1;
      weight *= x;
    }
  return m ? weight : 0;
}

// What neighbour w of v, entry `at` of the view, weighs.
DEV u64 pair_weight(const Slice &s, u32 v, u32 w, u64 at, u32 *beyond) {
  const u64 *factor = s.factors + 1;
  u64 weight = 1;
  for (u64 f = 0; f < s.factors[0] && weight; f++, factor += factor[FACTOR_WORDS]) {
    const u64 *view = factor + FACTOR_VIEW;
    u64 x = 0;
    if (v != w || factor[FACTOR_LOOPS]) x = weight_of(factor, f ? joined(view, v, w) : view[2] ? once((const u32 *)view[2] + at) : 1, beyond);
    if (x && weight > ~(u64)0 / x) *beyond = 1;
    weight *= x;
  }
  return weight;
}

// What neighbour w of v, entry `at`, weighs; 0: it does not stay.
DEV u64 stays(const Slice &s, u32 v, u32 w, u64 at, u32 *beyond) {
  if (s.bits && !(once(s.bits + (w >> 5)) >> (w & 31) & 1)) return 0;
  return s.factors ? pair_weight(s, v, w, at, beyond) : 1;
}

// Writes neighbour w.
DEV void put(const Slice &s, u64 to, u32 w, u64 weight) {
  if (s.places && s.bits) w = (u32)once(s.ranks + (w >> 5)) + popcount(once(s.bits + (w >> 5)) & ((1u << (w & 31)) - 1));
  s.targets_out[to] = w;
  if (s.weights_out) s.weights_out[to] = weight;
}

// How many neighbours of v among entries [from, end) stay, by a warp; they are written to `to` on, if there is anywhere to write.
DEV u32 slice_part(const Slice &s, u32 v, u64 from, u64 end, u64 to, u32 *beyond) {
  u32 kept = 0;
  for (u64 base = from; base < end; base += 32) {
    u64 at = base + lane_id(), weight = 0;
    u32 w = 0;
    if (at < end) {
      w = once(s.targets + at);
      weight = stays(s, v, w, at, beyond);
    }
    u32 who = ballot(ALL, weight > 0);
    if (s.targets_out && weight) put(s, to + kept + popcount(who & lanes_below()), w, weight);
    kept += popcount(who);
  }
  return kept;
}

// The same by a lane.
DEV u32 slice_short(const Slice &s, u32 v, u64 from, u64 end, u64 to, u32 *beyond) {
  u32 kept = 0;
  for (u64 at = from; at < end; at++) {
    u32 w = once(s.targets + at);
    u64 weight = stays(s, v, w, at, beyond);
    if (!weight) continue;
    if (s.targets_out) put(s, to + kept, w, weight);
    kept++;
  }
  return kept;
}

DEV u32 vertex_of(const Slice &s, u32 i) { return s.list ? once(s.list + i) : i; }
DEV u32 row_of(const Slice &s, u32 i) { return s.places ? i : vertex_of(s, i); }
DEV u64 room_of(const Slice &s, u32 i) { return s.targets_out ? once(s.offsets_out + row_of(s, i)) : 0; }

#define TILE 32 // rows that a block takes at a time

KERNEL(join_slice, 256)(const u64 *offsets, const u32 *targets, const u32 *list, u32 count, const u32 *bits, u32 *lengths, const u64 *offsets_out,
                        u32 *targets_out, u32 classes, u32 *taken, u32 places, const u64 *ranks, const u64 *factors, u64 *weights_out, u32 *beyond_out) {
  SHARED(u32, middle, TILE);
  SHARED(u32, large, TILE);
  SHARED(u32, found, 2); // how many middle and large ones there are
  SHARED(u32, parts, 8);
  Slice s = {offsets, offsets_out, targets, list, bits, lengths, targets_out, ranks, factors, weights_out, places};
  u32 lane = lane_id(), warp = warp_id(), warps = block_size() >> 5, by_lane = 0, by_warp = 0, by_block = 0, beyond = 0;
  for (u32 base = block_id() * TILE; base < count; base += grid_size() * TILE) {
    if (thread_id() < 2) found[thread_id()] = 0;
    sync_block();
    if (thread_id() < TILE && base + thread_id() < count) {
      u32 i = base + thread_id(), v = vertex_of(s, i);
      u64 begin = once(offsets + v), end = once(offsets + v + 1);
      if (classes && end - begin < WARP_ROW) {
        u32 kept = slice_short(s, v, begin, end, room_of(s, i), &beyond);
        if (!targets_out) lengths[row_of(s, i)] = kept;
        by_lane++;
      } else if (classes && end - begin > BLOCK_ROW) {
        large[add(&found[1], 1)] = i;
      } else {
        middle[add(&found[0], 1)] = i;
      }
    }
    sync_block();
    u32 middles = read(&found[0]), larges = read(&found[1]);
    for (u32 q = warp; q < middles; q += warps) {
      u32 i = middle[q], v = vertex_of(s, i), kept = slice_part(s, v, once(offsets + v), once(offsets + v + 1), room_of(s, i), &beyond);
      if (lane == 0 && !targets_out) lengths[row_of(s, i)] = kept;
      by_warp++;
    }
    for (u32 q = 0; q < larges; q++) {
      u32 i = large[q], v = vertex_of(s, i);
      u64 begin = once(offsets + v), end = once(offsets + v + 1), each = (end - begin + warps - 1) / warps;
      u64 first = begin + warp * each < end ? begin + warp * each : end, last = first + each < end ? first + each : end;
      Slice counting = s;
      counting.targets_out = 0;
      u32 kept = slice_part(counting, v, first, last, 0, &beyond);
      if (lane == 0) parts[warp] = kept;
      sync_block();
      u32 before = 0, all = 0;
      for (u32 p = 0; p < warps; p++) {
        if (p < warp) before += parts[p];
        all += parts[p];
      }
      if (targets_out) slice_part(s, v, first, last, room_of(s, i) + before, &beyond);
      else if (thread_id() == 0) lengths[row_of(s, i)] = all;
      if (thread_id() == 0) by_block++;
      sync_block();
    }
    sync_block();
  }
  by_lane = warp_sum(by_lane);
  if (lane == 0 && by_lane) add(taken, by_lane);
  if (lane == 0 && by_warp) add(taken + 1, by_warp);
  if (by_block) add(taken + 2, by_block);
  if (beyond) either(beyond_out, 1);
}
