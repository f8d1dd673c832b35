// Breadth-first search, a launch for a level.
//
// Input: CSR adjacency of fewer than 2^32 - 1 vertices; for pull, the adjacency in the opposite direction. Bitmaps, levels and
// tally are 0, depths and parents ~0.
//
// What makes it fast: what is reached is a bitmap, which stays in the cache of the card. A push takes the frontier from
// a queue, by size of its rows: a warp spreads those of few edges over its lanes, a block takes one of more, and the
// whole grid one of a hub. Where most of the graph is in the frontier, the vertices not yet reached look for a neighbour that is
// (pull): by a bitmap that nobody writes meanwhile and without atomics, for a lane has one vertex and a warp the words of its
// vertices. Any neighbour seen will do, as one seen earlier than in the level before would have led to the vertex earlier. Rows begin with
// the vertices of large degree, so the first look mostly ends the search. Frontiers of a few vertices stay in one block for
// many levels (bfs_narrow).
//
// A launch does a level, and is enqueued before the levels in front of it are known. It reads in levels[slot] what the one
// before it found, does its level or finds that it is not its turn, and leaves the same for the next in levels[slot + 1]. So
// the host need not look at the device between levels.
#include "bfs.cuh"

#define PROBES 16       // edges that a lane looks at before its warp helps
#define PULLED_WORDS 8  // of the bitmap that a warp takes at once, at most
#define LATER 32        // long rows that a block puts off

// Puts the sources into the frontier of slot 0: those in list, or the one.
KERNEL(bfs_begin, 256)(SEARCH, const u32 *list, u32 one, u32 count, u64 all_edges) {
  SHARED(u32, own, PRIVATE);
  SHARED(u32, places, 2);
  SHARED(u64, sums, 4);
  Search s = ALL_OF_SEARCH;
  Finds f = start_finds(s, levels, 0, own, places, sums);
  for (u32 base = block_id() * block_size() + (thread_id() & ~31u); base < count; base += grid_size() * block_size()) {
    bool mine = base + lane_id() < count;
    u32 v = mine && list ? once(list + base + lane_id()) : one, edges = 0;
    mine = mine && claim(s, bitmap_of(s, 0), v);
    if (mine) depth[v] = 0, edges = edges_of(s, v);
    find(s, f, mine, v, edges);
  }
  end_finds(s, f);
  if (first_lane()) levels[0].unseen = all_edges;
}

// The bit of the n-th bit that is set, counted from 0.
DEV u32 nth(u32 bits, u32 n) {
  u32 at = 0;
  for (u32 half = 16; half; half >>= 1) {
    u32 below = popcount(bits >> at & ((1u << half) - 1));
    if (n >= below) n -= below, at += half;
  }
  return at;
}

// Looks in edges [e, end) that lead to a vertex for one from a vertex seen, in this lane; UNSEEN: there is none.
DEV u32 look(const Search &s, const u32 *seen, u64 e, u64 end) {
  u32 from = UNSEEN;
  for (; e < end && (from == UNSEEN || !(s.how & EARLY)); e += 4) {
    u32 u[4], hit = UNSEEN;
    for (u32 i = 0; i < 4; i++) u[i] = e + i < end ? once(s.back + e + i) : UNSEEN;
    for (u32 i = 4; i-- > 0;)
      if (u[i] != UNSEEN && once(seen + (u[i] >> 5)) >> (u[i] & 31) & 1) hit = u[i];
    if (from == UNSEEN) from = hit;
  }
  return from;
}

// The same by lanes of which each has every step-th edge from its own on, four loads under way at a time; found is theirs.
DEV void look_together(const Search &s, const u32 *seen, u64 e, u64 end, u32 step, u32 *found) {
  for (; e < end; e += 4 * (u64)step) {
    u32 u[4];
    for (u32 i = 0; i < 4; i++) u[i] = e + (u64)i * step < end ? once(s.back + e + (u64)i * step) : UNSEEN;
    for (u32 i = 0; i < 4; i++)
      if (u[i] != UNSEEN && once(seen + (u[i] >> 5)) >> (u[i] & 31) & 1) exchange(found, u[i]);
    if (s.how & EARLY && read(found) != UNSEEN) return;
  }
}

// What pull needs of a block's memory.
struct Pulling {
  u32 *fresh;  // words that the warps have found, PULLED_WORDS each
  u32 *parent; // by warp: that of a long row; behind them, that of a row that the block shares
  u32 *later;  // vertices of such rows; their number in front
};

// Looks for a parent of a vertex in every lane; long rows are the warp's together, or are left for later.
DEV u32 parent_of(const Search &s, const u32 *seen, const Pulling &p, bool valid, u32 v) {
  u64 e = 0, end = 0;
  if (valid) e = once(s.back_offsets + v), end = once(s.back_offsets + v + 1);
  u64 soon = end - e > PROBES ? e + PROBES : end;
  u32 from = look(s, seen, e, soon);
  u64 left = from == UNSEEN || !(s.how & EARLY) ? end - soon : 0;
  if (left >= s.hub) {
    u32 at = add(&p.later[0], 1);
    if (at < LATER) p.later[1 + at] = v, left = 0, from = UNSEEN;
  }
  u32 *found = p.parent + warp_id();
  for (u32 who = ballot(ALL, left > 0); who; who &= who - 1) {
    u32 o = lowest(who);
    if (lane_id() == 0) *found = UNSEEN;
    sync_warp(ALL);
    look_together(s, seen, shuffle64(ALL, soon, o) + lane_id(), shuffle64(ALL, end, o), 32, found);
    sync_warp(ALL);
    if (lane_id() == o && from == UNSEEN) from = read(found);
    sync_warp(ALL);
  }
  return from;
}

// The rows that were left for later, by the whole block.
DEV void pull_later(const Search &s, const Level &l, Finds &f, const Pulling &p) {
  const u32 *old = bitmap_of(s, l.bitmap);
  u32 *seen = bitmap_of(s, 1 - l.bitmap), *front = bitmap_of(s, 2), *found = p.parent + (block_size() >> 5);
  sync_block();
  u32 n = read(&p.later[0]);
  if (n > LATER) n = LATER;
  for (u32 i = 0; i < n; i++) {
    u32 v = p.later[1 + i];
    if (thread_id() == 0) *found = UNSEEN;
    sync_block();
    look_together(s, old, once(s.back_offsets + v) + thread_id(), once(s.back_offsets + v + 1), block_size(), found);
    sync_block();
    u32 from = read(found);
    if (warp_id() == 0 && from != UNSEEN) {
      bool mine = lane_id() == 0;
      u32 edges = edges_of(s, v);
      if (mine) {
        either(seen + (v >> 5), 1u << (v & 31)), either(front + (v >> 5), 1u << (v & 31));
        reached(s, l, v, from);
        f.edges += edges, f.size++, f.stopped += s.how & EARLY ? 1 : 0;
      }
      keep_hubs(s, f, mine, v, edges);
    }
    sync_block();
  }
  if (thread_id() == 0 && n) add(&s.tally[BY_BLOCK], (u64)n);
}

DEV void pull_level(const Search &s, const Level &l, Finds &f, const Pulling &p) {
  const u32 *old = bitmap_of(s, l.bitmap);
  u32 *seen = bitmap_of(s, 1 - l.bitmap), *front = bitmap_of(s, 2), *fresh = p.fresh + warp_id() * PULLED_WORDS;
  u32 lane = lane_id(), words = s.pull_words, per_block = block_size() >> 5, warps = grid_size() * per_block;
  u32 take = share_of(words, warps);
  if (take > PULLED_WORDS) take = PULLED_WORDS;
  if (thread_id() == 0) p.later[0] = 0;
  sync_block();
  for (u64 base = block_id() * per_block + warp_id(); base < words; base += (u64)warps * take) {
    u64 word = base + (u64)lane * warps; // far apart: neighbouring words have vertices of like degrees
    bool valid = lane < take && word < words;
    u32 was = 0, todo = 0;
    if (valid) {
      was = once(old + word), fresh[lane] = 0;
      todo = ~was & (s.open ? once(s.open + word) : ALL);
      if (word == s.vertices >> 5) todo &= (1u << (s.vertices & 31)) - 1;
    }
    sync_warp(ALL);
    u32 total, prefix = warp_prefix(popcount(todo), &total);
    for (u32 at = 0; at < total; at += 32) {
      u32 x = at + lane, o = owner_of(prefix, x < total ? x : total - 1);
      u32 bits = shuffle(ALL, todo, o), first = shuffle(ALL, prefix, o);
      bool wanted = x < total;
      u32 bit = wanted ? nth(bits, x - first) : 0, v = (u32)(base + (u64)o * warps) * 32 + bit, edges = 0;
      u32 from = parent_of(s, old, p, wanted, v);
      bool mine = from != UNSEEN;
      if (mine) {
        either(fresh + o, 1u << bit);
        reached(s, l, v, from);
        edges = edges_of(s, v);
        f.edges += edges, f.size++, f.stopped += s.how & EARLY ? 1 : 0;
      }
      keep_hubs(s, f, mine, v, edges);
    }
    sync_warp(ALL);
    if (valid) {
      u32 found = read(fresh + lane);
      seen[word] = was | found, front[word] = found;
    }
    sync_warp(ALL);
  }
  pull_later(s, l, f, p);
}

// A level, in the direction that suits it.
KERNEL(bfs_level, 256)(SEARCH, u32 slot) {
  SHARED(u32, own, PRIVATE);
  SHARED(u32, places, 2);
  SHARED(u64, sums, 4);
  SHARED(u32, fresh, 8 * PULLED_WORDS);
  SHARED(u32, parents, 9);
  SHARED(u32, later, 1 + LATER);
  Search s = ALL_OF_SEARCH;
  const Level l = levels[slot];
  bool pull = pulls(s, l);
  if (over(s, l) || pull && !back) return pass_on(s, l, slot, !over(s, l));
  go_on(s, l, levels + slot + 1, pull);
  Finds f = start_finds(s, levels + slot + 1, 1 - l.queue, own, places, sums);
  if (pull) {
    pull_level(s, l, f, Pulling{fresh, parents, later});
  } else {
    u32 *now = bitmap_of(s, l.bitmap);
    along(s, l, [&](u32 v, bool valid, u64 e) INLINE {
      u32 w = valid ? once(targets + e) : 0, edges = 0;
      bool mine = valid && claim(s, now, w);
      if (mine) reached(s, l, w, v), edges = edges_of(s, w);
      find(s, f, mine, w, edges);
    });
    if (first_lane() && l.many) add(&tally[BY_GRID], (u64)l.many);
    if (first_lane() && l.some) add(&tally[BY_BLOCK], (u64)l.some);
  }
  end_finds(s, f);
}

// Levels by one block as long as the frontier is small.
KERNEL(bfs_narrow, 1024)(SEARCH, u32 slot) {
  SHARED(u32, queues_of_block, 2 * NARROW);
  SHARED(u32, marks, 3);
  SHARED(u64, found_edges, 1);
  Search s = ALL_OF_SEARCH;
  const Level l = levels[slot];
  if (over(s, l) || how & MUST_PULL || !is_narrow(l, NARROW_EDGES)) return pass_on(s, l, slot, 0);
  narrow_levels(s, l, levels + slot + 1, NARROW_EDGES, Narrow{queues_of_block, marks, found_edges});
}

// A level by trying all edges, whatever the frontier: for graphs of few, wide levels. edge e leads from source[e].
KERNEL(bfs_edges, 256)(SEARCH, const u32 *source, u64 all_edges, u32 slot) {
  SHARED(u32, own, PRIVATE);
  SHARED(u32, places, 2);
  SHARED(u64, sums, 4);
  Search s = ALL_OF_SEARCH;
  const Level l = levels[slot];
  if (over(s, l)) return pass_on(s, l, slot, 0);
  go_on(s, l, levels + slot + 1, false);
  Finds f = start_finds(s, levels + slot + 1, 1 - l.queue, own, places, sums);
  for (u64 e = (u64)block_id() * block_size() + thread_id(); e < all_edges; e += (u64)grid_size() * block_size()) {
    u32 v = once(source + e), w = once(targets + e);
    if (read(depth + v) != l.level || !claim(s, bitmap_of(s, 0), w)) continue;
    exchange(depth + w, l.level + 1);
    parent[w] = v;
    f.size++;
  }
  end_finds(s, f);
  if (first_lane()) add(&tally[TRIED], all_edges);
}

// Writes for every edge where it comes from.
KERNEL(bfs_sources, 256)(const u64 *offsets, u32 vertices, u32 *source) {
  u32 lane = lane_id(), warps = grid_size() * (block_size() >> 5);
  for (u64 v = block_id() * (block_size() >> 5) + warp_id(); v < vertices; v += warps)
    for (u64 e = once(offsets + v) + lane, end = once(offsets + v + 1); e < end; e += 32) source[e] = (u32)v;
}

// Depths in a byte each, ~0 where there is none.
KERNEL(bfs_pack, 256)(const u32 *depth, u32 vertices, u32 *packed) {
  for (u64 i = (u64)block_id() * block_size() + thread_id(); i * 4 < vertices; i += (u64)grid_size() * block_size()) {
    u32 word = 0;
    for (u32 k = 0; k < 4; k++) word |= (i * 4 + k < vertices ? once(depth + i * 4 + k) & 255 : 255) << 8 * k;
    packed[i] = word;
  }
}

#define SIZES 256

// Counts the vertices of each depth below SIZES.
KERNEL(bfs_sizes, 256)(const u32 *depth, u32 vertices, u64 *sizes) {
  SHARED(u32, counts, SIZES);
  exchange(&counts[thread_id()], 0);
  sync_block();
  for (u64 v = (u64)block_id() * block_size() + thread_id(); v < vertices; v += (u64)grid_size() * block_size()) {
    u32 d = once(depth + v);
    if (d < SIZES) add(&counts[d], 1);
  }
  sync_block();
  u32 n = read(&counts[thread_id()]);
  if (n) add(&sizes[thread_id()], (u64)n);
}
