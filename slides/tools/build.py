"""Builds one page of the slides: build.py KIND SOURCE PAGE, with KIND deck, page, sheet or index; the index takes all
decks as SOURCE. Next to the page it writes PAGE.d, the files that the page is made from, for make. A fault ends it with
status 1, after all of them are printed. With DRAFT=1 in the environment a figure or record that does not exist yet
becomes a box, and other faults are printed alone."""
from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Dict, List

import jinja2

import deck as decks
import fit
import source

THEME = Path("slides/theme")
# Built from other sources than slides/NAME.md, or under another name.
PAGES = {"slides/README.md": "course.html", "slides/cheat-sheet.md": "cheat-sheet.html",
         "slides/glossary.md": "glossary.html"}
PLAYGROUND = "playground.html"  # made before the decks, where there is a compiler for it


def built() -> Dict[str, str]:
    """The pages by their sources."""
    pages = {str(path): f"{path.stem}.html" for path in Path("slides").glob("*.md")
             if path.name not in ("template.md", "AUTHORING.md")}
    pages.update((path, page) for path, page in PAGES.items() if path in pages)
    return pages


def filled(template: str, folder: Path, **values: object) -> str:
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(str(THEME)), autoescape=True, trim_blocks=True,
                                     lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    style = (folder / "fonts.css").read_text("utf-8") + (THEME / "theme.css").read_text("utf-8")
    page_style, dark = ((THEME / name).read_text("utf-8") for name in ("page.css", "dark.css"))
    return environment.get_template(template).render(style=style, page_style=page_style, dark=dark, **values)


def lesson_of(deck: decks.Deck, folder: Path) -> str:
    """The link to the lesson of the deck's lab."""
    lessons = list(Path("labs").glob(f"{deck.about['lab']}-*/README.md")) if "lab" in deck.about else []
    return os.path.relpath(lessons[0], folder) if lessons else ""


def deck_page(path: str, folder: Path, draft: bool) -> str:
    deck = decks.read_deck(path)
    writer = decks.Writer(deck, draft, (folder / PLAYGROUND).exists())
    markdown = writer.slides()
    for slide in deck.slides:
        decks.broken_links(deck, slide.lines)
    give_up_on(deck.faults, draft)
    pages = {**built(), f"slides/{PLAYGROUND}": PLAYGROUND}
    body = fit.fitted(decks.finished(deck, decks.converted(markdown, "-auto_identifiers"), pages, str(folder)))
    scripts = "".join((THEME / name).read_text("utf-8") for name in ("player.js", "deck.js"))
    return filled("deck.html", folder, deck=deck, body=body, script=scripts, lesson=lesson_of(deck, folder),
                  lesson_name=Path(lesson_of(deck, folder)).parent.name)


def text_page(kind: str, path: str, folder: Path, draft: bool) -> str:
    deck = decks.read_page(path)
    markdown = "\n".join(decks.Writer(deck, draft).markdown(deck.before))
    decks.broken_links(deck, deck.before)
    give_up_on(deck.faults, draft)
    body = decks.finished(deck, decks.converted(markdown, "+gfm_auto_identifiers"), built(), str(folder))
    title = re.search(r"<h1[^>]*>(.*?)</h1>", body, re.S)
    if not title:
        give_up_on([f"{path}:1: the page has no title: begin it with # and a title"])
    return filled("page.html", folder, kind=kind, body=body, title=re.sub(r"<[^>]+>", "", title[1]))


def index_page(paths: List[str], folder: Path) -> str:
    listed = [decks.read_deck(path) for path in paths]
    listed.sort(key=lambda deck: ("lab" in deck.about, deck.name != "opening", deck.name))
    give_up_on([fault for deck in listed for fault in deck.faults])
    rows = [{"deck": deck, "lesson": lesson_of(deck, folder)} for deck in listed]
    return filled("index.html", folder, rows=rows, pages=set(built().values()),
                  playground=(folder / PLAYGROUND).exists())


def give_up_on(faults: List[str], draft: bool = False) -> None:
    if faults:
        print(*faults, sep="\n", file=sys.stderr)
    if faults and not draft:
        sys.exit(1)


def main(kind: str, *names: str) -> None:
    *paths, page = names
    folder = Path(page).parent
    draft = os.environ.get("DRAFT") == "1"
    try:
        text = deck_page(paths[0], folder, draft) if kind == "deck" else index_page(paths, folder) \
            if kind == "index" else text_page(kind, paths[0], folder, draft)
    except source.Fault as fault:
        give_up_on([str(fault)])
    Path(page).write_text(text, "utf-8")
    files = sorted(source.READ)
    rules = "".join(f"{file}:\n" for file in files)
    Path(page + ".d").write_text(f"{page}: {' '.join(files)}\n{rules}", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
