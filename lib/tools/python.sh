#!/usr/bin/env bash
# Runs a Python program of the workbook with the first Python that has Jinja2: python.sh FILE ARGUMENTS...
# (A Python that somebody installed next to the system's often comes first in PATH and has no Jinja2.)
set -u

for python in ${PYTHON:-python3 /usr/bin/python3}; do
    if "$python" -c 'import jinja2' 2>/dev/null; then
        exec "$python" "$@"
    fi
done
echo "This needs Python 3 with Jinja2, and no Python here has it: run 'make setup FOR=grading'." >&2
exit 1
