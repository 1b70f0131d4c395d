#!/usr/bin/env bash
# Every C and C++ source follows .clang-format. Generated golden samples are what the generator writes, so they stay out.
#   scripts/checks/format.sh          lists the files that differ
#   scripts/checks/format.sh --fix    rewrites them
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ "${1:-}" = "--fix" ]; then action=(-i); else action=(--dry-run --Werror --ferror-limit=3); fi
git ls-files '*.c' '*.cpp' '*.cu' '*.h' '*.hpp' ':!tests/codegen/golden' ':!tests/codegen/**/golden' |
  xargs -P 2 -n 20 clang-format "${action[@]}"
