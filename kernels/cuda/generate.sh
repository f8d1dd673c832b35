#!/bin/sh
# Compiles the kernels to PTX, one module a source, for cards from Volta and from Ampere on; the first line of a module notes
# which text it was made of. Takes the modules to make as arguments, or makes all. Needs clang-19.
set -eu
cd "$(dirname "$0")"
ptx() {
	{
		echo "// sources: $3"
		clang++-19 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch="sm_$2" --cuda-feature=+ptx"$4" \
			-std=c++17 -O3 -S -o - "src/$1.cu"
	} >"ptx/$1.sm_$2.ptx"
}
[ $# -gt 0 ] || set -- $(basename -s .cu src/*.cu)
for module; do
	sources=$(cat src/gpu.h src/*.cuh "src/$module.cu" | sha256sum | cut -d' ' -f1)
	ptx "$module" 70 "$sources" 63
	ptx "$module" 80 "$sources" 70
done
