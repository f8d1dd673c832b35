// What kernels share that go through sorted neighbour lists.
#pragma once
#include "gpu.h"

typedef unsigned __int128 u128;

// How many entries of a sorted list are below x.
DEV u32 below(const u32 *list, u32 n, u32 x) {
  u32 lo = 0, hi = n;
  while (lo < hi) {
    u32 mid = (lo + hi) >> 1;
    if (once(list + mid) < x) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

// The place of x in a sorted list of n, or n.
DEV u32 place(const u32 *list, u32 n, u32 x) {
  u32 at = below(list, n, x);
  return at < n && once(list + at) == x ? at : n;
}

// How many relationships lead from v to w in a view: its offsets, targets, and counts, or 0: one each.
DEV u32 joined(const u64 *view, u32 v, u32 w) {
  const u64 *offsets = (const u64 *)view[0];
  u64 begin = once(offsets + v);
  u32 n = (u32)(once(offsets + v + 1) - begin), at = place((const u32 *)view[1] + begin, n, w);
  if (at == n) return 0;
  return view[2] ? once((const u32 *)view[2] + begin + at) : 1;
}

// The vertex that an edge starts from: the last one whose list starts at or before the edge.
DEV u32 source_of(const u64 *offsets, u32 vertices, u64 edge) {
  u32 lo = 0, hi = vertices;
  while (lo + 1 < hi) {
    u32 mid = lo + ((hi - lo) >> 1);
    if (once(offsets + mid) <= edge) lo = mid;
    else hi = mid;
  }
  return lo;
}

// Rows are cut into segments of so many entries, a warp each (see segments.go), so that hubs are no one's alone.
#define SEGMENT 1024

// The entries of a segment of the row of v, from the one returned up to end.
DEV u64 segment(const u64 *offsets, u32 v, u32 number, u64 *end) {
  u64 from = once(offsets + v) + (u64)number * SEGMENT;
  *end = once(offsets + v + 1);
  if (from + SEGMENT < *end) *end = from + SEGMENT;
  return from;
}

// The same by all lanes of a warp together, for one edge.
DEV u32 warp_source_of(const u64 *offsets, u32 vertices, u64 edge) {
  u32 lo = 0;
  for (u32 n = vertices; n > 1;) {
    u32 each = (n + 31) / 32, i = lane_id() * each;
    u32 who = ballot(ALL, i < n && once(offsets + lo + i) <= edge), last = popcount(who) - 1;
    lo += last * each;
    n = n - last * each < each ? n - last * each : each;
  }
  return lo;
}

// Goes through the edges [from, end) of a list of rows, 32 at a time: all lanes of a warp call f with each whether the lane has an
// edge, which, and its row. So warps have equal parts of rows of any length.
#define PART 1024 // edges of a warp
template <class F> DEV void each_edge(const u64 *offsets, u32 rows, u64 from, u64 end, F f) {
  if (from >= end) return;
  u32 first = warp_source_of(offsets, rows, from), last = warp_source_of(offsets, rows, end - 1);
  for (u64 base = from; base < end; base += 32) {
    u64 edge = base + lane_id();
    u32 lo = first, hi = edge < end ? last : lo;
    while (lo < hi) {
      u32 mid = lo + (hi - lo + 1) / 2;
      if (once(offsets + mid) <= edge) lo = mid;
      else hi = mid - 1;
    }
    f(edge < end, edge, lo);
    first = shuffle(ALL, lo, 31);
  }
}

// Of the prefix sums of the lanes, finds the lane that item x belongs to: the last one whose sum is at most x.
DEV u32 owner_of(u32 prefix, u32 x) {
  u32 lo = 0;
  for (u32 step = 16; step; step >>= 1) {
    u32 at = shuffle(ALL, prefix, lo + step);
    if (at <= x) lo += step;
  }
  return lo;
}

// a * b; beyond is set if that does not fit.
DEV u64 times(u64 a, u64 b, u32 *beyond) {
  u128 p = (u128)a * b;
  if (p >> 64) *beyond = 1;
  return (u64)p;
}

// Of a number of 8 bytes.
DEV u64 shuffle64(u32 mask, u64 v, u32 from) {
  return (u64)shuffle(mask, (u32)v, from) | (u64)shuffle(mask, (u32)(v >> 32), from) << 32;
}

// Lists the bits of a set, by the whole warp; returns how many there are.
DEV u32 list_set(u32 *queue, const u32 *set, u32 words) {
  u32 n = 0, lane = lane_id();
  sync_warp(ALL);
  for (u32 w = 0; w < words; w++) {
    u32 word = set[w];
    if (word >> lane & 1) queue[n + popcount(word & lanes_below())] = w * 32 + lane;
    n += popcount(word);
  }
  sync_warp(ALL);
  return n;
}

// Room for those lanes that want some, from a counter: returns where. All lanes of the warp call it.
DEV u32 room_for(u32 *count, bool wanted) {
  u32 who = ballot(ALL, wanted), at = 0;
  if (!who) return 0;
  u32 leader = lowest(who);
  if (lane_id() == leader) at = add(count, popcount(who));
  return shuffle(ALL, at, leader) + popcount(who & lanes_below());
}

// Appends for those lanes that want to; all lanes of the warp call it.
DEV void enqueue(u32 *queue, u32 *count, bool wanted, u32 v) {
  u32 at = room_for(count, wanted);
  if (wanted) queue[at] = v;
}

// The next item for a warp from a counter; ~0: none is left, or the host wants no more. Items are every step-th one of
// [first, last): devices that share a request take turns.
DEV u32 next_item(const u32 *stop, u32 *next, u32 first, u32 last, u32 step = 1) {
  u32 at = ~0u;
  if (lane_id() == 0 && !read(stop)) {
    u64 item = first + (u64)add(next, 1) * step;
    if (item < last) at = (u32)item;
  }
  return shuffle(ALL, at, 0);
}

// Notes the smallest of the lanes' numbers, ~0 for none, as its complement.
DEV void note_least(u32 *complement, u32 least) {
  for (u32 by = 16; by; by >>= 1) {
    u32 other = shuffle_xor(ALL, least, by);
    if (other < least) least = other;
  }
  if (lane_id() == 0 && least != ~0u) largest(complement, ~least);
}
