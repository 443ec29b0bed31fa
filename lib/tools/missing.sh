#!/usr/bin/env bash
# Fails and says what to do if this machine lacks something without which the workbook cannot be built. Runs before the
# first file is compiled, whose compiler would only say that a header is missing. A program that labs use later, such
# as patch, may be missing.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=lib/tools/needs.sh
. lib/tools/needs.sh

missing=()
note_missing()
{
    [ "$1" = labs ] && [[ $4 =~ ^(c_|kernel_|has python3) ]] && ! works "$4" && missing+=("$2")
}
each_need note_missing
[ ${#missing[@]} -eq 0 ] && exit
printf -v names ', %s' "${missing[@]}"
echo "Missing here: ${names:2}." >&2
echo "'make setup' installs what is missing, also without root; 'make doctor' says more." >&2
exit 1
