// k-cliques again, of 5 to LANES_K vertices, at roots with up to 1,024 out-neighbours: every lane searches below an edge of its own.
//
// Input: as for cliques.cu. scratch has room for edge_room words a block: the edges of a root's bitmap.
//
// What makes it fast: below an edge (i, j) of the bitmap, the cliques are those in row i AND row j, and a lane walks their
// search tree alone, without a word to the others. Each step of it is the same for all lanes, whatever their depth: take
// the lowest vertex out of a set, AND its row with the rest, and either count what is left (the last two levels are one) or go
// down. So the lanes of a warp stay together although their trees differ, and a lane that is done takes the next edge. Rows are
// padded by a word, so that lanes that read different ones meet in few banks of shared memory.
#include "lists.cuh"

#define LANES_K 12 // vertices of a clique at most: the depth of a lane's stack

// How many cliques of q vertices the set S holds, of which sets[0] is the first level.
template <u32 W> DEV u64 walk(const u32 *rows, u32 (*sets)[W], u32 q) {
  u32 at[LANES_K - 3]; // the first word of each level that is not empty
  u32 depth = 0, bottom = q - 2;
  u64 found = 0;
  at[0] = 0;
  for (;;) {
    u32 w = at[depth], word = sets[depth][w];
    while (!word && w + 1 < W) word = sets[depth][++w];
    if (!word) {
      if (depth == 0) return found;
      depth--;
      continue;
    }
    at[depth] = w;
    sets[depth][w] = word & (word - 1);
    const u32 *row = rows + (w * 32 + lowest(word)) * (W + 1);
    if (depth == bottom) {
      u32 n = 0;
      for (u32 v = w; v < W; v++) n += popcount(sets[depth][v] & row[v]);
      found += n;
    } else {
      for (u32 v = w; v < W; v++) sets[depth + 1][v] = sets[depth][v] & row[v];
      at[++depth] = w;
    }
  }
}

template <u32 W>
DEV void count_below_edges(const u64 *offsets, const u32 *targets, const u32 *roots, u32 first, u32 last, u32 step, u32 k, u32 *next, const u32 *stop,
                           u64 *total, u32 *rows, u32 *turn, u32 *edges) {
  u32 sets[LANES_K - 3][W];
  u64 found = 0;
  for (;;) {
    if (warp_id() == 0) {
      u32 got = next_item(stop, next, first, last, step);
      if (lane_id() == 0) turn[0] = got, turn[1] = turn[2] = 0;
    }
    sync_block();
    if (turn[0] == ~0u) break;
    u32 root = once(roots + turn[0]);
    u64 begin = once(offsets + root);
    const u32 *hood = targets + begin;
    u32 d = (u32)(once(offsets + root + 1) - begin), lane = lane_id();
    for (u32 i = warp_id(); i < d; i += block_size() >> 5) {
      u32 t = once(hood + i);
      u64 from = once(offsets + t);
      u32 n = (u32)(once(offsets + t + 1) - from);
      for (u32 w = 0; w < W; w++) {
        u32 j = w * 32 + lane;
        bool joined = j > i && j < d && place(targets + from, n, once(hood + j)) < n;
        u32 word = ballot(ALL, joined), base = 0;
        if (lane == 0) {
          rows[i * (W + 1) + w] = word;
          if (word) base = add(&turn[1], popcount(word));
        }
        base = shuffle(ALL, base, 0);
        if (joined) edges[base + popcount(word & lanes_below())] = i << 16 | j;
      }
    }
    sync_block();
    u32 all = read(&turn[1]);
    for (;;) {
      u32 e = add(&turn[2], 1);
      if (e >= all) break;
      u32 edge = edges[e];
      const u32 *a = rows + (edge >> 16) * (W + 1), *b = rows + (edge & 0xffff) * (W + 1);
      for (u32 w = 0; w < W; w++) sets[0][w] = a[w] & b[w];
      found += walk<W>(rows, sets, k - 3);
    }
    sync_block();
  }
  sync_warp(ALL);
  found = warp_sum64(found);
  if (lane_id() == 0) add_wide(total, found);
}

#define LANES(W)                                                                                                                       \
  DYNAMIC(u32, rows);                                                                                                                  \
  SHARED(u32, turn, 3); /* the root's place, edges of its bitmap, edges taken */                                                        \
  count_below_edges<W>(offsets, targets, roots, first, last, step, k, next, stop, total, rows, turn, scratch + block_id() * edge_room);

KERNEL(cliques_lanes2, 256)(const u64 *offsets, const u32 *targets, const u32 *roots, u32 first, u32 last, u32 step, u32 k, u32 *next,
                            const u32 *stop, u64 *total, u32 *scratch, u64 edge_room) { LANES(2) }
KERNEL(cliques_lanes4, 256)(const u64 *offsets, const u32 *targets, const u32 *roots, u32 first, u32 last, u32 step, u32 k, u32 *next,
                            const u32 *stop, u64 *total, u32 *scratch, u64 edge_room) { LANES(4) }
KERNEL(cliques_lanes8, 256)(const u64 *offsets, const u32 *targets, const u32 *roots, u32 first, u32 last, u32 step, u32 k, u32 *next,
                            const u32 *stop, u64 *total, u32 *scratch, u64 edge_room) { LANES(8) }
KERNEL(cliques_lanes16, 256)(const u64 *offsets, const u32 *targets, const u32 *roots, u32 first, u32 last, u32 step, u32 k, u32 *next,
                             const u32 *stop, u64 *total, u32 *scratch, u64 edge_room) { LANES(16) }
KERNEL(cliques_lanes32, 256)(const u64 *offsets, const u32 *targets, const u32 *roots, u32 first, u32 last, u32 step, u32 k, u32 *next,
                             const u32 *stop, u64 *total, u32 *scratch, u64 edge_room) { LANES(32) }
