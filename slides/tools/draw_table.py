"""A table of casts: what the device makes of each value, above what NumPy makes of it on x86-64."""
from __future__ import annotations

from html import escape
from typing import List

from draw_kit import Part


def html(recipe: Part, records: List[Part]) -> str:
    numbers = records[0].parts("runs")[0].parts("numbers")[0]
    values = numbers.values("values", str, "texts")
    shown = recipe.values("types", str, "texts")
    types = {part.text("type"): part for part in numbers.parts("types")}
    missing = [name for name in shown if name not in types]
    if missing:
        raise numbers.fault("types", f"has no {missing[0]}")
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in shown)
    rows = []
    for k, value in enumerate(values):
        cells = []
        for name in shown:
            device, numpy = (types[name].values(key, str, "texts") for key in ("device", "numpy"))
            if len(device) != len(values) or len(numpy) != len(values):
                raise types[name].fault("device", f"has not one result for each of the {len(values)} values")
            cells.append(cell(device[k], numpy[k]))
        rows.append(f'<tr><th scope="row"><code>{escape(value)}</code></th>{"".join(cells)}</tr>')
    return (f'<div class="scrolls"><table><thead><tr><th scope="col">float32</th>{head}</tr></thead>'
            f'<tbody>{"".join(rows)}</tbody></table></div>')


def cell(device: str, numpy: str) -> str:
    """One number where both agree; else both, named, with a sign that does not need colour."""
    minus = str.maketrans("-", "−")
    if device == numpy:
        return f"<td>{device.translate(minus)}</td>"
    return (f'<td style="background:var(--lit);box-shadow:-.45em 0 var(--lit)">device {device.translate(minus)}<br>'
            f"<strong>≠</strong> NumPy {numpy.translate(minus)}</td>")
