#!/usr/bin/env bash
# Says why this handout has no solution of a lab, and from when it will: no-solution.sh LAB. Fails.
set -u
cd "$(dirname "$0")/../.." || exit 1

echo "The solution of $1 is not handed out: the checks need it as the reference, and have it compiled."
opens=$(awk -v lab="$1" '$1 == lab { print $2 }' labs/handout.txt)
if [[ $opens == [0-9]* ]]; then
    echo "It is handed out from $opens on. Then fetch the handout again, as with git pull."
else
    echo "Ask whoever gave you the labs. make $1-hint helps you on."
fi
exit 1
