#!/usr/bin/env bash
# Tests what the files changed since a commit can break: quick.sh COMMIT; since the last one mostly in under a minute
# once everything is built. MAKE is the make to build with, BUILD its folder. Prints what it runs; the last line is "N
# passed, N failed". What it runs for
#
#   a test's source           its suites
#   a header                  the suites of the tests that include it
#   a file of a room          the suites of the tests that include a header of the room or are named for the room or the
#                             file: for lib/src/pools/pool.c all with "pool" in their names
#   labs/labNN-, solutions/   make verify for that lab
#   scripts, makefiles        the suites that run scripts; shellcheck
#   slides/                   their tests
#   Python                    the tests named for the file; flake8
#   texts                     lint's checks of texts
set -u
cd "$(dirname "$0")/../.." || exit 1

declare -A wanted # "KIND NAME": a test's source, a lab, a check of lint, or a goal of make
passed=0
failed=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT
NOISE='^  (compile|link|archive) |^[0-9]+ passed, [0-9]+ failed$'

# want KIND NAME...: of tests, those that exist. all KIND: lists the names.
want()
{
    local name
    for name in "${@:2}"; do
        if [ "$1" != test ] || [ -e "$name" ]; then wanted["$1 $name"]=1; fi
    done
}
all() { printf '%s\n' "${!wanted[@]}" | sed -n "s/^$1 //p" | LC_ALL=C sort; }

# Lists the tests whose paths have the pattern in them.
tests_named() { find lib/tests grader/tests -name '*_test.c' -o -name '*_test.py' | grep -E -- "$1"; }

# Lists the tests that include a file whose path begins like this, as the compiler wrote it down.
tests_including()
{
    grep -rlF --include='*_test.d' -- " $1" "$BUILD"/obj/*/tests 2>/dev/null | sed "s,^$BUILD/obj/,,; s,d\$,c,"
}

# Lists the tests that a changed file can break.
tests_of()
{
    local file=$1 folder=${1%/*} stem=${1##*/} room
    stem=${stem%.*}
    room=${folder##*/}
    case $file in
    *_test.c | *_test.py) echo "$file" ;;
    lib/src/* | grader/src/* | grader/harness/*)
        tests_including "$folder/"
        tests_named "/[a-z_]*(${room%s}|${stem%s})[a-z_]*(/|_test)"
        ;;
    *.h) tests_including "$file" ;;
    grader/handout/* | grader/autograder/*) printf '%s\n' grader/tests/{handout,autograder}_test.py ;;
    grader/report/*) tests_named "/(${stem%s}s?|report|pages)_test.py" ;;
    slides/*.mk) ;;
    slides/*) printf '%s\n' slides/tests/{build,decks,figures,front,site}_test.py ;;
    lib/tools/* | *.mk | Makefile) tests_named /lab_scripts_test ;;
    esac
}

consider()
{
    local file=$1 found
    mapfile -t found < <(tests_of "$file")
    want test "${found[@]}"
    want check top_level machine_paths
    case $file in
    *.md)
        want check names_in_texts prose_columns rooms_in_pictures links_in_texts measured_tables phrase_book texts_of_slides
        ;;
    labs/lab*-* | solutions/lab*-*) want lab "$(sed -E 's,.*/(lab..)-.*,\1,' <<<"$file")" ;;
    lib/include/*.h) want goal test-needs && want check names_in_texts phrase_book texts_of_slides located_calls bad_input ;;
    lib/tests/conformance/*.c) want check cited_rules bad_input ;;
    esac
    case $file in
    *.c | *.h) want check c_format rooms base_names ;;
    *.sh | .ci/run) want check shell_scripts ;;
    *.py) want check python_files ;;
    esac
}

# run TITLE COMMAND...: adds the numbers on the command's last line to the sum; shows its output if anything fails.
run()
{
    local title=$1 begin=$SECONDS good bad
    shift
    "$@" >"$output" 2>&1
    read -r good bad < <(sed -nE '$s/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$output")
    [ "${bad:-}" ] || { good=0 && bad=1; }
    passed=$((passed + good))
    failed=$((failed + bad))
    printf '%5d passed %3d failed %3d s  %s\n' "$good" "$bad" $((SECONDS - begin)) "$title"
    [ "$bad" -eq 0 ] || grep -avE "$NOISE" "$output" | tail -n 60 | sed 's/^/    /'
}

# The suites of these tests, all of one program. Criterion takes the pattern from the environment.
run_suites()
{
    local program=$1 suites
    suites=$(sed -nE 's/^Test\(([a-z0-9_]+),.*/\1/p' "${@:2}" | sort -u | paste -sd'|')
    CRITERION_TEST_PATTERN="@($suites)/*" run "$program: ${suites//|/ }" lib/tools/run-tests.sh "$BUILD/tests/$program"
}

if git rev-parse --verify -q HEAD >/dev/null 2>&1; then
    git rev-parse --verify -q "$1^{commit}" >/dev/null || { echo "SINCE=$1 is no commit." && exit 1; }
    mapfile -t changed < <({ git diff --name-only "$1" && git ls-files --others --exclude-standard; } | sort -u)
    [ ${#changed[@]} -gt 0 ] || echo "Nothing has changed since $1."
else
    echo "Not a git checkout, so the changes are unknown: this tests streams, lab 00 and the texts."
    changed=(lib/src/objects/contexts/stream.c labs/lab00-measure/checks.c README.md)
fi
for file in "${changed[@]}"; do consider "$file"; done

# Which program each C test is in, as lib.mk and grader.mk say.
declare -A program=([lib/tests]=lib_tests [lib/tests/conformance]=conformance_tests [lib/tests/order]=order_tests
    [lib/tests/allocation]=allocation_tests [grader/tests]=grader_tests) sources=()
while read -r test; do
    case $test in
    '') continue ;;
    *.c) sources[${program[${test%/*}]}]+="$test " ;;
    esac
    [[ $test != grader/* ]] || want goal test-needs
done < <(all test)
for name in "${!sources[@]}"; do want goal "$BUILD/tests/$name"; done

begin=$SECONDS
mapfile -t goals < <(all goal)
# shellcheck disable=SC2086  # MAKE is in the shell's words
if [ ${#goals[@]} -gt 0 ] && ! $MAKE --keep-going WERROR=1 "${goals[@]}" >"$output" 2>&1; then
    grep -avE "$NOISE" "$output" | tail -n 60
    failed=1
fi
[ ${#goals[@]} -eq 0 ] || printf '%23s %3d s  %s\n' built $((SECONDS - begin)) "${goals[*]##*/}"
export BUILD
BUILD=$(realpath "$BUILD")
for name in "${!sources[@]}"; do
    # shellcheck disable=SC2086  # a list of files
    run_suites "$name" ${sources[$name]}
done
while read -r test; do run "$test" lib/tools/run-tests.sh "$test"; done < <(all test | grep '\.py$')
# shellcheck disable=SC2086
while read -r lab; do run "make verify LAB=$lab" $MAKE verify LAB="$lab"; done < <(all lab)
mapfile -t checks < <(all check)
[ ${#checks[@]} -eq 0 ] || run "lint: ${checks[*]}" lib/tools/lint.sh "${checks[@]}"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
