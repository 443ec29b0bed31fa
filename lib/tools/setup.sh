#!/usr/bin/env bash
# Installs with apt-get what the workbook needs and this machine lacks, and says what and why. If nothing is missing it
# prints one line, and needs neither network nor root.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=lib/tools/needs.sh
. lib/tools/needs.sh

# "Optional" things are those that no lab and no grading needs.
missing=()        # names
optional=()       # names of optional things that do not work although their packages are installed
declare -A row=() # by name: the state and packages that the page shows
wanted=()         # packages to install
not_offered=()    # names of missing optional things that apt is known not to offer
given_up=()       # packages of optional things that apt does not offer

not_for_labs() { [[ $1 == tests || $1 == slides ]]; }

note_missing()
{
    local packages
    works "$4" && return
    if not_for_labs "$1" && packages=$(offered "$3"); then
        installed "$packages" && optional+=("$2") && return
    elif not_for_labs "$1" && knows_packages; then
        not_offered+=("$2")
    fi
    missing+=("$2")
    row[$2]="MISSING|${3%%|*}"
}

say_optional()
{
    [ ${#optional[@]} -eq 0 ] ||
        echo "Not working here, and not needed to run or grade labs: ${optional[*]}."
}

print_row()
{
    local state packages
    IFS='|' read -r state packages <<<"${row[$2]:-present|${3%%|*}}"
    printf '  %-10s %-17s %s\n' "$state" "$packages" "$5"
}

# Chooses the packages of a missing thing. Labs and grading cannot do without theirs.
choose_packages()
{
    local packages
    [ -n "${row[$2]:-}" ] || return 0
    if packages=$(offered "$3"); then
        wanted+=("$packages")
        row[$2]="installed|$packages"
    elif not_for_labs "$1"; then
        given_up+=("$packages")
    elif grep -qE '^(Err:|E:|W: Failed)' "$log"; then
        give_up "apt does not know the package $packages, and could not ask its servers: is there a network?"
    else
        give_up "apt does not offer the package $packages. On Ubuntu it is in 'universe': add-apt-repository universe"
    fi
}

give_up()
{
    printf '%s\n' "$@" >&2
    exit 1
}

each_need note_missing
if [ ${#missing[@]} -eq ${#not_offered[@]} ]; then
    echo "Set-up: everything the workbook needs is there."
    optional+=("${not_offered[@]}")
    say_optional
    exit 0
fi

if ! command -v apt-get >/dev/null; then
    each_need print_row
    give_up "" "This is not a Debian or Ubuntu system: please install what is missing above with its own tools," \
        "then run 'make setup' again to see that it works."
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
        give_up "Programs are missing (${missing[*]}), and installing them needs root or sudo:" \
            "run 'make setup' once as root."
    as_root=(sudo)
fi
as_root+=(env DEBIAN_FRONTEND=noninteractive)

log=$(mktemp)
trap 'rm -f "$log"' EXIT

echo "Set-up: asking apt for what is missing here; this can take a few minutes."
if ! "${as_root[@]}" apt-get update -q >"$log" 2>&1; then
    tail -n 3 "$log" >&2
    give_up "apt-get update failed (above): is there a network?"
fi

each_need choose_packages
# shellcheck disable=SC2068  # lists of names
if ! "${as_root[@]}" apt-get install -q -y --no-install-recommends ${wanted[@]} >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    give_up "apt-get install failed (above) for: ${wanted[*]}"
fi

broken=()
note_broken()
{
    [ -z "${row[$2]:-}" ] || works "$4" && return
    row[$2]="MISSING|${row[$2]#*|}"
    if not_for_labs "$1"; then optional+=("$2"); else broken+=("$2"); fi
}
each_need note_broken
each_need print_row
if [ ${#given_up[@]} -gt 0 ]; then
    echo "apt does not offer ${given_up[*]}."
fi
say_optional
if [ ${#broken[@]} -gt 0 ]; then
    give_up "Installed, but not working: ${broken[*]}. 'make doctor' says more."
fi
