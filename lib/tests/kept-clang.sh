#!/bin/sh
# clang as tests of the kernel compiler call it: each run is kept, by its options and its input, and found again by later
# tests and later runs of them. The folder is that of the tests' kernels, below the one that tests run in. A source that
# includes a file of its own is compiled each time.
set -eu

kept=build/test-kernels/clang
mkdir -p "$kept"
input=$kept/$$.in
trap 'rm -f "$kept/$$".*' EXIT
cat >"$input"
if grep -q '^#include "' "$input"; then
    clang "$@" <"$input"
    exit
fi

# The last stage writes an object into a folder of another name each time.
object=
previous=
options=
for option; do
    if [ "$previous" = -o ] && [ "$option" != - ]; then
        object=$option
    else
        options="$options $option"
    fi
    previous=$option
done

run=$({ stat -Lc '%n %s %y' "$(command -v clang)" && echo "$options" && cat "$input"; } | sha256sum)
run=$kept/${run%% *}
if [ ! -e "$run.status" ]; then
    status=0
    clang "$@" <"$input" >"$kept/$$.out" 2>"$kept/$$.err" || status=$?
    [ -z "$object" ] || [ ! -e "$object" ] || cp "$object" "$kept/$$.object"
    echo "$status" >"$kept/$$.status"
    for part in out err object status; do
        [ ! -e "$kept/$$.$part" ] || mv "$kept/$$.$part" "$run.$part"
    done
fi
[ -z "$object" ] || [ ! -e "$run.object" ] || cp "$run.object" "$object"
# A caller without memory for the output kills this script once the output begins: nothing may be left to remove.
rm -f "$kept/$$".*
cat "$run.out"
cat "$run.err" >&2
read -r status <"$run.status"
exit "$status"
