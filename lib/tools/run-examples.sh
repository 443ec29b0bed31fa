#!/usr/bin/env bash
# Runs examples and compares the output of each with the .txt next to its source: run-examples.sh PROGRAM... Times differ
# from run to run: a number before "ms" counts as N. BUILD is the folder that make builds in, absolute. The last line is
# "N passed, N failed".
set -u

SECONDS_EACH=1000 # ends what hangs: eight seconds of work take minutes on a busy machine
passed=0
failed=0
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
export LAB_CACHE_DIR="${LAB_CACHE_DIR:-${BUILD:-$PWD/build}/cache}"

for program in "$@"; do
    name=${program##*/examples/}
    timeout --kill-after=10 "$SECONDS_EACH" "$program" >"$printed" 2>&1 </dev/null
    status=$?
    if [ $status -eq 0 ] && difference=$(sed -E 's/[0-9]+(\.[0-9]+)? ms\b/N ms/g' "$printed" |
        diff --label expected --label printed -u "lib/examples/$name.txt" -); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name: ended with status $status"
        if [ $status -eq 0 ]; then echo "$difference"; else cat "$printed"; fi
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
