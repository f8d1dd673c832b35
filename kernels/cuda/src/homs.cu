// Homomorphisms counted by arrays: for each value of a pivot, a straight line of operations that add numbers up along neighbour
// lists, as kernels.Homs plans them (counting by tree decomposition; nothing is intersected but for a second pivot).
//
// Input: a program, which homs_pass.go lays out; lists, arrays and weights name vertices by their place in a set. The arrays in a
// block's scratch memory are 0 before a launch, and after it. Numbers are of 64 bits, sums over pivots of 128; what does not fit
// sets beyond, and the answer is worth nothing then.
//
// What makes it fast: a block has a pivot to itself, the one of most work first, so that its arrays stay in the cache and
// nothing but a number leaves it. Rows are gone through by a lane if they are short, by a warp, or by the
// whole block if they are long, so that lanes have equal work whatever the degrees. Arrays have 4 bytes a number unless a
// sum says that it may not fit. Vertices that an array has something for are listed by the additions that found 0 there: they are all
// that is gone through, and all that is cleared.
#include "homs.cuh"

#define WARP_ROW 32 // shorter rows are a lane's
#define BLOCK_ROW 1024 // longer ones a block's
#define LARGE 64 // long rows that a block remembers; further ones are a warp's

// The program, in words of 8 bytes.
#define PROGRAM_OPS 0     // how many operations
#define PROGRAM_VECTORS 1 // how many vectors and arrays there are
#define PROGRAM_ARRAYS 2
#define PROGRAM_OUTS 3
#define PROGRAM_SECOND 4 // rows to the second pivot: offsets, targets, weights; 0 if there is none
#define PROGRAM_PIVOTS 7 // of the first kind
#define PROGRAM_FIRST 8  // the first operation
// An operation is its kind, its length in words << 8, and what it is about: vectors and arrays by number, rows as four addresses
// (offsets, targets, weights or 0, sums of weights by row), memory as bytes from the start of the block's.
#define OP_HOLD 0    // vector = the neighbours of a pivot: to, which pivot, rows
#define OP_MEET 1    // vector = the common neighbours of both: to, memory, rows, rows
#define OP_SCATTER 2 // array += a vector along rows; a vector of what was touched: from, to, array, memory for either, rows, places of the array
#define OP_TABLE 3   // memory = for each of a vector the sum of an array along its row: vector, array, memory, rows
#define OP_COMBINE 4 // vector = another one times what is given by vertex or by place: to, from, weights, memory for either, feeds, each: array, ~memory
#define OP_DENSE 5   // array = vector: from, array, memory
#define OP_CLEAR 6   // array = 0 where a vector is: vector, array
#define OP_TOTAL 7   // out += product: out, weights by pivot, by second pivot, where to keep it, vectors

// A vector: vertices with their numbers, which are all 1, listed beside, or found in an array by vertex.
#define ONES 0
#define LISTED 1
#define NARROW 2
#define WIDE 3
struct Vector {
  const u32 *list;
  const void *numbers;
  u64 sum;
  u32 n, kind;
};
struct Array {
  void *at;
  u32 wide, places;
};
// Long rows of a block, in shared memory; classes 0: there are none, nor short ones.
struct Long {
  u32 *item, *count;
  u64 *sum; // of 128 bits, 0 between rows
  u32 classes;
  u32 *taken; // the lane's numbers of short and of long rows
};

// Remembers a row for the whole block, if it is long.
DEV bool is_long(const Long &rows, u32 n, u32 i) {
  if (!rows.classes || n <= BLOCK_ROW) return false;
  u32 at = add(rows.count, 1);
  if (at >= LARGE) return false;
  rows.item[at] = i;
  rows.taken[1]++;
  return true;
}
DEV u32 long_rows(const Long &rows) { return *rows.count < LARGE ? *rows.count : LARGE; }

// What a block knows of a pivot, in shared memory.
struct Block {
  Vector *vectors;
  Array *arrays;
  Long rows;
  u64 *sum; // of 128 bits
  u32 *found;
  char *scratch;
  const u32 *stop;
};

// Whether the host wants no more, since a pivot of much work takes longer than a person wants to wait: one lane's look, and later what it saw,
// for the whole warp. Loops look at their start and go by it at their end, so that they do not wait for it.
DEV u32 look(const Block &b) { return lane_id() ? 0 : read(b.stop); }
DEV bool seen(u32 look) { return shuffle(ALL, look, 0); }

DEV Rows rows_at(const u64 *w) { return {(const u64 *)w[0], (const u32 *)w[1], (const u64 *)w[2], (const u64 *)w[3]}; }

// The number of entry i of a vector, which is vertex v.
DEV u64 number_of(const Vector &x, u32 i, u32 v) {
  if (x.kind == LISTED) return ((const u64 *)x.numbers)[i];
  if (x.kind == NARROW) return ((const u32 *)x.numbers)[v];
  return x.kind == WIDE ? ((const u64 *)x.numbers)[v] : 1;
}

DEV u64 array_at(const Array &a, u32 v) { return a.wide ? ((const u64 *)a.at)[v] : ((const u32 *)a.at)[v]; }

// Adds the lanes' numbers, each of which has a carry, to the block's sum.
DEV void add_sums(const Block &b, u64 low, u64 high) {
  if (!ballot(ALL, high || low >> 58)) {
    low = warp_sum64(low);
    if (lane_id()) low = 0;
  }
  add_wide(b.sum, low);
  if (high) add(b.sum + 1, high);
}

// Starts an operation that finds something.
DEV void begin(const Block &b) {
  if (thread_id() == 0) b.sum[0] = b.sum[1] = 0, *b.found = *b.rows.count = 0;
  sync_block();
}

// Ends it: what was found is a vector, of nothing if its sum does not fit: where it does, no number of an array made of it is 0 again.
DEV void finish(const Block &b, u64 to, const u32 *list, const void *numbers, u32 kind, u32 *beyond) {
  sync_block();
  if (thread_id() == 0) {
    b.vectors[to] = {list, numbers, b.sum[0], b.sum[1] ? 0 : *b.found, kind};
    if (b.sum[1]) *beyond = 1;
  }
  sync_block();
}

DEV void hold(const Block &b, const u64 *op, u32 first, u32 second) {
  if (thread_id() == 0) {
    Rows r = rows_at(op + 3);
    u32 v = op[2] ? second : first;
    u64 begin = once(r.offsets + v), n = once(r.offsets + v + 1) - begin;
    Vector x = {r.targets + begin, r.weights ? r.weights + begin : 0, r.weights ? once(r.lengths + v) : n, (u32)n, r.weights ? (u32)LISTED : (u32)ONES};
    b.vectors[op[1]] = x;
  }
  sync_block();
}

// Finds the shorter list's vertices in the longer one.
DEV void meet(const Block &b, const u64 *op, u32 first, u32 second, u32 *beyond) {
  begin(b);
  Rows r = rows_at(op + 3), s = rows_at(op + 7);
  u64 from = once(r.offsets + first), other = once(s.offsets + second);
  u32 n = (u32)(once(r.offsets + first + 1) - from), m = (u32)(once(s.offsets + second + 1) - other);
  const u32 *list = r.targets + from, *longer = s.targets + other;
  if (n > m) {
    u32 size = n;
    n = m, m = size;
    const u32 *l = list;
    list = longer, longer = l;
  }
  u32 *out = (u32 *)(b.scratch + op[2]);
  for (u32 base = warp_id() * 32; base < n; base += block_size()) {
    u32 i = base + lane_id(), v = i < n ? once(list + i) : 0;
    bool common = i < n && place(longer, m, v) < m;
    u32 at = room_for(b.found, common);
    if (common) out[at] = v;
  }
  sync_block();
  if (thread_id() == 0) b.sum[0] = *b.found;
  finish(b, op[1], out, 0, ONES, beyond);
}

#define AHEAD 2 // additions of a lane that are on their way at a time

// Adds a number, times weights, to the places that AHEAD entries of a row say, from `at` on and stride apart, as far as they lie before
// end. It lists those that had nothing: no more than there are, since a number that did not fit may have become 0 again. All lanes of
// the warp call it.
DEV void bump(const Block &b, const Array &a, u32 *touched, const Rows &r, u64 at, u64 stride, u64 end, u64 number, u32 *beyond) {
  u32 place[AHEAD], fresh[AHEAD], all = 0, count[AHEAD];
  u64 x[AHEAD];
#pragma unroll
  for (u32 u = 0; u < AHEAD; u++) {
    place[u] = at + u * stride < end ? once(r.targets + at + u * stride) : ~0u;
    x[u] = number;
    if (r.weights && place[u] != ~0u) x[u] = times(number, once(r.weights + at + u * stride), beyond);
  }
#pragma unroll
  for (u32 u = 0; u < AHEAD; u++) {
    fresh[u] = 0;
    if (place[u] != ~0u) fresh[u] = a.wide ? add((u64 *)a.at + place[u], x[u]) == 0 : add((u32 *)a.at + place[u], (u32)x[u]) == 0;
  }
#pragma unroll
  for (u32 u = 0; u < AHEAD; u++) {
    u32 who = ballot(ALL, fresh[u]);
    count[u] = all + popcount(who & lanes_below());
    all += popcount(who);
  }
  if (!all) return;
  u32 to = warp_take(b.found, all);
#pragma unroll
  for (u32 u = 0; u < AHEAD; u++)
    if (fresh[u] && to + count[u] < a.places) touched[to + count[u]] = place[u];
}

// The same for a row's entries from `from` on, of which lanes have every step-th.
DEV void bump_row(const Block &b, const Array &a, u32 *touched, const Rows &r, u64 begin, u32 n, u32 from, u32 step, u64 number, u32 *beyond) {
  for (u32 base = from; base < n; base += AHEAD * step) bump(b, a, touched, r, begin + base + lane_id(), step, begin + n, number, beyond);
}

DEV void scatter(const Block &b, const u64 *op, u32 *beyond) {
  begin(b);
  Vector x = b.vectors[op[1]];
  Rows r = rows_at(op + 6);
  Array a = {b.scratch + op[4], r.weights || x.sum >> 32, (u32)op[10]};
  u32 *touched = (u32 *)(b.scratch + op[5]);
  u64 low = 0, high = 0;
  for (u32 base = warp_id() * 32; base < x.n; base += block_size()) {
    u32 i = base + lane_id(), n = 0, stop = look(b);
    u64 begin = 0, number = 0;
    if (i < x.n) {
      u32 v = x.list[i];
      number = number_of(x, i, v);
      begin = once(r.offsets + v);
      n = (u32)(once(r.offsets + v + 1) - begin);
      u128 all = (u128)number * (r.weights ? once(r.lengths + v) : n);
      u64 sum = low + (u64)all;
      high += (u64)(all >> 64) + (sum < low);
      low = sum;
    }
    if (is_long(b.rows, n, i)) n = 0;
    for (u32 left = ballot(ALL, n >= WARP_ROW || (n && !b.rows.classes)); left; left &= left - 1) {
      u32 o = lowest(left), many = shuffle(ALL, n, o);
      if (many > BLOCK_ROW && seen(look(b))) break;
      bump_row(b, a, touched, r, shuffle64(ALL, begin, o), many, 0, 32, shuffle64(ALL, number, o), beyond);
    }
    if (!b.rows.classes || n >= WARP_ROW) n = 0;
    if (n) b.rows.taken[0]++;
    for (u32 k = 0; ballot(ALL, k < n); k += AHEAD) bump(b, a, touched, r, begin + k, 1, begin + n, number, beyond);
    if (seen(stop)) break;
  }
  add_sums(b, low, high);
  sync_block();
  for (u32 q = 0; q < long_rows(b.rows) && !seen(look(b)); q++) {
    u32 i = b.rows.item[q], v = x.list[i];
    u64 begin = once(r.offsets + v);
    bump_row(b, a, touched, r, begin, (u32)(once(r.offsets + v + 1) - begin), warp_id() * 32, block_size(), number_of(x, i, v), beyond);
  }
  if (thread_id() == 0) b.arrays[op[3]] = a;
  finish(b, op[2], touched, a.at, a.wide ? WIDE : NARROW, beyond);
}

// The sum of the values along entries of a row, every step-th one from `from` on.
template <class Value> DEV u64 sum_row(const Rows &r, u64 begin, u32 n, u32 from, u32 step, Value value, u32 *beyond) {
  u64 sum = 0;
#pragma unroll 4
  for (u32 i = from; i < n; i += step) {
    u64 x = value(once(r.targets + begin + i));
    if (r.weights) x = times(x, once(r.weights + begin + i), beyond);
    sum += x;
    if (sum < x) *beyond = 1;
  }
  return sum;
}

DEV u64 warp_total(u64 x, u32 *beyond) {
  for (u32 by = 16; by; by >>= 1) {
    u64 other = shuffle_xor(ALL, (u32)x, by) | (u64)shuffle_xor(ALL, (u32)(x >> 32), by) << 32;
    x += other;
    if (x < other) *beyond = 1;
  }
  return x;
}

// For each item of [first, last), which vertex gives the row of, puts the sum of the values along its row. All lanes of the block
// call it, with *count of the long rows 0, and wait behind it.
template <class Vertex, class Value, class Put>
DEV void sum_rows(const Block &b, const Rows &r, u32 first, u32 last, Vertex vertex, Value value, Put put, u32 *beyond) {
  const Long &rows = b.rows;
  for (u32 base = first + warp_id() * 32; base < last; base += block_size()) {
    u32 i = base + lane_id(), n = 0, stop = look(b);
    u64 begin = 0, sum = 0;
    if (i < last) {
      u32 v = vertex(i);
      begin = once(r.offsets + v);
      n = (u32)(once(r.offsets + v + 1) - begin);
    }
    bool apart = is_long(rows, n, i);
    for (u32 left = ballot(ALL, !apart && n && (n >= WARP_ROW || !rows.classes)); left; left &= left - 1) {
      u32 o = lowest(left), many = shuffle(ALL, n, o);
      if (many > BLOCK_ROW && seen(look(b))) break;
      u64 part = sum_row(r, shuffle64(ALL, begin, o), many, lane_id(), 32, value, beyond), all = warp_total(part, beyond);
      if (lane_id() == o) sum = all;
    }
    if (rows.classes && n && n < WARP_ROW) rows.taken[0]++;
    if (rows.classes && n < WARP_ROW) sum = sum_row(r, begin, n, 0, 1, value, beyond);
    if (i < last && !apart) put(i, sum);
    if (seen(stop)) break;
  }
  sync_block();
  for (u32 q = 0; q < long_rows(rows); q++) {
    u32 i = rows.item[q], v = vertex(i);
    u64 begin = once(r.offsets + v);
    u32 n = seen(look(b)) ? 0 : (u32)(once(r.offsets + v + 1) - begin);
    u64 all = warp_total(sum_row(r, begin, n, thread_id(), block_size(), value, beyond), beyond);
    if (lane_id() == 0) add_wide(rows.sum, all);
    sync_block();
    if (thread_id() == 0) {
      put(i, rows.sum[0]);
      if (rows.sum[1]) *beyond = 1;
      rows.sum[0] = rows.sum[1] = 0;
    }
    sync_block();
  }
  sync_block();
}

DEV void table(const Block &b, const u64 *op, u32 *beyond) {
  begin(b);
  Vector x = b.vectors[op[1]];
  Array a = b.arrays[op[2]];
  u64 *out = (u64 *)(b.scratch + op[3]);
  sum_rows(
      b, rows_at(op + 4), 0, x.n, [&](u32 i) { return x.list[i]; }, [&](u32 t) { return array_at(a, t); }, [&](u32 i, u64 sum) { out[i] = sum; }, beyond);
}

DEV void combine(const Block &b, const u64 *op, u32 *beyond) {
  begin(b);
  Vector x = b.vectors[op[2]];
  const u64 *own = (const u64 *)op[3], *feeds = op + 7;
  u32 *list = (u32 *)(b.scratch + op[4]);
  u64 *numbers = (u64 *)(b.scratch + op[5]), low = 0, high = 0;
  for (u32 base = warp_id() * 32; base < x.n; base += block_size()) {
    u32 i = base + lane_id(), v = 0, stop = look(b);
    u64 number = 0;
    if (i < x.n) {
      v = x.list[i];
      number = number_of(x, i, v);
      if (own) number = times(number, once(own + v), beyond);
      for (u64 f = 0; f < op[6] && number; f++) {
        u64 feed = feeds[f];
        number = times(number, feed >> 63 ? ((const u64 *)(b.scratch + ~feed))[i] : array_at(b.arrays[feed], v), beyond);
      }
    }
    u32 at = room_for(b.found, number > 0);
    if (number) list[at] = v, numbers[at] = number;
    u64 sum = low + number;
    high += sum < low;
    low = sum;
    if (seen(stop)) break;
  }
  add_sums(b, low, high);
  finish(b, op[1], list, numbers, LISTED, beyond);
}

// Goes through a vector: the block's lanes call f with each entry and its vertex.
template <class F> DEV void each_of(const Block &b, const Vector &x, F f) {
  for (u32 base = warp_id() * 32; base < x.n; base += block_size()) {
    u32 i = base + lane_id(), stop = look(b);
    if (i < x.n) f(i, x.list[i]);
    if (seen(stop)) break;
  }
}

DEV void dense(const Block &b, const u64 *op) {
  Vector x = b.vectors[op[1]];
  Array a = {b.scratch + op[3], x.sum >> 32 != 0, 0};
  each_of(b, x, [&](u32 i, u32 v) {
    u64 number = number_of(x, i, v);
    if (a.wide) ((u64 *)a.at)[v] = number;
    else ((u32 *)a.at)[v] = (u32)number;
  });
  if (thread_id() == 0) b.arrays[op[2]] = a;
  sync_block();
}

DEV void clear(const Block &b, const u64 *op) {
  Vector x = b.vectors[op[1]];
  Array a = b.arrays[op[2]];
  each_of(b, x, [&](u32, u32 v) {
    if (a.wide) ((u64 *)a.at)[v] = 0;
    else ((u32 *)a.at)[v] = 0;
  });
  sync_block();
}

// By one lane.
DEV void total(const Block &b, const u64 *op, u64 *totals, u32 first, u32 second, u64 weight, u32 *beyond) {
  u128 product = weight;
  const u64 *own = (const u64 *)op[2], *mate = (const u64 *)op[3];
  u64 vectors = (op[0] >> 8) - 5;
  for (u64 i = 0; i < vectors + 2 && product; i++) {
    u64 x = 1;
    if (i == 0 && own) x = once(own + first);
    if (i == 1 && mate) x = once(mate + second);
    if (i > 1) x = b.vectors[op[3 + i]].sum;
    u128 high = (product >> 64) * x;
    if (high >> 64) *beyond = 1;
    u128 low = (product & ~(u64)0) * x;
    product = (high << 64) + low;
    if (product < low) *beyond = 1;
  }
  u64 *sum = totals + 2 * op[1];
  u64 low = sum[0] + (u64)product, more = (u64)(product >> 64), carry = low < sum[0], high = sum[1] + more;
  if (high < more || high + carry < high) *beyond = 1;
  sum[0] = low, sum[1] = high + carry;
  if (op[4]) {
    ((u64 *)op[4])[first] = (u64)product;
    if (product >> 64) *beyond = 1;
  }
}

// Every of-th of the pivots, or of the pairs of them, from at on; order has them by falling work, or is 0. totals has two words an out, low first.
#define THREADS 128, 8 // of a block, and blocks that a multiprocessor should have registers for
KERNEL(homs_pass, THREADS)(const u64 *program, u32 words, const u32 *order, u64 items, u64 at, u64 of, u64 *next, const u32 *stop, u64 *totals,
                           char *scratch, u64 scratch_bytes, u32 classes, u64 *taken_out, u32 *beyond_out) {
  DYNAMIC(u64, memory);
  SHARED(u64, sum, 2);
  SHARED(u64, item, 1);
  SHARED(u32, counts, 2);
  SHARED(u32, large, LARGE);
  for (u32 i = thread_id(); i < words; i += block_size()) memory[i] = once(program + i);
  sync_block();
  u32 outs = (u32)memory[PROGRAM_OUTS], beyond = 0, taken[2] = {0, 0};
  Block b;
  b.vectors = (Vector *)(memory + words);
  b.arrays = (Array *)(b.vectors + memory[PROGRAM_VECTORS]);
  u64 *own = (u64 *)(b.arrays + memory[PROGRAM_ARRAYS]);
  b.rows = {large, counts + 1, sum, classes, taken};
  b.sum = sum, b.found = counts;
  b.scratch = scratch + block_id() * scratch_bytes, b.stop = stop;
  for (u32 i = thread_id(); i < 2 * outs; i += block_size()) own[i] = 0;
  const u64 *second_rows = (const u64 *)memory[PROGRAM_SECOND];
  for (;;) {
    sync_block();
    if (thread_id() == 0) *item = read(stop) | read(beyond_out) | beyond ? items : at + add(next, (u64)1) * of;
    sync_block();
    u64 x = *item, weight = 1;
    if (x >= items) break;
    u32 first = order ? once(order + x) : (u32)x, second = 0;
    if (second_rows) {
      first = source_of(second_rows, (u32)memory[PROGRAM_PIVOTS], x);
      second = once((const u32 *)memory[PROGRAM_SECOND + 1] + x);
      if (memory[PROGRAM_SECOND + 2]) weight = once((const u64 *)memory[PROGRAM_SECOND + 2] + x);
    }
    const u64 *op = memory + PROGRAM_FIRST;
    for (u64 left = memory[PROGRAM_OPS]; left; left--, op += op[0] >> 8) {
      switch (op[0] & 0xff) {
      case OP_HOLD: hold(b, op, first, second); break;
      case OP_MEET: meet(b, op, first, second, &beyond); break;
      case OP_SCATTER: scatter(b, op, &beyond); break;
      case OP_TABLE: table(b, op, &beyond); break;
      case OP_COMBINE: combine(b, op, &beyond); break;
      case OP_DENSE: dense(b, op); break;
      case OP_CLEAR: clear(b, op); break;
      default:
        if (thread_id() == 0) total(b, op, own, first, second, weight, &beyond);
      }
    }
  }
  for (u32 i = thread_id(); i < outs; i += block_size()) {
    add_wide(totals + 2 * i, own[2 * i]);
    u64 high = own[2 * i + 1];
    if (high && add(totals + 2 * i + 1, high) + high < high) beyond = 1;
  }
  for (u32 i = 0; i < 2; i++) {
    u32 all = warp_sum(taken[i]);
    if (lane_id() == 0 && all) add(taken_out + i, (u64)all);
  }
  if (beyond) either(beyond_out, 1);
}
