#!/usr/bin/env bash
# Prints the files of the workbook itself, one a line: files.sh PATTERN..., such as '*.c'. Nothing that was built.
set -u
cd "$(dirname "$0")/../.." || exit 1

if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    # A file that was removed and not yet committed is still listed.
    git ls-files --cached --others --exclude-standard -- "$@" | while IFS= read -r file; do
        [ -e "$file" ] && echo "$file"
    done
else
    # Not a checkout (an unpacked archive): everything but build output.
    for pattern in "$@"; do
        find . \( -name .git -o -path ./build -o -name __pycache__ \) -prune -o -type f -path "./${pattern#./}" -print
    done | sed 's|^\./||' | sort -u
fi
