// What driver.cpp, the driver in front of the emulator, needs of it beside simt.h.
#pragma once
namespace simt {
Thunk find_kernel(const char *name); // nullptr: none
void add_memory(void *p, size_t bytes, int device); // device -1: all may use it
void drop_memory(void *p);
void set_device(int device); // where the next launch runs
void set_together(bool all); // whether all its blocks run at once, and may wait for each other
void set_seed(u64 seed, bool weak); // weak: see simt.h
} // namespace simt
