#!/usr/bin/env python3
"""Draws measured against modelled times: model-plot.py write|check PLOT.svg <TABLE

TABLE is what model_programs prints. With check, it compares the kept plot with the table instead, and fails if they
differ; but for programs whose records differ from run to run: in what the host computed between its calls, or in what
the null stream still had to wait for.
"""

import math
import re
import sys

LEAST, MOST = 0.03, 30  # milliseconds, of both axes
SIDE, MARGIN = 560, 60
ROW = re.compile(r"^(\S+)\s+([\d.]+) \([\d.]+ to [\d.]+\)\s+([\d.]+)\s+([-+][\d.]+) %(?:  (set aside|fresh))?$")
VARIES = ("spin-", "nulls-")


def place(time):
    """The distance of a time from the beginning of an axis."""
    inside = min(max(time, LEAST), MOST)
    return SIDE * math.log(inside / LEAST) / math.log(MOST / LEAST)


def x(time):
    return MARGIN + place(time)


def y(time):
    return MARGIN + SIDE - place(time)


def line(start, end, style):
    (x1, y1), (x2, y2) = start, end
    return f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" {style}/>'


def frame(programs):
    """The axes, with a line for each power of ten, and the diagonals."""
    whole = SIDE + 2 * MARGIN
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {whole}"'
    yield ' font-family="sans-serif" font-size="14">'
    yield f"<title>Measured against modelled times of {programs} programs, in milliseconds</title>"
    yield f'<rect width="{whole}" height="{whole}" fill="white"/>'
    for tick in (0.1, 1, 10):
        yield line((x(tick), y(LEAST)), (x(tick), y(MOST)), 'stroke="#ccc"')
        yield line((x(LEAST), y(tick)), (x(MOST), y(tick)), 'stroke="#ccc"')
        yield f'<text x="{x(tick):.0f}" y="{y(LEAST) + 20:.0f}" text-anchor="middle">{tick:g} ms</text>'
        yield f'<text x="{x(LEAST) - 6:.0f}" y="{y(tick) + 5:.0f}" text-anchor="end">{tick:g} ms</text>'
    yield line((x(LEAST), y(LEAST)), (x(MOST), y(MOST)), 'stroke="black"')
    for factor in (0.9, 1.1):
        low, high = max(LEAST, LEAST / factor), min(MOST, MOST / factor)
        yield line((x(low), y(low * factor)), (x(high), y(high * factor)), 'stroke="black" stroke-dasharray="4"')
    yield f'<text x="{whole / 2:.0f}" y="{whole - 12}" text-anchor="middle">measured on an H200</text>'
    yield f'<text transform="translate(16 {whole / 2:.0f}) rotate(-90)" text-anchor="middle">modelled on h200</text>'
    legend = "full: tuned; hollow: set aside; squares: fresh; dashed: 10 % away"
    yield f'<text x="{MARGIN + 10}" y="{MARGIN + 20}">{legend}</text>'


def point(row):
    name, measured, modelled, difference, marked = row.groups()
    right, down = x(float(measured)), y(float(modelled))
    if marked == "fresh":
        shape, style = f'rect x="{right - 5:.0f}" y="{down - 5:.0f}" width="10" height="10"', 'stroke="#b4500a"'
    else:
        shape, style = f'circle cx="{right:.0f}" cy="{down:.0f}" r="5"', 'stroke="#1f5fa8"'
    fill = "none" if marked else "#1f5fa8"
    return (
        f'<{shape} fill="{fill}" {style} stroke-width="1.5"><title>{name}: {measured} ms '
        f"measured, {modelled} ms modelled, {difference} %</title></{shape.split()[0]}>"
    )


def same(kept, drawn):
    def lasting(lines):
        return [each for each in lines if not any(f"<title>{name}" in each for name in VARIES)]

    return lasting(kept) == lasting(drawn)


def main():
    what, path = sys.argv[1:]
    rows = [row for row in map(ROW.match, sys.stdin.read().splitlines()) if row]
    drawn = [*frame(len(rows)), *map(point, rows), "</svg>"]
    if not rows:
        sys.exit("model-plot.py: the input has no rows of model_programs")
    if what == "write":
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(drawn) + "\n")
        return
    with open(path, encoding="utf-8") as file:
        kept = file.read().splitlines()
    if not same(kept, drawn):
        sys.exit(f"{path} is not what the model says now: draw it again with 'make model-plot'")


if __name__ == "__main__":
    main()
