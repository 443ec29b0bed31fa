#!/usr/bin/env bash
# Rewrites the workbook's C files in the house format; with --check it only names what differs, and fails.
# Always the same version of clang-format where the system offers it: versions differ in small things.
set -u
cd "$(dirname "$0")/../.." || exit 1

formatter=$(command -v clang-format-14 || command -v clang-format) || {
    echo "clang-format is missing: run 'make setup'." >&2
    exit 1
}
mapfile -t files < <(lib/tools/files.sh '*.c' '*.h')
if [ "${1:-}" = --check ]; then
    "$formatter" --dry-run -Werror --ferror-limit=1 "${files[@]}"
else
    "$formatter" -i "${files[@]}"
fi
