#!/usr/bin/env bash
# Runs a lab's checks whenever its files change: watch-lab.sh LAB FOLDER; MAKE is the make to run, in the shell's words. It looks at the files'
# contents twice a second, which works on any file system. Ctrl-C ends it, and what it runs.
set -u
cd "$(dirname "$0")/../.." || exit 1

lab=$1
folder=$2
trap 'echo; exit 0' INT TERM

contents() { cat "$folder/$lab.c" "$folder"/*.cu "$folder"/*.h 2>/dev/null | cksum; }

while true; do
    seen=$(contents)
    [ ! -t 1 ] || clear
    eval "${MAKE:-make} --no-print-directory $lab" || true
    echo "Watching $folder/$lab.c; save it to run again, Ctrl-C to stop. ($(date +%H:%M:%S))"
    while [ "$(contents)" = "$seen" ]; do sleep 0.5; done
done
