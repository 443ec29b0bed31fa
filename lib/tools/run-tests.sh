#!/usr/bin/env bash
# Runs programs of tests: run-tests.sh PROGRAM... BUILD is the folder that make builds in, absolute. UNDER is a command
# to run the programs with. WITHOUT lists tests to leave out, by the beginning of "suite/name". NAME=VALUE among the
# programs is in the environment of those that follow.
#
# A program in C runs as many tests at once as there are cores. One in Python runs one at a time, so as many programs
# run at once. What they print comes in the order of the command line.
#
# TEST_TURN=2/5 leaves out what turns.txt lists and has its turn on another day: of the tests of its suites those that are
# not every fifth, from the second on, and so of its files. The tests left out are counted, and no test is left out where
# CRITERION_TEST_PATTERN names those to run.
#
# Understands the output of Criterion, plain_main.c and Python's unittest; any other program counts as one test. A
# program without tests is a failure. A test that says "not run: WHY" has neither passed nor failed. The last line is "N
# passed, N failed".
set -u

PROGRAM_SECONDS=1800
passed=0
failed=0
not_run=0
outputs=$(mktemp -d)
trap 'rm -rf "$outputs"' EXIT

# What a test in Python prints stands before the number of tests, where `count` looks for it.
export PYTHONUNBUFFERED=1

# The kernels of tests stay out of the user's own cache.
export LAB_CACHE_DIR="${LAB_CACHE_DIR:-${BUILD:-$PWD/build}/cache}"

# Kernels are shared objects with thread-local variables. The leak check must not follow those of an unloaded kernel.
export ASAN_OPTIONS="detect_stack_use_after_return=1:intercept_tls_get_addr=0:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}"
# By default each process with threads waits a second for late races at its end. Where a kernel's thread-local variables
# happen to begin 16 bytes behind a page, the thread sanitizer takes what stands before them for their size.
export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1:atexit_sleep_ms=20:${TSAN_OPTIONS:-}"
TSAN_OPTIONS="intercept_tls_get_addr=0:$TSAN_OPTIONS"

# Old thread sanitizers do not start in an address space as random as that of new kernels.
fixed_addresses=()
setarch -R true 2>/dev/null && fixed_addresses=(setarch -R)

read -ra under <<<"${UNDER:-}"
read -ra without <<<"${WITHOUT:-}"

# out_of_turn NAME...: prints of these tests and files those that turns.txt lists and whose turn is another day.
out_of_turn()
{
    printf '%s\n' "$@" | awk -v turn="${TEST_TURN%/*}" -v turns="${TEST_TURN#*/}" '
        NR == FNR { if (!/^#|^$/) listed[$1]; next }
        { suite = $1; if (!/\.py$/) sub(/\/.*/, "", suite) }
        suite in listed && count++ % turns != turn - 1' lib/tools/turns.txt -
}

# Prints "suite/name" of the tests of a program, as Criterion or plain_main.c lists them.
tests_of()
{
    "${fixed_addresses[@]}" "$1" --list 2>/dev/null | sed 's/\x1b\[[0-9;]*m//g' | awk '
        /^[a-z0-9_]+\/[a-z0-9_]+$/ { print; next }
        /^[a-z0-9_]+: [0-9]+ tests?/ { suite = $1; sub(/:$/, "", suite) }
        /── / { print suite "/" $2 }'
}

# count PROGRAM STATUS OUTPUT: adds the numbers in the program's output to passed, failed and not_run.
count()
{
    local output=$3 end tested good bad=0 missed skipped=0
    missed=$(grep -acE '^not run: ' "$output")
    not_run=$((not_run + missed))
    end=$(tail -n 20 "$output" | sed 's/\x1b\[[0-9;]*m//g')
    if [[ $end =~ .*Synthesis:\ Tested:\ ([0-9]+)\ .*Passing:\ ([0-9]+) ]]; then # Criterion
        bad=$((BASH_REMATCH[1] - BASH_REMATCH[2]))
        good=$((BASH_REMATCH[2] - missed))
    elif [[ $end =~ .*Ran\ ([0-9]+)\ test ]]; then # unittest
        tested=${BASH_REMATCH[1]}
        [[ $end =~ .*failures=([0-9]+) ]] && bad=$((bad + BASH_REMATCH[1]))
        [[ $end =~ .*errors=([0-9]+) ]] && bad=$((bad + BASH_REMATCH[1]))
        [[ $end =~ skipped=([0-9]+) ]] && skipped=${BASH_REMATCH[1]}
        good=$((tested > bad + skipped ? tested - bad - skipped : 0)) # each part of a test fails by itself
    elif [[ $end =~ (.*$'\n')?([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        good=$((BASH_REMATCH[2] - missed))
        bad=${BASH_REMATCH[3]}
    else
        good=$(($2 == 0))
    fi
    if [ "$2" != 0 ] && [ "$bad" -eq 0 ]; then
        echo "$1: ended with status $2" >&2
        bad=1
    elif [ $((good + bad + skipped)) -eq 0 ]; then
        echo "$1: has no tests" >&2
        bad=1
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
    not_run=$((not_run + skipped))
}

# run PROGRAM OUTPUT: runs a program and ends the processes that it left: timeout makes a process group of them. One in
# Python says where it was when its time is up. The tests
# of CUDA's rules and of the order checker run on the device asked for, all others on the CPU device.
run()
{
    local command=("${fixed_addresses[@]}" "${under[@]}" "$1") status waiting=() pattern
    if [ -n "${TEST_TURN:-}" ] && [ -z "${CRITERION_TEST_PATTERN:-}" ] && [[ $1 != *.py ]]; then
        mapfile -t waiting < <(tests_of "$1")
        mapfile -t waiting < <(out_of_turn "${waiting[@]}")
        echo ${#waiting[@]} >"$2.waiting"
    fi
    if [ ! "${1%/*}" -ef "${BUILD:-}/tests" ]; then # plain_main.c
        [ ${#waiting[@]} -eq 0 ] || waiting=("${waiting[@]/%/\$}")
        command+=("${without[@]/#/-}" "${waiting[@]/#/-}")
    elif [ $((${#without[@]} + ${#waiting[@]})) -gt 0 ]; then # as Criterion understands it
        printf -v pattern '%s|' "${without[@]/%/*}" "${waiting[@]}"
        export CRITERION_TEST_PATTERN="!(${pattern%|})"
    fi
    [[ $1 =~ (conformance|order)_tests(_remote)?$ ]] || command=(env LAB_DEVICE=cpu "${command[@]}")
    [[ $1 == *.py ]] && command=(lib/tools/python.sh -X faulthandler -B "$1")
    timeout --signal=ABRT --kill-after=10 "$PROGRAM_SECONDS" "${command[@]}" >"$2" 2>&1 </dev/null &
    wait $!
    status=$?
    kill -KILL -- "-$!" 2>/dev/null
    return $status
}

# Waits until fewer than so many programs run.
wait_for_fewer_than()
{
    while [ "$(jobs -rp | wc -l)" -ge "$1" ]; do wait -n; done
}

# The status of each goes to a file: bash forgets that of a program that has ended when another process gets its number.
programs=()
waiting_files=' '
[ -z "${TEST_TURN:-}" ] || waiting_files=" $(out_of_turn "$@" | grep '\.py$' | tr '\n' ' ') "
another_day=0
for program in "$@"; do
    if [[ $waiting_files == *" $program "* ]]; then
        another_day=$((another_day + $(grep -cE '^    def test_' "$program")))
        continue
    fi
    if [[ $program == *=* ]]; then
        export "${program?}"
        continue
    fi
    at_once=1
    [[ $program == *.py ]] && at_once=$(nproc)
    wait_for_fewer_than "$at_once"
    output=$outputs/${#programs[@]}
    {
        run "$program" "$output"
        echo $? >"$output.status"
    } &
    programs+=("$program")
done
wait
for i in "${!programs[@]}"; do
    read -r status <"$outputs/$i.status" || status=1
    grep -avE '^[0-9]+ passed, [0-9]+ failed$' "$outputs/$i"
    count "${programs[i]}" "$status" "$outputs/$i"
    [ ! -e "$outputs/$i.waiting" ] || another_day=$((another_day + $(<"$outputs/$i.waiting")))
done
[ $# -gt 0 ] || {
    echo "There are no tests." >&2
    failed=1
}
[ "$another_day" -eq 0 ] || echo "$another_day another day, since the longest tests take turns; WHOLE=1 runs all"
[ "$not_run" -eq 0 ] || echo "$not_run not run, which is no pass: this machine cannot run them"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
