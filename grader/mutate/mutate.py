#!/usr/bin/env python3
"""Proves a lab's checks with mutants: small changes of its solution, each of which the checks must reject.

    mutate.py [--root ROOT] [--build BUILD] [options] LAB...

What compiles to the same as the solution, or as an earlier mutant, is left out. The others are graded as a class is.
BUILD/mutants/LAB/mutants.json tells all; grader/docs/mutants.md tells how to read it.
"""
import argparse
import concurrent.futures
import difflib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import operators
from source import NoSource, Source

FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-Werror=incompatible-pointer-types", "-Werror=int-conversion",
         "-Werror=implicit-function-declaration", "-Wno-builtin-macro-redefined", "-D__LINE__=1", '-D__FILE__=""',
         "-O2", "-g0", "-S", "-x", "c", "-", "-o", "-"]
NEAR = 3  # lines between a change and the verdict's line


class Lab:
    """The places of a lab's files."""

    def __init__(self, root, build, name):
        self.name, self.root, self.build = name, root, build
        self.folder = next((root / "labs").glob(f"{name}-*"), None)
        if self.folder is None:
            raise NoSource(f"there is no lab {name}")
        self.solutions = root / "solutions" / self.folder.name
        self.includes = [root / "lib/include", self.folder]
        self.out = build / "mutants" / name

    def source(self):
        return Source(self.solutions / f"{self.name}.c", (self.solutions / "starter.c").read_text(), self.includes)

    def equivalent(self, names):
        """The mutants that are listed as equivalent, with the reasons, and what is wrong with the list."""
        path, listed, faults = self.folder / "equivalent.txt", {}, []
        lines = path.read_text().splitlines() if path.exists() else []
        longest = sorted(names, key=len, reverse=True)
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            name = next((name for name in longest if line.startswith(f"{name}: ")), None)
            if not name:
                faults.append(f"{path.name}:{number}: no mutant has this name: {line}")
            elif name in listed:
                faults.append(f"{path.name}:{number}: {name} is listed already")
            else:
                listed[name] = line[len(name) + 2:].strip()
        return listed, faults


def compiled(text, lab):
    """The object that a text compiles to, or None."""
    result = subprocess.run([os.environ.get("CC", "gcc").split()[-1], *(f"-I{each}" for each in lab.includes), *FLAGS],
                            input=text.encode(), capture_output=True)
    return hashlib.sha256(result.stdout).hexdigest() if result.returncode == 0 else None


def objects_of(texts, lab, jobs):
    """What each text compiles to. What was compiled before, with the same headers, is read from a file."""
    path = lab.out / "objects.json"
    headers = "".join(path.read_text() for folder in lab.includes for path in sorted(folder.glob("*.h")))
    keys = [hashlib.sha256((headers + " ".join(FLAGS) + text).encode()).hexdigest() for text in texts]
    known = json.loads(path.read_text()) if path.exists() else {}
    new = {key: text for key, text in zip(keys, texts) if key not in known}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        known.update(zip(new, pool.map(lambda text: compiled(text, lab), new.values())))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({key: known[key] for key in keys}))
    return [known[key] for key in keys]


def different(lab, source, jobs):
    """The mutants that compile, and to something else than the solution and the mutants before them."""
    every = list(operators.mutants(source))
    solution, *objects = objects_of([source.text, *(mutant.text(source) for mutant in every)], lab, jobs)
    seen, kept = {solution, None}, []
    for mutant, code in zip(every, objects):
        if code not in seen:
            seen.add(code)
            kept.append(mutant)
    return kept


def write_class(lab, source, chosen):
    """One folder a mutant: m001, m002, ... Returns the mutant of each."""
    folder = lab.out / "class"
    shutil.rmtree(folder, ignore_errors=True)
    students = {}
    for number, mutant in enumerate(chosen, 1):
        student = f"m{number:04}"
        (folder / student).mkdir(parents=True)
        (folder / student / f"{lab.name}.c").write_text(mutant.text(source))
        students[student] = mutant
    return students


def grade(lab, seed, options):
    """Grades the class once. Returns the result of each student."""
    out = lab.out / "grade"
    shutil.rmtree(out, ignore_errors=True)
    command = [lab.build / "bin/labgrade", "--root", lab.root, "--build", lab.build, "--lab", lab.name, "--submissions",
               lab.out / "class", "--out", out, "--seed", str(seed), "--seconds", str(options.seconds), *options.labgrade]
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if not (out / "results.json").exists():
        raise NoSource(f"labgrade ended with {result.returncode}:\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    results = json.loads((out / "results.json").read_text())["submissions"]
    return {each["submission"]["name"]: each for each in results}


def check_one(lab, student, seed, options):
    """What labcheck says of one mutant."""
    out = lab.out / "check" / student
    out.mkdir(parents=True, exist_ok=True)
    command = [lab.build / "bin/labcheck", "--root", lab.root, "--build", lab.build, "--lab", lab.name, "--source",
               lab.out / "class" / student / f"{lab.name}.c", "--out", out, "--seed", str(seed), "--seconds",
               str(options.seconds), "--quiet", "--json", out / "result.json"]
    (out / "result.json").unlink(missing_ok=True)
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if not (out / "result.json").exists():
        raise NoSource(f"labcheck ended with {result.returncode}:\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    return json.loads((out / "result.json").read_text())


def check(lab, students, seed, options):
    """Checks the class as its students would: without a sandbox, and without waiting for the device."""
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        return dict(zip(students, pool.map(lambda student: check_one(lab, student, seed, options), students)))


def failure(result):
    """The first check that lost points, or None."""
    return next((check for check in result.get("checks", ()) if check["points"] < check["max_points"]), None)


def verdict(result):
    """What a result says of a mutant: whether it passed, and the first failure's check, place, cause and message."""
    found = {"passed": result["points"] is not None and result["points"] >= result["max_points"] > 0,
             "verdict": result["verdict"], "points": result["points"]}
    check = failure(result)
    if check:
        location = check.get("location") or {}
        found.update(check=check["name"], cause=check.get("cause"), message=check.get("message"),
                     file=location.get("file"), line=location.get("line"))
    return found


def is_near(lab, found, lines):
    """Whether a verdict's line is in the student's file and close to a changed line."""
    return bool(found.get("line")) and Path(found["file"] or "").name == f"{lab.name}.c" and any(
        abs(found["line"] - line) <= NEAR for line in lines)


def prove(lab, options):
    """Grades the mutants of a lab. Returns what is known of each, the faults of the list and the seconds taken."""
    start = time.monotonic()
    source = lab.source()
    chosen = different(lab, source, options.jobs)
    listed, faults = lab.equivalent({mutant.name for mutant in chosen})
    chosen = [mutant for mutant in chosen if re.search(options.only, mutant.name)]
    students = write_class(lab, source, chosen)
    records = [{"name": mutant.name, "file": str((lab.out / "class" / student / f"{lab.name}.c")),
                "lines": mutant.lines(source), "diff": difference(source, mutant), "runs": [],
                "equivalent": listed.get(mutant.name)} for student, mutant in students.items()]
    for number in range(options.times if chosen else 0):
        seed = options.seed + number
        results = check(lab, students, seed, options) if options.quick else grade(lab, seed, options)
        for student, record in zip(students, records):
            record["runs"].append(verdict(results[student]))
    for record in records:
        judge(lab, record)
    told = {"lab": lab.name, "seconds": round(time.monotonic() - start), "faults": faults, "mutants": records}
    (lab.out / "mutants.json").write_text(json.dumps(told, indent=1))
    return told


def difference(source, mutant):
    """The changed lines of a mutant, as a diff shows them."""
    lines = difflib.unified_diff(source.text.splitlines(), mutant.text(source).splitlines(), n=0, lineterm="")
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def judge(lab, record):
    """Sorts a mutant: rejected, equivalent, survivor, unsteady, or listed but rejected."""
    passed = [run["passed"] for run in record["runs"]]
    if any(passed) and not all(passed):
        record["kind"] = "unsteady"
    elif all(passed):
        record["kind"] = "equivalent" if record["equivalent"] else "survivor"
    else:
        record["kind"] = "listed" if record["equivalent"] else "rejected"
        record["near"] = is_near(lab, record["runs"][0], record["lines"])


def tell(told, verbose):
    """Prints what a person reads of a lab. Returns how many mutants passed and how many things failed."""
    kinds = {}
    for record in told["mutants"]:
        kinds.setdefault(record["kind"], []).append(record)
    count = {kind: len(kinds.get(kind, ())) for kind in ("rejected", "equivalent", "survivor", "unsteady", "listed")}
    near = sum(record["near"] for record in kinds.get("rejected", ()))
    percent = f"{100 * near // count['rejected']}%" if count["rejected"] else "-"
    print(f"{told['lab']}: {len(told['mutants'])} mutants, {count['rejected']} rejected, {count['equivalent']} equivalent, "
          f"{count['survivor']} survivors, {count['unsteady']} unsteady, causes right {percent}, {told['seconds']} s")
    for kind, words in (("survivor", "survives"), ("unsteady", "is unsteady"),
                        ("listed", "is in equivalent.txt, and is rejected")):
        for record in kinds.get(kind, ()):
            runs = "".join(" passed" if run["passed"] else " rejected" for run in record["runs"])
            print(f"  {words}: {record['name']}{' (' + runs.strip() + ')' if kind == 'unsteady' else ''}")
            print("".join(f"    {line}\n" for line in record["diff"]), end="")
    for record in kinds.get("rejected", ()) if verbose else ():
        if not record["near"]:
            run = record["runs"][0]
            place = f"{run.get('file')}:{run.get('line')}" if run.get("line") else "no line"
            changed = ", ".join(str(line) for line in record["lines"])
            print(f"  cause out of reach: {record['name']}\n    changed line {changed}; verdict: {place}, "
                  f"{run.get('check', run['verdict'])}: {run.get('cause') or run.get('message') or 'no cause'}")
    for fault in told["faults"]:
        print(f"  {fault}")
    failed = count["survivor"] + count["unsteady"] + count["listed"] + len(told["faults"])
    return count["rejected"] + count["equivalent"], failed


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labs", nargs="+", metavar="LAB")
    parser.add_argument("--root", type=Path, default=Path("."), help="the workbook's folder (.)")
    parser.add_argument("--build", type=Path, help="where make built it (ROOT/build)")
    parser.add_argument("--times", type=int, default=1, help="how often the class is graded, each time with another seed")
    parser.add_argument("--seed", type=int, default=7, help="the first seed (7)")
    parser.add_argument("--seconds", type=int, default=5, help="limit of one check (5)")
    parser.add_argument("--only", default="", metavar="PATTERN", help="only the mutants whose name matches")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers at once (one a core)")
    parser.add_argument("--quick", action="store_true", help="run labcheck: no sandbox, no waiting for the device")
    parser.add_argument("--list", action="store_true", help="print the names of the mutants and grade nothing")
    parser.add_argument("--verbose", action="store_true", help="print each cause that is out of reach of the change, too")
    parser.add_argument("--labgrade", type=str.split, default=[], metavar="OPTIONS", help="further options of labgrade")
    options = parser.parse_args(words)
    root = options.root.resolve()
    build = (options.build or root / "build").resolve()
    passed = failed = 0
    try:
        for name in options.labs:
            lab = Lab(root, build, name)
            if options.list:
                print("\n".join(mutant.name for mutant in different(lab, lab.source(), options.jobs)))
                continue
            good, bad = tell(prove(lab, options), options.verbose)
            passed, failed = passed + good, failed + bad
            sys.stdout.flush()
    except NoSource as fault:
        print(f"mutate: {fault}", file=sys.stderr)
        return 2
    if not options.list:
        print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
