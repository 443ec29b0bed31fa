#!/usr/bin/env bash
# Compiles CUDA programs with labcc, runs them on the CPU device, and compares what they print: labcc-tests.sh FILE...
# Comments at the beginning of a file say what is expected:
#
#   // options: OPTION...          for labcc; %D is the file's folder
#   // refused: TEXT               labcc must refuse the file with one line, which ends with the text
#   // run NAME=VALUE...: TEXT     with these variables the output must have a line with the text; several are allowed
#
# A file without "refused" and "run" must print the lines of the .txt next to it. BUILD is the folder that make builds in,
# absolute. The last line is "N passed, N failed".
set -u

SECONDS_EACH=1000 # ends what hangs: eight seconds of work take minutes on a busy machine
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LAB_CACHE_DIR="${LAB_CACHE_DIR:-$BUILD/cache}" LAB_DEVICE=${LAB_DEVICE:-cpu}
passed=0
failed=0

fault()
{
    echo "$source: $1"
    sed 's/^/    /' "$folder/printed"
    failed=$((failed + 1))
}

# Compares a run with what its comment expects.
check_run()
{
    local settings=${1%%: *} text=${1#*: }
    # shellcheck disable=SC2086 # a word for each variable
    env $settings timeout --kill-after=10 "$SECONDS_EACH" "$folder/program" >"$folder/printed" 2>&1 </dev/null
    # A report folds its lines.
    if tr -s '\n ' '  ' <"$folder/printed" | grep -qF -- "$text"; then passed=$((passed + 1)); else fault "run $1"; fi
}

for source in "$@"; do
    options=$(sed -n "s|^// options: ||p" "$source" | sed "s|%D|$(dirname "$source")|g")
    refused=$(sed -n 's|^// refused: ||p' "$source")
    # shellcheck disable=SC2086 # a word for each option
    "$BUILD/bin/labcc" -o "$folder/program" "$source" $options >"$folder/printed" 2>&1
    status=$?
    if [ -n "$refused" ]; then
        if [ $status -ne 0 ] && [ "$(wc -l <"$folder/printed")" -eq 1 ] && grep -qF -- "$refused" "$folder/printed"; then
            passed=$((passed + 1))
        else
            fault "is not refused in one line: $refused"
        fi
    elif [ $status -ne 0 ]; then
        fault "does not compile"
    elif grep -q '^// run' "$source"; then
        while read -r run; do check_run "$run"; done < <(sed -n 's|^// run *||p' "$source")
    else
        timeout --kill-after=10 "$SECONDS_EACH" "$folder/program" >"$folder/printed" 2>&1 </dev/null
        status=$?
        if [ $status -eq 0 ] && diff -u "${source%.cu}.txt" "$folder/printed" >"$folder/difference"; then
            passed=$((passed + 1))
        else
            [ $status -ne 0 ] || mv "$folder/difference" "$folder/printed"
            fault "ended with status $status"
        fi
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
