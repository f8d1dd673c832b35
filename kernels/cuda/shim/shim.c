//go:build cuda && cgo && linux

/* The CUDA driver, found when the program runs instead of when it is linked.

   The bindings refer to the driver's functions by name and would need libcuda.so.1 for the program even to start; their package
   initialiser ends the process if cuInit fails. So every function they refer to is defined here: a jump through a table that
   cuInit fills from the library if there is one. cuInit itself always succeeds, and remembers what really happened; until the
   driver is there all other functions return that. A trampoline is one indirect jump, which leaves the arguments where
   they are, so it needs no signature. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

static int state = 3; /* CUDA_ERROR_NOT_INITIALIZED; what functions without a driver return */
static char reason[512] = "the driver was not asked for";
static int absent(void) { return state; }

#define S(name) __attribute__((visibility("hidden"))) void *motif_##name = (void *)absent;
#include "symbols.h"
#undef S

#if defined(__x86_64__)
#define S(name) __asm__(".text\n.globl " #name "\n.type " #name ",@function\n" #name ":\n\tendbr64\n\tjmp *motif_" #name "(%rip)\n.size " #name ",.-" #name "\n");
#elif defined(__aarch64__)
#define S(name) __asm__(".text\n.globl " #name "\n.type " #name ",%function\n" #name ":\n\tadrp x16, motif_" #name "\n\tldr x16, [x16, :lo12:motif_" #name "]\n\tbr x16\n.size " #name ",.-" #name "\n");
#else
#error "the driver shim knows x86-64 and arm64 only"
#endif
#include "symbols.h"
#undef S

static const struct { const char *name; void **slot; } table[] = {
#define S(name) {#name, &motif_##name},
#include "symbols.h"
#undef S
};

int cuInit(unsigned flags)
{
	void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		state = 100; /* CUDA_ERROR_NO_DEVICE */
		snprintf(reason, sizeof reason, "no CUDA driver: %s", dlerror());
		return 0;
	}
	int (*init)(unsigned) = (int (*)(unsigned))dlsym(lib, "cuInit");
	int rc = init ? init(flags) : 500;
	if (rc != 0) {
		state = rc;
		snprintf(reason, sizeof reason, "the CUDA driver does not start: cuInit returned %d", rc);
		return 0;
	}
	state = 801; /* CUDA_ERROR_NOT_SUPPORTED, for what this driver lacks */
	reason[0] = 0;
	for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
		void *f = dlsym(lib, table[i].name);
		if (f)
			*table[i].slot = f;
	}
	return 0;
}

const char *motif_cuda_reason(void) { return reason; }
