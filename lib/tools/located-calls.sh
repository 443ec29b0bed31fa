#!/usr/bin/env bash
# Writes lib/include/lab_calls.h, the macros with which calls note their file and line, from the list of functions in
# lib/tools/names/located.txt. With --check it writes nothing, prints how the header differs, and fails if it does.
set -u
cd "$(dirname "$0")/../.." || exit 1

header=lib/include/lab_calls.h
listed=$(grep -v '^#' lib/tools/names/located.txt)

if unknown=$(grep -vxFf <(lib/tools/public-functions.sh) <<<"$listed"); then
    echo "lib/tools/names/located.txt names functions that lab.h does not declare:" "$unknown" >&2
    exit 1
fi

generate()
{
    cat <<'END'
/* Calls of lab.h that note their file and line. lab.h includes this file at its end, unless LAB_NO_LOCATION is defined.
 * lib/tools/located-calls.sh writes it from lib/tools/names/located.txt: change that list, not this file. */
#define LAB_AT(call) (lab_here(__FILE__, __LINE__), lab_here_ends(call))
END
    while read -r name; do
        echo "#define $name(...) LAB_AT(($name)(__VA_ARGS__))"
    done <<<"$listed"
}

if [ "${1:-}" = --check ]; then
    diff <(generate) "$header" || {
        echo "$header is not what lib/tools/located-calls.sh writes: run it."
        exit 1
    }
else
    generate >"$header"
fi
