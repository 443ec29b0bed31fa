#!/usr/bin/env python3
"""Keeps measured runs of labs, and holds the tables of their lessons to them.

    lab-results.py keep NAME RESULT.json...   makes labs/LAB/results/NAME.json of what labcheck wrote, a run a file;
                                              several runs of one machine become one, with the samples of all
    lab-results.py table LAB                  prints the table of the kept runs for the lesson of labs/LAB
    lab-results.py check                      says which kept run is not whole, and which lesson has another table
                                              than that of its runs

labs/AUTHORING.md says what the files hold. It knows rows and figures; not what was timed.
"""
import json
import statistics
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = 100  # of a lesson
FIGURES = ("median_ms", "smallest_ms", "largest_ms")


def identity(row):
    return row["label"], row["who"]


def pooled(timings):
    """One row of the rows of several runs."""
    samples = [sample for row in timings for sample in row["samples_ms"]]
    return {"label": timings[0]["label"], "who": timings[0]["who"], "median_ms": round(statistics.median(samples), 4),
            "smallest_ms": round(min(samples), 4), "largest_ms": round(max(samples), 4), "samples": len(samples)}


def keep(name, paths):
    results = [json.loads(Path(path).read_text()) for path in paths]
    folders = sorted((ROOT / "labs").glob(results[0]["lab"]["name"] + "-*"))
    rows = [pooled([row for result in results for row in result["timings"] if identity(row) == identity(first)])
            for first in results[0]["timings"]]
    loads = [row["load"] for result in results for row in result["timings"] if row["load"] is not None]
    run = {"machine": results[0]["device"]["name"], "date": results[0]["started"][:10], "runs": len(results),
           "load": [min(loads), max(loads)], "rows": rows}
    path = folders[0] / "results" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    if path.exists():
        run["notes"] = json.loads(path.read_text()).get("notes", [])
    path.write_text(json.dumps(run, indent=2) + "\n")
    print(f"kept {path.relative_to(ROOT)}")


def kept_runs(folder):
    return [json.loads(path.read_text()) for path in sorted((folder / "results").glob("*.json"))]


# ---- the table ------------------------------------------------------------------------------------------------------


def is_modelled(row):
    return ", modelled on " in row["label"]


def milliseconds(number):
    """Three digits, and all of those before the point."""
    whole = len(str(int(number)))
    return f"{number:.{max(0, 3 - whole)}f}"


def figures(row):
    median, smallest, largest = (milliseconds(row[figure]) for figure in FIGURES)
    return median if is_modelled(row) else f"{median} ({smallest} to {largest})"


def named(row, of):
    """A row's name in the table: whose it is only if both have one."""
    twice = sum(other["label"] == row["label"] for other in of) > 1
    return row["label"] + (", the reference" if twice and row["who"] == "reference" else "")


def speedups(rows):
    """How many times as fast as the first row the other measured rows of the student's are."""
    own = [row for row in rows if row["who"] == "yours" and not is_modelled(row)]
    return {f"{row['label']}: times as fast": milliseconds(own[0]["median_ms"] / row["median_ms"]) for row in own[1:]}


def column(run):
    """The head of a run's column, what the lesson says below the table, and the figures of the rows."""
    about = f"{run['machine']}: {', '.join([*run.get('notes', []), 'recorded on ' + run['date']])}."
    shown = [row for row in run["rows"] if row["who"] == "yours" or not is_modelled(row)]
    cells = {named(row, shown): figures(row) for row in shown}
    return run["machine"], about, {**cells, **speedups(run["rows"])}


def table(folder):
    columns = [column(run) for run in kept_runs(folder)]
    names = list(dict.fromkeys(name for *_, cells in columns for name in cells))
    lines = ["| median (smallest to largest), ms | " + " | ".join(head for head, *_ in columns) + " |",
             "|---" * (len(columns) + 1) + "|"]
    lines += [f"| {name} | " + " | ".join(cells.get(name, "") for *_, cells in columns) + " |" for name in names]
    return "\n".join(lines) + "\n\n" + textwrap.fill(" ".join(about for _, about, _ in columns), COLUMNS) + "\n"


# ---- the proof ------------------------------------------------------------------------------------------------------


def faults_of_run(run):
    for member in ("machine", "date", "runs", "rows"):
        if not run.get(member):
            yield f"has no {member}"
    for row in run.get("rows", []):
        median, smallest, largest = (row.get(figure, -1) for figure in FIGURES)
        if not 0 < smallest <= median <= largest:
            yield f"row {row.get('label')!r} ({row.get('who')}): the median is not between smallest and largest"


def faults_of_lab(folder):
    """What is wrong with a lab's kept runs, or with its lesson's table."""
    whole = True
    for path in sorted((folder / "results").glob("*.json")):
        for fault in faults_of_run(json.loads(path.read_text())):
            whole = False
            yield f"{path.relative_to(ROOT)} {fault}"
    lesson = folder / "README.md"
    if whole and table(folder) not in lesson.read_text():
        yield (f"{lesson.relative_to(ROOT)} does not have the table of the runs in {folder.name}/results: "
               f"lib/tools/lab-results.py table {folder.name}")


def check():
    folders = sorted(path.parent for path in (ROOT / "labs").glob("lab*-*/results"))
    faults = [fault for folder in folders for fault in faults_of_lab(folder)]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


def main(words):
    if words[:1] == ["check"] and len(words) == 1:
        return check()
    if words[:1] == ["table"] and len(words) == 2:
        print(table(ROOT / "labs" / words[1]), end="")
        return 0
    if words[:1] == ["keep"] and len(words) > 2:
        return keep(words[1], words[2:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
