// Runs kernels on the CPU, lane by lane, to find what is wrong with them where there is no GPU.
//
// Every lane is a fiber. It runs until it meets a collective (a barrier, a vote, a shuffle), which completes when all lanes of
// its mask have met it; lanes that meet different ones, or that nobody can release, are reported. With a seed the order of the
// lanes is random, several blocks are in flight at once, and every access to memory is a point where another lane may go on:
// the kernels are compiled with -fsanitize=thread, whose calls end in __tsan_read4 and the like below instead of in a
// run-time library. Those also check that the address lies in memory the kernel was given, and that no two lanes
// touch a word, one of them writing, without a barrier between them or both by atomic functions (race).
// Shared memory is poisoned when a block starts. A weak memory is another thing that can be had with a seed: read may give what
// stood there before another lane's atomic function, as long as no barrier, and no fence on both sides, orders the two. Plain
// stores need nothing of the kind: one that another lane could see too early or too late is a race, which is reported.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

typedef uint8_t u8;
typedef uint32_t u32;
typedef int32_t i32;
typedef unsigned long long u64;
typedef long long i64;

#define DEV static inline
#define KERNEL(name, threads) extern "C" void name
#define SHARED(type, name, count) type *name = (type *)simt::shared(sizeof(type) * (count), __LINE__)
#define DYNAMIC(type, name) type *name = (type *)simt::dynamic()

namespace simt {
enum Op : u8 { op_sync, op_ballot, op_shuffle, op_xor, op_up };
u32 collective(Op op, u32 mask, u32 value, u32 arg, int line);
void barrier(int line);
void grid_barrier(int line);
void *shared(size_t bytes, int line);
void *dynamic();

// Runs all blocks of a launch: f(arg) in every lane.
void run(const char *kernel, u32 grid, u32 block, size_t dynamic_bytes, void (*f)(void *), void *arg);

// Kernels by name.
using Thunk = void (*)(const char *name, u32 grid, u32 block, size_t shared, void **params);
void add_kernel(const char *name, Thunk thunk);
template <auto K> struct Register;
template <class... P, void (*K)(P...)> struct Register<K> {
  template <size_t... I> __attribute__((no_sanitize("thread"))) static void call(void **v, std::index_sequence<I...>) { K(*(P *)v[I]...); }
  static void lane(void *v) { call((void **)v, std::index_sequence_for<P...>{}); }
  static void thunk(const char *name, u32 grid, u32 block, size_t shared, void **params) { run(name, grid, block, shared, lane, params); }
  Register(const char *name) { add_kernel(name, thunk); }
};
} // namespace simt

u32 thread_id();
u32 block_id();
u32 block_size();
u32 grid_size();
DEV void sync_block(int line = __builtin_LINE()) { simt::barrier(line); }
DEV void sync_grid(u32 *, int line = __builtin_LINE()) { simt::grid_barrier(line); }
DEV void sync_warp(u32 mask, int line = __builtin_LINE()) { simt::collective(simt::op_sync, mask, 0, 0, line); }
DEV u32 ballot(u32 mask, bool p, int line = __builtin_LINE()) { return simt::collective(simt::op_ballot, mask, p, 0, line); }
DEV u32 shuffle(u32 mask, u32 v, u32 from, int line = __builtin_LINE()) { return simt::collective(simt::op_shuffle, mask, v, from, line); }
DEV u32 shuffle_xor(u32 mask, u32 v, u32 by, int line = __builtin_LINE()) { return simt::collective(simt::op_xor, mask, v, by, line); }
DEV u32 shuffle_up(u32 mask, u32 v, u32 by, int line = __builtin_LINE()) { return simt::collective(simt::op_up, mask, v, by, line); }
DEV u32 popcount(u32 x) { return __builtin_popcount(x); }
DEV u32 popcount(u64 x) { return __builtin_popcountll(x); }
DEV u32 lowest(u32 x) { return __builtin_ctz(x); }
u32 add(u32 *p, u32 v);
u64 add(u64 *p, u64 v);
u32 either(u32 *p, u32 v);
u64 either(u64 *p, u64 v);
u32 largest(u32 *p, u32 v);
u32 exchange(u32 *p, u32 v);
u32 swap_if(u32 *p, u32 expected, u32 v);
u32 read(const u32 *p);
DEV u32 once_was(const u32 *p) { return read(p); }
void fence();
DEV u32 once(const u32 *p) { return *p; }
DEV u64 once(const u64 *p) { return *p; }
