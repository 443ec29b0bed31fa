#!/usr/bin/env bash
# Runs the checks that measure no times on right answers in odd styles: right-answers.sh LABCHECK FILE... A file's lab is
# a folder on its path. Each must pass them all. The last line is "N passed, N failed".
set -u

labcheck=$1
shift
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export labcheck out

# check FILE: prints the file and its first failure, if it has one.
check()
{
    local lab place told
    lab=$(grep -oE '/lab[0-9]+/' <<<"$1" | tail -n 1)
    place=$out/${1//\//-}
    # shellcheck disable=SC2086 # LABCHECK is a command with its options
    told=$($labcheck --lab "${lab//\//}" --source "$1" --out "$place" --first-failure 2>&1)
    if grep -qE '^ *"verdict": "(passed|not measured)"' "$place/result.json"; then
        echo "ok     $1"
    else
        echo "FAILED $1"
        tail -n 12 <<<"$told" | sed 's/^/    /'
    fi
}
export -f check

printf '%s\n' "$@" | xargs -P 2 -I FILE bash -c 'check FILE' | tee "$out/all"
failed=$(grep -c '^FAILED' "$out/all")
echo "$(grep -c '^ok' "$out/all") passed, $failed failed"
[ "$failed" -eq 0 ]
