#!/usr/bin/env bash
# Runs programs of tests: run-tests.sh PROGRAM... BUILD is the folder that make builds in, absolute. UNDER is a command
# to run the programs with. WITHOUT lists tests to leave out, by the beginning of "suite/name". NAME=VALUE among the
# programs is in the environment of those that follow.
#
# A program in C runs as many tests at once as there are cores. One in Python runs one at a time, so as many programs
# run at once. What they print comes in the order of the command line.
#
# TEST_TURN=2/7 leaves out what turns.txt lists and has its turn on another day: of its suites all tests but every
# seventh, from the second on (turns.h), and so of its files in Python. TEST_TURN_OF_OTHERS says the same of all other
# suites. Nothing is left out where CRITERION_TEST_PATTERN names the tests to run.
#
# Understands the output of Criterion, plain_main.c and Python's unittest; any other program counts as one test. A
# program without tests is a failure. A test that says "not run: WHY" has neither passed nor failed. The last line is "N
# passed, N failed".
set -u

PROGRAM_SECONDS=5000 # ends what hangs: each test in C has a limit of its own
passed=0
failed=0
not_run=0
another_day=0
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
[ -z "${CRITERION_TEST_PATTERN:-}" ] || unset TEST_TURN TEST_TURN_OF_OTHERS
if [ ${#without[@]} -gt 0 ]; then # as Criterion understands it
    printf -v pattern '%s*|' "${without[@]}"
    export CRITERION_TEST_PATTERN="!(${pattern%|})"
fi

# count PROGRAM STATUS OUTPUT: adds the numbers in the program's output to passed, failed and not_run.
count()
{
    local output=$3 end tested good bad=0 missed skipped=0
    missed=$(grep -acE '^not run: ' "$output")
    another_day=$((another_day + $(awk '/^[0-9]+ tests have their turn on another day$/ { n += $1 } END { print n + 0 }' "$output")))
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
    local command=("${fixed_addresses[@]}" "${under[@]}" "$1") status
    [ "${1%/*}" -ef "${BUILD:-}/tests" ] || command+=("${without[@]/#/-}") # plain_main.c
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
waiting=' '
if [ -n "${TEST_TURN:-}" ]; then
    waiting=" $(printf '%s\n' "$@" | grep -xFf <(grep '\.py$' lib/tools/turns.txt) |
        awk -v turn="${TEST_TURN%/*}" -v turns="${TEST_TURN#*/}" '(NR - 1) % turns != turn - 1' | tr '\n' ' ')"
fi
for program in "$@"; do
    if [[ $waiting == *" $program "* ]]; then
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
done
[ ${#programs[@]} -gt 0 ] || {
    echo "There are no tests." >&2
    failed=1
}
[ "$another_day" -eq 0 ] || echo "$another_day another day, since the longest tests take turns; WHOLE=1 runs all"
[ "$not_run" -eq 0 ] || echo "$not_run not run, which is no pass: this machine cannot run them"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
