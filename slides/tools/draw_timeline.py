"""Timelines: what the host called and what the device ran, run above run on one scale of time. The library draws them,
as it draws all timelines: `labtrace figure`, whose file lib/src/trace/drawing/figure_load.c describes.

Recipe: "runs", for each run of a record {"title": ..., "verdict": "wrong" or "right", "names": [rows], "shows":
[sentences]}, of which only "shows" has to be there (shows.py); "names" of the streams or threads for all runs (a thread
without a name is not drawn); "rows": "streams", "engines" or "threads" of the device; "host": false leaves the host's
row out; "labels": {kernel: text}; "bracket": "events" or "clock" marks what an interval spans; "height" of the figure,
430 unless its slide has much text.
"""
from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Tuple

from draw_kit import WIDE, Part, machine_of
from runs import Op, Run, read_runs, row_names

TALL = 430  # what a slide has room for with its title, text and caption
FIELDS = {"call": "call_ns", "return": "return_ns", "start": "start_ns", "end": "end_ns"}
KEPT = ("kind", "name", "stream", "thread", "bytes", "host_memory", "host_waits", "line", "file")

Steps = Dict[int, float]  # of a player: until when the device's work is shown, by the operation's id


def shown_events(run: Run, bracket: str) -> List[int]:
    """The records of events that something waits for, or that an interval lies between. The library's own events have
    no line."""
    awaited = {cause for op in run.ops for cause in op.waits_for}
    return [op.id for op in run.ops if op.kind == "event record" and op.placed and op.start >= 0
            and (op.id in awaited or bracket == "events")]


def fields(op: Op, part: Dict[str, Any], numbers: Dict[int, int], times: bool) -> Dict[str, Any]:
    """An operation as the library's records have it."""
    shown = FIELDS if times else {key: FIELDS[key] for key in ("call", "return")}
    causes = sorted(numbers[cause] for cause in op.waits_for if cause in numbers)
    return {**{key: part[key] for key in KEPT if key in part},
            **{name: int(part[key]) for key, name in shown.items() if key in part},
            "id": numbers[op.id], "thread": op.thread, "return_ns": int(op.back),
            "waits_for": [cause for cause in causes if cause < numbers[op.id]]}


def finding_of(told: Part, numbers: Dict[int, int]) -> Dict[str, Any]:
    first, second = (numbers.get(int(told.number(key)), 0) for key in ("first", "second"))
    return {"finding": 1, "first": first, "second": second,
            "text": told.text("text", ""), "edge": told.text("edge", "")}


def record_of(run: Run, part: Part, numbers: Dict[int, int], bracket: str) -> Dict[str, Any]:
    """The run as a record that the library loads."""
    events = shown_events(run, bracket)
    ops = sorted(zip(run.ops, part.value["ops"]), key=lambda pair: pair[0].id)
    rows = [fields(op, value, numbers, op.kind != "event record" or op.id in events) for op, value in ops]
    null = {int(stream.number("id")) for stream in run.streams if stream.flag("null")}
    streams = [{"stream": stream, "device": 0, "null_stream": stream in null, "non_blocking": False}
               for stream in sorted({op.stream for op in run.ops if op.stream} | null)]
    findings = [finding_of(told, numbers) for told in run.findings]
    return {"otherData": {"format": "lab-trace", "version": 1, "device_name": "", "device_kind": "cpu",
                          "multiprocessors": 1, "duration_ns": int(max(max(op.back, op.end) for op in run.ops)),
                          "operations": len(rows)},
            "traceEvents": [{"ph": "M", "args": stream} for stream in streams] +
                           [{"ph": "X", "args": row} for row in rows] +
                           [{"ph": "i", "args": told} for told in findings if told["first"] or told["second"]]}


def told_run(recipe: Part, run: Run, part: Part, steps: Steps) -> Dict[str, Any]:
    """A run of the figure. Its operations are numbered from 1."""
    numbers = {each: number for number, each in enumerate(sorted(op.id for op in run.ops), 1)}
    return {"title": run.title, "verdict": run.verdict,
            "names": list(row_names(run, recipe.text("rows", "streams")).items()),
            "steps": [[numbers[each], int(until)] for each, until in steps.items()],
            "record": record_of(run, part, numbers, recipe.text("bracket", ""))}


def drawn(figure: Dict[str, Any]) -> str:
    """The SVG that the library draws."""
    program = Path(os.environ.get("BUILD") or "build", "bin/labtrace")
    if not program.is_file():
        raise ValueError(f"{program}, which draws timelines, is not there: run `make {program}`")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "figure.json")
        path.write_text(json.dumps(figure), "utf-8")
        done = subprocess.run([program, "figure", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding="utf-8")
    if done.returncode:
        raise ValueError(done.stderr.strip().replace(f"{path} ", ""))
    return done.stdout


def draw_runs(recipe: Part, records: List[Tuple[Part, List[Run]]], steps: List[Steps], width: int, height: int) -> str:
    """The records of several machines stand side by side. `steps` has those of each run of a player."""
    rows = recipe.text("rows", "streams")
    columns = []
    for record, runs in records:
        told = [told_run(recipe, run, part, steps[k] if steps else {})
                for k, (run, part) in enumerate(zip(runs, record.parts("runs")))]
        columns.append({"head": machine_of(record) if len(records) > 1 else "", "runs": told})
    return drawn({"title": recipe.text("title"), "about": recipe.text("about"), "width": width, "height": height,
                  "rows": rows, "host": recipe.get("host", bool, "true or false", rows != "threads"),
                  "bracket": recipe.text("bracket", ""), "labels": recipe.get("labels", dict, "an object", {}),
                  "columns": columns})


def draw(recipe: Part, records: List[Part]) -> str:
    return draw_runs(recipe, [(record, read_runs(recipe, record)) for record in records], [], WIDE,
                     int(recipe.number("height", TALL)))
