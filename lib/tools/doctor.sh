#!/usr/bin/env bash
# Prints which tools and devices of the workbook this machine has, what that means and what to do. Changes nothing. The
# exit status is 0 if labs can run here.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=lib/tools/needs.sh
. lib/tools/needs.sh

SETTINGS=${SETTINGS:-/proc/sys}
labs_can_run=yes
missing=()

# row STATE NAME VERSION TEXT: prints one line of the page; a long text continues below itself.
row()
{
    local first
    printf -v first '  %-8s %-13s %-10s ' "$1" "$2" "$3"
    fold -s -w 44 <<<"$4" | while IFS= read -r line; do
        printf '%s%s\n' "$first" "${line% }"
        printf -v first '%36s' ''
    done
}

# version NAME PACKAGES: prints the version of the program, Python module or package, in at most three numbers, or
# nothing.
version()
{
    local module=${1,,} python text
    if command -v "$1" >/dev/null; then
        text=$("$1" --version 2>/dev/null)
    elif python=$(python_with "$module"); then
        text=$("$python" -c "import importlib.metadata as m; print(m.version('$module'))" 2>/dev/null)
    else
        # shellcheck disable=SC2016  # dpkg's own variable
        text=$(dpkg-query -W -f '${Version}' "${2%%[ |]*}" 2>/dev/null)
    fi
    grep -oE '[0-9]+(\.[0-9]+){1,2}' <<<"$text" | head -n 1
}

print_need()
{
    [ "$1" = "$section" ] || return
    if works "$4"; then
        row ok "$2" "$(version "$2" "$3")" "$5"
        return
    fi
    row MISSING "$2" "" "$5: install ${3//|/ or }"
    missing+=("$2")
    if [ "$1" = labs ]; then labs_can_run=no; fi
}

print_cpu()
{
    local cores name memory
    cores=$(nproc)
    name=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
    memory=$(awk '/^MemTotal/ { printf "%.1f GiB", $2 / 1048576 }' /proc/meminfo)
    row ok "CPU device" "" "built in: $cores cores of ${name:-this machine} are its multiprocessors; $memory of memory"
}

# build/bin/labdevice runs a kernel as the proof. If it could not be built, nvidia-smi must do.
print_gpu()
{
    local state name version text gpus
    if [ -x "${BUILD:-build}/bin/labdevice" ]; then
        timeout 120 "${BUILD:-build}/bin/labdevice" 2>&1 | while IFS='|' read -r state name version text; do
            row "$state" "$name" "$version" "$text"
        done
        return
    fi
    gpus=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | sort | uniq -c | sed 's/^ *//' | paste -sd,)
    if [ -n "$gpus" ]; then
        row found "NVIDIA GPU" "" "$gpus; 'make doctor' tries it when nothing above is missing"
    else
        row absent "NVIDIA GPU" "" "labs run on the CPU device; nothing to do"
    fi
}

# is_writable FOLDER: it can be made, or written.
is_writable()
{
    local parent=$1 probe
    while [ ! -e "$parent" ]; do parent=$(dirname "$parent"); done
    probe=$(mktemp -d "$parent/.probe-XXXXXX" 2>/dev/null) && rmdir "$probe"
}

# The first that is writable, as in lib/src/base/system/cache_folder.c.
print_cache()
{
    local cache size
    local places=("${XDG_CACHE_HOME:+$XDG_CACHE_HOME/lab}" "${HOME:+$HOME/.cache/lab}" "${TMPDIR:-/tmp}/lab-$(id -u)")
    [ -z "${LAB_CACHE_DIR:-}" ] || places=("$LAB_CACHE_DIR")
    for cache in "${places[@]}"; do
        if [ -n "$cache" ] && is_writable "$cache"; then
            size=$(du -sh "$cache" 2>/dev/null | cut -f1)
            row ok "cache folder" "" "keeps compiled kernels in $cache, ${size:-empty so far}; build/bin/labcache \
clear empties it"
            return
        fi
    done
    row absent "cache folder" "" "$cache cannot be written, so each run compiles its kernels: set LAB_CACHE_DIR to \
another folder"
}

# is_set NAME VALUE: the kernel's setting has this value.
is_set() { [ "$(cat "$SETTINGS/${1/.//}" 2>/dev/null)" = "$2" ]; }

print_sandbox()
{
    local said setting
    local refused="bubblewrap may not make user namespaces, so no submission is graded"
    if ! command -v bwrap >/dev/null; then
        row absent sandbox "" "no submission is graded without bubblewrap"
        return
    fi
    if said=$(bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev true 2>&1); then
        row found sandbox "$(version bwrap bubblewrap)" "submissions are graded in it"
        return
    fi
    for setting in user.max_user_namespaces=10000 kernel.unprivileged_userns_clone=1; do
        is_set "${setting%=*}" 0 || continue
        row absent sandbox "" "$refused: ${setting%=*} is 0 here. This allows it: sudo sysctl $setting"
        return
    done
    if is_set kernel.apparmor_restrict_unprivileged_userns 1; then
        row absent sandbox "" "$refused: Ubuntu's AppArmor forbids it. This profile allows it: sudo apt-get install \
apparmor-profiles; sudo cp /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/; sudo systemctl \
reload apparmor"
    else
        row absent sandbox "" "no submission is graded, because bubblewrap does not work: $said. In a container that is \
thrown away, labgrade --container-sandbox does without it: grader/docs/sandbox.md"
    fi
}

echo "What this machine has for the workbook"
echo
echo "Needed to run the labs"
section=labs
each_need print_need
print_cache
echo
echo "Needed only for lab 13, the capstone"
section=lab13
each_need print_need
echo
echo "Devices that labs can run on"
print_cpu
print_gpu
echo
all_of_it=", and make setup FOR=workbook all of it"
begin="'make lab00', or see everything at work with 'make setup demo'"
if [ -f labs/handout.txt ]; then
    # What students get has labs alone.
    all_of_it=
    begin="'make $(awk '/^lab/ { print $1; exit }' labs/handout.txt)'"
else
    echo "Needed only to make pages: of reports, slides and lab 13"
    section=pages
    each_need print_need
    echo
    echo "Needed only to grade submissions (make grade, make demo)"
    section=grade
    each_need print_need
    print_sandbox
    echo
    echo "Needed only to build the slides (make slides)"
    section=slides
    each_need print_need
    echo
    echo "Needed only to work on the workbook itself (make test)"
    section=tests
    each_need print_need
    echo
fi

if [ ${#missing[@]} -gt 0 ]; then
    echo "${#missing[@]} missing: 'make setup' installs what labs need$all_of_it."
fi
if [ "$labs_can_run" = no ]; then
    echo "Labs cannot run here yet."
    exit 1
fi
echo "Labs can run here. Begin with $begin."
