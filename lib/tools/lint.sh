#!/usr/bin/env bash
# Checks the form of the workbook: lint.sh [CHECK...], all checks without arguments. Each check is a function that
# prints what it finds and fails. One that prints "not run: WHY" and fails counts as neither passed nor failed. MAKE is
# the make to build with, BUILD its folder. With LINTED_LABS="lab03 lab04" the checks are those of the files of labs, and
# look at these labs alone. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1

c_format() { lib/tools/format.sh --check; }
warnings_of_gcc() { ${MAKE:-make} --keep-going WERROR=1 lint-gcc; }
warnings_of_clang() { ${MAKE:-make} --keep-going lint-clang; }
# Some versions take a function for unused that is called by a name in a variable, as the checks are here.
shell_scripts()
{
    lib/tools/files.sh '*.sh' '.ci/run' | xargs -d '\n' shellcheck --external-sources --exclude=SC2317,SC2329
}

python_files()
{
    local python files
    # shellcheck source=lib/tools/needs.sh
    . lib/tools/needs.sh
    python=$(python_with flake8) || {
        echo "flake8 is missing: run 'make setup FOR=workbook'."
        return 1
    }
    mapfile -t files < <(lib/tools/files.sh '*.py')
    [ ${#files[@]} -eq 0 ] || "$python" -m flake8 --max-line-length 120 "${files[@]}"
}

# The top level stays what it is.
top_level()
{
    local allowed='Makefile|README\.md|LICENSE|labs|solutions|lib|grader|slides|\.(ci|clang-format|clangd|devcontainer|editorconfig|gitattributes|github|gitignore|vscode)'
    ! lib/tools/files.sh '*' | cut -d/ -f1 | sort -u | grep -vxE "$allowed" |
        sed 's/$/: does not belong at the top level/' | grep .
}

# No file names a folder of its author's machine.
machine_paths()
{
    ! lib/tools/files.sh '*' | xargs -d '\n' grep -nIE '(^|[^[:alnum:]_.~-])/(root|work|Users/[^/ ]+|home/[^/ ]+)/'
}

# The texts name nothing of the library that its headers do not declare.
names_in_texts()
{
    local names
    names=$(cat lib/include/*.h grader/harness/check.h grader/harness/worker/worker.h labs/lab*/lab*.h |
        grep -oE '\b(lab|LAB)_[A-Za-z0-9_]+' | sort -u)
    ! lib/tools/files.sh '*.md' | xargs -d '\n' grep -noE '`(lab|LAB)_[A-Za-z0-9_]+' | tr -d '`' |
        awk -F: 'NR == FNR { known[$1]; next }
            !($NF in known) && $NF !~ /_$/ { print $1 ":" $2 ": no header declares " $3 }' \
            <(printf '%s\nLAB_DEVICE\nLAB_CACHE_DIR\nLAB_CACHE_BASE\nLAB_TRACE\nLAB_DEVICE_SOCKET\nLAB_SERVER\nLAB_CUDA_ERRORS\n' "$names") - | grep .
}

# Prose and code fit 120 columns, lessons 100; tests/casts_h200.h is a table of data, and attacks are strangers' files.
prose_columns()
{
    lib/tools/files.sh '*.md' '*.c' '*.h' 'labs/*.cu' | grep -vE '/fixtures/|^grader/attacks/|casts_h200' |
        xargs -d '\n' lib/tools/python.sh lib/tools/columns.py
}

# Texts, headers that are manuals, comments of C, scripts and pages say these things in other words, which
# lib/docs/STYLE.md has. In code the first word may be a variable's name.
plain_words()
{
    local dialect="strangers?|unkind|anew|yours to free|(?-i:Caller frees)" prose="[a-z,;] (?<!if )\Kbeside(?= [a-z\"])"
    local still='^(lib/src/(cpu|cuda|cudart|labcc|arrays|base|wire)|lib/tests|grader/(tests|harness)|labs)/'
    ! {
        lib/tools/files.sh '*.md' '*.h' | grep -E '\.md$|^lib/include/|^grader/harness/' | grep -vF lib/docs/STYLE.md |
            xargs -d '\n' grep -nHioP "\b($dialect|beside|goes on)\b"
        lib/tools/files.sh '*.md' 'labs/*/lab*.h' 'labs/*/starter.c' 'labs/*/contract.txt' | grep -vF lib/docs/STYLE.md |
            xargs -d '\n' grep -nHioP '\bg(?:ives?|ave|iven|iving) (?:\w+ ){0,3}back\b'
        lib/tools/files.sh '*.py' '*.sh' '*.mk' '*.css' '*.html' '*.j2' '*.js' '*.svg' '*.profile' Makefile |
            grep -vE '/fixtures/|^grader/attacks/|tools/lint.sh' |
            xargs -d '\n' grep -nHoP "$prose|\bunkind\b|\banew\b"
        lib/tools/files.sh '*.c' '*.h' '*.cu' '*.cuh' | grep -vE '/fixtures/|^grader/attacks/|^lib/include/' |
            xargs -d '\n' grep -nHioP "(^ ?\*|/\*).*?\K\b($dialect)\b"
        lib/tools/files.sh '*.c' '*.h' | grep -vE "/fixtures/|^grader/attacks/|$still" |
            xargs -d '\n' grep -nHioP "(^ ?\*|/\*).*?\K\bbeside\b"
    } | sed -E 's/:([^:]*)$/: write "\1" in other words (lib\/docs\/STYLE.md)/' | grep .
}

# Comments name files that exist.
named_files()
{
    lib/tools/files.sh '*.c' '*.h' '*.cuh' '*.py' '*.sh' '*.mk' | grep -vE '/fixtures/|^grader/attacks/' |
        xargs -d '\n' lib/tools/python.sh lib/tools/named-files.py
}

# The pictures of the rooms show the rooms of rooms.txt.
rooms_in_pictures()
{
    local top page
    # shellcheck disable=SC2016  # the quotes are Markdown's
    ! while read -r top page; do
        comm -3 <(sed -nE "s,^$top/(src/)?([^:]+):.*,\2,p" lib/tools/rooms.txt | sort) \
            <(sed -n '/^```$/,/^```$/p' "$page" | grep -oE '[a-z]+(/[a-z]+)*' | sort -u) |
            sed "s,^\t*,$page: the picture and lib/tools/rooms.txt differ in ,"
    done <<<$'lib lib/README.md\ngrader grader/docs/code.md' | grep .
}

links_in_texts() { lib/tools/files.sh '*.md' | xargs -d '\n' lib/tools/python.sh lib/tools/links.py; }

# git tracks no file that students write in: a pull would overwrite theirs, which it ignores, or refuse.
students_files()
{
    git rev-parse --git-dir >/dev/null 2>&1 || return 0
    ! git ls-files 'labs/lab*/lab[0-9N][0-9N].c' | sed 's,$,: make makes it of starter.c; git rm --cached it,' | grep .
}

# The tables of times in the lessons agree with the kept runs.
measured_tables() { lib/tools/python.sh lib/tools/lab-results.py check; }

# The phrase book has every name of CuPy, PyCUDA and lab.h.
phrase_book() { lib/tools/phrase-book.sh; }

# The cheat sheet agrees with lab.h and the phrase book, the glossary is in order, and wrong answers exist that are named.
texts_of_slides() { lib/tools/python.sh slides/tools/texts.py; }

# The macros that note file and line are those of the list.
located_calls() { lib/tools/located-calls.sh --check; }

# The headers and the page of CUDA's calls are those of the table.
cuda_calls() { lib/tools/python.sh lib/tools/cuda-calls.py --check; }

# The page of reported mistakes is that of the tests.
reported_mistakes() { lib/tools/python.sh lib/tools/reported.py --check; }

# The tests of bad input call every function of lab.h.
bad_input() { lib/tools/bad-input.sh; }

# No check of a lab gives points for what check_flow has not followed, without a reason.
followed_checks()
{
    lib/tools/files.sh 'labs/*/checks*.c' | xargs -d '\n' lib/tools/python.sh lib/tools/followed-checks.py
}

# Every conformance test cites its rule.
cited_rules() { lib/tools/conformance.sh --check; }

# Includes and calls between rooms go the ways that rooms.txt allows. Reads the objects that warnings_of_gcc made.
rooms() { lib/tools/python.sh lib/tools/rooms.py "${BUILD:-build}/obj"; }

# Both base rooms are in the path of the grader's includes: "base/NAME" must mean one file.
base_names()
{
    ! find lib/src/base grader/src/base -type f -printf '%f\n' | sort | uniq -d |
        sed 's,$,: is in lib/src/base and in grader/src/base,' | grep .
}

# What make prints about its own progress.
NOISE='^  (compile|link|archive) |^make.* Error [0-9]+$|^make.* not remade because of errors'

all=(c_format warnings_of_gcc warnings_of_clang shell_scripts python_files rooms base_names top_level machine_paths
    names_in_texts prose_columns plain_words named_files rooms_in_pictures links_in_texts students_files measured_tables
    phrase_book texts_of_slides located_calls cuda_calls reported_mistakes followed_checks cited_rules bad_input)
of_a_lab=(c_format warnings_of_gcc warnings_of_clang machine_paths names_in_texts prose_columns plain_words links_in_texts
    students_files measured_tables texts_of_slides followed_checks)
if [ -n "${LINTED_LABS:-}" ]; then checks=("${@:-${of_a_lab[@]}}"); else checks=("${@:-${all[@]}}"); fi
for check in "$@"; do
    [[ " ${all[*]} " == *" $check "* ]] || { echo "CHECKS: there is no check $check; there are ${all[*]}" && exit 1; }
done
passed=0
failed=0
not_run=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT
for check in "${checks[@]}"; do
    if "$check" >"$output" 2>&1; then
        passed=$((passed + 1))
        printf '  %-18s ok\n' "${check//_/ }"
    elif reason=$(grep -aE '^not run: ' "$output"); then
        not_run=$((not_run + 1))
        printf '  %-18s %s\n' "${check//_/ }" "$reason"
    else
        failed=$((failed + 1))
        printf '  %-18s FAILED\n' "${check//_/ }"
        grep -avE "$NOISE" "$output" | head -n 60 | sed 's/^/    /'
    fi
done
[ "$not_run" -eq 0 ] || echo "$not_run not run, which is no pass: this machine cannot run them"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
