#!/usr/bin/env python3
"""Checks that includes and calls between folders go the way that rooms.txt allows, and no other.

Usage: rooms.py [OBJECTS]

Includes are read from the sources. With OBJECTS, the folder of object files that the build made (build/obj), the calls
are read as well: which object uses a function or variable that an object of another room defines. A function that is
declared in one room and defined in another is found only so.
"""
import collections
import os
import re
import subprocess
import sys

RULES = "lib/tools/rooms.txt"
INCLUDE_FOLDERS = ("lib/include", "lib/src", "grader/src", "grader/harness")
PUBLIC = "lib/include/"


def read_rules():
    """The rooms, each with all rooms that it may use."""
    direct = {}
    for line in open(RULES, encoding="utf-8"):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        room, rest = line.split(":", 1)
        direct[room] = rest.rsplit("|", 1)[1].split()

    def reach(room, seen):
        for other in direct[room]:
            if other not in direct:
                sys.exit(f"{RULES}: {room} names {other}, which is no room")
            if other not in seen:
                seen.add(other)
                reach(other, seen)
        return seen

    allowed = {room: reach(room, set()) for room in direct}
    for room, others in allowed.items():
        if room in others:
            sys.exit(f"{RULES}: {room} may use itself by way of other rooms: that is a circle")
    return allowed


def sources(rooms):
    """Every C file below the folders of the rooms, with its room; a file in a folder that is no room is a fault."""
    found = {}
    for top in sorted({"/".join(room.split("/")[:2]) for room in rooms}):
        for folder, _, names in os.walk(top):
            for name in names:
                if name.endswith((".c", ".h", ".cuh")):
                    found[f"{folder}/{name}"] = folder if folder in rooms else None
    return found


def resolve(source, name, files):
    """The file that an include of `source` means; None for one that is not ours."""
    candidates = [os.path.dirname(source), *INCLUDE_FOLDERS]
    for folder in candidates:
        path = os.path.normpath(f"{folder}/{name}")
        if path in files or path.startswith(PUBLIC) and os.path.exists(path):
            return path
    return None


def bad_includes(files, allowed):
    for source, room in sorted(files.items()):
        text = open(source, encoding="utf-8").read()
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
            other = resolve(source, name, files)
            target = files.get(other)
            if target and target != room and target not in allowed[room]:
                yield f"{source} includes {other}: {room} may not use {target}"


def symbols(path):
    """What an object defines for others, and what it uses of others."""
    lines = subprocess.run(["nm", "-g", path], capture_output=True, text=True, check=True).stdout.splitlines()
    defined, used = set(), set()
    for line in lines:
        kind, name = line.split()[-2:]
        (used if kind in "Uw" else defined).add(name)
    return defined, used


def bad_calls(files, allowed, objects):
    """Calls against the rules. The grader may use all of the library's public interface, whichever room implements it."""
    owner, uses = {}, collections.defaultdict(set)
    public = set()
    for name in os.listdir(PUBLIC):
        public.update(re.findall(r"\blab_\w+", open(PUBLIC + name, encoding="utf-8").read()))
    for source in files:
        path = f"{objects}/{source[:-2]}.o"
        if not source.endswith(".c") or not os.path.exists(path):
            continue
        defined, used = symbols(path)
        uses[source] = used
        for name in defined:
            owner[name] = source
    for source, used in sorted(uses.items()):
        room = files[source]
        for name in sorted(used):
            other = owner.get(name)
            target = files.get(other)
            if room.startswith("grader/") and name in public:
                continue
            if target and target != room and target not in allowed[room]:
                yield f"{source} uses {name} of {other}: {room} may not use {target}"


def main():
    allowed = read_rules()
    files = sources(allowed)
    faults = [f"{path}: is in no room; {RULES} lists them" for path, room in sorted(files.items()) if room is None]
    files = {path: room for path, room in files.items() if room}
    faults += bad_includes(files, allowed)
    if len(sys.argv) > 1:
        faults += bad_calls(files, allowed, sys.argv[1])
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
