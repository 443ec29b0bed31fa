#!/usr/bin/env bash
# Runs the tests of CUDA's rules whose kernels use memory under compute-sanitizer's memcheck, suite by suite:
# memcheck.sh PROGRAM. The tests of kernels that fail are left out: what they do is what it looks for. The last line is
# "N passed, N failed".
set -u

SUITES='barrier warp kernel launch elementwise reduction expression astype array_contents array graph cast'
SUITE_SECONDS=600
passed=0
failed=0
export LAB_CACHE_DIR="${LAB_CACHE_DIR:-${BUILD:-$PWD/build}/cache}"

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
if [ -z "$sanitizer" ]; then
    echo "compute-sanitizer is missing; it comes with the CUDA Toolkit."
    echo "0 passed, 1 failed"
    exit 1
fi
case ${LAB_DEVICE:-auto} in
cuda*) ;;
*)
    echo "There is nothing to check on this device; use DEVICE=cuda."
    echo "0 passed, 1 failed"
    exit 1
    ;;
esac

output=$(mktemp)
trap 'rm -f "$output"' EXIT
for suite in $SUITES; do
    timeout "$SUITE_SECONDS" "$sanitizer" --target-processes all --error-exitcode 9 "$1" -j4 --filter "$suite/*" >"$output" 2>&1
    status=$?
    clean=$(grep -ac 'ERROR SUMMARY: 0 errors' "$output")
    wrong=$(grep -a 'ERROR SUMMARY: ' "$output" | grep -vac ' 0 errors')
    if [ $status -eq 0 ] && [ "$wrong" -eq 0 ] && [ "$clean" -gt 0 ]; then
        passed=$((passed + 1))
        printf '  %-18s ok\n' "$suite"
    else
        failed=$((failed + 1))
        printf '  %-18s FAILED\n' "$suite"
        grep -a '^=========\|FAIL' "$output" | head -n 40 | sed 's/^/    /'
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
