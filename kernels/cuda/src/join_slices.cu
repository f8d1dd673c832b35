// Neighbour lists over candidates only: of a view, the rows of some vertices cut down to those neighbours that are in a set. A
// search that goes through a list many times does better with what is left of it, and so do sums along lists.
//
// Input: a view in CSR form, and the rows that are wanted: of the vertices of list, in its order; without it, of those in the bitmap of
// a set, each in its own place, or of all. before has how many entries the rows before each have, and in all. bits is the
// bitmap of the set whose vertices stay (0: all). Given factors, a neighbour stays if it weighs anything, and weights_out gets what it
// weighs; beyond is set where that does not fit 64 bits. With ranks, how many vertices of the set lie before each word of its
// bitmap, a neighbour is written as its place in the set.
//
// What makes it fast: a warp has 1,024 entries, of whatever rows, so that no hub keeps a block waiting. What stays is counted by parts
// and then written in order: rows of the result lie as they do in the view, so that the place of what a part keeps is the number
// kept before.
#include "lists.cuh"

// Factors: their number, then for each the words of its record, offsets, targets and counts (0: one relationship each) of its view,
// whether loops count, and of how many falling factorials of the number of relationships it is the product (0: it is 1 if there
// is any), and these (pattern.Factor). The first one's view is the one that is cut.
#define FACTOR_WORDS 0
#define FACTOR_VIEW 1
#define FACTOR_LOOPS 4
#define FACTOR_FALLS 5

struct Slice {
  const u64 *before, *offsets, *factors;
  const u32 *targets, *list, *bits;
};

DEV u64 weight_of(const u64 *factor, u64 m, u32 *beyond) {
  u64 weight = 1;
  for (u64 f = 0; f < factor[FACTOR_FALLS]; f++)
    for (u64 i = 0; i < factor[FACTOR_FALLS + 1 + f]; i++) {
      if (m <= i) return 0;
      weight = times(weight, m - i, beyond);
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
    weight = times(weight, x, beyond);
  }
  return weight;
}

struct Neighbour {
  u32 w;
  u64 weight; // 0: it does not stay
};
DEV Neighbour neighbour_of(const Slice &s, u64 entry, u32 row, u32 *beyond) {
  u32 v = s.list ? once(s.list + row) : row;
  u64 at = once(s.offsets + v) + (entry - once(s.before + row));
  u32 w = once(s.targets + at);
  if (s.bits && !(once(s.bits + (w >> 5)) >> (w & 31) & 1)) return {w, 0};
  return {w, s.factors ? pair_weight(s, v, w, at, beyond) : 1};
}

// lengths[i] = the entries of row i.
KERNEL(join_slice_lengths, 256)(const u64 *offsets, const u32 *list, const u32 *from_bits, u32 rows, u32 *lengths) {
  for (u32 i = block_id() * block_size() + thread_id(); i < rows; i += grid_size() * block_size()) {
    u32 v = list ? once(list + i) : i;
    bool wanted = !from_bits || once(from_bits + (v >> 5)) >> (v & 31) & 1;
    lengths[i] = wanted ? (u32)(once(offsets + v + 1) - once(offsets + v)) : 0;
  }
}

// counts[p] = how many entries of part p, which has so many, stay.
KERNEL(join_slice_count, 256)(const u64 *before, u32 rows, const u64 *offsets, const u32 *targets, const u32 *list, const u32 *bits, const u64 *factors,
                              u32 parts, u32 each, u32 *counts, u32 *beyond_out) {
  Slice s = {before, offsets, factors, targets, list, bits};
  u32 part = block_id() * (block_size() >> 5) + warp_id(), kept = 0, beyond = 0;
  if (part >= parts) return;
  u64 all = once(before + rows), from = (u64)part * each, end = from + each < all ? from + each : all;
  each_edge(before, rows, from, end, [&](bool some, u64 entry, u32 row) { kept += some && neighbour_of(s, entry, row, &beyond).weight; });
  kept = warp_sum(kept);
  if (lane_id() == 0) counts[part] = kept;
  if (beyond) either(beyond_out, 1);
}

// Writes what stays, of part p from starts[p] on, and where rows start.
KERNEL(join_slice_write, 256)(const u64 *before, u32 rows, const u64 *offsets, const u32 *targets, const u32 *list, const u32 *bits, const u64 *factors,
                              u32 parts, u32 each, const u64 *starts, const u64 *ranks, u64 *offsets_out, u32 *targets_out, u64 *weights_out) {
  Slice s = {before, offsets, factors, targets, list, bits};
  u32 part = block_id() * (block_size() >> 5) + warp_id(), lane = lane_id(), beyond = 0;
  if (part >= parts) return;
  u64 all = once(before + rows), from = (u64)part * each, end = from + each < all ? from + each : all, at = once(starts + part);
  if (from >= all && part) return;
  u32 last = from ? warp_source_of(before, rows, from - 1) : ~0u; // the row of the entry before
  each_edge(before, rows, from, end, [&](bool some, u64 entry, u32 row) {
    Neighbour x = {0, 0};
    if (some) x = neighbour_of(s, entry, row, &beyond);
    u32 who = ballot(ALL, x.weight > 0), up = shuffle_up(ALL, row, 1);
    u64 place = at + popcount(who & lanes_below());
    if (x.weight) {
      u32 w = x.w;
      if (ranks) w = (u32)once(ranks + (w >> 5)) + popcount(once(bits + (w >> 5)) & ((1u << (w & 31)) - 1));
      targets_out[place] = w;
      if (weights_out) weights_out[place] = x.weight;
    }
    // Rows behind that of the entry before, up to this one's, start here: those in between are empty.
    u32 first = (lane ? up : last) + 1;
    for (u32 heads = ballot(ALL, some && first <= row); heads; heads &= heads - 1) {
      u32 o = lowest(heads), to = shuffle(ALL, row, o);
      u64 start = shuffle64(ALL, place, o);
      for (u32 r = shuffle(ALL, first, o) + lane; r <= to; r += 32) offsets_out[r] = start;
    }
    last = shuffle(ALL, row, 31);
    at += popcount(who);
  });
  if (end < all) return;
  for (u32 r = (all ? warp_source_of(before, rows, all - 1) + 1 : 0) + lane; r <= rows; r += 32) offsets_out[r] = at;
}
