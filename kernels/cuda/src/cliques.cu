// k-cliques of a graph whose edges run from lower to higher rank, counted without visiting each: by pivots.
//
// Input: the oriented graph in CSR form; out lists sorted by rank. A degeneracy order keeps them short, but any length below 65,536
// is right. k is at least 3. roots lists the vertices to start from; a launch takes those at every step-th place of
// [first, last). choose holds the
// binomials n over j, 16 bytes each, for n up to top and j below k; all bits set where one does not fit 128.
//
// A sub-problem is a set P of vertices, q pivots joined to all of P and each other, and how many vertices a clique needs of
// both. A vertex p of P is taken as a pivot: cliques either have nothing outside of p's neighbours but p, or hold a first vertex
// that is not p's neighbour. Where up to three are needed, what P and the pivots have is counted at once.
//
// What makes it fast: a warp searches one tree, so that its lanes never part: each has a vertex of P of its own, of which it knows
// the neighbours in P by AND and popcount. Where P has 32 vertices or fewer, which is so almost everywhere, the bitmap is built anew
// for them alone: lane v keeps row v in a register, rows are handed on by shuffles, and nothing is in memory. Larger sets go
// through shared memory, by way of a queue of the vertices. A root of up to 32 neighbours is a warp's from the start; of a
// larger one a block builds the bitmap, and every edge from the root is a task of a warp: its bitmap, too, is built anew where
// that is smaller. The pivot's own branch comes last, so that a level of the stack is left for it, and there are
// no more levels than vertices needed. Cliques of four are the triangles among the neighbours, and need no tree: their kernels have
// few registers, so that twice as many warps are at work.
#include "clique_rows.cuh"

#if !defined(MOTIF_SIMT)
// Three blocks at a time on a multiprocessor, so that there are warps to go on with while others wait for a shuffle: 80 registers.
#undef KERNEL
#define KERNEL(name, threads) extern "C" __global__ __attribute__((launch_bounds(threads, BLOCKS_OF_##name))) void name
#endif
#define BLOCKS_OF_cliques_small 3
#define BLOCKS_OF_cliques_words 3
#define BLOCKS_OF_cliques_block 3
#define BLOCKS_OF_cliques_large 3
#define BLOCKS_OF_cliques_four_small 6 // without a tree 40 registers do
#define BLOCKS_OF_cliques_four_block 6

// What a lane has found and done.
struct Found {
  u128 sum;
  u32 over;                   // whether sum has lost its end
  u32 nodes, until;           // nodes of search trees, and how many there may be before sub-problems are handed on
  u32 uses;                   // of the technique that bears the lane's number
  u32 stopped;                // the host wants no more: every search of the warp ends, also those around the one that saw it
};

enum : u32 { WORDS, DEEPER, MATCHINGS, HANDED, THIN, TECHNIQUES };

DEV void took(Found &f, u32 technique) { f.uses += lane_id() == technique; }

// What is the same for all sub-problems.
struct Search {
  const u64 *choose;
  u32 top;
  const u32 *stop;
  u32 use; // techniques that are on
  u32 *handed; // how many sub-problems were handed on to the next launch,
  u32 *tasks;  // which they lie here for, TASK words each,
  u32 room;    // so many at most,
  u32 patience; // from where a tree has so many nodes
};

// A sub-problem handed on: 32 rows, P, q and the vertices needed.
enum : u32 { TASK = 36, TASK_LEAST = 10 };

enum : u32 { USE_WORDS = 1, USE_DEEPER = 2, USE_MATCHING = 4, USE_THIN = 8 };

DEV void plus(Found &f, u128 x) {
  f.sum += x;
  f.over |= f.sum < x;
}

DEV void plus64(Found &f, u64 x) {
  u64 high = (u64)(f.sum >> 64);
  f.sum += x;
  f.over |= (u64)(f.sum >> 64) < high;
}

// n over j; where it does not fit, over says so.
DEV u128 binomial(const Search &s, Found &f, u32 n, u32 j) {
  const u64 *at = s.choose + 2 * ((u64)j * (s.top + 1) + n);
  u64 lo = once(at), hi = once(at + 1);
  f.over |= (lo & hi) == ~0ull;
  return (u128)hi << 64 | lo;
}

DEV u32 warp_most(u32 x) {
#if __CUDA_ARCH__ >= 800
  return __nvvm_redux_sync_umax(x, ALL);
#endif
  for (u32 by = 16; by; by >>= 1) {
    u32 other = shuffle_xor(ALL, x, by);
    if (other > x) x = other;
  }
  return x;
}

// The number of the highest bit, ~0 for none.
DEV u32 highest(u32 x) {
#if defined(MOTIF_SIMT)
  return x ? 31 - __builtin_clz(x) : ~0u;
#else
  u32 bit;
  asm("bfind.u32 %0, %1;" : "=r"(bit) : "r"(x));
  return bit;
#endif
}

DEV u32 above(u32 bit) { return ~1u << bit; }

// Whether the host wants no more, which a warp asks now and then: all lanes get the same answer.
DEV bool halted(const Search &s, Found &f, u32 n) {
  if (!(++f.nodes & (n > 128 ? 3 : 255))) f.stopped = shuffle(ALL, lane_id() ? 0 : read(s.stop), 0); // what large sets take is long
  return f.stopped;
}

// The sets of up to three of the n vertices P and the q pivots. Lane v has row v of the graph, and goes through its own later neighbours.
DEV void few_of_word(u32 row, u32 P, u32 n, u32 q, u32 need, Found &f) {
  u32 lane = lane_id(), mine = P >> lane & 1 ? row & P : 0, up = mine & above(lane), edges = popcount(up);
  u64 found = 0, first = lane == 0, Q = q;
  if (need == 1) found = first * (Q + n);
  if (need == 2) found = first * (Q * (Q - 1) / 2 + Q * n) + edges;
  if (need == 3) {
    u32 triangles = 0, left = up;
    for (u32 rounds = (warp_most(edges) + 1) / 2; rounds; rounds--) {
#pragma unroll
      for (u32 i = 0; i < 2; i++) { // where a lane has none left it asks the last one, which has no later neighbour
        u32 b = highest(left) & 31;
        triangles += popcount(up & shuffle(ALL, up, b));
        left &= ~(1u << b);
      }
    }
    found = first * (Q > 1 ? Q * (Q - 1) / 2 * (Q - 2) / 3 + Q * (Q - 1) / 2 * n : 0) + Q * edges + triangles;
  }
  plus64(f, found);
}

// Each of the n vertices misses one other: any of the q, and one or no end of each missing edge.
DEV void matching(const Search &s, Found &f, u32 n, u32 q, u32 need) {
  took(f, MATCHINGS);
  for (u32 i = lane_id(); i <= n / 2 && i <= need; i += 32) {
    if (need - i > q) continue;
    u128 a = binomial(s, f, n / 2, i), b = binomial(s, f, q, need - i);
    if (i > 63 || (a >> (127 - i)) != 0 || ((a << i) >> 64) != 0) {
      f.over = 1;
      continue;
    }
    u128 ends = a << i, low = (u128)(u64)b * (u64)ends, high = (b >> 64) * (u64)ends;
    f.over |= (high >> 64) != 0;
    u128 term = low + (high << 64);
    f.over |= term < low;
    plus(f, term);
  }
}

// Leaves a sub-problem to the next launch, so that no warp keeps the device waiting for a large tree of its own, if there is room.
DEV bool hand_on(const Search &s, Found &f, u32 row, u32 P, u32 q, u32 need) {
  u32 lane = lane_id(), at = ~0u;
  if (lane == 0 && read(s.handed) < s.room) at = add(s.handed, 1); // so the number stays near the room
  at = shuffle(ALL, at, 0);
  if (at >= s.room) return false;
  u32 *task = s.tasks + (u64)at * TASK;
  task[lane] = row;
  if (lane < 3) task[32 + lane] = lane == 0 ? P : lane == 1 ? q : need;
  took(f, HANDED);
  return true;
}

// What comes next is a warp's own until it has s.patience nodes.
DEV void be_patient(const Search &s, Found &f) { f.until = f.nodes + s.patience < f.nodes ? ~0u : f.nodes + s.patience; }

// Counts in a graph of at most 32 vertices, of which lane v has row v. The last level of the stack is every lane's, the others a lane's
// each.
DEV void search_word(const Search &s, u32 row, u32 P, u32 q, u32 most_needed, Found &f) {
  u32 lane = lane_id(), depth = 0, need = most_needed, kept_p = 0, kept_rest = 0, kept_q = 0, top_p = 0, top_rest = 0, top_q = 0;
  for (;;) {
    u32 n = popcount(P);
    if (halted(s, f, n)) return;
    if (q + n < need) {
    } else if (need <= 3) {
      few_of_word(row, P, n, q, need, f);
    } else if (f.nodes > f.until && n >= TASK_LEAST && hand_on(s, f, row, P, q, need)) {
    } else {
      u32 in = P >> lane & 1, d = in ? popcount(P & row) : 0;
      if (s.use & USE_THIN) {
        u32 useful = ballot(ALL, in && q + d + 1 >= need); // the others are in no clique
        if (useful != P) {
          took(f, THIN);
          P = useful, n = popcount(P), in = P >> lane & 1, d = in ? popcount(P & row) : 0;
        }
      }
      u32 whole = ballot(ALL, in && d + 1 == n), w = popcount(whole);
      P &= ~whole, q += w, n -= w, d -= w;
      in &= ~(whole >> lane);
      if (q + n < need) {
      } else if (n == 0) {
        if (lane == 0) plus(f, binomial(s, f, q, need));
      } else if (s.use & USE_MATCHING && ballot(ALL, in && d + 2 == n) == P) {
        matching(s, f, n, q, need);
      } else {
        u32 best = warp_most(in ? d << 5 | lane : 0) & 31;
        if (lane == depth) kept_p = top_p, kept_rest = top_rest, kept_q = top_q;
        depth++;
        top_p = P & ~(1u << best);
        top_rest = top_p & ~shuffle(ALL, row, best);
        top_q = q << 5 | best;
      }
    }
    if (depth == 0) return;
    q = top_q >> 5;
    if (top_rest) {
      u32 v = lowest(top_rest);
      top_p &= ~(1u << v);
      top_rest &= top_rest - 1;
      P = top_p & shuffle(ALL, row, v);
    } else {
      P = top_p & shuffle(ALL, row, top_q & 31);
      q++;
      depth--;
      top_p = shuffle(ALL, kept_p, depth), top_q = shuffle(ALL, kept_q, depth);
      top_rest = shuffle(ALL, kept_rest, depth);
    }
    need = most_needed - depth;
  }
}

// A bitmap of all neighbours.
struct Bitmap {
  const u32 *rows;
  u32 stride, words;
};

// How many of the set vertex v has as neighbours, or as later ones.
DEV u32 neighbours(const Bitmap &g, const u32 *set, u32 v) {
  u32 n = 0;
  const u32 *row = g.rows + (u64)v * g.stride;
  for (u32 w = 0; w < g.words; w++) n += popcount(set[w] & row[w]);
  return n;
}

DEV u32 later(const Bitmap &g, const u32 *set, u32 v) {
  u32 w = v >> 5;
  const u32 *row = g.rows + (u64)v * g.stride;
  u32 n = popcount(set[w] & row[w] & above(v & 31));
  while (++w < g.words) n += popcount(set[w] & row[w]);
  return n;
}

// The edges among the n listed vertices of a set, this lane's share.
DEV u64 edges_of(const Bitmap &g, const u32 *set, const u32 *queue, u32 n) {
  u64 found = 0;
  for (u32 at = lane_id(); at < n; at += 32) found += later(g, set, queue[at]);
  return found;
}

// The triangles among the n listed vertices of a set, this lane's share: it has vertices of its own, and goes through their later
// neighbours, which it keeps in registers where these are up to W words.
template <u32 W> DEV u64 triangles_of(const Bitmap &g, const u32 *set, const u32 *queue, u32 n) {
  u64 found = 0;
  for (u32 at = lane_id(); at < n; at += 32) {
    u32 v = queue[at], triangles = 0, own[W];
    const u32 *row = g.rows + (u64)v * g.stride;
#pragma unroll
    for (u32 w = 0; w < W; w++) own[w] = w < v >> 5 || w >= g.words ? 0 : set[w] & row[w] & (w == v >> 5 ? above(v & 31) : ~0u);
#pragma unroll
    for (u32 w = 0; w < W; w++) {
      for (u32 left = own[w]; left; left &= left - 1) {
        const u32 *other = g.rows + (u64)(w * 32 + lowest(left)) * g.stride;
        triangles += popcount(left & (left - 1) & other[w]);
#pragma unroll
        for (u32 x = w + 1; x < W; x++)
          if (x < g.words) triangles += popcount(own[x] & other[x]);
      }
    }
    found += triangles;
  }
  return found;
}

DEV u64 triangles_of_any(const Bitmap &g, const u32 *set, const u32 *queue, u32 n) {
  u64 found = 0;
  for (u32 at = lane_id(); at < n; at += 32) {
    u32 v = queue[at], triangles = 0;
    const u32 *row = g.rows + (u64)v * g.stride;
    for (u32 w = v >> 5; w < g.words; w++) {
      for (u32 left = set[w] & row[w] & (w == v >> 5 ? above(v & 31) : ~0u); left; left &= left - 1) {
        const u32 *other = g.rows + (u64)(w * 32 + lowest(left)) * g.stride;
        triangles += popcount(left & (left - 1) & other[w]);
        for (u32 x = w + 1; x < g.words; x++) triangles += popcount(set[x] & row[x] & other[x]);
      }
    }
    found += triangles;
  }
  return found;
}

// The sets of up to three of the n listed vertices P and the q pivots.
DEV void few_of_rows(const Bitmap &g, const u32 *P, const u32 *queue, u32 n, u32 q, u32 need, Found &f) {
  u64 first = lane_id() == 0, pivots = q, found = 0;
  u64 edges = need == 2 || need == 3 && q ? edges_of(g, P, queue, n) : 0;
  if (need == 1) found = first * (pivots + n);
  if (need == 2) found = first * (pivots * (pivots - 1) / 2 + pivots * n) + edges;
  if (need == 3) {
    found = first * (q > 1 ? pivots * (pivots - 1) / 2 * (pivots - 2) / 3 + pivots * (pivots - 1) / 2 * n : 0) + pivots * edges;
    found += g.words <= 3 ? triangles_of<3>(g, P, queue, n) : g.words <= 7 ? triangles_of<7>(g, P, queue, n) : triangles_of_any(g, P, queue, n);
  }
  plus64(f, found);
}

// The lowest vertex of a set, or ~0.
DEV u32 first_of(const u32 *set, u32 words) {
  for (u32 base = 0; base < words; base += 32) {
    u32 w = base + lane_id(), word = w < words ? set[w] : 0, some = ballot(ALL, word != 0);
    if (some) {
      u32 owner = lowest(some);
      return (base + owner) * 32 + lowest(shuffle(ALL, word, owner));
    }
  }
  return ~0u;
}

// Row of the lane's vertex in the graph among the n listed ones, at most 32; other bits may be anything. The lane has the vertex's row
// of the bitmap and takes out of it what the others' numbers say, four at a time.
DEV u32 word_of(const Bitmap &g, const u32 *queue, u32 n) {
  u32 lane = lane_id(), x = lane < n ? queue[lane] : 0, row = 0;
  const u32 *own = g.rows + (u64)x * g.stride;
  u32 low = own[0], high = g.words == 2 ? own[1] : 0;
  for (u32 a = (n + 3) & ~3u; a; a -= 4) {
#pragma unroll
    for (u32 i = 1; i <= 4; i++) {
      u32 y = shuffle(ALL, x, a - i), word = g.words > 2 ? own[y >> 5] : y & 32 ? high : low;
      row = row << 1 | word >> (y & 31) & 1;
    }
  }
  return row;
}

// Takes the vertices that are joined to all others out of P, finds the one with the most neighbours, and returns how many it
// took out. n is how many there are, listed.
DEV u32 pick(const Bitmap &g, u32 *P, const u32 *queue, u32 n, u32 &best, bool &one_missing) {
  u32 lane = lane_id(), whole = 0, gone = 0, most = 0;
  bool alike = true;
  for (u32 base = 0, round = 0; base < n; base += 32, round++) {
    u32 at = base + lane, v = at < n ? queue[at] : 0, d = at < n ? neighbours(g, P, v) : 0;
    bool all = at < n && d + 1 == n && round < 32;
    if (all) whole |= 1u << round;
    gone += popcount(ballot(ALL, all));
    u32 key = d << 16 | v;
    if (at < n && !all && key > most) most = key;
    if (at < n && !all && d + 2 != n) alike = false;
  }
  sync_warp(ALL);
  for (; whole; whole &= whole - 1) {
    u32 v = queue[lowest(whole) * 32 + lane];
    add(&P[v >> 5], 0u - (1u << (v & 31)));
  }
  best = warp_most(most) & 0xffff;
  one_missing = ballot(ALL, alike) == ALL;
  sync_warp(ALL);
  return gone;
}

// Counts in a bitmap. P is the first level of the stack; each has room for two sets, a vertex and the pivots. The branches of the
// first level that are no pivots' are dealt to shares; share 0 also has what is found on the way there. The first level's vertices are
// listed already.
DEV void search_rows(const Search &s, const Bitmap &g, u32 *stack, u32 *queue, u32 listed, u32 most_needed, u32 share, u32 shares, Found &f) {
  u32 lane = lane_id(), depth = 0, need = most_needed, q = 0, turn = 0, size = 2 * g.words + 2;
  for (;; listed = ~0u) {
    u32 *P = stack + depth * size;
    u32 n = listed != ~0u ? listed : list_set(queue, P, g.words);
    bool mine = depth || share == 0;
    if (halted(s, f, n)) return;
    if (q + n < need || !mine && (need <= 3 || n <= 32 && s.use & USE_WORDS)) {
    } else if (n <= 32 && need >= 3 && s.use & USE_WORDS) {
      took(f, WORDS);
      search_word(s, word_of(g, queue, n), n ? ~0u >> (32 - n) : 0, q, need, f);
    } else if (need <= 3) {
      few_of_rows(g, P, queue, n, q, need, f);
    } else {
      u32 best;
      bool one_missing;
      u32 gone = pick(g, P, queue, n, best, one_missing);
      q += gone, n -= gone;
      if (n == 0) {
        if (lane == 0 && mine) plus(f, binomial(s, f, q, need));
      } else if (one_missing && s.use & USE_MATCHING) {
        if (mine) matching(s, f, n, q, need);
      } else {
        const u32 *row = g.rows + (u64)best * g.stride;
        for (u32 w = lane; w < g.words; w += 32) {
          u32 left = P[w] & ~(w == best >> 5 ? 1u << (best & 31) : 0);
          P[w] = left, P[g.words + w] = left & ~row[w];
        }
        if (lane == 0) P[2 * g.words] = best, P[2 * g.words + 1] = q;
        depth++;
      }
    }
    for (bool taken = false; !taken;) { // go on below the last level, until there is a branch for this share
      if (depth == 0) return;
      sync_warp(ALL);
      u32 *from = stack + (depth - 1) * size, *rest = from + g.words, *to = from + size;
      u32 v = first_of(rest, g.words);
      q = from[2 * g.words + 1];
      bool pivot = v == ~0u;
      taken = pivot || depth > 1 || turn % shares == share;
      turn += !pivot && depth == 1;
      if (pivot) v = from[2 * g.words], q++, depth--, to = from;
      need = most_needed - depth;
      sync_warp(ALL);
      const u32 *row = g.rows + (u64)v * g.stride;
      u32 bit = 1u << (v & 31);
      for (u32 w = lane; w < g.words; w += 32) {
        if (!pivot && w == v >> 5) from[w] &= ~bit, rest[w] &= ~bit;
        if (taken) to[w] = from[w] & row[w];
      }
    }
  }
}

// What a lane has goes to the total: 128 bits, and 1 in the third word where they are too few. The counters follow.
DEV void tell(const Found &f, u64 *total) {
  u64 lo = (u64)f.sum, hi = (u64)(f.sum >> 64);
  u64 old = lo ? add(&total[0], lo) : 0;
  u64 carry = lo && old + lo < old;
  if (f.over || hi + carry < hi) add(&total[2], (u64)1);
  hi += carry;
  if (hi && add(&total[1], hi) + hi < hi) add(&total[2], (u64)1);
  if (lane_id() == 0 && f.nodes) add(&total[3], (u64)f.nodes);
  if (lane_id() < TECHNIQUES && f.uses) add(&total[4 + lane_id()], (u64)f.uses);
}

KERNEL(cliques_small, 256)(const u64 *offsets, const u32 *targets, const u32 *roots, u32 first, u32 last, u32 step, u32 k, u32 *next,
                           const u32 *stop, u64 *total, const u64 *choose, u32 top, u32 use, u32 *handed, u32 *tasks, u32 task_room,
                           u32 patience, u32 each) {
  SHARED(u32, lists, 8 * 96);
  Found f = {};
  Search s = {choose, top, stop, use, handed, tasks, task_room, patience};
  each_small(offsets, roots, first, last, step, each, next, stop, [&](u64 begin, u32 d, u32) {
    u32 row = row_of_small(offsets, targets, begin, d, lists + warp_id() * 96);
    be_patient(s, f);
    search_word(s, row, ~0u >> (32 - d), 0, k - 1, f);
    return !f.stopped;
  });
  tell(f, total);
}

// The same for cliques of four: the triangles among the neighbours, without a tree.
KERNEL(cliques_four_small, 256)(const u64 *offsets, const u32 *targets, const u32 *roots, u32 first, u32 last, u32 step, u32 *next,
                                const u32 *stop, u64 *total, u32 each) {
  SHARED(u32, lists, 8 * 96);
  Found f = {};
  each_small(offsets, roots, first, last, step, each, next, stop, [&](u64 begin, u32 d, u32) {
    u32 row = row_of_small(offsets, targets, begin, d, lists + warp_id() * 96);
    few_of_word(row, ~0u >> (32 - d), d, 0, 3, f);
    return true;
  });
  tell(f, total);
}

// Goes on with the sub-problems that the launches before have handed on.
KERNEL(cliques_words, 256)(const u32 *given, const u32 *tasks_given, u32 given_room, u32 *next, const u32 *stop, u64 *total,
                           const u64 *choose, u32 top, u32 use, u32 *handed, u32 *tasks, u32 task_room, u32 patience) {
  u32 lane = lane_id(), n = once(given);
  if (n > given_room) n = given_room;
  if (block_id() * 8 >= n) return; // fewer than a warp each
  Found f = {};
  Search s = {choose, top, stop, use, handed, tasks, task_room, patience};
  for (;;) {
    u32 at = next_item(stop, next, 0, n);
    if (at == ~0u) break;
    const u32 *task = tasks_given + (u64)at * TASK;
    be_patient(s, f);
    search_word(s, once(task + lane), once(task + 32), once(task + 33), once(task + 34), f);
  }
  tell(f, total);
}

// The vertices of a bitmap with so many later neighbours that a clique may begin with them, those with more than 32 first. They and
// their number are in order, so that all slices of a root see the same. marks has two bits of room a vertex.
DEV void list_starts(const Bitmap &g, u32 d, u32 least, u32 *list, u32 *marks, u32 *count) {
  for (u32 w = warp_id(); w < g.words; w += block_size() >> 5) {
    u32 v = w * 32 + lane_id(), n = 0;
    if (v < d) {
      const u32 *row = g.rows + (u64)v * g.stride;
      n = popcount(row[w] & above(lane_id()));
      for (u32 x = w + 1; x < g.words; x++) n += popcount(row[x]);
    }
    u32 many = ballot(ALL, n >= least && n > 32), few = ballot(ALL, n >= least && n <= 32);
    if (lane_id() == 0) marks[w] = many, marks[g.words + w] = few;
  }
  sync_block();
  if (warp_id() == 0) {
    u32 many = list_set(list, marks, g.words), few = list_set(list + many, marks + g.words, g.words);
    if (lane_id() == 0) count[0] = many, count[1] = few;
  }
  sync_block();
}

// The graph among the n listed vertices of a bitmap, in out, whose rows are stride words.
DEV void build_again(const Bitmap &g, const u32 *queue, u32 n, u32 *out, u32 words, u32 stride) {
  u32 lane = lane_id();
  for (u32 c = 0; c < words; c++) {
    u32 b = c * 32 + lane, x = b < n ? queue[b] : 0;
    for (u32 base = 0; base < n; base += 32) {
      u32 y = base + lane < n ? queue[base + lane] : 0, mine = 0;
      for (u32 a = 0; a < 32 && base + a < n; a++) {
        u32 from = shuffle(ALL, y, a);
        u32 word = ballot(ALL, b < n && g.rows[(u64)from * g.stride + (x >> 5)] >> (x & 31) & 1);
        if (lane == a) mine = word;
      }
      if (base + lane < n) out[(base + lane) * stride + c] = mine;
    }
  }
}

// The edges among a set, all that cliques of four need below an edge: for two words it takes no list.
DEV void edges_within(const Bitmap &g, const u32 *set, u32 d, Found &f) {
  u64 found = 0;
  sync_warp(ALL);
  for (u32 v = lane_id(); v < d; v += 32)
    if (set[v >> 5] >> (v & 31) & 1) found += later(g, set, v);
  sync_warp(ALL);
  plus64(f, found);
}

// What launches of blocks are given beside the graph.
struct Roots {
  const u64 *offsets;
  const u32 *targets, *roots;
  u32 first, last, step, k, *next, most, slices, shares, again_room, warp_room;
  u32 *put_off; // how many roots were left to a launch that divides them into slices, and behind it which
  u32 divides;  // whether this is that launch
};

// Edges of a root that may begin cliques, from which on the root is put off.
#define LONG_ROOT 16

// A root's edges, in shares, are dealt to slices: an item is a slice of a root. The stack below an edge has levels for k - 4 vertices. A warp has warp_room words: for
// it, the queue of the vertices, and again_room words; or, while the bitmap is built, for a list. FOUR: k is 4, and no edge needs a tree. A first
// launch finds out which roots are worth slices, each of which builds the root's bitmap: where triangles are rare, none is.
template <bool FOUR> DEV void block_of(const Roots &r, const Search &s, u32 *rows, u32 *at, u32 *turn, u64 *total) {
  u32 lane = lane_id(), most_words = (r.most + 31) >> 5, levels = r.k > 5 ? r.k - 4 : 1, stack_room = levels * (2 * most_words + 2);
  u32 *stacks = rows + (u64)r.most * (most_words | 1), *stack = stacks + (u64)warp_id() * r.warp_room;
  u32 *queue = stack + stack_room, *again = queue + r.most, *starts = stacks + (u64)(block_size() >> 5) * r.warp_room;
  u32 end = r.divides ? once(r.put_off) * r.slices : (r.last - r.first + r.step - 1) / r.step;
  Found f = {};
  for (;;) {
    if (warp_id() == 0) {
      u32 got = next_item(s.stop, r.next, 0, end);
      if (lane == 0) at[0] = got, turn[0] = 0;
    }
    sync_block();
    if (at[0] == ~0u) break;
    u32 slices = r.divides ? r.slices : 1, slice = at[0] % slices;
    u32 root = r.divides ? once(r.put_off + 1 + at[0] / slices) : once(r.roots + r.first + at[0] * r.step);
    u64 begin = once(r.offsets + root);
    const u32 *hood = r.targets + begin;
    u32 d = (u32)(once(r.offsets + root + 1) - begin), words = (d + 31) >> 5, stride = words | 1;
    for (u32 w = thread_id(); w < d * stride; w += block_size()) rows[w] = 0;
    sync_block();
    build_rows(r.offsets, r.targets, hood, d, rows, stride, stack, r.warp_room);
    sync_block();
    list_starts({rows, stride, words}, d, r.k - 2, starts, starts + r.most, at + 1);
    u32 many = at[1], items = many * r.shares + at[2];
    if (!FOUR && r.put_off && !r.divides && (many || items > LONG_ROOT)) {
      if (thread_id() == 0) r.put_off[1 + add(r.put_off, 1)] = root;
      sync_block();
      continue;
    }
    for (;;) {
      u32 unit = slice + warp_take(&turn[0], 1) * slices;
      if (unit >= items || f.stopped) break;
      bool large = unit < many * r.shares; // an edge with 32 vertices or fewer is no one's share, but whole
      u32 parts = large ? r.shares : 1, share = large ? unit % parts : 0, i = starts[large ? unit / parts : unit - many * r.shares + many];
      Bitmap g = {rows, stride, words};
      for (u32 w = lane; w < words; w += 32) stack[w] = w < i >> 5 ? 0 : rows[(u64)i * stride + w] & (w == i >> 5 ? above(i & 31) : ~0u);
      if (FOUR && words <= 2) {
        edges_within(g, stack, d, f);
        continue;
      }
      u32 n = list_set(queue, stack, words), fewer = (n + 31) >> 5;
      if (FOUR) {
        plus64(f, edges_of(g, stack, queue, n));
        sync_warp(ALL);
        continue;
      }
      if (s.use & USE_DEEPER && n > 32 && fewer < words && n * (fewer | 1) <= r.again_room) {
        took(f, DEEPER);
        build_again(g, queue, n, again, fewer, fewer | 1);
        g = {again, fewer | 1, fewer};
        for (u32 w = lane; w < fewer; w += 32) stack[w] = w + 1 < fewer || n % 32 == 0 ? ~0u : ~0u >> (32 - n % 32);
        list_set(queue, stack, fewer);
      }
      be_patient(s, f);
      search_rows(s, g, stack, queue, n, r.k - 2, share, parts, f);
      sync_warp(ALL);
    }
    sync_block();
  }
  tell(f, total);
}

// The bitmap lies in shared memory,
KERNEL(cliques_block, 256)(const u64 *offsets, const u32 *targets, const u32 *roots, u32 first, u32 last, u32 step, u32 k, u32 *next,
                           const u32 *stop, u64 *total, const u64 *choose, u32 top, u32 use, u32 *handed, u32 *tasks, u32 task_room,
                           u32 patience, u32 most, u32 slices, u32 shares, u32 again_room, u32 warp_room, u32 *put_off, u32 divides) {
  DYNAMIC(u32, memory);
  SHARED(u32, at, 3);
  SHARED(u32, turn, 1);
  Search s = {choose, top, stop, use, handed, tasks, task_room, patience};
  block_of<false>({offsets, targets, roots, first, last, step, k, next, most, slices, shares, again_room, warp_room, put_off, divides}, s, memory, at, turn, total);
}

KERNEL(cliques_four_block, 256)(const u64 *offsets, const u32 *targets, const u32 *roots, u32 first, u32 last, u32 step, u32 *next,
                                const u32 *stop, u64 *total, u32 most, u32 warp_room) {
  DYNAMIC(u32, memory);
  SHARED(u32, at, 3);
  SHARED(u32, turn, 1);
  block_of<true>({offsets, targets, roots, first, last, step, 4, next, most, 1, 1, 0, warp_room, 0, 0}, {0, 0, stop}, memory, at, turn, total);
}

// or, where it does not fit, elsewhere.
KERNEL(cliques_large, 256)(const u64 *offsets, const u32 *targets, const u32 *roots, u32 first, u32 last, u32 step, u32 k, u32 *next,
                           const u32 *stop, u64 *total, const u64 *choose, u32 top, u32 use, u32 *handed, u32 *tasks, u32 task_room,
                           u32 patience, u32 most, u32 slices, u32 shares, u32 again_room, u32 warp_room, u32 *put_off, u32 divides,
                           u32 *scratch, u64 scratch_words) {
  SHARED(u32, at, 3);
  SHARED(u32, turn, 1);
  Search s = {choose, top, stop, use, handed, tasks, task_room, patience};
  block_of<false>({offsets, targets, roots, first, last, step, k, next, most, slices, shares, again_room, warp_room, put_off, divides}, s, scratch + block_id() * scratch_words, at, turn, total);
}
