"""Makes untrusted text safe to look at: nothing in it hides, reorders or floods other text.

The templates escape it for HTML.
"""
from __future__ import annotations

import re

# Control characters except tab and line feed; halves of surrogate pairs and non-characters; characters that
# embed, override or isolate a direction of writing. Marks that names need (joiners, direction marks) stay.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
                     "\u2028-\u2029\u202a-\u202e\u2066-\u2069]")


def clean(text: str, limit: int) -> str:
    """The text with its unsafe characters written as in C (\\x1b, \\u202e), cut at the limit with a note of that."""
    if len(text) <= limit and text.isascii() and text.isprintable():
        return text  # most texts
    text = text.replace("\r\n", "\n")
    dropped = len(text) - limit
    shown = _UNSAFE.sub(_escape, text[:limit])
    return f"{shown}\u2026 ({dropped:,} more characters)" if dropped > 0 else shown


def clean_line(text: str, limit: int) -> str:
    """The text as one line: a name, a label."""
    return clean(text, limit).replace("\n", "\\n").replace("\t", "\\t")


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
