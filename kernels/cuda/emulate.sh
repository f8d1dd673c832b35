#!/bin/sh
# Builds libcuda.so.1, a driver whose device is the emulator in src, into the folder $1, from the kernels in $2 (src itself if
# there is none). Programs find it by LD_LIBRARY_PATH. What is there and newer than its sources is not compiled again. Needs
# clang-19 (or any clang++ that CXX names).
#
# With SANITIZE=-fsanitize=address the driver, the emulator and the kernels are checked for accesses outside of what was allocated and of
# arrays on the stack, in place of the emulator's own checks at every access; tests must then be built by `CC=clang-19 go test -asan`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "$1" && pwd)
src=${2:-$here/src}
cxx=${CXX:-clang++-19}
flags="-std=c++20 -O1 -g -fPIC ${SANITIZE:-}"
hooks=-fsanitize=thread
case ${SANITIZE:-} in
*address*)
	flags="$flags -fsanitize-address-use-after-return=never" # lanes have stacks of their own
	hooks= ;;
esac

stale() { # whether the first file is missing or older than one of the others
	made=$1
	shift
	[ -f "$made" ] || return 0
	for source; do
		[ "$source" -nt "$made" ] && return 0
	done
	return 1
}

for name in simt driver; do
	if stale "$out/$name.o" "$src/$name.cpp" "$here"/src/*.h; then
		$cxx $flags -c "$src/$name.cpp" -o "$out/$name.o"
	fi
done
for kernels in "$src"/*.cu; do
	name=$(basename -s .cu "$kernels")
	if stale "$out/$name.cu.o" "$kernels" "$src"/*.cuh "$src"/*.h; then
		{
			echo '#define MOTIF_SIMT'
			echo "#include \"$name.cu\""
			sed -n 's/^KERNEL(\([a-z_0-9]*\),.*/static simt::Register<\1> register_\1("\1");/p' "$kernels"
		} >"$out/$name.cu.cpp"
		$cxx $flags $hooks -I"$src" -I"$here/src" -c "$out/$name.cu.cpp" -o "$out/$name.cu.o"
	fi
done
$cxx -shared -Wl,-Bsymbolic ${SANITIZE:-} -o "$out/libcuda.so.1" "$out"/*.o
