#!/usr/bin/env bash
# Prints the functions of lab.h, one a line, in its order. With --parameters a line has result, name and parameters.
set -u
cd "$(dirname "$0")/../.." || exit 1

# A declaration begins at the left edge and ends with the first semicolon.
awk -v parameters="${1:-}" '
    { sub(/\/\*.*\*\//, "") }
    !declaration && /^(const |_Noreturn )?[a-z_][a-z0-9_]* \*?(lab_[a-z0-9_]+)\(/ && !/^(static|typedef|return)/ { declaration = $0; line = 1 }
    declaration && !line { declaration = declaration " " $0 }
    { line = 0 }
    declaration ~ /;/ {
        gsub(/ +/, " ", declaration)
        result = name = declaration
        sub(/\(.*/, "", name)
        sub(/.*[ *]/, "", name)
        sub(/^[^(]*\(/, "", declaration)
        sub(/ .*/, "", result)
        print parameters ? result " " name " " declaration : name
        declaration = ""
    }' lib/include/lab.h
