#!/usr/bin/env bash
# Runs one check of a lab with the student's program in gdb, stopped in each function of the student's file:
# debug-lab.sh FILE LABCHECK... where LABCHECK is the command that runs the check. GDB is the debugger, and its options.
set -u

file=$1
shift
read -ra debugger <<<"${GDB:-gdb}"
if ! command -v "${debugger[0]}" >/dev/null; then
    echo "There is no ${debugger[0]} here, which GDB names." >&2
    exit 2
fi

folder=$(mktemp -d)
check=''
end()
{
    [ -z "$check" ] || kill -TERM "-$check" 2>/dev/null
    rm -rf "$folder"
}
trap end EXIT
set -m # the checks have a process group of their own, so that the terminal's signals are the debugger's
LAB_DEBUG=$folder/program "$@" >"$folder/verdict" 2>&1 </dev/null &
check=$!
until [ -s "$folder/program" ]; do
    if ! kill -0 "$check" 2>/dev/null; then
        cat "$folder/verdict"
        echo 'The check ended before your program ran.'
        exit 1
    fi
    sleep 0.1
done
read -r program <"$folder/program"
# What gdb says of libraries and breakpoints while it begins is lost: it begins where the program stops.
quiet=(-iex 'set pagination off' -iex 'set debuginfod enabled off' -iex 'set logging file /dev/null'
    -iex 'set logging redirect on' -iex 'set logging enabled on')
"${debugger[@]}" -q "${quiet[@]}" -p "$program" -ex 'set breakpoint pending on' \
    -ex 'handle SIGVTALRM nostop noprint pass' -ex "rbreak ${file##*/}:." -ex 'set logging enabled off' -ex continue
echo 'make labNN, without -debug, gives the verdict.'
