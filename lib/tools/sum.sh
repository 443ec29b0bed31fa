#!/usr/bin/env bash
# Adds up parts of a goal: COMMANDS | sum.sh PARTS. Each command ends its output with "N passed, N failed"; this prints
# the rest, and their sum as the last line. A part that said no numbers has failed. What proofs.py says of those that it
# kept comes before the sum.
set -u
awk -v parts="$1" '
    /^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3; seen++; next }
    /^[0-9]+ kept, [0-9]+ run$/ { kept = $0; next }
    { print; fflush() }
    END {
        if (kept) print kept
        if (seen < parts) print parts - seen " of " parts " parts said no numbers"
        if (seen < parts) failed += parts - seen
        print passed + 0 " passed, " failed + 0 " failed"
        exit (failed > 0)
    }'
