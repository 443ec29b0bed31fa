#!/usr/bin/env bash
# Counts the conformance tests by the section that they assert. The line directly above each test cites its rule,
#   /* SOURCE, SECTION: RULE. */
# where SOURCE is one of those below. conformance.sh prints the table. conformance.sh --check prints the tests without
# such a line, and fails if there are any.
set -u
cd "$(dirname "$0")/../.." || exit 1

# No backslashes: awks differ in what they make of one in a value of -v.
SOURCES='cuda[.]h|CUDA Driver API|CUDA C[+][+] Programming Guide|CUDA Math API|CuPy|NumPy|IEEE 754|H[12]00|lab[.]h'

awk -v sources="$SOURCES" -v check="${1:-}" '
    /^Test\(/ {
        if (before !~ "^/\\* (" sources "), [^:]+: .*[^.]\\. \\*/$") {
            if (check) print FILENAME ":" FNR ": no line above this test cites its rule: /* SOURCE, SECTION: RULE. */"
            uncited++
        } else {
            section = substr(before, 4)
            sub(/:.*/, "", section)
            tests[section]++
        }
        total++
    }
    { before = $0 }
    END {
        if (check) exit uncited > 0
        for (section in tests) {
            source = section
            sub(/, .*/, "", source)
            shown[tests[section] < 5 ? source ", other sections" : section] += tests[section]
        }
        printf "Conformance tests by the section whose rules they assert:\n"
        for (section in shown) printf "  %-66s %4d\n", section, shown[section] | "LC_ALL=C sort"
        close("LC_ALL=C sort")
        printf "  %-66s %4d\n", "all", total
    }' lib/tests/conformance/*_test.c
