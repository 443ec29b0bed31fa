#!/usr/bin/env bash
# Opens a page or a drawing in a browser: open-page.sh FILE. Takes $BROWSER, which may be several commands with colons
# between them, or what the desktop opens files with. Fails, and opens nothing, where there is neither.
set -u
file=$(realpath "$1") || exit 2

# The command would keep a terminal until its window is closed.
start() {
    "$@" </dev/null >/dev/null 2>&1 &
    exit 0
}

IFS=: read -ra browsers <<<"${BROWSER:-}"
for browser in "${browsers[@]}"; do
    read -ra words <<<"$browser"
    command -v "${words[0]:-}" >/dev/null || continue
    [[ $browser == *%s* ]] && start "${words[@]//%s/$file}"
    start "${words[@]}" "$file"
done
command -v wslview >/dev/null && start wslview "$file"
[ "$(uname)" = Darwin ] && start open "$file"
[ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null && start xdg-open "$file"
exit 1
