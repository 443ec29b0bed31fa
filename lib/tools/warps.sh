#!/usr/bin/env bash
# Compares random kernels with a GPU's sums: warps.sh PROGRAM FILE MODULES. Each line of FILE is a module's number and
# its sum, as PROGRAM prints it. The last line is "N passed, N failed".
set -eu
sums=$(seq 0 $(($3 - 1)) | xargs -P "$(nproc)" -I @ "$1" @ 1 | sort -n)
failed=$(head -n "$3" "$2" | diff - <(echo "$sums") | grep -c '^<' || true)
head -n "$3" "$2" | diff - <(echo "$sums") || true
echo "$(($3 - failed)) passed, $failed failed"
[ "$failed" = 0 ]
