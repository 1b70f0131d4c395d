#!/usr/bin/env bash
# No program or library of the build looks for others in the current directory: an empty path in RUNPATH means that one.
#   scripts/checks/library_paths.sh BUILD_DIR
set -euo pipefail
failed=0
while read -r file; do
  paths=$(readelf -d "$file" 2>/dev/null | sed -n 's/.*\(RUNPATH\|RPATH\).*\[\(.*\)\]$/\2/p')
  case ":$paths:" in
    ::) ;; # it has none
    *::*) echo "$file looks for libraries in the current directory: RUNPATH [$paths]" >&2 && failed=1 ;;
  esac
done < <(find "$1/bin" "$1/lib" "$1/opp" "$1/python" -type f \( -name '*.so*' -o -perm -u+x \))
exit $failed
