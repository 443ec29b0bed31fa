#!/usr/bin/env bash
# Installs what the workbook needs and this machine lacks: setup.sh [labs|grading|slides|workbook|everything], labs if nothing is
# said. Says first what each costs. Root, or somebody who may use sudo, gets packages of the system. Everybody else gets
# them unpacked below PREFIX (unpack.sh), also root if PREFIX is set. If nothing is missing it needs no network.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=lib/tools/needs.sh
. lib/tools/needs.sh
# shellcheck source=lib/tools/unpack.sh
. lib/tools/unpack.sh

folder=${PREFIX:-${HOME:-}/.local}/share/gpu-workbook
PATH=$folder/bin:$PATH

give_up()
{
    printf '%s\n' "$@" >&2
    exit 1
}

declare -A use=([labs]='to run the labs' [grading]='to grade submissions too, and the demo'
    [slides]='to build the slides too' [workbook]='to work on the workbook itself'
    [everything]='to run its rare tests too: all of it')
audience=${1:-labs}
[ -n "${ROOMS[$audience]:-}" ] || give_up "FOR=$audience: there are labs, grading, slides, workbook and everything."

missing=()        # names of what the audience needs and lacks
elsewhere=()      # names of missing things that this audience does not need
declare -A lacks=()   # by room: the packages of what is missing
declare -A row=() # by name: the state and packages that the page shows
wanted=()         # packages to install
given_up=()       # packages of optional things that apt does not offer
unusable=()       # names of optional things that do not work, and that apt cannot help with

is_wanted() { [[ " ${ROOMS[$audience]} " == *" $1 "* ]]; }
# Labs and grading cannot do without what is theirs, nor lab 13 without its own.
is_optional() { [[ $1 == tests || $1 == slides || $1 == rare ]]; }

note_missing()
{
    local packages
    works "$4" && return
    if ! is_wanted "$1"; then
        elsewhere+=("$2")
        packages=$(offered "$3") && lacks[$1]+=" $packages"
        return
    fi
    packages=$(offered "$3")
    if is_optional "$1" && { installed "$packages" || { [ "$packages" = "${3%%|*}" ] && is_not_offered "$3"; }; }; then
        unusable+=("$2")
        return
    fi
    lacks[$1]+=" $packages"
    missing+=("$2")
    row[$2]="MISSING|${3%%|*}"
}

# apt has lists, and no package of these is in them.
is_not_offered() { knows_packages && ! offered "$1" >/dev/null; }

say_optional()
{
    [ ${#unusable[@]} -eq 0 ] || echo "Not working here, and not needed to run or grade labs: ${unusable[*]}."
}

print_row()
{
    local state packages
    is_wanted "$1" || return
    IFS='|' read -r state packages <<<"${row[$2]:-present|${3%%|*}}"
    printf '  %-10s %-17s %s\n' "$state" "$packages" "$5"
}

# size PACKAGES: prints "N packages, N MB to fetch", with what the packages depend on.
size()
{
    # shellcheck disable=SC2086  # a list of names
    LC_ALL=C apt-get --print-uris -qq -y --no-install-recommends install $1 2>/dev/null |
        awk '/^.(http|https|file|cdrom|copy|mirror[^:]*):/ { count++; bytes += $3 }
            END { printf "%d packages, %.0f MB to fetch", count, bytes / 1e6 }'
}

print_sizes()
{
    local name room packages text
    for name in $AUDIENCES; do
        packages=
        for room in ${ROOMS[$name]}; do packages+=${lacks[$room]:-}; done
        text='nothing is missing'
        [ -z "$packages" ] || text=$(size "$packages")
        printf '  %-25s %-46s %s\n' "make setup FOR=$name" "${use[$name]}" "$text"
    done
}

# Chooses the packages of a missing thing.
choose_packages()
{
    local packages
    [ -n "${row[$2]:-}" ] || return 0
    if packages=$(offered "$3"); then
        wanted+=("$packages")
        row[$2]="installed|$packages"
    elif is_optional "$1"; then
        given_up+=("$packages")
    elif grep -qE '^(Err:|E:|W: Failed)' "$log"; then
        give_up "apt does not know the package $packages, and could not ask its servers: is there a network?"
    else
        give_up "apt does not offer the package $packages. On Ubuntu it is in 'universe': add-apt-repository universe"
    fi
}

# Where apt is missing: what to install with the tools of this system. The names are Fedora's and Arch's.
say_other_systems()
{
    local like
    like=" $(sed -n 's/^ID\(_LIKE\)*=//p' "${OS_RELEASE:-/etc/os-release}" 2>/dev/null | tr -d '"' | tr '\n' ' ')"
    each_need print_row
    echo
    case $(uname -s)$like in
    Darwin*)
        echo "macOS lacks what the CPU device stands on. Use the container of .devcontainer/, as with VS Code."
        ;;
    *' fedora '* | *' rhel '*)
        echo 'sudo dnf install gcc glibc-devel clang jansson-devel libmd-devel libseccomp-devel libpng-devel patch binutils'
        echo 'To grade: sudo dnf install sqlite-devel libarchive-devel python3-jinja2 bubblewrap'
        echo 'For the tests Criterion, which Fedora itself does not have. A COPR has it:'
        echo 'sudo dnf copr enable naccyde/criterion && sudo dnf install criterion-devel'
        ;;
    *' arch '*)
        echo 'sudo pacman -S --needed gcc clang jansson libmd libseccomp libpng patch binutils python'
        echo 'To grade: sudo pacman -S --needed sqlite libarchive python-jinja bubblewrap'
        echo 'For the tests: sudo pacman -S --needed criterion'
        ;;
    *) echo "Install what is missing above with the tools of this system." ;;
    esac
    give_up "" "This system has no apt-get, so set-up installs nothing. Without root, use conda, spack, modules or a folder" \
        "of your own: CPATH, LIBRARY_PATH, LD_LIBRARY_PATH and PKG_CONFIG_PATH are followed. Then run 'make setup' again," \
        "to see that it works. .devcontainer/ has a container for any system."
}

# Whether this user may become root: it takes a password only where there is somebody to ask.
may_sudo()
{
    command -v sudo >/dev/null || return 1
    sudo -n true 2>/dev/null && return
    [ -t 0 ] && [[ " $(id -nG) " =~ \ (sudo|wheel|admin)\  ]]
}

each_need note_missing
if [ ${#missing[@]} -eq 0 ]; then
    echo "Set-up: everything is there that is needed ${use[$audience]}."
    [ ${#elsewhere[@]} -eq 0 ] || echo "Only for grading, slides or work on the workbook: ${elsewhere[*]} (make setup FOR=everything)."
    say_optional
    exit 0
fi
command -v apt-get >/dev/null || say_other_systems

log=$(mktemp)
trap 'rm -f "$log"' EXIT
as_root=(env DEBIAN_FRONTEND=noninteractive)
if [ -z "${PREFIX:-}" ] && { [ "$(id -u)" -eq 0 ] || may_sudo; }; then
    [ "$(id -u)" -eq 0 ] || as_root=(sudo "${as_root[@]}")
    folder=
else
    private_apt "$folder" 2>/dev/null ||
        give_up "$folder cannot be written: name another folder, as in make setup PREFIX=/tmp/$(id -un)"
fi

# give_up_on_apt TEXT: shows what apt said. Without a network its last words are only what followed from that.
give_up_on_apt()
{
    if grep -E -m 1 '^[EW]: Failed to fetch' "$log" >&2; then
        give_up "apt could not fetch this: is there a network? Run 'make setup' again when there is."
    fi
    tail -n 5 "$log" >&2
    give_up "$1"
}

if [ -z "$folder" ] || ! knows_packages; then
    echo "Set-up: asking apt what it has; this can take a minute."
    if ! "${as_root[@]}" apt-get update -q >"$log" 2>&1; then
        give_up_on_apt "apt-get update failed (above)."
    fi
fi
each_need choose_packages
print_sizes
if [ -z "$folder" ]; then
    echo "Set-up: installing packages of the system for $audience."
    # shellcheck disable=SC2068  # lists of names
    if ! "${as_root[@]}" apt-get install -q -y --no-install-recommends ${wanted[@]} >"$log" 2>&1; then
        give_up_on_apt "apt-get install failed (above) for: ${wanted[*]}"
    fi
else
    echo "Set-up: no root here, so packages for $audience are unpacked in $folder; nothing else of this machine changes."
    # shellcheck disable=SC2068  # lists of names
    if ! download "$folder" ${wanted[@]} >"$log" 2>&1 || ! unpack "$folder" >>"$log" 2>&1; then
        give_up_on_apt "Packages could not be fetched and unpacked (above): ${wanted[*]}"
    fi
    hash -r
fi

broken=()
note_broken()
{
    [ -z "${row[$2]:-}" ] || works "$4" && return
    row[$2]="MISSING|${row[$2]#*|}"
    if is_optional "$1"; then unusable+=("$2"); else broken+=("$2"); fi
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
if [ -n "$folder" ]; then
    echo "make finds all of it in $folder${PREFIX:+, with PREFIX=$PREFIX each time}; removing that folder undoes this."
fi
