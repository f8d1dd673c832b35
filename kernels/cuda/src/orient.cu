// The simple graph with every edge from its lower to its higher end in degeneracy order, made on the device. Vertices are ordered by
// coreness (cores.cu), those of one coreness k by the round that they leave in: in each go all that have at most k
// neighbours left, which are of that coreness or more. Those of one round come by how many these are, then by number. Nothing in the order depends on which
// lane was first, so that all devices, and the host (kernels.Orientation), make the same; a vertex has at most
// as many edges as its coreness.
//
// Input: the graph by neighbours (CSR, each neighbour once, loops allowed), its rows cut into segments, and the coreness.
//
// What makes it fast: the rounds of all corenesses run at the same time, as a vertex waits for those of its own coreness only; each
// segment of a row is looked at in one round, by a warp, and what a launch is to do it finds in what the one before has
// left, so that the host enqueues many. Edges are written by rising higher end and then sorted by their lower one, which keeps that
// order (sort.cu): no list is sorted by itself, however long it is.
#include "lists.cuh"

// left becomes the number of neighbours of the same coreness or more; it is 0 before. With rounds, of those that leave in no earlier one.
KERNEL(orient_left, 256)(const u64 *offsets, const u32 *targets, const u32 *core, const u32 *round, const u32 *first, const u32 *owner, u32 segments,
                         u32 *left) {
  u32 warps = grid_size() * (block_size() >> 5);
  for (u32 s = block_id() * (block_size() >> 5) + warp_id(); s < segments; s += warps) {
    u32 v = once(owner + s), k = once(core + v), r = round ? once(round + v) : 0, n = 0;
    u64 end, p = segment(offsets, v, s - once(first + v), &end);
    for (p += lane_id(); p < end; p += 32) {
      u32 w = once(targets + p), other = w == v ? 0 : once(core + w);
      n += w != v && (other > k || other == k && (!round || once(round + w) >= r));
    }
    n = warp_sum(n);
    if (lane_id() == 0 && n) add(left + v, n);
  }
}

// Appends the segments of the rows of those lanes that want to; all lanes of the warp call it.
DEV void enqueue_rows(u32 *queue, u32 *count, bool wanted, u32 v, const u32 *first) {
  if (!ballot(ALL, wanted)) return;
  u32 s = wanted ? once(first + v) : 0, n = wanted ? once(first + v + 1) - s : 0, all, at = warp_prefix(n, &all);
  at += warp_take(count, all);
  for (u32 i = 0; i < n; i++) queue[at + i] = s + i;
}

// The first round: round becomes 1 for those that leave in it, and 0 for others. sizes[1] counts segments; those without neighbours
// have none to look at.
KERNEL(orient_first, 256)(const u32 *core, const u32 *left, u32 vertices, const u32 *first, u32 *round, u32 *queue, u32 *sizes) {
  for (u32 base = block_id() * block_size() + (thread_id() & ~31u); base < vertices; base += grid_size() * block_size()) {
    u32 v = base + lane_id(), k = v < vertices ? once(core + v) : 0;
    bool leaves = v < vertices && once(left + v) <= k;
    if (v < vertices) round[v] = leaves;
    enqueue_rows(queue, sizes + 1, leaves && k, v, first);
  }
}

// Round r + 1: those that fall to their coreness as the vertices of round r leave. The queue's segments of round r begin at
// begins[r] and are sizes[r] many; those of the next are counted in sizes[r + 1], which is 0 before.
KERNEL(orient_round, 256)(const u64 *offsets, const u32 *targets, const u32 *core, const u32 *first, const u32 *owner, u32 *left, u32 *round, u32 *queue,
                          u32 r, u32 *begins, u32 *sizes) {
  u32 begin = once(begins + r), size = once(sizes + r), warps = grid_size() * (block_size() >> 5);
  if (block_id() == 0 && thread_id() == 0) begins[r + 1] = begin + size;
  for (u32 i = block_id() * (block_size() >> 5) + warp_id(); i < size; i += warps) {
    u32 s = once(queue + begin + i), v = once(owner + s), k = once(core + v);
    u64 end, p = segment(offsets, v, s - once(first + v), &end);
    for (; p < end; p += 32) {
      u32 w = p + lane_id() < end ? once(targets + p + lane_id()) : v;
      bool falls = w != v && once(core + w) == k && add(left + w, ~0u) == k + 1;
      if (falls) round[w] = r + 1;
      enqueue_rows(queue + begin + size, sizes + r + 1, falls, w, first);
    }
  }
}

// What listed vertices are sorted by; rounds are of so many bits.
KERNEL(orient_keys, 256)(const u32 *list, const u32 *core, const u32 *round, u32 vertices, u32 bits, u32 *keys) {
  for (u32 i = block_id() * block_size() + thread_id(); i < vertices; i += grid_size() * block_size()) {
    u32 v = once(list + i);
    keys[i] = once(core + v) << bits | once(round + v);
  }
}

KERNEL(orient_ranks, 256)(const u32 *vertex, u32 vertices, u32 *rank) {
  for (u32 r = block_id() * block_size() + thread_id(); r < vertices; r += grid_size() * block_size()) rank[once(vertex + r)] = r;
}

// How many entries of each segment come before the row's own vertex. Rows are those of vertex, by rank.
KERNEL(orient_before, 256)(const u64 *offsets, const u32 *targets, const u32 *vertex, const u32 *rank, const u32 *first, const u32 *owner, u32 segments,
                           u32 *counts) {
  u32 warps = grid_size() * (block_size() >> 5);
  for (u32 s = block_id() * (block_size() >> 5) + warp_id(); s < segments; s += warps) {
    u32 r = once(owner + s), n = 0;
    u64 end, p = segment(offsets, once(vertex + r), s - once(first + r), &end);
    for (p += lane_id(); p < end; p += 32) n += once(rank + once(targets + p)) < r;
    n = warp_sum(n);
    if (lane_id() == 0) counts[s] = n;
  }
}

// Writes those edges, by their higher end.
KERNEL(orient_edges, 256)(const u64 *offsets, const u32 *targets, const u32 *vertex, const u32 *rank, const u32 *first, const u32 *owner, u32 segments,
                          const u64 *at, u32 *low, u32 *high) {
  u32 warps = grid_size() * (block_size() >> 5);
  for (u32 s = block_id() * (block_size() >> 5) + warp_id(); s < segments; s += warps) {
    u32 r = once(owner + s);
    u64 end, p = segment(offsets, once(vertex + r), s - once(first + r), &end), to = once(at + s);
    for (; p < end; p += 32) {
      u32 w = p + lane_id() < end ? once(rank + once(targets + p + lane_id())) : r, who = ballot(ALL, w < r);
      if (w < r) {
        u64 e = to + popcount(who & lanes_below());
        low[e] = w, high[e] = r;
      }
      to += popcount(who);
    }
  }
}

// Where the lists begin, of edges that are sorted by their lower end.
KERNEL(orient_offsets, 256)(const u32 *low, u64 edges, u32 vertices, u64 *offsets) {
  for (u32 r = block_id() * block_size() + thread_id(); r <= vertices; r += grid_size() * block_size()) {
    u64 from = 0, to = edges;
    while (from < to) {
      u64 mid = (from + to) >> 1;
      if (once(low + mid) < r) from = mid + 1;
      else to = mid;
    }
    offsets[r] = from;
  }
}

// What is sorted by falling degree: how many neighbours each row has less than most.
KERNEL(orient_degrees, 256)(const u64 *offsets, u32 vertices, u32 most, u32 *keys) {
  for (u32 r = block_id() * block_size() + thread_id(); r < vertices; r += grid_size() * block_size())
    keys[r] = most - (u32)(once(offsets + r + 1) - once(offsets + r));
}

// least[d] becomes how many rows have at least d neighbours, for d up to last; keys are theirs of orient_degrees, which rise.
KERNEL(orient_least, 256)(const u32 *keys, u32 vertices, u32 most, u32 last, u32 *least) {
  for (u32 d = block_id() * block_size() + thread_id(); d <= last; d += grid_size() * block_size())
    least[d] = below(keys, vertices, most - d + 1);
}

// How many out-neighbours each rank has in a set of vertices, if it is in there itself.
KERNEL(orient_within, 256)(const u64 *offsets, const u32 *targets, const u32 *vertex, u32 vertices, const u32 *bits, u32 *counts) {
  for (u32 r = block_id() * 8 + warp_id(); r < vertices; r += grid_size() * 8) {
    u32 v = once(vertex + r), n = 0;
    if (once(bits + (v >> 5)) >> (v & 31) & 1)
      for (u64 e = once(offsets + r) + lane_id(), end = once(offsets + r + 1); e < end; e += 32) {
        u32 w = once(vertex + once(targets + e));
        n += once(bits + (w >> 5)) >> (w & 31) & 1;
      }
    n = warp_sum(n);
    if (lane_id() == 0) counts[r] = n;
  }
}

// Writes those lists, which stay sorted.
KERNEL(orient_keep, 256)(const u64 *offsets, const u32 *targets, const u32 *vertex, u32 vertices, const u32 *bits, const u64 *at, u32 *kept) {
  for (u32 r = block_id() * 8 + warp_id(); r < vertices; r += grid_size() * 8) {
    u64 to = once(at + r);
    if (once(at + r + 1) == to) continue;
    for (u64 e = once(offsets + r), end = once(offsets + r + 1); e < end; e += 32) {
      u32 t = 0, w = 0;
      if (e + lane_id() < end) t = once(targets + e + lane_id()), w = once(vertex + t);
      bool in = e + lane_id() < end && once(bits + (w >> 5)) >> (w & 31) & 1;
      u32 who = ballot(ALL, in);
      if (in) kept[to + popcount(who & lanes_below())] = t;
      to += popcount(who);
    }
  }
}
