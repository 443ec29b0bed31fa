#!/usr/bin/env python3
"""Checks that the files which comments name exist: named-files.py FILE...

A name such as submission.c counts if a file of that name is in the tree, whatever its folder. Headers of the system and
of CUDA count too. Prints each other name with its file and line, and fails if there is one."""
import re
import subprocess
import sys
from pathlib import Path

SYSTEM = set("""assert complex cooperative_groups ctype cuda cuda_bf16 cuda_fp16 cuda_fp8 cuda_pipeline cuda_runtime
device_launch_parameters fenv float limits math math_constants memcpy_async pthread reduce scan sched semaphore stdbool
stddef stdint stdio stdlib string strings threads time unistd vector_types""".split())
# What examples in comments call a file.
EXAMPLES = {"a.h", "b.c", "double.c", "double.h", "lab.c", "lab03-1.c", "lab14.c", "lab99.c",
            "lovelacead_4711_90210_lab03.c"}
NAME = re.compile(r"(?<![\w./<-])([a-z][a-z0-9_-]*\.(?:c|h|cuh|py|sh|awk|mk))\b(?!\w)")
COMMENTS = {
    "c": re.compile(r"/\*.*?\*/|//[^\n]*", re.S),
    "script": re.compile(r'(?m)^\s*#[^\n]*|"""(?:.|\n)*?"""'),
}


def comments(path, text):
    kind = "c" if path.suffix in (".c", ".h", ".cuh") else "script"
    for found in COMMENTS[kind].finditer(text):
        yield found.start(), found.group()


def main(files):
    tree = subprocess.run(["lib/tools/files.sh", "*"], capture_output=True, text=True, check=True).stdout.split("\n")
    known = {Path(name).name for name in tree} | EXAMPLES | {f"{name}.h" for name in SYSTEM}
    faults = []
    for path in map(Path, files):
        text = path.read_text("utf-8")
        for start, comment in comments(path, text):
            for found in NAME.finditer(comment):
                if found.group(1) not in known:
                    line = text.count("\n", 0, start + found.start()) + 1
                    faults.append(f"{path}:{line}: there is no {found.group(1)}")
    if faults:
        print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
