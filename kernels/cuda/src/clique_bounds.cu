// How large a clique each root may begin, without a search.
//
// Input: the oriented graph and its roots, as in cliques.cu. bounds has a number by place of a root.
//
// A clique of k vertices whose first is the root has k - 1 others among the root's out-neighbours, each joined to k - 2 of these. So the bound is the
// largest k for which as many out-neighbours have as many others as neighbours. It holds for every k, so it is found once for a graph.
//
// What makes it fast: it is what cliques of four take, the bitmap of the out-neighbours, and a count for each row. Where triangles are rare, few roots
// have cliques of five, and the kernels of cliques.cu, whose trees take twice as many registers, see only these.
#include "clique_rows.cuh"

KERNEL(clique_bounds_small, 256)(const u64 *offsets, const u32 *targets, const u32 *roots, u32 first, u32 last, u32 *next, const u32 *stop, u32 each,
                                 u32 *bounds) {
  SHARED(u32, lists, 8 * 96);
  each_small(offsets, roots, first, last, 1, each, next, stop, [&](u64 begin, u32 d, u32 at) {
    u32 n = popcount(row_of_small(offsets, targets, begin, d, lists + warp_id() * 96)), k = 2;
    while (popcount(ballot(ALL, n + 1 >= k && lane_id() < d)) >= k) k++; // k + 1 may be
    if (lane_id() == 0) bounds[at] = k;
    return true;
  });
}

// The bound of a root whose d neighbours have so many neighbours among them, by a warp.
DEV u32 bound_of(const u32 *degrees, u32 d) {
  u32 least = 2, most = d + 1;
  while (least < most) {
    u32 k = (least + most + 1) >> 1, n = 0;
    for (u32 base = 0; base < d; base += 32) n += popcount(ballot(ALL, base + lane_id() < d && degrees[base + lane_id()] + 2 >= k));
    if (n + 1 >= k) least = k;
    else most = k - 1;
  }
  return least;
}

// The same for roots of more than 32 out-neighbours, up to most. A warp has warp_room words for a list.
KERNEL(clique_bounds_block, 256)(const u64 *offsets, const u32 *targets, const u32 *roots, u32 first, u32 last, u32 *next, const u32 *stop, u32 most,
                                 u32 warp_room, u32 *bounds) {
  DYNAMIC(u32, memory);
  SHARED(u32, at, 1);
  u32 *degrees = memory + (u64)most * (((most + 31) >> 5) | 1), *list = degrees + most + warp_id() * warp_room;
  for (;;) {
    if (warp_id() == 0) {
      u32 got = next_item(stop, next, first, last);
      if (lane_id() == 0) at[0] = got;
    }
    sync_block();
    if (at[0] == ~0u) break;
    u32 root = once(roots + at[0]);
    u64 begin = once(offsets + root);
    u32 d = (u32)(once(offsets + root + 1) - begin), words = (d + 31) >> 5, stride = words | 1;
    for (u32 w = thread_id(); w < d * stride; w += block_size()) memory[w] = 0;
    sync_block();
    build_rows(offsets, targets, targets + begin, d, memory, stride, list, warp_room);
    sync_block();
    for (u32 v = thread_id(); v < d; v += block_size()) {
      u32 n = 0;
      for (u32 w = 0; w < words; w++) n += popcount(memory[v * stride + w]);
      degrees[v] = n;
    }
    sync_block();
    if (warp_id() == 0) {
      u32 k = bound_of(degrees, d);
      if (lane_id() == 0) bounds[at[0]] = k;
    }
    sync_block();
  }
}

// Lists the roots at some places, and how many out-neighbours each lacks to most.
KERNEL(clique_roots, 256)(const u64 *offsets, const u32 *roots, const u32 *places, u32 n, u32 most, u32 *list, u32 *keys) {
  for (u32 i = block_id() * block_size() + thread_id(); i < n; i += grid_size() * block_size()) {
    u32 root = once(roots + once(places + i));
    list[i] = root, keys[i] = most - (u32)(once(offsets + root + 1) - once(offsets + root));
  }
}
