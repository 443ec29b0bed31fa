#!/usr/bin/env bash
# Says which of these needs of the table is missing here, and which set-up brings it: needed.sh NAME... Fails if one is.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=lib/tools/needs.sh
. lib/tools/needs.sh

asked=$*
missing=() # names
lacks=()   # their rooms of the table

note_missing()
{
    [[ " $asked " == *" $2 "* ]] && ! works "$4" || return 0
    missing+=("$2")
    lacks+=("$1")
}

# brings AUDIENCE: set-up for it brings all that is missing.
brings()
{
    local room
    for room in "${lacks[@]}"; do
        [[ " ${ROOMS[$1]} " == *" $room "* ]] || return 1
    done
}

each_need note_missing
[ ${#missing[@]} -eq 0 ] && exit
for audience in $AUDIENCES; do
    brings "$audience" && break
done
printf -v names ', %s' "${missing[@]}"
echo "Missing here: ${names:2}. Run 'make setup FOR=$audience'"
exit 1
