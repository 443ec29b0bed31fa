#!/usr/bin/env bash
# Shows the timeline of a lab's last run, or of one check: show-timeline.sh LAB BUILD CHECK COMMAND... . COMMAND draws it
# as text; where there is a desktop, the drawing opens there too. Says where the files are in any case.
set -u
cd "$(dirname "$0")/../.." || exit 1

lab=$1
folder=$2/$lab
record=$folder/trace${3:+-$3}.json
drawing=$folder/timeline.svg
shift 3
if ! compgen -G "$folder/trace*.json" >/dev/null; then
    echo "No run of $lab has used the device so far:" >&2
    echo "there is no timeline. make $lab draws one as soon as yours does." >&2
    exit 1
fi
"$@" || {
    echo "Run make $lab to record it again." >&2
    exit 1
}
[ -f "$record" ] || exit 0
echo
file=${FILE:-$(echo labs/"$lab"-*/"$lab.c")}
if [ "$file" -nt "$record" ]; then
    echo "This is your run of $(date -r "$record" +%H:%M), before your last change: make $lab records it again."
fi
if [ "$record" = "$folder/trace.json" ] && [ -f "$drawing" ]; then
    lib/tools/open-page.sh "$drawing"
    echo "$drawing"
fi
echo "$record opens in ui.perfetto.dev and chrome://tracing"
