#!/bin/sh
# Compiles the kernels to PTX, for cards from Volta and from Ampere on, and notes which sources that was. Needs clang-19.
set -eu
cd "$(dirname "$0")"
ptx() {
	clang++-19 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch="sm_$1" --cuda-feature=+ptx"$2" \
		-std=c++17 -O3 -S -o - src/all.cu >"ptx/sm_$1.ptx"
}
ptx 70 63
ptx 80 70
cat src/gpu.h src/*.cuh src/*.cu | sha256sum | cut -d' ' -f1 >ptx/sources.sha256
