// What kernels share that go along weighted neighbour lists.
#pragma once
#include "lists.cuh"

// Neighbour lists, the weights of their entries, or 0, and then the sums of these by list.
struct Rows {
  const u64 *offsets;
  const u32 *targets;
  const u64 *weights, *lengths;
};
