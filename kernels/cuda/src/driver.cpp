// A libcuda.so.1 whose device is the emulator, so that the whole way from Go over the bindings and the driver shim to the
// kernels runs without a GPU.
//
// It is strict where a real driver forgives on most days: what is asynchronous waits until something synchronises, and what
// it copies is read and written then; memory is poisoned; a launch must name a kernel that the loaded PTX has, too, and may
// use as much dynamic shared memory as was allowed for the function. MOTIF_SIMT_SEED chooses the order of lanes,
// MOTIF_SIMT_MEMORY the size of the device's memory, MOTIF_SIMT_INIT what cuInit returns.
#include "simt.h"
#include "simt_driver.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#define API extern "C" __attribute__((visibility("default"))) int

namespace {
typedef u64 Pointer;
struct Function { std::string name; simt::Thunk run; size_t shared_limit = 48 << 10; u32 params; };
struct Module { std::string ptx; std::map<std::string, Function> functions; };
struct Event { double at; };
thread_local void *context;
std::vector<std::function<void()>> queue; // of all streams, in order
size_t used, total = 1ull << 30;
double now; // launches so far, in place of time

void drain() {
  auto work = std::move(queue);
  queue.clear();
  for (auto &w : work) w();
}
bool holds(Pointer p, size_t n) { return simt::memory_from((void *)p) >= n; }

// The number of parameters of an entry in PTX; -1: it has no such entry.
int parameters(const std::string &ptx, const std::string &name) {
  size_t at = ptx.find(".entry " + name + "(");
  if (at == std::string::npos) return -1;
  size_t end = ptx.find(')', at), n = 0;
  for (size_t p = ptx.find(".param", at); p < end; p = ptx.find(".param", p + 1)) n++;
  return (int)n;
}
} // namespace

API cuInit(unsigned) {
  const char *init = getenv("MOTIF_SIMT_INIT"), *seed = getenv("MOTIF_SIMT_SEED"), *memory = getenv("MOTIF_SIMT_MEMORY");
  if (seed) simt::set_seed(strtoull(seed, nullptr, 10));
  if (memory) total = strtoull(memory, nullptr, 10);
  return init ? atoi(init) : 0;
}
API cuDriverGetVersion(int *v) { return *v = 12000, 0; }
API cuDeviceGetCount(int *n) { return *n = 1, 0; }
API cuDeviceGet(int *d, int i) { return i ? 101 : (*d = 0, 0); }
API cuDeviceGetName(char *s, int n, int) { return snprintf(s, n, "SIMT emulator"), 0; }
API cuDeviceTotalMem_v2(size_t *n, int) { return *n = total, 0; }
API cuDeviceGetAttribute(int *v, int a, int) {
  switch (a) {
  case 1: *v = 1024; break;       // threads a block
  case 8: *v = 48 << 10; break;   // shared memory a block
  case 10: *v = 32; break;        // lanes a warp
  case 16: *v = 2; break;         // multiprocessors
  case 39: *v = 2048; break;      // threads a multiprocessor
  case 75: *v = 8; break;         // capability
  case 81: *v = 128 << 10; break; // shared memory a multiprocessor
  case 97: *v = 96 << 10; break;  // shared memory a block may be allowed
  default: *v = 0;
  }
  return 0;
}
API cuDevicePrimaryCtxRetain(void **c, int) { static char primary; return *c = &primary, 0; }
API cuDevicePrimaryCtxRelease_v2(int) { return 0; }
API cuCtxSetCurrent(void *c) { return context = c, 0; }
API cuCtxSynchronize() { return context ? (drain(), 0) : 201; }
API cuMemGetInfo_v2(size_t *f, size_t *t) { return context ? (*f = total - used, *t = total, 0) : 201; }
API cuMemAlloc_v2(Pointer *p, size_t n) {
  if (!context) return 201;
  if (!n) return 1;
  if (used + n > total) return 2;
  void *q = malloc(n);
  memset(q, 0xA5, n);
  simt::add_memory(q, n);
  used += n, *p = (Pointer)q;
  return 0;
}
API cuMemFree_v2(Pointer p) {
  drain();
  size_t n = simt::memory_from((void *)p);
  if (!simt::drop_memory((void *)p)) return 1;
  used -= n, free((void *)p);
  return 0;
}
API cuMemHostAlloc(void **p, size_t n, unsigned) { *p = calloc(1, n); simt::add_memory(*p, n); return 0; }
API cuMemFreeHost(void *p) { drain(); if (!simt::drop_memory(p)) return 1; free(p); return 0; }
API cuMemcpyHtoD_v2(Pointer d, const void *s, size_t n) { if (!context) return 201; drain(); if (!holds(d, n)) return 1; memcpy((void *)d, s, n); return 0; }
API cuMemcpyDtoH_v2(void *d, Pointer s, size_t n) { if (!context) return 201; drain(); if (!holds(s, n)) return 1; memcpy(d, (void *)s, n); return 0; }
API cuMemcpyDtoD_v2(Pointer d, Pointer s, size_t n) { if (!context) return 201; drain(); if (!holds(s, n) || !holds(d, n)) return 1; memcpy((void *)d, (void *)s, n); return 0; }
API cuMemcpyHtoDAsync_v2(Pointer d, const void *s, size_t n, void *) { if (!context) return 201; if (!holds(d, n)) return 1; queue.push_back([=] { memcpy((void *)d, s, n); }); return 0; }
API cuMemcpyDtoHAsync_v2(void *d, Pointer s, size_t n, void *) { if (!context) return 201; if (!holds(s, n)) return 1; queue.push_back([=] { memcpy(d, (void *)s, n); }); return 0; }
API cuMemsetD8Async(Pointer p, unsigned char v, size_t n, void *) { if (!context) return 201; if (!holds(p, n)) return 1; queue.push_back([=] { memset((void *)p, v, n); }); return 0; }
API cuMemsetD32Async(Pointer p, unsigned v, size_t n, void *) { if (!context) return 201; if (!holds(p, 4 * n)) return 1; queue.push_back([=] { for (size_t i = 0; i < n; i++) ((unsigned *)p)[i] = v; }); return 0; }
API cuModuleLoadData(void **m, const void *image) {
  if (!strstr((const char *)image, ".version")) return 218;
  return *m = new Module{(const char *)image, {}}, 0;
}
API cuModuleLoadDataEx(void **m, const void *image, unsigned, void *, void **) { return cuModuleLoadData(m, image); }
API cuModuleUnload(void *m) { return delete (Module *)m, 0; }
API cuModuleGetFunction(void **f, void *module, const char *name) {
  Module *m = (Module *)module;
  int params = parameters(m->ptx, name);
  simt::Thunk run = simt::find_kernel(name);
  if (params < 0 || !run) return 500;
  return *f = &(m->functions[name] = Function{name, run, 48 << 10, (u32)params}), 0;
}
API cuFuncSetAttribute(void *f, int a, int v) { if (a != 8 || v > 96 << 10) return 1; return ((Function *)f)->shared_limit = v, 0; }
API cuFuncGetAttribute(int *v, int, void *) { return *v = 0, 0; }
API cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, void *, int, size_t) { return *n = 2, 0; }
API cuLaunchKernel(void *fn, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *, void **params, void **) {
  Function *f = (Function *)fn;
  if (!context) return 201;
  if (!gx || !bx || gy != 1 || gz != 1 || by != 1 || bz != 1 || bx > 1024) return 1;
  if (shared > f->shared_limit) return 1;
  std::vector<u64> values(f->params); // a real driver, too, has read them when the call returns
  for (u32 i = 0; i < f->params; i++) values[i] = *(u64 *)params[i];
  queue.push_back([=]() mutable {
    std::vector<void *> at(values.size());
    for (size_t i = 0; i < at.size(); i++) at[i] = &values[i];
    f->run(f->name.c_str(), gx, bx, shared, at.data());
    now++;
  });
  return 0;
}
API cuStreamCreate(void **s, unsigned) { return *s = new char, 0; }
API cuStreamDestroy_v2(void *s) { drain(); return delete (char *)s, 0; }
API cuStreamSynchronize(void *) { return drain(), 0; }
API cuEventCreate(void **e, unsigned) { return *e = new Event{-1}, 0; }
API cuEventDestroy_v2(void *e) { return delete (Event *)e, 0; }
API cuEventRecord(void *e, void *) { queue.push_back([=] { ((Event *)e)->at = now; }); return 0; }
API cuEventSynchronize(void *) { return drain(), 0; }
API cuEventElapsedTime(float *ms, void *a, void *b) { return *ms = ((Event *)b)->at - ((Event *)a)->at, 0; }
