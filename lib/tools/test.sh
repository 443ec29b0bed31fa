#!/usr/bin/env bash
# Runs every test: test.sh [GOAL...] runs the parts below, and those goals among them. Each part is a goal of the
# Makefile that ends its output with "N passed, N failed". A part that breaks off or says no numbers has failed. MAKE is
# the make that asks; LOGS is the folder for the output of the parts; TURN is that of all parts, also of those that begin
# after midnight, or empty. Prints one line a part with the time that it took and that of the processors, at the end what
# failed once more, and in the last line the sum.
#
# `make test` runs every test once, as everybody runs it (plain). `make test-all`, and CI, which names one of these
# goals in ALSO a day, run the tests in C again: under the address and undefined-behaviour sanitizers (test-asan), those
# with threads under the thread sanitizer (test-tsan; lib.mk lists those without), and those that enqueue work in two
# orders that are adversarial to missing synchronisation (test-schedules). What starts the plain programs alone runs
# once in any case: what Python tests, and the tests in C that grader.mk lists.
set -u
cd "$(dirname "$0")/../.." || exit 1

PARTS='
verify           ; starters fail, solutions pass
test-unit        ; unit tests of library and grader
test-python      ; the grader whole, its pages
+
test-slides      ; slides and web pages
test-remote      ; the rules of CUDA over a wire
fuzz             ; damaged input
examples         ; examples print what they should
test-labcc       ; CUDA programs, compiled by labcc
test-host-memory ; a program with memory of its own
test-random      ; random programs, in three orders
test-misuse      ; misuses, answered as by a driver
test-builtins    ; the functions that kernels have
'
# Parts wait for children and timers: three at once keep two cores busy. The short ones come last, so that at the end no
# core waits for a long one; a long part keeps both cores busy by itself (run-tests.sh). All are built before the first
# begins.
at_once=3
# What depends on the device, where one was asked for by name: one part at a time has it.
case ${LAB_DEVICE:-auto} in
cuda*)
    PARTS='
+
test-conformance ; the rules of CUDA
test-order       ; the catalogue of the order checker
test-remote      ; both, over a wire
test-misuse      ; misuses, answered as by a driver
test-builtins    ; the functions that kernels have
test-random      ; random programs, compared with the CPU device
verify           ; starters fail, solutions pass
'
    at_once=1
    ;;
esac
# The + is where the goals come. Nearly all kernels that the tests in C compile, the unit tests have then compiled: parts
# that begin together would each compile them.
also=
for goal in "$@"; do also+="$goal ; make $goal"$'\n'; done
PARTS=${PARTS/+$'\n'/$also}
FIGURES='^(order checker|adversarial schedule|allocation failures): '
FAULTS='FAIL|ERROR|rror:|: ended with status |: has no tests$|said no numbers$'
NOISE='^  (compile|link|archive) |^[0-9]+ passed, [0-9]+ failed$|^make.* Error [0-9]+$'

# timed LOG COMMAND...: runs a command with its output in LOG, and keeps in LOG.times how long it took, and how much
# time of the processors.
timed()
{
    local log=$1 TIMEFORMAT='%R %U %S'
    { time "${@:2}" >"$log" 2>&1; } 2>"$log.times"
}

# Prints what `timed` has kept.
times_of() { awk 'END { printf "%7.1f s %7.1f s", $1, $2 + $3 }' "$1.times"; }

print_row() { printf '  %-34s %12s %9s %s\n' "$@"; }

# Runs a goal, keeps its numbers next to its log, and prints what is to be said about it.
run_part()
{
    local goal=$1 title=$2 log=$LOGS/$1.log status good bad
    timed "$log" "$MAKE" ${TURN:+"TURN=$TURN"} "$goal"
    status=$?
    read -r good bad < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$log" | tail -n 1)
    if [ -z "${bad:-}" ]; then
        good=0
        bad=1
    elif [ $status -ne 0 ] && [ "$bad" -eq 0 ]; then
        bad=1
        echo "make $goal: ended with status $status" >>"$log"
    fi
    echo "$good $bad" >"$LOGS/$goal.numbers"
    print_row "$title" "$good passed" "$bad failed" "$(times_of "$log")"
    grep -aE '^[0-9]+ (not run|kept|another day), ' "$log" | sed 's/^/    /'
    [[ $goal != test-unit && $goal != test-order ]] || grep -aE "$FIGURES" "$log" | sed 's/^/    /'
    [ "$bad" -eq 0 ] && return
    {
        grep -aE "$FAULTS" "$log" | head -n 20 | sed 's/^/    /'
        echo '    The end of its output:'
        grep -avE "$NOISE" "$log" | tail -n 60 | sed 's/^/    /'
        echo "    All of it: $log; again: make $goal"
    } | tee "$LOGS/$goal.failed"
}

# Each part leads a process group of its own, so that an interrupt ends those that run.
set -m
trap 'jobs -p | sed "s/^/-/" | xargs -r kill -TERM --; exit 130' INT TERM

mkdir -p "$LOGS"
rm -f "$LOGS"/*.numbers "$LOGS"/*.failed
print_row '' '' '' '     time  processors'
if [ $at_once -gt 1 ]; then
    timed "$LOGS/build.log" "$MAKE" --keep-going test-programs # what fails here fails again in the parts that need it
    print_row 'all programs built' '' '' "$(times_of "$LOGS/build.log")"
fi
while IFS=';' read -r goal title; do
    [ -n "$title" ] || continue
    while [ "$(jobs -rp | wc -l)" -ge $at_once ]; do wait -n; done
    {
        text=$(run_part "${goal// /}" "${title# }")
        echo "$text"
    } &
done <<<"$PARTS"
wait
lib/tools/conformance.sh
for failed in "$LOGS"/*.failed; do
    [ -e "$failed" ] || continue
    echo "Failed: make $(basename "$failed" .failed)"
    grep -aE "$FAULTS" "$failed" | awk '!told[$0]++' | head -n 12 | grep . || tail -n 12 "$failed"
done
cat "$LOGS"/*.numbers |
    awk '{ passed += $1; failed += $2 } END { print passed " passed, " failed " failed"; exit (failed > 0) }'
