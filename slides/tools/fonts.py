"""Writes the fonts of the slides as CSS: fonts.py FILE. Each is a Debian font reduced to the glyphs that slides use and
written into the style sheet, so that a page needs no other file."""
import base64
import os
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDERS = ["/usr/share/fonts", *(f"{place}/usr/share/fonts" for place in os.environ.get("LAB_PACKAGES", "").split(":"))]
# Family, weight, style, file.
FACES = [("Inter", 400, "normal", "Inter-Regular"), ("Inter", 400, "italic", "Inter-Italic"),
         ("Inter", 600, "normal", "Inter-SemiBold"), ("JetBrains Mono", 400, "normal", "JetBrainsMono-Regular")]
# Latin, punctuation, superscripts and subscripts, arrows, mathematics, box drawing, blocks, shapes, ticks.
GLYPHS = "U+20-7E,U+A0-FF,U+131,U+152-153,U+3B1-3C9,U+2010-2027,U+2030-203A,U+2070-208E,U+20AC,U+2190-2199,U+2206," \
         "U+220F,U+2211,U+2212,U+221A,U+221E,U+2248,U+2260,U+2264,U+2265,U+22EF,U+2500-259F,U+25A0-25FF,U+2713,U+2717"
FEATURES = "kern,mark,mkmk,ccmp,locl,tnum"  # without the ligatures that make an arrow of ->


def face(family: str, weight: int, style: str, name: str) -> str:
    found = [path for folder in FOLDERS for path in sorted(Path(folder).glob(f"**/{name}.[ot]tf"))]
    if not found:
        sys.exit(f"The font {name} is missing: run 'make setup FOR=slides'")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "font.woff2"
        try:
            subprocess.run(["pyftsubset", str(found[0]), f"--output-file={out}", "--flavor=woff2",
                            f"--unicodes={GLYPHS}", f"--layout-features={FEATURES}", "--no-hinting"], check=True)
        except (FileNotFoundError, subprocess.CalledProcessError):
            sys.exit("The fonts cannot be made smaller: run 'make setup FOR=slides' (fonttools and python3-brotli)")
        data = base64.b64encode(out.read_bytes()).decode()
    return f'@font-face{{font-family:"{family}";font-weight:{weight};font-style:{style};' \
           f'src:url(data:font/woff2;base64,{data}) format("woff2")}}\n'


if __name__ == "__main__":
    Path(sys.argv[1]).write_text("".join(face(*font) for font in FACES), "utf-8")
