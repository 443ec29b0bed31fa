#!/usr/bin/env bash
# Rewrites the workbook's C files in the house format; with --check it only names what differs, and fails. Says
# "not run: WHY" and fails where there is no clang-format of the house format.
set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=lib/tools/needs.sh
. lib/tools/needs.sh

formatter=$(house_formatter) || {
    echo "not run: needs clang-format 14, which 'make setup' installs where apt offers it" >&2
    exit 1
}
mapfile -t files < <(lib/tools/files.sh '*.c' '*.h')
if [ "${1:-}" = --check ]; then
    "$formatter" --dry-run -Werror --ferror-limit=1 "${files[@]}"
else
    "$formatter" -i "${files[@]}"
fi
