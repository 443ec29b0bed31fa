#!/usr/bin/env python3
"""Checks that includes and calls between folders go the way that rooms.txt allows, and no other.

Usage: rooms.py [OBJECTS]

Includes are read from the sources. With OBJECTS, the folder of object files that the build made (build/obj), the calls
are read as well: which object uses a function or variable that another object defines. A function that is declared in
one room and defined in another is found only so. No two files may call each other, whatever their rooms, and no room
may have more than 25 files.
"""
import collections
import graphlib
import os
import re
import subprocess
import sys

RULES = "lib/tools/rooms.txt"
INCLUDE_FOLDERS = ("lib/include", "lib/src", "grader/src", "grader/harness",
                   "grader/harness/worker")
PUBLIC = "lib/include/"
MOST_FILES = 25
# Rooms that define once more what another room does: lab.h, a device, the system. No other room calls these.
APART = ("lib/src/remote", "lib/src/playground", "lib/src/playground/web", "grader/harness/worker")


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


def read_calls(files, objects, allowed):
    """Which file uses which symbols of which other file: {source: {other: [name, ...]}}."""
    defined, uses, calls = {}, {}, {}
    for source in files:
        path = f"{objects}/{source[:-2]}.o"
        if source.endswith(".c") and os.path.exists(path):
            defined[source], uses[source] = symbols(path)

    def owners(within):
        return {name: source for source, names in defined.items() if within(files[source]) for name in names}

    usual = owners(lambda room: room not in APART)
    for source, used in uses.items():
        room = files[source]
        owner = owners(lambda other: other == room or other in allowed[room]) if room in APART else usual
        calls[source] = {}
        for name in sorted(used):
            if owner.get(name, source) != source:
                calls[source].setdefault(owner[name], []).append(name)
    return calls


def bad_calls(files, allowed, calls):
    """Calls against the rules. The grader may use the whole public interface, whichever room implements it."""
    public = set()
    for name in filter(lambda name: name.endswith(".h"), os.listdir(PUBLIC)):
        public.update(re.findall(r"\blab_\w+", open(PUBLIC + name, encoding="utf-8").read()))
    for source, others in sorted(calls.items()):
        room = files[source]
        for other, names in sorted(others.items()):
            target = files[other]
            if target == room or target in allowed[room]:
                continue
            for name in names:
                if not (room.startswith("grader/") and name in public):
                    yield f"{source} uses {name} of {other}: {room} may not use {target}"


def circles(calls):
    """A circle of files that call each other, if there is one."""
    try:
        graphlib.TopologicalSorter(calls).prepare()
    except graphlib.CycleError as circle:
        yield "files call each other in a circle: " + " -> ".join(reversed(circle.args[1]))


def large_rooms(files):
    for room, count in sorted(collections.Counter(files.values()).items()):
        if count > MOST_FILES:
            yield f"{room} has {count} files: at most {MOST_FILES} are one purpose"


def main():
    allowed = read_rules()
    files = sources(allowed)
    faults = [f"{path}: is in no room; {RULES} lists them" for path, room in sorted(files.items()) if room is None]
    files = {path: room for path, room in files.items() if room}
    faults += large_rooms(files)
    faults += bad_includes(files, allowed)
    if len(sys.argv) > 1:
        calls = read_calls(files, sys.argv[1], allowed)
        faults += bad_calls(files, allowed, calls)
        faults += circles(calls)
    if faults:
        print("\n".join(faults))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
