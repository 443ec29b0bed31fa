#!/usr/bin/env python3
"""Before an export: lists what in OUT needs a person, writes it as a page, and closes what a person has looked at.

    review.py OUT [--done CODE... --why TEXT [--who NAME]]

Exit status: 0 when the list and its page were written; 2 when the results cannot be used or a code is not open, with a
sentence that says why.
"""
from __future__ import annotations

import argparse
import csv
import getpass
import io
import os
import sys
import textwrap
from datetime import datetime, timezone
from pathlib import Path
from typing import List, Optional, Sequence

if not sys.flags.dont_write_bytecode:
    # Nothing is written next to the sources.
    sys.dont_write_bytecode = True

import open_items
from course import Unusable, load_course, shown
from files import write_whole
from open_items import KINDS, Item, LabItems
from text import clean_line
from wording import counted

COLUMNS = 80


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="review.py", description="Lists what needs a person before an export.")
    parser.add_argument("out", metavar="OUT", type=Path, help="what labgrade wrote")
    parser.add_argument("--done", metavar="CODE", nargs="+", default=[], help="closes these items; needs --why")
    parser.add_argument("--why", metavar="TEXT", default="", help="why they are closed")
    parser.add_argument("--who", metavar="NAME", default="", help="who closes them (your user name)")
    options = parser.parse_args(arguments)
    try:
        course = load_course(options.out)
        labs = open_items.items_of(course, options.out)
        if options.done:
            close(options.out, labs, options.done, options.who or user(), options.why)
            labs = open_items.items_of(course, options.out)
        write_page(options.out, course, labs)
    except Unusable as error:
        print(f"review.py: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"review.py: cannot write in {shown(options.out)}: {error.strerror}", file=sys.stderr)
        return 2
    print("\n".join(told(options.out, labs)))
    return 0


def user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def write_page(out: Path, course: open_items.Course, labs: Sequence[LabItems]) -> None:
    """Raises Unusable without Jinja2, and OSError."""
    try:
        from pages import REVIEW_PAGE, review_page
    except ImportError as error:
        raise Unusable(f"cannot draw pages: {error}; install Jinja2 (Debian: python3-jinja2)") from None
    write_whole(out / REVIEW_PAGE, review_page(course, labs, out))


def close(out: Path, labs: Sequence[LabItems], codes: Sequence[str], who: str, why: str) -> None:
    """Adds the codes to +reviewed.csv. Raises Unusable for one that is not open, and then none is closed."""
    items = {item.code: item for lab in labs for item in lab.open}
    for code in codes:
        if code not in items:
            raise Unusable(f"{clean_line(code, 40)} is not the code of an open item")
    if not why.strip():
        raise Unusable("--why is needed: it stays with the item")
    path = out / open_items.REVIEWED
    text = io.StringIO(path.read_text(encoding="utf-8") if path.exists() else "", newline="")
    text.seek(0, io.SEEK_END)
    writer = csv.writer(text, lineterminator="\n")
    if not text.tell():
        writer.writerow(open_items.REVIEWED_HEAD)
    when = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    for code in dict.fromkeys(codes):
        writer.writerow([code, clean_line(who, 100), clean_line(why, 1000), when, what(items[code])])
    write_whole(path, text.getvalue())


def what(item: Item) -> str:
    names = open_items.names(item)
    return f"{names}: {item.words}" if names else item.words


def told(out: Path, labs: Sequence[LabItems]) -> List[str]:
    """What is open, for a terminal of 80 columns. Lines for the shell are never folded."""
    number = open_items.count_open(labs)
    page = shown(out / "+review.html")
    if not number:
        return [f"{page}: nothing needs a person before you export"]
    lines = [f"{page}: {counted(number, 'thing needs', 'things need')} a person before you export"]
    for lab in labs:
        for kind, (heading, advice) in KINDS.items():
            items = lab.of_kind(kind)
            if not items:
                continue
            where = f"{lab.lab.name}: " if len(labs) > 1 else ""
            lines += ["", f"{where}{heading} ({len(items)})", *textwrap.wrap(advice, COLUMNS)]
            for item in items:
                lines += textwrap.wrap(f"{item.code}  {what(item)}", COLUMNS, initial_indent="  ",
                                       subsequent_indent=" " * 10)
                lines += [f"          {item.line}"] if item.line else []
    table = (f"Lines with {open_items.ACCEPT} add to the table of --accept, which begins with submission,file,student. "
             if any(open_items.ACCEPT in line for line in lines) else "")
    lines += ["", *textwrap.wrap(f"{table}What is right as it is:", COLUMNS),
              f"  make grade-review OUT={shown(out)} DONE=CODE WHY=TEXT"]
    return lines


if __name__ == "__main__":
    sys.exit(main())
