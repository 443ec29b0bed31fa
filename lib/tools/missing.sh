#!/usr/bin/env bash
# Fails and says what to do if this machine lacks something without which nothing can be built for an audience of set-up:
# missing.sh [labs|grading|slides|workbook]. Runs before the first file is compiled, whose compiler would only say that a
# header is missing. A program that is used later, such as patch, may be missing.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=lib/tools/needs.sh
. lib/tools/needs.sh

audience=${1:-labs}
missing=()
note_missing()
{
    [[ " ${ROOMS[$audience]/lab13/} " == *" $1 "* && $4 =~ ^(c_|kernel_|has python3) ]] || return
    works "$4" || missing+=("$2")
}
each_need note_missing
[ ${#missing[@]} -eq 0 ] && exit
printf -v names ', %s' "${missing[@]}"
setup='make setup'
[ "$audience" = labs ] || setup+=" FOR=$audience"
echo "Missing here: ${names:2}." >&2
echo "'$setup' installs what is missing, also without root; 'make doctor' says more." >&2
exit 1
