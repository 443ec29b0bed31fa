"""Finds submissions with passages in common, by winnowed fingerprints of the tokens of their sources.

A source becomes tokens without comments and layout; names that the student chose all count as the same, names of the
library and the language as themselves, numbers and texts as their kind. Every run of RUN tokens has a fingerprint,
and of each WINDOW of them in a row one is kept (winnowing), so that any passage of RUN + WINDOW - 1 tokens that two
sources share is found. Fingerprints of the starter and the lesson, and those that many of the class have, do not count.
Sources are compared as they stand and with their own macros expanded; the larger share counts. What the workbook's own
solution has too is counted apart, and so are files whose tokens are all the same. Each source is read within limits
(bounded.py): one that exceeds them is named with the reason, and costs the others nothing. Knows sources and numbers;
it does not judge.
"""
from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import combinations
from types import MappingProxyType
from typing import Dict, FrozenSet, Iterable, Iterator, List, Mapping, NamedTuple, Sequence, Tuple

import bounded
from macros import Endless, expanded

RUN = 14                # tokens
WINDOW = 6              # fingerprints
LEAST_SHARED = 5        # fingerprints that a pair must share to be listed
LEAST_SHARE = 0.5       # of those of the source that has fewer
COMMON_SHARE = 0.15     # of the class: what more submissions have in common belongs to the task
LEAST_COMMON = 8        # submissions, however small the class
MOST_COMMON = 40        # submissions, however large the class
MOST_PAIRS = 40
LEAST_EQUAL = 3         # files with the same tokens are told, however many have them
MOST_TOKENS = 20_000    # of a source, and of its expansion: some 2,000 lines
SOLUTION_SHARE = 0.75    # of the fingerprints of a source, which the workbook's solution has too
_DEFINES = re.compile(r"#\s*define|\btypedef\b")

_PRIME = 2**61 - 1
_BASE = 0x0f3a9c51d7e24b69
_LEAVING = pow(_BASE, RUN, _PRIME)
_LARGEST = _PRIME  # no fingerprint is as large

_TOKEN = re.compile(r"""
    \s+ | //(?:[^\n\\]|\\.)* | /\*.*?(?:\*/|\Z) | \\\n
  | "[^"\\\n]*(?:\\.[^"\\\n]*)*"? | '[^'\\\n]*(?:\\.[^'\\\n]*)*'?
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
class Comparable:
    """A source as it was read for comparison."""
    plain: Source
    expanded: Source  # the same as `plain` without macros
    digest: str       # of its tokens without layout and comments; "" if it could not be read
    remark: str       # what of it could not be compared; ""


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
    for match in _TOKEN.finditer(text):
        token = match.group()
        if len(words) == MOST_TOKENS:
            break
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


def expanded_tokens_of(text: str) -> Tokens:
    """The words with the source's own macros expanded. Raises Endless."""
    found = [(_word(token.text), token.line) for token in expanded(text, _TOKEN)][:MOST_TOKENS]
    return Tokens([word for word, _ in found if word], [line for word, line in found if word])


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


def _source_of(tokens: Tokens, prints: Sequence[Sequence[int]]) -> Source:
    return Source(tokens, [Print(*found) for found in prints], frozenset(value for value, _ in prints))


_known: Dict[bytes, Comparable] = {}  # by the digest of the text
_UNREAD = Comparable(_source_of(Tokens([], []), []), _source_of(Tokens([], []), []), "",
                     "could not be compared: it needs more time or memory than a file may")


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass")).digest()


def read_sources(texts: Iterable[str]) -> None:
    """Reads the sources that are not known yet. Processes that are started later know them too."""
    new = {_key(text): text for text in texts}
    new = {key: text for key, text in new.items() if key not in _known}
    for key, found in zip(new, bounded.each(_read, list(new.values()))):
        if found is None:
            _known[key] = _UNREAD
            continue
        forms = [_source_of(Tokens(words, lines), prints) for words, lines, prints in found[0]]
        _known[key] = Comparable(forms[0], forms[-1], found[1], found[2])


def _read(text: str) -> Tuple[List[Tuple[List[str], List[int], List[Tuple[int, int]]]], str, str]:
    """The forms of a source, its digest and the remark, as plain data."""
    forms, remark = [tokens_of(text)], ""
    if len(forms[0].words) == MOST_TOKENS:
        remark = f"is long: only its first {MOST_TOKENS:,} tokens were compared"
    if _DEFINES.search(text):
        try:
            forms.append(expanded_tokens_of(text))
        except Endless:
            remark = "has macros that grow without end: it was compared as it stands only"
    return [(form.words, form.lines, [tuple(found) for found in fingerprints(form)]) for form in forms], \
        _digest(text), remark


def _digest(text: str) -> str:
    digest = blake2b(digest_size=32)
    for match in _TOKEN.finditer(text):
        if not _SKIPPED.match(match.group()):
            digest.update(match.group().encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()


def _comparable(text: str) -> Comparable:
    read_sources([text])
    return _known[_key(text)]


def remark_on(text: str) -> str:
    """What of a source could not be compared; "" also for one that was not read."""
    known = _known.get(_key(text))
    return known.remark if known else ""


def equal_files(texts: Mapping[str, str], given: Sequence[str] = ()) -> List[List[str]]:
    """The names of LEAST_EQUAL and more sources whose tokens are all the same, the largest group first. Texts of the
    workbook itself, `given`, are nobody's copy."""
    same: Dict[str, List[str]] = {}
    for name in sorted(texts):
        same.setdefault(_comparable(texts[name]).digest, []).append(name)
    for digest in {"", _digest(""), *map(_digest, given)}:
        same.pop(digest, None)
    groups = [names for names in same.values() if len(names) >= LEAST_EQUAL]
    return sorted(groups, key=lambda names: (-len(names), names))


def similar_pairs(texts: Mapping[str, str], given: str = "",
                  groups: Mapping[str, FrozenSet[str]] = MappingProxyType({}),
                  earlier: Mapping[str, str] = MappingProxyType({})) -> List[Pair]:
    """Pairs of the named sources that have much in common, most first; MOST_PAIRS of them have their passages. Names
    that share a group are not a pair. `given` is what the workbook gives everybody. Sources of an earlier class are on
    the right of their pairs, and never two of them a pair."""
    best: Dict[Tuple[str, str], _Shared] = {}
    for sources in _both_forms({**texts, **earlier}):
        ignored = _ignored(given) | _common([sources[name] for name in texts])
        for pair in _shared_pairs(sources, ignored, groups, earlier):
            known = best.get((pair.left, pair.right))
            if known is None or pair.share > known.share:
                best[pair.left, pair.right] = pair
    listed = sorted(best.values(), key=lambda pair: (-pair.share, -pair.count, pair.left, pair.right))
    return [Pair(pair.left, pair.right, pair.count, pair.share,
                 _passages(*pair.sources, pair.values()) if rank < MOST_PAIRS else [])
            for rank, pair in enumerate(listed)]


def clusters(pairs: Sequence[Pair]) -> List[List[str]]:
    """The names that pairs link, directly or through others: each group of three or more, the largest first."""
    group: Dict[str, List[str]] = {}
    for pair in pairs:
        left, right = group.setdefault(pair.left, [pair.left]), group.setdefault(pair.right, [pair.right])
        if left is not right:
            left.extend(right)
            group.update((name, left) for name in right)
    different = {id(names): sorted(names) for names in group.values() if len(names) > 2}
    return sorted(different.values(), key=lambda names: (-len(names), names))


def like_solution(texts: Mapping[str, str], solution: str, given: str = "") -> List[Tuple[str, float]]:
    """The sources of which at least SOLUTION_SHARE is in the workbook's own solution too, and that share; most first.
    What many of the class have counts here: many may have copied it."""
    shares: Dict[str, float] = {}
    for sources in _both_forms({**texts, "": solution}):
        ignored = _ignored(given)
        wanted = sources[""].values - ignored
        for name in texts:
            own = sources[name].values - ignored
            if len(own & wanted) >= LEAST_SHARED:
                shares[name] = max(shares.get(name, 0.0), len(own & wanted) / len(own))
    listed = [(name, share) for name, share in shares.items() if share >= SOLUTION_SHARE]
    return sorted(listed, key=lambda entry: (-entry[1], entry[0]))


class _Shared(NamedTuple):
    left: str
    right: str
    count: int
    share: float
    sources: Tuple[Source, Source]
    ignored: FrozenSet[int]

    def values(self) -> FrozenSet[int]:
        return (self.sources[0].values & self.sources[1].values) - self.ignored


def _both_forms(texts: Mapping[str, str]) -> Iterator[Dict[str, Source]]:
    """The sources as they stand; then, if any has macros, with macros expanded."""
    read_sources(texts.values())
    forms = {name: _comparable(text) for name, text in texts.items()}
    yield {name: form.plain for name, form in forms.items()}
    if any(form.plain is not form.expanded for form in forms.values()):
        yield {name: form.expanded for name, form in forms.items()}


def _shared_pairs(sources: Mapping[str, Source], ignored: FrozenSet[int], groups: Mapping[str, FrozenSet[str]],
                  earlier: Mapping[str, str]) -> Iterator[_Shared]:
    owners: Dict[int, List[str]] = {}
    own: Dict[str, FrozenSet[int]] = {name: source.values - ignored for name, source in sources.items()}
    for name, values in own.items():
        for value in values:
            owners.setdefault(value, []).append(name)
    shared: Counter[Tuple[str, str]] = Counter()
    for names in owners.values():
        shared.update((left, right) for left, right in combinations(names, 2) if left not in earlier)
    for (left, right), count in shared.items():
        share = count / min(len(own[left]), len(own[right]))
        together = groups.get(left, frozenset()) & groups.get(right, frozenset())
        if count >= LEAST_SHARED and share >= LEAST_SHARE and not together:
            yield _Shared(left, right, count, share, (sources[left], sources[right]), ignored)


def _ignored(given: str) -> FrozenSet[int]:
    return frozenset(_all_values(tokens_of(given))) | frozenset(_all_values(expanded_tokens_of(given)))


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
    """What too many have. Sources that are the same count as one, up to MOST_COMMON of them: a copy does not make a
    passage common."""
    counts = Counter(value for values in {source.values for source in sources} for value in values)
    copies = Counter(value for source in sources for value in source.values)
    most = min(max(LEAST_COMMON, COMMON_SHARE * len(sources)), MOST_COMMON)
    return frozenset(value for value, count in counts.items() if count > most or copies[value] > MOST_COMMON)


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
