"""Compiles what a handout holds of a lab in place of sources: its checks, its program and its solution.

Each source becomes an object for each kind of machine. The compiler is clang, which every workbook has and which
compiles for all of them without further packages. A source is first preprocessed with the headers of this machine: labs
use of the C library only functions and types that are the same on all its 64-bit machines. Nothing in an object names a
file, a local function or a local variable. The constants of checks and solution are unreadable (words.h); those of the
program, which runs with a student's code, stay as they are. An object links with any compiler, and with older C
libraries than this machine's."""
from __future__ import annotations

import re
import struct
import subprocess
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Tuple

MACHINES = ("x86_64", "aarch64")
MASK = 0xb5
OPENER = Path(__file__).with_name("words.h")
COMPILE = ("-O2", "-g0", "-fPIE", "-fdata-sections", "-fno-jump-tables", "-fno-ident", "-fno-addrsig", "-w")

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
PROGBITS, SYMTAB, STRTAB, RELA = 1, 2, 3, 4
WRITE, ALLOC, EXECUTE = 1, 2, 4
LOCAL = 0
# Sections of one variable each have its name at their end.
OF_A_VARIABLE = re.compile(r"^((?:\.rela)?\.(?:rodata|data\.rel\.ro|data|bss|tdata|tbss))\..*")


class Unusable(Exception):
    """Why a source cannot be compiled for a handout."""


def compiled(source: Path, options: List[str], veiled: bool, opens: bool) -> Dict[str, bytes]:
    """The objects of a source, by machine, with constants veiled or not. One source of a program with veiled constants
    opens those of all."""
    opener = ["-include", str(OPENER), f"-DWORDS_MASK={MASK}"] if opens else []
    text = clang(source, "-E", "-P", "-U_FORTIFY_SOURCE", *options, *opener, str(source))
    # Newer C libraries have these under another name; the old one is in all of them.
    text = text.replace(b"__isoc23_", b"")
    return {machine: Object(clang(source, f"--target={machine}-linux-gnu", "-std=gnu11", *COMPILE, "-x", "cpp-output",
                                  "-c", "-o", "/dev/stdout", "-", given=text)).stripped(veiled) for machine in MACHINES}


def clang(source: Path, *words: str, given: bytes = b"") -> bytes:
    run = subprocess.run(["clang", *words], input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if run.returncode:
        raise Unusable(f"clang cannot compile {source}:\n{run.stderr.decode(errors='replace')}")
    return run.stdout


class Section(NamedTuple):
    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry: int


class Object:
    """An ELF object of a 64-bit little-endian machine."""

    def __init__(self, content: bytes) -> None:
        self.bytes = bytearray(content)
        if content[:6] != b"\x7fELF\x02\x01":
            raise Unusable("clang made no object of ELF")
        self.header = list(HEADER.unpack_from(content))
        places, count, names = self.header[6], self.header[12], self.header[13]
        self.sections = [Section(*SECTION.unpack_from(content, places + k * SECTION.size)) for k in range(count)]
        self.names = [self.string(names, section.name) for section in self.sections]

    def string(self, table: int, at: int) -> str:
        begin = self.sections[table].offset + at
        return self.bytes[begin:self.bytes.index(0, begin)].decode()

    def stripped(self, veiled: bool) -> bytes:
        """The object without names that the linker does not need and, if `veiled`, with unreadable constants."""
        moved = {section.info for section in self.sections if section.type == RELA}
        names = [OF_A_VARIABLE.sub(r"\1", name) for name in self.names]
        for k, section in enumerate(self.sections):
            if veiled and self.names[k].startswith(".rodata") and section.type == PROGBITS and k not in moved:
                names[k] = "lab_words"
                self.sections[k] = section._replace(flags=ALLOC, entry=0)
                self.veil(section)
        table = Strings()
        for at, symbol in self.symbols():
            kept = "" if symbol[1] >> 4 == LOCAL else self.string(self.symbol_names, symbol[0])
            SYMBOL.pack_into(self.bytes, at, table.place(kept), *symbol[1:])
        self.sections = [section._replace(name=table.place(name)) for section, name in zip(self.sections, names)]
        self.replace_strings(bytes(table.bytes))
        return bytes(self.bytes)

    def veil(self, section: Section) -> None:
        for at in range(section.offset, section.offset + section.size):
            self.bytes[at] ^= MASK

    @property
    def symbol_names(self) -> int:
        return next(section.link for section in self.sections if section.type == SYMTAB)

    def symbols(self) -> Iterator[Tuple[int, Tuple[int, ...]]]:
        table = next(section for section in self.sections if section.type == SYMTAB)
        for at in range(table.offset, table.offset + table.size, SYMBOL.size):
            yield at, SYMBOL.unpack_from(self.bytes, at)

    def replace_strings(self, strings: bytes) -> None:
        """All names come from one table at the end; the old tables hold nothing any more."""
        for k, section in enumerate(self.sections):
            if section.type == STRTAB:
                self.bytes[section.offset:section.offset + section.size] = bytes(section.size)
                self.sections[k] = section._replace(offset=len(self.bytes), size=len(strings))
        self.bytes += strings + bytes(-(len(self.bytes) + len(strings)) % 8)
        self.header[6] = len(self.bytes)
        HEADER.pack_into(self.bytes, 0, *self.header)
        for section in self.sections:
            self.bytes += SECTION.pack(*section)


class Strings:
    """A table of strings, each once."""

    def __init__(self) -> None:
        self.bytes = bytearray(b"\0")
        self.places = {"": 0}

    def place(self, name: str) -> int:
        if name not in self.places:
            self.places[name] = len(self.bytes)
            self.bytes += name.encode() + b"\0"
        return self.places[name]
