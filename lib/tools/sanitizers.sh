#!/usr/bin/env bash
# Holds the CPU device's checks of kernels against compute-sanitizer: sanitizers.sh RUN FILE.cu... runs each kernel of
# the files, which name their launches in lines "//: KERNEL BLOCKS THREADS BYTES", under each of four tools on both
# devices. SANITIZER is the compute-sanitizer to run. Prints a table: which found something, ours and theirs. The last
# line is "N passed, N failed". A kernel fails if compute-sanitizer finds what the CPU device does not. A kernel whose name
# ends in _right has no mistake: it fails if the CPU device finds one, and compute-sanitizer's finding is a false alarm.
# A kernel with a line "//: missed" is known to be missed here, and does not fail. ROWS=missing runs only kernels that
# have no row in the kept tables, which are next to the files; the table's rows can then be added to one of them.
set -u

TOOLS='memcheck racecheck initcheck synccheck'
SECONDS_EACH=1000
TOGETHER=8
export LAB_CACHE_DIR="${LAB_CACHE_DIR:-${BUILD:-$PWD/build}/cache}"

# found_by_us RUN TOOL ARGUMENT...; found_by_them RUN TOOL ARGUMENT...: prints "found", "-" or why there is no answer.
found_by_us()
{
    local run=$1 tool=$2 ended
    shift 2
    env LAB_DEVICE=cpu "LAB_${tool^^}=1" timeout "$SECONDS_EACH" "$run" "$@" >/dev/null 2>&1
    ended=$?
    case $ended in
    0) echo - ;;
    1) echo found ;;
    *) echo "status-$ended" ;;
    esac
}
found_by_them()
{
    local run=$1 tool=$2 output
    shift 2
    output=$(timeout --kill-after=5 "$SECONDS_EACH" "$SANITIZER" --tool "$tool" --report-api-errors no "$run" "$@" 2>&1)
    if grep -qE '(ERROR|RACECHECK) SUMMARY: [1-9]' <<<"$output"; then
        echo found
    elif grep -qE '(ERROR|RACECHECK) SUMMARY: 0' <<<"$output"; then
        echo -
    else
        echo hangs
    fi
}

# compare RUN FILE KERNEL BLOCKS THREADS BYTES: prints a row.
compare()
{
    local run=$1 row tool
    shift
    row=$(printf '%-34s' "$2")
    for tool in $TOOLS; do
        row+=$(printf ' %8s %8s' "$(found_by_us "$run" "$tool" "$@")" "$(found_by_them "$run" "$tool" "$@")")
    done
    echo "$row"
}

export TOOLS SECONDS_EACH SANITIZER
export -f compare found_by_us found_by_them

run=$1
shift
printf '%-34s' kernel
for tool in $TOOLS; do printf ' %17s' "$tool: ours theirs" | cut -c1-30 | tr -d '\n'; done
echo
kept=$([ "${ROWS:-all}" != missing ] || cat "${1%/*}"/*.txt)
rows=$(for file in "$@"; do
    sed -nE "s,^//: ([a-z_0-9]+ [0-9]+ [0-9]+ [0-9]+)\$,$file \1,p" "$file"
done | awk 'NR == FNR { is_kept[$1] = 1; next } !($2 in is_kept)' <(echo "$kept") - |
    xargs -r -P "$TOGETHER" -L 1 bash -c 'compare "$@"' compare "$run")
[ "$rows" ] || { echo "every kernel has a row"; exit; }
sort <<<"$rows"
missed=$(cat "$@" | awk '/^\/\/: [a-z_0-9]+ [0-9]+ [0-9]+ [0-9]+$/ { name = $2 } /^\/\/: missed / { print name }')
awk -v known="$(tr '\n' ' ' <<<"$missed")" 'BEGIN { count = split(known, name, " "); for (i = 1; i <= count; i++) is_known[name[i]] = 1 }
{
    missed = false_alarm = 0
    right = $1 ~ /_right$/
    for (i = 2; i < NF; i += 2) {
        if (right) {
            if ($i != "-") missed = 1
            if ($(i + 1) == "found") false_alarm = 1
        } else if ($i != "found" && $(i + 1) == "found" && !($1 in is_known)) missed = 1
        if ($i == "found" && $(i + 1) != "found") more++
    }
    if (false_alarm) alarms = alarms " " $1
    if (missed) { names = names " " $1; failed++ } else passed++
} END {
    if (failed) print "found by compute-sanitizer alone, or in a right kernel:" names
    if (alarms) print "false alarms of compute-sanitizer:" alarms
    printf "found by the CPU device alone: %d times\n%d passed, %d failed\n", more, passed, failed
    exit failed > 0
}' <<<"$rows"
