// Lists of k-cliques, a page at a time.
//
// Input: the oriented graph in CSR form, out lists sorted by rank; id holds each rank's vertex. k is from 3 to 32. Edges are those at
// [base, base + edges) of targets; most is at least the number of vertices that both ends of one have edges to. Without out, the
// cliques of each edge, its two lowest vertices, are counted, which must fit 32 bits. With out, ranks holds the prefix sums of
// those counts, and the cliques numbered [from, to) are written, k vertices each in rising order.
//
// What makes it fast: where a clique goes is known before it is found, so that no warp waits for another, every page is full, and
// a list goes on wherever the last page ended without anything being kept. A warp goes through the tree of an edge, whose last
// level is written by all lanes: each has a last vertex of its own, and puts it in its place among the others, which are
// kept sorted, a lane each.
#include "lists.cuh"

struct Tree {
  u32 *list, *rows, *sets; // the candidates, the bitmap of their later neighbours, and the sets of each level
  u32 n, words;
};

// Fills the list with what u and v both have edges to, and the bitmap among those.
DEV void plant(const u64 *offsets, const u32 *targets, u32 u, u32 v, u32 least, Tree &t) {
  u32 lane = lane_id(), n = 0;
  u64 a = once(offsets + u), b = once(offsets + v);
  u32 size = (u32)(once(offsets + u + 1) - a), other = (u32)(once(offsets + v + 1) - b);
  sync_warp(ALL);
  for (u32 base = 0; base < other; base += 32) {
    u32 x = base + lane < other ? once(targets + b + base + lane) : 0;
    bool both = base + lane < other && place(targets + a, size, x) < size;
    u32 who = ballot(ALL, both);
    if (both) t.list[n + popcount(who & lanes_below())] = x;
    n += popcount(who);
  }
  sync_warp(ALL);
  t.n = n, t.words = (n + 31) >> 5;
  if (n < least) return;
  for (u32 i = 0; i < n; i++) {
    u64 from = once(offsets + t.list[i]);
    u32 length = (u32)(once(offsets + t.list[i] + 1) - from);
    for (u32 w = 0; w < t.words; w++) {
      u32 j = w * 32 + lane;
      u32 word = ballot(ALL, j > i && j < n && place(targets + from, length, t.list[j]) < length);
      if (lane == 0) t.rows[i * t.words + w] = word;
    }
  }
  for (u32 w = lane; w < t.words; w += 32) t.sets[w] = w + 1 < t.words || n % 32 == 0 ? ~0u : ~0u >> (32 - n % 32);
  sync_warp(ALL);
}

// Takes the lowest vertex out of a set; ~0 where it is empty.
DEV u32 take_lowest(u32 *set, u32 words) {
  for (u32 base = 0; base < words; base += 32) {
    u32 w = base + lane_id(), word = w < words ? set[w] : 0, some = ballot(ALL, word != 0);
    if (!some) continue;
    u32 owner = lowest(some), bits = shuffle(ALL, word, owner);
    if (lane_id() == owner) set[w] = bits & (bits - 1);
    return (base + owner) * 32 + lowest(bits);
  }
  return ~0u;
}

// The number of edges, or of vertices, in a set.
DEV u64 edges_in(const Tree &t, const u32 *set) {
  u32 found = 0;
  for (u32 w = 0; w < t.words; w++) {
    if (!(set[w] >> lane_id() & 1)) continue;
    const u32 *row = t.rows + (w * 32 + lane_id()) * t.words;
    for (u32 x = w; x < t.words; x++) found += popcount(set[x] & row[x]);
  }
  return warp_sum64(found);
}

DEV u64 vertices_in(const Tree &t, const u32 *set) {
  u32 found = 0;
  for (u32 w = lane_id(); w < t.words; w += 32) found += popcount(set[w]);
  return warp_sum(found);
}

// Vertices in rising order, a lane each.
struct Sorted {
  u32 mine, n;
};

DEV void insert(Sorted &s, u32 x) {
  u32 lane = lane_id(), at = popcount(ballot(ALL, lane < s.n && s.mine < x)), before = shuffle_up(ALL, s.mine, 1);
  if (lane == at) s.mine = x;
  if (lane > at) s.mine = before;
  s.n++;
}

DEV void erase(Sorted &s, u32 x) {
  u32 lane = lane_id(), at = lowest(ballot(ALL, lane < s.n && s.mine == x)), after = shuffle(ALL, s.mine, (lane + 1) & 31);
  if (lane >= at) s.mine = after;
  s.n--;
}

// A page: cliques numbered [from, to) go to out.
struct Page {
  u64 from, to;
  u32 *out;
  u32 k;
};

// Writes the cliques of the sorted vertices and one of the set, numbered from at on.
DEV void write(const Tree &t, const u32 *id, const u32 *set, const Sorted &s, u64 at, const Page &p) {
  for (u32 w = 0; w < t.words && at < p.to; w++) {
    u32 word = set[w], lane = lane_id();
    u64 number = at + popcount(word & lanes_below());
    bool mine = word >> lane & 1 && number >= p.from && number < p.to;
    at += popcount(word);
    if (!ballot(ALL, mine)) continue;
    u32 x = mine ? once(id + t.list[w * 32 + lane]) : 0, below = 0;
    u32 *to = p.out + (mine ? number - p.from : 0) * p.k;
    for (u32 i = 0; i < s.n; i++) {
      u32 y = shuffle(ALL, s.mine, i);
      below += y < x;
      if (mine) to[i + (y > x)] = y;
    }
    if (mine) to[below] = x;
  }
}

// Counts the cliques of an edge that need so many of the tree's vertices, or, with a page, writes those of the page; the first has
// number at.
DEV u64 go_through(const Tree &t, const u32 *id, u32 need, Sorted s, u64 at, const Page &p, const u32 *stop) {
  u32 depth = 0, chosen = 0, lane = lane_id(), steps = 0;
  u64 found = 0;
  for (;;) {
    u32 *set = t.sets + depth * t.words, left = need - depth;
    bool back = false;
    if (left == 1) {
      if (p.out) write(t, id, set, s, at + found, p);
      found += vertices_in(t, set);
      back = true;
    } else if (left == 2 && !p.out) {
      found += edges_in(t, set);
      back = true;
    } else if (p.out && at + found >= p.to) {
      return found;
    }
    if ((++steps & 255) == 0 && shuffle(ALL, lane ? 0 : read(stop), 0)) return found;
    for (bool down = false; !down;) {
      if (back) {
        if (depth == 0) return found;
        depth--;
        if (p.out) erase(s, shuffle(ALL, chosen, depth));
      }
      sync_warp(ALL);
      u32 *from = t.sets + depth * t.words;
      u32 v = take_lowest(from, t.words);
      sync_warp(ALL);
      back = v == ~0u;
      if (back) continue;
      const u32 *row = t.rows + v * t.words;
      u32 some = 0;
      for (u32 w = lane; w < t.words; w += 32) some += popcount(from[t.words + w] = from[w] & row[w]);
      sync_warp(ALL);
      if (warp_sum(some) + 1 < need - depth) continue;
      if (p.out) {
        u32 x = once(id + t.list[v]);
        insert(s, x);
        if (lane == depth) chosen = x;
      }
      depth++;
      down = true;
    }
  }
}

KERNEL(cliques_list, 256)(const u64 *offsets, const u32 *targets, const u32 *id, u32 vertices, u64 base, u32 edges, u32 k, u32 most,
                          const u32 *stop, u32 *next, u32 *counts, const u64 *ranks, u64 from, u64 to, u32 *out, u32 *scratch) {
  DYNAMIC(u32, memory);
  u32 lane = lane_id(), most_words = (most + 31) >> 5, room = most + most * most_words + (k - 2) * most_words;
  Tree t = {};
  t.list = scratch ? scratch + (u64)(block_id() * (block_size() >> 5) + warp_id()) * room : memory + warp_id() * room;
  t.rows = t.list + most;
  t.sets = t.rows + most * most_words;
  Page page = {from, to, out, k};
  for (;;) {
    u32 item = next_item(stop, next, 0, (edges + 31) / 32);
    if (item == ~0u) break;
    u32 e = item * 32 + lane;
    bool wanted = e < edges;
    if (out && wanted) wanted = once(ranks + e) < to && once(ranks + e + 1) > from && once(ranks + e) < once(ranks + e + 1);
    for (u32 who = ballot(ALL, wanted); who; who &= who - 1) {
      u32 at = item * 32 + lowest(who), u = source_of(offsets, vertices, base + at), v = once(targets + base + at);
      plant(offsets, targets, u, v, k - 2, t);
      u64 found = 0;
      if (t.n >= k - 2) {
        Sorted s = {};
        if (out) insert(s, once(id + u)), insert(s, once(id + v));
        found = go_through(t, id, k - 2, s, out ? once(ranks + at) : 0, page, stop);
      }
      if (!out && lane == 0) counts[at] = (u32)found;
      sync_warp(ALL);
    }
  }
}
