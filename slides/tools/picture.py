"""Writes a figure as an SVG that needs no page, in the light colours of the theme: picture.py FIGURE FILE.svg."""
import re
import sys
from pathlib import Path

import figure


def main(name: str, out: str) -> None:
    theme = Path("slides/theme/theme.css").read_text("utf-8")
    colours = dict(re.findall(r"(--[\w-]+): (#\w+)", theme[:theme.index("}")]))
    svg = re.sub(r"var\((--[\w-]+)\)", lambda found: colours[found[1]], figure.drawn(name).svg)
    left, top, width, height = map(float, re.search(r'viewBox="([^"]*)"', svg)[1].split())
    frame = f'{left - 16:g} {top - 16:g} {width + 32:g} {height + 32:g}'
    ground = '<rect x="{}" y="{}" width="{}" height="{}" fill="{}"/>'.format(*frame.split(), colours["--paper"])
    svg = re.sub(r'viewBox="[^"]*"', f'viewBox="{frame}" color="{colours["--ink"]}" '
                 'font-family="Inter, Helvetica, Arial, sans-serif"', svg, count=1)
    Path(out).write_text(re.sub(r"<svg\b[^>]*>", lambda root: root[0] + ground, svg, count=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
