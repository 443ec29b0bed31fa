#!/usr/bin/env bash
# Starts a lab over: reset-lab.sh LAB FOLDER YES puts the starter in the place of the student's file, which is kept.
# Asks first, unless YES says so.
set -eu
cd "$(dirname "$0")/../.."

lab=$1
file=$2/$lab.c
starter=solutions/${2#labs/}/starter.c
yes=$3

[ -e "$starter" ] || {
    echo "The starter $starter is missing: this workbook is not whole." >&2
    exit 2
}
if cmp -s "$starter" "$file"; then
    echo "$file is the starter already."
    exit 0
fi
[ -w "$2" ] || {
    echo "$file stays as it is: the folder $2 cannot be written." >&2
    exit 2
}
[ ! -d "$file" ] || {
    echo "$file is a folder: move it away, then run make $lab-reset again." >&2
    exit 2
}
number=1
while [ -e "$file.backup-$number" ]; do number=$((number + 1)); done
backup=$file.backup-$number

if [ -z "$yes" ] && [ -e "$file" ]; then
    [ -t 0 ] || {
        echo "$file stays as it is: nobody is there to ask. make $lab-reset YES=1 does not ask." >&2
        exit 2
    }
    read -r -p "Start $lab over? Your $file is kept as ${backup##*/}. [y/N] " answer || echo
    case $answer in
        [yY] | [yY][eE][sS]) ;;
        *)
            echo "$file stays as it is."
            exit 0
            ;;
    esac
fi

kept=
if [ -e "$file" ]; then
    cp -p "$file" "$backup" || {
        rm -f "$backup"
        echo "$file stays as it is: it could not be kept as $backup." >&2
        exit 2
    }
    kept=" Yours is kept as $backup."
fi
if ! { cp "$starter" "$file.new" && mv "$file.new" "$file"; }; then
    rm -f "$file.new"
    echo "$file stays as it is: the starter could not be put there.$kept" >&2
    exit 2
fi
echo "$file is the starter again.$kept"
