// k-cliques one by one, as KCMiner looks for them: for where sets of candidates are too sparse for pivots to
// pay, and to measure its techniques apart.
//
// Input: the oriented graph in CSR form, out lists sorted by rank. k is at least 3. An edge u -> v is a task: the vertices that
// both have edges to are its candidates, of which a clique needs k - 2. Edges are numbered by their place in targets; a launch has
// those from base on. size_classes sorts them by their candidates; a class's launch takes its list's items at every step-th place.
//
// What makes it fast: the graph among the candidates becomes a bitmap of later neighbours, and choosing a vertex an AND of words.
// Candidates are dealt to lanes from a queue without holes. From there on, lanes do not search alone, where some would soon
// have nothing left: all look at the same bit of the sets they have, those that have it put (lane, bit) into a ring of 64 slots, and as
// soon as it holds 32, every lane takes one and goes a level down. So all but the last launch of a level have work for all lanes, and
// lanes that look at the same bit load the same row. A bitmap that would be sparse (ones <= lambda * size^2) is not
// searched: each of its rows gives a smaller, denser one a level deeper. Sets of 32 fit a word, in shared memory; of up
// to 1,024 are a warp's; the bitmap of a larger one is built by a block, whose warps take its branches.
#include "lists.cuh"

enum : u32 { KC_QUEUE = 1, KC_LEVEL3 = 2, KC_LEVEL4 = 4, KC_LEVEL5 = 8, KC_SMALL = 16, KC_WARP = 32, KC_BLOCK = 64 };

// The counters behind the total: launches from the rings at levels 3, 4 and from 5 on, lanes with work in them and what they
// could have been, tasks dealt from a queue, bitmaps searched at level 2, 3 and deeper.
enum : u32 { LAUNCHES = 3, ACTIVE = 6, SLOTS, QUEUED, BITMAPS, COUNTERS = BITMAPS + 3 };

struct Counted {
  const u32 *stop;
  u32 steps;
  bool stopped; // the host wants no more
  u64 found;
  u64 launches[3], active, slots, queued, bitmaps[3];
};

DEV void tell(const Counted &c, u64 *total) {
  u64 found = warp_sum64(c.found), active = warp_sum64(c.active);
  if (lane_id()) return;
  add_wide(total, found);
  for (u32 i = 0; i < 3; i++) add(&total[LAUNCHES + i], c.launches[i]), add(&total[BITMAPS + i], c.bitmaps[i]);
  add(&total[ACTIVE], active);
  add(&total[SLOTS], c.slots);
  add(&total[QUEUED], c.queued);
}

// Now and then, whether the host wants no more: all lanes get the same answer.
DEV bool halted(Counted &c) {
  if ((++c.steps & 255) == 0) c.stopped = shuffle(ALL, lane_id() ? 0 : read(c.stop), 0) != 0;
  return c.stopped;
}

// A graph: rows of later neighbours.
struct Rows {
  u32 *row;
  u32 n, words;
};

// A warp's memory. most is the largest number of candidates.
struct Room {
  u32 *list, *queue, *set, *cur, *ring, *bitmaps; // cur: [level][word][lane]; ring: [level][64]; bitmaps: three, with a list each
  u32 most, words;
};

DEV u32 room_words(u32 most, u32 levels) {
  u32 words = (most + 31) >> 5;
  return 2 * most + words + levels * (32 * words + 64) + 3 * (most * words + most);
}

DEV Room room_at(u32 *at, u32 most, u32 levels) {
  u32 words = (most + 31) >> 5;
  Room r = {at, at + most, at + 2 * most, 0, 0, 0, most, words};
  r.cur = r.set + words;
  r.ring = r.cur + levels * 32 * words;
  r.bitmaps = r.ring + levels * 64;
  return r;
}

DEV u32 warp_most(u32 x) {
  for (u32 by = 16; by; by >>= 1) {
    u32 other = shuffle_xor(ALL, x, by);
    if (other > x) x = other;
  }
  return x;
}

// One lane's search below its own set, without the others: what the rings are compared with. need is at least 2.
DEV void walk(const Rows &g, u32 *cur, u32 plane, u32 need, Counted &c) {
  u32 lane = lane_id(), depth = 0, steps = 0;
  for (;;) {
    u32 *set = cur + depth * plane + lane, w = 0, word = 0;
    while (w < g.words && !(word = set[w * 32])) w++;
    if (w == g.words) {
      if (depth == 0) break;
      depth--;
      continue;
    }
    set[w * 32] = word & (word - 1);
    const u32 *row = g.row + (w * 32 + lowest(word)) * g.words;
    if ((++steps & 4095) == 0 && read(c.stop)) {
      c.stopped = true;
      break;
    }
    if (need - depth == 2) {
      u32 n = 0;
      for (u32 v = w; v < g.words; v++) n += popcount(set[v * 32] & row[v]);
      c.found += n;
    } else {
      depth++;
      for (u32 v = 0; v < g.words; v++) set[plane + v * 32] = v < w ? 0 : set[v * 32] & row[v];
    }
  }
  sync_warp(ALL);
  c.active += steps;
  c.slots += 32 * warp_most(steps);
  c.stopped = ballot(ALL, c.stopped) != 0;
}

// Every lane has a set at level 0 of cur: counts the cliques of need vertices, at least 2, in each. Levels' states are kept by lanes.
DEV void schedule(const Rows &g, const Room &r, u32 need, u32 use, Counted &c) {
  u32 lane = lane_id(), level = 0, at = 0, head = 0, tail = 0, kept_at = 0, kept_head = 0, kept_tail = 0;
  u32 plane = 32 * r.words;
  for (;;) {
    u32 *cur = r.cur + level * plane, *ring = r.ring + level * 64;
    if (halted(c)) return;
    if (at == 0 && !(use & (level == 0 ? KC_LEVEL3 : level == 1 ? KC_LEVEL4 : KC_LEVEL5))) {
      sync_warp(ALL);
      walk(g, cur, plane, need - level, c);
      at = g.n;
    }
    while (tail - head < 32 && at < g.n) { // fill the ring
      u32 word = cur[(at >> 5) * 32 + lane];
      if (!ballot(ALL, word >> (at & 31) != 0)) {
        at = (at | 31) + 1;
        continue;
      }
      do {
        u32 who = ballot(ALL, word >> (at & 31) & 1);
        if (word >> (at & 31) & 1) ring[(tail + popcount(who & lanes_below())) & 63] = lane << 16 | at;
        tail += popcount(who);
        at++;
      } while (tail - head < 32 && at & 31 && at < g.n);
    }
    sync_warp(ALL);
    u32 n = tail - head < 32 ? tail - head : 32;
    if (n == 0) { // the level is done
      if (level == 0) return;
      level--;
      at = shuffle(ALL, kept_at, level), head = shuffle(ALL, kept_head, level), tail = shuffle(ALL, kept_tail, level);
      continue;
    }
    bool mine = lane < n;
    u32 task = mine ? ring[(head + lane) & 63] : 0, from = task >> 16, i = task & 0xffff;
    head += n;
    c.launches[level < 2 ? level : 2]++;
    c.active += mine, c.slots += 32;
    const u32 *row = g.row + i * g.words;
    if (need - level == 2) {
      u32 found = 0;
      if (mine)
        for (u32 w = i >> 5; w < g.words; w++) found += popcount(cur[w * 32 + from] & row[w]);
      c.found += found;
      sync_warp(ALL);
      continue;
    }
    for (u32 w = 0; w < g.words; w++) cur[plane + w * 32 + lane] = mine && w >= i >> 5 ? cur[w * 32 + from] & row[w] : 0;
    if (lane == level) kept_at = at, kept_head = head, kept_tail = tail;
    level++;
    at = head = tail = 0;
    sync_warp(ALL);
  }
}

// Counts the cliques of need vertices among those of set, of which there are some; the set is in r.set.
DEV void search(const Rows &g, const Room &r, u32 need, u32 use, Counted &c) {
  u32 lane = lane_id();
  u32 n = use & KC_QUEUE ? list_set(r.queue, r.set, g.words) : g.n;
  if (use & KC_QUEUE) c.queued += n;
  sync_warp(ALL);
  for (u32 base = 0; base < n; base += 32) { // 32 tasks, the last ones perhaps empty
    u32 at = base + lane;
    bool task = at < n && (use & KC_QUEUE || r.set[at >> 5] >> (at & 31) & 1);
    u32 i = !task ? 0 : use & KC_QUEUE ? r.queue[at] : at;
    const u32 *row = g.row + i * g.words;
    if (need <= 2) {
      if (task && need == 1) c.found++;
      if (task && need == 2)
        for (u32 w = i >> 5; w < g.words; w++) c.found += popcount(r.set[w] & row[w]);
      continue;
    }
    for (u32 w = 0; w < g.words; w++) r.cur[w * 32 + lane] = task && w >= i >> 5 ? r.set[w] & row[w] : 0;
    sync_warp(ALL);
    schedule(g, r, need - 1, use, c);
    sync_warp(ALL);
  }
}

// Sets r.set to all of g.
DEV void all_of(const Rows &g, const Room &r) {
  sync_warp(ALL);
  for (u32 w = lane_id(); w < g.words; w += 32) r.set[w] = w + 1 < g.words || g.n % 32 == 0 ? ~0u : ~0u >> (32 - g.n % 32);
  sync_warp(ALL);
}

// The ones of a bitmap, by a warp.
DEV u32 ones_of(const Rows &g) {
  u32 ones = 0;
  for (u32 w = lane_id(); w < g.n * g.words; w += 32) ones += popcount(g.row[w]);
  return warp_sum(ones);
}

// The graph among the later neighbours of vertex i of g, in the room's bitmap of a depth: 1 or 2.
DEV Rows below(const Rows &g, const Room &r, u32 i, u32 depth) {
  u32 lane = lane_id(), *list = r.bitmaps + depth * (r.most * r.words + r.most);
  u32 n = list_set(list, g.row + i * g.words, g.words);
  Rows b = {list + r.most, n, (n + 31) >> 5};
  for (u32 a = 0; a < n; a++) {
    const u32 *row = g.row + list[a] * g.words;
    for (u32 w = 0; w < b.words; w++) {
      u32 j = w * 32 + lane, x = j < n ? list[j] : 0;
      u32 word = ballot(ALL, j < n && row[x >> 5] >> (x & 31) & 1);
      if (lane == 0) b.row[a * b.words + w] = word;
    }
  }
  sync_warp(ALL);
  return b;
}

// lambda holds, in ten-thousandths by level from 2 on, the sparsity up to which a bitmap is not searched.
DEV bool sparse(const Rows &g, const u32 *lambda, u32 depth) {
  u32 most = once(lambda + depth);
  return most && (u64)ones_of(g) * 10000 <= (u64)most * g.n * g.n;
}

// Counts the cliques of need vertices in a graph: on its bitmap, or on those of its rows.
template <u32 DEPTH> DEV void mine(const Rows &g, const Room &r, u32 need, const u32 *lambda, u32 use, Counted &c) {
  if (g.n < need) return;
  if constexpr (DEPTH < 2) {
    if (need >= 3 && sparse(g, lambda, DEPTH)) {
      for (u32 i = 0; i + 1 < g.n && !c.stopped; i++) mine<DEPTH + 1>(below(g, r, i, DEPTH + 1), r, need - 1, lambda, use, c);
      return;
    }
  }
  c.bitmaps[DEPTH]++;
  all_of(g, r);
  search(g, r, need, use, c);
}

// Row i of the bitmap of the candidates: which later ones it has edges to. By a warp.
DEV void build_row(const u64 *offsets, const u32 *targets, const u32 *hood, const Rows &g, u32 i) {
  u32 t = hood[i], lane = lane_id(), *row = g.row + i * g.words;
  u64 from = once(offsets + t);
  const u32 *list = targets + from;
  u32 n = (u32)(once(offsets + t + 1) - from);
  if (g.n - i <= 2 * n) {
    for (u32 w = 0; w < g.words; w++) {
      u32 j = w * 32 + lane;
      u32 word = ballot(ALL, j > i && j < g.n && place(list, n, hood[j]) < n);
      if (lane == 0) row[w] = word;
    }
    return;
  }
  for (u32 w = lane; w < g.words; w += 32) row[w] = 0;
  sync_warp(ALL);
  for (u32 e = lane; e < n; e += 32) {
    u32 x = once(list + e), lo = 0, hi = g.n;
    while (lo < hi) {
      u32 mid = (lo + hi) >> 1;
      if (hood[mid] < x) lo = mid + 1;
      else hi = mid;
    }
    if (lo < g.n && hood[lo] == x) either(&row[lo >> 5], 1u << (lo & 31));
  }
}

// Calls f with 32 entries of the shorter list of u and v at a time, and whether the other has the entry.
template <class F> DEV void common(const u64 *offsets, const u32 *targets, u32 u, u32 v, F f) {
  u64 a = once(offsets + u), b = once(offsets + v);
  u32 n = (u32)(once(offsets + u + 1) - a), m = (u32)(once(offsets + v + 1) - b), lane = lane_id();
  if (m < n) {
    u64 x = a;
    a = b, b = x;
    u32 y = n;
    n = m, m = y;
  }
  for (u32 base = 0; base < n; base += 32) {
    u32 x = base + lane < n ? once(targets + a + base + lane) : 0;
    f(x, base + lane < n && place(targets + b, m, x) < m);
  }
}

// Lists edges by class: up to 32 candidates, up to limit, more. counts has the length of each list, the largest number of candidates
// of each, and the counter of the items taken.
KERNEL(size_classes, 256)(const u64 *offsets, const u32 *targets, u32 vertices, u64 base, u32 edges, u32 part, u32 parts, u32 least,
                          u32 limit, u32 use, const u32 *stop, u32 *counts, u32 *small, u32 *middle, u32 *large) {
  u32 lane = lane_id();
  for (;;) {
    u32 at = next_item(stop, counts + 6, part, (edges + 31) / 32, parts);
    if (at == ~0u) return;
    u32 mine = 0;
    for (u32 i = 0; i < 32 && at * 32 + i < edges; i++) {
      u64 e = base + at * 32 + i;
      u32 n = 0;
      common(offsets, targets, source_of(offsets, vertices, e), once(targets + e), [&](u32, bool both) { n += popcount(ballot(ALL, both)); });
      if (lane == i) mine = n;
    }
    u32 kind = mine <= 32 && use & KC_SMALL ? 0 : mine > limit && use & KC_BLOCK || !(use & KC_WARP) ? 2 : 1;
    bool wanted = at * 32 + lane < edges && mine >= least;
    u32 *lists[3] = {small, middle, large};
    for (u32 k = 0; k < 3; k++) {
      enqueue(lists[k], counts + k, wanted && kind == k, at * 32 + lane);
      u32 most = warp_most(wanted && kind == k ? mine : 0);
      if (lane == 0 && most) largest(counts + 3 + k, most);
    }
  }
}

// Puts the candidates of an edge into the list; returns how many there are.
DEV u32 candidates(const u64 *offsets, const u32 *targets, u32 vertices, u64 edge, u32 *list) {
  u32 n = 0;
  sync_warp(ALL);
  common(offsets, targets, source_of(offsets, vertices, edge), once(targets + edge), [&](u32 x, bool both) {
    u32 who = ballot(ALL, both);
    if (both) list[n + popcount(who & lanes_below())] = x;
    n += popcount(who);
  });
  sync_warp(ALL);
  return n;
}

DEV u32 levels_of(u32 k) { return k > 4 ? k - 4 : 1; }

// A warp an edge; in shared memory where scratch is 0.
KERNEL(kcminer_warp, 256)(const u64 *offsets, const u32 *targets, u32 vertices, u64 base, const u32 *edges, u32 last,
                          u32 k, u32 most, const u32 *lambda, u32 use, u32 *next, const u32 *stop, u64 *total, u32 *scratch) {
  DYNAMIC(u32, memory);
  u32 words = room_words(most, levels_of(k));
  Room r = room_at(scratch ? scratch + (u64)(block_id() * (block_size() >> 5) + warp_id()) * words : memory + warp_id() * words, most, levels_of(k));
  Counted c = {};
  c.stop = stop;
  for (;;) {
    u32 at = next_item(stop, next, 0, last);
    if (at == ~0u) break;
    u32 n = candidates(offsets, targets, vertices, base + once(edges + at), r.list);
    Rows g = {r.bitmaps + most, n, (n + 31) >> 5};
    for (u32 i = 0; i < n; i++) build_row(offsets, targets, r.list, g, i);
    sync_warp(ALL);
    mine<0>(g, r, k - 2, lambda, use, c);
    sync_warp(ALL);
  }
  tell(c, total);
}

// A block an edge: all warps build the bitmap, then each takes branches.
KERNEL(kcminer_block, 256)(const u64 *offsets, const u32 *targets, u32 vertices, u64 base, const u32 *edges, u32 last,
                           u32 k, u32 most, const u32 *lambda, u32 use, u32 *next, const u32 *stop, u64 *total, u32 *scratch) {
  SHARED(u32, item, 1);
  SHARED(u32, size, 1);
  SHARED(u32, turn, 1);
  u32 words = room_words(most, levels_of(k)), row_words = (most + 31) >> 5, warps = block_size() >> 5;
  u32 *own = scratch + block_id() * ((u64)most * (row_words + 1) + (u64)warps * words), *list = own + (u64)most * row_words;
  Room r = room_at(list + most + (u64)warp_id() * words, most, levels_of(k));
  Counted c = {};
  c.stop = stop;
  for (;;) {
    if (warp_id() == 0) {
      u32 at = next_item(stop, next, 0, last);
      u32 n = at == ~0u ? 0 : candidates(offsets, targets, vertices, base + once(edges + at), list);
      if (lane_id() == 0) item[0] = at, size[0] = n, turn[0] = 0;
    }
    sync_block();
    if (item[0] == ~0u) break;
    u32 n = size[0];
    Rows g = {own, n, (n + 31) >> 5};
    for (u32 i = warp_id(); i < n; i += warps) build_row(offsets, targets, list, g, i);
    sync_block();
    bool deeper = k >= 5 && sparse(g, lambda, 0);
    if (!deeper && warp_id() == 0) c.bitmaps[0]++;
    for (;;) {
      u32 i = warp_take(&turn[0], 1);
      if (i >= n || halted(c)) break;
      if (deeper) {
        mine<1>(below(g, r, i, 1), r, k - 3, lambda, use, c);
        continue;
      }
      if (k == 3) {
        c.found += lane_id() == 0;
        continue;
      }
      sync_warp(ALL);
      for (u32 w = lane_id(); w < g.words; w += 32) r.set[w] = g.row[i * g.words + w];
      sync_warp(ALL);
      search(g, r, k - 3, use, c);
    }
    sync_block();
  }
  tell(c, total);
}
