#!/usr/bin/env bash
# Keeps the programs of src/ as this release's users have them: compiled and linked now, run unchanged by every later
# release. Once per release; what is recorded is never changed.
#   tests/abi/consumers/record.sh BUILD_DIR VERSION
set -euo pipefail
build=$(cd "$1" && pwd)
cd "$(dirname "$0")"
version=$2
top=../../..
if [ -e "$version" ]; then echo "record.sh: $version is recorded already" >&2; exit 1; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-O2 "-ffile-prefix-map=$build/=" "-ffile-prefix-map=$top/=" -I "$top/capi/include" -I "$build/generated/es_all")
libraries=(-L "$build/lib" -les_all -lge)
cc -std=c11 "${flags[@]}" src/c_program.c "${libraries[@]}" -o "$work/c_program"
cc -std=c11 "${flags[@]}" -shared -fPIC src/engine.c -o "$work/engine.so"
for abi in 0 1; do
  c++ -std=c++17 "-D_GLIBCXX_USE_CXX11_ABI=$abi" "${flags[@]}" -I "$top/cxx/include" -I "$top/cxx/include/ge" \
    src/cxx_program.cpp "${libraries[@]}" -o "$work/cxx_program_abi$abi"
done
# What a program that froze libesb.a saves; tests/esb runs it.
cc -std=c99 -O2 -I "$top/capi/include" -I "$build/generated/es_all" -I "$top/tests/esb" "$top/tests/esb/save.c" \
  "$top/tests/esb/fifty.c" -o "$work/save" -L "$build/lib" -lesb -lm -lpthread -ldl
"$work/save" "$work/fifty.air"
rm "$work/save"
strip "$work"/c* "$work/engine.so"
export LD_LIBRARY_PATH=$build/lib GE_ENGINE_DIR=$build/lib/ge/engines
"$work/c_program" "$work/engine.so" >"$work/c_program.out"
for abi in 0 1; do "$work/cxx_program_abi$abi" >"$work/cxx_program_abi$abi.out"; done
for out in "$work"/*.out; do [ "$(tail -n 1 "$out")" = "done" ] || { cat "$out" >&2; exit 1; }; done
mkdir "$version"
cp "$work"/* "$version/"
(cd "$version" && sha256sum -- * >SHA256SUMS)
