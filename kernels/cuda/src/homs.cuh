// What kernels share that go along weighted neighbour lists.
#pragma once
#include "lists.cuh"

typedef unsigned __int128 u128;

// Neighbour lists, the weights of their entries, or 0, and then the sums of these by list.
struct Rows {
  const u64 *offsets;
  const u32 *targets;
  const u64 *weights, *lengths;
};

DEV u64 times(u64 a, u64 b, u32 *beyond) {
  u128 p = (u128)a * b;
  if (p >> 64) *beyond = 1;
  return (u64)p;
}
