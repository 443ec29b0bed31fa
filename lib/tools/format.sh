#!/usr/bin/env bash
# Rewrites the workbook's C files in the house format. With --check it only names the differences, and fails. Without
# the right clang-format it prints "not run: WHY" and fails.
set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=lib/tools/needs.sh
. lib/tools/needs.sh

formatter=$(house_formatter) || {
    echo "not run: needs clang-format 14, which 'make setup FOR=workbook' installs where apt offers it" >&2
    exit 1
}
mapfile -t files < <(lib/tools/files.sh '*.c' '*.h' | grep -v '/starter\.c$')
mapfile -t starters < <(lib/tools/files.sh 'labs/*/starter.c')
how=(-i)
[ "${1:-}" = --check ] && how=(--dry-run -Werror --ferror-limit=1)
"$formatter" "${how[@]}" "${files[@]}"
failed=$?
# A starter has the solution's columns.
"$formatter" "${how[@]}" --style=file:solutions/.clang-format "${starters[@]}" && exit $failed
