#!/usr/bin/env bash
# Runs everything that can fail: the parts below are goals of the Makefile, each of which ends its output with
# "N passed, N failed". MAKE is the make that asks, LOGS the folder for what the parts print. One line a part; the
# last line sums them. A part that cannot be built, breaks off or does not say its numbers is a failure.
set -u
cd "$(dirname "$0")/../.." || exit 1

PARTS='
test-unit ; unit tests of library and grader
examples  ; examples print what they should
test-schedules ; unit tests of library, unkind orders
test-random ; random programs, in three orders
verify    ; starters fail, solutions pass
test-asan ; unit tests, address and undefined
test-tsan ; unit tests, threads
fuzz      ; damaged input
lint      ; format, warnings, house rules
'
# What depends on the device, where one was asked for by name.
case ${LAB_DEVICE:-auto} in
cuda*) PARTS='
test-conformance ; the rules of CUDA
test-order       ; the catalogue of the order checker
test-random      ; random programs, beside the CPU device
verify           ; starters fail, solutions pass
' ;;
esac
passed=0
failed=0
mkdir -p "$LOGS"

run_part()
{
    local goal=$1 title=$2 log=$LOGS/$1.log begin status good bad
    begin=$(date +%s%N)
    $MAKE "$goal" >"$log" 2>&1
    status=$?
    read -r good bad < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$log" | tail -n 1)
    if [ -z "${bad:-}" ]; then
        good=0
        bad=1
    elif [ $status -ne 0 ] && [ "$bad" -eq 0 ]; then
        bad=1
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
    printf '  %-40s %5d passed %4d failed %7.1f s\n' "$title" "$good" "$bad" "$((($(date +%s%N) - begin) / 100000000))e-1"
    grep -aE '^[0-9]+ not run, ' "$log" | sed 's/^/    /'
    [[ $goal != test-unit && $goal != test-order ]] || grep -aE '^(order checker|adversarial schedule): ' "$log" | sed 's/^/    /'
    [ "$bad" -eq 0 ] && return
    grep -avE '^  (compile|link|archive) |^[0-9]+ passed, [0-9]+ failed$|^make.* Error [0-9]+$' "$log" | tail -n 60 | sed 's/^/    /'
    echo "    All of it: $log; again: make $goal"
}

while IFS=';' read -r goal title; do
    [ -n "$title" ] && run_part "${goal// /}" "${title# }"
done <<<"$PARTS"
lib/tools/conformance.sh
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
