#!/usr/bin/env bash
# Runs each fuzzer for some seconds: fuzz.sh SECONDS PROGRAM... A fuzzer starts from the inputs in NAME.corpus/ next to
# its source, and keeps new ones next to the program. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1

seconds=$1
shift
passed=0
failed=0
for program in "$@"; do
    name=$(basename "$program")
    found=$program.corpus
    log=$program.log
    mkdir -p "$found"
    corpora=("$found")
    for seeds in */tests/"$name".corpus; do
        [ -d "$seeds" ] && corpora+=("$seeds")
    done
    if "$program" -max_total_time="$seconds" -timeout=100 -rss_limit_mb=1024 -print_final_stats=1 \
        -artifact_prefix="$program-" "${corpora[@]}" >"$log" 2>&1 </dev/null; then
        passed=$((passed + 1))
        printf '  %-24s %s inputs\n' "$name" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
    else
        failed=$((failed + 1))
        printf '  %-24s FAILED; the input is kept at the end of %s:\n' "$name" "$log"
        tail -n 30 "$log"
    fi
done
[ $# -gt 0 ] || {
    echo "There are no fuzzers." >&2
    failed=1
}
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
