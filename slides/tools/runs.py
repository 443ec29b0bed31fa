"""The runs of a record, as timelines and players tell them: operations, and the names of rows."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List

from draw_kit import Part

# By what a record calls them: the words of the timelines' legend, and a graph.
DEVICE = {"copy htod": "copy in", "copy dtoh": "copy out", "copy dtod": "copy on device", "kernel": "kernel",
          "fill": "fill", "host function": "host function", "graph launch": "graph"}


@dataclass
class Op:
    id: int
    kind: str
    name: str
    stream: int
    thread: int
    call: float
    back: float
    start: float
    end: float
    waits: bool
    waits_for: List[int]
    placed: bool  # its line is known: the library's own events have none
    shown: int

    @property
    def runs(self) -> bool:
        return self.kind in DEVICE and self.start >= 0


def operation(part: Part) -> Op:
    call = part.number("call")
    op = Op(int(part.number("id")), part.text("kind"), part.text("name", ""), int(part.number("stream", 0)),
            int(part.number("thread", 1)), call, part.number("return", call), part.number("start", -1),
            part.number("end", -1), part.flag("host_waits"), part.values("waits_for", int, "numbers", []),
            part.has("line"), int(part.number("shown", -1)))
    if op.back < op.call or op.end < op.start:
        raise ValueError(f"{part.place}: it ends before it begins")
    return op


@dataclass
class Run:
    """A recorded run, with what the recipe says about it."""
    ops: List[Op]
    findings: List[Part]
    title: str
    verdict: str
    names: List[str]
    streams: List[Part]


# --- What is drawn --------------------------------------------------------------------------------------------

def read_runs(recipe: Part, record: Part) -> List[Run]:
    told = recipe.parts("runs", 0, [])
    runs = []
    for k, part in enumerate(record.parts("runs")):
        says = told[k] if k < len(told) else Part({}, recipe.place)
        ops = [operation(op) for op in part.parts("ops")]
        names = says.values("names", str, "texts", recipe.values("names", str, "texts", []))
        runs.append(Run(ops, part.parts("findings", 0, []), says.text("title", ""), says.text("verdict", ""), names,
                        part.parts("streams", 0, [])))
    if not any(op.runs for run in runs for op in run.ops):
        raise ValueError(f"{record.place}: the field runs has no operation that ran on the device")
    return runs


def stream_names(run: Run) -> Dict[int, str]:
    """The names of the recipe go to the streams with work, in the order in which they were made. Without names a
    stream has the number that the order checker gives it."""
    used = sorted({op.stream for op in run.ops if op.runs})
    null = {int(stream.number("id")) for stream in run.streams if stream.flag("null")}
    if run.names and len(run.names) != len(used):
        raise ValueError(f'the run "{run.title}" works on {len(used)} streams, and "names" has {len(run.names)}')
    plain = ["null stream" if stream in null else f"stream {stream}" for stream in used]
    return dict(zip(used, run.names or plain))


def row_names(run: Run, kind: str) -> Dict[int, str]:
    """The names of the rows that a recipe may name, by stream or thread."""
    if kind != "threads":
        return stream_names(run) if kind == "streams" else {}
    threads = sorted({op.thread for op in run.ops if op.runs})
    return dict(zip(threads, run.names or [f"thread {k}" for k in range(1, len(threads) + 1)]))
