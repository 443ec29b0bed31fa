#!/usr/bin/env bash
# Runs programs of tests under valgrind's memcheck: valgrind.sh PROGRAM... Any error and any definite leak fails a test.
# Leaves out what valgrind cannot do. BUILD is the folder that make builds in, absolute.
set -u

# Kernels are compiled for this processor, and valgrind knows AVX2 but not AVX-512. This clang keeps to AVX2.
clang=$(command -v clang) || {
    echo "clang is missing: run 'make setup'." >&2
    exit 1
}
mkdir -p "$BUILD/valgrind/bin"
cat >"$BUILD/valgrind/bin/clang" <<END
#!/bin/sh
for argument; do
    shift
    [ "\$argument" != -march=native ] || argument=-march=x86-64-v3
    set -- "\$@" "\$argument"
done
exec '$clang' "\$@"
END
chmod +x "$BUILD/valgrind/bin/clang"

# Left out, in this order:
#   valgrind turns vfork into fork, so posix_spawn cannot report a missing program
#   valgrind converts 64-bit integers to float by way of double, which rounds twice
#   these tests want a kernel to use memory that does not exist, which valgrind reports
#   a program that starts its own file again starts valgrind's
export WITHOUT='process/a_program_that_is_not_there cast/to_floating_point_rounds_once kernel_fault/
    kernel_failure/memory_that_is_not_there memcheck/accepts_the_classics'
WITHOUT=${WITHOUT//$'\n'/ }

export PATH="$BUILD/valgrind/bin:$PATH"
export LAB_CACHE_DIR="$BUILD/valgrind/cache"
export UNDER="valgrind --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=definite
    --errors-for-leak-kinds=definite --fair-sched=yes --suppressions=lib/tools/valgrind.supp"
UNDER=${UNDER//$'\n'/ }
exec lib/tools/run-tests.sh "$@"
