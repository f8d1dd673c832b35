// The filter: candidate sets of all query vertices, as bitmaps over the vertices of the graph.
//
// Input: views of the graph in CSR form, rows sorted, each neighbour once; sets have a bit a vertex, in a whole number of words
// of 64 bits, those behind the last vertex 0. The tests of a query vertex are a list of operations (see passes).
//
// What makes it fast: one pass over the vertices makes the tests of all query vertices, a vertex a lane, so that a ballot is a
// word of a set and its count is one addition; what a vertex needs is read once and stays in the nearest cache for the next query
// vertex. Arcs are revised a word of 32 candidates at a time: each lane looks at the first few neighbours of its own, which
// mostly suffices, and what is left is looked through by the whole warp.
#include "lists.cuh"

// The class of every vertex, of ranges in rising order; the number of classes where it is in none.
KERNEL(filter_classes, 256)(const u32 *from, const u32 *to, u32 classes, u32 vertices, u32 *class_of) {
  for (u32 v = block_id() * block_size() + thread_id(); v < vertices; v += grid_size() * block_size()) {
    u32 c = v == ~0u ? classes : below(to, classes, v + 1);
    class_of[v] = c < classes && once(from + c) <= v ? c : classes;
  }
}

// ---- tests ----

#define STAGES 8
#define MOST_QUERIES 32 // query vertices of one launch

// Operations are 8 words: what, two numbers, addresses.
#define OP_STAGE 0  // counts what is left under number 1
#define OP_ADMIT 1  // bit of the vertex's class
#define OP_HAS 2    // bit of the vertex
#define OP_DEGREE 3 // number 1 wanted; offsets, counts or 0
#define OP_LOOP 4   // offsets, targets
#define OP_COVER 5  // words a vertex, queries; words of all vertices, of the queries
#define OP_DEEP 6   // the least; values
#define OP_AROUND 7 // number 1 wanted, ranges; offsets, targets, counts or 0, ranges

DEV const u32 *at32(const u64 *op, u32 i) { return (const u32 *)once(op + i); }
DEV const u64 *at64(const u64 *op, u32 i) { return (const u64 *)once(op + i); }

// What is still wanted behind the entries [lo, hi) of a row, of which each counts as often as counts says.
DEV u32 wanting(const u32 *counts, u64 lo, u64 hi, u32 want) {
  if (hi - lo >= want) return 0;
  if (!counts) return want - (u32)(hi - lo);
  for (; lo < hi; lo++) {
    u32 n = once(counts + lo);
    if (n >= want) return 0;
    want -= n;
  }
  return want;
}

DEV bool covers(const u64 *op, u32 v) {
  u32 words = (u32)once(op + 1), queries = (u32)once(op + 2);
  const u64 *own = at64(op, 3) + (u64)v * words, *query = at64(op, 4);
  for (u32 q = 0; q < queries; q++)
    for (u32 i = 0; i < words; i++) {
      u64 asked = once(query + q * words + i);
      if ((asked & once(own + i)) != asked) return false;
    }
  return true;
}

DEV bool enough_around(const u64 *op, u32 v) {
  u32 want = (u32)once(op + 1), ranges = (u32)once(op + 2);
  const u64 *offsets = at64(op, 3), *range = at64(op, 6);
  u64 begin = once(offsets + v), row = once(offsets + v + 1) - begin;
  const u32 *hood = at32(op, 4) + begin;
  for (u32 i = 0; i < ranges && want; i++) {
    u32 lo = (u32)once(range + i), hi = (u32)(once(range + i) >> 32);
    u32 a = below(hood, (u32)row, lo), b = a + below(hood + a, (u32)row - a, hi);
    want = wanting(at32(op, 5), begin + a, begin + b, want);
  }
  return !want;
}

DEV bool passes(const u64 *op, u32 kind, u32 v, u32 cls) {
  switch (kind) {
  case OP_ADMIT: return once(at32(op, 3) + (cls >> 5)) >> (cls & 31) & 1;
  case OP_HAS: return once(at32(op, 3) + (v >> 5)) >> (v & 31) & 1;
  case OP_DEGREE: {
    const u64 *offsets = at64(op, 3);
    return !wanting(at32(op, 4), once(offsets + v), once(offsets + v + 1), (u32)once(op + 1));
  }
  case OP_LOOP: {
    const u64 *offsets = at64(op, 3);
    u64 begin = once(offsets + v);
    u32 n = (u32)(once(offsets + v + 1) - begin);
    return place(at32(op, 4) + begin, n, v) < n;
  }
  case OP_COVER: return covers(op, v);
  case OP_DEEP: return once(at32(op, 3) + v) >= (u32)once(op + 1);
  }
  return enough_around(op, v);
}

// Makes the tests [starts[q], starts[q+1]) of each query vertex on all vertices. sets: words of 32 bits a query vertex; left: how
// many vertices each stage of each query vertex has left (there are fewer than 2^32 vertices).
KERNEL(filter_verify, 256)(const u64 *ops, const u32 *starts, u32 queries, u32 vertices, const u32 *class_of, u32 *sets, u32 words,
                           u32 *left) {
  SHARED(u32, passed, MOST_QUERIES * STAGES);
  for (u32 i = thread_id(); i < queries * STAGES; i += block_size()) passed[i] = 0;
  sync_block();
  u32 lane = lane_id(), warps = block_size() >> 5;
  for (u32 w = block_id() * warps + warp_id(); w < words; w += grid_size() * warps) {
    u32 v = w * 32 + lane, cls = v < vertices ? once(class_of + v) : 0;
    for (u32 q = 0; q < queries; q++) {
      bool alive = v < vertices;
      for (u32 i = once(starts + q), end = once(starts + q + 1); i < end; i++) {
        const u64 *op = ops + 8 * (u64)i;
        u32 kind = (u32)once(op);
        if (kind != OP_STAGE) {
          if (alive) alive = passes(op, kind, v, cls);
          continue;
        }
        u32 who = ballot(ALL, alive);
        if (!who) break;
        if (lane == 0) add(&passed[q * STAGES + (u32)once(op + 1)], popcount(who));
      }
      u32 who = ballot(ALL, alive);
      if (lane == 0) sets[(u64)q * words + w] = who;
    }
  }
  sync_block();
  for (u32 i = thread_id(); i < queries * STAGES; i += block_size())
    if (passed[i]) add(left + i, passed[i]);
}

// ---- arcs ----

DEV bool marked(const u32 *set, u32 v) { return once(set + (v >> 5)) >> (v & 31) & 1; }

#define SHORT_ROW 16 // rows of up to so many entries are not cut

// Cuts a sorted row to the vertices [from, to).
DEV void cut(const u32 *targets, u64 *begin, u64 *end, u32 from, u32 to) {
  u32 n = (u32)(*end - *begin);
  if (n <= SHORT_ROW) return;
  u32 a = below(targets + *begin, n, from), b = a + below(targets + *begin + a, n - a, to);
  *end = *begin + b, *begin += a;
}

// Keeps those of a set that have a neighbour in another one, by, all of it in [from, to): looked for among a vertex's first neighbours
// there by its lane alone, among the rest by the warp. counts: how many are kept, how many rows warps have gone through.
KERNEL(filter_look, 256)(u32 *set, const u32 *by, u32 words, const u64 *offsets, const u32 *targets, u32 differ, u32 from, u32 to,
                         u32 alone, u32 *counts) {
  u32 lane = lane_id(), warps = block_size() >> 5, kept = 0, shared = 0;
  for (u32 w = block_id() * warps + warp_id(); w < words; w += grid_size() * warps) {
    u32 word = set[w], v = w * 32 + lane;
    if (!word) continue;
    bool mine = word >> lane & 1, hit = false;
    u64 e = mine ? once(offsets + v) : 0, end = mine ? once(offsets + v + 1) : 0;
    cut(targets, &e, &end, from, to);
    for (u64 soon = end - e < alone ? end : e + alone; e < soon && !hit; e++) {
      u32 x = once(targets + e);
      hit = marked(by, x) && !(differ && x == v);
    }
    for (u32 rest = ballot(ALL, mine && !hit && e < end); rest; rest &= rest - 1) {
      u32 o = lowest(rest), found = 0;
      u64 last = shuffle64(ALL, end, o);
      for (u64 at = shuffle64(ALL, e, o) + lane; at - lane < last && !found; at += 32) {
        u32 x = at < last ? once(targets + at) : 0;
        found = ballot(ALL, at < last && marked(by, x) && !(differ && x == w * 32 + o));
      }
      if (lane == o) hit = found;
      shared++;
    }
    u32 who = ballot(ALL, hit);
    sync_warp(ALL);
    if (lane == 0 && who != word) set[w] = who;
    kept += popcount(who);
  }
  if (lane == 0 && kept) add(&counts[0], kept);
  if (lane == 0 && shared) add(&counts[1], shared);
}

DEV void mark(u32 *set, u32 v) {
  u32 bit = 1u << (v & 31);
  if (!(read(set + (v >> 5)) & bit)) either(set + (v >> 5), bit);
}

// Marks the neighbours in [from, to) of the members of a set, and perhaps others. From so many entries on, 2^26 at most, a row is cut
// into pieces, one a block: of the blocks, those whose numbers agree in all but the remainder by pieces take the same members.
KERNEL(filter_mark, 256)(const u32 *by, u32 words, const u64 *offsets, const u32 *targets, u32 differ, u32 from, u32 to, u32 long_row,
                         u32 pieces, u32 *into) {
  u32 lane = lane_id(), warps = block_size() >> 5, piece = block_id() % pieces;
  for (u32 w = block_id() / pieces * warps + warp_id(); w < words; w += grid_size() / pieces * warps) {
    u32 word = once(by + w), v = w * 32 + lane;
    if (!word) continue;
    bool mine = word >> lane & 1;
    u64 begin = mine ? once(offsets + v) : 0, end = mine ? once(offsets + v + 1) : 0;
    cut(targets, &begin, &end, from, to);
    u64 row = end - begin;
    for (u32 rest = ballot(ALL, row >= long_row); rest; rest &= rest - 1) {
      u32 o = lowest(rest);
      u64 first = shuffle64(ALL, begin, o), n = shuffle64(ALL, row, o);
      for (u64 i = piece * 32 + lane; i < n; i += 32 * pieces) {
        u32 x = once(targets + first + i);
        if (!differ || x != w * 32 + o) mark(into, x);
      }
    }
    if (piece) continue;
    u32 all, prefix = warp_prefix(row >= long_row ? 0 : (u32)row, &all);
    for (u32 x0 = 0; x0 < all; x0 += 32) {
      u32 i = x0 + lane, o = owner_of(prefix, i < all ? i : all - 1);
      u64 first = shuffle64(ALL, begin, o);
      u32 before = shuffle(ALL, prefix, o);
      if (i >= all) continue;
      u32 x = once(targets + first + (i - before));
      if (!differ || x != w * 32 + o) mark(into, x);
    }
  }
}

// Keeps those of a set that are in another one. counts: how many.
KERNEL(filter_and, 256)(u32 *set, const u32 *with, u32 words, u32 *counts) {
  u32 kept = 0;
  for (u32 w = block_id() * block_size() + thread_id(); w < words; w += grid_size() * block_size()) {
    u32 word = set[w] & once(with + w);
    set[w] = word;
    kept += popcount(word);
  }
  kept = warp_sum(kept);
  if (lane_id() == 0 && kept) add(&counts[0], kept);
}

// Lists the members of a set in order: before says how many stand in the words before each.
KERNEL(filter_list, 256)(const u32 *set, u32 words, const u32 *before, u32 *list) {
  u32 lane = lane_id(), warps = block_size() >> 5;
  for (u32 w = block_id() * warps + warp_id(); w < words; w += grid_size() * warps) {
    u32 word = once(set + w);
    if (word >> lane & 1) list[once(before + w) + popcount(word & lanes_below())] = w * 32 + lane;
  }
}
