#!/usr/bin/env bash
# Refuses to measure on a busy machine: quiet.sh GOAL looks for a second at what the processors do, and fails if they do
# more than the twentieth part of what they could. Its test passes two files in place of /proc/stat, before and after.
set -eu

# Ticks of work, and all ticks, since the machine started: many processors have thousands of millions after days, which
# awk's print may round. Work of a guest is part of the first two columns.
ticks() { awk '$1 == "cpu" { work = $2 + $3 + $4 + $7 + $8 + $9; printf "%.0f %.0f\n", work, work + $5 + $6 }' "$1"; }

goal=$1 before=${2:-/proc/stat} after=${3:-/proc/stat}
[[ -r $before ]] || exit 0 # no Linux: nobody can say
read -r worked all < <(ticks "$before")
[[ $# -gt 1 ]] || sleep 1
read -r worked_then all_then < <(ticks "$after")
share=$((100 * (worked_then - worked) / (all_then > all ? all_then - all : 1)))
if ((share > 5)); then
    printf '%s: other programs use %d%% of the processors, so its times would be wrong. %s\n' "$goal" "$share" \
        "Stop them or wait for them (top shows which they are), then type $goal again." >&2
    exit 1
fi
