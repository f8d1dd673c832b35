// Triangles of an undirected graph: for every edge u -> v to a neighbour of more edges, the neighbours of still more that they
// share.
//
// Input: the graph by neighbours (CSR, each neighbour once, loops allowed), and the vertices from 2 neighbours on by falling
// degree, more or less; the place of one is its rank, and has to be the same on all devices that share a request. The first
// kernels give every rank u the list of the neighbours before it, in no order, and keep a row of bits for those whose row is
// shorter than their list (twice or four times as long rows made nothing faster). All of that stays on the device. Of the roots,
// ranks from 2 neighbours before them on, a launch takes those that leave the remainder part when divided by parts. by counts the
// triangles of each vertex if it is not 0.
//
// What makes it fast. An edge u -> v costs the list of v, or its row: on RMAT 20x16 (15.7 M edges) that is 1.4 G words (the
// shorter of the two each time), where lists alone are 4.4 G entries. Reading 5.7 GB from the second cache takes some 1.5 ms, and
// the instructions (8 for 64 bits of a row) 0.3 ms; 0.8 G of them are entries of lists, which cost more: so a warp goes through
// long ones without finding out whose its lanes' entries are (expected: 2 ms in all; came, on an H200: 2.1). Of the lists, 99.7 %
// of the entries are below rank 65,536, so that a root looks them up in a bitmap over the first hubs ranks in shared memory, and
// only the others in a hash table. A root of up to 32 neighbours is a warp's: each lane looks its neighbour up in the row of
// another one, 32 at a time; a larger one is a block's, whose warps AND the bitmap with rows, go through long lists one by one,
// and spread the entries of short ones evenly over their lanes.
#include "lists.cuh"

#define NO_ROW ~0ull
#define NOTHING ~0u

// Gives every rank its list, and a row to those below hubs for which it is shorter. counts: entries, 64-bit words of rows, in 8
// bytes each; then roots of up to 32 neighbours, which go to the front of roots, and larger ones, which go to its end.
KERNEL(triangle_lists, 256)(const u64 *offsets, const u32 *targets, const u32 *rank, const u32 *vertex, u32 ranks, u32 hubs, u64 *start, u32 *size,
                            u32 *list, u64 *row, u32 *roots, u64 *counts) {
  u32 lane = lane_id();
  for (u32 r = block_id() * 8 + warp_id(); r < ranks; r += grid_size() * 8) {
    u32 v = once(vertex + r), d = 0;
    u64 begin = once(offsets + v), end = once(offsets + v + 1);
    for (u64 i = begin; i < end; i += 32) {
      u32 w = i + lane < end ? once(rank + once(targets + i + lane)) : NOTHING;
      d += popcount(ballot(ALL, w < r));
    }
    u64 at = 0;
    if (lane == 0) {
      if (d) at = add(&counts[0], (u64)d);
      start[r] = at;
      size[r] = d;
      u32 words = (r + 63) >> 6;
      if (r < hubs) row[r] = 2 * words < d ? add(&counts[1], (u64)words) : NO_ROW;
      u32 *ends = (u32 *)(counts + 2);
      if (d > 32) roots[ranks - 1 - add(&ends[1], 1)] = r;
      else if (d > 1) roots[add(&ends[0], 1)] = r;
    }
    at = shuffle64(ALL, at, 0);
    for (u64 i = begin; d && i < end; i += 32) {
      u32 w = i + lane < end ? once(rank + once(targets + i + lane)) : NOTHING, before = ballot(ALL, w < r);
      if (w < r) list[at + popcount(before & lanes_below())] = w;
      at += popcount(before);
    }
  }
}

// Sets the bits of the rows, which are 0 before.
KERNEL(triangle_rows, 256)(const u64 *start, const u32 *size, const u32 *list, const u64 *row, u32 hubs, u32 *rows) {
  for (u32 r = block_id() * 8 + warp_id(); r < hubs; r += grid_size() * 8) {
    u64 at = once(row + r), from = once(start + r);
    if (at == NO_ROW) continue;
    for (u32 i = lane_id(), d = once(size + r); i < d; i += 32) {
      u32 w = once(list + from + i);
      either(rows + 2 * at + (w >> 5), 1u << (w & 31));
    }
  }
}

// A set of ranks, in a table of a power of two slots of which at most half are taken.
DEV u32 slot_of(u32 w, u32 slots) { return (w * 0x9e3779b1u >> 7) & (slots - 1); }

DEV void insert(u32 *table, u32 slots, u32 w) {
  u32 at = slot_of(w, slots);
  while (swap_if(table + at, NOTHING, w) != NOTHING) at = (at + 1) & (slots - 1);
}

DEV bool in_table(const u32 *table, u32 slots, u32 w) {
  for (u32 at = slot_of(w, slots);; at = (at + 1) & (slots - 1)) {
    u32 x = table[at];
    if (x == w) return true;
    if (x == NOTHING) return false;
  }
}


DEV u32 bit(const u32 *bits, u32 i) { return bits[i >> 5] >> (i & 31) & 1; }

#define WARP_SLOTS 256 // of a warp's table: few are taken, so that a look-up is one step

DEV void clear_table(u32 *table) {
  for (u32 i = lane_id(); i < WARP_SLOTS; i += 32) table[i] = NOTHING;
}

KERNEL(triangles_warp, 128)(const u64 *start, const u32 *size, const u32 *list, const u64 *row, const u64 *rows, const u32 *vertex, const u32 *roots,
                            u32 first, u32 last, u32 part, u32 parts, u32 withRow, u32 *next, const u32 *stop, u64 *total, u64 *by) {
  SHARED(u32, tables, 4 * WARP_SLOTS);
  u32 *table = tables + warp_id() * WARP_SLOTS, lane = lane_id();
  clear_table(table);
  sync_warp(ALL);
  u64 found = 0;
  for (;;) {
    u32 at = next_item(stop, next, first, last);
    if (at == ~0u) break;
    u32 u = once(roots + at), d = once(size + u), w = NOTHING, n = 0, own = 0;
    if (u % parts != part) continue;
    u64 base = once(start + u), from = 0, mine = NO_ROW;
    if (lane < d) {
      w = once(list + base + lane);
      if (w < withRow) mine = once(row + w);
      if (mine == NO_ROW) from = once(start + w), n = once(size + w);
    }
    for (u32 left = ballot(ALL, mine != NO_ROW); left; left &= left - 1) {
      u32 o = lowest(left), v = shuffle(ALL, w, o);
      u64 bits = shuffle64(ALL, mine, o);
      if (w >= v || !(once(rows + bits + (w >> 6)) >> (w & 63) & 1)) continue;
      own++;
      if (by) add(&by[once(vertex + v)], (u64)1), add(&by[once(vertex + w)], (u64)1);
    }
    if (ballot(ALL, n)) {
      if (w != NOTHING) insert(table, WARP_SLOTS, w);
      sync_warp(ALL);
      for (u32 left = ballot(ALL, n >= 32); left; left &= left - 1) { // long lists one by one
        u32 o = lowest(left), v = shuffle(ALL, w, o), length = shuffle(ALL, n, o);
        const u32 *there = list + shuffle64(ALL, from, o);
        for (u32 k = lane; k < length; k += 64) { // two loads at a time are under way
          u32 y = once(there + k), z = k + 32 < length ? once(there + k + 32) : NOTHING;
          bool first = in_table(table, WARP_SLOTS, y), second = z != NOTHING && in_table(table, WARP_SLOTS, z);
          own += first + second;
          if (!by) continue;
          if (first) add(&by[once(vertex + v)], (u64)1), add(&by[once(vertex + y)], (u64)1);
          if (second) add(&by[once(vertex + v)], (u64)1), add(&by[once(vertex + z)], (u64)1);
        }
      }
      u32 all, prefix = warp_prefix(n < 32 ? n : 0, &all);
      for (u32 x0 = 0; x0 < all; x0 += 32) { // short ones spread over the lanes
        u32 x = x0 + lane, o = owner_of(prefix, x < all ? x : all - 1), v = shuffle(ALL, w, o), below = shuffle(ALL, prefix, o);
        u64 begin = shuffle64(ALL, from, o);
        if (x >= all) continue;
        u32 y = once(list + begin + (x - below));
        if (!in_table(table, WARP_SLOTS, y)) continue;
        own++;
        if (by) add(&by[once(vertex + v)], (u64)1), add(&by[once(vertex + y)], (u64)1);
      }
      sync_warp(ALL);
      clear_table(table);
      sync_warp(ALL);
    }
    found += own;
    if (by && (own = warp_sum(own)) && lane == 0) add(&by[once(vertex + u)], (u64)own);
  }
  found = warp_sum64(found);
  if (lane == 0 && found) add(total, found);
}

// Counts a triangle at its lowest rank: most are at the first few, whose counts a block keeps in shared memory.
DEV void count_at(u32 w, u32 *counters, u32 tops, const u32 *vertex, u64 *by) {
  if (w < tops) add(counters + w, 1);
  else add(&by[once(vertex + w)], (u64)1);
}

// The bitmap is of the ranks below hubs, rows are of those below withRow, which is at most that. slots is a power of two: the table's,
// behind the bitmap. Behind that are counters for the ranks below tops. A root adds at most its neighbours to one of them: they are
// added to by after at most most neighbours and those of the root at hand, which has to be less than 2^32.
KERNEL(triangles_block, 256)(const u64 *start, const u32 *size, const u32 *list, const u64 *row, const u64 *rows, const u32 *vertex, const u32 *roots,
                             u32 first, u32 last, u32 part, u32 parts, u32 hubs, u32 withRow, u32 slots, u32 tops, u32 most, u32 *next, const u32 *stop, u64 *total,
                             u64 *by) {
  DYNAMIC(u32, bits);
  SHARED(u32, taken, 1);
  u32 *table = bits + (hubs >> 5), *counters = table + slots, lane = lane_id(), warps = block_size() >> 5, counted = 0;
  for (u32 i = thread_id(); i < tops; i += block_size()) counters[i] = 0;
  for (u32 i = thread_id(); i < (hubs >> 5) + slots; i += block_size()) bits[i] = i < hubs >> 5 ? 0 : NOTHING;
  u64 found = 0;
  for (;;) {
    if (thread_id() == 0) taken[0] = read(stop) ? ~0u : first + add(next, 1);
    sync_block();
    u32 at = taken[0];
    sync_block();
    if (tops && (at >= last || counted > most)) {
      for (u32 i = thread_id(); i < tops; i += block_size()) {
        if (counters[i]) add(&by[once(vertex + i)], (u64)counters[i]);
        counters[i] = 0;
      }
      counted = 0;
      sync_block();
    }
    if (at >= last) break;
    u32 u = once(roots + at), d = u % parts == part ? once(size + u) : 0;
    u64 base = once(start + u), own = 0;
    counted += d;
    for (u32 i = thread_id(); i < d; i += block_size()) {
      u32 w = once(list + base + i);
      if (w < hubs) either(&bits[w >> 5], 1u << (w & 31));
    }
    // What is not in the bitmap goes to the table, a slice of the list at a time.
    for (u32 slice = 0; slice < d; slice += slots >> 1) {
      for (u32 i = slice + thread_id(); u >= hubs && i < d && i < slice + (slots >> 1); i += block_size()) {
        u32 w = once(list + base + i);
        if (w >= hubs) insert(table, slots, w);
      }
      sync_block();
      for (u32 i0 = 0; i0 < d; i0 += block_size()) {
        u32 i = i0 + lane * warps + warp_id(), v = NOTHING, n = 0;
        u64 from = 0, mine = NO_ROW;
        if (i < d) v = once(list + base + i);
        if (v < withRow && !slice) mine = once(row + v);
        if (v != NOTHING && mine == NO_ROW && (v >= hubs || !slice)) from = once(start + v), n = once(size + v);
        for (u32 left = ballot(ALL, mine != NO_ROW); left; left &= left - 1) {
          u32 o = lowest(left), middle = shuffle(ALL, v, o), words = (middle + 63) >> 6;
          const u64 *there = rows + shuffle64(ALL, mine, o), *here = (const u64 *)bits;
          u32 shared = 0;
          if (!by) { // four loads at a time are under way
            for (u32 k = lane; k < words; k += 128) {
              u64 a = once(there + k), b = 0, c = 0, d = 0;
              if (k + 32 < words) b = once(there + k + 32) & here[k + 32];
              if (k + 64 < words) c = once(there + k + 64) & here[k + 64];
              if (k + 96 < words) d = once(there + k + 96) & here[k + 96];
              shared += popcount(a & here[k]) + popcount(b) + popcount(c) + popcount(d);
            }
          } else {
            for (u32 k = lane; k < words; k += 32) {
              u64 both = once(there + k) & here[k];
              shared += popcount(both);
              for (; both; both &= both - 1) count_at(64 * k + __builtin_ctzll(both), counters, tops, vertex, by);
            }
          }
          own += shared;
          if (by && (shared = warp_sum(shared)) && lane == 0) add(&by[once(vertex + middle)], (u64)shared);
        }
        for (u32 left = ballot(ALL, n >= 32); left; left &= left - 1) { // long lists one by one
          u32 o = lowest(left), middle = shuffle(ALL, v, o), length = shuffle(ALL, n, o), shared = 0;
          const u32 *there = list + shuffle64(ALL, from, o);
          if (middle < hubs && !by) { // so are all entries; four loads at a time are under way
            for (u32 k = lane; k < length; k += 128) {
              u32 a = once(there + k), b = k + 32 < length ? once(there + k + 32) : NOTHING, c = k + 64 < length ? once(there + k + 64) : NOTHING,
                  e = k + 96 < length ? once(there + k + 96) : NOTHING;
              shared += bit(bits, a);
              if (b != NOTHING) shared += bit(bits, b);
              if (c != NOTHING) shared += bit(bits, c);
              if (e != NOTHING) shared += bit(bits, e);
            }
          } else {
            for (u32 k = lane; k < length; k += 32) {
              u32 y = once(there + k);
              if (y < hubs ? slice || !bit(bits, y) : !in_table(table, slots, y)) continue;
              shared++;
              if (by) count_at(y, counters, tops, vertex, by);
            }
          }
          own += shared;
          if (by && (shared = warp_sum(shared)) && lane == 0) add(&by[once(vertex + middle)], (u64)shared);
        }
        u32 all, prefix = warp_prefix(n < 32 ? n : 0, &all);
        for (u32 x0 = 0; x0 < all; x0 += 32) { // short ones spread over the lanes
          u32 x = x0 + lane, o = owner_of(prefix, x < all ? x : all - 1), middle = shuffle(ALL, v, o), below = shuffle(ALL, prefix, o);
          u64 begin = shuffle64(ALL, from, o);
          if (x >= all) continue;
          u32 y = once(list + begin + (x - below));
          if (y < hubs ? slice || !bit(bits, y) : !in_table(table, slots, y)) continue;
          own++;
          if (by) add(&by[once(vertex + middle)], (u64)1), count_at(y, counters, tops, vertex, by);
        }
      }
      sync_block();
      if (u < hubs) break;
      for (u32 i = thread_id(); i < slots; i += block_size()) table[i] = NOTHING;
      sync_block();
    }
    for (u32 i = thread_id(); i < hubs >> 5 && i <= u >> 5; i += block_size()) bits[i] = 0;
    found += own;
    if (by && (own = warp_sum64(own)) && lane == 0) add(&by[once(vertex + u)], own);
  }
  found = warp_sum64(found);
  if (lane == 0 && found) add(total, found);
}
