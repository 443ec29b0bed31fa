#!/usr/bin/env python3
"""Proves a lab's checks with mutants: small changes of its solution, each of which the checks must reject.

    mutate.py [--root ROOT] [--build BUILD] [options] LAB...

What compiles to the same code as the solution or an earlier mutant is left out. labcheck tries the others.
BUILD/mutants/LAB/mutants.json has all results; grader/docs/mutants.md explains them.
"""
import argparse
import difflib
import json
import os
import re
import sys
import time
from pathlib import Path

from grading import different, grade, labs_of, parser_of, write_class
from source import NoSource

NEAR = 3  # lines between a change and the line of its verdict
MORE = ("called_at", "last_call")  # further lines of a verdict's location
TOLD = (("survivor", "survives"), ("unsteady", "is unsteady"), ("listed", "is listed as equivalent, but rejected"))


def equivalent_everywhere(path, names):
    """The mutants that are equivalent in every lab, with the reasons: lines "OPERATOR *: CODE*: REASON"."""
    found, text = {}, path.read_text() if path.exists() else ""
    for operator, code, reason in re.findall(r"^(\w.*) \*: (.+)\*: (.*\S)$", text, re.M):
        like = re.compile(rf"{re.escape(operator)} \w+: {re.escape(code)}")
        found.update({name: reason for name in names if like.match(name)})
    return found


def equivalent(path, names):
    """The mutants that a lab's file or that of all labs lists as equivalent, with the reasons; those listed by the
    beginning of their names, of which some may be rejected; and the errors of the lab's file."""
    listed, many, errors = {}, equivalent_everywhere(path.parent.parent / path.name, names), []
    longest = sorted(names, key=len, reverse=True)
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        name = next((name for name in longest if line.startswith(f"{name}: ")), None)
        family = re.fullmatch(r"(.+)\*: (.*\S.*)", line)
        if not line.strip() or line.startswith("#"):
            continue
        if family and any(name.startswith(family[1]) for name in names):
            many.update({name: family[2] for name in names if name.startswith(family[1])})
        elif not name or not line[len(name) + 2:].strip():
            errors.append(f"{path.name}:{number}: no mutant has this name, or the reason is missing: {line}")
        elif name in listed:
            errors.append(f"{path.name}:{number}: this mutant is listed already: {line}")
        else:
            listed[name] = line[len(name) + 2:].strip()
    return listed, many, errors


def difference(source, mutant):
    """The changed lines of a mutant, as a diff shows them."""
    lines = difflib.unified_diff(source.text.splitlines(), mutant.text(source).splitlines(), n=0, lineterm="")
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def verdict(result):
    """What a result says of a mutant: whether it passed, and the first check that failed, with its cause and lines."""
    checks = (check for check in result["checks"] if check["status"] == "failed")
    failed = next(checks, {"name": result["verdict"]})
    location = failed.get("location") or {}
    more = [location[key] for key in MORE if key in location] + location.get("after", [])
    return {"passed": result["points"] is not None and result["points"] >= result["max_points"] > 0,
            "verdict": result["verdict"], "check": failed["name"], "file": location.get("file"),
            "line": location.get("line"), "more": more,
            "cause": failed.get("cause") or failed.get("message")}


def is_near(lab, run, lines):
    """Whether a line that a verdict tells is in the student's file and close to a changed line."""
    told = [run["line"], *run["more"]] if run["line"] and Path(run["file"]).name == f"{lab.name}.c" else []
    return any(abs(one - line) <= NEAR for one in told for line in lines)


def kind_of(record):
    """What the runs of a mutant say: rejected, equivalent, survivor, unsteady, or listed although it is rejected."""
    passed = {run["passed"] for run in record["runs"]}
    if len(passed) > 1:
        return "unsteady"
    if True in passed:
        return "equivalent" if record["equivalent"] else "survivor"
    return "listed" if record["alone"] else "rejected"


def prove(lab, options):
    """Grades the mutants of a lab, and keeps what there is to know of each in mutants.json."""
    start = time.monotonic()
    source = lab.source()
    chosen = different(lab, source, options.jobs)
    listed, many, errors = equivalent(lab.folder / "equivalent.txt", [mutant.name for mutant in chosen])
    chosen = [mutant for mutant in chosen if re.search(options.only, mutant.name)]
    students = write_class(lab, source, chosen)
    records = [{"name": mutant.name, "file": str(lab.submission(student)), "lines": mutant.lines(source),
                "diff": difference(source, mutant), "equivalent": listed.get(mutant.name, many.get(mutant.name)),
                "alone": mutant.name in listed, "runs": []}
               for student, mutant in zip(students, chosen)]
    for seed in range(options.seed, options.seed + options.times) if chosen else ():
        for record, result in zip(records, grade(lab, students, seed, options)):
            record["runs"].append(verdict(result))
    for record in records:
        record["kind"] = kind_of(record)
        record["near"] = is_near(lab, record["runs"][0], record["lines"])
    told = {"lab": lab.name, "seconds": round(time.monotonic() - start), "errors": errors, "mutants": records}
    (lab.out / "mutants.json").write_text(json.dumps(told, indent=1))
    return told


def tell(told, verbose):
    """Prints what a person reads of a lab. Returns how many mutants passed, and how much failed."""
    kinds = {kind: [record for record in told["mutants"] if record["kind"] == kind]
             for kind in ("rejected", "equivalent", *(kind for kind, _ in TOLD))}
    count = {kind: len(records) for kind, records in kinds.items()}
    near = sum(record["near"] for record in kinds["rejected"])
    print(f"{told['lab']}: {len(told['mutants'])} mutants, {count['rejected']} rejected, {count['equivalent']} "
          f"equivalent, {count['survivor']} survivors, {count['unsteady']} unsteady, causes right "
          f"{100 * near // max(1, count['rejected'])}%, {told['seconds']} s")
    for kind, words in TOLD:
        for record in kinds[kind]:
            runs = " ".join("passed" if run["passed"] else run["check"] for run in record["runs"])
            print(f"  {words}: {record['name']}{f' ({runs})' if kind == 'unsteady' else ''}")
            print("".join(f"    {line}\n" for line in record["diff"]), end="")
    for record in kinds["rejected"] if verbose else ():
        if not record["near"]:
            run = record["runs"][0]
            place = f"{run['file']}:{run['line']}" if run["line"] else "no line"
            place += "".join(f", {line}" for line in run["more"])
            changed = ", ".join(str(line) for line in record["lines"])
            print(f"  cause out of reach: {record['name']}\n    changed line {changed}; verdict: {place}, "
                  f"{run['check']}: {run['cause'] or 'no cause'}")
    print("".join(f"  {error}\n" for error in told["errors"]), end="")
    return (count["rejected"] + count["equivalent"],
            count["survivor"] + count["unsteady"] + count["listed"] + len(told["errors"]))


def pattern(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from error


def options_of(words):
    parser = parser_of(__doc__)
    parser.add_argument("--times", type=int, default=1, help="gradings of the class, each with another seed (1)")
    parser.add_argument("--seed", type=int, default=7, help="the first seed (7)")
    parser.add_argument("--seconds", type=int, default=5, help="limit of one check (5)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers and checks at once (one a core)")
    parser.add_argument("--only", default="", type=pattern, metavar="PATTERN",
                        help="the mutants whose name matches, no others")
    parser.add_argument("--list", action="store_true", help="print the names of the mutants, grade nothing")
    parser.add_argument("--verbose", action="store_true", help="print each cause that is out of reach of the change")
    return parser.parse_args(words)


def choose_device():
    """The CPU device, unless a person names another: a GPU's driver makes the programs of so many mutants take turns,
    and a check that measures waits until it has the GPU alone."""
    if os.environ.get("LAB_DEVICE", "auto") == "auto":
        os.environ["LAB_DEVICE"] = "cpu"


def main(words):
    options = options_of(words)
    choose_device()
    passed = failed = 0
    try:
        for lab in list(labs_of(options)):
            if options.list:
                print("\n".join(mutant.name for mutant in different(lab, lab.source(), options.jobs)))
                continue
            good, bad = tell(prove(lab, options), options.verbose)
            passed, failed = passed + good, failed + bad
            sys.stdout.flush()
    except NoSource as error:
        print(f"mutate: {error}", file=sys.stderr)
        return 2
    if not options.list:
        print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
