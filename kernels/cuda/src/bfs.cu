// Breadth-first search, a launch for a level.
//
// Input: CSR adjacency; for pull, the adjacency in the opposite direction. depth holds ~0 for vertices not yet reached; sources
// are set and queued by init. Vertices that may not be entered have depth blocked, which is neither.
//
// What makes it fast: a warp spreads the edges of 32 frontier vertices over its lanes, so that degrees may differ; vertices of
// many edges go to a list of their own, which the whole grid shares; a lane writes a vertex to the queue only if it was the one
// to reach it, and a warp takes room in the queue once for all of its lanes. Where most of the graph is in
// the frontier, those not yet reached look for a neighbour in it instead (pull), and stop at the first. Frontiers of a
// few vertices stay in one block for many levels (bfs_narrow), without a launch for each.
#include "lists.cuh"

#define UNSEEN_DEPTH 0xffffffffu

KERNEL(bfs_push, 256)(const u64 *offsets, const u32 *targets, u32 *depth, u32 *parent, u32 level, const u32 *frontier, u32 size,
                      u32 *next, u32 *counts /* of next, of hubs */, u32 *hubs, u32 hub_degree, u64 *edges) {
  u32 warps = grid_size() * (block_size() >> 5), lane = lane_id();
  u64 reached = 0;
  for (u32 base = (block_id() * (block_size() >> 5) + warp_id()) * 32; base < size; base += warps * 32) {
    u32 v = 0, n = 0;
    u64 begin = 0;
    bool hub = false;
    if (base + lane < size) {
      v = once(frontier + base + lane);
      begin = once(offsets + v);
      u64 all = once(offsets + v + 1) - begin;
      hub = all >= hub_degree;
      n = hub ? 0 : (u32)all;
    }
    enqueue(hubs, &counts[1], hub, v);
    u32 total, prefix = warp_prefix(n, &total);
    for (u32 at = 0; at < total; at += 32) {
      u32 x = at + lane, o = owner_of(prefix, x < total ? x : total - 1);
      u32 from = shuffle(ALL, v, o), first = shuffle(ALL, prefix, o);
      u64 start = shuffle64(ALL, begin, o);
      bool mine = false;
      u32 w = 0;
      if (x < total) {
        w = once(targets + start + (x - first));
        mine = read(depth + w) == UNSEEN_DEPTH && swap_if(depth + w, UNSEEN_DEPTH, level + 1) == UNSEEN_DEPTH;
        if (mine) {
          if (parent) parent[w] = from;
          reached += once(offsets + w + 1) - once(offsets + w);
        }
      }
      enqueue(next, &counts[0], mine, w);
    }
  }
  reached = warp_sum64(reached);
  if (lane == 0 && reached) add(edges, reached);
}

// The vertices that push left to everybody: all lanes of the grid go along the edges of each.
KERNEL(bfs_hubs, 256)(const u64 *offsets, const u32 *targets, u32 *depth, u32 *parent, u32 level, const u32 *hubs, u32 *next,
                      u32 *counts, u64 *edges) {
  u32 n = read(&counts[1]), lane = lane_id();
  u64 reached = 0, lanes = (u64)grid_size() * block_size();
  for (u32 h = 0; h < n; h++) {
    u32 v = once(hubs + h);
    u64 begin = once(offsets + v), end = once(offsets + v + 1);
    for (u64 e = begin + (u64)block_id() * block_size() + (thread_id() & ~31u); e < end; e += lanes) {
      bool mine = false;
      u32 w = 0;
      if (e + lane < end) {
        w = once(targets + e + lane);
        mine = read(depth + w) == UNSEEN_DEPTH && swap_if(depth + w, UNSEEN_DEPTH, level + 1) == UNSEEN_DEPTH;
        if (mine) {
          if (parent) parent[w] = v;
          reached += once(offsets + w + 1) - once(offsets + w);
        }
      }
      enqueue(next, &counts[0], mine, w);
    }
  }
  reached = warp_sum64(reached);
  if (lane == 0 && reached) add(edges, reached);
}

// Every vertex not yet reached looks for a neighbour at this level along the edges that lead to it. forward is the CSR of the
// search's own direction, for the edges that the new frontier has.
KERNEL(bfs_pull, 256)(const u64 *offsets, const u32 *sources, const u64 *forward, u32 *depth, u32 *parent, u32 vertices, u32 level,
                      u32 *next, u32 *counts, u64 *edges) {
  u32 lane = lane_id();
  u64 reached = 0;
  for (u32 base = block_id() * block_size() + (thread_id() & ~31u); base < vertices; base += grid_size() * block_size()) {
    u32 v = base + lane;
    bool mine = false;
    if (v < vertices && read(depth + v) == UNSEEN_DEPTH) {
      for (u64 e = once(offsets + v), end = once(offsets + v + 1); e < end; e++) {
        u32 w = once(sources + e);
        if (read(depth + w) != level) continue;
        exchange(depth + v, level + 1);
        if (parent) parent[v] = w;
        reached += once(forward + v + 1) - once(forward + v);
        mine = true;
        break;
      }
    }
    enqueue(next, &counts[0], mine, v);
  }
  reached = warp_sum64(reached);
  if (lane == 0 && reached) add(edges, reached);
}

// One round over all edges, whatever the frontier: for graphs of few, wide levels. edge e leads from source[e].
KERNEL(bfs_edges, 256)(const u32 *source, const u32 *targets, u64 edges_all, u32 *depth, u32 *parent, u32 level, u32 *counts) {
  u64 lanes = (u64)grid_size() * block_size();
  u32 any = 0;
  for (u64 e = (u64)block_id() * block_size() + thread_id(); e < edges_all; e += lanes) {
    u32 v = once(source + e), w = once(targets + e);
    if (read(depth + v) != level || read(depth + w) != UNSEEN_DEPTH) continue;
    if (swap_if(depth + w, UNSEEN_DEPTH, level + 1) != UNSEEN_DEPTH) continue;
    if (parent) parent[w] = v;
    any++;
  }
  any = warp_sum(any);
  if (lane_id() == 0 && any) add(&counts[0], any);
}

#define NARROW 1024

// Levels by one block as long as the frontier fits into its shared memory. result: the level reached, the size of its frontier
// (which is then in queue), and the levels done.
KERNEL(bfs_narrow, 1024)(const u64 *offsets, const u32 *targets, u32 *depth, u32 *parent, u32 level, u32 most, u32 *queue, u32 size,
                         u32 *result) {
  SHARED(u32, front, NARROW);
  SHARED(u32, behind, NARROW);
  SHARED(u32, counts, 2); // of the next frontier; whether it is too large
  u32 levels = 0, me = thread_id();
  for (u32 i = me; i < size; i += block_size()) front[i] = queue[i];
  for (;;) {
    if (me == 0) counts[0] = counts[1] = 0;
    sync_block();
    for (u32 i = warp_id(); i < size; i += block_size() >> 5) {
      u32 v = front[i];
      u64 end = once(offsets + v + 1);
      for (u64 e = once(offsets + v) + lane_id(); e < end; e += 32) {
        u32 w = once(targets + e);
        if (read(depth + w) != UNSEEN_DEPTH || swap_if(depth + w, UNSEEN_DEPTH, level + 1) != UNSEEN_DEPTH) continue;
        if (parent) parent[w] = v;
        u32 at = add(&counts[0], 1);
        if (at < NARROW) behind[at] = w;
        else queue[at] = w;
      }
    }
    sync_block();
    u32 found = read(&counts[0]);
    level++, levels++;
    bool stay = found && found <= NARROW && level < most;
    for (u32 i = me; i < found && i < NARROW; i += block_size()) {
      if (stay) front[i] = behind[i];
      else queue[i] = behind[i];
    }
    sync_block();
    size = found;
    if (!stay) break;
  }
  if (me == 0) result[0] = level, result[1] = size, result[2] = levels;
}
