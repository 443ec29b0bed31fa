#!/usr/bin/env bash
# Shows the timeline of a lab's last run: show-timeline.sh LAB BUILD. As text here, drawn where there is a desktop to
# open it; and says where the files are in any case.
set -u
cd "$(dirname "$0")/../.." || exit 1

lab=$1
folder=$2/$lab
drawing=$folder/timeline.svg
if [ ! -f "$drawing" ]; then
    echo "No run of $lab has used the device so far:" >&2
    echo "there is no timeline. make $lab draws one as soon as yours does." >&2
    exit 1
fi
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null; then
    xdg-open "$drawing" >/dev/null 2>&1 || true
fi
title=$(head -n 1 "$folder/timeline.txt" 2>/dev/null)
"$2/bin/labtrace" text "$folder/trace.json" --title "${title:-$lab}" || {
    echo "Run make $lab to record it again." >&2
    exit 1
}
echo
echo "$drawing"
echo "$folder/trace.json opens in ui.perfetto.dev and chrome://tracing"
