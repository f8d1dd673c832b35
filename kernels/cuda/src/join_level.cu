// One step of the join for a whole table of partial matches (rows): those that extend them go to the next table, or to a page,
// or are counted.
//
// Input: a plan, as for join.cu. A table holds the rows of one step: their vertices, in a list for each step up to it, the shortest
// list that each is to be extended from, and how many entries the rows before have. The host sees to it that a launch goes through no
// more entries than the next table, or the page, has room for, so that none overflows; that a table has fewer than 2^22 rows, and
// 2^42 entries.
//
// What makes it fast: warps take equal parts of all rows and entries of the table, whatever the lengths of lists; of long lists, parts.
// So none waits for another one at the end, as they do where each has its own roots. A part starts at a row that 32 lanes look up
// together. Rows that pass are collected in shared memory, and for 97 to 128 of them at once a warp finds the lists of the step to
// come, and takes its place in the next table by one addition: to the number of rows, and in the same word, to that of entries.
// So places are prefix sums without a launch of their own, and the host enqueues all steps without a look at what has come of the
// ones before. The last step is never stored, nor are rows that nothing extends. Where no more than two lists decide on a step
// (plain), a lane looks the second one up, or its bitmap, once a row, and not once an entry; and of the last step, it has two entries
// on their way at a time.
#include "join.cuh"

#define KEPT 128   // rows that a warp collects
#define KEPT_WORDS (KEPT / 2 * 5) // of 8 bytes, without weights
#define PART 1024  // rows and entries that a warp takes, at most
#define ENTRY_BITS 42
#define ENTRIES (((u64)1 << ENTRY_BITS) - 1)
#define BOARD_BEYOND (2 * LEVELS) // board has for each step the rows and entries of its table, and how many parts were taken; then this

struct Level {
  u64 *lists, *before, *weights; // lists: and the number of the source << 56
  u32 *rows, room;
};
DEV Level level_of(u64 *at, u32 room, bool weighted) {
  u64 *weights = at + 2 * (u64)room;
  return {at, at + room, weights, (u32 *)(weights + (weighted ? room : 0)), room};
}

// What a warp has collected: rows of the table, and the vertices that extend them. Lists and lengths are for store.
struct Kept {
  u64 *lists, *weights;
  u32 *slots, *vertices, *lengths;
};
DEV Kept kept_of(u64 *at) {
  u32 *slots = (u32 *)(at + KEPT);
  return {at, at + KEPT_WORDS, slots, slots + KEPT, slots + 2 * KEPT};
}

struct Step {
  const u64 *plan;
  Level in, out;
  u32 *page;
  u64 *counter; // of the rows and entries of out, or the rows of the page
  u32 step, steps, counted;
  bool weighted;
};
DEV Row row_of(const Step &j, u32 slot, u32 w) { return {j.in.rows, j.in.room, slot, j.step, w}; }

// The last row of a table that starts at or before item d, where each row stands behind its entries as an item of its own.
DEV u32 row_at(const u64 *before, u32 rows, u64 d) {
  u32 lo = 0;
  for (u32 n = rows; n > 1;) {
    u32 each = (n + 31) / 32, i = lane_id() * each;
    u32 who = ballot(ALL, i < n && lo + i + once(before + lo + i) <= d);
    u32 skip = who ? highest(who) * each : 0;
    lo += skip;
    n = n - skip < each ? n - skip : each;
  }
  return lo;
}

// Moves what was collected to the next table, but rows that nothing extends.
DEV void store(const Step &j, const Kept &kept, u32 count) {
  u32 lane = lane_id(), rows = 0, all;
  u64 entries = 0, base = 0;
  for (u32 i = lane; i - lane < count; i += 32) {
    u32 n = 0, chosen = 0;
    if (i < count) {
      const u32 *list = shortest(j.plan, row_of(j, kept.slots[i], kept.vertices[i]), j.step + 1, &n, &chosen);
      kept.lists[i] = (u64)list | (u64)chosen << 56;
      kept.lengths[i] = n;
    }
    warp_prefix(n, &all);
    rows += popcount(ballot(ALL, n > 0)), entries += all;
  }
  if (lane == 0 && rows) base = add(j.counter, (u64)rows << ENTRY_BITS | entries);
  base = shuffle64(ALL, base, 0);
  rows = (u32)(base >> ENTRY_BITS), entries = base & ENTRIES;
  for (u32 i = lane; i - lane < count; i += 32) {
    u32 n = i < count ? kept.lengths[i] : 0, who = ballot(ALL, n > 0), to = rows + popcount(who & lanes_below());
    u32 prefix = warp_prefix(n, &all);
    if (n) {
      j.out.lists[to] = kept.lists[i];
      j.out.before[to] = entries + prefix;
      if (j.weighted) j.out.weights[to] = kept.weights[i];
      u32 slot = kept.slots[i];
      for (u32 p = 0; p < j.step; p++) j.out.rows[p * j.out.room + to] = j.in.rows[p * j.in.room + slot];
      j.out.rows[j.step * j.out.room + to] = kept.vertices[i];
    }
    rows += popcount(who), entries += all;
  }
}

// Moves collected matches to the page: a row has their vertices, and the weight in two words.
DEV void write_page(const Step &j, const Kept &kept, u32 count) {
  u64 base = 0;
  if (lane_id() == 0) base = add(j.counter, (u64)count << ENTRY_BITS);
  u32 first = (u32)(shuffle64(ALL, base, 0) >> ENTRY_BITS), words = j.steps + (j.weighted ? 2 : 0);
  for (u32 i = lane_id(); i < count; i += 32) {
    u32 *to = j.page + (u64)(first + i) * words;
    for (u32 p = 0; p < j.step; p++) *to++ = j.in.rows[p * j.in.room + kept.slots[i]];
    *to++ = kept.vertices[i];
    if (j.weighted) to[0] = (u32)kept.weights[i], to[1] = (u32)(kept.weights[i] >> 32);
  }
}

// Counts the matches of what was collected, where all steps to come are counted by the lengths of lists.
DEV void count_lengths(const Step &j, const Kept &kept, u32 count, Sums *sums, u32 *beyond) {
  for (u32 i = lane_id(); i < count; i += 32) {
    Row r = row_of(j, kept.slots[i], kept.vertices[i]);
    u64 n = j.weighted ? kept.weights[i] : 1;
    for (u32 s = j.step + 1; s < j.steps && n; s++) n = times(n, length_of(j.plan, r, s), beyond);
    count_some(sums, n);
    sums->by_length++;
  }
}

// What decides on the candidates of a plain step: vertices that they must differ from, and no more than two lists. Bitmaps of these
// have bits for span vertices from low on.
struct Meeting {
  const u64 *record;
  u32 low, span;
};
DEV bool is_plain(u32 step, Meeting *m) {
  u32 sources = (u32)m->record[STEP_NUMBERS];
  if (m->record[STEP_BITS] || m->record[STEP_NUMBERS] >> 32 || sources > 2) return false;
  const u64 *source = m->record + STEP_SOURCES;
  for (; sources; sources--, source += SOURCE_WORDS) {
    if (source[0] == step) return false;
    if (source[4] >> 32) m->low = (u32)source[5], m->span = (u32)(source[5] >> 32);
  }
  return true;
}

// The lane's row of 32, and what a part has of its entries. For a plain step, also the other list that candidates must be on, or its
// bitmap.
struct Span {
  u64 list, behind, other; // behind: the item at which the next row starts
  u32 prefix, n, chosen, others; // others: the length of the other list; 0: there is none, BITMAP: it is a bitmap
};
#define BITMAP (~0u)

// Finds the other list.
DEV void meet(const Step &j, const Meeting &m, u32 slot, Span *s) {
  if ((u32)m.record[STEP_NUMBERS] < 2) return;
  const u64 *source = m.record + STEP_SOURCES + SOURCE_WORDS * (s->chosen ^ 1);
  u32 v = vertex(row_of(j, slot, 0), (u32)source[0]), line = v - (u32)source[4];
  if (line < (u32)(source[4] >> 32)) {
    u32 words = ((u32)(source[5] >> 32) + 31) / 32;
    s->other = source[3] + 4 * ((u64)line * words);
    s->others = BITMAP;
  } else {
    u64 begin = once((const u64 *)source[1] + v);
    s->other = source[2] + 4 * begin;
    s->others = (u32)(once((const u64 *)source[1] + v + 1) - begin);
  }
}

DEV Span span_of(const Step &j, u32 r, u32 rows, u64 entries, u64 first, u64 end) {
  Span s = {0, ~(u64)0, 0, 0, 0, ~0u, 0};
  if (r >= rows) return s;
  u64 begin = once(j.in.before + r), over = r + 1 < rows ? once(j.in.before + r + 1) : entries, at = r + begin, list = once(j.in.lists + r);
  s.behind = r + 1 + over;
  if (at >= end) return s;
  u32 n = end - at < over - begin ? (u32)(end - at) : (u32)(over - begin), skip = at < first ? (u32)(first - at) : 0;
  s.chosen = (u32)(list >> 56);
  s.list = (list & ~((u64)0xff << 56)) + 4 * (u64)skip;
  s.n = skip < n ? n - skip : 0;
  return s;
}

// The word of the bitmap that a row's new vertex has its bit in, if the other list is one.
DEV u32 word_of(const Meeting &m, const u32 *other, u32 n, u32 w) {
  u32 bit = w - m.low;
  return n == BITMAP && bit < m.span ? once(other + (bit >> 5)) : 0;
}

// Whether a row's new vertex is on the other list, and differs from those it must differ from.
DEV bool meets(const Meeting &m, const u32 *other, u32 n, u32 word, const Row &row) {
  if (n == BITMAP ? !(word >> (row.w - m.low & 31) & 1) : n && place(other, n, row.w) == n) return false;
  return differs(row, (u32)m.record[STEP_DIFFER]);
}

// Counts all matches of 32 rows in the last step. Each lane has two entries at a time: it waits half as often.
DEV void count_plain(const Step &j, const Meeting &m, const Span &s, u32 base, u32 all, Sums *sums) {
  for (u32 x = lane_id(); x - lane_id() < all; x += 64) {
    const u32 *other[2];
    u32 n[2], word[2];
    Row row[2];
#pragma unroll
    for (u32 h = 0; h < 2; h++) {
      u32 i = x + 32 * h, o = owner_of(s.prefix, i < all ? i : all - 1);
      const u32 *list = (const u32 *)shuffle64(ALL, s.list, o);
      other[h] = (const u32 *)shuffle64(ALL, s.other, o);
      n[h] = shuffle(ALL, s.others, o);
      row[h] = row_of(j, base + o, i < all ? once(list + i) : 0);
    }
#pragma unroll
    for (u32 h = 0; h < 2; h++) word[h] = x + 32 * h < all ? word_of(m, other[h], n[h], row[h].w) : 0;
#pragma unroll
    for (u32 h = 0; h < 2; h++)
      if (x + 32 * h < all && meets(m, other[h], n[h], word[h], row[h])) count_some(sums, j.weighted ? once(j.in.weights + row[h].slot) : 1);
  }
}

#define LANES 256, 4 // of a block, and blocks that a multiprocessor should have registers for
// Finds vertices for a step: for rows of the table `in`, `most` of its items (rows and entries) from `from` on; for step 0, of the
// roots. Rows go to the table `out`, or to the page, if there is one and this is the last step. total gets how many matches there are, in
// 128 bits, how many partial ones, in how many batches, and how many of them had the rest counted by lengths. apart has each row
// start with lane 0.
KERNEL(join_level, LANES)(const u64 *plan, u32 plan_words, u32 step, const u32 *roots, u32 last, u64 *in, u64 *out, u32 room, u64 *board, u64 from,
                          u64 most, u32 apart, const u32 *stop, u64 *total, u32 *page) {
  DYNAMIC(u64, memory);
  for (u32 i = thread_id(); i < plan_words; i += block_size()) memory[i] = once(plan + i);
  sync_block();
  u32 lane = lane_id(), beyond = 0, batches = 0, partial = 0, count = 0, warps = grid_size() * (block_size() >> 5);
  bool weighted = memory[PLAN_WEIGHTED] != 0;
  Step j = {memory, level_of(in, room, weighted), level_of(out, room, weighted), page, board + 2 * step, step, (u32)memory[PLAN_STEPS], 0, weighted};
  j.counted = page ? j.steps : (u32)memory[PLAN_COUNTED];
  bool sum = step + 1 == j.steps && !page;
  Kept kept = kept_of(memory + plan_words + warp_id() * (KEPT_WORDS + (weighted ? KEPT : 0)));
  u64 sizes = step ? j.counter[-2] : last, entries = sizes & ENTRIES, end = (sizes >> ENTRY_BITS) + entries;
  u32 rows = (u32)(sizes >> ENTRY_BITS);
  if (most < end - from) end = from + most;
  u64 part = (end - from) / (8 * warps) + 1, first = 0, behind = 0;
  part = part < 32 ? 32 : part < PART ? part : PART;
  Sums sums = {0, 0, 0};
  Span s = {0, ~(u64)0, 0, 0, 0, ~0u, 0};
  Meeting meeting = {memory + memory[PLAN_RECORDS + step], 0, 0};
  bool plain = is_plain(step, &meeting) && step > 0 && !apart;
  u32 base = 0, x = 0, all = 0; // the first row of the batch, the entries done of it, and its entries
  bool none = false;            // there is no part left
  for (;;) {
    if (count > KEPT - 32 || none) {
      sync_warp(ALL);
      partial += step + 1 < j.steps ? count : 0;
      if (!count) {
      } else if (step + 1 == j.steps) {
        write_page(j, kept, count);
      } else if (step + 1 == j.counted) {
        count_lengths(j, kept, count, &sums, &beyond);
      } else {
        store(j, kept, count);
      }
      if (none) break;
      count = 0;
      sync_warp(ALL);
    }
    if (x >= all) {
      if (!step || shuffle64(ALL, s.behind, 31) >= behind) { // the part is done
        if (lane == 0) first = read(stop) ? end : from + part * add(j.counter + 1, (u64)1);
        first = shuffle64(ALL, first, 0);
        none = first >= end;
        if (none) continue;
        behind = end - first < part ? end : first + part;
        base = step ? row_at(j.in.before, rows, first) : 0;
      } else {
        base += 32;
      }
      if (step) s = span_of(j, base + lane, rows, entries, first, behind);
      if (plain && s.n) meet(j, meeting, base + lane, &s);
      if (!step && lane == 0) s.list = (u64)(roots + first), s.n = (u32)(behind - first);
      s.prefix = warp_prefix(apart ? (s.n + 31) & ~31u : s.n, &all);
      if (plain) s.list -= 4 * (u64)s.prefix;
      x = 0;
      batches++;
      continue;
    }
    if (plain && sum) {
      count_plain(j, meeting, s, base, all, &sums);
      x = all;
      continue;
    }
    u32 i = x + lane, o = owner_of(s.prefix, i < all ? i : all - 1);
    const u32 *list = (const u32 *)shuffle64(ALL, s.list, o);
    u64 weight = 1;
    Row row = row_of(j, base + o, 0);
    bool passed;
    if (plain) {
      const u32 *other = (const u32 *)shuffle64(ALL, s.other, o);
      u32 n = shuffle(ALL, s.others, o);
      passed = i < all;
      if (passed) {
        row.w = once(list + i);
        passed = meets(meeting, other, n, word_of(meeting, other, n, row.w), row);
      }
    } else {
      u32 at = i - shuffle(ALL, s.prefix, o), n = shuffle(ALL, s.n, o), chosen = shuffle(ALL, s.chosen, o);
      passed = i < all && at < n;
      if (passed) {
        row.w = once(list + at);
        if (weighted && step) weight = once(j.in.weights + row.slot);
        passed = passes(memory, row, chosen, &weight, &beyond);
      }
    }
    if (plain && passed && weighted) weight = once(j.in.weights + row.slot);
    x += 32;
    if (sum) {
      if (passed) count_some(&sums, weight);
      continue;
    }
    u32 who = ballot(ALL, passed), slot = count + popcount(who & lanes_below());
    if (passed) {
      kept.slots[slot] = row.slot, kept.vertices[slot] = row.w;
      if (weighted) kept.weights[slot] = weight;
    }
    count += popcount(who);
  }
  if (beyond) either(board + BOARD_BEYOND, (u64)1);
  add_sums(total, sums);
  if (lane == 0 && partial) add(total + 2, (u64)partial);
  if (lane == 0 && batches) add(total + 3, (u64)batches);
}
