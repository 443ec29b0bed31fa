#!/usr/bin/env bash
# Prints the workbook's files that match, one a line: files.sh PATTERN..., such as '*.c'. Build output and
# students' files are not among them. With LINTED_LABS="lab03 lab04" they are those of these labs.
set -u
cd "$(dirname "$0")/../.." || exit 1

labs=${LINTED_LABS:-}
labs=${labs// /|}
only="^((labs|solutions)/($labs)|slides/(${labs//lab/}))-"
of_labs() { if [ -n "$labs" ]; then grep -E "$only"; else cat; fi; }

{
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        # git also lists a file that was removed and not yet committed.
        git ls-files --cached --others --exclude-standard -- "$@" | while IFS= read -r file; do
            [ -e "$file" ] && echo "$file"
        done
    else
        # Not a checkout but an unpacked archive: everything except build output.
        for pattern in "$@"; do
            find . \( -name .git -o -path ./build -o -path ./.starters -o -path './labs/lab[0-9]*/lab[0-9][0-9].c' \
                -o -name __pycache__ \) -prune -o -type f -path "./${pattern#./}" -print
        done | sed 's|^\./||' | sort -u
    fi
} | of_labs
