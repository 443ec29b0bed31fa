"""A C file as the mutator sees it: its functions, statements and expressions, each with its place in the text.

The statements come from the text, because LAB_TRY and LAB_WITH_STREAM are statements to the student and macros to the
compiler. The expressions and their types come from clang's syntax tree.
"""
import bisect
import difflib
import json
import os
import re
import subprocess

LEADING = re.compile(r"(if|for|while|switch|LAB_WITH_\w+)\s*\(")
QUALIFIER = re.compile(r"\b(const|volatile|restrict|struct|enum)\b")


class NoSource(Exception):
    """The file does not compile, or the mutator cannot read it."""


def blank(text):
    """The text with spaces for comments, directives and what stands in quotes. The length stays."""
    def spaces(match):
        found = match[0]
        if found[0] in "\"'":
            return found[0] + "_" * (len(found) - 2) + found[-1]
        return re.sub(r"[^\n]", " ", found)
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*'
    return re.sub(pattern, spaces, text, flags=re.S | re.M)


def closing(plain, start):
    """The place after the bracket that closes the one at start."""
    depth = 0
    for place in range(start, len(plain)):
        depth += (plain[place] in "([{") - (plain[place] in ")]}")
        if depth == 0:
            return place + 1
    raise NoSource("a bracket is not closed")


def arguments_of(plain, opening):
    """The places of the arguments between the parentheses that open here."""
    end, places, start, depth = closing(plain, opening) - 1, [], opening + 1, 0
    for place in range(opening + 1, end + 1):
        if place == end or (plain[place] == "," and depth == 0):
            part = plain[start:place]
            if part.strip():
                places.append((start + len(part) - len(part.lstrip()), start + len(part.rstrip())))
            start = place + 1
        else:
            depth += (plain[place] in "([{") - (plain[place] in ")]}")
    return places


class Statement:
    """One statement: its place, its kind (simple, block, case or the word it starts with), its head and its parts."""

    def __init__(self, kind, start, end, head=None, body=()):
        self.kind, self.start, self.end, self.head, self.body = kind, start, end, head, list(body)

    def all(self):
        yield self
        for part in self.body:
            yield from part.all()


def parse_statement(plain, start):
    """The statement that starts at the first word at or after start."""
    while plain[start].isspace():
        start += 1
    if plain[start] == "{":
        end, parts, place = closing(plain, start), [], start + 1
        while plain[place:end - 1].strip():
            parts.append(parse_statement(plain, place))
            place = parts[-1].end
        return Statement("block", start, end, body=parts)
    label = re.compile(r"(case\b[^:]*|default\s*):").match(plain, start)
    if label:
        return Statement("case", start, label.end(), (start, label.end()))
    leading = LEADING.match(plain, start)
    if leading:
        opening = leading.end() - 1
        head_end = closing(plain, opening)
        body = [parse_statement(plain, head_end)]
        other = re.compile(r"\s*else\b").match(plain, body[0].end)
        if leading[1] == "if" and other:
            body.append(parse_statement(plain, other.end()))
        return Statement(leading[1], start, body[-1].end, (opening + 1, head_end - 1), body)
    place = start
    while plain[place] != ";":
        place = closing(plain, place) if plain[place] in "([{" else place + 1
    return Statement("simple", start, place + 1)


class Expression:
    """An expression of the syntax tree: its place, kind (clang's), type, operator, and the places of its operands."""

    def __init__(self, node):
        self.start, self.end = node["here"]
        self.kind, self.opcode = node["kind"], node.get("opcode")
        self.type = plain_type(node.get("type", {}).get("qualType", ""))
        self.operands = [child.get("here") for child in node.get("inner", ())]


def plain_type(text):
    """A type without const and the like, for comparisons."""
    return re.sub(r"\s*([*\[\]])\s*", r"\1", QUALIFIER.sub("", text)).strip()


class Variable:
    """A parameter or local variable, and the part of the text that can name it."""

    def __init__(self, name, type_, start, end):
        self.name, self.type, self.start, self.end = name, type_, start, end


class Function:
    """A function that the file defines: its statements, variables and expressions."""

    def __init__(self, name, start, body, parameters, returns):
        self.name, self.start, self.body, self.parameters, self.returns = name, start, body, parameters, returns
        self.variables, self.expressions = [], []

    def statements(self):
        return self.body.all()


class Source:
    """A solution and the starter that it was made from."""

    def __init__(self, path, starter, includes):
        self.path, self.text = path, path.read_text()
        self.plain = blank(self.text)
        self.line_starts = [0] + [match.end() for match in re.finditer("\n", self.text)]
        self.students = students_lines(self.text, starter)
        self.functions, self.tables, self.records, self.enums, self.declared = [], [], {}, {}, set()
        self._read_tree(includes)

    def line(self, place):
        """The number of the line of this place, from 1."""
        return bisect.bisect_right(self.line_starts, place)

    def is_students(self, start, end):
        """Whether the student writes all lines of this part."""
        return all(line in self.students for line in range(self.line(start), self.line(max(start, end - 1)) + 1))

    def writes_in(self, function):
        """Whether the student writes a statement of this function."""
        return any(self.is_students(each.start, each.end) for each in function.statements() if each.kind == "simple")

    def words(self, start, end):
        """This part as one line."""
        return " ".join(self.text[start:end].split())

    def calls(self, start, end):
        """Each call in a part: the name's place, the opening bracket's, and the end."""
        for match in re.finditer(r"\b([A-Za-z_][\w.]*(?:->\w+)*)\s*\(", self.plain[start:end]):
            if not re.fullmatch(r"if|for|while|switch|return|sizeof", match[1]):
                opening = start + match.end() - 1
                yield start + match.start(1), match[1], opening, closing(self.plain, opening)

    def _read_tree(self, includes):
        command = ["clang", "-std=c11", "-D_GNU_SOURCE", "-w", "-fsyntax-only", "-Xclang", "-ast-dump=json",
                   *(f"-I{folder}" for folder in includes), str(self.path)]
        alone = {**os.environ, "CCACHE_DISABLE": "1"}  # which gives clang another file to read
        result = subprocess.run(command, capture_output=True, text=True, env=alone)
        if result.returncode:
            raise NoSource(result.stderr.strip())
        reader = _Tree(str(self.path))
        for node in json.loads(result.stdout)["inner"]:
            reader.place_all(node)
            self._read_declaration(node)

    def _read_declaration(self, node):
        if node["kind"] == "RecordDecl" and node.get("completeDefinition"):
            fields = [(field["name"], field["type"]["qualType"]) for field in node.get("inner", ())
                      if field["kind"] == "FieldDecl" and "name" in field]
            self.records[node.get("name")] = fields
        elif node["kind"] == "EnumDecl":
            names = [each["name"] for each in node.get("inner", ()) if each["kind"] == "EnumConstantDecl"]
            for name in names:
                self.enums[name] = names
        elif node["kind"] == "FunctionDecl":
            self.declared.add(node["name"])
            body = next((part for part in node.get("inner", ()) if part["kind"] == "CompoundStmt"), None)
            if body and node["here"]:
                self._read_function(node, body)
        elif node["kind"] == "VarDecl" and node["here"]:
            self.tables.append((node["name"], *node["here"]))

    def _read_function(self, node, body):
        parameters = [(part["name"], part["type"]["qualType"]) for part in node["inner"]
                      if part["kind"] == "ParmVarDecl" and "name" in part]
        block = parse_statement(self.plain, body["here"][0])
        returns = node["type"]["qualType"].split("(")[0].strip()
        function = Function(node["name"], node["here"][0], block, parameters, returns)
        function.variables = [Variable(name, type_, block.start, block.end) for name, type_ in parameters]
        blocks = [each for each in block.all() if each.kind != "simple"]
        seen = set()

        def walk(node):
            kind, here = node.get("kind", ""), node.get("here")
            if kind == "VarDecl" and here:
                scope = min((each for each in blocks if each.start <= here[0] < each.end),
                            key=lambda each: each.end - each.start)
                function.variables.append(Variable(node["name"], node["type"]["qualType"], here[1], scope.end))
            elif here and kind.endswith(("Expr", "Operator", "Literal")) and (here, kind) not in seen:
                seen.add((here, kind))
                function.expressions.append(Expression(node))
            for child in node.get("inner", ()):
                walk(child)
        walk(body)
        self.functions.append(function)


class _Tree:
    """Gives each node of the syntax tree its place in the file. clang names a file only where it changes."""

    def __init__(self, path):
        self.path, self.file = path, None

    def _place(self, location):
        """Start and end of the token at a location, or None where it is in another file."""
        if "spellingLoc" in location:
            spelled = self._place(location["spellingLoc"])
            self._place(location["expansionLoc"])
            return spelled
        self.file = location.get("file", self.file)
        if "offset" not in location or self.file != self.path:
            return None
        return location["offset"], location["offset"] + location["tokLen"]

    def place_all(self, node):
        self._place(node.get("loc", {}))
        bounds = node.get("range", {})
        begin, end = self._place(bounds.get("begin", {})), self._place(bounds.get("end", {}))
        node["here"] = (begin[0], end[1]) if begin and end and begin[0] < end[1] else None
        for child in node.get("inner", ()):
            self.place_all(child)


def students_lines(text, starter):
    """The numbers of the lines of a solution that its starter lacks."""
    old, new = starter.splitlines(), text.splitlines()
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return {line + 1 for tag, _, _, start, end in matcher.get_opcodes() if tag in ("insert", "replace")
            for line in range(start, end)}
