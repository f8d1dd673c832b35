// Breadth-first search, many levels in one launch.
//
// Input: as bfs.cu's. All blocks run at once (a cooperative launch), and gate is 0 before the first launch.
//
// What makes it fast: between two levels the blocks wait for each other, for about a microsecond. A launch for each level takes more, and a look
// of the host at the device as much as ten levels. A lane has two edges under way, since a level mostly waits for memory: the edge's end, then
// whether that is reached. With more a lane runs out of registers. Rows of many edges are dealt over the warps of all blocks. While the frontier
// is small, the first block goes on alone.
//
// A launch pushes level after level. It leaves a level that is to be pulled to bfs_level: that reads bitmaps through a cache that does not
// see what other blocks write in the same launch. For the same reason the queues are not read by once() here.
#include "bfs.cuh"

#define OWN_SLOTS 4      // of a launch: three levels in turn, and what it leaves to the next
#define BATCH 2          // edges of a lane under way
#define ALONE_EDGES 512u // of a frontier that one block goes on from

// Edges of a lane: whether there is one, which, and where it comes from.
struct Edges {
  bool is[BATCH];
  u64 at[BATCH];
  u32 from[BATCH];
};

// Claims under way, one of each lane. Neighbours in a row are often neighbours by number, and then have one word: lanes beside each other that
// have the same claim it together, or they would wait for each other.
struct Claim {
  u32 last, had; // the lane that claims for this one, and in that lane what the word was
  bool only;     // no lane before has the same vertex
};

DEV Claim claim_together(u32 *seen, bool wanted, u32 w) {
  if (!ballot(ALL, wanted)) return Claim{0, 0, false};
  u32 at = wanted ? w >> 5 : UNSEEN, bit = 1u << (w & 31), lane = lane_id(), me = 1u << lane, before = shuffle_up(ALL, at, 1);
  u32 heads = ballot(ALL, lane == 0 || before != at), first = 31 - __builtin_clz(heads & (lanes_below() | me));
  u32 all = wanted ? bit : 0; // of the lanes of this word up to this one
  for (u32 by = 1; by < 32; by <<= 1) {
    u32 others = shuffle_up(ALL, all, by);
    if (lane >= first + by) all |= others;
  }
  u32 below = shuffle_up(ALL, all, 1), later = heads & ~(lanes_below() | me), last = later ? lowest(later) - 1 : 31, had = 0;
  if (wanted && lane == last) had = either(seen + at, all);
  return Claim{last, had, wanted && (lane == first || !(below & bit))};
}

// Takes what a batch has found into the next frontier, as find() does with less.
DEV void find_batch(const Search &s, Finds &f, const bool *mine, const u32 *v, const u32 *edges) {
  u32 who[BATCH], all = 0, at = 0;
  bool large = false;
#pragma unroll
  for (u32 i = 0; i < BATCH; i++) {
    if (mine[i]) f.edges += edges[i], f.size++;
    who[i] = ballot(ALL, mine[i] && edges[i] < s.row), all += popcount(who[i]);
    large |= mine[i] && edges[i] >= s.row;
  }
  if (ballot(ALL, large)) {
#pragma unroll
    for (u32 i = 0; i < BATCH; i++) {
      keep_hubs(s, f, mine[i], v[i], edges[i]);
      enqueue_last(f.queue, s.vertices, &f.next->some, mine[i] && edges[i] >= s.row && edges[i] < s.hub, v[i]);
    }
  }
  if (!all) return;
  if (lane_id() == 0) at = add(&f.places[0], all);
  at = shuffle(ALL, at, 0);
#pragma unroll
  for (u32 i = 0; i < BATCH; i++) {
    u32 to = at + popcount(who[i] & lanes_below());
    bool few = who[i] >> lane_id() & 1, fits = to < s.room;
    if (few && fits) f.own[to] = v[i];
    if (few && !fits) f.overflows++;
    enqueue(f.queue, &f.next->few, few && !fits, v[i]);
    at += popcount(who[i]);
  }
}

// Claims the ends of edges, all lanes of the warp at once. Most have been reached in levels before: a word that lies near tells. Where that is
// old the claim tells: a second look before it would be one more wait.
DEV void take(const Search &s, const Level &l, Finds &f, const Edges &x) {
  u32 *seen = bitmap_of(s, l.bitmap), w[BATCH], edges[BATCH];
  bool open[BATCH], any = false;
#pragma unroll
  for (u32 i = 0; i < BATCH; i++) w[i] = x.is[i] ? once(s.targets + x.at[i]) : 0;
#pragma unroll
  for (u32 i = 0; i < BATCH; i++) open[i] = x.is[i] && !(once_was(seen + (w[i] >> 5)) >> (w[i] & 31) & 1);
#pragma unroll
  for (u32 i = 0; i < BATCH; i++) {
    if (s.open && open[i]) open[i] = once(s.open + (w[i] >> 5)) >> (w[i] & 31) & 1;
    any |= open[i];
  }
  if (!ballot(ALL, any)) return;
  Claim c[BATCH];
#pragma unroll
  for (u32 i = 0; i < BATCH; i++) c[i] = claim_together(seen, open[i], w[i]);
#pragma unroll
  for (u32 i = 0; i < BATCH; i++) edges[i] = c[i].only ? edges_of(s, w[i]) : 0; // these come while the claims are under way
#pragma unroll
  for (u32 i = 0; i < BATCH; i++) open[i] = !(shuffle(ALL, c[i].had, c[i].last) >> (w[i] & 31) & 1) && c[i].only;
#pragma unroll
  for (u32 i = 0; i < BATCH; i++)
    if (open[i]) reached(s, l, w[i], x.from[i]);
  find_batch(s, f, open, w, edges);
}

// Edges [e, end) of v, a lane every step-th of those of its place.
DEV void along_row(const Search &s, const Level &l, Finds &f, u32 v, u64 e, u64 end, u64 step) {
  for (; e < end; e += step) {
    Edges x;
#pragma unroll
    for (u32 i = 0; i < BATCH; i++) x.at[i] = e + 32 * i + lane_id(), x.is[i] = x.at[i] < end, x.from[i] = v;
    take(s, l, f, x);
  }
}

// Vertices whose rows have less than the hubs': a few warps share each, more where there are few vertices. How many is a power of two, for
// divisions by others are long.
DEV void along_some(const Search &s, const Level &l, Finds &f, u32 me, u32 warps) {
  const u32 *queue = queue_of(s, l.queue);
  u32 share = 4 * warps / l.some;
  u32 shift = share >= 32 ? 5 : share < 4 ? 2 : 31 - __builtin_clz(share);
  for (u64 j = warps - 1 - me; j < (u64)l.some << shift; j += warps) { // the last ones have least of the others
    u32 v = queue[s.vertices - 1 - (u32)(j >> shift)], piece = (u32)j & ((1u << shift) - 1);
    u64 begin = once(s.offsets + v), end = once(s.offsets + v + 1);
    along_row(s, l, f, v, begin + piece * 32 * BATCH, end, 32 * BATCH << shift);
  }
}

// Hubs: 32 of them are dealt to as many warps as there are for them, in parts of one length.
DEV void along_many(const Search &s, const Level &l, Finds &f, u32 me, u32 warps) {
  const u32 *hubs = hubs_of(s, l.queue);
  u32 lots = (l.many + 31) >> 5, group = warps / lots, lane = lane_id();
  if (!group) group = 1;
  u32 groups = warps / group;
  for (u32 lot = me / group < groups ? me / group : lots; lot < lots; lot += groups) {
    u32 v = 0;
    u64 begin = 0, end = 0;
    if (lot * 32 + lane < l.many) v = hubs[lot * 32 + lane], begin = once(s.offsets + v), end = once(s.offsets + v + 1);
    u32 batches = (u32)((end - begin + 32 * BATCH - 1) / (32 * BATCH)), each = warp_sum(batches) / group + 1;
    u32 total, prefix = warp_prefix((batches + each - 1) / each, &total);
    u64 part = (u64)each * (32 * BATCH);
    for (u32 at = me % group; at < total; at += group) {
      u32 o = owner_of(prefix, at), from = shuffle(ALL, v, o);
      u64 e = shuffle64(ALL, begin, o) + (at - shuffle(ALL, prefix, o)) * part, last = shuffle64(ALL, end, o);
      along_row(s, l, f, from, e, e + part < last ? e + part : last, 32 * BATCH);
    }
  }
}

// All others: a warp takes up to 32 and deals their edges over its lanes.
DEV void along_few(const Search &s, const Level &l, Finds &f, u32 me, u32 warps) {
  const u32 *queue = queue_of(s, l.queue), *front = bitmap_of(s, 2);
  u32 lane = lane_id(), n = l.pulled ? 32 : share_of(l.few, warps), apart = l.pulled ? 1 : warps;
  u64 limit = l.pulled ? s.hub : s.row, items = l.pulled ? (u64)words_of(s) * 32 : l.few;
  for (u64 base = l.pulled ? (u64)me * 32 : me; base < items; base += (u64)warps * n) {
    u64 at = base + (u64)lane * apart, begin = 0;
    bool valid = lane < n && at < items;
    if (l.pulled) valid = front[base >> 5] >> lane & 1;
    if (!ballot(ALL, valid)) continue;
    u32 v = 0, edges = 0, total;
    if (valid) {
      v = l.pulled ? (u32)at : queue[at];
      begin = once(s.offsets + v);
      u64 all = once(s.offsets + v + 1) - begin;
      if (all < limit) edges = (u32)all;
    }
    if (n == 1) {
      edges = shuffle(ALL, edges, 0), v = shuffle(ALL, v, 0), begin = shuffle64(ALL, begin, 0);
      along_row(s, l, f, v, begin, begin + edges, 32 * BATCH);
      continue;
    }
    u32 prefix = warp_prefix(edges, &total);
    for (u32 done = 0; done < total; done += 32 * BATCH) {
      Edges x;
#pragma unroll
      for (u32 i = 0; i < BATCH; i++) {
        u32 y = done + 32 * i + lane, o = owner_of(prefix, y < total ? y : total - 1);
        x.is[i] = y < total, x.from[i] = shuffle(ALL, v, o);
        x.at[i] = shuffle64(ALL, begin, o) + (y - shuffle(ALL, prefix, o));
      }
      take(s, l, f, x);
    }
  }
}

// A level by all blocks.
DEV void push(const Search &s, const Level &l, Finds &f) {
  u32 per_block = block_size() >> 5, warps = grid_size() * per_block, me = warp_id() * grid_size() + block_id();
  if (l.many) along_many(s, l, f, me, warps);
  if (l.some) along_some(s, l, f, me, warps);
  along_few(s, l, f, me, warps);
  if (first_lane() && l.many) add(&s.tally[BY_GRID], (u64)l.many);
  if (first_lane() && l.some) add(&s.tally[BY_BLOCK], (u64)l.some);
}

// Levels from a slot on. The level at work, the next one and the one behind that, which is cleared, take turns in three slots.
KERNEL(bfs_together, 1024)(SEARCH, u32 slot, u32 *gate) {
  SHARED(u32, own, PRIVATE); // or the queues of a block alone
  SHARED(u32, places, 3);
  SHARED(u64, sums, 4);
  Search s = ALL_OF_SEARCH;
  Level l = levels[slot], *mine = levels + slot + 1;
  u32 from = l.level, done = 0;
  for (bool halted = false; !halted && !over(s, l) && !pulls(s, l); done++) {
    Level *next = mine + done % 3;
    if (first_lane()) mine[(done + 1) % 3] = Level{}, next->waits = read(stop);
    if (how & NARROWS && is_narrow(l, ALONE_EDGES)) {
      if (block_id() == 0) narrow_levels(s, l, next, ALONE_EDGES, Narrow{own, places, sums});
    } else {
      go_on(s, l, next, false);
      Finds f = start_finds(s, next, 1 - l.queue, own, places, sums);
      push(s, l, f);
      end_finds(s, f);
    }
    sync_grid(gate);
    l = *next;
    halted = l.waits, l.waits = 0;
  }
  if (!first_lane()) return;
  levels[slot + OWN_SLOTS] = l;
  if (l.level > from) add(&tally[TOGETHER], (u64)(l.level - from));
}
