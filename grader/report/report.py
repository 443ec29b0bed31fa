#!/usr/bin/env python3
"""The grader's report: reads OUT/results.json and writes OUT/index.html and a page for each submission.

    report.py OUT [--title TEXT]

Exit status: 0 when all pages were written; 1 when one could not be written; 2 when the results are missing or
malformed, with one sentence that names the field.
"""
from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import List, Optional, Union

if not sys.flags.dont_write_bytecode:
    # Nothing is written beside the sources: what is built belongs elsewhere.
    sys.dont_write_bytecode = True

from files import write_whole
from results import Malformed, load_class
from wording import counted


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="report.py", description="Writes the pages of a graded class.")
    parser.add_argument("out", metavar="OUT", type=Path, help="folder that holds results.json; the pages go there")
    parser.add_argument("--title", help="title of the class page, in place of the lab's")
    options = parser.parse_args(arguments)

    try:
        from pages import class_page, submission_page
    except ImportError as error:
        return complain(f"cannot draw pages: {error}; install Jinja2 (Debian: python3-jinja2)", 1)

    source = options.out / "results.json"
    try:
        results = load_class(source.read_bytes())
    except Malformed as error:
        return complain(f"{shown(source)}: {error}", 2)
    except OSError as error:
        return complain(f"cannot read {shown(source)}: {error.strerror}", 2)

    target = options.out / "index.html"
    try:
        for position, submission in enumerate(results.submissions):
            page = submission_page(results, position, options.out)
            write_whole(options.out / submission.directory / "index.html", page)
        write_whole(target, class_page(results, options.title))
    except OSError as error:
        return complain(f"cannot write {shown(error.filename2 or error.filename or target)}: {error.strerror}", 1)
    print(f"{shown(target)}: {counted(len(results.submissions), 'submission', 'submissions')}")
    return 0


def shown(path: Union[str, Path]) -> str:
    """The path as it can be printed, whatever bytes it has."""
    return os.fsencode(path).decode("utf-8", "replace")


def complain(message: str, status: int) -> int:
    print(f"report.py: {message}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
