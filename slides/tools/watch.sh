#!/usr/bin/env bash
# Builds the slides whenever one of their files changes: watch.sh GOALS... MAKE is the make to run, in the shell's words.
# It looks at the files twice a second, which works on any file system. Ctrl-C ends it.
set -u
cd "$(dirname "$0")/../.." || exit 1
trap 'echo; exit 0' INT TERM HUP

# What the last build read is listed next to each page.
changed()
{
    { find slides -type f -printf '%T@ %p\n' && sed -n 's/^[^ ]*: //p' "${BUILD:-build}"/slides/*.d | tr ' ' '\n' |
        grep -v '^slides/' | sort -u | xargs -r stat -c '%Y %n'; } 2>/dev/null | cksum
}

while true; do
    seen=$(changed)
    [ ! -t 1 ] || clear
    eval "${MAKE:-make} --no-print-directory --keep-going $*" </dev/null
    echo "Watching the slides ($(date +%H:%M:%S)): save a file to build again, Ctrl-C to stop."
    while [ "$(changed)" = "$seen" ]; do sleep 0.5; done
done
