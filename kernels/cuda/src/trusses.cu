// Truss decomposition: support, and peeling by rising support.
//
// Input: what trusses_graph.cu makes: rows of an undirected simple graph, sorted, with the id of each entry's edge; every edge once, from
// its end of smaller degree, as CSR whose positions are the ids. Fewer than 2^32 edges. Where the graph is small and dense, a
// matrix of bits besides, a row a vertex.
//
// What makes it fast: a triangle is found once, at its vertex of smallest degree, by lanes that share the entries of 32 edges evenly;
// with a matrix the support of an edge is the AND of two rows, without any atomic. An edge that leaves is one or more warps', which look the
// entries of the shorter row up in the longer one. When two edges of a triangle leave in the same round, the smaller id
// updates the third; a support may fall below the level, and is put back when its edge leaves, so that no lock is needed. Where
// so many leave that counting the others again is less work, that is done. A round is two launches (three with a
// matrix), which find out what to do in what the one before has left, as in cores.cu: the host enqueues many ahead.
#include "lists.cuh"

// Support of all edges: of each, the smaller one of the rows of its two ends is looked up in the other.
KERNEL(truss_support, 128)(const u64 *offsets, const u32 *targets, const u32 *low, u64 edges, u32 *next, const u32 *stop, u32 *support) {
  u32 lane = lane_id(), groups = (u32)((edges + 31) >> 5);
  for (;;) {
    u32 group = next_item(stop, next, 0, groups);
    if (group == ~0u) break;
    u64 e = ((u64)group << 5) + lane, at = 0, other = 0;
    u32 n = 0, m = 0;
    if (e < edges) {
      u32 u = once(low + e), v = once(targets + e);
      at = once(offsets + u), other = once(offsets + v);
      n = (u32)(once(offsets + u + 1) - at), m = (u32)(once(offsets + v + 1) - other);
      if (n > m) {
        u64 t = at;
        at = other, other = t;
        u32 c = n;
        n = m, m = c;
      }
    }
    u32 all, prefix = warp_prefix(n, &all);
    for (u32 x0 = 0; x0 < all; x0 += 32) {
      u32 x = x0 + lane, o = owner_of(prefix, x < all ? x : all - 1);
      u64 from = shuffle64(ALL, at, o), in = shuffle64(ALL, other, o);
      u32 below = shuffle(ALL, prefix, o), size = shuffle(ALL, m, o);
      if (x >= all) continue;
      u64 second = from + (x - below);
      u32 there = place(targets + in, size, once(targets + second));
      if (there == size) continue;
      u64 third = in + there;
      add(support + ((u64)group << 5) + o, 1);
      add(support + second, 1);
      add(support + third, 1);
    }
  }
}

#define STAYS 0u
#define LEAVES 1u
#define GONE 2u

// What a round leaves to the next one; the host reads them many rounds later. It has the place of cores.cu's Step.
struct Step {
  u32 level, size, list;   // the level; how many edges are listed, in which list (0: all, 1 or 2)
  u32 live;                // edges left when it began
  u32 done;                // nothing was to do
  u32 skipped, dropped;    // levels jumped over, edges that were dropped from the list
  u32 kept;                // edges written to the other list; ~0: none was written
  u32 removed, spilled;    // edges that leave in this round, that leave in the next
  u32 again, least;        // the others were counted again; the complement of the least support above the level
  u32 restored, recounted; // supports put back, edges counted again
  u32 spare[2];
};

// What this round is to do, by what the last one left. True: it is to look for the edges that leave.
DEV bool turn(const Step *was, Step &to, u32 last, u32 skips, u32 shrinks) {
  to.level = once(&was->level), to.size = once(&was->size), to.list = once(&was->list), to.skipped = 0, to.dropped = 0;
  to.live = once(&was->live) - once(&was->removed), to.least = once(&was->least), to.kept = ~0u, to.removed = once(&was->spilled);
  u32 kept = once(&was->kept);
  if (kept != ~0u) to.dropped = to.size - kept, to.size = kept, to.list = to.list == 1 ? 2 : 1;
  to.done = once(&was->done) || !to.live;
  if (to.done || to.removed) return false;
  if (!once(&was->again)) {
    u32 next = skips ? ~to.least : to.level + 1;
    to.skipped = next - (to.level + 1), to.level = next;
  }
  to.least = 0;
  to.done = to.level > last;
  if (shrinks && to.live < to.size / 2) to.kept = 0;
  return !to.done;
}

// Takes an edge out of the matrix, where it must be still.
DEV void clear_bits(u32 *matrix, u32 words, u32 u, u32 v) {
  add(matrix + (u64)u * words + (v >> 5), 0u - (1u << (v & 31)));
  add(matrix + (u64)v * words + (u >> 5), 0u - (1u << (u & 31)));
}

// The edges of the last round are gone now. Those of this one leave: the last round has queued them, or they are looked for among
// those listed. flags: 1 a support may pass the level, 2 levels are skipped, 4 lists shrink.
KERNEL(truss_turn, 256)(const u32 *low, const u32 *high, u64 edges, u32 *state, u32 *support, const u32 *was, u32 *now, u32 *after, const u32 *before,
                        u32 *queue, u32 *lists, u32 *matrix, u32 words, u32 last, u32 flags) {
  const Step *old = (const Step *)was;
  Step to, *mine = (Step *)now;
  bool look = turn(old, to, last, flags & 2, flags & 4);
  if (block_id() == 0 && thread_id() == 0) {
    mine->level = to.level, mine->size = to.size, mine->list = to.list, mine->live = to.live, mine->done = to.done;
    mine->skipped = to.skipped, mine->dropped = to.dropped;
    if (to.kept) mine->kept = ~0u; // it was 0
    if (!look) mine->removed = to.removed;
    largest(&mine->least, to.least);
  }
  if (block_id() == 0 && thread_id() < sizeof(Step) / 4) after[thread_id()] = 0;
  if (to.done) return;
  u32 step = grid_size() * block_size(), at = block_id() * block_size() + thread_id(), n = once(&old->removed), restored = 0, least = ~0u;
  for (u32 i = at; i < n; i += step) {
    u32 e = once(before + i);
    exchange(state + e, GONE);
    if (matrix && !once(&old->again)) clear_bits(matrix, words, once(low + e), once(high + e));
  }
  if (!look) {
    for (u32 i = at; i < to.removed; i += step) {
      u32 e = once(queue + i);
      exchange(state + e, LEAVES);
      if (exchange(support + e, to.level) != to.level) restored++;
    }
  } else {
    const u32 *list = to.list ? lists + (to.list - 1) * edges : 0;
    u32 *kept = to.kept ? 0 : lists + (to.list == 1 ? edges : 0);
    for (u32 base = at & ~31u; base < to.size; base += step) {
      u32 i = base + lane_id(), e = 0, s = 0;
      bool in = i < to.size;
      if (in) {
        e = list ? once(list + i) : i;
        in = read(state + e) == STAYS;
        s = read(support + e);
      }
      bool leaves = in && s <= to.level, stays = in && !leaves;
      if (leaves) {
        exchange(state + e, LEAVES);
        exchange(support + e, to.level);
      }
      enqueue(queue, &mine->removed, leaves, e);
      if (kept) enqueue(kept, &mine->kept, stays, e);
      if (stays && s < least) least = s;
    }
    note_least(&mine->least, least);
  }
  restored = warp_sum(restored);
  if (lane_id() == 0 && restored) add(&mine->restored, restored);
}

// Takes one from the support of an edge; true where that brings it to the level. With restores it may go further down:
// truss_turn puts it back.
DEV bool lose(u32 *support, u32 level, bool restores, u32 &least) {
  u32 s;
  if (restores) {
    s = add(support, ~0u);
  } else {
    s = read(support);
    for (u32 was; s > level && (was = swap_if(support, s, s - 1)) != s;) s = was;
  }
  if (s > level + 1 && s - 1 < least && !(s >> 31)) least = s - 1;
  return s == level + 1;
}

// Every edge of the queue takes its triangles with it, and what falls to the level by that is the next queue. If so many leave that
// counting the others again is less work, they only leave the matrix: truss_recount does the rest. flags: as truss_turn's, and
// 8 edges of no triangles are spared the search, 16 the last ones are, 32 the others may be counted again.
KERNEL(truss_round, 256)(const u64 *rows, const u32 *ends, const u32 *edges, const u32 *low, const u32 *high, u32 *state, u32 *support, u32 *now,
                         const u32 *queue, u32 *next, u32 *matrix, u32 words, const u32 *stop, u32 flags) {
  Step *mine = (Step *)now;
  u32 size = once(&mine->removed), live = once(&mine->live), level = once(&mine->level), lane = lane_id(), least = ~0u;
  if (once(&mine->done) || !size || flags & 8 && !level || flags & 16 && size == live) return;
  if (matrix && flags & 32 && size > live / 16) {
    for (u32 i = block_id() * block_size() + thread_id(); i < size; i += grid_size() * block_size()) {
      u32 e = once(queue + i);
      exchange(state + e, GONE);
      clear_bits(matrix, words, once(low + e), once(high + e));
    }
    if (block_id() == 0 && thread_id() == 0) exchange(&mine->again, 1);
    return;
  }
  u32 warps = grid_size() * (block_size() >> 5), share = warps / size; // several warps share an edge where there are enough
  share = share > 64 ? 64 : share ? share : 1;
  for (u64 j = block_id() * (block_size() >> 5) + warp_id(); j < (u64)size * share; j += warps) {
    if (shuffle(ALL, lane == 0 ? read(stop) : 0, 0)) return;
    u32 e = once(queue + j / share), u = once(low + e), v = once(high + e);
    u64 at_u = once(rows + u), at_v = once(rows + v);
    u32 n = (u32)(once(rows + u + 1) - at_u), m = (u32)(once(rows + v + 1) - at_v);
    if (n > m) {
      u64 t = at_u;
      at_u = at_v, at_v = t;
      u32 c = n;
      n = m, m = c;
    }
    for (u32 base = (u32)(j % share) * 32; base < n; base += share * 32) {
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
              if (mine && s1 == STAYS) falls1 = lose(support + e1, level, flags & 1, least);
              if (mine && s2 == STAYS) falls2 = lose(support + e2, level, flags & 1, least);
            }
          }
        }
      }
      enqueue(next, &mine->spilled, falls1, e1);
      enqueue(next, &mine->spilled, falls2, e2);
    }
  }
  note_least(&mine->least, least);
}

// A bit for each entry of the rows.
KERNEL(truss_matrix, 256)(const u64 *rows, const u32 *ends, u32 vertices, u32 *matrix, u32 words) {
  for (u32 v = block_id() * (block_size() >> 5) + warp_id(); v < vertices; v += grid_size() * (block_size() >> 5))
    for (u64 p = once(rows + v) + lane_id(), end = once(rows + v + 1); p < end; p += 32) {
      u32 w = once(ends + p);
      either(matrix + (u64)v * words + (w >> 5), 1u << (w & 31));
    }
}

// The support of the listed edges that stay, by the matrix, if the step says so. words is even.
KERNEL(truss_recount, 256)(const u32 *low, const u32 *high, u64 edges, const u32 *state, u32 *support, u32 *now, const u32 *lists, const u32 *matrix,
                           u32 words, const u32 *stop) {
  Step *mine = (Step *)now;
  if (!once(&mine->again)) return;
  u32 list = once(&mine->list), size = once(&mine->size), warps = grid_size() * (block_size() >> 5), counted = 0;
  const u32 *listed = list ? lists + (list - 1) * edges : 0;
  for (u32 i = block_id() * (block_size() >> 5) + warp_id(); i < size; i += warps) {
    if (shuffle(ALL, lane_id() == 0 ? read(stop) : 0, 0)) break;
    u32 e = listed ? once(listed + i) : i, n = 0;
    if (once(state + e) != STAYS) continue;
    const u64 *a = (const u64 *)(matrix + (u64)once(low + e) * words), *b = (const u64 *)(matrix + (u64)once(high + e) * words);
#pragma unroll 4
    for (u32 w = lane_id(); w < words / 2; w += 32) n += popcount(once(a + w) & once(b + w));
    n = warp_sum(n);
    if (lane_id() == 0) support[e] = n, counted++;
  }
  if (lane_id() == 0 && counted) add(&mine->recounted, counted);
}

// The ends of some edges (of all, if there is no list), smaller one first, and their trussness, where each is wanted.
KERNEL(truss_gather, 256)(const u32 *list, u32 size, const u32 *low, const u32 *high, const u32 *vertex, const u32 *support, u32 *source, u32 *target,
                          u32 *truss) {
  for (u32 i = block_id() * block_size() + thread_id(); i < size; i += grid_size() * block_size()) {
    u32 e = list ? once(list + i) : i;
    if (source) {
      u32 u = once(low + e), v = once(high + e);
      if (vertex) u = once(vertex + u), v = once(vertex + v);
      source[i] = u < v ? u : v, target[i] = u < v ? v : u;
    }
    if (truss) truss[i] = once(support + e) + 2;
  }
}
