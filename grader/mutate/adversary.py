#!/usr/bin/env python3
"""Tries to satisfy a lab's checks without doing its work: adversary.py [--root ROOT] [--build BUILD] [options] LAB...

Makes programs of the lab's solution (disguises.py): each does just enough for some check, and none does the work.
labcheck grades them and prints a table by lab. A program gains if it

    cheats    and passes a check that fails for a program that does nothing in the same functions, and for the starter.
              A check whose manifest says why no check_flow is needed does not count: such a program may be right there
    is lazy   and has all points: at least one check must find it. One that measures is asked if no other does

BUILD/adversary/LAB holds the programs and their results. Ends with 1 if any gains, with 2 if one cannot be graded.
--without-flow grades them with checks that believe every flow (BUILD/without-flow), where a gain is no failure: it
shows that a program is a real attempt.
"""
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys

import disguises
from grading import Lab, labs_of, parser_of, result_of, write_class
from mutant import Mutant
from source import NoSource

STARTER = "starter"
# What the checks lack that a program of this kind wins.
REMEDIES = {"one stream": "ask the record on which stream each operation is (grader/harness/plan.h)",
            "one new stream": "ask the record on which stream each operation is (grader/harness/plan.h)",
            "only once": "let a check call the function several times in one program, and look at each call",
            "outputs again": "let a check call the function several times in one program, each time on new numbers",
            "sizes seen": "draw sizes that mean nothing by themselves with check_draw"}
REMEDY = "follow the outputs of these checks to their inputs: check_flow, or check_case_prove (grader/harness/case.h)"


def manifest_of(lab):
    """The checks of a lab, by name."""
    told = subprocess.run([lab.build / lab.name / "checks", "--manifest"], capture_output=True, text=True, check=True)
    return {check["name"]: check for check in json.loads(told.stdout)["checks"]}


def believing(lab):
    """The lab with checks that believe every flow, in a build folder of their own."""
    folder = lab.build / "without-flow"
    for name in ("reference", "program.o", "program.link", "contract"):
        (folder / lab.name / name).unlink(missing_ok=True)
        shutil.copy2(lab.build / lab.name / name, folder / lab.name / name)
    if not (folder / "bin").exists():
        (folder / "bin").symlink_to(lab.build / "bin")
    return Lab(lab.root, folder, lab.name)


def earned(result):
    return {check["name"]: check["points"] for check in result["checks"]}


def gains(program, points, bounds, manifest):
    """The checks that a program passes and must not."""
    if program.lazy:
        return sorted(manifest) if sum(points.values()) == sum(check["points"] for check in manifest.values()) else []
    return sorted(name for name, won in points.items()
                  if won > max([0, *(bound.get(name, 0) for bound in bounds)])
                  and not manifest[name].get("without_flow"))


def ungraded(result):
    """Whether a result says nothing about the checks: the program was not built, or the grader refused it."""
    return not result["build"]["ok"] or not result["checks"]


def starter_of(source, lab):
    """The starter as a mutant of the solution."""
    starter = (lab.folder / "starter.c").read_text()
    return Mutant(STARTER, lab.name, "as it is", [(0, len(source.text), starter)])


class Grading:
    """The results of mutants. Each is graded when its result is first asked for, and one of equal texts."""

    def __init__(self, lab, source, mutants, options):
        self.lab, self.source = lab, source
        self.words = ["--points-only", "--seed", options.seed, "--seconds", options.seconds]
        self.student = dict(zip((mutant.text(source) for mutant in mutants), write_class(lab, source, mutants)))
        self.known = {}

    def result(self, mutant, *words):
        """What labcheck says of a mutant, with these words more."""
        student = self.student[mutant.text(self.source)]
        if (student, words) not in self.known:
            result = result_of(self.lab, student, [*self.words, *words])
            if ungraded(result):
                raise NoSource(f"{mutant.name}: {result['summary']} ({self.lab.submission(student)})")
            self.known[student, words] = result
        return self.known[student, words]

    def finds(self, mutant):
        """The first check that finds a mutant, of those that measure nothing; None if none does."""
        checks = self.result(mutant, "--first-failure")["checks"]
        return next((check["name"] for check in checks if check["status"] == "failed"), None)


def prove(lab, options):
    """Grades the programs of a lab. Returns the rows of its table: program, what to say of it, the checks it gains."""
    source, manifest = lab.source(), manifest_of(lab)
    lab.out = lab.build / "adversary" / lab.name
    if not disguises.contract(source):
        raise NoSource(f"{source.path} defines no function that a lab's program could call")
    programs = [program for program in disguises.programs(source, lab) if options.only in program.kind]
    hollow = {program.functions: disguises.does_nothing(source, program.functions) for program in programs}
    starter = starter_of(source, lab)
    grading = Grading(lab, source, [starter, *hollow.values(), *(program.mutant for program in programs)], options)

    def grade(program):
        """The check that finds a lazy program, and the points of any other."""
        found = program.lazy and grading.finds(program.mutant)
        return found, {} if found else earned(grading.result(program.mutant))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        graded = list(pool.map(grade, programs))
    rows = []
    for program, (found, points) in zip(programs, graded):
        gained, bounds = gains(program, points, [], manifest), []
        idle = [] if program.lazy else [starter] if program.kind == "nothing" else [starter, hollow[program.functions]]
        while gained and idle:  # does it have that for nothing?
            bounds.append(earned(grading.result(idle.pop(0))))
            gained = gains(program, points, bounds, manifest)
        rows.append((program, f"found by {found}" if found else f"{sum(points.values()):3} points", gained))
    return rows


def tell(lab, rows):
    """Prints the table of a lab. Returns how many programs gain."""
    print(f"{lab.name}")
    for program, words, gained in rows:
        print(f"  {'FAILED' if gained else 'ok':6} {program.kind:20} {words}")
        if gained:
            print(f"         wins {', '.join(gained)}\n         {REMEDIES.get(program.kind, REMEDY)}")
    sys.stdout.flush()
    return sum(bool(gained) for _, _, gained in rows)


def options_of(words):
    parser = parser_of(__doc__)
    parser.add_argument("--seed", type=int, default=7, help="the seed of the run (7)")
    parser.add_argument("--seconds", type=int, default=10, help="limit of one check (10)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs at once (one a core)")
    parser.add_argument("--without-flow", action="store_true", help="with checks that believe every flow")
    parser.add_argument("--only", default="", metavar="TEXT", help="the kinds that contain this text")
    return parser.parse_args(words)


def main(words):
    options = options_of(words)
    programs = failed = 0
    try:
        labs = list(labs_of(options))
        for lab in map(believing, labs) if options.without_flow else labs:
            rows = prove(lab, options)
            programs, failed = programs + len(rows), failed + tell(lab, rows)
    except NoSource as error:
        print(f"adversary: {error}", file=sys.stderr)
        return 2
    if options.without_flow:
        print(f"{failed} of {programs} win points without the flow")
        return 0
    print(f"{programs - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
