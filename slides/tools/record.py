#!/usr/bin/env python3
"""Records what figures show: make slides-record [NAME=FIGURE] [AS=cpu|h200].

The recipe slides/figures/NAME.json says in "record" which programs run:

    "record": {"on": ["cpu", "h200"], "runs": [RUN, ...], "verdict": "lab02/no_wait"}

    RUN  "program"    of slides/programs/: "null_stream"; "run_lab02" runs the lab's solution, "run_lab02-no_wait" that
                      wrong answer
         "arguments"  as in a shell; {"cpu": ..., "h200": ...} if they differ
         "setting"    variables of the environment, "LAB_CPU_MULTIPROCESSORS=4"; the same
         "processes"  how often the program runs (1); each gives its numbers
         "cold"       true: the cache of kernels is empty
         "source"     "FILE#NAME": the record keeps this function's lines, and for each call its line there
         "keep"       the only kinds of operation that the figure needs (all)
         "fails"      true: the program has to fail

"verdict" keeps what `make labNN` says about a wrong answer, on the CPU device alone. The record,
slides/records/NAME.AS.json, has

    machine, date, command    for the caption
    text, edge, verdict       what the order checker found first, or a program said that failed; and what the former
                              advises
    runs                      for each RUN: program, setting, numbers (a list, one for each process), source, and of the
                              operations what the figures draw; times are nanoseconds since the first call
"""
from __future__ import annotations

import datetime
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any, Dict, List, NoReturn, Optional

import shows
import source
from draw_kit import Part

# The machine of a record: the device that a program runs on, and what its name contains.
MACHINES = {"cpu": ("cpu", ""), "h200": ("cuda", "H200")}
COLUMNS = 84
ATTEMPTS = 5  # to make a record that shows what its figure says


def stop(sentence: str) -> NoReturn:
    sys.exit(f"slides-record: {sentence}")


def chosen(value: Any, machine: str) -> Any:
    """A value of a recipe that may differ between machines."""
    return value[machine] if isinstance(value, dict) else value


# --- Programs -------------------------------------------------------------------------------------------------

def build(goals: List[str]) -> None:
    """Makes what is missing, with the jobs of the make that started this."""
    make = shlex.split(os.environ.get("MAKE", "make"))
    if subprocess.run([*make, "--no-print-directory", *sorted(set(goals))], close_fds=False).returncode != 0:
        stop("a program does not build: its messages are above")


class Program:
    """A run of a recipe, on a machine."""

    def __init__(self, run: Dict[str, Any], machine: str) -> None:
        self.folder = Path(os.environ.get("BUILD", "build")).resolve()
        self.run, self.machine = run, machine
        self.name = run["program"]
        self.goal = f"{os.environ.get('BUILD', 'build')}/slides/programs/{self.name}"
        self.arguments = str(chosen(run.get("arguments", ""), machine))
        self.setting = str(chosen(run.get("setting", ""), machine))
        self.device = ""

    def start(self, results: str, setting: str, fails: bool = False) -> str:
        """Runs the program. Returns what it said."""
        device = MACHINES[self.machine][0]
        cache = os.path.join(results, "cache") if self.run.get("cold") else str(self.folder / "cache")
        environment = {**os.environ, "LAB_DEVICE": device, "LAB_CACHE_DIR": cache}
        environment.update(word.split("=", 1) for word in shlex.split(setting))
        done = subprocess.run([f"{self.folder}/slides/programs/{self.name}", results, *shlex.split(self.arguments)],
                              env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
        if (done.returncode != 0) != fails:
            stop(f"{self.name} {self.arguments} ended with status {done.returncode} on {device}: {done.stderr}")
        return done.stderr

    def results(self) -> Dict[str, Any]:
        """What the figure draws of this run."""
        kept: Dict[str, Any] = {"program": f"{self.name} {self.arguments}".strip()}
        if self.setting:
            kept["setting"] = self.setting
        for _ in range(self.run.get("processes", 1)):
            with tempfile.TemporaryDirectory() as folder:
                said = self.start(folder, self.setting, self.run.get("fails", False))
                if said:
                    kept["said"] = said.strip()
                self.device = self.device_of(folder)
                numbers, traces = Path(folder, "numbers.json"), list(Path(folder).glob("*.trace.json"))
                if numbers.is_file():
                    kept.setdefault("numbers", []).append(json.loads(numbers.read_text()))
                if traces:
                    kept.update(self.operations(json.loads(traces[0].read_text())))
        if self.setting:  # which may change the device's name
            with tempfile.TemporaryDirectory() as folder:
                self.start(folder, "")
                self.device = self.device_of(folder)
        return kept

    def device_of(self, folder: str) -> str:
        """The device's own name. A record never gets the name of a machine that it was not made on."""
        found = json.loads(Path(folder, "machine.json").read_text())
        kind, part = MACHINES[self.machine]
        if found["kind"] != kind or part not in found["name"]:
            stop(f"AS={self.machine} is for a machine whose {kind} device is called {part}; this is {found['name']}")
        return found["name"]

    def operations(self, trace: Dict[str, Any]) -> Dict[str, Any]:
        events = trace["traceEvents"]
        keep = self.run.get("keep")
        rows = [event["args"] for event in events if event["ph"] in "Xi" and "kind" in event["args"]]
        rows.sort(key=lambda row: row["id"])
        rows = work_of(rows)
        ops = Operations([row for row in rows if not keep or row["kind"] in keep])
        streams = [event["args"] for event in events if event["ph"] == "M" and event["name"] == "thread_name"
                   and "stream" in event["args"]]
        used = {op.get("stream") for op in ops.kept}
        kept = {
            "streams": [{"id": row["stream"], "null": row["null_stream"], "non_blocking": row["non_blocking"],
                         "context": row["context"]} for row in streams if row["stream"] in used],
            "ops": ops.kept,
            "findings": [finding(event["args"]) for event in events if event.get("cat") == "finding"],
        }
        if "source" in self.run:
            kept["source"] = shown_source(self.run["source"], ops.kept)
        return kept


def work_of(rows: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """The operations after the mark "work". What is before it starts the device's profiler, and nothing else."""
    begin = next(row["id"] for row in rows if row["kind"] == "mark" and row["name"] == "work")
    rows = [row for row in rows if row["id"] > begin]
    for row in rows:
        if "waits_for" in row:
            row["waits_for"] = [cause for cause in row["waits_for"] if cause > begin]
    return rows


def finding(row: Dict[str, Any]) -> Dict[str, Any]:
    return {key: row[key] for key in ("first", "second", "text", "edge")}


class Operations:
    """The operations of a record with the fields that figures draw. Addresses become numbers: of a pool's block, its
    place in the memory that the driver gave."""

    TIMES = ("call_ns", "return_ns", "start_ns", "end_ns")
    FIELDS = ("id", "kind", "name", "stream", "thread", "object", "bytes", "host_memory", "host_waits", "line",
              "waits_for", "access")

    def __init__(self, rows: List[Dict[str, Any]]) -> None:
        self.begin = min((row["call_ns"] for row in rows), default=0)
        self.chunks: Dict[int, int] = {}  # address: bytes
        self.names: Dict[Any, int] = {}
        # A call of the pool is placed after the driver's call inside it.
        made = {row["id"]: self.shortened(row) for row in sorted(rows, key=lambda row: row.get("return_ns", 0))}
        self.kept = [made[row["id"]] for row in rows]

    def shortened(self, row: Dict[str, Any]) -> Dict[str, Any]:
        op: Dict[str, Any] = {key: row[key] for key in self.FIELDS if row.get(key) not in (None, "", 0, False, [])}
        for key in self.TIMES:
            if row.get(key, -1) >= 0:
                op[key[:-3]] = row[key] - self.begin
        if row.get("file"):
            op["file"] = os.path.basename(row["file"])
        address = int(row["object"], 16) if isinstance(row.get("object"), str) else None
        if address is not None:
            self.place(op, row["kind"], address)
        if "access" in op:
            op["access"] = [[size, how] for _, size, how in op["access"]]
        return op

    def place(self, op: Dict[str, Any], kind: str, address: int) -> None:
        if kind == "memory alloc":
            self.chunks[address] = op["bytes"]
        op["object"] = self.names.setdefault(address, len(self.names) + 1)
        for chunk, size in self.chunks.items():
            if kind.startswith("pool") and chunk <= address < chunk + size:
                op["chunk"], op["offset"] = self.names[chunk], address - chunk


def shown_source(name: str, ops: List[Dict[str, Any]]) -> Dict[str, Any]:
    """The lines of a function, and in each operation the line, from 0, that made its call, itself or by calling a
    helper of the same file."""
    part = source.excerpt(name)
    text = source.read(part.path)
    helpers = {}
    for item in source.items(text):
        first, last = text.count("\n", 0, item.start) + 1, text.count("\n", 0, item.end) + 1
        if item.defines and item.names:
            helpers.update(dict.fromkeys(range(first, last + 1), list(item.names)[0]))
    at = 0
    for op in ops:
        if op.get("file") != os.path.basename(part.path):
            continue
        line = op["line"] - part.first
        if not 0 <= line < len(part.lines):
            calls = [k for k, shown in enumerate(part.lines) if re.search(rf"\b{helpers.get(op['line'])}\(", shown)]
            if not calls:
                continue
            line = next((k for k in calls if k >= at), calls[0])
        op["shown"] = at = line
    return {"name": name, "lines": part.lines}


# --- Records --------------------------------------------------------------------------------------------------

def verdict(answer: str) -> str:
    """What `make labNN` says about a wrong answer: the first check that fails."""
    lab, wrong = answer.split("/")
    folder = os.environ.get("BUILD", "build")
    build([f"ready-{lab}", f"{folder}/{lab}/wrong/{wrong}.c"])
    out = Path(folder, lab, "wrong", wrong)
    out.mkdir(exist_ok=True)
    own = out / f"{lab}.c"  # a verdict names the file as a student has it
    own.write_text(Path(folder, lab, "wrong", f"{wrong}.c").read_text())
    done = subprocess.run([f"{folder}/bin/labcheck", "--root", ".", "--build", folder, "--lab", lab, "--source", own,
                           "--out", out], env={**os.environ, "LAB_DEVICE": "cpu", "NO_COLOR": "1"},
                          stdout=subprocess.PIPE, text=True)
    failed = re.search(r"^FAILED.*\n(?:.*\n)*?(?=next)", done.stdout, re.M)
    if not failed:
        stop(f"{lab} rejects no check of {wrong}: look at make {lab}-wrong NAME={wrong}")
    return failed.group().rstrip("\n")


def filled(text: str) -> str:
    return textwrap.fill(text, COLUMNS, break_on_hyphens=False)


def recorded_runs(name: str, recipe: Dict[str, Any], machine: str) -> Dict[str, Any]:
    """The runs of a record that shows what the recipe says. A busy machine spoils some: then they are made again."""
    programs = [Program(run, machine) for run in recipe["record"]["runs"]]
    contradicts = ""
    for _ in range(ATTEMPTS):
        kept = {"runs": [program.results() for program in programs], "machine": programs[0].device,
                "command": f"make slides-record NAME={name} AS={machine}"}
        try:
            shows.check(Part(recipe, f"slides/figures/{name}.json"), Part(kept, f"record {name}.{machine}"))
            return kept
        except ValueError as error:
            contradicts = str(error)
    stop(f"{contradicts} on a machine that does nothing else. {ATTEMPTS} attempts failed, and no record was written")


def record(name: str, recipe: Dict[str, Any], machine: str) -> None:
    plan = recipe["record"]
    made = recorded_runs(name, recipe, machine)
    runs = made["runs"]
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    kept: Dict[str, Any] = {"machine": made["machine"], "date": today, "command": made["command"]}
    found = [finding for run in runs for finding in run.get("findings", [])]
    said = [run.pop("said") for run in runs if "said" in run]
    if said:
        kept["text"] = filled(said[0])
    if found:
        kept["text"] = filled(found[0]["text"])
        kept["edge"] = filled(found[0]["edge"])
    if machine == "cpu" and "verdict" in plan:
        kept["verdict"] = verdict(plan["verdict"])
    kept["runs"] = runs
    path = Path("slides/records", f"{name}.{machine}.json")
    path.parent.mkdir(exist_ok=True)
    path.write_text(written(kept) + "\n")
    print(f"  {path}  {path.stat().st_size / 1000:.1f} kB")


def written(value: Any, indent: int = 0) -> str:
    """JSON with an operation, and whatever else is short, in one line."""
    short = json.dumps(value, ensure_ascii=False)
    if len(short) + indent <= 118 or not isinstance(value, (dict, list)) or "call" in value:
        return short
    inner = " " * (indent + 1)
    if isinstance(value, list):
        items = [written(item, indent + 1) for item in value]
    else:
        items = [f"{json.dumps(key)}: {written(item, indent + 1)}" for key, item in value.items()]
    ends = "[]" if isinstance(value, list) else "{}"
    return f"{ends[0]}\n{inner}" + f",\n{inner}".join(items) + f"\n{' ' * indent}{ends[1]}"


def recipes(name: Optional[str], machine: str) -> Dict[str, Dict[str, Any]]:
    found = {}
    for path in sorted(Path("slides/figures").glob("*.json")):
        recipe = json.loads(path.read_text())
        if name in (None, path.stem) and machine in recipe["record"]["on"]:
            found[path.stem] = recipe
    if not found:
        path = source.existing(f"slides/figures/{name}.json", "figure", "write its recipe")
        stop(f'{path} is not recorded as {machine}: its "record" has no "{machine}" in "on"')
    return found


def main(arguments: List[str]) -> None:
    machine, name = arguments[0], (arguments + [None])[1]
    if machine not in MACHINES:
        stop(f"AS={machine} is no machine: there are {', '.join(MACHINES)}")
    try:
        found = recipes(name, machine)
        build([Program(run, machine).goal for recipe in found.values() for run in recipe["record"]["runs"]])
        for each, recipe in found.items():
            record(each, recipe, machine)
    except source.Fault as fault:
        stop(str(fault))


if __name__ == "__main__":
    main(sys.argv[1:])
