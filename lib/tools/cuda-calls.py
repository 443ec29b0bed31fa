#!/usr/bin/env python3
"""Writes what follows from the table of CUDA's calls, lib/src/cudart/calls.txt: the declarations that the headers in
lib/include/cuda include, and the tables of lib/docs/cuda-calls.md. With --check it writes nothing, and fails if a file
is not what it would write.
"""
import re
import sys
import textwrap

TABLE = "lib/src/cudart/calls.txt"
PAGE = "lib/docs/cuda-calls.md"
INTERFACES = {"runtime": ("cudaError_t", "lib/include/cuda/lab_runtime_calls.h", "The CUDA runtime API"),
              "driver": ("CUresult", "lib/include/cuda/lab_driver_calls.h", "The CUDA driver API")}
BREAK = "\\\n    "
CALL = re.compile(r"(?:(const char \*|struct \w+) ?)?(\w+)\((.*)\)$")


def fail(number, text):
    sys.exit(f"{TABLE}:{number}: {text}")


def read_table():
    """For each interface its groups: a title with calls, each (kind, result, names, parameters, text)."""
    table = {}
    groups = None
    for number, line in enumerate(open(TABLE, encoding="utf-8"), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            groups = table.setdefault(line[1:-1], [])
        elif line.startswith("== "):
            groups.append((line[3:], []))
        elif " ! " in line:
            names, text = line.split(" ! ")
            word, *others = names.split()
            kind = word if word in ("type", "struct") else "missing"
            groups[-1][1].append((kind, "", others if kind == word else names.split(), "", text))
        else:
            declaration, _, text = (part.strip() for part in line.partition(" | "))
            match = CALL.match(declaration)
            if not match:
                fail(number, f"not a call: {line}")
            result, name, parameters = match.groups()
            groups[-1][1].append(("call", result or "", [name], parameters, text))
    return table


def wrapped(text, indent):
    return "\n".join(textwrap.wrap(text, 118, subsequent_indent=" " * indent, break_long_words=False))


def declared(result, name, parameters):
    parameters = re.sub(r" = (\w+)", r" LAB_CUDA_DEFAULT(\1)", parameters)
    return wrapped(f"LAB_CUDA_CALL {result}{'' if result.endswith('*') else ' '}{name}({parameters});", 4)


def header(interface, groups):
    result, path, title = INTERFACES[interface]
    guard = path.rpartition("/")[2].replace(".", "_").upper()
    lines = [f"/* {title}: its calls, which lib/tools/cuda-calls.py writes from {TABLE}. */",
             f"#ifndef {guard}", f"#define {guard}", "", "#pragma GCC system_header", "", "/* clang-format off */"]
    calls = [call for _, calls in groups for call in calls]
    for title, of_group in groups:
        here = [call for call in of_group if call[0] == "call"]
        if here:
            lines += ["", f"/* {title} */"]
        lines += [declared(own or result, names[0], parameters) for _, own, names, parameters, _ in here]
    lines += ["", "/* Not here: using one is an error with its reason. */"]
    macro = {"type": "LAB_CUDA_MISSING_TYPE", "struct": "LAB_CUDA_MISSING_STRUCT", "missing": "LAB_CUDA_MISSING"}
    for kind, _, names, _, text in calls:
        if kind in macro:
            lines += [f"#define LAB_CUDA_NOT(name) {BREAK}{macro[kind]}({result}, name, {BREAK}\"{text}\")",
                      wrapped(" ".join(f"LAB_CUDA_NOT({name})" for name in names), 0), "#undef LAB_CUDA_NOT"]
    lines += ["/* clang-format on */", "", "#endif"]
    return path, "\n".join(lines) + "\n"


def places(interface, groups):
    """The macros that note the place of a call. They follow all declarations, which they would change."""
    _, path, title = INTERFACES[interface]
    calls = [call for _, calls in groups for call in calls]
    lines = [f"/* {title}: places of calls. lib/tools/cuda-calls.py writes this from {TABLE}. */",
             "/* clang-format off */", "#ifndef LAB_NO_LOCATION",
             *(f"#define {names[0]}(...) {BREAK if len(names[0]) > 35 else ''}LAB_CUDA_AT({names[0]}(__VA_ARGS__))"
               for kind, own, names, _, _ in calls if kind == "call" and not own), "#endif"]
    return path.replace("_calls", "_places"), "\n".join(lines) + "\n"


def tables(table):
    lines = []
    for interface, groups in table.items():
        lines += [f"## {INTERFACES[interface][2]}", ""]
        for title, calls in groups:
            if title == "Not here":
                continue
            lines += [f"### {title}", "", "| call | what differs |", "|---|---|",
                      *(f"| `{names[0]}` | {text} |" for _, _, names, _, text in calls), ""]
        lines += ["### Not here", "", "| calls | why |", "|---|---|",
                  *(f"| {', '.join(f'`{name}`' for name in names)} | {text} |"
                    for title, calls in groups if title == "Not here" for _, _, names, _, text in calls), ""]
    return "\n".join(lines).rstrip() + "\n"


def page(table):
    before, marker, _ = open(PAGE, encoding="utf-8").read().partition("<!-- tables -->\n")
    if not marker:
        sys.exit(f"{PAGE}: the line <!-- tables --> is missing")
    return PAGE, before + marker + "\n" + tables(table)


def main():
    table = read_table()
    stale = False
    files = [write(interface, groups) for interface, groups in table.items() for write in (header, places)]
    for path, text in [*files, page(table)]:
        try:
            is_same = open(path, encoding="utf-8").read() == text
        except FileNotFoundError:
            is_same = False
        if "--check" in sys.argv and not is_same:
            print(f"{path} is not what lib/tools/cuda-calls.py writes: run it")
            stale = True
        elif not is_same:
            open(path, "w", encoding="utf-8").write(text)
    sys.exit(stale)


if __name__ == "__main__":
    main()
