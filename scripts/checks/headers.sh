#!/usr/bin/env bash
# Every public C header compiles alone as C11 and as C++17, warnings as errors.
set -euo pipefail
cd "$(dirname "$0")/../.."
flags=(-Wall -Wextra -Werror -pedantic -fsyntax-only -Icapi/include)
count=0
while read -r header; do
  relative=${header#capi/include/}
  printf '#include "%s"\nextern int not_empty;\n' "$relative" | cc -std=c11 "${flags[@]}" -x c -
  printf '#include "%s"\nextern int not_empty;\n' "$relative" | c++ -std=c++17 "${flags[@]}" -x c++ -
  count=$((count + 1))
done < <(find capi/include -name '*.h' | sort)
if [ -d cxx/include ]; then
  while read -r header; do
    relative=${header#cxx/include/}
    printf '#include "%s"\nextern int not_empty;\n' "$relative" | c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -Icapi/include -Icxx/include -x c++ -
    count=$((count + 1))
  done < <(find cxx/include -name '*.h' | sort)
  # The one header of the facade that is for C too.
  printf '#include "securec.h"\nextern int not_empty;\n' |
    cc -std=c99 -Wall -Wextra -Wconversion -Werror -pedantic -fsyntax-only -Icxx/include -x c -
fi
echo "$count headers"
