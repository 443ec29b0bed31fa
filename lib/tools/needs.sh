# shellcheck shell=bash
# The table of what the workbook needs from the system, and tests that each thing works. setup.sh, doctor.sh and others
# include it. It installs nothing and prints nothing.

# One line a need:
#   for        labs: to build and run labs; lab13: for that lab alone; pages: to make pages, of reports, slides and lab 13;
#              grade: to grade a class; slides: to build the slides; tests: to work on the workbook itself;
#              rare: for goals that no other goal runs
#   name       the usual name
#   packages   of Debian and Ubuntu; of alternatives joined by | the first that apt offers
#   test       a command that succeeds if the thing works
#   purpose    its use here
NEEDS='
labs  ; make         ; make                         ; has make               ; builds everything here
labs  ; gcc          ; gcc libc6-dev                ; c_program gcc          ; compiles the library and your lab
labs  ; clang        ; clang                        ; kernel_object          ; compiles kernels for the CPU device
labs  ; Jansson      ; libjansson-dev               ; c_library jansson.h -ljansson ; reads and writes JSON
labs  ; libmd        ; libmd-dev                    ; c_library sha2.h -lmd        ; knows kernels and files by their SHA-256
labs  ; libseccomp   ; libseccomp-dev               ; c_library seccomp.h -lseccomp ; filters the system calls of programs
labs  ; patch        ; patch                        ; has patch              ; makes wrong answers of the solution
labs  ; addr2line    ; binutils                     ; has addr2line          ; finds the line of a crash
labs  ; python3      ; python3                      ; has python3            ; writes the calls between program and device
lab13 ; libpng       ; libpng-dev                   ; c_library png.h -lpng  ; reads and writes the pictures of lab 13
pages ; Jinja2       ; python3-jinja2               ; python_module jinja2   ; fills the pages of reports and slides
grade ; SQLite       ; libsqlite3-dev               ; c_library sqlite3.h -lsqlite3 ; keeps the grades of a class
grade ; libarchive   ; libarchive-dev               ; c_library archive.h -larchive ; unpacks what a class handed in
grade ; bubblewrap   ; bubblewrap                   ; has bwrap              ; keeps submissions in a sandbox
grade ; tzdata       ; tzdata                       ; time_zones             ; knows the clock of a course
slides; pandoc       ; pandoc                       ; runs pandoc            ; turns Markdown into slides
slides; fonttools    ; fonttools python3-brotli     ; small_fonts            ; keeps the fonts of the slides small
slides; fonts        ; fonts-inter fonts-jetbrains-mono ; font_files Inter-SemiBold JetBrainsMono-Regular ; the letters of the slides
slides; WebAssembly  ; lld wasi-libc libclang-rt-dev-wasm32|libclang-rt-14-dev-wasm32 ; wasm_program ; compiles the library for the playground
tests ; Criterion    ; libcriterion-dev             ; c_library criterion/criterion.h -lcriterion ; runs the tests in C
tests ; sanitizers   ; libclang-rt-dev|libclang-common-14-dev ; fuzzer_program ; finds memory errors and races
tests ; clang-format ; clang-format-14              ; house_formatter       ; checks the format of C files
tests ; shellcheck   ; shellcheck                   ; has shellcheck         ; checks shell scripts
tests ; Chromium     ; chromium|chromium-browser    ; runs chromium chromium-browser google-chrome ; looks at the pages of the report, prints slides
tests ; git          ; git                          ; has git                ; tests what a pull does to your files
tests ; gdb          ; gdb                          ; has gdb                ; stops in your program, for make labNN-debug
tests ; flake8       ; python3-flake8|flake8        ; python_module flake8   ; checks Python files
rare  ; valgrind     ; valgrind libc6-dbg           ; has valgrind           ; runs the tests of the library, for make test-valgrind
rare  ; debootstrap  ; debootstrap                  ; daemons debootstrap    ; makes empty systems, for make test-fresh
rare  ; Slurm        ; slurmctld slurmd slurm-client munge ; daemons munged slurmctld slurmd sbatch ; is the cluster of make test-cluster
'

# An audience of set-up, the smallest first, and what of the table is for it.
# shellcheck disable=SC2034  # those who include this file read it
AUDIENCES='labs grading slides workbook everything'
# shellcheck disable=SC2034
declare -A ROOMS=([labs]='labs lab13' [grading]='labs lab13 pages grade' [slides]='labs lab13 pages slides'
    [workbook]='labs lab13 pages grade slides tests' [everything]='labs lab13 pages grade slides tests rare')

# Calls FUNCTION FOR NAME PACKAGES TEST PURPOSE for each need.
each_need()
{
    local function=$1 for name packages check purpose
    while IFS=';' read -r for name packages check purpose; do
        [ -n "$purpose" ] || continue
        "$function" "$(trim "$for")" "$(trim "$name")" "$(trim "$packages")" "$(trim "$check")" "$(trim "$purpose")"
    done <<<"$NEEDS"
}

trim()
{
    local text=$1
    text=${text#"${text%%[! ]*}"}
    printf '%s' "${text%"${text##*[! ]}"}"
}

# --- Tests: each succeeds if the thing does its work, not only if it is installed ---

# works "has make": runs a test of the table.
works()
{
    local words
    read -ra words <<<"$1"
    "${words[@]}" >/dev/null 2>&1 </dev/null
}

# has NAMES...: one of these programs is installed.
has()
{
    local name
    for name in "$@"; do
        command -v "$name" && return 0
    done
    return 1
}

# daemons NAMES...: all of these programs are installed, also where only root looks.
daemons()
{
    local name
    for name in "$@"; do
        PATH=$PATH:/usr/sbin:/sbin has "$name" || return 1
    done
}

# runs NAMES...: one of these programs runs. Ubuntu's package of Chromium is a stub that asks for a snap.
runs()
{
    local name
    for name in "$@"; do
        "$name" --version && return 0
    done
    return 1
}

# house_formatter: prints the name of clang-format 14. Other versions format some things differently.
house_formatter()
{
    local name
    for name in clang-format-14 clang-format; do
        [[ $("$name" --version 2>/dev/null) == *' version 14.'* ]] && echo "$name" && return 0
    done
    return 1
}

# compiles SOURCE COMPILER ARGUMENTS...: the compiler accepts this source.
compiles()
{
    local source=$1 folder status
    shift
    folder=$(mktemp -d) || return 1
    printf '%s\n' "$source" | "$@" -o "$folder/out" -
    status=$?
    rm -rf "$folder"
    return $status
}

c_program() { compiles 'int main(void) { return 0; }' "$1" -x c -include stdio.h; }
c_library() { compiles 'int main(void) { return 0; }' gcc -x c -include "$1" "${@:2}" -Wl,--no-as-needed; }
kernel_object() { compiles 'extern "C" void kernel(float *x) { *x = 2 * *x; }' clang -x c++ -O2 -shared -fPIC; }
# A program for a browser that uses the C library.
wasm_program()
{
    compiles '#include <stdio.h>
int main(int argc, char **argv) { return printf("%s %f", *argv, 0.5 * argc); }' clang --target=wasm32-wasi -x c
}

fuzzer_program()
{
    compiles 'int LLVMFuzzerTestOneInput(const char *data, unsigned long size) { return data && size == 7; }' \
        clang -x c -fsanitize=fuzzer,address,undefined &&
        compiles 'int main(void) { return 0; }' gcc -x c -fsanitize=thread &&
        compiles 'int main(void) { return 0; }' gcc -x c -fsanitize=address,undefined
}

# small_fonts: pyftsubset runs and can write WOFF2.
small_fonts() { has pyftsubset && python_with 'fontTools, brotli'; }

# font_files NAMES...: each of these fonts is installed, or unpacked.
font_files()
{
    local name unpacked
    IFS=: read -ra unpacked <<<"${LAB_PACKAGES:-}"
    for name in "$@"; do
        [ -n "$(find /usr/share/fonts "${unpacked[@]/%//usr/share/fonts}" -name "$name.[ot]tf" -print -quit)" ] || return 1
    done
}

# time_zones: the C library finds them. The Makefile says where set-up without root unpacks them.
time_zones() { [ -e "${TZDIR:-/usr/share/zoneinfo}/Europe/Berlin" ]; }

# python_with MODULE: prints the first Python that has the module.
python_with()
{
    local python
    for python in ${PYTHON:-python3 /usr/bin/python3}; do
        "$python" -c "import $1" 2>/dev/null && echo "$python" && return 0
    done
    return 1
}
python_module() { python_with "$1"; }

# --- Packages ---

# offered PACKAGES: prints the packages to install, one of each alternative. Fails and prints the first that apt does
# not offer.
offered()
{
    local choice name found names=()
    for choice in $1; do
        found=
        for name in ${choice//|/ }; do
            if apt-cache policy "$name" 2>/dev/null | grep -q 'Candidate: [^(]'; then
                found=$name
                break
            fi
        done
        if [ -z "$found" ]; then
            echo "${choice%%|*}"
            return 1
        fi
        names+=("$found")
    done
    echo "${names[*]}"
}

# knows_packages: apt has lists of its servers' packages. Without them it offers only installed ones.
knows_packages() { apt-cache policy 2>/dev/null | grep -q ' Packages$'; }

# installed PACKAGES: all of these are installed.
installed()
{
    local name
    for name in $1; do
        # shellcheck disable=SC2016  # dpkg's own variable
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || return 1
    done
}
