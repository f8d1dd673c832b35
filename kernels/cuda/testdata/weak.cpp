// A program for TestWeakMemory: the emulator runs a kernel in which block 0 tells block 1 by a flag that there is something to
// read. Arguments: the seed, and which fences there are (1: the writer's, 2: the reader's), or 4: the writer's is another lane's,
// behind a barrier, or 8: plain stores. It prints how often the flag was seen and what it stands for was not.
#define MOTIF_SIMT
#include "gpu.h"
#include "simt_driver.h"
#include <cstdio>
#include <cstdlib>

KERNEL(tell, 64)(u32 *data, u32 *flag, u32 *told, u32 *wrong, u32 way) {
  if (block_id() == 0) {
    if (thread_id() == 40) {
      if (way & 8) *data = 1;
      else exchange(data, 1);
    }
    if (way & 4) sync_block();
    if (thread_id() == ((way & 4) ? 0u : 40u)) {
      if (way & 5) fence();
      exchange(flag, 1);
    }
    return;
  }
  if (thread_id()) return;
  for (u32 i = 0; i < 300; i++) {
    if (!read(flag)) continue;
    add(told, 1);
    if (way & 2) fence();
    if (!read(data)) add(wrong, 1);
    return;
  }
}
static simt::Register<tell> registered("tell");

int main(int, char **argv) {
  static u32 data, flag, told, wrong;
  u32 *at[] = {&data, &flag, &told, &wrong}, way = (u32)atoi(argv[2]), seen = 0, missed = 0;
  for (u32 *p : at) simt::add_memory(p, 4, -1);
  for (u64 seed = (u64)atoi(argv[1]); seed < (u64)atoi(argv[1]) + 200; seed++) {
    data = flag = told = wrong = 0;
    simt::set_seed(seed, true);
    void *params[] = {&at[0], &at[1], &at[2], &at[3], &way};
    simt::find_kernel("tell")("tell", 2, 64, 0, params);
    seen += told, missed += wrong;
  }
  printf("%u %u\n", seen, missed);
}
