# The GPU binary. It needs gcc, and no NVIDIA toolkit: cuda.h is in the tree, the driver is found when the binary runs.
cuda:
	CGO_ENABLED=1 CGO_CFLAGS="$(CGO_CFLAGS) -I$(CURDIR)/kernels/cuda/shim/include" go build -tags cuda -o bin/motif ./cmd/motif

.PHONY: cuda
