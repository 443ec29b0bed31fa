"""The names of columns in grade sheets, in several languages: the table that the grader reads rosters by.

Knows grader/src/course/column_names.h, which has one name a line.
"""
from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Dict, List, Tuple

TABLE = Path(__file__).resolve().parents[1] / "src/course/column_names.h"


@functools.lru_cache(maxsize=None)
def _table() -> Tuple[Dict[str, List[str]], Dict[str, str], List[str]]:
    """The names by their kind, the kinds by the words of --columns, and how identifiers of Moodle begin."""
    text = TABLE.read_text(encoding="utf-8")
    names: Dict[str, List[str]] = {}
    for kind, name in re.findall(r'^ *COLUMN\((\w+), "([^"]*)"\)', text, re.MULTILINE):
        names.setdefault(kind, []).append(name)
    words = {word: kind for kind, word in re.findall(r'^ *KIND\((\w+), "([^"]*)"\)', text, re.MULTILINE)}
    return names, words, re.findall(r'^ *WORD\("([^"]*)"\)', text, re.MULTILINE)


def names_of(kind: str) -> List[str]:
    """What systems call a column of the kind, in lower case, the surest first."""
    return _table()[0][kind]


def kinds_by_word() -> Dict[str, str]:
    """The kinds by the words with which --columns names them."""
    return _table()[1]


def plain_id(text: str) -> str:
    """ "4711" for Moodle's "Participant 4711" in any of the languages, in lower case; another text as it is."""
    words = "|".join(map(re.escape, _table()[2]))
    found = re.fullmatch(rf"(?:{words}) *(\d+)", text)
    return found[1] if found else text.removeprefix("#")
