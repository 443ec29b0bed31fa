"""Finds submissions with passages in common, by winnowed fingerprints of the tokens of their sources.

A source becomes tokens without comments and layout; names that the student chose all count as the same, names of the
library and the language as themselves, numbers and texts as their kind. Every run of RUN tokens has a fingerprint,
and of each WINDOW of them in a row one is kept (winnowing), so that any passage of RUN + WINDOW - 1 tokens that two
sources share is found. Fingerprints of the starter, and those that many of the class have, do not count.
Knows sources and numbers; it does not judge.
"""
from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import combinations
from types import MappingProxyType
from typing import Dict, FrozenSet, List, Mapping, NamedTuple, Sequence, Tuple

RUN = 14                # tokens
WINDOW = 6              # fingerprints
LEAST_SHARED = 5        # fingerprints that a pair must share to be listed
LEAST_SHARE = 0.5       # of those of the source that has fewer
COMMON_SHARE = 0.15     # of the class: what more submissions have in common belongs to the task
LEAST_COMMON = 4        # submissions, however small the class
MOST_COMMON = 40        # submissions, however large the class
MOST_PAIRS = 40

_PRIME = 2**61 - 1
_BASE = 0x0f3a9c51d7e24b69
_LEAVING = pow(_BASE, RUN, _PRIME)
_LARGEST = _PRIME  # no fingerprint is as large

_TOKEN = re.compile(r"""
    \s+ | //(?:[^\n\\]|\\.)* | /\*.*?(?:\*/|\Z) | \\\n
  | "(?:[^"\\\n]|\\.)*"? | '(?:[^'\\\n]|\\.)*'?
  | \.?[0-9](?:[eEpP][+-]|[\w.])*
  | [^\W\d]\w*
  | -> | \+\+ | -- | <<= | >>= | << | >> | [-+*/%&|^!<>=]= | && | \|\| | \#\# | .
""", re.VERBOSE | re.DOTALL)
_SKIPPED = re.compile(r"\s|//|/\*|\\\n")
_NUMBER = re.compile(r"\.?[0-9]")
_NAME = re.compile(r"[^\W\d]")
_MAY_SPAN_LINES = ("", '"')  # comments and texts, by what they count as
_FIXED = frozenset("""
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool true
    false size_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t NULL define include ifdef ifndef
    endif malloc calloc free memcpy memset printf fprintf""".split())
_OF_LIBRARY = re.compile(r"(?i)lab(?:\d+)?_")


@dataclass(frozen=True)
class Tokens:
    """The words of a source, and the line of each."""
    words: List[str]
    lines: List[int]


class Print(NamedTuple):
    """A fingerprint, and the first of the RUN tokens that it stands for."""
    value: int
    first: int


@dataclass(frozen=True)
class Source:
    tokens: Tokens
    prints: List[Print]
    values: FrozenSet[int]


@dataclass(frozen=True)
class Passage:
    """Lines of both sources, first and last, that hold the same tokens."""
    left: Tuple[int, int]
    right: Tuple[int, int]


@dataclass(frozen=True)
class Pair:
    left: str
    right: str
    shared: int   # fingerprints
    share: float  # of those of the source that has fewer
    passages: List[Passage]


def tokens_of(text: str) -> Tokens:
    words: List[str] = []
    lines: List[int] = []
    line = 1
    known: Dict[str, str] = {}
    for token in _TOKEN.findall(text):
        word = known.get(token)
        if word is None:
            word = known[token] = _word(token)
        if word:
            words.append(word)
            lines.append(line)
        if word in _MAY_SPAN_LINES:
            line += token.count("\n")
    return Tokens(words, lines)


def _word(token: str) -> str:
    """The word that the token counts as; "" for layout and comments."""
    if _SKIPPED.match(token):
        return ""
    if token[0] in "\"'":
        return '"'
    if _NUMBER.match(token):
        return "0"
    if _NAME.match(token):
        return token if token in _FIXED or _OF_LIBRARY.match(token) else "n"
    return token


def fingerprints(tokens: Tokens) -> List[Print]:
    """The winnowed fingerprints: of every WINDOW in a row the smallest, of equal ones the last."""
    values = _all_values(tokens)
    width = min(WINDOW, len(values))
    kept: List[Print] = []
    least, place = _LARGEST, -1
    for last, value in enumerate(values):
        if value <= least:
            least, place = value, last
        elif place <= last - width:  # the smallest so far has left the window
            window = values[last - width + 1:last + 1]
            least = min(window)
            place = last - window[::-1].index(least)
        elif last >= width:
            continue
        if last >= width - 1:
            kept.append(Print(least, place))
    return kept


def source_of(text: str) -> Source:
    tokens = tokens_of(text)
    prints = fingerprints(tokens)
    return Source(tokens, prints, frozenset(found.value for found in prints))


def similar_pairs(texts: Mapping[str, str], starter: str = "",
                  groups: Mapping[str, FrozenSet[str]] = MappingProxyType({})) -> List[Pair]:
    """Pairs of the named sources that have much in common, most first. Names that share a group are not a pair."""
    sources = {name: source_of(text) for name, text in texts.items()}
    ignored = frozenset(_all_values(tokens_of(starter))) | _common(list(sources.values()))
    owners: Dict[int, List[str]] = {}
    own: Dict[str, FrozenSet[int]] = {name: source.values - ignored for name, source in sources.items()}
    for name, values in own.items():
        for value in values:
            owners.setdefault(value, []).append(name)
    shared: Counter[Tuple[str, str]] = Counter()
    for names in owners.values():
        shared.update(combinations(names, 2))
    listed = []
    for (left, right), count in shared.items():
        share = count / min(len(own[left]), len(own[right]))
        together = groups.get(left, frozenset()) & groups.get(right, frozenset())
        if count >= LEAST_SHARED and share >= LEAST_SHARE and not together:
            listed.append((share, count, left, right))
    listed.sort(key=lambda entry: (-entry[0], -entry[1], entry[2], entry[3]))
    return [Pair(left, right, count, share, _passages(sources[left], sources[right], own[left] & own[right]))
            for share, count, left, right in listed[:MOST_PAIRS]]


def _all_values(tokens: Tokens) -> List[int]:
    """The fingerprint of every run, rolling: the same in every process, so that reports are reproducible."""
    numbers = [_number(word) for word in tokens.words]
    value, values = 0, []
    for entering, leaving in zip(numbers, [0] * RUN + numbers):
        value = (value * _BASE + entering - leaving * _LEAVING) % _PRIME
        values.append(value)
    return values[RUN - 1:]


@lru_cache(maxsize=4096)
def _number(word: str) -> int:
    return int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=7).digest(), "little")


def _common(sources: Sequence[Source]) -> FrozenSet[int]:
    counts = Counter(value for source in sources for value in source.values)
    most = min(max(LEAST_COMMON, COMMON_SHARE * len(sources)), MOST_COMMON)
    return frozenset(value for value, count in counts.items() if count > most)


def _passages(left: Source, right: Source, values: FrozenSet[int]) -> List[Passage]:
    """The lines that the shared fingerprints stand for, neighbours joined, in the order of the left source."""
    places = {found.value: found.first for found in reversed(right.prints)}
    found = [(_lines(left, place.first), _lines(right, places[place.value]))
             for place in left.prints if place.value in values]
    joined: List[Passage] = []
    for ours, theirs in found:
        last = joined[-1] if joined else None
        if last and ours[0] <= last.left[1] + 1 and last.right[0] <= theirs[0] <= last.right[1] + 1:
            joined[-1] = Passage((last.left[0], max(last.left[1], ours[1])),
                                 (last.right[0], max(last.right[1], theirs[1])))
        else:
            joined.append(Passage(ours, theirs))
    return joined


def _lines(source: Source, first: int) -> Tuple[int, int]:
    return source.tokens.lines[first], source.tokens.lines[first + RUN - 1]
