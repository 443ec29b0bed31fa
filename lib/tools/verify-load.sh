#!/usr/bin/env bash
# Proves labs again and again on a busy machine: verify-load.sh TIMES LOGS COMMAND... The command prints the lines of
# `make verify`. It runs TIMES times next to one busy process a core at the lowest priority. A file whose lines differ
# between rounds has a check that depends on time. The last line is "N passed, N failed": of files. LOGS keeps the
# output of each round.
set -u

times=$1
logs=$2
shift 2
case $times in '' | *[!0-9]* | 0*) echo "TIMES=$times is no number of rounds: TIMES=20" >&2 && exit 2 ;; esac
rm -rf "$logs"
mkdir -p "$logs"

burners=()
stop() { kill "${burners[@]}" 2>/dev/null; }
trap stop EXIT
trap 'exit 130' INT TERM
for ((core = $(nproc); core > 0; core--)); do
    # It ends when this script does, however that happens.
    nice -n 19 bash -c 'while kill -0 '$$' 2>/dev/null; do for ((i = 0; i < 100000; i++)); do :; done; done' &
    burners+=($!)
done

for ((round = 1; round <= times; round++)); do
    begin=$SECONDS
    "$@" >"$logs/$round.log"
    status=$?
    # 0 and 1 are verdicts; with any other status the round did not take place.
    if [ $status -gt 1 ]; then
        echo "Round $round broke off with status $status: $logs/$round.log" >&2
        exit 2
    fi
    printf 'round %d of %d: %d s, %s\n' "$round" "$times" "$((SECONDS - begin))" "$(tail -n 1 "$logs/$round.log")"
done

logged=()
for ((round = 1; round <= times; round++)); do logged+=("$logs/$round.log"); done

# A line of verify has a word for the result, the role, the file and the verdict, below the name of the lab.
awk -v times="$times" '
    FNR == 1 { round++ }
    /^[[:alnum:]]+: / { lab = substr($1, 1, length($1) - 1) }
    /^  (ok    |FAILED) / {
        line = $0
        match(line, /^  [^ ]+ +[^ ]+ +(all bodies empty|all in comments|[^ ]+)  /)
        file = sprintf("%-6s %s", lab, substr(line, 10, RLENGTH - 11))
        verdict = substr(line, RLENGTH + 1)
        sub(/^ +/, "", verdict)
        verdict = substr(line, 1, 8) " " verdict
        if (!(file in seen)) { seen[file]; order[++files] = file }
        if (!((file, verdict) in rounds)) { kinds[file]++; kind[file, kinds[file]] = verdict }
        rounds[file, verdict]++
        whole[file]++
        if (line ~ /^  FAILED/) failed[file]++
    }
    END {
        printf "\n  %-6s %-50s %s\n", "same", "file", "verdict"
        for (f = 1; f <= files; f++) {
            file = order[f]
            same = kinds[file] == 1 && whole[file] == times && !failed[file]
            if (same) passed++; else bad++
            for (k = 1; k <= kinds[file]; k++)
                printf "  %-6s %-50s %s\n", rounds[file, kind[file, k]] "/" times, (k == 1 ? file : ""), kind[file, k]
        }
        printf "\n%d passed, %d failed\n", passed, bad
        exit (!files || bad > 0)
    }' "${logged[@]}"
