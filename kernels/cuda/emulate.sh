#!/bin/sh
# Builds libcuda.so.1, a driver whose device is the emulator in src, into the folder $1, from the kernels in $2 (src itself if
# there is none). Programs find it by LD_LIBRARY_PATH. Needs clang-19 (or any clang++ that CXX names).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "$1" && pwd)
src=${2:-$here/src}
cxx=${CXX:-clang++-19}
flags="-std=c++20 -O1 -g -fPIC ${SANITIZE:-}"
for name in simt driver; do
	if [ ! -f "$out/$name.o" ]; then
		$cxx $flags -c "$here/src/$name.cpp" -o "$out/$name.o"
	fi
done
{
	echo '#define MOTIF_SIMT'
	echo '#include "all.cu"'
	cat "$src"/*.cu | sed -n 's/^KERNEL(\([a-z_0-9]*\),.*/static simt::Register<\1> register_\1("\1");/p'
} >"$out/kernels.cpp"
$cxx $flags -fsanitize=thread -I"$src" -I"$here/src" -c "$out/kernels.cpp" -o "$out/kernels.o"
$cxx -shared -Wl,-Bsymbolic ${SANITIZE:-} -o "$out/libcuda.so.1" "$out/kernels.o" "$out/simt.o" "$out/driver.o"
