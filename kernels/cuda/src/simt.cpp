// The emulator behind simt.h, which says what it does. It is compiled without the sanitizer, the kernels with it.
#include "simt.h"
#include "simt_driver.h"
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#endif

namespace simt {

// A touch of a word: by which lane, when by the clocks of its warp, its block and the grid.
struct Touch {
  u32 lane = ~0u; // block << 10 | thread
  u32 clock = 0, epoch = 0, turn = 0;
  bool atomic = false;
};
struct Cell {
  u32 stamp = 0;
  Touch write, read[2];
};
struct Region {
  size_t size = 0;
  int device = -1; // whose it is; -1: everybody's
  std::vector<Cell> cells; // a word of 4 bytes each
};

// What an atomic function has written, and what stood there before: until something orders the two, other lanes may read that.
struct Past {
  u64 was;
  Touch by;
  u64 settled = 0;        // when a fence made it known, 0: not yet
  std::vector<u32> known; // lanes that have read what stands there now
};

enum State : u8 { ready, in_warp, in_block, in_grid, done };

struct Block;
struct Lane {
  void *sp;
  char *stack;
  Block *block;
  u32 id;
  State state;
  Op op;
  int line;
  u32 mask, arg, value, result;
  u64 fenced; // the last fence that it knows of
};
struct Warp {
  u32 waiting, gone;
  u32 clock[32][32]; // [lane][other]: what the lane knows of the other's time
};
struct Block {
  u32 id, stamp, alive, at_barrier, epoch;
  int barrier_line;
  std::vector<Lane> lane;
  std::vector<Warp> warp;
  std::vector<u64> memory; // shared
  size_t used;             // of it by SHARED
  size_t dynamic_bytes;
  std::map<int, size_t> at; // of each SHARED, by line
  Region shadow;
  std::vector<Past *> unsettled;
  char *stacks = nullptr;
};

constexpr size_t stack_bytes = 64 << 10, static_bytes = 48 << 10;
static u64 seed = 0; // 0: in order, one block at a time
static bool weak; // with a seed: reads may be late
static u64 random_state = 1, fences;
static std::unordered_map<const void *, Past> pasts; // by address, in this launch
static int device; // where the launch runs
static bool together; // all blocks are resident
static u32 turn, at_gate, gate_line; // barriers of the grid so far, lanes that wait at one, and where
static u32 stamps, stamp, threads, blocks; // stamp is that of the launch, a block's shared memory has its own
static Lane *current = nullptr;
static void *home; // stack pointer of the scheduler
static std::vector<Block *> resident, idle;
static std::map<uintptr_t, Region> regions; // device memory by address
static void (*body)(void *);
static void *body_arg;
static const char *kernel = "";

[[noreturn]] static void fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "simt: %s", kernel);
  if (current) fprintf(stderr, ", block %u, thread %u", current->block->id, current->id);
  fprintf(stderr, ": ");
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  if (current)
    for (Lane &l : current->block->lane)
      if (l.state != ready && l.state != done)
        fprintf(stderr, "  thread %u waits at line %d%s\n", l.id, l.line, l.state == in_block ? " for the block" : l.state == in_grid ? " for the grid" : "");
  fflush(stderr);
  _exit(86);
}

static u64 random() {
  random_state ^= random_state << 13, random_state ^= random_state >> 7, random_state ^= random_state << 17;
  return random_state;
}

// Switching stacks: the callee-saved registers go onto the old one and come from the new one.
extern "C" void simt_switch(void **from, void *to);
#if defined(__x86_64__)
__asm__(".text\n.weak simt_switch\n.type simt_switch,@function\nsimt_switch:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\nmov %rsp,(%rdi)\nmov %rsi,%rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");
#else
#error "the emulator switches stacks on x86-64 only"
#endif

static Lane *next_ready(Lane *after) {
  size_t nb = resident.size();
  if (!nb) return nullptr;
  size_t b0 = 0;
  u32 l0 = after ? after->id + 1 : 0;
  if (seed) b0 = random() % nb, l0 = (u32)(random() % threads);
  else if (after) while (resident[b0] != after->block && b0 + 1 < nb) b0++;
  for (size_t i = 0; i < nb; i++) {
    Block *b = resident[(b0 + i) % nb];
    for (u32 k = 0; k < threads; k++) {
      Lane &l = b->lane[(l0 + k) % threads];
      if (l.state == ready) return &l;
    }
  }
  return nullptr;
}

// The address sanitizer must know which stack it is on.
static const void *home_stack;
static size_t home_bytes;
static bool from_home; // the switch under way began there
static void leave(Lane *from, Lane *to) {
  from_home = !from;
#if ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(nullptr, to ? to->stack : home_stack, to ? stack_bytes : home_bytes);
#endif
}
static void arrive() {
#if ADDRESS_SANITIZER
  const void *bottom;
  size_t bytes;
  __sanitizer_finish_switch_fiber(nullptr, &bottom, &bytes);
  if (from_home) home_stack = bottom, home_bytes = bytes;
#endif
}

static void go_to(Lane *to) {
  Lane *from = current;
  if (from == to) return;
  current = to;
  leave(from, to);
  simt_switch(from ? &from->sp : &home, to ? to->sp : home);
  arrive();
}

// Lets another lane go on; this one is ready or waits.
static void yield() {
  Lane *to = next_ready(current);
  if (!to) fail("deadlock: no lane can go on");
  go_to(to);
}

// ---- memory ----

static bool ordered(const Touch &t, const Lane *l) {
  if (t.turn < turn) return true;
  u32 block = t.lane >> 10, id = t.lane & 1023;
  if (block != (l->block->id & 0x3fffff)) return false;
  if (id == l->id || t.epoch < l->block->epoch) return true;
  return id >> 5 == l->id >> 5 && l->block->warp[id >> 5].clock[l->id & 31][id & 31] >= t.clock;
}

static void check_word(Cell &c, u32 stamp, bool write, bool atomic, const void *p) {
  Lane *l = current;
  if (c.stamp != stamp) c = Cell{}, c.stamp = stamp;
  auto against = [&](const Touch &t, const char *what) {
    if (t.lane != ~0u && !(t.atomic && atomic) && !ordered(t, l))
      fail("race: %s of a word at %p that block %u, thread %u %s", write ? "write" : "read", p, t.lane >> 10, t.lane & 1023, what);
  };
  against(c.write, "wrote");
  if (write)
    for (Touch &t : c.read) against(t, "read");
  Touch t{(l->block->id & 0x3fffff) << 10 | l->id, l->block->warp[l->id >> 5].clock[l->id & 31][l->id & 31], l->block->epoch, turn, atomic};
  if (write) c.write = t;
  else if (c.read[0].lane == t.lane || c.read[0].lane == ~0u || ordered(c.read[0], l)) c.read[0] = t;
  else c.read[1] = t;
}

static bool same(const Touch &a, const Touch &b) { return a.lane == b.lane && a.clock == b.clock && a.epoch == b.epoch && a.turn == b.turn && a.atomic == b.atomic; }

// Notes that the lane has changed the word at p, which the cell is of.
static void remember(const void *p, const Cell &c, u64 was) {
  Past &h = pasts[p];
  Block *b = current->block;
  h.was = was, h.by = c.write, h.settled = 0, h.known.clear();
  b->unsettled.push_back(&h);
}

// What the lane reads at p, where now stands: perhaps what stood there before, if nothing has ordered the lane behind the one that
// wrote, and it has not read the new value before. A lane that is told by one word to read another one must have a fence
// between, and so must the one that tells.
static u32 perhaps_late(const u32 *p, const Cell &c) {
  auto it = pasts.find(p);
  if (it == pasts.end()) return *p;
  Past &h = it->second;
  Lane *l = current;
  u32 self = (l->block->id & 0x3fffff) << 10 | l->id;
  if (!same(h.by, c.write) || h.by.lane == self || ordered(h.by, l) || (h.settled && h.settled < l->fenced)) return *p;
  for (u32 lane : h.known) if (lane == self) return *p;
  if (random() & 1) return (u32)h.was;
  h.known.push_back(self);
  return *p;
}

// What the lane knows was written comes before all that others read once they have met a later fence.
void fence() {
  Lane *l = current;
  Block *b = l->block;
  l->fenced = ++fences;
  u32 self = (b->id & 0x3fffff) << 10 | l->id;
  std::vector<Past *> left;
  for (Past *h : b->unsettled) {
    if (h->settled || h->by.lane >> 10 != (b->id & 0x3fffff)) continue; // written anew by others
    if (h->by.lane == self || ordered(h->by, l)) h->settled = fences;
    else left.push_back(h);
  }
  b->unsettled.swap(left);
  if (seed) yield();
}

static uintptr_t last; // the region found last, and where it starts
static Region *found;

static Cell *access(const void *p, size_t n, bool write, bool atomic) {
  Lane *l = current;
  if (!l) return nullptr;
  char *a = (char *)p;
  if (a >= l->stack && a < l->stack + stack_bytes) return nullptr;
  if (seed && random() % (atomic ? 4 : 24) == 0) yield();
  Block *b = l->block;
  char *s = (char *)b->memory.data();
  Region *r;
  size_t at;
  if (a >= s && a < s + static_bytes + b->dynamic_bytes) {
    r = &b->shadow, at = a - s;
    if (at + n > (at < static_bytes ? b->used : static_bytes + b->dynamic_bytes)) fail("shared memory ends before offset %zu", at + n);
  } else {
    if (!found || (uintptr_t)a < last || (uintptr_t)a >= last + found->size) {
      auto it = regions.upper_bound((uintptr_t)a);
      if (it == regions.begin()) fail("access of %zu bytes at %p, which is nobody's", n, p);
      --it;
      last = it->first, found = &it->second;
    }
    r = found, at = (uintptr_t)a - last;
    if (r->device >= 0 && r->device != device) fail("device %d has no memory at %p: it is of device %d", device, p, r->device);
    if (at + n > r->size) fail("%s of %zu bytes at offset %zu of an allocation of %zu", write ? "write" : "read", n, at, r->size);
  }
  for (size_t w = at / 4; w <= (at + n - 1) / 4; w++) check_word(r->cells[w], r == &b->shadow ? b->stamp : stamp, write, atomic, p);
  return &r->cells[at / 4];
}

static Region region(size_t n) { return {n, -1, std::vector<Cell>(n / 4 + 1)}; }

// ---- collectives ----

static void complete(Block *b, u32 w, u32 need) {
  Lane *lanes = &b->lane[w * 32];
  Lane &first = lanes[__builtin_ctz(need)];
  u32 votes = 0;
  for (u32 m = need; m; m &= m - 1) {
    Lane &l = lanes[__builtin_ctz(m)];
    if (l.op != first.op || l.mask != first.mask || l.line != first.line)
      fail("lanes %u and %u meet at lines %d and %d with masks %08x and %08x", first.id, l.id, first.line, l.line, first.mask, l.mask);
    if (l.value) votes |= 1u << (l.id & 31);
  }
  for (u32 m = need; m; m &= m - 1) {
    Lane &l = lanes[__builtin_ctz(m)];
    u32 i = l.id & 31, from = i;
    switch (l.op) {
    case op_sync: continue;
    case op_ballot: l.result = votes; continue;
    case op_shuffle: from = l.arg & 31; break;
    case op_xor: from = i ^ l.arg; break;
    case op_up: from = i >= l.arg ? i - l.arg : i; break;
    }
    if (!(need >> from & 1)) fail("a shuffle reads lane %u, which is not in the mask %08x", from, l.mask);
    l.result = lanes[from].value;
  }
  if (first.op == op_sync) { // of the collectives only the barrier orders memory
    u32 now[32] = {};
    u64 fenced = 0;
    for (u32 m = need; m; m &= m - 1) fenced = lanes[__builtin_ctz(m)].fenced > fenced ? lanes[__builtin_ctz(m)].fenced : fenced;
    for (u32 m = need; m; m &= m - 1) lanes[__builtin_ctz(m)].fenced = fenced;
    auto &clock = b->warp[w].clock;
    for (u32 m = need; m; m &= m - 1)
      for (u32 o = 0; o < 32; o++) now[o] = clock[__builtin_ctz(m)][o] > now[o] ? clock[__builtin_ctz(m)][o] : now[o];
    for (u32 m = need; m; m &= m - 1) memcpy(clock[__builtin_ctz(m)], now, sizeof now), clock[__builtin_ctz(m)][__builtin_ctz(m)]++;
  }
  for (u32 m = need; m; m &= m - 1) lanes[__builtin_ctz(m)].state = ready;
  b->warp[w].waiting &= ~need;
}

u32 collective(Op op, u32 mask, u32 value, u32 arg, int line) {
  Lane *l = current;
  Block *b = l->block;
  u32 w = l->id >> 5, i = l->id & 31;
  if (!(mask >> i & 1)) fail("line %d: the mask %08x lacks the lane itself", line, mask);
  l->op = op, l->mask = mask, l->value = value, l->arg = arg, l->line = line, l->state = in_warp;
  b->warp[w].waiting |= 1u << i;
  u32 need = mask & ~b->warp[w].gone;
  if ((b->warp[w].waiting & need) == need) complete(b, w, need);
  if (l->state != ready || seed) yield();
  return l->result;
}

static void open_barrier(Block *b) {
  u64 fenced = 0;
  for (Lane &l : b->lane) fenced = l.fenced > fenced ? l.fenced : fenced;
  for (Lane &l : b->lane)
    if (l.state == in_block) l.state = ready, l.fenced = fenced;
  b->at_barrier = 0, b->epoch++;
}

void barrier(int line) {
  Lane *l = current;
  Block *b = l->block;
  if (b->at_barrier && b->barrier_line != line) fail("barrier of the block at line %d while others wait at line %d", line, b->barrier_line);
  b->barrier_line = l->line = line, l->state = in_block;
  if (++b->at_barrier == b->alive) open_barrier(b);
  if (l->state != ready || seed) yield();
}

// Opens when all lanes of the grid are there; those that have ended never come.
void grid_barrier(int line) {
  Lane *l = current;
  if (!together) fail("line %d: blocks wait for each other in a launch that may run them one after the other", line);
  if (at_gate && (int)gate_line != line) fail("barrier of the grid at line %d while others wait at line %d", line, gate_line);
  l->line = line, gate_line = line, l->state = in_grid;
  if (++at_gate == blocks * threads) {
    at_gate = 0, turn++, fences++;
    for (Block *b : resident) for (Lane &o : b->lane) o.state = ready, o.fenced = fences;
  }
  if (l->state != ready || seed) yield();
}

// ---- blocks ----

static void lane_main() {
  arrive();
  body(body_arg);
  Lane *l = current;
  Block *b = l->block;
  u32 w = l->id >> 5;
  l->state = done, b->alive--, b->warp[w].gone |= 1u << (l->id & 31);
  if (b->alive && b->at_barrier == b->alive) open_barrier(b);
  for (u32 m = b->warp[w].waiting; m; m &= m - 1) { // its leaving may complete what others wait for
    Lane &o = b->lane[w * 32 + __builtin_ctz(m)];
    u32 need = o.mask & ~b->warp[w].gone;
    if (o.state == in_warp && need && (b->warp[w].waiting & need) == need) complete(b, w, need);
  }
  if (!b->alive) go_to(nullptr);
  Lane *to = next_ready(l);
  if (!to) fail("deadlock after a lane has ended");
  go_to(to);
  abort();
}

static void start(Block *b, u32 id, size_t dynamic_bytes) {
  b->id = id, b->stamp = ++stamps, b->alive = threads, b->at_barrier = 0, b->epoch = 1, b->used = 0, b->at.clear();
  b->dynamic_bytes = dynamic_bytes, b->unsettled.clear();
  b->memory.assign((static_bytes + dynamic_bytes) / 8 + 1, 0xA5A5A5A5A5A5A5A5ull);
  if (b->shadow.size < static_bytes + dynamic_bytes) b->shadow = region(static_bytes + dynamic_bytes);
  if (!b->stacks) {
    b->stacks = (char *)mmap(nullptr, 1024 * stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (u32 i = 0; i < 1024; i++) mprotect(b->stacks + i * stack_bytes, 4096, PROT_NONE);
  }
  b->lane.assign(threads, Lane{});
  b->warp.assign((threads + 31) / 32, Warp{});
  for (Warp &w : b->warp) for (u32 i = 0; i < 32; i++) w.clock[i][i] = 1;
  if (threads % 32) b->warp.back().gone = ~0u << threads % 32;
  for (u32 i = 0; i < threads; i++) {
    Lane &l = b->lane[i];
    l.block = b, l.id = i, l.state = ready, l.stack = b->stacks + i * stack_bytes;
#if ADDRESS_SANITIZER
    __asan_unpoison_memory_region(l.stack, stack_bytes); // the lane before has not returned from all it called
#endif
    void **sp = (void **)(l.stack + stack_bytes);
    *--sp = nullptr, *--sp = (void *)lane_main;
    l.sp = sp - 6;
  }
}

// Runs all blocks of a launch.
void run(const char *name, u32 grid, u32 block, size_t dynamic_bytes, void (*f)(void *), void *arg) {
  kernel = name, stamp = ++stamps, threads = block, blocks = grid, body = f, body_arg = arg;
  pasts.clear();
  turn = at_gate = 0;
  random_state = (seed + stamp) * 0x9E3779B97F4A7C15ull | 1;
  u32 next = 0;
  size_t room = together ? grid : seed ? 3 : 1;
  for (;;) {
    while (resident.size() < room && next < grid) {
      Block *b = idle.empty() ? new Block : idle.back();
      if (!idle.empty()) idle.pop_back();
      start(b, next++, dynamic_bytes);
      resident.push_back(b);
    }
    if (resident.empty()) return;
    Lane *to = next_ready(nullptr);
    if (!to) fail("deadlock");
    go_to(to); // comes back when a block has ended
    for (size_t i = 0; i < resident.size();)
      if (!resident[i]->alive) idle.push_back(resident[i]), resident.erase(resident.begin() + i);
      else i++;
  }
}

void *shared(size_t n, int line) {
  Block *b = current->block;
  auto [it, fresh] = b->at.emplace(line, b->used);
  if (fresh) b->used += (n + 7) / 8 * 8;
  if (b->used > static_bytes) fail("more than 48 KiB of static shared memory");
  return (char *)b->memory.data() + it->second;
}
void *dynamic() { return (char *)current->block->memory.data() + static_bytes; }

// ---- kernels and memory by name and address ----

static std::unordered_map<std::string, Thunk> &kernels() { static std::unordered_map<std::string, Thunk> k; return k; }
void add_kernel(const char *name, Thunk thunk) { kernels()[name] = thunk; }
Thunk find_kernel(const char *name) {
  auto it = kernels().find(name);
  return it == kernels().end() ? nullptr : it->second;
}
void add_memory(void *p, size_t bytes, int device) { found = nullptr, (regions[(uintptr_t)p] = region(bytes)).device = device; }
void drop_memory(void *p) { found = nullptr, regions.erase((uintptr_t)p); }
void set_device(int d) { device = d; }
void set_together(bool all) { together = all; }
void set_seed(u64 s, bool reads_late) { seed = s, weak = s && reads_late; }

template <class T, class F> static T change(T *p, F f) {
  Cell *c = access(p, sizeof(T), true, true);
  T old = *p;
  *p = f(old);
  if (weak && c && *p != old) remember(p, *c, old);
  return old;
}
} // namespace simt

using simt::change;
u32 thread_id() { return simt::current->id; }
u32 block_id() { return simt::current->block->id; }
u32 block_size() { return simt::threads; }
u32 grid_size() { return simt::blocks; }
u32 add(u32 *p, u32 v) { return change(p, [=](u32 x) { return x + v; }); }
u64 add(u64 *p, u64 v) { return change(p, [=](u64 x) { return x + v; }); }
u32 either(u32 *p, u32 v) { return change(p, [=](u32 x) { return x | v; }); }
u64 either(u64 *p, u64 v) { return change(p, [=](u64 x) { return x | v; }); }
u32 largest(u32 *p, u32 v) { return change(p, [=](u32 x) { return v > x ? v : x; }); }
u32 exchange(u32 *p, u32 v) { return change(p, [=](u32) { return v; }); }
u32 swap_if(u32 *p, u32 expected, u32 v) { return change(p, [=](u32 x) { return x == expected ? v : x; }); }
u32 read(const u32 *p) {
  simt::Cell *c = simt::access(p, 4, false, true);
  return simt::weak && c ? simt::perhaps_late(p, *c) : *p;
}
void fence() { simt::fence(); }

// What -fsanitize=thread calls.
#define HOOK(n) \
  extern "C" void __tsan_read##n(void *p) { simt::access(p, n, false, false); } \
  extern "C" void __tsan_write##n(void *p) { simt::access(p, n, true, false); } \
  extern "C" void __tsan_read_write##n(void *p) { simt::access(p, n, true, false); } \
  extern "C" void __tsan_unaligned_read##n(void *p) { simt::access(p, n, false, false); } \
  extern "C" void __tsan_unaligned_write##n(void *p) { simt::access(p, n, true, false); }
HOOK(1) HOOK(2) HOOK(4) HOOK(8) HOOK(16)
extern "C" void __tsan_init() {}
extern "C" void __tsan_func_entry(void *) {}
extern "C" void __tsan_func_exit() {}
extern "C" void *__tsan_memset(void *p, int c, size_t n) { if (n) simt::access(p, n, true, false); return memset(p, c, n); }
extern "C" void *__tsan_memcpy(void *d, const void *s, size_t n) { if (n) simt::access(s, n, false, false), simt::access(d, n, true, false); return memcpy(d, s, n); }
