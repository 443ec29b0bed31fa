#!/usr/bin/env bash
# Prints a page with Chromium: pdf.sh PAGE.html FILE.pdf.
set -u
# shellcheck source=lib/tools/needs.sh
. lib/tools/needs.sh

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
for browser in chromium chromium-browser google-chrome; do
    runs "$browser" >/dev/null 2>&1 || continue
    "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$folder/profile" \
        --no-pdf-header-footer --print-to-pdf="$folder/out.pdf" "file://$(realpath "$1")" >"$folder/log" 2>&1 &&
        [ -s "$folder/out.pdf" ] && mv "$folder/out.pdf" "$2" && exit 0
    tail -n 5 "$folder/log" >&2
done
echo "$1 cannot be printed" >&2
exit 1
