// What the kernels need of CUDA, for two compilers: clang, which makes PTX of them without any toolkit (its builtins stand in
// for NVIDIA's headers), and a host C++ compiler, for which simt.h runs the same text lane by lane on the CPU.
//
// Rules for kernels, which keep both readings the same:
//   - a kernel is KERNEL(name, threads a block at most)(parameters); every parameter is a pointer or an integer of 4 or 8 bytes;
//   - shared memory is declared by SHARED(type, name, count) or DYNAMIC(type, name) at the top of the kernel;
//   - lanes wait for each other in the _sync functions only, all lanes of the mask at the same place in the text;
//   - no block waits for another one but in sync_grid, which all lanes call: what a grid must agree on is mostly the next launch;
//   - memory that lanes of different blocks write and read in one launch is touched by atomic functions alone;
//   - atomic functions order nothing but their own word: who tells another lane by one word of the launch to read a second one
//     has a fence() between the two, and so has that lane.
#pragma once

#if defined(MOTIF_SIMT)
#include "simt.h"
#else
typedef unsigned char u8;
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define DEV static inline __attribute__((device, always_inline))
#define KERNEL(name, threads) extern "C" __global__ __attribute__((launch_bounds(threads))) void name
#define SHARED(type, name, count) __shared__ type name[count]
#define DYNAMIC(type, name) extern __shared__ u64 motif_dynamic[]; type *name = (type *)motif_dynamic

DEV u32 thread_id() { return __nvvm_read_ptx_sreg_tid_x(); }
DEV u32 block_id() { return __nvvm_read_ptx_sreg_ctaid_x(); }
DEV u32 block_size() { return __nvvm_read_ptx_sreg_ntid_x(); }
DEV u32 grid_size() { return __nvvm_read_ptx_sreg_nctaid_x(); }
DEV void sync_block() { __syncthreads(); }
DEV void sync_warp(u32 mask) { __nvvm_bar_warp_sync(mask); }
DEV u32 ballot(u32 mask, bool p) { return __nvvm_vote_ballot_sync(mask, p); }
DEV u32 shuffle(u32 mask, u32 v, u32 from) { return __nvvm_shfl_sync_idx_i32(mask, v, from, 31); }
DEV u32 shuffle_xor(u32 mask, u32 v, u32 by) { return __nvvm_shfl_sync_bfly_i32(mask, v, by, 31); }
DEV u32 shuffle_up(u32 mask, u32 v, u32 by) { return __nvvm_shfl_sync_up_i32(mask, v, by, 0); }
DEV u32 popcount(u32 x) { return __builtin_popcount(x); }
DEV u32 popcount(u64 x) { return __builtin_popcountll(x); }
DEV u32 lowest(u32 x) { return __builtin_ctz(x); }
DEV u32 add(u32 *p, u32 v) { return __nvvm_atom_add_gen_i((int *)p, (int)v); }
DEV u64 add(u64 *p, u64 v) { return __nvvm_atom_add_gen_ll((i64 *)p, (i64)v); }
DEV u32 either(u32 *p, u32 v) { return __nvvm_atom_or_gen_i((int *)p, (int)v); }
DEV u64 either(u64 *p, u64 v) { return __nvvm_atom_or_gen_ll((i64 *)p, (i64)v); }
DEV u32 largest(u32 *p, u32 v) { return __nvvm_atom_max_gen_ui(p, v); }
DEV u32 exchange(u32 *p, u32 v) { return __nvvm_atom_xchg_gen_i((int *)p, (int)v); }
DEV u32 swap_if(u32 *p, u32 expected, u32 v) { return __nvvm_atom_cas_gen_i((int *)p, (int)expected, (int)v); }
DEV u32 read(const u32 *p) { return *(const volatile u32 *)p; } // of what others may be writing by atomic functions
DEV u32 once_was(const u32 *p) { // the same, or what it was earlier in the launch: from the cache near by
  u32 x;
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(p));
  return x;
}
DEV void fence() { __nvvm_membar_gl(); }
// All blocks of the grid wait for each other, in a kernel that is launched so that all run at once. gate is 0 before the first launch.
DEV void sync_grid(u32 *gate) {
  sync_block();
  if (thread_id() == 0) {
    fence();
    u32 old = add(gate, block_id() ? 1 : 0x80000001u - grid_size()); // the highest bit changes when the last one comes
    while (!((old ^ read(gate)) >> 31)) {}
    fence();
  }
  sync_block();
}
DEV u32 once(const u32 *p) { return __nvvm_ldg_ui(p); } // of what no one writes during the launch
DEV u64 once(const u64 *p) { return __nvvm_ldg_ull(p); }
#endif

#define ALL 0xffffffffu

DEV u32 lane_id() { return thread_id() & 31; }
DEV u32 warp_id() { return thread_id() >> 5; }
DEV u32 lanes_below() { return (1u << lane_id()) - 1; }

// A sum over the lanes of the warp, which all lanes get.
DEV u32 warp_sum(u32 v) {
  for (u32 by = 16; by; by >>= 1) v += shuffle_xor(ALL, v, by);
  return v;
}

DEV u64 warp_sum64(u64 v) {
  for (u32 by = 16; by; by >>= 1) {
    u64 other = shuffle_xor(ALL, (u32)v, by) | (u64)shuffle_xor(ALL, (u32)(v >> 32), by) << 32;
    v += other;
  }
  return v;
}

DEV u64 shuffle_up64(u64 v, u32 by) { return (u64)shuffle_up(ALL, (u32)v, by) | (u64)shuffle_up(ALL, (u32)(v >> 32), by) << 32; }

// The sum over the lanes below this one; total becomes that over all.
DEV u32 warp_prefix(u32 v, u32 *total) {
  u32 sum = v;
  for (u32 by = 1; by < 32; by <<= 1) {
    u32 below = shuffle_up(ALL, sum, by);
    if (lane_id() >= by) sum += below;
  }
  *total = shuffle(ALL, sum, 31);
  return sum - v;
}

// One number for the warp, from lane 0's counter.
DEV u32 warp_take(u32 *counter, u32 n) {
  u32 at = 0;
  if (lane_id() == 0) at = add(counter, n);
  return shuffle(ALL, at, 0);
}

// Adds to a number of 128 bits, low word first.
DEV void add_wide(u64 *wide, u64 v) {
  if (!v) return;
  u64 old = add(&wide[0], v);
  if (old + v < old) add(&wide[1], (u64)1);
}
