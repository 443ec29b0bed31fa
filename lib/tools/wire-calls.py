#!/usr/bin/env python3
"""Writes both sides of the wire from the table of calls: wire-calls.py TABLE FOLDER HEADER...

FOLDER gets the numbers of the calls (calls), lab.h's functions in the program, each of which sends a message
(remote_calls; remote_cooperative has the one that is linked only where it is called), and those that read the messages
in the device process and call the library (served_calls). TABLE says what a line means. Every function of the first
HEADER must be in it, with as many arguments as it has, of types that suit their words; functions of the other headers
are looked up there if the table names them.
"""
import hashlib
import os
import re
import sys

LOCAL, BY_HAND = ("local",), ("by", "hand")
DECLARATION = re.compile(r"^((?:const )?[a-z_][a-z0-9_]* \*?)((?:lab|wire)_[a-z0-9_]+)\(([^;{]*)\);", re.M)
NOT_VALUES = ("lab_args", "lab_arg")
# What the program tells the device process by having it linked (connect.c).
LINKED_WHERE_CALLED = "lab_launch_cooperative"
# Calls that a check cannot make fail: they declare, or prepare. Those that it can are of several kinds (served.h).
NEVER_FAIL = re.compile(r"lab_(host_reads|host_writes|next_uses|next_uses_host)|wire_(check|shared_memory)")
GO_BACK = re.compile(r".*_(destroy|free|unload|unregister|release|pop|free_all_blocks|free_stream_blocks)|"
                     r"lab_(stream_use|device_use|device_reset|context_set|thread_exchange_capture_mode)|"
                     r"wire_set_allocator|wire_thread_exchange_allocator")


def fail(text):
    sys.exit(f"wire-calls.py: {text}")


def split_parameters(text):
    """The parameters as pairs of type and name; a function pointer is of type "function"."""
    pairs = []
    for part in re.findall(r"[^,(]+(?:\([^()]*\)(?:\([^()]*\))?)?", text):
        part = part.strip()
        pointer = re.search(r"\(\*(\w+)\)", part)
        if pointer:
            pairs.append(("function", pointer.group(1), part))
        elif part != "void":
            name = re.search(r"\w+(?:\[\d+\])?$", part).group()
            pairs.append((part[:-len(name)].strip(), name, part))
    return pairs


def read_headers(paths):
    """The functions of each header, by name, and the types that are declared without a content."""
    headers, opaque = [], set()
    for path in paths:
        text = re.sub(r"/\*.*?\*/", "", open(path, encoding="utf-8").read(), flags=re.S)
        opaque.update(re.findall(r"^typedef struct (\w+) \1;", text, re.M))
        headers.append({name: (result.strip(), split_parameters(" ".join(parameters.split())))
                        for result, name, parameters in DECLARATION.findall(text.replace("_Noreturn ", ""))})
    return headers, opaque


def read_table(path):
    table, trusted, only_trusted = {}, set(), False
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.strip()
        if line == "[trusted]":
            only_trusted = True
        elif line and not line.startswith("#"):
            name, _, words = line.partition(":")
            if not words.strip() or name in table:
                fail(f"{path}:{number}: not NAME: WORDS, or a name that was there before: {line}")
            table[name] = tuple(word for word in words.split() if word != "nothing")
            if only_trusted:
                trusted.add(name)
    return table, trusted


def suits(word, kind, opaque):
    """Whether a parameter of this type may have this word."""
    base = kind.replace("const ", "").rstrip("*").strip()
    if word == "value":
        return "*" not in kind and kind != "function" and kind not in NOT_VALUES
    if word == "handle":
        return kind.count("*") == 1 and base in opaque
    if word in ("object", "struct"):
        return "*" in kind and not (kind.count("*") == 1 and (base in opaque or base == "void"))
    exact = {"text": ("const char *",), "address": ("void *", "const void *"), "function": ("function",),
             "args": ("lab_args",), "arg": ("lab_arg",)}
    return kind in exact.get(word, ())


def check(table, headers, opaque, path):
    known = {}
    for header in reversed(headers):
        known.update(header)
    for name in headers[0]:
        if name not in table:
            fail(f"{name} is not in {path}")
    for name, words in table.items():
        if name not in known:
            fail(f"{path} names {name}, which no header declares")
        parameters = known[name][1]
        if words in (LOCAL, BY_HAND):
            continue
        if len(words) != len(parameters):
            fail(f"{path}: {name} has {len(parameters)} arguments, not {len(words)}")
        for word, (kind, parameter, _) in zip(words, parameters):
            if not suits(word, kind, opaque):
                fail(f"{path}: {name}: {parameter} of type {kind} cannot be a {word}")
    return known


def pointed(kind):
    """What a pointer of this type points to."""
    return re.sub(r"\*$", "", kind).strip()


def joined(kind, name):
    return f"{kind}{name}" if kind.endswith("*") else f"{kind} {name}"


def remote(name, words, function):
    """The function in the program."""
    result, parameters = function
    put, take = [], []
    for word, (_, parameter, _) in zip(words, parameters):
        if word in ("value", "handle", "address", "function"):
            put.append(f"wire_put(wire_call, &{parameter}, sizeof {parameter});")
        elif word in ("text", "args", "arg"):
            put.append(f"wire_put_{word}(wire_call, {parameter});")
        else:
            put.append(f"wire_put_object(wire_call, {parameter}, sizeof *{parameter});" if word == "object" else
                       f"wire_put(wire_call, {parameter}, sizeof *{parameter});")
            given = f"if ({parameter}) " if word == "object" else ""
            take.append(f"{given}wire_get(wire_reply, (void *){parameter}, sizeof *{parameter});")
    declared = ", ".join(text for _, _, text in parameters) or "void"
    failed = {"void": "return;", "lab_status": "return LAB_ERROR_NOT_INITIALIZED;"}
    lines = [f"{joined(result, name)}({declared})", "{", f"    wire *wire_call = remote_begin(CALL_{name});"]
    if result == "void":
        lines += ["    if (!wire_call) return;"]
    elif result == "lab_status":
        lines += [f"    if (!wire_call) {failed[result]}"]
    else:
        lines += [f"    {joined(result, 'wire_result')} = {'{0}' if '*' not in result else 'NULL'};",
                  "    if (!wire_call) return wire_result;"]
    lines += [f"    {line}" for line in put]
    if result == "lab_status":
        lines += [f"    {joined(result, 'wire_result')};"]
    lines += ["    wire *wire_reply = remote_ask(wire_call);",
              "    if (!wire_reply) return" + {"void": ";", "lab_status": " LAB_ERROR_NOT_INITIALIZED;"}.get(
                  result, " wire_result;")]
    if result != "void":
        lines += ["    wire_get(wire_reply, &wire_result, sizeof wire_result);"]
    lines += [f"    {line}" for line in take] + ["    remote_end(wire_reply);"]
    return lines + ([] if result == "void" else ["    return wire_result;"]) + ["}", ""]


def failable(name, parameters, call):
    """The call, or its failure if the check has asked for one: then a handle or an address is NULL, as ever."""
    shown = name.replace("wire_", "lab_", 1)
    if name == "lab_stream_end_capture":
        return [f"lab_status wire_result = {call}", f'if (served_fails(&wire_result, "{shown}", SERVED_ENDS)) {{',
                "    if (out) lab_graph_destroy(*out);", "    if (out) *out = NULL;", "}"]
    if GO_BACK.fullmatch(name):
        return [f"lab_status wire_result = {call}", f'served_fails(&wire_result, "{shown}", SERVED_GOES_BACK);']
    kind = {"query": "SERVED_QUERIES", "synchronize": "SERVED_WAITS"}.get(name.rpartition("_")[2], "SERVED_WORKS")
    lines = ["lab_status wire_result = LAB_SUCCESS;", f'const bool wire_fails = served_fails(&wire_result, "{shown}", '
             f"{kind});", f"if (!wire_fails) wire_result = {call}"]
    for handle, parameter, _ in parameters:
        if handle.endswith("**") or handle == "lab_deviceptr *":
            lines.append(f"if (wire_fails && {parameter}) *{parameter} = 0;")
    return lines


def served(name, words, function, trusted):
    """The function in the device process that reads the message, calls the library, and writes the result."""
    result, parameters = function
    get, put, given = [], [], []
    for word, (kind, parameter, text) in zip(words, parameters):
        given.append(parameter)
        if word in ("object", "struct"):
            get.append(f"{joined(pointed(kind), 'room_of_' + parameter)};")
            room = f"&room_of_{parameter}, sizeof room_of_{parameter}"
            if word == "object":
                get.append(f"{joined(kind, parameter)} = wire_get_object(wire_in, {room});")
                put.append(f"if ({parameter}) wire_put(wire_out, {parameter}, sizeof *{parameter});")
            else:
                get.append(f"{joined(kind, parameter)} = &room_of_{parameter};")
                get.append(f"wire_get(wire_in, {room});")
                put.append(f"wire_put(wire_out, {parameter}, sizeof *{parameter});")
        elif word == "text":
            get.append(f"const char *{parameter} = wire_get_text(wire_in);")
        elif word == "args":
            get += [f"wire_args_room room_of_{parameter};",
                    f"lab_args {parameter} = wire_get_args(wire_in, &room_of_{parameter});"]
        elif word == "arg":
            get += [f"lab_host_array room_of_{parameter};",
                    f"lab_arg {parameter} = wire_get_arg(wire_in, &room_of_{parameter});"]
        elif kind == "bool":
            get.append(f"bool {parameter} = wire_get_bool(wire_in);")
        else:
            get.append(f"{text if word == 'function' else joined(kind, parameter)};")
            get.append(f"wire_get(wire_in, &{parameter}, sizeof {parameter});")
    call = [f"{name}({', '.join(given)});"]
    if result == "lab_status" and not trusted and not NEVER_FAIL.fullmatch(name):
        call = failable(name, parameters, call[0])
    elif result != "void":
        call = [f"{joined(result, 'wire_result')} = {call[0]}"]
    if result != "void":
        put.insert(0, "wire_put(wire_out, &wire_result, sizeof wire_result);")
    lines = [f"static void serve_{name}(wire *wire_in, wire *wire_out)", "{", *(f"    {line}" for line in get),
             f"    if (!served_may_call(wire_in, {'true' if trusted else 'false'})) return;",
             *(f"    {line}" for line in call + put)]
    return lines + ([] if put else ["    (void)wire_out;"]) + ["}", ""]


def described(sent, known):
    """For each call the words of its arguments and their sizes, as initialisers."""
    for name, words in sent.items():
        shown, sizes = [], []
        for word, (kind, _, _) in zip(words, known[name][1]):
            shown.append('"bool"' if kind == "bool" else f'"{word}"')
            crosses = pointed(kind) if word in ("object", "struct") else "void *" if word == "function" else kind
            sizes.append(f"sizeof({crosses})")
        yield name, ", ".join(shown + ["NULL"]), ", ".join(sizes + ["0"])


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def main():
    if len(sys.argv) < 4:
        fail("usage: wire-calls.py TABLE FOLDER HEADER...")
    path, folder, headers = sys.argv[1], sys.argv[2], sys.argv[3:]
    table, trusted = read_table(path)
    functions, opaque = read_headers(headers)
    known = check(table, functions, opaque, path)
    sent = {name: words for name, words in table.items() if words not in (LOCAL, BY_HAND)}
    version = hashlib.sha256(repr([(name, sent[name], known[name]) for name in sent]).encode()).hexdigest()[:16]
    made = f"/* Written by lib/tools/wire-calls.py from {path}: change that, not this file. */"
    include = ["#define LAB_NO_LOCATION", '#include "wire/extra.h"', '#include "calls.h"']
    os.makedirs(folder, exist_ok=True)
    write(f"{folder}/calls.h", [
        made, "#ifndef LAB_WIRE_CALLS_H", "#define LAB_WIRE_CALLS_H", "",
        f"#define WIRE_VERSION 0x{version}ULL", "", "enum {", *(f"    CALL_{name}," for name in sent), "    WIRE_CALLS",
        "};", "", "/* Each call's name, the words of its arguments, and the sizes of what crosses: for tests. */",
        "#define WIRE_NAMES \\", "    { \\",
        *(f'        {{"{name}", {{{words}}}, {{{sizes}}}}}, \\' for name, words, sizes in described(sent, known)),
        "    }", "", "#endif"])
    write(f"{folder}/remote_calls.c", [
        made, *include, '#include "remote/remote.h"', "",
        *(line for name, words in sent.items() if name != LINKED_WHERE_CALLED
          for line in remote(name, words, known[name])),
        "const uint64_t remote_version = WIRE_VERSION;"])
    write(f"{folder}/remote_cooperative.c", [
        made, *include, '#include "remote/remote.h"', "",
        *remote(LINKED_WHERE_CALLED, sent[LINKED_WHERE_CALLED], known[LINKED_WHERE_CALLED]),
        "const bool remote_cooperative_is_linked = true;"])
    write(f"{folder}/served_calls.c", [
        made, *include, '#include "served/served.h"', "",
        *(line for name, words in sent.items() for line in served(name, words, known[name], name in trusted)),
        "const served_call served_calls[WIRE_CALLS] = {", *(f'    {{"{name}", serve_{name}}},' for name in sent), "};",
        "", "const uint32_t served_call_count = WIRE_CALLS;", "const uint64_t served_version = WIRE_VERSION;"])


if __name__ == "__main__":
    main()
