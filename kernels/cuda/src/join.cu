// The candidate-vertex join where there is no room for the tables of join_level.cu: matches of a pattern, counted or written to a
// page, one query vertex (step) after the other, depth first.
//
// Input: plan, which join_plan.go lays out (PLAN_ below); roots lists the candidates of step 0; neighbour lists are sorted. A
// page takes rows of as many words as there are steps (and two for the weight, if plan says so); without one, matches are
// counted. There are 2 to 16 steps, and fewer than 2^27 vertices.
//
// What makes it fast: a warp keeps partial matches in frames, one a step, and extends 32 of them at a time: the entries of
// their 32 shortest neighbour lists are spread evenly over its lanes, whatever the lengths (GpSI gives each row a warp, and lanes
// idle where lists are short). Whatever passes goes to the next frame, which is extended as soon as it holds 32 rows. So all
// lanes are busy, the search is as good as depth first, and its memory is a few KB a warp. The last step is never stored.
//
// Last steps that take all of one list, and do not depend on each other, are counted by the lengths of their lists.
//
// A launch ends by the clock, in turns of the warps, or when a quarter of them have nothing to do: what a warp has then not got
// to is dealt, as rows with a range of their entries, to whoever takes it in the next launch, so that no warp is left alone with
// the neighbours of a hub. Where the tables for that are full, and where a page of matches is, a warp stores its frames and goes
// on from there itself.
#include "join.cuh"

#define SLOTS 64 // rows of a frame: up to 31 that wait and 32 that come
#define HEAD 192  // words of a frame before its weights: lists, where they start among all entries, lengths, sources, what was cut off
#define STATE 160 // words of a stored warp before its frames
#define PIECE 128  // entries of a row that are dealt together, at least
#define PIECES 64  // of a row, at most

// A search has a frame for each step but the last, and one more, the last, for up to 32 roots or rows that were dealt to the warp.
struct Search {
  const u64 *plan;
  u32 *frames;
  u32 fixed, steps; // fixed: words of a frame before its rows
  bool weighted;
};

DEV u32 *frame_of(const Search &j, u32 k) { return j.frames + k * j.fixed + SLOTS / 2 * k * (k + 1); }
DEV u32 *rows_of(const Search &j, u32 k) { return frame_of(j, k) + j.fixed; }
DEV u64 *weights_of(const Search &j, u32 k) { return (u64 *)(frame_of(j, k) + HEAD); }
DEV Row row_of(const Search &j, u32 k, u32 slot) { return {rows_of(j, k), SLOTS, slot, ~0u, 0}; }

// Finds for the first rows of frame k, which are of some step, the shortest list to extend them from, cut to what the next step
// may take, and of that to the lane's entries at [first, end). Returns the sum of their lengths. apart has every row start at a
// multiple of 32 entries.
DEV u32 prepare(const Search &j, u32 k, u32 of_step, u32 rows, bool apart, u32 first, u32 end) {
  u32 lane = lane_id(), n = 0, chosen = ~0u;
  u32 *frame = frame_of(j, k);
  const u32 *list = 0;
  if (lane < rows) {
    list = shortest(j.plan, row_of(j, k, lane), of_step + 1, &n, &chosen);
    if (end < n) n = end;
    n = first < n ? n - first : 0;
    list += first;
  }
  u32 all, prefix = warp_prefix(apart ? (n + 31) & ~31u : n, &all);
  ((u64 *)frame)[lane] = (u64)list;
  frame[64 + lane] = prefix;
  frame[96 + lane] = n;
  frame[128 + lane] = chosen;
  frame[160 + lane] = first;
  sync_warp(ALL);
  return all;
}

// The lane's row of the batch of frame k.
struct Batch {
  u64 list;
  u32 prefix, n, chosen;
};
DEV Batch batch_of(const Search &j, u32 k) {
  const u32 *frame = frame_of(j, k);
  u32 lane = lane_id();
  return {((const u64 *)frame)[lane], frame[64 + lane], frame[96 + lane], frame[128 + lane]};
}

// Entry x of the batch of frame k, and whether it completes a row of step s.
struct Entry {
  Row row;
  u64 weight;
  bool passed;
};
DEV Entry entry_of(const Search &j, u32 k, u32 s, const Batch &b, u32 x, u32 all, u32 *beyond) {
  u32 o = owner_of(b.prefix, x < all ? x : all - 1);
  const u32 *list = (const u32 *)shuffle64(ALL, b.list, o);
  u32 at = x - shuffle(ALL, b.prefix, o), n = shuffle(ALL, b.n, o), chosen = shuffle(ALL, b.chosen, o);
  Entry e = {{rows_of(j, k), SLOTS, o, s, 0}, 1, x < all && at < n};
  if (e.passed) {
    e.row.w = once(list + at);
    if (j.weighted) e.weight = weights_of(j, k)[o];
    e.passed = passes(j.plan, e.row, chosen, &e.weight, beyond);
  }
  return e;
}

// Appends the lanes' rows that passed, which are of some step, to frame k; count is how many there were. Returns how many there are.
DEV u32 append(const Search &j, u32 k, u32 step, u32 count, const Entry &e) {
  u32 who = ballot(ALL, e.passed), slot = count + popcount(who & lanes_below());
  if (e.passed) {
    u32 *rows = rows_of(j, k);
    for (u32 p = 0; p < step; p++) rows[p * SLOTS + slot] = e.row.rows[p * SLOTS + e.row.slot];
    rows[step * SLOTS + slot] = e.row.w;
    if (j.weighted) weights_of(j, k)[slot] = e.weight;
  }
  sync_warp(ALL);
  return count + popcount(who);
}

// Moves what waits behind the first 32 rows of frame k, which are of some step, to the front. Returns how many rows that is.
DEV u32 retire(const Search &j, u32 k, u32 of_step, u32 count) {
  u32 lane = lane_id(), left = count > 32 ? count - 32 : 0;
  sync_warp(ALL);
  if (lane < left) {
    u32 *row = rows_of(j, k) + lane;
    for (u32 p = 0; p <= of_step; p++) row[p * SLOTS] = row[p * SLOTS + 32];
    if (j.weighted) weights_of(j, k)[lane] = weights_of(j, k)[lane + 32];
  }
  sync_warp(ALL);
  return left;
}

// Takes up to `most` roots into the last frame. Returns how many fit, ~0 if there are no more roots.
DEV u32 take_roots(const Search &j, const u32 *roots, u32 last, u32 *next, u32 most, u32 *beyond) {
  u32 at = ~0u, lane = lane_id(), k = j.steps - 1;
  if (lane == 0 && read(next) < last) at = add(next, most);
  at = shuffle(ALL, at, 0);
  if (at >= last) return ~0u;
  Entry e = {{rows_of(j, k), SLOTS, 0, 0, 0}, 1, lane < most && at + lane < last};
  if (e.passed) {
    e.row.w = once(roots + at + lane);
    e.passed = passes(j.plan, e.row, ~0u, &e.weight, beyond);
  }
  return append(j, k, 0, 0, e);
}

// Where matches go: rows of words each; marks[0] counts those asked for, marks[1] is the complement of the first that had
// no room.
struct Page {
  u32 *rows, *marks;
  u32 most, words;
};

// Writes the lanes' matches. Returns false, and writes none, if the page is full.
DEV bool give(const Search &j, const Page &page, const Entry &e) {
  u32 who = ballot(ALL, e.passed), n = popcount(who), at = 0;
  if (!n) return true;
  if (lane_id() == 0) at = add(page.marks, n);
  at = shuffle(ALL, at, 0);
  if (at + n > page.most) {
    if (lane_id() == 0) largest(page.marks + 1, ~at);
    return false;
  }
  if (e.passed) {
    u32 *out = page.rows + (u64)(at + popcount(who & lanes_below())) * page.words;
    for (u32 p = 0; p < e.row.s; p++) out[p] = e.row.rows[p * SLOTS + e.row.slot];
    out[e.row.s] = e.row.w;
    if (j.weighted) out[e.row.s + 1] = (u32)e.weight, out[e.row.s + 2] = (u32)(e.weight >> 32);
  }
  return true;
}

// Rows that are dealt: a table a step, each of `room` rows, which have the vertices, the weight, and the range of entries that
// is left of them. Of each step, counts[step] rows were asked for, and counts[LEVELS + step] is the complement of the first
// for which there was no room.
struct Table {
  u32 *rows, *counts;
  u32 room;
};
DEV u32 rows_dealt(const Table &t, u32 step) {
  u32 asked = t.counts[step], end = ~t.counts[LEVELS + step];
  return end < asked ? end : asked;
}
DEV u32 row_words(const Search &j, u32 step) { return step + 3 + (j.weighted ? 2 : 0); }
DEV u32 *dealt_row(const Search &j, u32 *rows, u32 room, u32 step, u32 at) {
  u32 before = step * (j.weighted ? 4 : 2) + step * (step + 1) / 2; // words of a row of each step before
  return rows + (u64)before * room + (u64)at * row_words(j, step);
}

// Deals the lanes' rows of a frame, from slot on, in pieces. Returns false, and deals none, if there is no room.
DEV bool deal(const Search &j, const Table &out, u32 k, u32 step, u32 slot, u32 rows, u32 first, u32 end) {
  u32 lane = lane_id(), size = ~0u, pieces = 0, all, at = ~0u;
  if (lane < rows && first < end) {
    if (end != ~0u) size = (end - first + PIECES - 1) / PIECES;
    if (size < PIECE) size = PIECE;
    pieces = end == ~0u ? 1 : (end - first + size - 1) / size;
  }
  u32 prefix = warp_prefix(pieces, &all);
  if (!all) return true;
  if (lane == 0 && read(out.counts + step) < out.room) {
    at = add(out.counts + step, all);
    if (at + all > out.room) {
      largest(out.counts + LEVELS + step, ~at);
      at = ~0u;
    }
  }
  at = shuffle(ALL, at, 0);
  if (at == ~0u) return false;
  const u32 *row = rows_of(j, k) + slot + lane;
  for (u32 i = 0; i < pieces; i++) {
    u32 *to = dealt_row(j, out.rows, out.room, step, at + prefix + i);
    for (u32 p = 0; p <= step; p++) *to++ = row[p * SLOTS];
    if (j.weighted) {
      u64 weight = weights_of(j, k)[slot + lane];
      *to++ = (u32)weight, *to++ = (u32)(weight >> 32);
    }
    u32 from = first + i * size;
    *to++ = from;
    *to = end == ~0u || end - from <= size ? end : from + size;
  }
  return true;
}

// Takes up to `most` rows that were dealt into the last frame, from the deepest step first; left has the steps that may have some, as
// bits. Returns their number, and the entries that they are to be extended by; 0: none is left.
DEV u32 take_dealt(const Search &j, const Table &in, u32 *taken, u32 most, u32 *left, u32 *step, u32 *all, bool apart) {
  u32 lane = lane_id(), k = j.steps - 1;
  for (; *left; *left &= ~(1u << highest(*left))) {
    u32 s = highest(*left), rows = rows_dealt(in, s), at = ~0u;
    if (lane == 0 && read(taken + s) < rows) at = add(taken + s, most);
    at = shuffle(ALL, at, 0);
    if (at >= rows) continue;
    u32 n = rows - at < most ? rows - at : most, first = 0, last = 0;
    if (lane < n) {
      const u32 *from = dealt_row(j, in.rows, in.room, s, at + lane);
      u32 *row = rows_of(j, k) + lane;
      for (u32 p = 0; p <= s; p++) row[p * SLOTS] = once(from++);
      if (j.weighted) {
        weights_of(j, k)[lane] = once(from) | (u64)once(from + 1) << 32;
        from += 2;
      }
      first = once(from), last = once(from + 1);
    }
    *step = s;
    *all = prepare(j, k, s, n, apart, first, last);
    return n;
  }
  return 0;
}

DEV u32 share_of(u32 rows, u32 warps) {
  u32 n = (rows + warps - 1) / warps;
  return n < 1 ? 1 : n < 32 ? n : 32;
}

DEV void copy_words(u32 *to, const u32 *from, u32 n) {
  for (u32 i = lane_id(); i < n; i += 32) to[i] = from[i];
  sync_warp(ALL);
}

// board has, from these words on: marks (matches asked for of the page, the complement of the first without room, whether a
// number was beyond 64 bits, warps that go on by themselves), roots taken, idle warps, dealt rows taken by step.
#define BOARD_NEXT 4
#define BOARD_IDLE 5 // warps that have found nothing more to take
#define BOARD_TAKEN 16

// What a warp that looks up now and then does next: go on, end, or deal what it has, since a quarter of all warps have nothing to do.
#define END 1
DEV u32 look(const u32 *stop, const u32 *board, u32 warps, bool dealing) {
  u32 lane = lane_id(), v = 0;
  if (lane == 0) v = read(stop);
  if (lane == 1 && dealing) v = read(board + BOARD_IDLE) > warps / 4;
  return ballot(ALL, v != 0);
}

// total gets how many matches there are, in 128 bits, how many partial ones there were, in how many batches, and how many of
// them had the last step counted by their lists' lengths. State holds the warps' frames
// between launches, and always, if they do not fit in shared memory. apart gives each row a warp, as GpSI does. A warp ends after
// so many turns as limit says, or after patience turns once others wait for work.
#define THREADS 128, 6 // of a block, and blocks that a multiprocessor should have registers for
KERNEL(join, THREADS)(const u64 *plan, u32 plan_words, const u32 *roots, u32 last, u32 *board, const u32 *stop, u64 *total, u32 *state, u32 frame_words,
                  u32 in_shared, u32 apart, u32 resume, u32 limit, u32 patience, u32 *page_rows, u32 page_most, u32 *in_rows, u32 *in_counts, u32 *out_rows,
                  u32 *out_counts, u32 room) {
  DYNAMIC(u64, memory);
  for (u32 i = thread_id(); i < plan_words; i += block_size()) memory[i] = once(plan + i);
  sync_block();
  u32 lane = lane_id(), beyond = 0, ticks = 0;
  Search j = {memory, 0, 0, (u32)memory[PLAN_STEPS], memory[PLAN_WEIGHTED] != 0};
  j.fixed = HEAD + (j.weighted ? 2 * SLOTS : 0);
  u32 *own = state + (u64)(block_id() * (block_size() >> 5) + warp_id()) * (STATE + frame_words);
  j.frames = in_shared ? (u32 *)(memory + plan_words) + warp_id() * frame_words : own + STATE;
  Page page = {page_rows, board, page_most, j.steps + (j.weighted ? 2 : 0)};
  Table in = {in_rows, in_counts, room}, out = {out_rows, out_counts, room};
  u32 counted = page_rows ? j.steps : (u32)memory[PLAN_COUNTED];
  Sums sums = {0, 0, 0};
  u64 partial = 0, batches = 0;
  // Lane k has the numbers of frame k: rows, entries of its batch done and in all. open has the frames with a batch, as bits.
  u32 count = 0, at = 0, all = 0, open = 0, dealt = j.steps - 1, dealt_step = 0; // dealt: the frame of rows that were
  if (resume) {
    count = own[lane], at = own[32 + lane], all = own[64 + lane], open = own[96 + lane], dealt_step = own[128 + lane];
    if (in_shared && ballot(ALL, count > 0)) copy_words(j.frames, own + STATE, frame_words);
  }
  // Where there is little to take, all warps get some of it.
  u32 waiting = room && lane + 1 < j.steps ? rows_dealt(in, lane) : 0, left = ballot(ALL, waiting > 0), warps = grid_size() * (block_size() >> 5);
  u32 most = share_of(warp_sum(waiting), warps), most_roots = share_of(last, warps);
  bool more = true, halted = false;
  for (;;) {
    u32 some = ballot(ALL, count > 0), ready = (open | ballot(ALL, count >= 32)) & ~(1u << dealt), k;
    if (ticks >= limit) break;
    if (!(++ticks & 15)) {
      u32 told = look(stop, board, warps, room && ticks >= patience);
      if (told & END) return;
      if (told) break;
    }
    if (ready) {
      k = highest(ready);
    } else if (open >> dealt & 1) {
      k = dealt;
    } else if (left) {
      u32 of = 0, n = take_dealt(j, in, board + BOARD_TAKEN, most, &left, &dealt_step, &of, apart);
      if (lane == dealt) count = n, at = 0, all = of;
      if (n) open |= 1u << dealt, batches++;
      continue;
    } else if (more) {
      u32 n = take_roots(j, roots, last, board + BOARD_NEXT, most_roots, &beyond), of = 0;
      more = n != ~0u;
      if (!more || !n) continue;
      partial += n, batches++, dealt_step = 0;
      of = prepare(j, dealt, 0, n, apart, 0, ~0u);
      if (lane == dealt) count = n, at = 0, all = of;
      open |= 1u << dealt;
      continue;
    } else if (some) {
      k = lowest(some); // what comes of it may fill the next frame
    } else {
      if (lane == 0) add(board + BOARD_IDLE, 1);
      break;
    }
    u32 rows = shuffle(ALL, count, k), step = k == dealt ? dealt_step : k, done = 0, of;
    if (step + 1 == counted) {
      u64 n = lane < rows && j.weighted ? weights_of(j, k)[lane] : lane < rows;
      for (u32 s = counted; s < j.steps && n; s++) n = times(n, length_of(j.plan, row_of(j, k, lane), s), &beyond);
      count_some(&sums, n);
      sums.by_length += lane < rows;
      open &= ~(1u << k);
      rows = retire(j, k, step, rows);
      if (lane == k) count = rows;
      continue;
    }
    if (open >> k & 1) {
      done = shuffle(ALL, at, k), of = shuffle(ALL, all, k);
    } else {
      of = prepare(j, k, step, rows < 32 ? rows : 32, apart, 0, ~0u);
      open |= 1u << k;
      batches++;
    }
    Batch b = batch_of(j, k);
    bool last_step = step + 2 == j.steps;
    u32 next_rows = last_step ? 0 : shuffle(ALL, count, step + 1);
    for (; done < of && next_rows < 32 && ticks < limit; done += 32) {
      if (!(++ticks & 15)) {
        u32 told = look(stop, board, warps, room && ticks >= patience);
        if (told & END) return;
        if (told) limit = 0;
      }
      Entry e = entry_of(j, k, step + 1, b, done + lane, of, &beyond);
      if (!last_step) {
        u32 before = next_rows;
        next_rows = append(j, step + 1, step + 1, next_rows, e);
        partial += next_rows - before;
        continue;
      }
      if (page_rows && !give(j, page, e)) {
        halted = true;
        break;
      }
      if (e.passed) count_some(&sums, e.weight);
    }
    if (!last_step && lane == step + 1) count = next_rows;
    if (done >= of) {
      open &= ~(1u << k);
      rows = retire(j, k, step, rows);
      if (lane == k) count = rows;
    }
    if (lane == k) at = done, all = of;
    if (halted) break;
  }
  // What is left is dealt, or kept.
  for (u32 some = halted || !room ? 0 : ballot(ALL, count > 0); some; some &= some - 1) {
    u32 k = lowest(some), rows = shuffle(ALL, count, k), step = k == dealt ? dealt_step : k, batch = rows < 32 ? rows : 32;
    if (rows > 32 && !deal(j, out, k, step, 32, rows - 32, 0, ~0u)) continue;
    u32 first = 0, end = ~0u;
    if (open >> k & 1) {
      Batch b = batch_of(j, k);
      u32 done = shuffle(ALL, at, k), past = done > b.prefix ? done - b.prefix : 0;
      if (past > b.n) past = b.n;
      first = frame_of(j, k)[160 + lane] + past, end = first + b.n - past;
    }
    rows = batch;
    if (deal(j, out, k, step, 0, batch, first, end)) rows = 0, open &= ~(1u << k);
    if (lane == k) count = rows;
  }
  own[lane] = count, own[32 + lane] = at, own[64 + lane] = all, own[96 + lane] = open, own[128 + lane] = dealt_step;
  if (ballot(ALL, count > 0)) {
    if (in_shared) copy_words(own + STATE, j.frames, frame_words);
    if (lane == 0) add(board + 3, 1);
  }
  if (beyond) either(board + 2, 1);
  add_sums(total, sums);
  if (lane == 0) add(total + 2, partial), add(total + 3, batches);
}
