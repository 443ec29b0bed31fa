#!/usr/bin/env bash
# Runs programs of tests under valgrind's memcheck: valgrind.sh PROGRAM... Any error, and any memory that is lost for
# certain, fails a test. BUILD is the folder that make builds in, absolute. Knows what valgrind cannot do.
set -u

command -v valgrind >/dev/null || {
    echo "valgrind is missing: apt-get install valgrind" >&2
    exit 1
}

# Kernels are compiled for this processor; of its instructions valgrind knows AVX2, not AVX-512. Whoever asks for clang
# gets one that keeps to them.
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

# Left out, each because valgrind itself is otherwise:
#   it makes vfork a fork, so that posix_spawn cannot say that a program is not there
#   it converts 64-bit integers to float by way of double, which rounds twice
#   a kernel's access to memory that is not there is the fault that a test asks for; the other such tests are of kernel_fault
#   a program that starts its own file again gets valgrind's
export WITHOUT='process/a_program_that_is_not_there cast/to_floating_point_rounds_once kernel_fault/
    kernel_failure/memory_that_is_not_there memcheck/accepts_the_classics'
WITHOUT=${WITHOUT//$'\n'/ }

export PATH="$BUILD/valgrind/bin:$PATH"
export LAB_CACHE_DIR="$BUILD/valgrind/cache"
export UNDER="valgrind --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=definite
    --errors-for-leak-kinds=definite --fair-sched=yes --suppressions=lib/tools/valgrind.supp"
UNDER=${UNDER//$'\n'/ }
exec lib/tools/run-tests.sh "$@"
