"""Makes one page of a run of the pipeline: page.py FOLDER PAGE.html. FOLDER has the pictures in `in`, and in `out` what
folder.c has written. The page holds all of it and loads nothing."""
import base64
import json
import sys
from pathlib import Path

import jinja2

HEIGHT = 64  # of a histogram's drawing


def main():
    folder, page = Path(sys.argv[1]), Path(sys.argv[2])
    run = json.loads((folder / "out/run.json").read_text())
    for picture in run["pictures"]:
        picture["before"] = embedded(folder / "in" / picture["name"])
        picture["after"] = embedded(folder / "out" / picture["name"])
        picture["bars"] = bars(picture["histogram"])
    template = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(
        Path(__file__).with_name("page.html.j2").read_text())
    page.write_text(template.render(run=run, height=HEIGHT, measured=drawing(folder / "out/timeline.svg"),
                                    modelled=drawing(folder / "out/modelled.svg")))


def drawing(file):
    text = file.read_text()
    return text[text.index("<svg"):]


def embedded(file):
    return "data:image/png;base64," + base64.b64encode(file.read_bytes()).decode()


def bars(counts):
    """The outline of a histogram. Most bytes of an edge picture are small, so the height is the count's root."""
    most = max(counts) or 1
    heights = [HEIGHT * (count / most) ** 0.5 for count in counts]
    return "M0," + f"{HEIGHT} " + " ".join(f"L{v},{HEIGHT - h:.1f} L{v + 1},{HEIGHT - h:.1f}" for v, h in
                                           enumerate(heights)) + f" L256,{HEIGHT} Z"


main()
