# Steps of scripts/test, which sources this: each is one line when it passes and its whole output when it fails. What they took
# stands in build/test-report/steps.tsv (name, wall seconds, CPU seconds, result) and tests' own times beside it.
report=$PWD/build/test-report
rm -rf "$report"
mkdir -p "$report"
work=$(mktemp -d)
trap 'rm -rf "$work"; kill $(jobs -p) 2>/dev/null' EXIT
passed=0
failed=()
steps=0
waiting=()

run() { # run ID COMMAND…: leaves its output, exit code and seconds (wall, user, system) in $work/ID.*
  local TIMEFORMAT='%R %U %S' id=$1
  shift
  { time { "$@" >"$work/$id.log" 2>&1; echo $? >"$work/$id.rc"; }; } 2>"$work/$id.time"
}
tell() { # tell ID NAME: what came of a step
  local id=$1 name=$2 wall user system word=ok code
  code=$(cat "$work/$id.rc")
  read -r wall user system <"$work/$id.time"
  if [ "$code" -eq 0 ]; then passed=$((passed + 1)); else word=FAIL failed+=("$name"); fi
  local cpu
  cpu=$(awk "BEGIN { printf \"%.0f\", $user + $system }")
  printf '%-5s %-42s %4.0fs  (CPU %ss)\n' "$word" "$name" "$wall" "$cpu"
  printf '%s\t%.1f\t%s\t%s\n' "$name" "$wall" "$cpu" "$word" >>"$report/steps.tsv"
  [ "$code" -eq 0 ] || tail -n 200 "$work/$id.log"
  grep -hE '^[0-9]+ (passed|failed)|tests passed|===.*(passed|failed)' "$work/$id.log" | tail -n 2 | sed 's/^/        /'
  return "$code"
}
step() { # step NAME COMMAND…: runs and tells
  local name=$1
  shift
  steps=$((steps + 1))
  (run "$steps" "$@")  # a shell of its own: else what ends beside the step counts as its processor time
  tell "$steps" "$name"
}
beside() { # beside NAME COMMAND…: starts a step that keeps one core busy; `together` waits for all that were started
  local name=$1
  shift
  steps=$((steps + 1))
  run "$steps" "$@" &
  waiting+=("$steps:$name")
}
together() {
  local entry
  wait
  for entry in "${waiting[@]}"; do tell "${entry%%:*}" "${entry#*:}"; done
  waiting=()
}
finish() {
  echo
  python3 scripts/checks/slowest.py "$report"
  awk -F '\t' '{ wall += $2; cpu += $3 } END { printf "steps: %.0f s one by one, %.0f s of processor time\n", wall, cpu }' "$report/steps.tsv"
  echo "${passed} passed, ${#failed[@]} failed"
  [ ${#failed[@]} -eq 0 ] || { printf 'failed: %s\n' "${failed[@]}" >&2; exit 1; }
  exit 0
}
