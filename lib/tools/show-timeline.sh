#!/usr/bin/env bash
# Shows the drawn timeline of a lab's last run: show-timeline.sh LAB BUILD. Opens it where there is a desktop, and says
# where it is in any case.
set -u
cd "$(dirname "$0")/../.." || exit 1

lab=$1
drawing=$2/$lab/timeline.svg
if [ ! -f "$drawing" ]; then
    echo "There is no timeline of $lab yet: make $lab draws it when your program has run." >&2
    exit 1
fi
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null; then
    xdg-open "$drawing" >/dev/null 2>&1 || true
fi
echo "$drawing"
echo "$2/$lab/trace.json opens in ui.perfetto.dev and chrome://tracing"
