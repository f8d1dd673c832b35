// What driver.cpp, the driver in front of the emulator, needs of it beside simt.h.
#pragma once
namespace simt {
Thunk find_kernel(const char *name); // nullptr: none
void add_memory(void *p, size_t bytes);
bool drop_memory(void *p);
size_t memory_from(const void *p); // bytes to the end of the allocation that holds p; 0: none does
void set_seed(u64 seed);
} // namespace simt
