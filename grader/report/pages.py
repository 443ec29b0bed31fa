"""The pages: what each template is given, and the templates filled in.

Knows which facts stand on which page. How they look is the templates' and the style sheet's; what they say is
wording.py's and summaries.py's. Every page stands alone: style, script and drawings are inside it.
"""
from __future__ import annotations

import base64
import functools
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import summaries
import wording
from drawing import DRAWING_LIMIT, Refused, page_drawing
from excerpt import source_excerpt
from files import is_file_below, read_below
from results import LONG_TEXT_LIMIT, Class, Ratio, Submission
from text import clean, clean_line

TEMPLATES = Path(__file__).resolve().parent / "templates"
MISMATCHES_SHOWN = 8


@dataclass(frozen=True)
class Row:
    """A submission in the table of the class page."""
    submission: Submission
    address: str
    trouble: str
    ratios: Dict[str, Ratio]


@dataclass(frozen=True)
class Timeline:
    """What there is to show of a run; each part may be absent. `refusal` says why a drawing is not shown."""
    drawing: Optional[Markup]
    refusal: str
    text: str
    trace_address: str


def class_page(results: Class, title: Optional[str] = None) -> str:
    submissions = results.submissions
    rows = [Row(submission, _address(submission), wording.trouble(submission),
                {ratio.label: ratio for ratio in submission.ratios}) for submission in submissions]
    return _environment().get_template("class.html.j2").render(
        results=results,
        title=clean_line(title, 200) if title else f"{results.lab.name}: {results.lab.title}",
        own_title=bool(title),
        rows=rows,
        faults=[row for row in rows if not row.submission.scored],
        verdict_counts=summaries.verdict_counts(submissions),
        scores=summaries.class_scores(submissions),
        rates=summaries.check_rates(submissions),
        ratio_labels=summaries.ratio_labels(submissions),
    )


def submission_page(results: Class, position: int, out: Path) -> str:
    """The page of the submission at that position; `out` is where its artifacts are read from."""
    submission = results.submissions[position]
    neighbours = results.submissions
    return _environment().get_template("submission.html.j2").render(
        results=results,
        submission=submission,
        checks=[(check, source_excerpt(out, submission, check.location)) for check in submission.checks],
        timing_bars=summaries.timing_bars(submission.timings),
        timeline=_timeline(submission, out),
        before=_neighbour(neighbours[position - 1]) if position > 0 else None,
        after=_neighbour(neighbours[position + 1]) if position + 1 < len(neighbours) else None,
        mismatches_shown=MISMATCHES_SHOWN,
    )


def _timeline(submission: Submission, out: Path) -> Timeline:
    artifacts = submission.artifacts
    drawing, refusal = None, ""
    if artifacts.timeline_svg:
        data = read_below(out, artifacts.timeline_svg, DRAWING_LIMIT)
        try:
            if data is None:
                raise Refused("its file is missing or cannot be read")
            label = clean(f"Timeline of the run of {submission.name}: one row a stream, time from left to right", 500)
            drawing = Markup(page_drawing(data, "timeline", label))
        except Refused as reason:
            refusal = f"The drawn timeline is not shown: {reason}."
    text = read_below(out, artifacts.timeline_text, DRAWING_LIMIT) if artifacts.timeline_text else None
    recorded = bool(artifacts.trace) and is_file_below(out, artifacts.trace)
    return Timeline(
        drawing=drawing,
        refusal=refusal,
        text="" if text is None else clean(text.decode("utf-8", "replace"), LONG_TEXT_LIMIT),
        trace_address=quote(os.path.relpath(artifacts.trace, submission.directory)) if recorded else "",
    )


def _address(submission: Submission) -> str:
    """Relative to the class page."""
    return quote(submission.directory) + "/index.html"


def _neighbour(submission: Submission) -> Dict[str, str]:
    return {"name": wording.name(submission.name), "address": "../" + _address(submission)}


@functools.lru_cache(maxsize=None)
def _environment() -> Environment:
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined,
                              trim_blocks=True, lstrip_blocks=True)
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    script = (TEMPLATES / "sort.js").read_text(encoding="utf-8")
    filters: List[Any] = [wording.moment, wording.device, wording.count, wording.counted, wording.measure,
                          wording.ratio, wording.percent, wording.duration, wording.name, wording.shortened,
                          wording.seed, wording.first_not_passed]
    environment.filters.update({function.__name__: function for function in filters})
    environment.globals.update(
        style=Markup(style),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii"),
        verdict_tones=wording.VERDICT_TONES,
        status_tones=wording.STATUS_TONES,
        kind_words=wording.KIND_WORDS,
    )
    return environment
