#!/usr/bin/env python3
"""Writes the tables of lib/docs/reported-mistakes.md from the tests: the programs of the order checker's catalogue that
name a report (REPORTED in lib/tests/order), and the kernels of lib/tests/sanitizers with a line "//: reported". With
--check it writes nothing, and fails if the page is not what it would write, or if a pair is not whole."""
import re
import sys
from pathlib import Path

PAGE = Path("lib/docs/reported-mistakes.md")
BEGIN = "<!-- The rest is written by lib/tools/reported.py from the tests. -->\n"
SECTIONS = {
    "lib/tests/order/reported_streams_test.c": "Streams, threads and devices",
    "lib/tests/order/reported_events_test.c": "Events and waits",
    "lib/tests/order/reported_host_test.c": "Host and device",
    "lib/tests/order/reported_pools_test.c": "Memory pools",
    "lib/tests/order/reported_graphs_test.c": "Graphs",
    "lib/tests/sanitizers": "Kernels",
}
STRING = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
PROGRAM = re.compile(rf"^REPORTED\((\w+),\s*{STRING},\s*{STRING},", re.M)
KERNEL = re.compile(r"^//: (\w+) \d+ \d+ \d+$")
REPORT = re.compile(r"reported ([\w.-]+/[\w.-]+) (issue|pull) (\d+): ([^;]+)(?:; right: (\w+))?$")
CHECKS = ["memcheck", "racecheck", "initcheck", "synccheck"]


def joined(strings):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', strings))


def link(repository, kind, number):
    folder = "issues" if kind == "issue" else "pull"
    return f"[{repository} {number}](https://github.com/{repository}/{folder}/{number})"


def row(name, mistake, report, found):
    return f"| `{name}` | {mistake} | {link(*report)} | {found} |"


def programs(path):
    for name, report, mistake in PROGRAM.findall(path.read_text("utf-8")):
        yield row(name, joined(mistake), joined(report).split(), "order checker"), True


def kernels(paths):
    """The rows of the kernels; every kernel must have a right one."""
    cases, current = {}, []
    for path in paths:
        for line in path.read_text("utf-8").splitlines():
            kernel = KERNEL.match(line)
            if kernel:
                current = cases.setdefault(kernel[1], [])
            elif line.startswith("//: "):
                current.append(line[4:])
    for name, lines in cases.items():
        reports = [match for match in map(REPORT.match, lines) if match]
        if not reports and any(line.startswith("reported") for line in lines):
            sys.exit(f"{name}: not a report")
        for report in reports:
            right = report[5] or name + "_right"
            if right not in cases or cases[right]:
                sys.exit(f"{name}: there is no right kernel {right}")
            missed = [line.partition(" ")[2] for line in lines if line.startswith("missed ")]
            found = [check for check in CHECKS if any(line.startswith((check, "any ")) for line in lines)]
            if bool(missed) == bool(found):
                sys.exit(f"{name} is either found or missed")
            by = f"missed: {missed[0]}" if missed else "all four" if found == CHECKS else ", ".join(found)
            yield row(name, report[4], report.group(1, 2, 3), by), bool(found)


def tables():
    sections, pairs, found = [], 0, 0
    for path, title in SECTIONS.items():
        place = Path(path)
        rows = list(kernels(sorted(place.glob("*.cu"))) if place.is_dir() else programs(place))
        pairs += len(rows)
        found += sum(is_found for _, is_found in rows)
        sections.append("\n".join([f"## {title}", "", "| test | mistake | reported | found by |", "|---|---|---|---|",
                                   *(text for text, _ in rows)]))
    counts = (f"| pairs | found | missed | right programs with a finding |\n|---|---|---|---|\n"
              f"| {pairs} | {found} | {pairs - found} | 0 |")
    return "\n\n".join([counts, *sections]) + "\n"


def main(arguments):
    page = PAGE.read_text("utf-8")
    head, begin, _ = page.partition(BEGIN)
    written = head + BEGIN + "\n" + tables()
    if not begin:
        sys.exit(f"{PAGE}: there is no line {BEGIN}")
    if arguments == ["--check"]:
        return print(f"{PAGE}: not what lib/tools/reported.py writes; run it") or 1 if page != written else 0
    PAGE.write_text(written, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
