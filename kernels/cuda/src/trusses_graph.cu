// The graph whose trusses are looked for, made on the device: the subgraph on some vertices, its edges numbered.
//
// Input: undirected adjacency in CSR form (every edge in both its ends' rows; a loop, which is left out, once), sorted; the vertices
// as a bitmap with ranks, and listed.
//
// What makes it fast: rows are cut into segments of at most 1,024 entries, a warp each, so that hubs are no one's alone; how many
// entries each keeps is counted, summed up over all, and then each writes to its place. No sort: edges run from the end
// of smaller degree (at equal degrees from the smaller number), and rows keep their order.
#include "lists.cuh"

// How many segments each row has, at least one. list, if it is given, names the rows.
KERNEL(segment_count, 256)(const u64 *offsets, const u32 *list, u32 rows, u32 *segments) {
  for (u32 i = block_id() * block_size() + thread_id(); i < rows; i += grid_size() * block_size()) {
    u32 v = list ? once(list + i) : i;
    u64 n = (once(offsets + v + 1) - once(offsets + v) + SEGMENT - 1) / SEGMENT;
    segments[i] = n ? (u32)n : 1;
  }
}

// Whose each segment is; first is the prefix sum of segment_count's.
KERNEL(segment_owner, 256)(const u32 *first, u32 rows, u32 *owner) {
  for (u32 i = block_id() * block_size() + thread_id(); i < rows; i += grid_size() * block_size())
    for (u32 s = once(first + i), end = once(first + i + 1); s < end; s++) owner[s] = i;
}

// Where the rows start that segments were written to: at is where each segment was.
KERNEL(segment_rows, 256)(const u32 *first, const u64 *at, u32 rows, u64 *offsets) {
  for (u32 i = block_id() * block_size() + thread_id(); i <= rows; i += grid_size() * block_size()) offsets[i] = once(at + once(first + i));
}

DEV bool has(const u32 *bits, u32 w) { return once(bits + (w >> 5)) >> (w & 31) & 1; }

// How many entries of each segment are of the subgraph.
KERNEL(induced_count, 256)(const u64 *offsets, const u32 *targets, const u32 *list, const u32 *bits, const u32 *first, const u32 *owner, u32 segments,
                           u32 *counts) {
  u32 warps = grid_size() * (block_size() >> 5);
  for (u32 s = block_id() * (block_size() >> 5) + warp_id(); s < segments; s += warps) {
    u32 i = once(owner + s), v = once(list + i), n = 0;
    u64 end, p = segment(offsets, v, s - once(first + i), &end);
    for (p += lane_id(); p < end; p += 32) {
      u32 w = once(targets + p);
      n += w != v && has(bits, w);
    }
    n = warp_sum(n);
    if (lane_id() == 0) counts[s] = n;
  }
}

// Writes those entries, as places in the list.
KERNEL(induced_fill, 256)(const u64 *offsets, const u32 *targets, const u32 *list, const u32 *bits, const u64 *ranks, const u32 *first, const u32 *owner,
                          u32 segments, const u64 *at, u32 *ends) {
  u32 warps = grid_size() * (block_size() >> 5);
  for (u32 s = block_id() * (block_size() >> 5) + warp_id(); s < segments; s += warps) {
    u32 i = once(owner + s), v = once(list + i);
    u64 end, p = segment(offsets, v, s - once(first + i), &end), to = once(at + s);
    for (; p < end; p += 32) {
      u32 w = p + lane_id() < end ? once(targets + p + lane_id()) : v;
      bool in = w != v && has(bits, w);
      u32 who = ballot(ALL, in);
      if (in) ends[to + popcount(who & lanes_below())] = (u32)once(ranks + (w >> 5)) + popcount(once(bits + (w >> 5)) & ((1u << (w & 31)) - 1));
      to += popcount(who);
    }
  }
}

// Whether the edge between u and v runs from u.
DEV bool runs(const u64 *rows, u32 u, u64 degree, u32 v) {
  u64 d = once(rows + v + 1) - once(rows + v);
  return d > degree || d == degree && v > u;
}

// How many edges run from the owner of each segment.
KERNEL(orient_count, 256)(const u64 *rows, const u32 *ends, const u32 *first, const u32 *owner, u32 segments, u32 *counts) {
  u32 warps = grid_size() * (block_size() >> 5);
  for (u32 s = block_id() * (block_size() >> 5) + warp_id(); s < segments; s += warps) {
    u32 u = once(owner + s), n = 0;
    u64 end, p = segment(rows, u, s - once(first + u), &end), degree = once(rows + u + 1) - once(rows + u);
    for (p += lane_id(); p < end; p += 32) n += runs(rows, u, degree, once(ends + p));
    n = warp_sum(n);
    if (lane_id() == 0) counts[s] = n;
  }
}

// Numbers the edges that run from the owner of each segment: their two ends by number, the number by entry.
KERNEL(orient_fill, 256)(const u64 *rows, const u32 *ends, const u32 *first, const u32 *owner, u32 segments, const u64 *at, u32 *targets, u32 *low,
                         u32 *edges) {
  u32 warps = grid_size() * (block_size() >> 5);
  for (u32 s = block_id() * (block_size() >> 5) + warp_id(); s < segments; s += warps) {
    u32 u = once(owner + s);
    u64 end, p = segment(rows, u, s - once(first + u), &end), degree = once(rows + u + 1) - once(rows + u), to = once(at + s);
    for (; p < end; p += 32) {
      u32 v = p + lane_id() < end ? once(ends + p + lane_id()) : 0;
      bool from = p + lane_id() < end && runs(rows, u, degree, v);
      u32 who = ballot(ALL, from);
      if (from) {
        u64 e = to + popcount(who & lanes_below());
        targets[e] = v, low[e] = u, edges[p + lane_id()] = (u32)e;
      }
      to += popcount(who);
    }
  }
}

// The numbers of the edges that run to the owner of each segment.
KERNEL(orient_back, 256)(const u64 *rows, const u32 *ends, const u32 *first, const u32 *owner, u32 segments, const u64 *offsets, const u32 *targets,
                         u32 *edges) {
  u32 warps = grid_size() * (block_size() >> 5);
  for (u32 s = block_id() * (block_size() >> 5) + warp_id(); s < segments; s += warps) {
    u32 u = once(owner + s);
    u64 end, p = segment(rows, u, s - once(first + u), &end), degree = once(rows + u + 1) - once(rows + u);
    for (p += lane_id(); p < end; p += 32) {
      u32 v = once(ends + p);
      if (runs(rows, u, degree, v)) continue;
      u64 at = once(offsets + v);
      edges[p] = (u32)at + place(targets + at, (u32)(once(offsets + v + 1) - at), u);
    }
  }
}

#define GONE 2u // as in trusses.cu

// How many entries of each segment have edges that are not gone.
KERNEL(compact_count, 256)(const u64 *rows, const u32 *edges, const u32 *state, const u32 *first, const u32 *owner, u32 segments, u32 *counts) {
  u32 warps = grid_size() * (block_size() >> 5);
  for (u32 s = block_id() * (block_size() >> 5) + warp_id(); s < segments; s += warps) {
    u32 u = once(owner + s), n = 0;
    u64 end, p = segment(rows, u, s - once(first + u), &end);
    for (p += lane_id(); p < end; p += 32) n += once(state + once(edges + p)) != GONE;
    n = warp_sum(n);
    if (lane_id() == 0) counts[s] = n;
  }
}

// Writes those entries.
KERNEL(compact_fill, 256)(const u64 *rows, const u32 *ends, const u32 *edges, const u32 *state, const u32 *first, const u32 *owner, u32 segments,
                          const u64 *at, u32 *new_ends, u32 *new_edges) {
  u32 warps = grid_size() * (block_size() >> 5);
  for (u32 s = block_id() * (block_size() >> 5) + warp_id(); s < segments; s += warps) {
    u32 u = once(owner + s);
    u64 end, p = segment(rows, u, s - once(first + u), &end), to = once(at + s);
    for (; p < end; p += 32) {
      u64 mine = p + lane_id();
      u32 e = mine < end ? once(edges + mine) : 0;
      bool stays = mine < end && once(state + e) != GONE;
      u32 who = ballot(ALL, stays);
      u64 place = to + popcount(who & lanes_below());
      if (stays) new_ends[place] = once(ends + mine), new_edges[place] = e;
      to += popcount(who);
    }
  }
}
