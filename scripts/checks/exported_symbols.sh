#!/usr/bin/env bash
# libge.so exports exactly the names in capi/exported_symbols.txt: a missing one breaks callers, an extra one is a promise.
#   scripts/checks/exported_symbols.sh BUILD_DIR [--accept]
set -euo pipefail
cd "$(dirname "$0")/../.."
library=$1/lib/libge.so
now=$(mktemp)
trap 'rm -f "$now"' EXIT
nm -D --defined-only "$library" | awk '{print $3}' | sed 's/@.*//' | LC_ALL=C sort -u >"$now"
if [ "${2:-}" = "--accept" ]; then
  cp "$now" capi/exported_symbols.txt
  exit 0
fi
if ! diff -u capi/exported_symbols.txt "$now"; then
  echo "exported symbols changed; if intended: scripts/checks/exported_symbols.sh $1 --accept" >&2
  exit 1
fi
