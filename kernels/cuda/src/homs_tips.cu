// Weights of pairs by the vertices that both are joined to, for homs.cu: for each entry of some rows, a sum over the vertices in two lists.
//
// Input: rows lead from one set's places to another's, and are sorted. near leads from the rows' vertices to the tips, far from
// their targets; weights are 8 bytes for an entry, or 0: they are 1. What does not fit 64 bits sets beyond.
//
// What makes it fast: of the two lists, the entries of the shorter one are looked up in the longer one; a warp has 32 entries, whose
// short lists its lanes share evenly. Without labels the supports of edges say it, which trusses.cu finds once for a triangle.
#include "homs.cuh"

// out[e] += the number of entry e.
KERNEL(homs_tips, 256)(const u64 *offsets, u32 n, const u32 *targets, const u64 *near_offsets, const u32 *near, const u64 *near_weights,
                       const u64 *far_offsets, const u32 *far, const u64 *far_weights, const u64 *own, u64 *out, const u32 *stop, u32 *beyond_out) {
  u64 all = once(offsets + n), from = ((u64)block_id() * (block_size() >> 5) + warp_id()) * PART, end = from + PART < all ? from + PART : all;
  u32 lane = lane_id(), beyond = 0, stopped = 0;
  each_edge(offsets, n, from, end, [&](bool some, u64 entry, u32 row) {
    u64 a = 0, b = 0;
    u32 many = 0, others = 0, told = lane ? 0 : read(stop);
    if (some) {
      u32 t = once(targets + entry);
      a = once(near_offsets + row), b = once(far_offsets + t);
      many = (u32)(once(near_offsets + row + 1) - a), others = (u32)(once(far_offsets + t + 1) - b);
    }
    if (stopped) many = others = 0;
    u32 turned = many > others, total, prefix = warp_prefix(turned ? others : many, &total);
    for (u32 x0 = 0; x0 < total; x0 += 32) {
      u32 x = x0 + lane, o = owner_of(prefix, x < total ? x : total - 1), swap = shuffle(ALL, turned, o), i = x - shuffle(ALL, prefix, o);
      u64 first = shuffle64(ALL, a, o), second = shuffle64(ALL, b, o);
      u32 in = shuffle(ALL, turned ? many : others, o); // entries of the longer list
      if (x >= total) continue;
      u32 y = once(swap ? far + second + i : near + first + i), at = place(swap ? near + first : far + second, in, y);
      if (at == in) continue;
      u64 number = own ? once(own + y) : 1;
      if (near_weights) number = times(number, once(near_weights + first + (swap ? at : i)), &beyond);
      if (far_weights) number = times(number, once(far_weights + second + (swap ? i : at)), &beyond);
      u64 *to = out + (entry - lane + o);
      if (number && add(to, number) + number < number) beyond = 1;
    }
    stopped |= shuffle(ALL, told, 0);
  });
  if (beyond) either(beyond_out, 1);
}

// out[e] = the support of the edge of entry e, of which numbers has the number.
KERNEL(homs_supports, 256)(const u32 *numbers, u64 entries, const u32 *support, u32 *out) {
  for (u64 e = (u64)block_id() * block_size() + thread_id(); e < entries; e += (u64)grid_size() * block_size()) out[e] = once(support + once(numbers + e));
}

// weights[e] = before[e], or 1, times wide[e] or narrow[e] to a power; bits of the entries whose weight is not 0.
KERNEL(homs_bear, 256)(u64 entries, const u64 *before, const u64 *wide, const u32 *narrow, u32 power, u64 *weights, u32 *bits, u32 *beyond_out) {
  u32 beyond = 0;
  for (u64 base = ((u64)block_id() * block_size() + thread_id()) & ~(u64)31; base < entries; base += (u64)grid_size() * block_size()) {
    u64 e = base + lane_id(), weight = 0;
    if (e < entries) {
      u64 number = wide ? once(wide + e) : once(narrow + e);
      weight = before ? before[e] : 1;
      for (u32 i = 0; i < power && weight; i++) weight = times(weight, number, &beyond);
      weights[e] = weight;
    }
    u32 word = ballot(ALL, weight > 0);
    if (lane_id() == 0) bits[base >> 5] = word;
  }
  if (beyond) either(beyond_out, 1);
}

// Moves the entries that have bits to their places, of which ranks has that of the first one of each word; and where rows begin.
KERNEL(homs_keep, 256)(const u64 *offsets, u32 n, const u32 *targets, const u64 *weights, u64 entries, const u32 *bits, const u64 *ranks, u64 *offsets_out,
                       u32 *targets_out, u64 *weights_out) {
  u64 first = (u64)block_id() * block_size() + thread_id(), step = (u64)grid_size() * block_size();
  for (u64 e = first; e < entries; e += step) {
    u32 word = once(bits + (e >> 5));
    if (!(word >> (e & 31) & 1)) continue;
    u64 at = once(ranks + (e >> 5)) + popcount(word & ((1u << (e & 31)) - 1));
    targets_out[at] = once(targets + e), weights_out[at] = once(weights + e);
  }
  for (u64 v = first; v <= n; v += step) {
    u64 e = once(offsets + v);
    offsets_out[v] = once(ranks + (e >> 5)) + (e & 31 ? popcount(once(bits + (e >> 5)) & ((1u << (e & 31)) - 1)) : 0);
  }
}
