#!/usr/bin/env bash
# Makes a program of one's own from lib/examples/program: new-program.sh FOLDER PREFIX PATH LIBRARIES. The folder must be
# new. PREFIX is where `make install` put the library; PATH comes before the user's, and ends with a colon.
set -eu
cd "$(dirname "$0")/../.."

folder=$1
[ -n "$folder" ] || {
    echo "Name the folder of the program: make new-program NAME=~/saxpy" >&2
    exit 2
}
[ ! -e "$folder" ] || {
    echo "$folder is there already: choose another name." >&2
    exit 2
}
[ -e "$2/lib/liblab.a" ] || {
    echo "The library is not in $2 yet: run make install first." >&2
    exit 2
}
mkdir -p "$(dirname "$folder")"
cp -R lib/examples/program "$folder"
sed -i "s|@PREFIX@|$2|; s|@PATH@|$3|; s|@LIBRARIES@|$4|" "$folder/Makefile"
echo "$folder is there: cd $folder && make run"
