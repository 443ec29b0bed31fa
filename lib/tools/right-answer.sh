#!/usr/bin/env bash
# Runs the checks that measure no times on a right answer in an odd style: right-answer.sh LAB FILE LABCHECK... It must
# pass them all. LABCHECK is a command with its options. Prints the file, and its first failure if it has one. The last
# line is "N passed, N failed".
set -u

lab=$1
file=$2
shift 2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

told=$("$@" --lab "$lab" --source "$file" --out "$out" --first-failure 2>&1)
if grep -qE '^ *"verdict": "(passed|not measured)"' "$out/result.json"; then
    printf '%s\n' "ok     $file" '1 passed, 0 failed'
else
    echo "FAILED $file"
    tail -n 12 <<<"$told" | sed 's/^/    /'
    echo '0 passed, 1 failed'
    exit 1
fi
