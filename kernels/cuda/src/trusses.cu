// Truss decomposition: support, and peeling by rising support.
//
// Input: the oriented graph in CSR form, whose positions are the ids of the edges, for the support; and for peeling the
// undirected rows, sorted, with the id of each entry's edge, and the lower end of every edge. Fewer than 2^32 edges.
//
// What makes it fast: a triangle is found once, at its lowest vertex, by lanes that share the entries of 32 lists evenly; an edge
// that leaves is a warp's, which looks the entries of the shorter row up in the longer one. When two edges of a triangle leave
// in the same round, the smaller id updates the third; a support may fall below the level, and is put back
// when its edge leaves, so that no lock is needed. A round is a launch: what it lets fall to the level leaves in the next one.
#include "lists.cuh"

KERNEL(truss_support, 128)(const u64 *offsets, const u32 *targets, const u32 *roots, u32 first, u32 last, u32 *next, const u32 *stop,
                           u32 *support) {
  u32 lane = lane_id();
  for (;;) {
    u32 at = next_item(stop, next, first, last);
    if (at == ~0u) break;
    u32 u = once(roots + at);
    u64 begin = once(offsets + u);
    const u32 *hood = targets + begin;
    u32 d = (u32)(once(offsets + u + 1) - begin);
    for (u32 base = 0; base < d; base += 32) {
      u32 n = 0;
      u64 start = 0;
      if (base + lane < d) {
        u32 v = once(hood + base + lane);
        start = once(offsets + v);
        n = (u32)(once(offsets + v + 1) - start);
      }
      u32 all, prefix = warp_prefix(n, &all);
      for (u32 x0 = 0; x0 < all; x0 += 32) {
        u32 x = x0 + lane, o = owner_of(prefix, x < all ? x : all - 1);
        u64 from = shuffle64(ALL, start, o);
        u32 below = shuffle(ALL, prefix, o);
        if (x >= all) continue;
        u64 third = from + (x - below);
        u32 lo = base + o + 1, there = place(hood + lo, d - lo, once(targets + third));
        if (there == d - lo) continue;
        add(support + begin + base + o, 1);
        add(support + begin + lo + there, 1);
        add(support + third, 1);
      }
    }
  }
}

#define STAYS 0u
#define LEAVES 1u
#define GONE 2u

// Lists the edges of list (all, if it is 0) that stay and have a support of at most level; counts[1] becomes the
// complement of the least support above it.
KERNEL(truss_scan, 256)(const u32 *list, u32 size, const u32 *state, const u32 *support, u32 level, u32 *queue, u32 *counts) {
  u32 least = ~0u;
  for (u32 base = block_id() * block_size() + (thread_id() & ~31u); base < size; base += grid_size() * block_size()) {
    u32 i = base + lane_id(), e = 0, s = 0;
    bool in = i < size;
    if (in) {
      e = list ? once(list + i) : i;
      in = once(state + e) == STAYS;
      s = once(support + e);
    }
    enqueue(queue, &counts[0], in && s <= level, e);
    if (in && s > level && s < least) least = s;
  }
  note_least(&counts[1], least);
}

// Keeps those of list (all, if it is 0) that stay.
KERNEL(truss_shrink, 256)(const u32 *list, u32 size, const u32 *state, u32 *kept, u32 *counts) {
  for (u32 base = block_id() * block_size() + (thread_id() & ~31u); base < size; base += grid_size() * block_size()) {
    u32 i = base + lane_id(), e = 0;
    bool in = i < size;
    if (in) {
      e = list ? once(list + i) : i;
      in = once(state + e) == STAYS;
    }
    enqueue(kept, &counts[0], in, e);
  }
}

// Edges before are gone, those of now leave, at this level. Either list may be empty.
KERNEL(truss_turn, 256)(const u32 *before, u32 before_size, const u32 *now, u32 now_size, u32 *state, u32 *support, u32 level) {
  u32 step = grid_size() * block_size(), at = block_id() * block_size() + thread_id();
  for (u32 i = at; i < before_size; i += step) state[once(before + i)] = GONE;
  for (u32 i = at; i < now_size; i += step) {
    u32 e = once(now + i);
    state[e] = LEAVES;
    support[e] = level;
  }
}

// Takes one from the support of an edge; true where that brings it to the level. It may go further down: truss_turn puts it back.
DEV bool lose(u32 *support, u32 level) { return add(support, ~0u) == level + 1; }

// Every edge of the queue takes its triangles with it. counts: of the next round's edges.
KERNEL(truss_round, 256)(const u64 *rows, const u32 *ends, const u32 *edges, const u32 *low, const u32 *high, const u32 *state,
                         u32 *support, u32 level, const u32 *queue, u32 size, u32 *next, u32 *counts) {
  u32 warps = grid_size() * (block_size() >> 5), lane = lane_id();
  for (u32 i = block_id() * (block_size() >> 5) + warp_id(); i < size; i += warps) {
    u32 e = once(queue + i), u = once(low + e), v = once(high + e);
    u64 at_u = once(rows + u), at_v = once(rows + v);
    u32 n = (u32)(once(rows + u + 1) - at_u), m = (u32)(once(rows + v + 1) - at_v);
    if (n > m) {
      u64 t = at_u;
      at_u = at_v, at_v = t;
      u32 c = n;
      n = m, m = c;
    }
    for (u32 base = 0; base < n; base += 32) {
      bool falls1 = false, falls2 = false;
      u32 e1 = 0, e2 = 0;
      if (base + lane < n) {
        e1 = once(edges + at_u + base + lane);
        u32 s1 = once(state + e1);
        if (e1 != e && s1 != GONE) {
          u32 there = place(ends + at_v, m, once(ends + at_u + base + lane));
          if (there < m) {
            e2 = once(edges + at_v + there);
            u32 s2 = once(state + e2);
            if (s2 != GONE) {
              // Of the edges of this triangle that leave now, the one of the smallest id updates those that stay.
              bool mine = !(s1 == LEAVES && e1 < e) && !(s2 == LEAVES && e2 < e);
              if (mine && s1 == STAYS) falls1 = lose(support + e1, level);
              if (mine && s2 == STAYS) falls2 = lose(support + e2, level);
            }
          }
        }
      }
      enqueue(next, &counts[0], falls1, e1);
      enqueue(next, &counts[0], falls2, e2);
    }
  }
}
