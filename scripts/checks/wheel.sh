#!/usr/bin/env bash
# Proves the wheel: builds it from a copy of what git knows of this tree, installs it for the oldest (from 3.9) and the
# newest CPython at hand, hides the libraries that it must bring with it, and runs a model, the command line and the
# Python tests there.
#   scripts/checks/wheel.sh [WHEEL]      with a WHEEL: proves that one instead of building
# GE_PYTHONS="python3.9 /opt/python/bin/python3 …" names the interpreters instead of looking for them.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

wheel=${1:-}
if [ -z "$wheel" ]; then
  mkdir "$work/source"
  git ls-files -z --cached --others --exclude-standard | xargs -0 sh -c 'for f; do [ ! -e "$f" ] || printf "%s\0" "$f"; done' sh |
    tar --null --files-from=- -cf - | tar -xf - -C "$work/source"
  ln -s "$root/.venv" "$work/source/.venv"
  "$work/source/scripts/wheel" "$work/dist"
  wheel=$(echo "$work"/dist/ge_py-*.whl)
fi
case $(basename "$wheel") in
  ge_py-*-cp39-abi3-manylinux_*_x86_64.whl) ;;
  *) echo "wheel: $(basename "$wheel") is not tagged cp39-abi3-manylinux" >&2; exit 1 ;;
esac

# "MINOR PATH" of every CPython 3 from 3.9 with a global lock (the stable ABI does not cover the others) and with venv.
describe='import sys, sysconfig, venv, ensurepip
v = sys.version_info
if sys.implementation.name == "cpython" and v >= (3, 9) and not sysconfig.get_config_var("Py_GIL_DISABLED") and v[3] == "final":
    print(v[1], sys.executable)'
candidates() {
  if [ -n "${GE_PYTHONS:-}" ]; then printf '%s\n' $GE_PYTHONS; return; fi
  ls -d /usr/bin/python3.[0-9]* /usr/local/bin/python3.[0-9]* /opt/python/*/bin/python3 "$HOME"/.pyenv/versions/3.*/bin/python3 \
    "$HOME"/.local/share/uv/python/cpython-3.*/bin/python3 .venv/bin/python 2>/dev/null | grep -v -e '-config$' || true
}
found=$(candidates | while read -r p; do "$p" -c "$describe" 2>/dev/null || true; done | sort -n -u -k1,1)
[ -n "$found" ] || { echo "wheel: no CPython from 3.9 found" >&2; exit 1; }
chosen=$(printf '%s\n' "$found" | sed -n '1p;$p' | uniq | cut -d' ' -f2)

# Libraries that a user's machine may lack are replaced by empty files where the system lets us.
hide() { # hide COMMAND…
  if unshare --map-root-user --mount true 2>/dev/null; then
    unshare --map-root-user --mount sh -c '
      for library in /usr/lib/*/libdnnl.so* /usr/lib/*/libhwy.so* /usr/lib/*/libprotobuf-c.so* /usr/lib/*/libgomp.so* \
                     /usr/lib/*/libpng16.so* /usr/lib/*/libOpenCL.so* /usr/lib/libge.so* /usr/local/lib/libge.so*; do
        [ ! -f "$library" ] || mount --bind /dev/null "$library"
      done
      exec "$@"' sh "$@"
  else
    "$@"
  fi
}

# A model, inputs, and what ONNX Runtime makes of them: the installed package is tested without onnx.
"$root/.venv/bin/python" tests/python/wheel/make_cases.py "$work/cases"

# On a Python that has it, the oldest cffi that the package may meet: that of Debian 12.
oldest_cffi='import sys
if sys.version_info < (3, 12):
    print("cffi==1.15.1")'

for python in $chosen; do
  version=$("$python" -c 'import platform; print(platform.python_version())')
  "$python" -m venv "$work/venv-$version"
  # (A package on PYTHONPATH would count as installed.)
  env -u PYTHONPATH "$work/venv-$version/bin/python" -m pip install --quiet --disable-pip-version-check --prefer-binary "$wheel" pytest $("$python" -c "$oldest_cffi") 2>"$work/log" ||
    { cat "$work/log" >&2; exit 1; }
  echo "wheel: $(basename "$wheel") on CPython $version"
  # Outside the tree and without PYTHONPATH: nothing but the installed package can be imported.
  (cd "$work" && unset PYTHONPATH GE_ENGINE_DIR GE_BUILD_DIR LD_LIBRARY_PATH &&
    export GE_WHEEL_CASES="$work/cases" PATH="$work/venv-$version/bin:$PATH" &&
    hide "$work/venv-$version/bin/python" -m pytest -q -p no:cacheprovider --rootdir "$root/tests/python" \
      "$root"/tests/python/wheel "$root"/tests/python/test_{bad_input,reference_surface,es,fork,graph,lifetimes,package,plugins,session,tensor,types}.py)
  # Programs in C and C++ of this build run passes in that Python.
  if [ -x "$root/build/release/tests/bridge_steps_c" ]; then
    (cd "$work" && unset PYTHONPATH && export GE_BUILD_DIR="$root/build/release" GE_TEST_PYTHONS="$work/venv-$version/bin/python3" &&
      "$root/.venv/bin/python" -m pytest -q -p no:cacheprovider --rootdir "$root/tests/bridge" "$root/tests/bridge" -k other_versions)
  fi
done
