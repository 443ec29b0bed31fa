#!/usr/bin/env bash
# Draws pictures, runs a lab13.c over them and makes a page of what comes out: page.sh FILE BUILD SEED COMPILER...
set -eu
cd "$(dirname "$0")/../.."

file=$1 out=$2/lab13/page seed=$3
shift 3
rm -rf "$out"
mkdir -p "$out/in" "$out/out"
"${out%/*}/draw" "$out/in" "$seed"
"$@" -std=c11 -D_GNU_SOURCE -O1 -pthread -Ilib/include -Ilabs/lab13-pipeline -o "$out/folder" labs/lab13-pipeline/folder.c "$file" \
    "${out%/lab13/page}/liblab.a" -lpng ${LIBRARIES:+$LIBRARIES}
"$out/folder" labs/lab13-pipeline/kernels.cu "$out/in" "$out/out"
lib/tools/python.sh labs/lab13-pipeline/page.py "$out" "${out%/*}/page.html"
echo "Open ${out%/*}/page.html in a browser."
