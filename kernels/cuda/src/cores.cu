// Core decomposition in three ways: by peeling, by passes (RLCore) and by estimates (ESCore).
//
// Input: for what counts, and for those that lose a neighbour when a vertex goes (the reverse view, where there is a direction),
// rows in CSR form without repeats; loops are ignored. Fewer than 2^31 vertices.
//
// What makes peeling fast: one launch does a level. A block looks through its part of the vertices that are left, queues those at
// the level in its shared memory and works off what falls to the level by their removal, too, without going back to the grid;
// only what is too much for one block (its queue is full, the removal frees ever more, a row is long) is left to the whole grid
// in the next launch. No lock: who sets GONE has the vertex, a decrement that meets a vertex at the level is taken back. A level
// that nobody is at is jumped over by the least degree that was seen; the list of those left is written anew when half of it is
// gone. Estimates need no atomic arithmetic on the graph: a warp (for a hub a block) alone writes its vertex, and what others
// read may be a little old, for estimates only fall; it counts neighbours by estimate in shared memory. In all three ways
// launches find out what to do in what the launch before has left (Step), so that the host enqueues many ahead; those behind the
// end return at once.
#include "lists.cuh"

#define GONE 0x80000000u
#define CASCADE 4096 // vertices in the queue of a block
#define TILE 2048    // vertices that a block looks at before it works off its queue, at most
#define BUDGET 4     // edges for each place of its queue after which a block leaves what it has queued to the others

// What a launch leaves to the next one. The host reads them many launches later.
struct Step {
  u32 level, size, list;   // the level; how many vertices are listed, in which list (0: all, 1 or 2)
  u32 live;                // vertices left when it began
  u32 done;                // nothing was to do
  u32 skipped, dropped;    // levels jumped over, vertices that were dropped from the list
  u32 kept;                // vertices written to the other list; ~0: none was written
  u32 removed, spilled, chunks, least; // counted while it ran; least is a complement
  u32 restored, cascaded, hubs, spare;
};

// The degree of every vertex by the view that counts, without those outside and itself; GONE for those outside. inside is a
// bitmap, or 0 for all; a simple graph (no loops, all inside) needs no look at the rows. state, if it is given, is 0 for those
// inside, else 2; step takes the number inside.
KERNEL(core_start, 256)(const u64 *offsets, const u32 *targets, u32 vertices, const u32 *inside, u32 simple, u32 *degree, u32 *state, u32 *step) {
  Step *first = (Step *)step;
  u32 taken = 0;
  if (simple) {
    for (u32 v = block_id() * block_size() + thread_id(); v < vertices; v += grid_size() * block_size())
      degree[v] = (u32)(once(offsets + v + 1) - once(offsets + v)), taken++;
    if (state)
      for (u32 v = block_id() * block_size() + thread_id(); v < vertices; v += grid_size() * block_size()) state[v] = 0;
  } else {
    u32 warps = grid_size() * (block_size() >> 5);
    for (u32 v = block_id() * (block_size() >> 5) + warp_id(); v < vertices; v += warps) {
      u32 n = 0;
      bool in = !inside || once(inside + (v >> 5)) >> (v & 31) & 1;
      if (in)
        for (u64 e = once(offsets + v) + lane_id(), end = once(offsets + v + 1); e < end; e += 32) {
          u32 w = once(targets + e);
          n += w != v && (!inside || once(inside + (w >> 5)) >> (w & 31) & 1);
        }
      n = warp_sum(n);
      if (lane_id() == 0) {
        degree[v] = in ? n : GONE, taken += in;
        if (state) state[v] = in ? 0 : 2;
      }
    }
  }
  taken = warp_sum(taken);
  if (lane_id() == 0 && taken) add(&first->live, taken);
}

// Takes GONE off again: what is left is the coreness.
KERNEL(core_finish, 256)(u32 *degree, u32 vertices) {
  for (u32 v = block_id() * block_size() + thread_id(); v < vertices; v += grid_size() * block_size()) degree[v] &= ~GONE;
}

// A bitmap of the vertices whose number is at least so much: those without GONE have it, too, when least is 0.
KERNEL(core_atleast, 256)(const u32 *core, u32 vertices, u32 least, u32 *bits) {
  for (u32 base = block_id() * block_size() + (thread_id() & ~31u); base < vertices; base += grid_size() * block_size()) {
    u32 v = base + lane_id(), x = v < vertices ? once(core + v) : GONE;
    u32 word = ballot(ALL, !(x & GONE) && x >= least);
    if (lane_id() == 0) bits[base >> 5] = word;
  }
}

// Lists the bits of a bitmap, rising; ranks are the numbers of bits before each word.
KERNEL(list_bits, 256)(const u32 *bits, const u64 *ranks, u32 words, u32 *list) {
  for (u32 w = block_id() * (block_size() >> 5) + warp_id(); w < words; w += grid_size() * (block_size() >> 5)) {
    u32 word = once(bits + w);
    if (word >> lane_id() & 1) list[once(ranks + w) + popcount(word & lanes_below())] = w << 5 | lane_id();
  }
}

// ---- peeling ----

// Where everything is.
struct Peel {
  const u64 *offsets;
  const u32 *targets;
  u32 *degree, *spill;
  u64 *chunks;
  u32 *local, *ends; // the block's queue; where it ends, and the edges of the present drain
  Step *now;
  u32 level, room, hub_degree, chunk, restores;
  u32 least, restored, removed, cascaded; // of this lane
};

DEV bool claim(Peel &p, u32 v) {
  if (either(p.degree + v, GONE) & GONE) return false;
  p.removed++;
  return true;
}

// Takes one from the degree of w; true where w leaves by that and is the lane's.
DEV bool lower(Peel &p, u32 w) {
  u32 d = read(p.degree + w);
  if (d <= p.level || d & GONE) return false;
  if (p.restores) {
    d = add(p.degree + w, ~0u);
    if (d <= p.level || d & GONE) {
      add(p.degree + w, 1);
      p.restored++;
      return false;
    }
  } else {
    for (u32 was; (was = swap_if(p.degree + w, d, d - 1)) != d; d = was)
      if (was <= p.level || was & GONE) return false;
  }
  if (d == p.level + 1) return claim(p, w);
  if (d - 1 < p.least) p.least = d - 1;
  return false;
}

// True: the block keeps it.
DEV bool push(Peel &p, u32 w) {
  u32 at = p.room ? add(&p.ends[0], 1) : 0;
  if (at < p.room) exchange(&p.local[at], w);
  else p.spill[add(&p.now->spilled, 1)] = w;
  return at < p.room;
}

// Removes a vertex of each lane that has one: all lanes share the edges. Long rows are left in chunks.
DEV void remove_rows(Peel &p, bool mine, u32 v) {
  u64 begin = mine ? once(p.offsets + v) : 0, row = mine ? once(p.offsets + v + 1) - begin : 0;
  if (row >= p.hub_degree) {
    u32 n = (u32)((row + p.chunk - 1) / p.chunk), at = add(&p.now->chunks, n);
    for (u32 i = 0; i < n; i++) p.chunks[at + i] = (u64)i << 32 | v;
    add(&p.now->hubs, 1);
    row = 0;
  }
  u32 all, prefix = warp_prefix((u32)row, &all);
  if (lane_id() == 0 && all) add(&p.ends[1], all);
  for (u32 x0 = 0; x0 < all; x0 += 32) {
    u32 x = x0 + lane_id(), o = owner_of(prefix, x < all ? x : all - 1);
    u64 from = shuffle64(ALL, begin, o);
    u32 below = shuffle(ALL, prefix, o);
    if (x >= all) continue;
    u32 w = once(p.targets + from + (x - below));
    if (lower(p, w)) p.cascaded += push(p, w);
  }
}

// Removes what is in the block's queue, and what comes into it meanwhile.
DEV void drain(Peel &p) {
  u32 head = 0, warps = block_size() >> 5;
  for (bool again = false;; again = true) {
    sync_block();
    u32 tail = read(&p.ends[0]), work = read(&p.ends[1]);
    if (tail > p.room) tail = p.room;
    sync_block();
    if (head == tail) break;
    if (again && work > BUDGET * p.room && tail - head > 2 * warps) {
      for (u32 i = head + thread_id(); i < tail; i += block_size()) {
        p.spill[add(&p.now->spilled, 1)] = read(&p.local[i]);
        p.cascaded--;
      }
      break;
    }
    u32 each = (tail - head + warps - 1) / warps;
    if (each > 32) each = 32;
    for (u32 base = head + warp_id() * each; base < tail; base += warps * each) {
      bool mine = lane_id() < each && base + lane_id() < tail;
      remove_rows(p, mine, mine ? read(&p.local[base + lane_id()]) : 0);
    }
    head = tail;
  }
  if (thread_id() == 0) {
    exchange(&p.ends[0], 0);
    exchange(&p.ends[1], 0);
  }
  sync_block();
}

// Queues the vertices at the level, and lists those above it where there is a list to write.
DEV void scan_list(Peel &p, const u32 *list, u32 size, u32 *kept) {
  u32 most = (size + grid_size() - 1) / grid_size();
  most = most > TILE ? TILE : (most + 31) & ~31u;
  for (u32 tile = block_id() * most; tile < size; tile += grid_size() * most) {
    sync_block();
    u32 queued = read(&p.ends[0]);
    sync_block();
    if (queued && queued + most > p.room) drain(p);
    u32 end = tile + most < size ? tile + most : size;
    for (u32 base = tile + (thread_id() & ~31u); base < end; base += block_size()) {
      u32 i = base + lane_id(), v = 0, d = GONE;
      if (i < end) {
        v = list ? once(list + i) : i;
        d = read(p.degree + v);
      }
      bool stays = !(d & GONE) && d > p.level;
      if (!(d & GONE) && d <= p.level && claim(p, v)) push(p, v);
      if (stays && d < p.least) p.least = d;
      if (kept) enqueue(kept, &p.now->kept, stays, v);
    }
  }
}

// What this launch is to do, by what the last one left. True: something.
DEV bool turn(const Step *was, Step &to, u32 last, u32 skips, u32 shrinks) {
  to.level = once(&was->level), to.size = once(&was->size), to.list = once(&was->list), to.done = 0, to.skipped = 0, to.dropped = 0;
  to.live = once(&was->live) - once(&was->removed), to.least = once(&was->least), to.kept = ~0u;
  u32 kept = once(&was->kept);
  if (kept != ~0u) to.dropped = to.size - kept, to.size = kept, to.list = to.list == 1 ? 2 : 1;
  to.done = once(&was->done) || !to.live;
  if (to.done || once(&was->spilled) || once(&was->chunks)) return !to.done;
  u32 next = skips ? ~to.least : to.level + 1;
  to.skipped = next - (to.level + 1), to.level = next, to.least = 0;
  to.done = next > last;
  if (shrinks && to.live < to.size / 2) to.kept = 0;
  return !to.done;
}

// flags: 1 a decrement that passes the level is taken back, 2 levels are skipped, 4 lists shrink. room is how many vertices a
// block keeps for itself, up to CASCADE; 0: none. lists and spill have room for two lists of vertices, chunks for two of chunk_room.
KERNEL(core_peel, 512)(const u64 *offsets, const u32 *targets, u32 *degree, u32 vertices, const u32 *was, u32 *now, u32 *after, const u32 *stop,
                       u32 *lists, u32 *spill, u64 *chunks, u32 chunk_room, u32 odd, u32 last, u32 room, u32 hub_degree, u32 chunk, u32 flags) {
  SHARED(u32, local, CASCADE);
  SHARED(u32, ends, 3); // see Peel; the last one: whether to stop
  const Step *before = (const Step *)was;
  Step to, *mine = (Step *)now;
  bool busy = turn(before, to, last, flags & 2, flags & 4);
  if (block_id() == 0 && thread_id() == 0) {
    mine->level = to.level, mine->size = to.size, mine->list = to.list, mine->live = to.live, mine->done = to.done;
    mine->skipped = to.skipped, mine->dropped = to.dropped;
    if (to.kept) mine->kept = ~0u; // it was 0
    largest(&mine->least, to.least);
  }
  if (block_id() == 0 && thread_id() < sizeof(Step) / 4) after[thread_id()] = 0;
  if (!busy) return;
  if (thread_id() == 0) {
    exchange(&ends[0], 0);
    exchange(&ends[1], 0);
    exchange(&ends[2], read(stop));
  }
  sync_block();
  if (read(&ends[2])) return;
  Peel p = {offsets, targets, degree, spill + (u64)odd * vertices, chunks + (u64)odd * chunk_room, local, ends, mine,
            to.level, room, hub_degree, chunk, flags & 1, ~0u, 0, 0, 0};
  const u32 *spilled = spill + (u64)!odd * vertices;
  const u64 *left = chunks + (u64)!odd * chunk_room;
  u32 warps = grid_size() * (block_size() >> 5), warp = block_id() * (block_size() >> 5) + warp_id(), n = once(&before->spilled);
  u32 m = once(&before->chunks);
  if (n || m) {
    u32 each = (n + warps - 1) / warps;
    if (each > 32) each = 32;
    for (u32 base = warp * each; base < n; base += warps * each) {
      bool has = lane_id() < each && base + lane_id() < n;
      remove_rows(p, has, has ? once(spilled + base + lane_id()) : 0);
    }
    for (u32 i = warp; i < m; i += warps) {
      u64 c = once(left + i), row = once(offsets + (u32)c), end = once(offsets + (u32)c + 1), at = row + (c >> 32) * chunk;
      if (at + chunk < end) end = at + chunk;
      for (u64 e = at + lane_id(); e < end; e += 32) {
        u32 w = once(targets + e);
        if (lower(p, w)) p.cascaded += push(p, w);
      }
    }
  } else {
    const u32 *list = to.list ? lists + (u64)(to.list - 1) * vertices : 0;
    scan_list(p, list, to.size, to.kept ? 0 : lists + (u64)(to.list == 1 ? 1 : 0) * vertices);
  }
  drain(p);
  note_least(&mine->least, p.least);
  u32 removed = warp_sum(p.removed), restored = warp_sum(p.restored), cascaded = warp_sum(p.cascaded);
  if (lane_id() == 0 && removed) add(&mine->removed, removed);
  if (lane_id() == 0 && restored) add(&mine->restored, restored);
  if (lane_id() == 0 && cascaded) add(&mine->cascaded, cascaded);
}

// ---- passes ----

#define LIVE 0u
#define FLAGGED 1u
#define REMOVED 2u

// Update: removes and flags the vertices of degree below k, whose coreness is k-1; k is that of the pass before, as long as that
// found any. Without flags they are listed. Long rows are left in chunks. flags: 2 levels are skipped, 8 no flags but lists.
KERNEL(core_update, 256)(const u64 *offsets, u32 vertices, u32 *degree, u32 *core, u32 *state, const u32 *was, u32 *now, u32 *after, u32 *list,
                         u64 *chunks, u32 hub_degree, u32 chunk, u32 flags) {
  const Step *before = (const Step *)was;
  Step *mine = (Step *)now;
  u32 k = once(&before->level), live = once(&before->live) - once(&before->removed), next = k;
  if (!once(&before->removed)) next = flags & 2 ? ~once(&before->least) + 1 : k + 1;
  bool done = once(&before->done) || !live;
  if (block_id() == 0 && thread_id() == 0) {
    mine->level = next, mine->live = live, mine->done = done;
    mine->skipped = done || next == k ? 0 : next - k - 1;
  }
  if (block_id() == 0 && thread_id() < sizeof(Step) / 4) after[thread_id()] = 0;
  if (done) return;
  u32 removed = 0, least = ~0u;
  for (u32 base = block_id() * block_size() + (thread_id() & ~31u); base < vertices; base += grid_size() * block_size()) {
    u32 v = base + lane_id(), d = v < vertices ? degree[v] : GONE;
    bool stays = !(d & GONE) && state[v] == LIVE, out = stays && d < next;
    if (out) {
      core[v] = next - 1, state[v] = flags & 8 ? REMOVED : FLAGGED;
      u64 row = once(offsets + v + 1) - once(offsets + v);
      if (row >= hub_degree) {
        u32 n = (u32)((row + chunk - 1) / chunk), at = add(&mine->chunks, n);
        for (u32 i = 0; i < n; i++) chunks[at + i] = (u64)i << 32 | v;
        add(&mine->hubs, 1);
      }
    } else if (stays && d < least) least = d;
    if (flags & 8) enqueue(list, &mine->kept, out, v);
    removed += popcount(ballot(ALL, out));
  }
  if (lane_id() == 0 && removed) add(&mine->removed, removed);
  note_least(&mine->least, least);
}

// Takes one from the degree of the live neighbours at [begin, end), lane by lane.
DEV void scatter_row(const u32 *targets, u64 begin, u64 end, u32 *degree, u32 *state) {
  for (u64 e = begin + lane_id(); e < end; e += 32) {
    u32 w = once(targets + e);
    if (read(state + w) == LIVE) add(degree + w, ~0u);
  }
}

// Scatter: takes one from the degree of every live neighbour of a flagged (or listed) vertex, and clears the flags.
KERNEL(core_scatter, 256)(const u64 *offsets, const u32 *targets, u32 vertices, u32 *degree, u32 *state, const u32 *now, const u32 *list,
                          const u64 *chunks, u32 hub_degree, u32 chunk, u32 flags) {
  const Step *mine = (const Step *)now;
  if (!once(&mine->removed)) return;
  u32 warps = grid_size() * (block_size() >> 5), lane = lane_id(), n = flags & 8 ? once(&mine->kept) : vertices;
  for (u32 base = (block_id() * (block_size() >> 5) + warp_id()) * 32; base < n; base += warps * 32) {
    u32 v = base + lane, flagged;
    if (flags & 8) flagged = ballot(ALL, v < n), v = v < n ? once(list + v) : 0;
    else flagged = ballot(ALL, v < n && read(state + v) == FLAGGED);
    for (u32 m = flagged; m; m &= m - 1) {
      u32 u = shuffle(ALL, v, lowest(m));
      u64 begin = once(offsets + u), end = once(offsets + u + 1);
      if (end - begin < hub_degree) scatter_row(targets, begin, end, degree, state);
    }
    if (!(flags & 8) && flagged >> lane & 1) exchange(state + v, REMOVED);
  }
  u32 m = once(&mine->chunks);
  for (u32 i = block_id() * (block_size() >> 5) + warp_id(); i < m; i += warps) {
    u64 c = once(chunks + i), end = once(offsets + (u32)c + 1), at = once(offsets + (u32)c) + (c >> 32) * chunk;
    scatter_row(targets, at, at + chunk < end ? at + chunk : end, degree, state);
  }
}

// ---- estimates ----

#define BUCKETS 256
#define HUBS 64 // vertices of long rows that a block does with all its warps

// The largest h in [0, old] such that h of the entries estimate theirs at h or more. A warp finds it, or with BLOCK all of the block:
// they count the entries by estimate, in BUCKETS parts of what is left of the range. answer is a word of the block.
template <bool BLOCK>
DEV u32 h_index(const u32 *targets, u64 begin, u64 end, u32 v, const u32 *estimate, u32 old, u32 *buckets, u32 *answer) {
  u32 me = BLOCK ? thread_id() : lane_id(), lanes = BLOCK ? block_size() : 32, lo = 0, hi = old;
  while (lo < hi) {
    u32 width = (hi - lo) / BUCKETS + 1, best = 0;
    for (u32 b = me; b < BUCKETS; b += lanes) exchange(&buckets[b], 0);
    BLOCK ? sync_block() : sync_warp(ALL);
    for (u64 e = begin + me; e < end; e += lanes) {
      u32 w = once(targets + e), of = read(estimate + w);
      if (w != v && !(of & GONE) && of >= lo) add(&buckets[((of < hi ? of : hi) - lo) / width], 1);
    }
    BLOCK ? sync_block() : sync_warp(ALL);
    if (!BLOCK || warp_id() == 0) {
      const u32 each = BUCKETS / 32;
      u32 own = 0, all;
      for (u32 b = 0; b < each; b++) own += read(&buckets[lane_id() * each + b]);
      u32 above = warp_prefix(own, &all);
      above = all - above - own;
      for (u32 b = each; b-- > 0;) {
        above += read(&buckets[lane_id() * each + b]);
        u32 at = lane_id() * each + b;
        if (above >= lo + at * width && lo + at * width <= hi && at > best) best = at;
      }
      for (u32 by = 16; by; by >>= 1) {
        u32 other = shuffle_xor(ALL, best, by);
        if (other > best) best = other;
      }
      if (BLOCK && lane_id() == 0) exchange(answer, best);
    }
    if (BLOCK) {
      sync_block();
      best = read(answer);
    }
    BLOCK ? sync_block() : sync_warp(ALL);
    lo += best * width;
    if (lo + width - 1 < hi) hi = lo + width - 1;
  }
  return lo;
}

// The same for up to 32 entries: each is a lane's.
DEV u32 h_index_short(const u32 *targets, u64 begin, u64 end, u32 v, const u32 *estimate, u32 old) {
  u32 of = 0, lo = 0, hi = old < 32 ? old : 32;
  if (begin + lane_id() < end) {
    u32 w = once(targets + begin + lane_id());
    of = read(estimate + w);
    if (w == v || of & GONE) of = 0;
  }
  while (lo < hi) {
    u32 h = (lo + hi + 1) >> 1;
    if (popcount(ballot(ALL, of >= h)) >= h) lo = h;
    else hi = h - 1;
  }
  return lo;
}

// Makes those active that had counted on v for more than it has now: all lanes of some warps, this one the first of them or a later one.
DEV void wake(const u64 *back, const u32 *backs, u32 v, u32 now, const u32 *estimate, u32 *listed, u32 pass, u32 *next, u32 *count, u32 warp, u32 warps) {
  u64 end = once(back + v + 1);
  for (u64 e = once(back + v) + warp * 32; e < end; e += warps * 32) {
    u32 w = 0;
    bool wakes = false;
    if (e + lane_id() < end) {
      w = once(backs + e + lane_id());
      u32 of = read(estimate + w);
      wakes = w != v && !(of & GONE) && of > now && exchange(listed + w, pass + 1) != pass + 1;
    }
    enqueue(next, count, wakes, w);
  }
}

// Every active vertex takes the largest h such that h of its neighbours estimate theirs at h or more. If that is less than
// before, the neighbours (by the reverse view, back) that had counted on more become active in the next pass. flags: 16 only those
// that are active are looked at. A step's kept are those woken, removed those that fell.
KERNEL(core_estimate, 256)(const u64 *offsets, const u32 *targets, u32 vertices, u32 *estimate, const u64 *back, const u32 *backs, const u32 *active,
                           u32 *next, u32 *listed, u32 pass, const u32 *was, u32 *now, u32 *after, const u32 *stop, u32 hub_degree, u32 flags) {
  SHARED(u32, buckets, 8 * BUCKETS);
  SHARED(u32, hubs, HUBS);
  SHARED(u32, ends, 2); // of the hubs, and a best bucket
  const Step *before = (const Step *)was;
  Step *mine = (Step *)now;
  u32 warps = grid_size() * (block_size() >> 5), lane = lane_id(), changes = 0, size = once(&before->kept);
  if (!(flags & 16)) size = size ? vertices : 0; // those that were woken are all counted, and all looked at
  bool all = !(flags & 16) || pass == 1, done = once(&before->done) || !size;
  if (block_id() == 0 && thread_id() == 0) mine->done = done;
  if (block_id() == 0 && thread_id() < sizeof(Step) / 4) after[thread_id()] = 0;
  if (done) return;
  if (thread_id() == 0) exchange(&ends[0], 0);
  sync_block();
  for (u32 i = block_id() * (block_size() >> 5) + warp_id(); i < size; i += warps) {
    if (shuffle(ALL, lane == 0 ? read(stop) : 0, 0)) break;
    u32 v = all ? i : once(active + i);
    u64 begin = once(offsets + v), end = once(offsets + v + 1);
    u32 old = shuffle(ALL, read(estimate + v), 0), h;
    if (old & GONE) continue;
    if (end - begin >= hub_degree) {
      u32 at = warp_take(&ends[0], 1);
      if (at < HUBS) {
        if (lane == 0) exchange(&hubs[at], v);
        continue;
      }
    }
    if (end - begin <= 32) h = h_index_short(targets, begin, end, v, estimate, old);
    else h = h_index<false>(targets, begin, end, v, estimate, old, buckets + warp_id() * BUCKETS, 0);
    if (h >= old) continue;
    if (lane == 0) exchange(estimate + v, h), changes++;
    wake(back, backs, v, h, estimate, listed, pass, next, &mine->kept, 0, 1);
  }
  sync_block();
  u32 n = read(&ends[0]);
  if (n > HUBS) n = HUBS;
  for (u32 i = 0; i < n; i++) {
    u32 v = read(&hubs[i]), old = read(estimate + v);
    u32 h = h_index<true>(targets, once(offsets + v), once(offsets + v + 1), v, estimate, old, buckets, &ends[1]);
    sync_block(); // all have read the old estimate
    if (h >= old) continue;
    if (thread_id() == 0) exchange(estimate + v, h), changes++;
    wake(back, backs, v, h, estimate, listed, pass, next, &mine->kept, warp_id(), block_size() >> 5);
  }
  if (lane == 0 && changes) add(&mine->removed, changes);
  if (thread_id() == 0 && n) add(&mine->hubs, n);
}
