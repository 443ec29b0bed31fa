#!/usr/bin/env bash
# Gradescope runs this once, when it makes the machine image: installs what the workbook needs, builds what grading
# needs and tries the sandbox. Without a sandbox nothing could be graded, so that set-up fails. AUTOGRADER_ROOT stands
# for /autograder, where Gradescope has put this zip's content into source/.
set -eu

export DEBIAN_FRONTEND=noninteractive
source=${AUTOGRADER_ROOT:-/autograder}/source
read -r lab <"$source/lab"

apt-get update
apt-get install -y make
mapfile -d '' words < <(xargs -r printf '%s\0' <"$source/make")
make -C "$source/workbook" setup FOR=grading
make -C "$source/workbook" grade-ready LAB="$lab" "${words[@]}"
if ! make -C "$source/workbook" grade-sandbox LAB="$lab" THROWN_AWAY=1 "${words[@]}"; then
    echo "setup.sh: the sandbox does not work in this image (above): grading would fail for every submission." >&2
    exit 1
fi
