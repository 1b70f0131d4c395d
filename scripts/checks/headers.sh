#!/usr/bin/env bash
# Every public header compiles alone, warnings as errors: those of the C ABI as C11 and as C++17, the
# facade's and those of compat/ as C++17.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Compiled to objects that nobody needs, so that the compiler cache knows the headers that did not change.
objects=$PWD/build/headers
mkdir -p "$objects"
export CCACHE_BASEDIR=$PWD CCACHE_DEPEND=1
cache=$(command -v ccache || true)
export objects cache
alone() { # alone COMPILER LANGUAGE FOLDER HEADER FLAGS…
  local compiler=$1 language=$2 header=${4#"$3"/} source text
  shift 4
  source=$objects/${compiler}-${header//\//-}.$language
  text="#include \"$header\"
extern int not_empty;"
  [ "$(cat "$source" 2>/dev/null)" = "$text" ] || echo "$text" >"$source"
  $cache "$compiler" -Wall -Wextra -Werror -Icapi/include "$@" -x "$language" -MD -MF "$source.d" -c "$source" -o "$source.o"
}
export -f alone

headers() { find "$1" -name '*.h' -print0 | sort -z; }
each() { xargs -0 -P "$(nproc)" -I {} bash -c "$1" alone {}; }
headers capi/include | each 'alone cc c capi/include "$1" -std=c11 -pedantic && alone c++ c++ capi/include "$1" -std=c++17 -pedantic'
headers cxx/include | each 'alone c++ c++ cxx/include "$1" -std=c++17 -Icxx/include'
headers compat/ge/include |
  each 'alone c++ c++ compat/ge/include "$1" -std=c++17 -Icompat/ge/include -Icxx/include'
# The one of these that is for C too.
alone cc c compat/ge/include compat/ge/include/securec.h -std=c99 -pedantic -Wconversion -Icompat/ge/include
echo "$({ headers capi/include; headers cxx/include; headers compat/ge/include; } | tr -dc '\0' | wc -c) headers"
