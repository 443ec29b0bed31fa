"""Bars, a curve and dots: numbers that were measured, with their unit at the axis and their value next to them."""
from __future__ import annotations

import math
import statistics
from typing import Dict, List, Tuple

from draw_kit import (COPY_IN, COPY_OUT, INK, KERNEL, LINE, MUTED, PAPER, SMALL, TEXT, WIDE, Canvas, Part,
                      Scale, bytes_text, digits, machine_of, number, time_text, width_of)

UNITS = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}


# --- Bars -----------------------------------------------------------------------------------------------------

def rows_of(record: Part) -> Dict[str, List[float]]:
    """The values of each row, in nanoseconds, from every process that measured it."""
    rows: Dict[str, List[float]] = {}
    for run in record.parts("runs"):
        for numbers in run.parts("numbers"):
            for row in numbers.parts("rows"):
                unit = next((unit for unit in UNITS if row.has(unit)), "ms")
                value = row.number(unit)
                if value <= 0:
                    raise row.fault(unit, "is no time that passed")
                rows.setdefault(row.text("name"), []).append(value * UNITS[unit])
    return rows


def draw_bars(recipe: Part, records: List[Part]) -> Canvas:
    """Recipe: "rows": {name in the record: label}, in the order of the figure; left out: all rows; "memory": what
    the number megabytes_each of the record is. Times differ by
    factors of a thousand, so the axis is logarithmic: each line is ten times the one before."""
    tables = [rows_of(record) for record in records]
    chosen = recipe.get("rows", dict, "an object", {name: name for name in tables[0]})
    missing = [name for table in tables for name in chosen if name not in table]
    if missing:
        raise ValueError(f'{records[0].place}: the field rows has no "{missing[0]}"')
    values = [statistics.median(table[name]) for table in tables for name in chosen]
    canvas = Canvas(WIDE)
    label = max(width_of(text, TEXT) for text in chosen.values()) + 16
    machine = max(width_of(machine_of(record), SMALL) for record in records) + 12 if len(records) > 1 else 0
    low, high = 10 ** math.floor(math.log10(min(values)) - .01), 10 ** math.ceil(math.log10(max(values)))
    scale = Scale(low, high, label, canvas.width - machine - 92, log=True)
    thick = 24 if len(records) > 1 else 32
    step = thick * len(records) + (20 if len(records) > 1 else 18)
    bottom = 8 + step * len(chosen)
    for tick in scale.ticks():
        canvas.line(scale(tick), 4, scale(tick), bottom, LINE, 1)
        canvas.text(scale(tick), bottom + 20, time_text(tick, 1), MUTED, SMALL, "middle")
    for k, (name, text) in enumerate(chosen.items()):
        top = 10 + k * step
        canvas.text(label - 12, top + thick * len(records) / 2 + 5, text, INK, TEXT, "end")
        for r, (record, table) in enumerate(zip(records, tables)):
            draw_bar(canvas, scale, table[name], top + r * thick, thick - 4, r,
                     machine_of(record) if len(records) > 1 else "")
    canvas.text(scale.x1, bottom + 40, "each line is ten times the one before", MUTED, SMALL, "end")
    canvas.height = bottom + 48
    if recipe.has("memory"):
        draw_memory(canvas, records, recipe.text("memory"))
    return canvas


def draw_memory(canvas: Canvas, records: List[Part], text: str) -> None:
    """Below the bars: the memory that goes with them, one line for each machine."""
    for record in records:
        megabytes = record.parts("runs")[0].parts("numbers")[0].number("megabytes_each")
        machine = f"{machine_of(record)}: " if len(records) > 1 else ""
        canvas.text(4, canvas.height + 14, f"{machine}{text}: {bytes_text(megabytes * 1e6)}", INK, TEXT)
        canvas.height += 26


def draw_bar(canvas: Canvas, scale: Scale, values: List[float], y: float, height: float, which: int,
             machine: str) -> None:
    """A bar to the median, a thin line from the least to the most, the value, and the machine if there are several."""
    median = statistics.median(values)
    fill = (COPY_IN, KERNEL)[which % 2]
    end = scale(median)
    canvas.rect(scale.x0, y, end - scale.x0, height, fill)
    if which % 2:
        canvas.rect(scale.x0, y, end - scale.x0, height, canvas.pattern("second", "--paper", "M 0 8 L 8 0"))
    least, most = scale(max(min(values), scale.low)), scale(min(max(values), scale.high))
    after = end
    if most - least > 3:
        canvas.line(least, y + height / 2, end, y + height / 2, PAPER, 1.5)
        canvas.line(end, y + height / 2, most, y + height / 2, INK, 1.5)
        canvas.line(most, y + height / 2 - 5, most, y + height / 2 + 5, INK, 1.5)
        after = most
    value = time_text(median)
    canvas.text(after + 8, y + height / 2 + 6, value, INK, TEXT, bold=True)
    if machine:
        canvas.text(after + 18 + width_of(value, TEXT, True), y + height / 2 + 5, machine, MUTED, SMALL)


# --- A curve --------------------------------------------------------------------------------------------------

def draw_curve(recipe: Part, records: List[Part]) -> Canvas:
    """How many times as fast as the serial run, against the number of streams; both axes are logarithmic."""
    curves = [curve for record in records for curve in curves_of(record, len(records) > 1)]
    best = max(value for _, _, points in curves for _, value in points)
    least = min(value for _, _, points in curves for _, value in points)
    canvas = Canvas(WIDE, 420)
    labels = max(width_of(name, SMALL + 1) for name, _, _ in curves) + 70
    streams = sorted({x for _, _, points in curves for x, _ in points})
    across = Scale(streams[0], streams[-1], 80, canvas.width - labels, log=True)
    # The axis goes by factors of two.
    powers = range(math.floor(math.log2(min(least, 1)) + 1e-9), math.ceil(math.log2(best) - 1e-9) + 1)
    up = Scale(2.0 ** powers[0], 2.0 ** powers[-1], 360, 34, log=True)
    for power in powers:
        tick = 2.0 ** power
        canvas.line(across.x0, up(tick), across.x1, up(tick), INK if tick == 1 else LINE, 1.2 if tick == 1 else 1)
        canvas.text(across.x0 - 10, up(tick) + 5, "serial 1×" if tick == 1 else f"{tick:g}×", MUTED, SMALL, "end")
    for tick in streams:
        canvas.text(across(tick), 382, f"{tick:g}", MUTED, SMALL, "middle")
    canvas.text(across.x1, 406, "streams", MUTED, SMALL, "end")
    canvas.text(4, 18, "times as fast as serial", MUTED, SMALL)
    taken: List[float] = []
    for name, kind, points in sorted(curves, key=lambda curve: -curve[2][-1][1]):
        draw_line(canvas, across, up, points, kind)
        x, y = across(points[-1][0]), up(points[-1][1])
        while any(abs(y - other) < 20 for other in taken):
            y += 2
        taken.append(y)
        canvas.text(x + 14, y + 5, f"{name}, {digits(points[-1][1])}×", INK, SMALL + 1, bold=kind % 2 == 0)
    return canvas


def draw_line(canvas: Canvas, across: Scale, up: Scale, points: List[Tuple[float, float]], kind: int) -> None:
    color = (KERNEL, COPY_IN)[kind % 2]
    path = " L ".join(f"{number(across(x))} {number(up(y))}" for x, y in points)
    canvas.path(f"M {path}", stroke=color, stroke_width=2.5, stroke_dasharray="7 5" if kind % 2 else None)
    for x, y in points:
        if kind % 2:
            canvas.rect(across(x) - 4.5, up(y) - 4.5, 9, 9, "--paper", stroke=color, stroke_width=2.0)
        else:
            canvas.dot(across(x), up(y), 5, color)


def curves_of(record: Part, several: bool) -> List[Tuple[str, int, List[Tuple[float, float]]]]:
    numbers = record.parts("runs")[0].parts("numbers")[0]
    rows = numbers.parts("rows")
    serial = [row.number("median_ms") for row in rows if row.text("name") == "serial"]
    if not serial or serial[0] <= 0:
        raise ValueError(f"{numbers.place}: the field rows has no serial run")
    curves = []
    for kind, name in enumerate(("pinned", "pageable")):
        points = [(row.number("streams"), serial[0] / row.number("median_ms")) for row in rows
                  if row.text("name") == name]
        if len(points) < 2:
            raise ValueError(f"{numbers.place}: the field rows has no two {name} runs")
        machine = machine_of(record).split(" (")[0]
        curves.append((f"{machine}, {name}" if several else name, kind, points))
    return curves


# --- Dots -----------------------------------------------------------------------------------------------------

def draw_dots(recipe: Part, records: List[Part]) -> Canvas:
    """The times of all calls in their order: how long the call held the host, and how long the device worked."""
    calls = records[0].parts("runs")[0].parts("numbers")[0].parts("calls", 3)
    series = [("the device works", "device_ms", KERNEL), ("the call holds the host", "host_ms", COPY_OUT)]
    times = {key: [call.number(key) * 1e6 for call in calls] for _, key, _ in series}
    if min(min(values) for values in times.values()) <= 0:
        raise ValueError(f"{records[0].place}: the field calls has a time that did not pass")
    every = [value for values in times.values() for value in values]
    canvas = Canvas(WIDE, 420)
    right = canvas.width - max(width_of(name, SMALL + 1, True) for name, _, _ in series) - 24
    across = Scale(0, len(calls) + 1, 84, right)
    up = Scale(10 ** math.floor(math.log10(min(every))), 10 ** math.ceil(math.log10(max(every))), 366, 40, log=True)
    warm_ups = sum(call.flag("warm_up") for call in calls)
    canvas.rect(across.x0, up.x1 - 30, across(warm_ups + .5) - across.x0, up.x0 - up.x1 + 30, "--panel")
    canvas.text((across.x0 + across(warm_ups + .5)) / 2, up.x1 - 12, "warm-up", MUTED, SMALL, "middle")
    for tick in up.ticks():
        canvas.line(across.x0, up(tick), across.x1, up(tick), LINE, 1)
        canvas.text(across.x0 - 10, up(tick) + 5, time_text(tick, 1), MUTED, SMALL, "end")
    for name, key, color in series:
        draw_series(canvas, across, up, times[key], warm_ups, name, color, key == "host_ms")
    for tick in across.ticks(10)[1:]:
        canvas.text(across(tick), up.x0 + 22, f"{tick:g}", MUTED, SMALL, "middle")
    canvas.text(across.x1, up.x0 + 44, "calls, in their order", MUTED, SMALL, "end")
    return canvas


def draw_series(canvas: Canvas, across: Scale, up: Scale, values: List[float], warm_ups: int, name: str, color: str,
                square: bool) -> None:
    """Warm-ups are hollow. The line is the median of the others."""
    median = statistics.median(values[warm_ups:])
    canvas.line(across(warm_ups + .5), up(median), across.x1, up(median), color, 1.5, stroke_dasharray="6 4")
    for k, value in enumerate(values):
        more = dict(stroke=color, stroke_width=2.0)
        fill = "--paper" if k < warm_ups else color
        if square:
            canvas.rect(across(k + 1) - 4.5, up(value) - 4.5, 9, 9, fill, **more)
        else:
            canvas.dot(across(k + 1), up(value), 5, fill, **more)
    canvas.text(across.x1 + 12, up(median) - 4, name, INK, SMALL + 1, bold=True)
    canvas.text(across.x1 + 12, up(median) + 15, f"median {time_text(median, 3)}", MUTED, SMALL)
