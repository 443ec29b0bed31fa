"""Builds the playground, one page without anything around it: playground.py MODULE PAGE. MODULE is the library in
WebAssembly."""
from __future__ import annotations

import base64
import gzip
import json
import sys
from pathlib import Path

import jinja2

FOLDER = Path("slides/playground")
SCRIPTS = ("ask.js", "program.js", "record.js", "board.js", "playground.js")
MOST_BYTES = 300_000


def page(module: bytes) -> str:
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(str(FOLDER)), autoescape=True,
                                     undefined=jinja2.StrictUndefined)
    theme = Path("slides/theme")
    return environment.get_template("page.html").render(
        style=(theme / "theme.css").read_text("utf-8") + (FOLDER / "playground.css").read_text("utf-8"),
        dark=(theme / "dark.css").read_text("utf-8"),
        module=base64.b64encode(gzip.compress(module, 9, mtime=0)).decode("ascii"),
        puzzles=json.loads((FOLDER / "puzzles.json").read_text("utf-8")),
        script="".join((FOLDER / name).read_text("utf-8") for name in SCRIPTS))


def main(module: str, out: str) -> None:
    text = page(Path(module).read_bytes())
    if len(text.encode()) > MOST_BYTES:
        sys.exit(f"{out}: the page has {len(text.encode())} bytes, and {MOST_BYTES} is the most it may have")
    Path(out).write_text(text, "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
