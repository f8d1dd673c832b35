// Composite signatures of all vertices, bit for bit those of package filter: buckets of unary counts of a vertex's neighbours by
// label, of the walks of two steps from it by pairs of labels, and of its triangles by pairs.
//
// Input: undirected adjacency in CSR form, rows sorted, each neighbour once, perhaps with the vertex itself; the class of every
// vertex (its set of labels), classes being ranges of vertices; and where each label, or pair of labels, is counted:
// the first bit of its bucket, of width bits, among a vertex's. At most 128 labels.
//
// What makes it fast: labels around a vertex are counted once, by runs of a class in its row, not one by one, in bytes that stop
// where no bucket can tell more; walks then go over a vertex's neighbours only, and end when all buckets are full. A
// triangle is found once, from its least vertex in an order by degree, and counted for all three. Vertices whose buckets are all full,
// as those of hubs soon are, take one look; so does a full bucket, for counting sets the lowest bit that is not set.
#include "lists.cuh"

#define MOST_LABELS 128
#define ENOUGH 16 // where counts by label may stop: the width of the widest bucket

// How many lanes from this one on, of equal keys in a row; 0 unless it is the first one of them.
DEV u32 run_from(u32 key) {
  u32 before = shuffle_up(ALL, key, 1), lane = lane_id();
  u32 heads = ballot(ALL, lane == 0 || before != key);
  if (!(heads >> lane & 1)) return 0;
  u32 later = lane == 31 ? 0 : heads & ~0u << (lane + 1);
  return (later ? lowest(later) : 32) - lane;
}

// Counts n more of every label of a class, at most 32 in a round of the warp: a byte stays below 48.
DEV void count_labels(u32 *count, const u32 *class_first, const u32 *class_labels, u32 cls, u32 n) {
  for (u32 i = once(class_first + cls), last = once(class_first + cls + 1); i < last; i++) {
    u32 l = once(class_labels + i), shift = l % 4 * 8;
    if ((read(count + l / 4) >> shift & 255) < ENOUGH) add(count + l / 4, n << shift);
  }
}

// Counts the labels around every vertex, the vertex itself left out: words of four bytes, one a label. Counts of ENOUGH and more
// may be anything from there on. Of rows of long_row entries and more, each class is counted by where it begins and ends.
KERNEL(sig_around, 128)(const u64 *offsets, const u32 *targets, u32 vertices, const u32 *class_of, const u32 *class_first,
                        const u32 *class_labels, const u32 *class_from, const u32 *class_to, u32 classes, u64 long_row, u32 words,
                        u32 *around, const u32 *stop) {
  SHARED(u32, all, 4 * MOST_LABELS / 4);
  u32 *count = all + warp_id() * (MOST_LABELS / 4), lane = lane_id(), warps = grid_size() * 4;
  for (u32 v = block_id() * 4 + warp_id(); v < vertices; v += warps) {
    if (ballot(ALL, read(stop))) break;
    if (lane < words) count[lane] = 0;
    sync_warp(ALL);
    u64 begin = once(offsets + v), end = once(offsets + v + 1);
    if (end - begin >= long_row) {
      const u32 *row = targets + begin;
      u32 size = (u32)(end - begin);
      for (u32 base = 0; base < classes; base += 32) {
        u32 cls = base + lane, n = 0;
        if (cls < classes) {
          u32 from = once(class_from + cls), to = once(class_to + cls), first = below(row, size, from);
          n = below(row + first, size - first, to);
          if (n && v >= from && v < to && place(row + first, n, v) < n) n--;
        }
        for (u32 who = ballot(ALL, n > 0); who; who &= who - 1) { // one after the other, for bytes to hold
          if (lane == lowest(who)) count_labels(count, class_first, class_labels, cls, n < ENOUGH ? n : ENOUGH);
          sync_warp(ALL);
        }
      }
      end = begin;
    }
    for (u64 e = begin; e < end; e += 32) {
      u32 x = e + lane < end ? once(targets + e + lane) : v;
      u32 cls = x == v ? ~0u : once(class_of + x), n = run_from(cls);
      if (n && cls != ~0u) count_labels(count, class_first, class_labels, cls, n);
    }
    sync_warp(ALL);
    if (lane < words) around[(u64)v * words + lane] = count[lane];
    sync_warp(ALL);
  }
}

// The quantity part: one or two words of 64 bits a vertex.
KERNEL(sig_quantity, 256)(u32 vertices, const u32 *around, u32 words, u32 labels, const u32 *position, u32 width, u32 parts, u64 *sig) {
  u64 mask = ((u64)1 << width) - 1;
  for (u32 v = block_id() * block_size() + thread_id(); v < vertices; v += grid_size() * block_size()) {
    u64 low = 0, high = 0;
    for (u32 l = 0; l < labels; l++) {
      u32 n = once(around + (u64)v * words + l / 4) >> l % 4 * 8 & 255;
      if (!n) continue;
      if (n > ENOUGH) n = ENOUGH;
      u32 at = once(position + l), shift = at & 63;
      u64 word = at < 64 ? low : high, more = ((word >> shift & mask) << n | (((u64)1 << n) - 1)) & mask;
      word |= more << shift;
      if (at < 64) low = word;
      else high = word;
    }
    sig[(u64)v * parts] = low;
    if (parts > 1) sig[(u64)v * parts + 1] = high;
  }
}

#define MOST_BUCKETS 128

DEV u64 warp_or(u64 v) {
  for (u32 by = 16; by; by >>= 1) v |= shuffle64(ALL, v, lane_id() ^ by);
  return v;
}

// The path part: of every walk v-x-y, y != v, the labels of x and y; bucket says where a pair is counted. own has a byte of 1 for each
// label of each class: what v itself adds around x. leave: of a class whose buckets are all full, the rest of a row is left out. left
// counts that.
KERNEL(sig_paths, 128)(const u64 *offsets, const u32 *targets, u32 vertices, const u32 *class_of, const u32 *class_first,
                       const u32 *class_labels, u32 words, u32 labels, const u32 *around, const u32 *own, const u32 *bucket, u32 buckets,
                       u32 width, u32 parts, const u32 *class_to, u32 leave, u64 *sig, u32 *left, const u32 *stop) {
  SHARED(u32, all, 4 * MOST_BUCKETS);
  u32 *count = all + warp_id() * MOST_BUCKETS, lane = lane_id(), warps = grid_size() * 4, ended = 0, per_word = 64 / width;
  for (u32 v = block_id() * 4 + warp_id(); v < vertices; v += warps) {
    if (ballot(ALL, read(stop))) break;
    for (u32 b = lane; b < buckets; b += 32) count[b] = 0;
    sync_warp(ALL);
    u64 end = once(offsets + v + 1);
    const u32 *mine = own + (u64)once(class_of + v) * words;
    for (u64 e = once(offsets + v); e < end;) {
      u32 x = e + lane < end ? once(targets + e + lane) : v, cls = once(class_of + x);
      u32 first = 0, last = 0;
      if (x != v) {
        first = once(class_first + cls), last = once(class_first + cls + 1);
      }
      for (u32 j = 0; first < last && j < words; j++) {
        u32 counts = once(around + (u64)x * words + j) - once(mine + j); // v is around x: no byte borrows
        for (u32 l = 4 * j; counts; l++, counts >>= 8)
          for (u32 i = first; (counts & 255) && i < last; i++) {
            u32 *at = count + once(bucket + once(class_labels + i) * labels + l);
            if (read(at) < width) add(at, counts & 255);
          }
      }
      e += 32;
      if (!leave || e >= end) continue;
      u32 now = shuffle(ALL, cls, 31); // there is likely more of it
      bool open = false;
      for (u32 i = once(class_first + now), behind = once(class_first + now + 1); i < behind; i++)
        for (u32 l = lane; l < labels; l += 32) open = open || read(count + once(bucket + once(class_labels + i) * labels + l)) < width;
      if (ballot(ALL, open)) continue;
      u32 rest = (u32)(end - e), more = below(targets + e, rest, once(class_to + now));
      e += more;
      ended += more > 0;
    }
    sync_warp(ALL);
    u64 low = 0, high = 0;
    for (u32 b = lane; b < buckets; b += 32) {
      u32 n = count[b] < width ? count[b] : width;
      u64 bits = (((u64)1 << n) - 1) << b % per_word * width;
      if (b < per_word) low |= bits;
      else high |= bits;
    }
    low = warp_or(low), high = warp_or(high);
    if (lane < parts) sig[(u64)v * parts + lane] = lane ? high : low;
    sync_warp(ALL);
  }
  if (lane == 0 && ended) add(left, ended);
}

// Whether an edge runs from v to w: towards the greater row, the greater number where they are equal.
DEV bool runs_up(const u64 *offsets, u32 v, u64 row, u32 w) {
  u64 other = once(offsets + w + 1) - once(offsets + w);
  return other > row || (other == row && w > v);
}

// How many edges run from each vertex.
KERNEL(sig_degrees, 256)(const u64 *offsets, const u32 *targets, u32 vertices, u32 *degree) {
  u32 lane = lane_id(), warps = grid_size() * (block_size() >> 5);
  for (u32 v = block_id() * (block_size() >> 5) + warp_id(); v < vertices; v += warps) {
    u64 begin = once(offsets + v), row = once(offsets + v + 1) - begin;
    u32 n = 0;
    for (u64 i = lane; i < row; i += 32) n += runs_up(offsets, v, row, once(targets + begin + i));
    n = warp_sum(n);
    if (lane == 0) degree[v] = n;
  }
}

// Lists them, in order, where up says.
KERNEL(sig_orient, 256)(const u64 *offsets, const u32 *targets, u32 vertices, const u64 *up, u32 *list) {
  u32 lane = lane_id(), warps = grid_size() * (block_size() >> 5);
  for (u32 v = block_id() * (block_size() >> 5) + warp_id(); v < vertices; v += warps) {
    u64 begin = once(offsets + v), row = once(offsets + v + 1) - begin, at = once(up + v);
    for (u64 i = 0; i < row; i += 32) {
      u32 w = i + lane < row ? once(targets + begin + i + lane) : v;
      u32 who = ballot(ALL, w != v && runs_up(offsets, v, row, w));
      if (who >> lane & 1) list[at + popcount(who & lanes_below())] = w;
      at += popcount(who);
    }
  }
}

// What a triangle looks up to be counted.
struct Labelling {
  const u32 *class_of, *class_first, *class_labels, *position;
  u32 labels, width;
  u64 full; // a signature to which nothing can be added
  u32 *sig; // two words a vertex
};

DEV bool is_full(const Labelling &g, u32 v) {
  u32 low = (u32)g.full, high = (u32)(g.full >> 32);
  return (read(g.sig + 2 * (u64)v) & low) == low && (read(g.sig + 2 * (u64)v + 1) & high) == high;
}

// Counts one more in the bucket whose bits begin at a position. Others may count there at the same time.
DEV void count_in(u32 *bits, u32 at, u32 width) {
  u32 top = at + width - 1;
  if (read(bits + (top >> 5)) >> (top & 31) & 1) return;
  for (u32 i = at; i <= top; i++) {
    u32 bit = 1u << (i & 31);
    u32 *word = bits + (i >> 5);
    if (!(read(word) & bit) && !(either(word, bit) & bit)) return;
  }
}

// Counts at v a triangle whose other vertices are a and b.
DEV void count_triangle(const Labelling &g, u32 v, u32 a, u32 b) {
  u32 one = once(g.class_of + a), two = once(g.class_of + b);
  for (u32 i = once(g.class_first + one), end = once(g.class_first + one + 1); i < end; i++)
    for (u32 j = once(g.class_first + two), last = once(g.class_first + two + 1); j < last; j++)
      count_in(g.sig + 2 * (u64)v, once(g.position + once(g.class_labels + i) * g.labels + once(g.class_labels + j)), g.width);
}

#define KEPT 1024 // entries of a root's list that a warp keeps in shared memory
#define SHARE 128 // edges that a warp takes at a time

// The vertex from which edge e runs.
DEV u32 root_of(const u64 *offsets, u32 vertices, u64 e) {
  u32 lo = 0, hi = vertices - 1; // the last one that begins at e or before
  while (lo < hi) {
    u32 mid = hi - (hi - lo) / 2;
    if (once(offsets + mid) <= e) lo = mid;
    else hi = mid - 1;
  }
  return lo;
}

// Counts the triangles at u on the edges [base, last), 32 at most, of its d. kept is a copy of their ends, or 0.
DEV void count_triangles(const Labelling &g, const u64 *offsets, const u32 *targets, u32 u, const u32 *hood, u32 d, u32 base, u32 last,
                         const u32 *kept) {
  u32 lane = lane_id();
  u32 v = 0, n = 0, done = 0; // done: all its buckets are full
  u64 start = 0;
  bool own = g.full && is_full(g, u);
  if (base + lane < last) {
    v = once(hood + base + lane);
    start = once(offsets + v);
    n = (u32)(once(offsets + v + 1) - start);
    done = g.full && is_full(g, v);
  }
  u32 all, prefix = warp_prefix(n, &all);
  for (u32 x0 = 0; x0 < all; x0 += 32) {
    u32 x = x0 + lane, o = owner_of(prefix, x < all ? x : all - 1);
    u64 from = shuffle64(ALL, start, o);
    u32 below = shuffle(ALL, prefix, o), middle = shuffle(ALL, v, o), ready = shuffle(ALL, done, o);
    if (x >= all) continue;
    u32 w = once(targets + from + (x - below)), lo = 0, hi = d;
    if (kept) {
      while (lo < hi) {
        u32 mid = (lo + hi) >> 1;
        if (kept[mid] < w) lo = mid + 1;
        else hi = mid;
      }
      if (lo >= d || kept[lo] != w) continue;
    } else if (place(hood, d, w) == d) continue;
    if (!own) count_triangle(g, u, middle, w);
    if (!ready) count_triangle(g, middle, u, w);
    if (!g.full || !is_full(g, w)) count_triangle(g, w, u, middle);
  }
}

// The triangle part, one word of 64 bits a vertex, by the edges that run from each vertex. Lists of up to most entries, KEPT at most,
// are kept. full: 0 is never full. What makes it even: warps take edges, so that several share a root of many.
KERNEL(sig_triangles, 128)(const u64 *offsets, const u32 *targets, u32 vertices, u64 edges, u32 most, const u32 *class_of, const u32 *class_first,
                           const u32 *class_labels, const u32 *position, u32 labels, u32 width, u64 full, u32 *sig, u32 *next,
                           const u32 *stop) {
  SHARED(u32, lists, 4 * KEPT);
  Labelling g = {class_of, class_first, class_labels, position, labels, width, full, sig};
  u32 *kept = lists + warp_id() * KEPT, lane = lane_id();
  for (;;) {
    u32 share = next_item(stop, next, 0, (u32)((edges + SHARE - 1) / SHARE));
    if (share == ~0u) break;
    u64 e = (u64)share * SHARE, behind = e + SHARE < edges ? e + SHARE : edges;
    for (u32 u = root_of(offsets, vertices, e); e < behind; u++) {
      u64 begin = once(offsets + u), end = once(offsets + u + 1);
      const u32 *hood = targets + begin;
      u32 d = (u32)(end - begin), first = (u32)(e - begin), last = end < behind ? d : (u32)(behind - begin);
      e = begin + last;
      if (first == last || d < 2) continue;
      if (d <= most)
        for (u32 i = lane; i < d; i += 32) kept[i] = once(hood + i);
      sync_warp(ALL);
      for (u32 base = first; base < last; base += 32) count_triangles(g, offsets, targets, u, hood, d, base, last, d <= most ? kept : 0);
      sync_warp(ALL);
    }
  }
}
