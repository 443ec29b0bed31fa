#!/usr/bin/env bash
# Gradescope runs this once, when it makes the machine image: installs what the workbook needs and builds what grading
# needs. AUTOGRADER_ROOT stands for /autograder, where Gradescope has put this zip's content into source/.
set -eu

export DEBIAN_FRONTEND=noninteractive
source=${AUTOGRADER_ROOT:-/autograder}/source
read -r lab <"$source/lab"

apt-get update
apt-get install -y make
make -C "$source/workbook" setup
make -C "$source/workbook" grade-ready LAB="$lab"
