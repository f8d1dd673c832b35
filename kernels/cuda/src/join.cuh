// What the ways of joining share: the plan, and what extends one row by one step.
#pragma once
#include "lists.cuh"

#define LEVELS 16 // the most steps

DEV u32 highest(u32 x) { return 31 - __builtin_clz(x); }

// The plan, in words of 8 bytes: the number of steps, whether matches have weights, the steps that are counted by lengths, then for
// each step where its record begins.
#define PLAN_STEPS 0
#define PLAN_WEIGHTED 1
#define PLAN_COUNTED 2 // the first of the last steps whose choices depend on none of them, and are all of one list but what they must differ from
#define PLAN_RECORDS 3
// A record.
#define STEP_BITS 0    // bitmap of candidates, or 0
#define STEP_RANGE 1   // where candidates lie: from, and to << 32
#define STEP_DIFFER 2  // steps whose vertex this one's must differ from, as bits
#define STEP_ORDER 3   // steps whose vertex must be smaller, and greater << 32
#define STEP_NUMBERS 4 // sources, and checks << 32
#define STEP_LIST 5    // candidates, where there is no source
#define STEP_LENGTH 6
#define STEP_SOURCES 7 // then the checks
// A source: step, offsets, targets, then bitmaps of some lists, vertices that have one (from, number << 32), and those that have a bit there.
#define SOURCE_WORDS 6
// A check: kind | step << 8 | coinciding pairs << 16 | number << 32, offsets, targets, counts, pairs.
#define CHECK_WORDS 4
#define CHECK_WEIGHT 0 // as many relationships as are left multiply the weight
#define CHECK_NUMBER 1 // there are just so many relationships
#define CHECK_ABSENT 2 // there is none, or the vertices are the same

// A row in a table that has a list of so many vertices for each step. That of step s, w, may still have to be stored (~0: none).
struct Row {
  const u32 *rows;
  u32 stride, slot, s, w;
};
DEV u32 vertex(const Row &r, u32 step) { return step == r.s ? r.w : r.rows[step * r.stride + r.slot]; }

// Whether the two ends of one edge are the two of another one: pair has steps to compare, 0xff for what cannot be.
DEV bool coincide(const Row &r, u64 pair) {
  for (u32 way = 0; way < 2; way++, pair >>= 32) {
    u32 p = (u32)pair;
    if ((p & 0xff) == 0xff) continue;
    if (vertex(r, p & 0xff) == vertex(r, p >> 8 & 0xff) && vertex(r, p >> 16 & 0xff) == vertex(r, p >> 24)) return true;
  }
  return false;
}

DEV bool checked(const u64 *check, u32 checks, const Row &r, u64 *weight, u32 *beyond) {
  for (; checks; checks--) {
    u32 kind = check[0] & 0xff, from = check[0] >> 8 & 0xff, pairs = check[0] >> 16 & 0xffff, number = (u32)(check[0] >> 32);
    u32 v = vertex(r, from), n = joined(check + 1, v, r.w);
    check += CHECK_WORDS;
    if (kind == CHECK_NUMBER && n != number) return false;
    if (kind == CHECK_ABSENT && n && v != r.w) return false;
    if (kind == CHECK_WEIGHT) {
      u32 taken = 0;
      for (u32 i = 0; i < pairs; i++) taken += coincide(r, check[i]);
      if (n <= taken) return false;
      n -= taken;
      *weight = times(*weight, n, beyond);
    }
    check += pairs;
  }
  return true;
}

// Whether w is none of the vertices of some steps, given as bits.
DEV bool differs(const Row &r, u32 steps) {
  for (; steps; steps &= steps - 1)
    if (vertex(r, lowest(steps)) == r.w) return false;
  return true;
}

// Whether w, which comes from source `chosen` of step s, completes a row.
DEV bool passes(const u64 *plan, const Row &r, u32 chosen, u64 *weight, u32 *beyond) {
  const u64 *step = plan + plan[PLAN_RECORDS + r.s];
  const u32 *bits = (const u32 *)step[STEP_BITS];
  if (bits && !(once(bits + (r.w >> 5)) >> (r.w & 31) & 1)) return false;
  if (!differs(r, (u32)step[STEP_DIFFER])) return false;
  u32 sources = (u32)step[STEP_NUMBERS], checks = (u32)(step[STEP_NUMBERS] >> 32);
  const u64 *source = step + STEP_SOURCES;
  for (u32 i = 0; i < sources; i++, source += SOURCE_WORDS) {
    if (i == chosen) continue;
    u32 v = vertex(r, (u32)source[0]), line = v - (u32)source[4];
    if (line < (u32)(source[4] >> 32)) {
      u32 bit = r.w - (u32)source[5], span = (u32)(source[5] >> 32);
      if (bit >= span || !(once((const u32 *)source[3] + (u64)line * ((span + 31) / 32) + (bit >> 5)) >> (bit & 31) & 1)) return false;
      continue;
    }
    const u64 *offsets = (const u64 *)source[1];
    u64 begin = once(offsets + v);
    u32 n = (u32)(once(offsets + v + 1) - begin);
    if (place((const u32 *)source[2] + begin, n, r.w) == n) return false;
  }
  return checked(source, checks, r, weight, beyond);
}

// Cuts a list of n to what a step may take by its range, and by the vertices of a row that must be smaller or greater.
DEV const u32 *cut(const u64 *step, const Row &r, const u32 *list, u32 *n) {
  u32 from = (u32)step[STEP_RANGE], to = (u32)(step[STEP_RANGE] >> 32);
  for (u32 left = (u32)step[STEP_ORDER]; left; left &= left - 1) {
    u32 v = vertex(r, lowest(left)) + 1;
    if (v > from) from = v;
  }
  for (u32 left = (u32)(step[STEP_ORDER] >> 32); left; left &= left - 1) {
    u32 v = vertex(r, lowest(left));
    if (v < to) to = v;
  }
  if (from) {
    u32 skip = below(list, *n, from);
    list += skip, *n -= skip;
  }
  if (to != ~0u) *n = below(list, *n, to);
  return list;
}

// The shortest list to extend a row by step s from, cut to what that may take; n is how long it is, and chosen which source it is of.
DEV const u32 *shortest(const u64 *plan, const Row &r, u32 s, u32 *n, u32 *chosen) {
  const u64 *step = plan + plan[PLAN_RECORDS + s];
  const u32 *list = (const u32 *)step[STEP_LIST];
  u32 least = (u32)step[STEP_LENGTH], of = ~0u, sources = (u32)step[STEP_NUMBERS];
  const u64 *source = step + STEP_SOURCES;
  for (u32 i = 0; i < sources; i++, source += SOURCE_WORDS) {
    if (source[0] == s) continue;
    const u64 *offsets = (const u64 *)source[1];
    u32 v = vertex(r, (u32)source[0]);
    u64 begin = once(offsets + v);
    u32 d = (u32)(once(offsets + v + 1) - begin);
    if (of == ~0u || d < least) of = i, least = d, list = (const u32 *)source[2] + begin;
  }
  list = cut(step, r, list, &least);
  *n = least, *chosen = of;
  return list;
}

// How many choices step s, one that is counted by its list, leaves to the lane's row.
DEV u32 length_of(const u64 *plan, const Row &r, u32 s) {
  const u64 *step = plan + plan[PLAN_RECORDS + s], *source = step + STEP_SOURCES;
  const u32 *list = (const u32 *)step[STEP_LIST];
  u32 n = (u32)step[STEP_LENGTH], differ = (u32)step[STEP_DIFFER];
  if ((u32)step[STEP_NUMBERS]) {
    const u64 *offsets = (const u64 *)source[1];
    u32 v = vertex(r, (u32)source[0]);
    u64 begin = once(offsets + v);
    list = (const u32 *)source[2] + begin, n = (u32)(once(offsets + v + 1) - begin);
  }
  list = cut(step, r, list, &n);
  u32 choices = n;
  for (u32 left = n ? differ : 0; left; left &= left - 1) {
    u32 v = vertex(r, lowest(left));
    bool again = false;
    for (u32 before = differ & ((1u << lowest(left)) - 1); before; before &= before - 1) again = again || vertex(r, lowest(before)) == v;
    if (!again && place(list, n, v) < n) choices--;
  }
  return choices;
}

// What a lane counts: matches in 128 bits, and rows that were counted by lengths.
struct Sums {
  u64 low, high, by_length;
};
DEV void count_some(Sums *s, u64 n) {
  s->low += n;
  s->high += s->low < n;
}

// Adds what the lanes have counted to total: matches in two words, and in the fifth, rows. One lane does it for the warp, since thousands
// of additions to one word are slow.
DEV void add_sums(u64 *total, const Sums &s) {
  u64 low = warp_sum64((u32)s.low), middle = warp_sum64(s.low >> 32) + (low >> 32), high = warp_sum64(s.high) + (middle >> 32), rows = warp_sum64(s.by_length);
  if (lane_id()) return;
  add_wide(total, (u32)low | middle << 32);
  if (high) add(total + 1, high);
  if (rows) add(total + 4, rows);
}
