// What the kernels of breadth-first searches share (bfs.cu, bfs_many.cu): a level's counts, rows dealt over lanes, and the next frontier.
// The head of bfs.cu says what their input is, and what makes it fast.
#pragma once
#include "lists.cuh"

#define INLINE __attribute__((always_inline)) // of lambdas
#define UNSEEN 0xffffffffu
#define PRIVATE 2048 // the largest frontier of a block's own

// Bits of how.
#define MAY_PULL 1u
#define MUST_PULL 2u
#define EARLY 4u // a pulling vertex stops at its first parent
#define NARROWS 8u // one block may go on alone from a small frontier

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
enum { BY_ONE_BLOCK, BY_GRID, BY_BLOCK, OVERFLOWS, STOPPED, TURNS, TRIED, TOGETHER };

// What all launches of a search are given. Vertices of at least row edges are a block's, of at least hub edges the grid's.
// seen is three bitmaps: two of the vertices reached, and that of the frontier; queues and hubs are two each. open is
// the vertices that may be entered; null: all. A frontier of up to pull_from edges is pushed. Vertices from word pull_words of a bitmap on have no edges to pull along.
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
  u32 vertices, pull_words, most, how, room, row, hub, pull_from;
};
#define SEARCH                                                                                                                       \
  const u64 *offsets, const u32 *targets, const u64 *back_offsets, const u32 *back, const u32 *open, u32 *seen, u32 *depth,            \
      u32 *parent, u32 *queues, u32 *hubs, Level *levels, u64 *tally, const u32 *stop, u32 vertices, u32 pull_words, u32 most, u32 how, \
      u32 room, u32 row, u32 hub, u32 pull_from
#define ALL_OF_SEARCH                                                                                                               \
  {offsets, targets, back_offsets, back, open, seen, depth, parent, queues, hubs, levels, tally, stop, vertices, pull_words, most, how, \
   room, row, hub, pull_from}

DEV u32 words_of(const Search &s) { return (s.vertices >> 5) + ((s.vertices & 31) != 0); }
DEV u32 *queue_of(const Search &s, u32 which) { return s.queues + (u64)which * s.vertices; }
DEV u32 *hubs_of(const Search &s, u32 which) { return s.hubs + (u64)which * s.vertices; }
DEV u32 *bitmap_of(const Search &s, u32 which) { return s.seen + (u64)which * words_of(s); } // 2: of the frontier
DEV u32 edges_of(const Search &s, u32 v) { return (u32)(once(s.offsets + v + 1) - once(s.offsets + v)); }
DEV bool first_lane() { return block_id() == 0 && thread_id() == 0; }

DEV bool over(const Search &s, const Level &l) { return !l.size || l.level >= s.most; }

// Whether a level is pulled: where its frontier has more edges than the vertices that are not reached. Fewer may lead to none of these, as
// in a web graph, whose pages link to pages nearby: then each vertex that is not reached looks through its whole row, level after level. A push
// of few edges takes no longer than the launches of a pull.
DEV bool pulls(const Search &s, const Level &l) {
  if (!(s.how & MAY_PULL)) return false;
  if (s.how & MUST_PULL) return true;
  u64 unseen = l.unseen > l.edges ? l.unseen - l.edges : 0;
  return l.edges > unseen && l.edges > s.pull_from;
}

// Hands a level on that is not this launch's to do.
DEV void pass_on(const Search &s, const Level &l, u32 slot, u32 waits) {
  if (!first_lane()) return;
  s.levels[slot + 1] = l;
  s.levels[slot + 1].waits = waits;
}

// Writes of the next level what needs no counting.
DEV void go_on(const Search &s, const Level &l, Level *next, bool pull) {
  if (!first_lane()) return;
  next->unseen = l.unseen > l.edges ? l.unseen - l.edges : 0;
  next->level = l.level + 1, next->last = l.size, next->queue = 1 - l.queue;
  next->bitmap = pull ? 1 - l.bitmap : l.bitmap, next->pulled = pull;
  if (pull != (bool)l.pulled) add(&s.tally[TURNS], (u64)1);
}

// Marks w as reached, for the one that comes first; it was not reached a moment ago.
DEV bool enters(const Search &s, u32 *seen, u32 w) {
  u32 at = w >> 5, bit = 1u << (w & 31);
  if (s.open && !(once(s.open + at) & bit)) return false;
  return !(either(seen + at, bit) & bit);
}

// The same of any vertex.
DEV bool claim(const Search &s, u32 *seen, u32 w) {
  u32 at = w >> 5, bit = 1u << (w & 31);
  if (read(seen + at) & bit) return false;
  return enters(s, seen, w);
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
  u32 take = l.pulled ? 32 : share_of(l.few, warps), apart = l.pulled ? 1 : warps; // vertices found one after the other have like rows
  u64 limit = l.pulled ? s.hub : s.row;
  u64 items = l.pulled ? (u64)words_of(s) * 32 : l.few;
  for (u64 base = l.pulled ? (u64)me * 32 : me; base < items; base += (u64)warps * take) {
    u64 at = base + (u64)lane * apart;
    bool valid = lane < take && at < items;
    if (l.pulled) valid = once(front + (base >> 5)) >> lane & 1;
    if (!ballot(ALL, valid)) continue;
    u32 v = 0, n = 0;
    u64 begin = 0;
    if (valid) {
      v = l.pulled ? (u32)at : once(queue + at);
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

DEV Finds start_finds(const Search &s, Level *next, u32 queue, u32 *own, u32 *places, u64 *sums) {
  if (thread_id() == 0) places[0] = 0;
  if (thread_id() < 4) sums[thread_id()] = 0;
  sync_block();
  return Finds{own, places, sums, next, queue_of(s, queue), hubs_of(s, queue), 0, 0, 0, 0};
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

// ---- a level ----

// Writes down that v was reached from a vertex.
DEV void reached(const Search &s, const Level &l, u32 v, u32 from) {
  s.depth[v] = l.level + 1;
  s.parent[v] = from;
}

// ---- levels of one block ----

#define NARROW 1024        // the largest frontier of one block,
#define NARROW_EDGES 8192u // and its edges

DEV bool is_narrow(const Level &l, u32 most_edges) { return !l.pulled && !l.some && !l.many && l.few <= NARROW && l.edges <= most_edges; }

// What one block needs of its memory.
struct Narrow {
  u32 *queues; // two of NARROW
  u32 *marks;  // vertices found; whether there is a large one among them; whether to stop
  u64 *edges;  // of what was found
};

// Levels by one block as long as the frontier is small; what comes then goes into next.
DEV void narrow_levels(const Search &s, const Level &l, Level *next, u32 most_edges, const Narrow &b) {
  u32 *front = b.queues, *behind = b.queues + NARROW, *marks = b.marks, *now = bitmap_of(s, l.bitmap), *queue = queue_of(s, 1 - l.queue), *large = hubs_of(s, 1 - l.queue);
  u32 size = l.few, level = l.level, last = l.size, warps = block_size() >> 5, lane = lane_id();
  u64 edges = l.edges, unseen = l.unseen;
  auto keep = [&](bool mine, u32 v, u32 n) INLINE { // in everybody's queue
    enqueue(queue, &next->few, mine && n < s.row, v);
    enqueue_last(queue, s.vertices, &next->some, mine && n >= s.row && n < s.hub, v);
    enqueue(large, &next->many, mine && n >= s.hub, v);
  };
  for (u32 i = thread_id(); i < size; i += block_size()) front[i] = queue_of(s, l.queue)[i];
  for (;;) {
    if (thread_id() == 0) marks[0] = marks[1] = 0, marks[2] = read(s.stop), b.edges[0] = 0;
    sync_block();
    u64 fresh = 0;
    u32 take = share_of(size, warps);
    for (u32 base = warp_id() * take; base < size; base += warps * take) {
      bool valid = lane < take && base + lane < size;
      u32 v = valid ? front[base + lane] : 0;
      u64 begin = valid ? once(s.offsets + v) : 0;
      spread(v, valid ? (u32)(once(s.offsets + v + 1) - begin) : 0, begin, [&](u32 from, bool is, u64 e) INLINE {
        u32 w = is ? once(s.targets + e) : 0, n = 0, at = 0;
        bool mine = is && claim(s, now, w);
        u32 who = ballot(ALL, mine);
        if (!who) return;
        if (mine) {
          s.depth[w] = level + 1, s.parent[w] = from, n = edges_of(s, w), fresh += n;
          if (n >= s.row) exchange(&marks[1], 1);
        }
        if (lane_id() == lowest(who)) at = add(&marks[0], popcount(who));
        at = shuffle(ALL, at, lowest(who)) + popcount(who & lanes_below());
        if (mine && at < NARROW) behind[at] = w;
        keep(mine && at >= NARROW, w, n);
      });
    }
    fresh = warp_sum64(fresh);
    if (lane == 0 && fresh) add(b.edges, fresh);
    sync_block();
    last = size, size = read(&marks[0]), level++;
    unseen = unseen > edges ? unseen - edges : 0, edges = b.edges[0];
    bool stay = size && size <= NARROW && edges <= most_edges && !read(&marks[1]) && !marks[2] && level < s.most;
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
  add(&s.tally[BY_ONE_BLOCK], (u64)(level - l.level));
}
