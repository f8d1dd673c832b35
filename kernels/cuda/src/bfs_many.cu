// Up to 64 breadth-first searches in one pass, a launch for a level.
//
// Input: as for bfs.cu. Bit i of a vertex's mask says that search i has reached it; masks is those before a level, and behind them
// those after it, which are the same between levels, and 0 at first.
//
// What makes it fast: searches that meet at a vertex go on from it as one, so that a row is read once for all of them. A pull
// takes from a vertex's neighbours all that they have: what they have had for longer than a level, the vertex has as well. It
// ends when the vertex has all searches that are still alive.
#include "bfs.cuh"

#define LANE_ROW 32 // edges that a lane looks at alone

// Whether a level of several searches is pulled: searches that start apart leave few vertices that none or all have seen.
DEV bool pulls_many(const Search &s, const Level &l) {
  if (!(s.how & MAY_PULL)) return false;
  return s.how & MUST_PULL || l.edges > once(s.offsets + s.vertices) / 14 && l.edges > s.vertices >> 6;
}

// Starts search i from list[i]; several may start from one vertex.
KERNEL(many_begin, 64)(SEARCH, u64 *masks, const u32 *list, u32 count) {
  SHARED(u32, own, PRIVATE);
  SHARED(u32, places, 2);
  SHARED(u64, sums, 4);
  Search s = ALL_OF_SEARCH;
  Finds f = start_finds(s, levels, 0, own, places, sums);
  u32 i = thread_id(), v = i < count ? once(list + i) : 0;
  bool mine = i < count && !(open && !(once(open + (v >> 5)) >> (v & 31) & 1));
  if (mine) mine = !either(masks + vertices + v, (u64)1 << i);
  find(s, f, mine, v, mine ? edges_of(s, v) : 0);
  end_finds(s, f);
}

// Any of the masks of the vertices that lead to v in edges [e, end), every step-th; stops early when it has all that is missing.
DEV u64 gather(const Search &s, const u64 *masks, u64 e, u64 end, u32 step, u64 missing) {
  u64 got = 0;
  for (; e < end; e += step) {
    got |= once(masks + once(s.back + e));
    if (s.how & EARLY && (got & missing) == missing) break;
  }
  return got & missing;
}

DEV u64 warp_either(u64 x) {
  for (u32 by = 16; by; by >>= 1) x |= shuffle_xor(ALL, (u32)x, by) | (u64)shuffle_xor(ALL, (u32)(x >> 32), by) << 32;
  return x;
}

// What each lane's vertex gets of the searches that it misses; the warp shares long rows.
DEV u64 gather_rows(const Search &s, const u64 *masks, u32 v, u64 missing) {
  u64 e = 0, end = 0;
  if (missing) e = once(s.back_offsets + v), end = once(s.back_offsets + v + 1);
  u64 soon = end - e > LANE_ROW ? e + LANE_ROW : end, got = gather(s, masks, e, soon, 1, missing);
  bool rest = soon < end && got != missing;
  for (u32 who = ballot(ALL, rest); who; who &= who - 1) {
    u32 o = lowest(who);
    u64 last = shuffle64(ALL, end, o), wanted = shuffle64(ALL, missing, o), have = shuffle64(ALL, got, o);
    for (u64 from = shuffle64(ALL, soon, o); from < last && (have != wanted || !(s.how & EARLY)); from += 256) {
      u64 to = from + 256 < last ? from + 256 : last;
      have |= warp_either(gather(s, masks, from + lane_id(), to, 32, wanted));
    }
    if (lane_id() == o) got = have;
  }
  return got;
}

DEV void pull_many(const Search &s, const Level &l, Finds &f, u64 *masks) {
  u32 lane = lane_id(), words = s.pull_words, per_block = block_size() >> 5, *front = bitmap_of(s, 2);
  for (u32 word = block_id() * per_block + warp_id(); word < words; word += grid_size() * per_block) {
    u32 v = word * 32 + lane, edges = 0;
    bool may = v < s.vertices && !(s.open && !(once(s.open + word) >> lane & 1));
    u64 had = may ? once(masks + v) : 0, missing = may ? l.alive & ~had : 0, got = 0;
    if (ballot(ALL, missing != 0)) got = gather_rows(s, masks, v, missing);
    bool mine = got != 0;
    if (mine) {
      masks[(u64)s.vertices + v] = had | got;
      edges = edges_of(s, v);
      f.edges += edges, f.size++, f.stopped += s.how & EARLY && got == missing;
    }
    keep_hubs(s, f, mine, v, edges);
    u32 found = ballot(ALL, mine);
    if (lane == 0) front[word] = found;
  }
}

// A level of several searches: into the masks after it.
KERNEL(many_level, 256)(SEARCH, u64 *masks, u32 slot) {
  SHARED(u32, own, PRIVATE);
  SHARED(u32, places, 2);
  SHARED(u64, sums, 4);
  Search s = ALL_OF_SEARCH;
  const Level l = levels[slot];
  bool pull = pulls_many(s, l);
  if (over(s, l) || pull && !back) return pass_on(s, l, slot, !over(s, l));
  go_on(s, l, levels + slot + 1, pull);
  Finds f = start_finds(s, levels + slot + 1, 1 - l.queue, own, places, sums);
  if (pull) {
    pull_many(s, l, f, masks);
  } else {
    along(s, l, [&](u32 v, bool valid, u64 e) INLINE {
      u32 w = valid ? once(targets + e) : 0, edges = 0;
      bool mine = valid && !(open && !(once(open + (w >> 5)) >> (w & 31) & 1));
      u64 had = mine ? once(masks + w) : 0, fresh = mine ? once(masks + v) & ~had : 0;
      mine = fresh && either(masks + (u64)vertices + w, fresh) == had; // the first one to add to it queues it
      if (mine) edges = edges_of(s, w);
      find(s, f, mine, w, edges);
    });
    if (first_lane() && l.many) add(&tally[BY_GRID], (u64)l.many);
    if (first_lane() && l.some) add(&tally[BY_BLOCK], (u64)l.some);
  }
  end_finds(s, f);
}

// Ends a level of several searches: the frontier's masks after it are those before the next one.
KERNEL(many_settle, 256)(SEARCH, u64 *masks, u32 slot) {
  Search s = ALL_OF_SEARCH;
  Level *l = levels + slot;
  if (!l->size || l->waits) return;
  const u32 *queue = queue_of(s, l->queue), *large = hubs_of(s, l->queue), *front = bitmap_of(s, 2);
  u64 alive = 0, lanes = (u64)grid_size() * block_size(), me = (u64)block_id() * block_size() + thread_id();
  auto settle = [&](u32 v) INLINE {
    u64 now = masks[(u64)vertices + v], fresh = now & ~masks[v];
    masks[v] = now;
    if (fresh && !alive && !read(&l->vertex) && !swap_if(&l->vertex, 0, v + 1)) l->source = lowest((u32)fresh ? (u32)fresh : (u32)(fresh >> 32)) + ((u32)fresh ? 0 : 32);
    alive |= fresh;
  };
  for (u64 i = me; i < l->some; i += lanes) settle(once(queue + (vertices - 1 - i)));
  for (u64 i = me; i < l->many; i += lanes) settle(once(large + i));
  for (u64 i = me; !l->pulled && i < l->few; i += lanes) settle(once(queue + i));
  for (u64 v = me; l->pulled && v < vertices; v += lanes)
    if (once(front + (v >> 5)) >> (v & 31) & 1 && edges_of(s, (u32)v) < hub) settle((u32)v);
  alive = warp_either(alive);
  if (lane_id() == 0 && alive) either(&l->alive, alive);
}
