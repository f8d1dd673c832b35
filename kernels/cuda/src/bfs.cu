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
#include "lists.cuh"

#define INLINE __attribute__((always_inline)) // of lambdas
#define UNSEEN 0xffffffffu
#define PRIVATE 2048 // the largest frontier of a block's own

// Bits of how.
#define MAY_PULL 1u
#define MUST_PULL 2u
#define EARLY 4u // a pulling vertex stops at its first parent

// A frontier, and what was known when it was found. Launches add to edges, size, few, some and many by atomic functions; the
// first lane of the grid writes the rest.
struct Level {
  u64 edges;            // of the frontier
  u64 unseen;           // edges of the vertices not seen before it
  u64 alive;            // several searches: those that are in it
  u32 level, size;      // of the frontier
  u32 few, some, many;  // vertices in its queue by their edges: a warp's share, a block's, the grid's
  u32 queue, bitmap;    // which of the two
  u32 pulled;           // all but the grid's are in the bitmap of the frontier, not in the queue
  u32 last;             // size of the frontier before it
  u32 waits;            // the next level is to be pulled, but there are no edges to pull along
  u32 vertex, source;   // several searches: 1 + one of it, and a search that has reached that
};

// Uses of techniques, by place in tally.
enum { BY_ONE_BLOCK, BY_GRID, BY_BLOCK, OVERFLOWS, STOPPED, TURNS, TRIED };

// What all launches of a search are given. Vertices of at least row edges are a block's, of at least hub edges the grid's.
// seen is three bitmaps: two of the vertices reached, and that of the frontier; queues and hubs are two each. open is
// the vertices that may be entered; null: all. Vertices from word pull_words of a bitmap on have no edges to pull along.
struct Search {
  const u64 *offsets;
  const u32 *targets;
  const u64 *back_offsets;
  const u32 *back;
  const u32 *open;
  u32 *seen, *depth, *parent, *queues, *hubs;
  Level *levels;
  u64 *tally;
  const u32 *stop;
  u32 vertices, pull_words, most, how, room, row, hub;
};
#define SEARCH                                                                                                                       \
  const u64 *offsets, const u32 *targets, const u64 *back_offsets, const u32 *back, const u32 *open, u32 *seen, u32 *depth,            \
      u32 *parent, u32 *queues, u32 *hubs, Level *levels, u64 *tally, const u32 *stop, u32 vertices, u32 pull_words, u32 most, u32 how, \
      u32 room, u32 row, u32 hub
#define ALL_OF_SEARCH                                                                                                               \
  {offsets, targets, back_offsets, back, open, seen, depth, parent, queues, hubs, levels, tally, stop, vertices, pull_words, most, how, \
   room, row, hub}

DEV u32 words_of(const Search &s) { return (s.vertices >> 5) + ((s.vertices & 31) != 0); }
DEV u32 *queue_of(const Search &s, u32 which) { return s.queues + (u64)which * s.vertices; }
DEV u32 *hubs_of(const Search &s, u32 which) { return s.hubs + (u64)which * s.vertices; }
DEV u32 *bitmap_of(const Search &s, u32 which) { return s.seen + (u64)which * words_of(s); } // 2: of the frontier
DEV u32 edges_of(const Search &s, u32 v) { return (u32)(once(s.offsets + v + 1) - once(s.offsets + v)); }
DEV bool first_lane() { return block_id() == 0 && thread_id() == 0; }

DEV bool over(const Search &s, const Level &l) { return !l.size || l.level >= s.most; }

// Whether a level is pulled: the rules of the CPU (shouldPull and shouldPush in kernels/bfs.go).
DEV bool pulls(const Search &s, const Level &l) {
  if (!(s.how & MAY_PULL)) return false;
  if (s.how & MUST_PULL) return true;
  if (l.pulled) return !(l.size < l.last && l.size < s.vertices / 24);
  u64 unseen = l.unseen > l.edges ? l.unseen - l.edges : 0;
  return l.edges > unseen / 14 && l.edges > s.vertices >> 6;
}

// Hands a level on that is not this launch's to do.
DEV void pass_on(const Search &s, const Level &l, u32 slot, u32 waits) {
  if (!first_lane()) return;
  s.levels[slot + 1] = l;
  s.levels[slot + 1].waits = waits;
}

// Writes of the next level what needs no counting.
DEV void go_on(const Search &s, const Level &l, u32 slot, bool pull) {
  if (!first_lane()) return;
  Level *next = s.levels + slot + 1;
  next->unseen = l.unseen > l.edges ? l.unseen - l.edges : 0;
  next->level = l.level + 1, next->last = l.size, next->queue = 1 - l.queue;
  next->bitmap = pull ? 1 - l.bitmap : l.bitmap, next->pulled = pull;
  if (pull != (bool)l.pulled) add(&s.tally[TURNS], (u64)1);
}

// Marks w as reached, for the one that comes first.
DEV bool claim(const Search &s, u32 *seen, u32 w) {
  u32 at = w >> 5, bit = 1u << (w & 31);
  if (read(seen + at) & bit) return false;
  if (s.open && !(once(s.open + at) & bit)) return false;
  return !(either(seen + at, bit) & bit);
}

// ---- rows over lanes ----

// Deals the edges of the warp's vertices, n of each from begin on, over its lanes: attempt(v, whether, edge) in all lanes at once.
template <class Try> DEV void spread(u32 v, u32 n, u64 begin, const Try &attempt) {
  u32 total, prefix = warp_prefix(n, &total);
  for (u32 at = 0; at < total; at += 32) {
    u32 x = at + lane_id(), o = owner_of(prefix, x < total ? x : total - 1);
    u32 from = shuffle(ALL, v, o), first = shuffle(ALL, prefix, o);
    u64 start = shuffle64(ALL, begin, o);
    attempt(from, x < total, start + (x - first));
  }
}

// How many of so many vertices a warp takes at once, when there are so many warps: few, when that keeps all of them busy.
DEV u32 share_of(u32 vertices, u32 warps) {
  u32 n = vertices / warps + 1;
  return n > 32 ? 32 : n;
}

// Goes along the edges of the hubs: 32 of them are dealt to as many warps as there are for them, in parts of one length.
template <class Try> DEV void along_hubs(const Search &s, const Level &l, u32 me, u32 warps, const Try &attempt) {
  const u32 *hubs = hubs_of(s, l.queue);
  u32 lots = (l.many + 31) >> 5, group = warps / (lots ? lots : 1), lane = lane_id();
  if (!group) group = 1;
  u32 groups = warps / group;
  for (u32 lot = me / group < groups ? me / group : lots; lot < lots; lot += groups) {
    u32 v = 0;
    u64 begin = 0, end = 0;
    if (lot * 32 + lane < l.many) v = once(hubs + lot * 32 + lane), begin = once(s.offsets + v), end = once(s.offsets + v + 1);
    u64 part = (warp_sum64(end - begin) / group / 32 + 1) * 32;
    u32 total, prefix = warp_prefix((u32)((end - begin + part - 1) / part), &total);
    for (u32 at = me % group; at < total; at += group) {
      u32 o = owner_of(prefix, at), from = shuffle(ALL, v, o);
      u64 e = shuffle64(ALL, begin, o) + (at - shuffle(ALL, prefix, o)) * part, last = shuffle64(ALL, end, o);
      for (u64 until = e + part < last ? e + part : last; e < until; e += 32) attempt(from, e + lane < until, e + lane);
    }
  }
}

// Goes along all edges that leave the frontier: attempt(v, whether, edge) in all lanes of a warp at once.
template <class Try> DEV void along(const Search &s, const Level &l, const Try &attempt) {
  const u32 *queue = queue_of(s, l.queue), *front = bitmap_of(s, 2);
  u32 lane = lane_id(), inside = thread_id() & ~31u, per_block = block_size() >> 5, warps = grid_size() * per_block;
  u32 me = block_id() * per_block + warp_id();
  along_hubs(s, l, me, warps, attempt);
  for (u32 i = block_id(); i < l.some; i += grid_size()) {
    u32 v = once(queue + (s.vertices - 1 - i));
    u64 end = once(s.offsets + v + 1);
    for (u64 e = once(s.offsets + v) + inside; e < end; e += block_size()) attempt(v, e + lane < end, e + lane);
  }
  u32 take = l.pulled ? 32 : share_of(l.few, warps);
  u64 limit = l.pulled ? s.hub : s.row;
  u64 items = l.pulled ? (u64)words_of(s) * 32 : l.few;
  for (u64 base = (u64)me * take; base < items; base += (u64)warps * take) {
    bool valid = lane < take && base + lane < items;
    if (l.pulled) valid = once(front + (base >> 5)) >> lane & 1;
    if (!ballot(ALL, valid)) continue;
    u32 v = 0, n = 0;
    u64 begin = 0;
    if (valid) {
      v = l.pulled ? (u32)base + lane : once(queue + base + lane);
      begin = once(s.offsets + v);
      u64 all = once(s.offsets + v + 1) - begin;
      if (all < limit) n = (u32)all;
    }
    spread(v, n, begin, attempt);
  }
}

// ---- frontiers ----

// What a block finds in a level: vertices of few edges in its own memory as long as they fit, all others in the next queue.
struct Finds {
  u32 *own, *places; // places: vertices in own, if they had fitted; where they go
  u64 *sums;         // of the block: edges, vertices, overflows, stopped
  Level *next;
  u32 *queue, *hubs;
  u64 edges; // of this lane, as are the rest
  u32 size, overflows, stopped;
};

DEV Finds start_finds(const Search &s, u32 slot, u32 queue, u32 *own, u32 *places, u64 *sums) {
  if (thread_id() == 0) places[0] = 0;
  if (thread_id() < 4) sums[thread_id()] = 0;
  sync_block();
  return Finds{own, places, sums, s.levels + slot, queue_of(s, queue), hubs_of(s, queue), 0, 0, 0, 0};
}

// Appends to the end of a queue, which grows downwards there.
DEV void enqueue_last(u32 *queue, u32 vertices, u32 *count, bool wanted, u32 v) {
  u32 who = ballot(ALL, wanted), at = 0;
  if (!who) return;
  u32 leader = lowest(who);
  if (lane_id() == leader) at = add(count, popcount(who));
  at = shuffle(ALL, at, leader);
  if (wanted) queue[vertices - 1 - (at + popcount(who & lanes_below()))] = v;
}

// Queues hubs; all lanes of the warp call it.
DEV void keep_hubs(const Search &s, Finds &f, bool mine, u32 v, u32 edges) {
  enqueue(f.hubs, &f.next->many, mine && edges >= s.hub, v);
}

// Takes what lanes of the warp have found into the next frontier; all of them call it.
DEV void find(const Search &s, Finds &f, bool mine, u32 v, u32 edges) {
  if (!ballot(ALL, mine)) return;
  if (mine) f.edges += edges, f.size++;
  keep_hubs(s, f, mine, v, edges);
  enqueue_last(f.queue, s.vertices, &f.next->some, mine && edges >= s.row && edges < s.hub, v);
  u32 who = ballot(ALL, mine && edges < s.row), at = 0;
  if (!who) return;
  if (lane_id() == lowest(who)) at = add(&f.places[0], popcount(who));
  at = shuffle(ALL, at, lowest(who)) + popcount(who & lanes_below());
  bool few = who >> lane_id() & 1, fits = at < s.room;
  if (few && fits) f.own[at] = v;
  if (few && !fits) f.overflows++;
  enqueue(f.queue, &f.next->few, few && !fits, v);
}

// Hands what the block has found to everybody: the counts, and the vertices that are in its own memory.
DEV void end_finds(const Search &s, Finds &f) {
  u64 edges = warp_sum64(f.edges);
  u32 size = warp_sum(f.size), overflows = warp_sum(f.overflows), stopped = warp_sum(f.stopped);
  if (lane_id() == 0 && size) {
    add(&f.sums[0], edges);
    add(&f.sums[1], (u64)size);
    if (overflows) add(&f.sums[2], (u64)overflows);
    if (stopped) add(&f.sums[3], (u64)stopped);
  }
  sync_block();
  u32 n = read(&f.places[0]);
  if (n > s.room) n = s.room;
  if (thread_id() == 0 && f.sums[1]) {
    if (n) f.places[1] = add(&f.next->few, n);
    add(&f.next->edges, f.sums[0]);
    add(&f.next->size, (u32)f.sums[1]);
    if (f.sums[2]) add(&s.tally[OVERFLOWS], f.sums[2]);
    if (f.sums[3]) add(&s.tally[STOPPED], f.sums[3]);
  }
  sync_block();
  for (u32 i = thread_id(); i < n; i += block_size()) f.queue[f.places[1] + i] = f.own[i];
}

// ---- kernels ----

#define PROBES 16       // edges that a lane looks at before its warp helps
#define PULLED_WORDS 8  // of the bitmap that a warp takes at once, at most
#define LATER 32        // long rows that a block puts off

// Puts the sources into the frontier of slot 0: those in list, or the one.
KERNEL(bfs_begin, 256)(SEARCH, const u32 *list, u32 one, u32 count, u64 all_edges) {
  SHARED(u32, own, PRIVATE);
  SHARED(u32, places, 2);
  SHARED(u64, sums, 4);
  Search s = ALL_OF_SEARCH;
  Finds f = start_finds(s, 0, 0, own, places, sums);
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

// The same by lanes of which each has every step-th edge from its own on; found is theirs.
DEV void look_together(const Search &s, const u32 *seen, u64 e, u64 end, u32 step, u32 *found) {
  for (; e < end; e += step) {
    u32 u = once(s.back + e);
    if (once(seen + (u >> 5)) >> (u & 31) & 1) exchange(found, u);
    if (s.how & EARLY && read(found) != UNSEEN) return;
  }
}

// What pull needs of a block's memory.
struct Pulling {
  u32 *fresh;  // words that the warps have found, PULLED_WORDS each
  u32 *parent; // by warp: that of a long row; behind them, that of a row that the block shares
  u32 *later;  // vertices of such rows; their number in front
};

// Writes down that v was reached from a vertex.
DEV void reached(const Search &s, const Level &l, u32 v, u32 from) {
  s.depth[v] = l.level + 1;
  s.parent[v] = from;
}

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
  go_on(s, l, slot, pull);
  Finds f = start_finds(s, slot + 1, 1 - l.queue, own, places, sums);
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

#define NARROW 1024        // the largest frontier of one block,
#define NARROW_EDGES 8192u // and its edges

// Levels by one block as long as the frontier is small.
KERNEL(bfs_narrow, 1024)(SEARCH, u32 slot) {
  SHARED(u32, queue_a, NARROW);
  SHARED(u32, queue_b, NARROW);
  SHARED(u32, marks, 3); // vertices found; whether there is a large one among them; whether to stop
  SHARED(u64, found_edges, 1);
  Search s = ALL_OF_SEARCH;
  const Level l = levels[slot];
  bool narrow = !l.pulled && !l.some && !l.many && l.few <= NARROW && l.edges <= NARROW_EDGES && !(how & MUST_PULL);
  if (over(s, l) || !narrow) return pass_on(s, l, slot, 0);
  Level *next = levels + slot + 1;
  u32 *front = queue_a, *behind = queue_b, *now = bitmap_of(s, l.bitmap), *queue = queue_of(s, 1 - l.queue), *large = hubs_of(s, 1 - l.queue);
  u32 size = l.few, level = l.level, last = l.size, warps = block_size() >> 5, lane = lane_id();
  u64 edges = l.edges, unseen = l.unseen;
  auto keep = [&](bool mine, u32 v, u32 n) INLINE { // in everybody's queue
    enqueue(queue, &next->few, mine && n < row, v);
    enqueue_last(queue, vertices, &next->some, mine && n >= row && n < hub, v);
    enqueue(large, &next->many, mine && n >= hub, v);
  };
  for (u32 i = thread_id(); i < size; i += block_size()) front[i] = once(queue_of(s, l.queue) + i);
  for (;;) {
    if (thread_id() == 0) marks[0] = marks[1] = 0, marks[2] = read(stop), found_edges[0] = 0;
    sync_block();
    u64 fresh = 0;
    u32 take = share_of(size, warps);
    for (u32 base = warp_id() * take; base < size; base += warps * take) {
      bool valid = lane < take && base + lane < size;
      u32 v = valid ? front[base + lane] : 0;
      u64 begin = valid ? once(offsets + v) : 0;
      spread(v, valid ? (u32)(once(offsets + v + 1) - begin) : 0, begin, [&](u32 from, bool is, u64 e) INLINE {
        u32 w = is ? once(targets + e) : 0, n = 0, at = 0;
        bool mine = is && claim(s, now, w);
        u32 who = ballot(ALL, mine);
        if (!who) return;
        if (mine) {
          depth[w] = level + 1, parent[w] = from, n = edges_of(s, w), fresh += n;
          if (n >= row) exchange(&marks[1], 1);
        }
        if (lane_id() == lowest(who)) at = add(&marks[0], popcount(who));
        at = shuffle(ALL, at, lowest(who)) + popcount(who & lanes_below());
        if (mine && at < NARROW) behind[at] = w;
        keep(mine && at >= NARROW, w, n);
      });
    }
    fresh = warp_sum64(fresh);
    if (lane == 0 && fresh) add(found_edges, fresh);
    sync_block();
    last = size, size = read(&marks[0]), level++;
    unseen = unseen > edges ? unseen - edges : 0, edges = found_edges[0];
    bool stay = size && size <= NARROW && edges <= NARROW_EDGES && !read(&marks[1]) && !marks[2] && level < most;
    sync_block();
    u32 *swap = front;
    front = behind, behind = swap;
    if (!stay) break;
  }
  u32 here = size < NARROW ? size : NARROW;
  for (u32 base = thread_id() & ~31u; base < here; base += block_size()) {
    bool valid = base + lane < here;
    u32 v = valid ? front[base + lane] : 0;
    keep(valid, v, valid ? edges_of(s, v) : 0);
  }
  if (thread_id() != 0) return;
  next->edges = edges, next->unseen = unseen, next->level = level, next->size = size, next->last = last;
  next->queue = 1 - l.queue, next->bitmap = l.bitmap;
  add(&tally[BY_ONE_BLOCK], (u64)(level - l.level));
}

// A level by trying all edges, whatever the frontier: for graphs of few, wide levels. edge e leads from source[e].
KERNEL(bfs_edges, 256)(SEARCH, const u32 *source, u64 all_edges, u32 slot) {
  SHARED(u32, own, PRIVATE);
  SHARED(u32, places, 2);
  SHARED(u64, sums, 4);
  Search s = ALL_OF_SEARCH;
  const Level l = levels[slot];
  if (over(s, l)) return pass_on(s, l, slot, 0);
  go_on(s, l, slot, false);
  Finds f = start_finds(s, slot + 1, 1 - l.queue, own, places, sums);
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

// Depths in a byte each, ~0 where there is none, once the search has ended and if they fit.
KERNEL(bfs_pack, 256)(const Level *levels, u32 slot, u32 most, const u32 *depth, u32 vertices, u32 *packed) {
  u32 reached = levels[slot].level;
  if (reached >= 255 || levels[slot].size && reached < most) return;
  for (u64 i = (u64)block_id() * block_size() + thread_id(); i * 4 < vertices; i += (u64)grid_size() * block_size()) {
    u32 word = 0;
    for (u32 k = 0; k < 4; k++) word |= (i * 4 + k < vertices ? once(depth + i * 4 + k) & 255 : 255) << 8 * k;
    packed[i] = word;
  }
}

// ---- several searches at once ----
//
// Up to 64 searches go together: bit i of a vertex's mask says that search i has reached it. masks is those before a level, and
// behind them those after it, which are the same between levels. Searches that meet at a vertex go on from it as one,
// so that a row is read once for all of them. A pull takes from a vertex's neighbours all that they have: what they have had
// for longer than a level, the vertex has as well. It ends when the vertex has all searches that are still alive.

#define LANE_ROW 32 // edges that a lane looks at alone

// Whether a level of several searches is pulled: searches that start apart leave few vertices that none or all have seen.
DEV bool pulls_many(const Search &s, const Level &l) {
  if (!(s.how & MAY_PULL)) return false;
  return s.how & MUST_PULL || l.edges > once(s.offsets + s.vertices) / 14 && l.edges > s.vertices >> 6;
}

// Starts search i from list[i]; several may start from one vertex.
KERNEL(many_begin, 64)(SEARCH, u64 *masks, const u32 *list, u32 count) {
  SHARED(u32, own, PRIVATE);
  SHARED(u32, places, 2);
  SHARED(u64, sums, 4);
  Search s = ALL_OF_SEARCH;
  Finds f = start_finds(s, 0, 0, own, places, sums);
  u32 i = thread_id(), v = i < count ? once(list + i) : 0;
  bool mine = i < count && !(open && !(once(open + (v >> 5)) >> (v & 31) & 1));
  if (mine) mine = !either(masks + vertices + v, (u64)1 << i);
  find(s, f, mine, v, mine ? edges_of(s, v) : 0);
  end_finds(s, f);
}

// Any of the masks of the vertices that lead to v in edges [e, end), every step-th; stops early when it has all that is missing.
DEV u64 gather(const Search &s, const u64 *masks, u64 e, u64 end, u32 step, u64 missing) {
  u64 got = 0;
  for (; e < end; e += step) {
    got |= once(masks + once(s.back + e));
    if (s.how & EARLY && (got & missing) == missing) break;
  }
  return got & missing;
}

DEV u64 warp_either(u64 x) {
  for (u32 by = 16; by; by >>= 1) x |= shuffle_xor(ALL, (u32)x, by) | (u64)shuffle_xor(ALL, (u32)(x >> 32), by) << 32;
  return x;
}

// What each lane's vertex gets of the searches that it misses; the warp shares long rows.
DEV u64 gather_rows(const Search &s, const u64 *masks, u32 v, u64 missing) {
  u64 e = 0, end = 0;
  if (missing) e = once(s.back_offsets + v), end = once(s.back_offsets + v + 1);
  u64 soon = end - e > LANE_ROW ? e + LANE_ROW : end, got = gather(s, masks, e, soon, 1, missing);
  bool rest = soon < end && got != missing;
  for (u32 who = ballot(ALL, rest); who; who &= who - 1) {
    u32 o = lowest(who);
    u64 last = shuffle64(ALL, end, o), wanted = shuffle64(ALL, missing, o), have = shuffle64(ALL, got, o);
    for (u64 from = shuffle64(ALL, soon, o); from < last && (have != wanted || !(s.how & EARLY)); from += 256) {
      u64 to = from + 256 < last ? from + 256 : last;
      have |= warp_either(gather(s, masks, from + lane_id(), to, 32, wanted));
    }
    if (lane_id() == o) got = have;
  }
  return got;
}

DEV void pull_many(const Search &s, const Level &l, Finds &f, u64 *masks) {
  u32 lane = lane_id(), words = s.pull_words, per_block = block_size() >> 5, *front = bitmap_of(s, 2);
  for (u32 word = block_id() * per_block + warp_id(); word < words; word += grid_size() * per_block) {
    u32 v = word * 32 + lane, edges = 0;
    bool may = v < s.vertices && !(s.open && !(once(s.open + word) >> lane & 1));
    u64 had = may ? once(masks + v) : 0, missing = may ? l.alive & ~had : 0, got = 0;
    if (ballot(ALL, missing != 0)) got = gather_rows(s, masks, v, missing);
    bool mine = got != 0;
    if (mine) {
      masks[(u64)s.vertices + v] = had | got;
      edges = edges_of(s, v);
      f.edges += edges, f.size++, f.stopped += s.how & EARLY && got == missing;
    }
    keep_hubs(s, f, mine, v, edges);
    u32 found = ballot(ALL, mine);
    if (lane == 0) front[word] = found;
  }
}

// A level of several searches: into the masks after it.
KERNEL(many_level, 256)(SEARCH, u64 *masks, u32 slot) {
  SHARED(u32, own, PRIVATE);
  SHARED(u32, places, 2);
  SHARED(u64, sums, 4);
  Search s = ALL_OF_SEARCH;
  const Level l = levels[slot];
  bool pull = pulls_many(s, l);
  if (over(s, l) || pull && !back) return pass_on(s, l, slot, !over(s, l));
  go_on(s, l, slot, pull);
  Finds f = start_finds(s, slot + 1, 1 - l.queue, own, places, sums);
  if (pull) {
    pull_many(s, l, f, masks);
  } else {
    along(s, l, [&](u32 v, bool valid, u64 e) INLINE {
      u32 w = valid ? once(targets + e) : 0, edges = 0;
      bool mine = valid && !(open && !(once(open + (w >> 5)) >> (w & 31) & 1));
      u64 had = mine ? once(masks + w) : 0, fresh = mine ? once(masks + v) & ~had : 0;
      mine = fresh && either(masks + (u64)vertices + w, fresh) == had; // the first one to add to it queues it
      if (mine) edges = edges_of(s, w);
      find(s, f, mine, w, edges);
    });
    if (first_lane() && l.many) add(&tally[BY_GRID], (u64)l.many);
    if (first_lane() && l.some) add(&tally[BY_BLOCK], (u64)l.some);
  }
  end_finds(s, f);
}

// Ends a level of several searches: the frontier's masks after it are those before the next one.
KERNEL(many_settle, 256)(SEARCH, u64 *masks, u32 slot) {
  Search s = ALL_OF_SEARCH;
  Level *l = levels + slot;
  if (!l->size || l->waits) return;
  const u32 *queue = queue_of(s, l->queue), *large = hubs_of(s, l->queue), *front = bitmap_of(s, 2);
  u64 alive = 0, lanes = (u64)grid_size() * block_size(), me = (u64)block_id() * block_size() + thread_id();
  auto settle = [&](u32 v) INLINE {
    u64 now = masks[(u64)vertices + v], fresh = now & ~masks[v];
    masks[v] = now;
    if (fresh && !alive && !read(&l->vertex) && !swap_if(&l->vertex, 0, v + 1)) l->source = lowest((u32)fresh ? (u32)fresh : (u32)(fresh >> 32)) + ((u32)fresh ? 0 : 32);
    alive |= fresh;
  };
  for (u64 i = me; i < l->some; i += lanes) settle(once(queue + (vertices - 1 - i)));
  for (u64 i = me; i < l->many; i += lanes) settle(once(large + i));
  for (u64 i = me; !l->pulled && i < l->few; i += lanes) settle(once(queue + i));
  for (u64 v = me; l->pulled && v < vertices; v += lanes)
    if (once(front + (v >> 5)) >> (v & 31) & 1 && edges_of(s, (u32)v) < hub) settle((u32)v);
  alive = warp_either(alive);
  if (lane_id() == 0 && alive) either(&l->alive, alive);
}
