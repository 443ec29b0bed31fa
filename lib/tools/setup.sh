#!/usr/bin/env bash
# Installs what the workbook needs and this machine lacks, with apt-get, and says what and why. Where all is there it
# says so in one line and needs neither network nor root.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=lib/tools/needs.sh
. lib/tools/needs.sh

missing=()          # the names of what is missing
missing_packages=() # that it is in, as the table has them

note_missing()
{
    works "$4" && return
    missing+=("$2")
    missing_packages+=("$3")
}

print_row()
{
    local state=present name
    for name in "${missing[@]}"; do
        [ "$name" = "$2" ] && state=$ROW_STATE
    done
    printf '  %-10s %-17s %s\n' "$state" "${3%%|*}" "$5"
}

give_up()
{
    printf '%s\n' "$@" >&2
    exit 1
}

each_need note_missing
if [ ${#missing[@]} -eq 0 ]; then
    echo "Set-up: everything the workbook needs is there."
    exit 0
fi

if ! command -v apt-get >/dev/null; then
    ROW_STATE=MISSING
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

if ! wanted=$(offered "${missing_packages[*]}"); then
    if grep -qE '^(Err:|E:|W: Failed)' "$log"; then
        give_up "apt does not know the package $wanted, and could not ask its servers: is there a network?"
    fi
    give_up "apt does not offer the package $wanted. On Ubuntu it is in 'universe': add-apt-repository universe"
fi
# shellcheck disable=SC2086  # a list of names
if ! "${as_root[@]}" apt-get install -q -y --no-install-recommends $wanted >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    give_up "apt-get install failed (above) for: $wanted"
fi

ROW_STATE=installed
each_need print_row

broken=()
note_broken() { works "$4" || broken+=("$2"); }
each_need note_broken
if [ ${#broken[@]} -gt 0 ]; then
    give_up "Installed, but not working: ${broken[*]}. 'make doctor' says more."
fi
