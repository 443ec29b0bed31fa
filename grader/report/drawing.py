"""Makes a drawing from outside this program safe to put inside a page.

Takes the bytes of an SVG file and returns markup for an HTML page: only elements, attributes and styles that draw;
nothing that runs, loads or points outside. Identifiers and classes get a prefix and style rules a scope, so that
several drawings and the page do not affect each other. A drawing with anything else in it is refused as a whole, with
the reason. Independent of timelines.
"""
from __future__ import annotations

import functools
import re
import xml.etree.ElementTree as ElementTree
from html import escape
from typing import Dict, List, NamedTuple

from text import clean

DRAWING_LIMIT = 4 << 20
DEEPEST = 32

SVG = "{http://www.w3.org/2000/svg}"
XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"

ELEMENTS = frozenset("""
    svg g defs symbol use title desc style rect circle ellipse line polyline polygon path text tspan
    linearGradient radialGradient stop clipPath mask pattern marker""".split())

# Properties that attributes and style rules may set.
PROPERTIES = frozenset("""
    alignment-baseline baseline-shift clip-path clip-rule color color-scheme display dominant-baseline fill
    fill-opacity fill-rule font font-family font-feature-settings font-size font-style font-variant-numeric
    font-weight letter-spacing marker-end marker-mid marker-start mask opacity overflow paint-order pointer-events
    shape-rendering stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap
    stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-anchor text-decoration text-rendering
    transform vector-effect visibility white-space word-spacing""".split())

# Properties that only style rules may set: the size of the drawing and its background.
STYLE_PROPERTIES = PROPERTIES | frozenset("background background-color height max-width min-width width".split())

ATTRIBUTES = PROPERTIES | frozenset("""
    version baseProfile viewBox preserveAspectRatio width height x y x1 x2 y1 y2 cx cy r rx ry fx fy dx dy d
    points rotate textLength lengthAdjust pathLength offset gradientUnits gradientTransform spreadMethod
    patternUnits patternContentUnits patternTransform clipPathUnits maskUnits maskContentUnits markerUnits
    markerWidth markerHeight refX refY orient role lang type""".split())

FUNCTIONS = frozenset("""
    url var rgb rgba hsl hsla calc min max clamp translate translatex translatey scale scalex scaley rotate skewx
    skewy matrix""".split())

_TAKEN_OUT = SVG + "marks"
_NAMES = {SVG + name: name for name in ELEMENTS}

_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_VALUE = re.compile(r"""[\w\s#%.,()'"+*/!-]*""", re.ASCII)
_CALL = re.compile(r"([\w-]*)\s*\(([^()]*)", re.ASCII)
_is_number = re.compile(r"-?[0-9.]+", re.ASCII).fullmatch
_is_plain = re.compile(r"[\w\n ,.:;#()/+×-]*[\w,.:;#()/+×-]", re.ASCII).fullmatch  # needs no escape
# Marks of operations, most of a drawing: what they hold is safe as it is. They are taken out before it is parsed.
_MARK = (r'<rect class="[a-z]+"(?: (?:x|y|width|height)="-?[0-9.]+"){4}>'
         r"<title>[\w\n ,.:;#()/+×-]*[\w,.:;#()/+×-]</title></rect>")
_MARKS = re.compile(rf"{_MARK}(?:\n{_MARK})*")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_MEDIA = re.compile(r"\s*@media\b([^{}]+)\{((?:[^{}]+\{[^{}]*\})*)\s*\}")
_MEDIA_QUERY = re.compile(r"\(\s*(?:prefers-[a-z-]+\s*:\s*[a-z-]+|(?:min|max)-width\s*:\s*\d+px)\s*\)|screen|print")
_SELECTOR = re.compile(r"[\w\s.#>*:-]+", re.ASCII)
_OWN_ROOT = re.compile(r"(?:svg|:root)(?![\w-])", re.ASCII)


class Refused(Exception):
    """The drawing holds something that a page must not have. The message completes "it was refused because"."""


def page_drawing(data: bytes, prefix: str, label: str) -> str:
    """Markup of the drawing for an HTML page. `prefix` must be unique on the page; `label` describes a drawing that has
    no label of its own. Raises Refused."""
    marks: List[str] = []

    def kept(run: re.Match[str]) -> str:
        marks.append(run[0].replace('<rect class="', f'<rect class="{prefix}-'))
        return f'<marks run="{len(marks) - 1}"/>'

    root = _parse(_MARKS.sub(kept, _text(data)))
    if root.tag != SVG + "svg":
        raise Refused("its outermost element is not <svg>")
    written: List[str] = []
    own = {"id": f"{prefix}-root", "role": "img", "aria-label": root.get("aria-label", label)}
    _write(root, _Page(prefix, marks), 0, written, own)
    return "".join(written)


class _Page(NamedTuple):
    prefix: str
    marks: List[str]  # runs of marks that were taken out


def _text(data: bytes) -> str:
    if len(data) > DRAWING_LIMIT:
        raise Refused("it is too large")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("it is not UTF-8 text") from None


def _parse(text: str) -> ElementTree.Element:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise Refused("it declares a document type")
    try:
        return ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise Refused(f"it is not well-formed XML ({error})") from None


def _write(element: ElementTree.Element, page: _Page, depth: int, written: List[str],
           own: Dict[str, str] = {}) -> None:
    """Appends the element and its children, rewritten for the page, with the attributes `own`. Raises Refused."""
    if depth > DEEPEST:
        raise Refused("its elements are nested too deeply")
    name = _NAMES.get(element.tag)
    if element.tag == _TAKEN_OUT and element.get("run", "") in map(str, range(len(page.marks))):
        written.append(page.marks[int(element.get("run", ""))])
        return
    if name is None:
        raise Refused(f"it holds the element <{clean(element.tag.rpartition(SVG)[2], 60)}>")
    if name in ("title", "desc", "style") and len(element) > 0:
        raise Refused(f"its <{name}> holds elements")
    markup = f"<{name}"
    for attribute, value in element.items():
        if attribute in ATTRIBUTES and _is_number(value):  # most of a drawing
            markup += f' {attribute}="{value}"'
        elif attribute not in own:
            markup += _attribute(attribute, value, page.prefix)
    for attribute, value in own.items():
        markup += f' {attribute}="{escape(value)}"'
    text = element.text
    if text:
        markup += f">{escape(_scoped_rules(text, page.prefix)) if name == 'style' else _shown(text)}"
    else:
        markup += ">"
    written.append(markup)
    for child in element:
        _write(child, page, depth + 1, written)
        text = child.tail
        if text:
            written.append("\n" if text == "\n" else _shown(text))
    written.append(f"</{name}>")


def _shown(text: str) -> str:
    """Text in an element or between two; white space becomes the end of a line."""
    if _is_plain(text):
        return text
    return "\n" if text.isspace() else escape(clean(text, DRAWING_LIMIT))


@functools.lru_cache(maxsize=4096)
def _attribute(name: str, value: str, prefix: str) -> str:
    """The attribute as markup for the page, after a space. Raises Refused."""
    if name in ("id", "class", "aria-labelledby", "aria-describedby"):
        value = " ".join(_prefixed(word, prefix) for word in value.split())
    elif name in ("href", XLINK_HREF):
        if not value.startswith("#"):
            raise Refused("it points to something outside itself")
        name, value = "href", "#" + _prefixed(value[1:], prefix)
    elif name == "style":
        value = _admitted_declarations(value, prefix)
    elif name == XML_SPACE:
        name, value = "xml:space", "preserve" if value == "preserve" else "default"
    elif name.startswith(("aria-", "data-")) and _NAME.fullmatch(name):
        value = clean(value, DRAWING_LIMIT)
    elif name in ATTRIBUTES:
        value = _admitted_value(value, prefix)
    else:
        raise Refused(f"it holds the attribute {clean(name, 60)}")
    return f' {name}="{escape(value)}"'


def _prefixed(name: str, prefix: str) -> str:
    if not _NAME.fullmatch(name):
        raise Refused(f"it uses the name {clean(name, 60)!r}")
    return f"{prefix}-{name}"


def _admitted_value(value: str, prefix: str) -> str:
    """The value of a property or attribute with prefixed references. Raises Refused for escapes and addresses."""
    if not _VALUE.fullmatch(value):
        raise Refused(f"it uses the value {clean(value, 60)!r}")
    if "(" not in value:
        return value
    for function, argument in _CALL.findall(value):
        if function and function.lower() not in FUNCTIONS:
            raise Refused(f"it uses the function {clean(function, 60)}()")
        if function.lower() == "url" and not argument.strip().startswith("#"):
            raise Refused("it points to something outside itself")
    return re.sub(r"(?i)\burl\s*\(\s*#([^()]*)\)", lambda found: f"url(#{_prefixed(found[1].strip(), prefix)})", value)


def _admitted_declarations(text: str, prefix: str) -> str:
    admitted: List[str] = []
    for declaration in text.split(";"):
        if not declaration.strip():
            continue
        name, _, value = (part.strip() for part in declaration.partition(":"))
        if name.lower() not in STYLE_PROPERTIES and not (name.startswith("--") and _NAME.fullmatch(name[2:])):
            raise Refused(f"it sets the style property {clean(name, 60)!r}")
        admitted.append(f"{name}:{_admitted_value(value, prefix)}")
    return ";".join(admitted)


@functools.lru_cache(maxsize=64)
def _scoped_rules(text: str, prefix: str) -> str:
    """Style rules that apply to this drawing only. Rules for a dark screen do not apply to paper."""
    text = _COMMENT.sub(" ", text).strip()
    scoped: List[str] = []
    position = 0
    while position < len(text):
        media = _MEDIA.match(text, position)
        found = media or _RULE.match(text, position)
        if not found:
            raise Refused("its style sheet cannot be read")
        if media:
            query = media.group(1).strip()
            if not _MEDIA_QUERY.fullmatch(query):
                raise Refused(f"it has styles for {clean(query, 60)!r}")
            query = f"screen and {query}" if query.startswith("(") else query
            inner = "".join(_scoped_rule(rule, prefix) for rule in _RULE.finditer(media.group(2)))
            scoped.append(f"@media {query}{{{inner}}}")
        else:
            scoped.append(_scoped_rule(found, prefix))
        position = found.end()
        while text[position:position + 1].isspace():
            position += 1
    return "\n".join(scoped)


def _scoped_rule(rule: re.Match[str], prefix: str) -> str:
    selectors = ",".join(_scoped_selector(selector, prefix) for selector in rule.group(1).split(","))
    return f"{selectors}{{{_admitted_declarations(rule.group(2), prefix)}}}"


def _scoped_selector(selector: str, prefix: str) -> str:
    selector = selector.strip()
    if not _SELECTOR.fullmatch(selector):
        raise Refused(f"it has styles for {clean(selector, 60)!r}")
    root = f"#{prefix}-root"
    selector = re.sub(r"([.#])(?=[A-Za-z_])", rf"\1{prefix}-", selector)
    own = _OWN_ROOT.match(selector)
    if own:
        return root + selector[own.end():]
    within = f"{root} {selector}"
    return f"{root}{selector},{within}" if selector[0] in ".#" else within
