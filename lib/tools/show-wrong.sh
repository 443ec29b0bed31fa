#!/usr/bin/env bash
# Shows the wrong answers of a lab: show-wrong.sh LAB FOLDER [NAME] lists the patches in FOLDER with their headings, or
# prints that of NAME and says where it is applied.
set -eu
shopt -s nullglob
cd "$(dirname "$0")/../.."

lab=$1 folder=$2 name=${3:-}
if [ -z "$name" ]; then
    for patch in "$folder"/*.patch; do
        basename "$patch" .patch
        sed '/^--- /,$d' "$patch" | fold -s -w 76 | sed 's/^./    &/; s/ *$//'
    done
    echo "One of them in full: make $lab-wrong NAME=name"
elif [ -f "$folder/$name.patch" ]; then
    sed '/^--- /,$d' "$folder/$name.patch" | fold -s -w 80 | sed 's/ *$//'
    sed -n '/^--- /,$p' "$folder/$name.patch"
else
    echo "$lab has no wrong answer $name: make $lab-wrong lists them." >&2
    exit 2
fi
