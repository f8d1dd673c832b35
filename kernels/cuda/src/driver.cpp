// A libcuda.so.1 whose devices are the emulator, so that the whole way from Go over the bindings and the driver shim to the
// kernels runs without a GPU.
//
// It is strict where a real driver forgives on most days: what is asynchronous waits until something synchronises with its
// stream, and what it copies is read and written then; asynchronous copies have their host side in pinned memory; memory is
// poisoned; a launch must name a kernel that the loaded PTX has, too, and may use as much dynamic shared memory as was allowed for
// the function; memory belongs to the device that was current when it was allocated, and is an error on another one; a context
// that is let go must have been tidied up. Devices run their kernels one after the other, and other calls beside them.
//
//   MOTIF_SIMT_SEED     the order of lanes
//   MOTIF_SIMT_WEAK     1: what lanes read of others' atomic functions may be late, with a seed
//   MOTIF_SIMT_DEVICES  how many devices there are (1)
//   MOTIF_SIMT_MEMORY   bytes of memory that each has
//   MOTIF_SIMT_INIT     what cuInit returns
//   MOTIF_SIMT_FAIL     CALL:N[:STATUS]: the Nth call of this name from now on returns the status (2, no memory, for
//                       allocations; else 1) and does nothing. The call "kernel" is the Nth kernel that runs: its status (700)
//                       shows at whatever waits for it, and from then on at every call in that context. It is read at every call.
#include "simt.h"
#include "simt_driver.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

#define API extern "C" __attribute__((visibility("default"))) int

namespace {
typedef u64 Pointer;
struct Device;
struct Function { std::string name; simt::Thunk run; size_t shared_limit = 48 << 10; u32 params; };
struct Module { std::string ptx; std::map<std::string, Function> functions; };
struct Event { Device *of; double at = -1; };
struct Stream {
  Device *of;
  std::mutex draining;
  std::deque<std::function<void()>> queue;
};
struct Device {
  int ordinal = 0, retained = 0, status = 0; // status: of a kernel that failed
  size_t used = 0, pinned = 0;
  double now = 0; // launches so far, in place of time
  Stream main;
  std::mutex copying; // as in NVIDIA's driver: a copy that waits for kernels keeps other copies from being asked for
  std::set<Stream *> streams;
  std::set<Event *> events;
  std::set<Module *> modules;
};
struct Allocation { size_t size; Device *of, *by; bool foreign = false; }; // of: nullptr for pinned memory of the host; by: who allocated it; foreign: it is not to be freed

thread_local Device *context;
std::mutex books;    // guards everything here but what a kernel does
std::mutex emulator; // there is one
std::map<uintptr_t, Allocation> allocations;
std::vector<Device *> devices;
size_t total = 1ull << 30;
std::string plan; // MOTIF_SIMT_FAIL, as it was last
long left;        // calls until it fails

constexpr size_t optin = 96 << 10; // bytes of shared memory that a block may be allowed

// What a call of a name is to fail with, 0: nothing.
int planned(const char *call, int status) {
  const char *now = getenv("MOTIF_SIMT_FAIL");
  if (!now || !*now) return plan.clear(), 0;
  char name[64];
  long nth = 1;
  int given = 0;
  sscanf(now, "%63[^:]:%ld:%d", name, &nth, &given);
  if (plan != now) plan = now, left = nth;
  std::string full = call;
  if (full != name && full != std::string(name) + "_v2") return 0;
  return --left == 0 ? (given ? given : status) : 0;
}
// What every call begins with, books being locked.
int begin(const char *call, int status) {
  if (int rc = planned(call, status)) return rc;
  return context ? context->status : 0;
}
#define BEGIN(status) std::unique_lock<std::mutex> lock(books); if (int rc = begin(__func__, status)) return rc
#define CURRENT(status) BEGIN(status); if (!context) return 201

Stream *stream_of(void *s) { return s ? (Stream *)s : &context->main; }
void push(void *s, std::function<void()> work) { stream_of(s)->queue.push_back(std::move(work)); }

// Does all that a stream has to do. Streams other than the main one are made not to wait for it.
int drain(Stream *s) {
  std::lock_guard<std::mutex> one(s->draining);
  for (;;) {
    std::function<void()> work;
    {
      std::lock_guard<std::mutex> lock(books);
      if (s->queue.empty() || s->of->status) return s->queue.clear(), s->of->status;
      work = std::move(s->queue.front());
      s->queue.pop_front();
    }
    work();
  }
}
int drain_all(Device *d) {
  std::vector<Stream *> all;
  {
    std::lock_guard<std::mutex> lock(books);
    all.assign(d->streams.begin(), d->streams.end());
  }
  int rc = drain(&d->main);
  for (Stream *s : all) if (int failed = drain(s)) rc = failed;
  return rc;
}

// Whether n bytes at p are part of an allocation of the current device, or of pinned memory.
bool holds(const void *p, size_t n, bool pinned) {
  auto it = allocations.upper_bound((uintptr_t)p);
  if (it == allocations.begin()) return false;
  --it;
  size_t at = (uintptr_t)p - it->first;
  return it->second.of == (pinned ? nullptr : context) && at <= it->second.size && n <= it->second.size - at;
}
bool holds(Pointer p, size_t n) { return holds((void *)p, n, false); }

void remember(void *p, size_t n, Device *of) {
  memset(p, 0xA5, n);
  allocations[(uintptr_t)p] = {n, of, context};
}
void emulate(void *p, size_t n) {
  std::lock_guard<std::mutex> one(emulator);
  simt::add_memory(p, n, context->ordinal);
}
int forget(void *p, bool pinned) {
  {
    std::lock_guard<std::mutex> lock(books);
    auto it = allocations.find((uintptr_t)p);
    if (it == allocations.end() || it->second.of != (pinned ? nullptr : context)) return 1;
    (pinned ? context->pinned : context->used) -= it->second.size;
    allocations.erase(it);
  }
  std::lock_guard<std::mutex> one(emulator);
  simt::drop_memory(p);
  return free(p), 0;
}

// The number of parameters of an entry in PTX; -1: it has no such entry.
int parameters(const std::string &ptx, const std::string &name) {
  size_t at = ptx.find(".entry " + name + "(");
  if (at == std::string::npos) return -1;
  size_t end = ptx.find(')', at), n = 0;
  for (size_t p = ptx.find(".param", at); p < end; p = ptx.find(".param", p + 1)) n++;
  return (int)n;
}

// Blocks of so many lanes that a multiprocessor runs at once.
int at_once(unsigned block) { return block > 256 ? 1 : 2; }

Device *device(int i) { return i >= 0 && (size_t)i < devices.size() ? devices[i] : nullptr; }
} // namespace

API cuInit(unsigned) {
  const char *init = getenv("MOTIF_SIMT_INIT"), *seed = getenv("MOTIF_SIMT_SEED"), *memory = getenv("MOTIF_SIMT_MEMORY"), *n = getenv("MOTIF_SIMT_DEVICES"), *weak = getenv("MOTIF_SIMT_WEAK");
  if (seed) simt::set_seed(strtoull(seed, nullptr, 10), weak && *weak == '1');
  if (memory) total = strtoull(memory, nullptr, 10);
  for (int i = 0, all = n ? atoi(n) : 1; i < all; i++) {
    Device *d = new Device;
    d->ordinal = i, d->main.of = d;
    devices.push_back(d);
  }
  return init ? atoi(init) : 0;
}
API cuDriverGetVersion(int *v) { return *v = 12000, 0; }
API cuDeviceGetCount(int *n) { BEGIN(1); return *n = (int)devices.size(), 0; }
API cuDeviceGet(int *d, int i) { BEGIN(1); return device(i) ? (*d = i, 0) : 101; }
API cuDeviceGetName(char *s, int n, int) { BEGIN(1); return snprintf(s, n, "SIMT emulator"), 0; }
API cuDeviceTotalMem_v2(size_t *n, int) { BEGIN(1); return *n = total, 0; }
API cuDeviceGetAttribute(int *v, int a, int) {
  BEGIN(1);
  switch (a) {
  case 1: *v = 1024; break;       // threads a block
  case 8: *v = 48 << 10; break;   // shared memory a block
  case 10: *v = 32; break;        // lanes a warp
  case 16: *v = 2; break;         // multiprocessors
  case 39: *v = 2048; break;      // threads a multiprocessor
  case 75: *v = 8; break;         // capability
  case 81: *v = 128 << 10; break; // shared memory a multiprocessor
  case 97: *v = optin; break;     // shared memory a block may be allowed
  default: *v = 0;
  }
  return 0;
}
API cuDevicePrimaryCtxRetain(void **c, int i) {
  BEGIN(1);
  Device *d = device(i);
  return d ? (d->retained++, *c = d, 0) : 101;
}
// The last one to let the context go leaves nothing behind, unless a kernel failed: that is how to go on after it.
API cuDevicePrimaryCtxRelease_v2(int i) {
  std::unique_lock<std::mutex> lock(books);
  if (int rc = planned(__func__, 1)) return rc;
  Device *d = device(i);
  if (!d || !d->retained) return 101;
  if (--d->retained) return 0;
  if (!d->status && (d->used || d->pinned || !d->streams.empty() || !d->events.empty())) {
    fprintf(stderr, "simt: the context of device %d is let go with %zu bytes on the device, %zu pinned ones, %zu streams and %zu events\n", i, d->used, d->pinned, d->streams.size(), d->events.size());
    fflush(stderr);
    _exit(86);
  }
  std::lock_guard<std::mutex> one(emulator);
  for (auto it = allocations.begin(); it != allocations.end();) {
    if (it->second.by != d) { ++it; continue; }
    simt::drop_memory((void *)it->first);
    if (!it->second.foreign) free((void *)it->first);
    it = allocations.erase(it);
  }
  for (Module *m : d->modules) delete m;
  for (Stream *s : d->streams) delete s;
  for (Event *e : d->events) delete e;
  d->modules.clear(), d->streams.clear(), d->events.clear(), d->main.queue.clear(), d->used = d->pinned = 0, d->status = 0;
  return 0;
}
API cuCtxSetCurrent(void *c) { BEGIN(1); return context = (Device *)c, 0; }
API cuCtxSynchronize() { { CURRENT(1); } return drain_all(context); }
API cuMemGetInfo_v2(size_t *f, size_t *t) { CURRENT(1); return *f = total - context->used, *t = total, 0; }
API cuMemAlloc_v2(Pointer *p, size_t n) {
  void *q;
  {
    CURRENT(2);
    if (!n) return 1;
    if (context->used + n > total) return 2;
    remember(q = malloc(n), n, context);
    context->used += n, *p = (Pointer)q;
  }
  return emulate(q, n), 0;
}
// What is planned to fail has freed the memory nevertheless: there is no other way to do so.
API cuMemFree_v2(Pointer p) {
  int planned = 0;
  {
    std::lock_guard<std::mutex> lock(books);
    planned = ::planned(__func__, 1);
    if (!context) return 201;
    if (context->status) return context->status;
  }
  if (int rc = drain_all(context)) return rc;
  int rc = forget((void *)p, false);
  return rc ? rc : planned;
}
API cuMemHostAlloc(void **p, size_t n, unsigned) {
  CURRENT(2);
  remember(*p = malloc(n), n, nullptr);
  return context->pinned += n, 0; // kernels must not touch it
}
API cuMemHostRegister_v2(void *p, size_t n, unsigned) {
  CURRENT(2);
  if (!p || !n || holds(p, 1, true)) return 712; // it is registered
  allocations[(uintptr_t)p] = {n, nullptr, context, true};
  return context->pinned += n, 0;
}
API cuMemHostUnregister(void *p) {
  { CURRENT(1); }
  if (int rc = drain_all(context)) return rc;
  std::lock_guard<std::mutex> lock(books);
  auto it = allocations.find((uintptr_t)p);
  if (it == allocations.end() || !it->second.foreign) return 713;
  context->pinned -= it->second.size;
  return allocations.erase(it), 0;
}
API cuMemFreeHost(void *p) { { CURRENT(1); } if (int rc = drain_all(context)) return rc; return forget(p, true); }

// Copies that return when they are done, after all that the main stream has to do.
#define COPY_NOW(condition) { CURRENT(1); if (!(condition)) return 1; } std::lock_guard<std::mutex> alone(context->copying); if (int rc = drain(&context->main)) return rc
API cuMemcpyHtoD_v2(Pointer d, const void *s, size_t n) { COPY_NOW(holds(d, n)); return memcpy((void *)d, s, n), 0; }
API cuMemcpyDtoH_v2(void *d, Pointer s, size_t n) { COPY_NOW(holds(s, n)); return memcpy(d, (void *)s, n), 0; }
API cuMemcpyDtoD_v2(Pointer d, Pointer s, size_t n) { COPY_NOW(holds(s, n) && holds(d, n)); return memcpy((void *)d, (void *)s, n), 0; }

API cuMemcpyHtoDAsync_v2(Pointer d, const void *s, size_t n, void *stream) { if (context) std::lock_guard<std::mutex> others(context->copying); CURRENT(1); if (!holds(d, n) || !holds(s, n, true)) return 1; push(stream, [=] { memcpy((void *)d, s, n); }); return 0; }
API cuMemcpyDtoHAsync_v2(void *d, Pointer s, size_t n, void *stream) { CURRENT(1); if (!holds(s, n) || !holds(d, n, true)) return 1; push(stream, [=] { memcpy(d, (void *)s, n); }); return 0; }
API cuMemcpyDtoDAsync_v2(Pointer d, Pointer s, size_t n, void *stream) { CURRENT(1); if (!holds(s, n) || !holds(d, n)) return 1; push(stream, [=] { memcpy((void *)d, (void *)s, n); }); return 0; }
API cuMemsetD8Async(Pointer p, unsigned char v, size_t n, void *stream) { CURRENT(1); if (!holds(p, n)) return 1; push(stream, [=] { memset((void *)p, v, n); }); return 0; }
API cuMemsetD32Async(Pointer p, unsigned v, size_t n, void *stream) { CURRENT(1); if (!holds(p, 4 * n)) return 1; push(stream, [=] { for (size_t i = 0; i < n; i++) ((unsigned *)p)[i] = v; }); return 0; }

API cuModuleLoadData(void **m, const void *image) {
  CURRENT(1);
  if (!strstr((const char *)image, ".version")) return 218;
  Module *made = new Module{(const char *)image, {}};
  context->modules.insert(made);
  return *m = made, 0;
}
API cuModuleLoadDataEx(void **m, const void *image, unsigned, void *, void **) { return cuModuleLoadData(m, image); }
API cuModuleUnload(void *m) { CURRENT(1); if (!context->modules.erase((Module *)m)) return 400; return delete (Module *)m, 0; }
API cuModuleGetFunction(void **f, void *module, const char *name) {
  CURRENT(1);
  Module *m = (Module *)module;
  if (!context->modules.count(m)) return 400;
  int params = parameters(m->ptx, name);
  simt::Thunk run = simt::find_kernel(name);
  if (params < 0 || !run) return 500;
  return *f = &(m->functions[name] = Function{name, run, 48 << 10, (u32)params}), 0;
}
API cuFuncSetAttribute(void *f, int a, int v) { CURRENT(1); if (a != 8 || v < 0 || (size_t)v > optin) return 1; return ((Function *)f)->shared_limit = v, 0; }
API cuFuncGetAttribute(int *v, int, void *) { CURRENT(1); return *v = 0, 0; }
API cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, void *, int block, size_t) { CURRENT(1); return *n = at_once(block), 0; }
// The rest of a launch, books being locked.
static int launch(void *fn, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **params, bool together) {
  Function *f = (Function *)fn;
  bool ours = false;
  for (Module *m : context->modules) {
    auto it = m->functions.find(f->name);
    ours |= it != m->functions.end() && &it->second == f;
  }
  if (!ours) return 400;
  if (!gx || !bx || gy != 1 || gz != 1 || by != 1 || bz != 1 || bx > 1024) return 1;
  if (shared > f->shared_limit) return 1;
  std::vector<u64> values(f->params); // a real driver, too, has read them when the call returns
  for (u32 i = 0; i < f->params; i++) values[i] = *(u64 *)params[i];
  Device *on = context;
  push(stream, [=]() mutable {
    {
      std::lock_guard<std::mutex> lock(books);
      if ((on->status = planned("kernel", 700))) return;
    }
    std::vector<void *> at(values.size());
    for (size_t i = 0; i < at.size(); i++) at[i] = &values[i];
    std::lock_guard<std::mutex> one(emulator);
    simt::set_device(on->ordinal);
    simt::set_together(together);
    f->run(f->name.c_str(), gx, bx, shared, at.data());
    on->now++;
  });
  return 0;
}
API cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **params, void **) {
  CURRENT(1);
  return launch(f, gx, gy, gz, bx, by, bz, shared, stream, params, false);
}
API cuLaunchCooperativeKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **params) {
  CURRENT(1);
  if (gx > 2 * at_once(bx)) return 720; // there are two multiprocessors
  return launch(f, gx, gy, gz, bx, by, bz, shared, stream, params, true);
}
API cuStreamCreate(void **s, unsigned flags) {
  CURRENT(1);
  if (flags != 1) return 1; // all ours do not wait for the main one
  Stream *made = new Stream;
  made->of = context, context->streams.insert(made);
  return *s = made, 0;
}
API cuStreamDestroy_v2(void *s) {
  { CURRENT(1); if (!context->streams.count((Stream *)s)) return 400; }
  drain((Stream *)s);
  std::lock_guard<std::mutex> lock(books);
  return context->streams.erase((Stream *)s), delete (Stream *)s, 0;
}
API cuStreamSynchronize(void *s) { { CURRENT(1); } return drain(stream_of(s)); }
API cuEventCreate(void **e, unsigned) { CURRENT(1); return *e = *context->events.insert(new Event{context}).first, 0; }
API cuEventDestroy_v2(void *e) { { CURRENT(1); if (!context->events.erase((Event *)e)) return 400; } drain_all(context); return delete (Event *)e, 0; }
API cuEventRecord(void *e, void *stream) { CURRENT(1); push(stream, [=] { ((Event *)e)->at = ((Event *)e)->of->now; }); return 0; }
API cuEventSynchronize(void *) { { CURRENT(1); } return drain_all(context); }
API cuEventElapsedTime(float *ms, void *a, void *b) {
  CURRENT(1);
  Event *from = (Event *)a, *to = (Event *)b;
  if (from->at < 0 || to->at < 0) return 600; // not there yet
  return *ms = (float)(to->at - from->at), 0;
}
