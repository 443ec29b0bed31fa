"""A lab's mutants as a class of submissions: which are different, what labcheck says of each."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import expressions
import statements
import waiting
from source import NoSource, Source

FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-Werror=incompatible-pointer-types", "-Werror=int-conversion",
         "-Werror=implicit-function-declaration", "-Wno-builtin-macro-redefined", "-D__LINE__=1", '-D__FILE__=""',
         "-O2", "-g0", "-S", "-x", "c", "-", "-o", "-"]


class Lab:
    """The places of a lab's files."""

    def __init__(self, root, build, name):
        self.name, self.root, self.build = name, root, build
        self.folder = next((root / "labs").glob(f"{name}-*"), None)
        if self.folder is None:
            raise NoSource(f"there is no lab {name}")
        self.includes = [root / "lib/include", self.folder]
        self.out = build / "mutants" / name

    def source(self):
        solution = self.root / "solutions" / self.folder.name / f"{self.name}.c"
        return Source(solution, (self.folder / "starter.c").read_text(), self.includes)

    def submission(self, student):
        return self.out / "class" / student / f"{self.name}.c"


def parser_of(description):
    """A parser of the options that all programs here have: LAB... and where the workbook is."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labs", nargs="+", metavar="LAB")
    parser.add_argument("--root", type=Path, default=Path("."), help="the workbook's folder (.)")
    parser.add_argument("--build", type=Path, help="where make built it (ROOT/build)")
    return parser


def labs_of(options):
    """The labs that the options name, one after the other."""
    root = options.root.resolve()
    build = (options.build or root / "build").resolve()
    for name in options.labs:
        yield Lab(root, build, name)


def mutants(source):
    """All mutants of a source, compiled or not, each with a name of its own."""
    operators = (*statements.OPERATORS, *waiting.OPERATORS, *expressions.OPERATORS)
    every = [mutant for function in source.functions for operator in operators for mutant in operator(source, function)]
    names = {}
    for mutant in [*every, *expressions.table_entries(source)]:
        names[mutant.name] = names.get(mutant.name, 0) + 1
        if names[mutant.name] > 1:
            mutant.name += f" ({names[mutant.name]})"
        yield mutant


def compiled(text, lab):
    """A key of the code that a text compiles to, or None. Line numbers do not count."""
    command = ["cc", *(f"-I{folder}" for folder in lab.includes), *FLAGS]
    result = subprocess.run(command, input=text.encode(), capture_output=True)
    return hashlib.sha256(result.stdout).hexdigest() if result.returncode == 0 else None


def objects_of(texts, lab, jobs):
    """What each text compiles to. A file keeps it, as long as texts and headers stay the same."""
    path = lab.out / "objects.json"
    headers = "".join(header.read_text() for folder in lab.includes for header in sorted(folder.glob("*.h")))
    keys = [hashlib.sha256((headers + " ".join(FLAGS) + text).encode()).hexdigest() for text in texts]
    known = json.loads(path.read_text()) if path.exists() else {}
    new = {key: text for key, text in zip(keys, texts) if key not in known}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        known.update(zip(new, pool.map(lambda text: compiled(text, lab), new.values())))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({key: known[key] for key in keys}))
    return [known[key] for key in keys]


def different(lab, source, jobs):
    """The mutants that compile, to other code than the solution's and that of the mutants before."""
    every = list(mutants(source))
    solution, *objects = objects_of([source.text, *(mutant.text(source) for mutant in every)], lab, jobs)
    if solution is None:
        raise NoSource(f"{source.path} does not compile")
    first = {key: mutant for key, mutant in reversed(list(zip(objects, every)))}
    return [mutant for key, mutant in zip(objects, every) if key not in (None, solution) and first[key] is mutant]


def write_class(lab, source, chosen):
    """Writes a folder for each mutant and returns their names: m0001, m0002, ..."""
    shutil.rmtree(lab.out / "class", ignore_errors=True)
    students = [f"m{number:04}" for number in range(1, len(chosen) + 1)]
    for student, mutant in zip(students, chosen):
        lab.submission(student).parent.mkdir(parents=True)
        lab.submission(student).write_text(mutant.text(source))
    return students


def result_of(lab, student, words):
    """The result of a mutant as labcheck tells it to a student."""
    out = lab.out / "check" / student
    out.mkdir(parents=True, exist_ok=True)
    path = out / "result.json"
    path.unlink(missing_ok=True)
    command = [lab.build / "bin/labcheck", "--root", lab.root, "--build", lab.build, "--lab", lab.name, "--source",
               lab.submission(student), "--out", out, "--json", path, "--quiet", *words]
    environment = {"LAB_CPU_MULTIPROCESSORS": "2", **os.environ}  # the same load on every machine
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment)
    if not path.exists():
        raise NoSource(f"labcheck ended with {ended.returncode}: {(ended.stdout + ended.stderr).strip()[-2000:]}")
    return json.loads(path.read_text())


def is_late(result):
    """Whether a mutant lost points because time ran out, for which the other jobs may be to blame."""
    return any(check.get("kind") == "timeout" for check in result["checks"])


def is_decided(result):
    """Whether a check has rejected a mutant, or none is left that only measures."""
    found = {check["status"] for check in result["checks"]}
    return "failed" in found or "not measured" not in found


def grade(lab, students, seed, options):
    """The result of each mutant. Only where no other check rejects it do the checks that measure run, with all others
    again. Those that were late are graded a second time, after all others and with a quarter of the jobs: that result
    counts."""
    words = ["--seed", seed, "--seconds", options.seconds]

    def one(student):
        result = result_of(lab, student, [*words, "--first-failure"])
        return result if is_decided(result) else result_of(lab, student, words)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = dict(zip(students, pool.map(one, students)))
    late = [student for student in students if is_late(results[student])]
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs // 4)) as pool:
        results.update(zip(late, pool.map(one, late)))
    return list(results.values())
