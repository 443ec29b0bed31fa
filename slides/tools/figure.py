"""What a figure is: the interface between the build of the slides and figures.py, which draws.

    def draw(recipe: dict, records: list[dict], name: str) -> Figure

`recipe` is slides/figures/NAME.json, `records` are the files slides/records/RECORD.json that its "records" lists, in
that order, and `name` is NAME. draw raises ValueError with a sentence if the recipe or a record is not what it needs.

An SVG has a viewBox and no width or height. It takes colours from the theme's variables alone, so that it follows light
and dark: --ink, --paper, --muted, --line, --panel, --copy-in, --kernel, --copy-out, --host, --wrong, --right, and
currentColor. Text on a bar of one of these colours is --paper. Its font comes from the page; class="code" sets text in
the fixed-width font. Ids in an SVG or in `html` need to be unique in that figure only.

A table is `html` without steps. Wide parts scroll by themselves in a narrow window.

A player is `html` with `steps` > 0. In it
    an element of the SVG with data-step="3" appears at step 3 and stays; a <rect data-step> grows from its left edge
    a line of code from source.listing(…, steps={LINE: "1 4"}) is lit at the steps 1 and 4
    <ol class="steps"><li data-step="3">…</li></ol> says in a sentence what happens; one is shown at a time
Step 0 is the empty picture. Without the script, in print and on a phone, the last state shows. player.js adds the
buttons (first, back, on, play) and takes the arrow keys before the slide turns."""
from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import List, Sequence

import source


@dataclass
class Figure:
    svg: str = ""
    html: str = ""     # in place of svg
    caption: str = ""  # HTML: machine, date and command, from the records
    steps: int = 0     # of a player


def load(path: str) -> dict:
    try:
        return json.loads(source.read(path))
    except ValueError as error:
        raise source.Fault(f"{path} is not JSON: {error}") from None


def recorded(name: str) -> dict:
    """The record NAME, which is slides/records/NAME.json."""
    return load(source.existing(f"slides/records/{name}.json", "record", "make it with `make slides-record`"))


def not_shown(name: str, recipe: dict) -> List[str]:
    """The records of the figure that its recipe does not show: those of another machine."""
    records = [f"{name}.{machine}" for machine in recipe["record"]["on"]]
    return [record for record in records
            if record not in recipe["records"] and Path(f"slides/records/{record}.json").exists()]


def drawn(name: str, shown: Sequence[str] = ()) -> Figure:
    """The figure of slides/figures/NAME.json, of the records that its recipe shows or of others."""
    recipe = load(source.existing(f"slides/figures/{name}.json", "figure", "write its recipe, or build with DRAFT=1"))
    if not isinstance(recipe.get("records"), list) or not recipe["records"]:
        raise source.Fault(f'slides/figures/{name}.json has no "records": a figure is drawn from recorded runs')
    recipe["records"] = list(shown) or recipe["records"]
    records = [recorded(record) for record in recipe["records"]]
    import figures
    try:
        return figures.draw(recipe, records, name)
    except ValueError as error:
        raise source.Fault(f"slides/figures/{name}.json: {error}") from None


def with_own_ids(markup: str, prefix: str) -> str:
    """The markup with a prefix before each of its ids, so that two figures of a page have none in common."""
    ids = set(re.findall(r'\bid="([^"]+)"', markup))
    if not ids:
        return markup
    names = "|".join(sorted(map(re.escape, ids), key=len, reverse=True))
    markup = re.sub(rf'(\bid="|href="#|url\(#)({names})(?=["\)])', rf"\g<1>{prefix}-\g<2>", markup)
    return re.sub(r'(aria-(?:labelledby|describedby)=")([^"]+)',
                  lambda found: found[1] + " ".join(f"{prefix}-{name}" if name in ids else name
                                                    for name in found[2].split()), markup)
