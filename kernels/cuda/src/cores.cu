// Core decomposition in three ways: by peeling, by passes (RLCore) and by estimates (ESCore).
//
// Input: undirected adjacency in CSR form (every edge in both its ends' rows; a loop, which is ignored, once). Only
// vertices with inside[v] != 0 take part.
//
// What makes it fast: when peeling, a block works off what its own removals let fall to the level, in its shared memory, so
// that a level takes one launch as long as no block's queue overflows; a warp spreads the edges of 32 vertices over its lanes.
// No lock guards a degree: a decrement that goes below the level is taken back. Estimates need no atomic
// arithmetic: a warp alone writes its vertex, and what others read may be a little old, for estimates only fall.
#include "lists.cuh"

// degree[v] becomes the number of neighbours inside; 0 for those outside. counts[0] counts the vertices inside.
KERNEL(core_degrees, 256)(const u64 *offsets, const u32 *targets, u32 vertices, const u32 *inside, u32 *degree, u32 *counts) {
  u32 warps = grid_size() * (block_size() >> 5), lane = lane_id(), taken = 0;
  for (u32 v = block_id() * (block_size() >> 5) + warp_id(); v < vertices; v += warps) {
    u32 n = 0;
    bool in = !inside || once(inside + v);
    if (in)
      for (u64 e = once(offsets + v) + lane, end = once(offsets + v + 1); e < end; e += 32) {
        u32 w = once(targets + e);
        n += w != v && (!inside || once(inside + w));
      }
    n = warp_sum(n);
    if (lane == 0) degree[v] = n, taken += in;
  }
  if (lane == 0 && taken) add(&counts[0], taken);
}

// ---- peeling ----

// Lists the vertices of list (all, if it is 0) whose degree is the level; counts[1] becomes the complement of
// the smallest degree above it (so that 0 says there is none).
KERNEL(core_scan, 256)(const u32 *list, u32 size, const u32 *inside, const u32 *degree, u32 level, u32 *queue, u32 *counts) {
  u32 least = ~0u;
  for (u32 base = block_id() * block_size() + (thread_id() & ~31u); base < size; base += grid_size() * block_size()) {
    u32 i = base + lane_id(), v = 0, d = 0;
    bool in = i < size;
    if (in) {
      v = list ? once(list + i) : i;
      in = !inside || once(inside + v);
      d = once(degree + v);
    }
    enqueue(queue, &counts[0], in && d == level, v);
    if (in && d > level && d < least) least = d;
  }
  note_least(&counts[1], least);
}

// Keeps those of list (all, if it is 0) whose degree is above the level.
KERNEL(core_shrink, 256)(const u32 *list, u32 size, const u32 *inside, const u32 *degree, u32 level, u32 *kept, u32 *counts) {
  for (u32 base = block_id() * block_size() + (thread_id() & ~31u); base < size; base += grid_size() * block_size()) {
    u32 i = base + lane_id(), v = 0;
    bool in = i < size;
    if (in) {
      v = list ? once(list + i) : i;
      in = (!inside || once(inside + v)) && once(degree + v) > level;
    }
    enqueue(kept, &counts[0], in, v);
  }
}

#define CASCADE 2048 // vertices that a block keeps for itself

// Takes one from the degree of every neighbour of 32 vertices whose degree is above the level. Those that reach the level
// go to the block's queue, or where that is full to the spill; vertices of many edges are left to core_hubs. counts is
// core_peel's.
DEV u32 remove_all(const u64 *offsets, const u32 *targets, u32 *degree, u32 level, bool mine, u32 v, u32 *local, u32 *tail, u32 *spill,
                   u32 *hubs, u32 hub_degree, u32 *counts) {
  u64 begin = mine ? once(offsets + v) : 0, row = mine ? once(offsets + v + 1) - begin : 0;
  bool hub = row >= hub_degree;
  enqueue(hubs, &counts[5], hub, v);
  u32 n = hub ? 0 : (u32)row, all, prefix = warp_prefix(n, &all), restored = 0;
  for (u32 x0 = 0; x0 < all; x0 += 32) {
    u32 x = x0 + lane_id(), o = owner_of(prefix, x < all ? x : all - 1);
    u64 from = shuffle64(ALL, begin, o);
    u32 below = shuffle(ALL, prefix, o);
    if (x >= all) continue;
    u32 w = once(targets + from + (x - below));
    if (read(degree + w) <= level) continue;
    u32 old = add(degree + w, ~0u);
    if (old == level + 1) {
      u32 at = add(tail, 1);
      if (at < CASCADE) exchange(&local[at], w);
      else spill[add(&counts[2], 1)] = w;
    } else if (old <= level) {
      add(degree + w, 1);
      restored++;
    }
  }
  return restored;
}

// Removes the vertices of the queue and all that fall to the level by that. counts: [size of the queue, -, of the spill, degrees
// put back, vertices that stayed in their block, hubs]; the queue's size is read from there, too.
KERNEL(core_peel, 256)(const u64 *offsets, const u32 *targets, u32 *degree, u32 level, const u32 *queue, const u32 *size, u32 *spill,
                       u32 *hubs, u32 hub_degree, u32 *counts) {
  SHARED(u32, local, CASCADE);
  SHARED(u32, ends, 2); // of the block's queue: where the round begins, where the queue ends
  u32 n = once(size), restored = 0, warps = block_size() >> 5, stayed = 0;
  if (thread_id() == 0) ends[1] = 0;
  sync_block();
  for (u32 base = (block_id() * warps + warp_id()) * 32; base < n; base += grid_size() * warps * 32) {
    bool mine = base + lane_id() < n;
    restored += remove_all(offsets, targets, degree, level, mine, mine ? once(queue + base + lane_id()) : 0, local, &ends[1], spill,
                           hubs, hub_degree, counts);
  }
  u32 head = 0;
  for (;;) {
    sync_block();
    u32 tail = read(&ends[1]);
    if (tail > CASCADE) tail = CASCADE;
    sync_block();
    if (head == tail) break;
    for (u32 base = head + warp_id() * 32; base < tail; base += warps * 32) {
      bool mine = base + lane_id() < tail;
      restored += remove_all(offsets, targets, degree, level, mine, mine ? read(&local[base + lane_id()]) : 0, local, &ends[1], spill,
                           hubs, hub_degree, counts);
    }
    head = tail;
  }
  stayed = head;
  restored = warp_sum(restored);
  if (lane_id() == 0 && restored) add(&counts[3], restored);
  if (thread_id() == 0 && stayed) add(&counts[4], stayed);
}

// Removes the vertices that core_peel left to the whole grid. Those that fall to the level go to the spill.
KERNEL(core_hubs, 256)(const u64 *offsets, const u32 *targets, u32 *degree, u32 level, const u32 *hubs, u32 *spill, u32 *counts) {
  u32 n = read(&counts[5]), restored = 0;
  for (u32 h = 0; h < n; h++) {
    u32 v = once(hubs + h);
    u64 end = once(offsets + v + 1), step = (u64)grid_size() * block_size();
    for (u64 e = once(offsets + v) + (u64)block_id() * block_size() + thread_id(); e < end; e += step) {
      u32 w = once(targets + e);
      if (read(degree + w) <= level) continue;
      u32 old = add(degree + w, ~0u);
      if (old == level + 1) spill[add(&counts[2], 1)] = w;
      else if (old <= level) add(degree + w, 1), restored++;
    }
  }
  restored = warp_sum(restored);
  if (lane_id() == 0 && restored) add(&counts[3], restored);
}

// ---- passes ----

#define LIVE 0u
#define FLAGGED 1u
#define REMOVED 2u

// Update: removes and flags the vertices of degree below k, whose coreness is k-1. counts: how many, and the complement
// of the least degree left.
KERNEL(core_update, 256)(u32 vertices, u32 *degree, u32 *core, u32 *state, u32 k, u32 *counts) {
  u32 removed = 0, least = ~0u;
  for (u32 base = block_id() * block_size() + (thread_id() & ~31u); base < vertices; base += grid_size() * block_size()) {
    u32 v = base + lane_id();
    bool live = v < vertices && state[v] == LIVE;
    u32 d = live ? degree[v] : 0;
    bool out = live && d < k;
    if (out) core[v] = k - 1, state[v] = FLAGGED;
    else if (live && d < least) least = d;
    removed += popcount(ballot(ALL, out));
  }
  if (lane_id() == 0 && removed) add(&counts[0], removed);
  note_least(&counts[1], least);
}

// Scatter: takes one from the degree of every live neighbour of a flagged vertex, and clears the flags.
KERNEL(core_scatter, 256)(const u64 *offsets, const u32 *targets, u32 vertices, u32 *degree, u32 *state) {
  u32 warps = grid_size() * (block_size() >> 5), lane = lane_id();
  for (u32 base = (block_id() * (block_size() >> 5) + warp_id()) * 32; base < vertices; base += warps * 32) {
    u32 flagged = ballot(ALL, base + lane < vertices && read(state + base + lane) == FLAGGED);
    for (; flagged; flagged &= flagged - 1) {
      u32 v = base + lowest(flagged);
      for (u64 e = once(offsets + v) + lane, end = once(offsets + v + 1); e < end; e += 32) {
        u32 w = once(targets + e);
        if (read(state + w) == LIVE) add(degree + w, ~0u);
      }
      if (lane == 0) exchange(state + v, REMOVED);
    }
  }
}

// ---- estimates ----

// Every active vertex takes the largest h such that h of its neighbours estimate theirs at h or more. If that is less than
// before, the neighbours that had counted on more become active in the next pass. counts: of those, unused, of changes.
KERNEL(core_estimate, 256)(const u64 *offsets, const u32 *targets, const u32 *inside, u32 *estimate, const u32 *active, u32 size, u32 *next,
                           u32 *listed, u32 pass, u32 *counts) {
  u32 warps = grid_size() * (block_size() >> 5), lane = lane_id(), changes = 0;
  for (u32 i = block_id() * (block_size() >> 5) + warp_id(); i < size; i += warps) {
    u32 v = active ? once(active + i) : i;
    if (inside && !once(inside + v)) continue;
    u64 begin = once(offsets + v), end = once(offsets + v + 1);
    u32 old = shuffle(ALL, read(estimate + v), 0), lo = 0, hi = old; // the answer is in [lo, hi]
    while (lo < hi) {
      u32 h = (lo + hi + 1) >> 1, n = 0;
      for (u64 e = begin + lane; e < end; e += 32) {
        u32 w = once(targets + e);
        n += w != v && (!inside || once(inside + w)) && read(estimate + w) >= h;
      }
      if (warp_sum(n) >= h) lo = h;
      else hi = h - 1;
    }
    if (lo == old) continue;
    if (lane == 0) exchange(estimate + v, lo), changes++;
    for (u64 e = begin; e < end; e += 32) {
      u32 w = 0;
      bool wake = false;
      if (e + lane < end) {
        w = once(targets + e + lane);
        u32 of = read(estimate + w);
        wake = w != v && of > lo && exchange(listed + w, pass + 1) != pass + 1;
      }
      enqueue(next, &counts[0], wake, w);
    }
  }
  if (lane == 0 && changes) add(&counts[2], changes);
}
