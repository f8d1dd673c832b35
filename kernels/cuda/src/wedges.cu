// Cycles of four by ordered wedges.
//
// Input: adjacency in CSR form of a simple undirected graph, rows sorted, whose vertices are numbered by falling degree: any order is
// right. A wedge leads from a top u by v to w, where v and w have higher numbers than u. A pair of wedges from u to one w is a cycle of four, found at its
// lowest number. order lists the tops by falling numbers of wedges.
//
// What makes it fast: v and w lie behind u, so that a long list is read for few tops (Chiba and Nishizeki 1985). A block has a
// top of many wedges: it counts those that end at each w by atomic additions, whose old values add up to the pairs. Numbers right
// behind the top, which most wedges end at, have their counters in shared memory, the others in the block's own piece of global
// memory. Warps take lists 32 at a time, and spread the short ones over their lanes. The counters are taken down again
// along the same lists, so that nothing else is touched. A warp has a top of few wedges, with a hash table in shared memory.
#include "lists.cuh"

#define NOTHING 0xffffffffu
#define LONG_LIST 32 // shorter lists share the lanes of a warp
#define FEW 256      // a warp's top has fewer wedges, in a table
#define SLOTS 512    // of so many slots at most

// Keeps the compiler from making one addition, to an address of any kind, of two: those to shared memory are much faster.
#if defined(MOTIF_SIMT)
#define APART
#else
#define APART asm volatile("")
#endif

// load[u] += the wedges from the top u; it is 0 before.
KERNEL(wedge_loads, 256)(const u64 *offsets, u32 n, const u32 *targets, u64 *load) {
  u64 all = once(offsets + n), from = ((u64)block_id() * (block_size() >> 5) + warp_id()) * PART, end = from + PART < all ? from + PART : all;
  u32 lane = lane_id();
  each_edge(offsets, n, from, end, [&](bool some, u64 entry, u32 row) {
    u64 wedges = 0;
    if (some) {
      u32 v = once(targets + entry);
      u64 begin = once(offsets + v);
      u32 d = (u32)(once(offsets + v + 1) - begin);
      if (v > row) wedges = d - below(targets + begin, d, row) - 1; // the top itself is in the list
    } else {
      row = ~0u;
    }
    for (u32 by = 1; by < 32; by <<= 1) {
      u64 other = shuffle_up64(wedges, by);
      u32 of = shuffle_up(ALL, row, by);
      if (lane >= by && of == row) wedges += other;
    }
    u32 up = shuffle_up(ALL, row, 1), heads = ballot(ALL, lane == 0 || up != row);
    bool last = lane == 31 || heads >> (lane + 1) & 1;
    if (some && last && wedges) add(load + row, wedges);
  });
}

// behind[u] = how many neighbours have higher numbers than u.
KERNEL(wedge_behind, 256)(const u64 *offsets, u32 n, const u32 *targets, u64 *behind) {
  for (u32 u = block_id() * block_size() + thread_id(); u < n; u += grid_size() * block_size()) {
    u64 begin = once(offsets + u);
    u32 d = (u32)(once(offsets + u + 1) - begin);
    behind[u] = d - below(targets + begin, d, u);
  }
}

// Calls f with the ends of the wedges from u by the 32 neighbours from base on, as far as they lie before end. All lanes of the warp call it,
// but f is called by lanes alone.
template <class F> DEV void ends_of(const u64 *offsets, const u32 *targets, u32 u, u64 base, u64 end, F f) {
  u32 lane = lane_id(), n = 0;
  u64 at = 0;
  if (base + lane < end) {
    u32 v = once(targets + base + lane);
    at = once(offsets + v);
    u32 d = (u32)(once(offsets + v + 1) - at), skipped = below(targets + at, d, u) + 1;
    at += skipped, n = d - skipped;
  }
  for (u32 left = ballot(ALL, n >= LONG_LIST); left; left &= left - 1) {
    u32 o = lowest(left), many = shuffle(ALL, n, o);
    const u32 *list = targets + shuffle64(ALL, at, o);
    for (u32 k = lane; k < many; k += 128) { // four loads at a time are under way
      u32 w[4];
      for (u32 i = 0; i < 4; i++) w[i] = k + 32 * i < many ? once(list + k + 32 * i) : NOTHING;
      for (u32 i = 0; i < 4; i++)
        if (w[i] != NOTHING) f(w[i]);
    }
  }
  u32 all, prefix = warp_prefix(n < LONG_LIST ? n : 0, &all);
  for (u32 x0 = 0; x0 < all; x0 += 32) {
    u32 x = x0 + lane, o = owner_of(prefix, x < all ? x : all - 1), first = shuffle(ALL, prefix, o);
    u64 begin = shuffle64(ALL, at, o);
    if (x < all) f(once(targets + begin + (x - first)));
  }
}

// The neighbours of u behind it, from the entry returned up to end.
DEV u64 behind_of(const u64 *offsets, const u32 *targets, u32 u, u64 *end) {
  u64 begin = once(offsets + u);
  *end = once(offsets + u + 1);
  return begin + below(targets + begin, (u32)(*end - begin), u);
}

// The lanes' numbers of pairs go to the total.
DEV void tell(u64 *pairs, u64 low, u64 high) {
  if (!ballot(ALL, high || low >> 58)) {
    low = warp_sum64(low);
    if (lane_id()) low = 0;
  }
  add_wide(pairs, low);
  if (high) add(pairs + 1, high);
}

// Pairs of wedges at every step-th top of order from first on, before last: room counters of a block are in shared memory, one for each vertex in far.
KERNEL(wedge_tops, 1024)(const u64 *offsets, u32 n, const u32 *targets, const u32 *order, u32 first, u32 last, u32 step, u32 *next, const u32 *stop,
                         u32 room, u32 *far, u64 *pairs) {
  DYNAMIC(u32, near);
  SHARED(u32, item, 1);
  SHARED(u32, turn, 2); // lists taken, to count and to clear
  u64 low = 0, high = 0;
  u32 *own = far + (u64)block_id() * n;
  for (u32 i = thread_id(); i < room; i += block_size()) near[i] = 0;
  for (;;) {
    sync_block();
    if (thread_id() == 0) {
      u64 at = read(stop) ? last : first + (u64)add(next, 1) * step;
      item[0] = at < last ? (u32)at : NOTHING, turn[0] = turn[1] = 0;
    }
    sync_block();
    if (item[0] == NOTHING) break;
    u32 u = once(order + item[0]);
    u64 end, from = behind_of(offsets, targets, u, &end), sum = 0;
    for (u32 clears = 0; clears < 2; clears++) {
      for (;;) {
        u64 base = from + 32 * (u64)warp_take(&turn[clears], 1);
        u32 told = lane_id() ? 0 : read(stop);
        if (base >= end) break;
        if (clears) {
          ends_of(offsets, targets, u, base, end, [&](u32 w) {
            u32 at = w - u - 1;
            if (at < room) {
              add(near + at, ~0u);
              APART;
            } else {
              add(own + w, ~0u);
            }
          });
        } else {
          ends_of(offsets, targets, u, base, end, [&](u32 w) {
            u32 at = w - u - 1, was;
            if (at < room) {
              was = add(near + at, 1);
              APART;
            } else {
              was = add(own + w, 1);
            }
            sum += was;
          });
        }
        if (shuffle(ALL, told, 0)) break;
      }
      sync_block();
    }
    low += sum;
    high += low < sum;
  }
  tell(pairs, low, high);
}

// The same for tops of few wedges, of which load says how many.
KERNEL(wedge_few, 256)(const u64 *offsets, const u32 *targets, const u32 *order, const u64 *load, u32 first, u32 last, u32 *next, const u32 *stop,
                       u64 *pairs) {
  SHARED(u32, keys, 8 * SLOTS);
  SHARED(u32, counts, 8 * SLOTS);
  u32 *key = keys + warp_id() * SLOTS, *count = counts + warp_id() * SLOTS;
  u64 low = 0;
  for (u32 i = lane_id(); i < SLOTS; i += 32) key[i] = NOTHING, count[i] = 0;
  sync_warp(ALL);
  for (;;) {
    u32 at = next_item(stop, next, first, last);
    if (at == ~0u) break;
    u32 u = once(order + at), wedges = (u32)once(load + u), bits = wedges > 16 ? 33 - __builtin_clz(wedges - 1) : 5; // twice as many slots
    u64 end, from = behind_of(offsets, targets, u, &end);
    for (u64 base = from; base < end; base += 32)
      ends_of(offsets, targets, u, base, end, [&](u32 w) {
        for (u32 h = w * 0x9E3779B1u >> (32 - bits);; h = (h + 1) & ((1u << bits) - 1)) {
          u32 was = swap_if(key + h, NOTHING, w);
          if (was != NOTHING && was != w) continue;
          low += add(count + h, 1);
          break;
        }
      });
    sync_warp(ALL);
    for (u32 i = lane_id(); i < 1u << bits; i += 32) key[i] = NOTHING, count[i] = 0;
    sync_warp(ALL);
  }
  tell(pairs, low, 0);
}

// The keys by which entries of rows are sorted by rank: the ranks of their targets,
KERNEL(wedge_targets, 256)(const u32 *targets, u64 entries, const u32 *rank, u32 *keys) {
  for (u64 e = (u64)block_id() * block_size() + thread_id(); e < entries; e += (u64)grid_size() * block_size()) keys[e] = once(rank + once(targets + e));
}

// and then those of the vertices that have the rows: order is that of the targets. size[r] = how many neighbours the vertex of rank r has.
KERNEL(wedge_rows, 256)(const u64 *offsets, u32 n, const u32 *order, u64 entries, const u32 *source, const u32 *vertex, const u32 *rank, u32 *keys, u32 *size) {
  u64 at = (u64)block_id() * block_size() + thread_id(), step = (u64)grid_size() * block_size();
  for (u64 e = at; e < entries; e += step) keys[e] = once(rank + once(source + once(order + e)));
  for (u64 r = at; r < n; r += step) {
    u32 v = once(vertex + r);
    size[r] = (u32)(once(offsets + v + 1) - once(offsets + v));
  }
}
