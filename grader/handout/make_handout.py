#!/usr/bin/env python3
"""Makes what students get of the workbook: some labs without anything of their solutions (grader/docs/handing-out.md).

    make_handout.py TO [--labs "LAB ..."] [--open "LAB=DATE ..."] [--git] [--options WORDS]

TO is a folder, or a zip if it ends in .zip. An earlier handout there is renewed: it may get more labs, and keeps the
dates from which solutions are part of it. With --git, or if TO is a repository, this is a commit. WORDS are the
compiler's options for a lab's sources. The same workbook gives the same bytes and the same commit. Exit status: 0 when
the handout was written, 1 when not.
"""
from __future__ import annotations

import argparse
import datetime
import hashlib
import os
import re
import shlex
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Dict, List, Set, Tuple

if not sys.flags.dont_write_bytecode:
    sys.dont_write_bytecode = True
from compiled import Unusable, compiled  # noqa: E402
from repository import Repository  # noqa: E402
from texts import handed_out  # noqa: E402
from workbook import ROOT, add, is_program, lab_of, tracked  # noqa: E402

LIST = "labs/handout.txt"
SUMS = "labs/handout.sha256"  # of the other files: what a later handout may replace or remove
LIST_HEAD = "# The labs that were handed out, and from when the solution of each is: written by make handout.\n"
# What students get. Everything else stays out, also what is added to the workbook later.
HANDED_OUT = re.compile(r"""
    Makefile | README\.md | LICENSE | \.(clang-format|clangd|editorconfig|gitattributes|gitignore)
  | \.(vscode|devcontainer)/.*
  | lib/[^/]* | lib/(include|src|programs|tools)/.* | lib/examples/program/.*
  | lib/docs/(?!STYLE|proving-a-change|random-programs).*
  | grader/grader\.mk | grader/(src|harness)/.*
  | slides/(glossary|cheat-sheet)\.md
  | labs/(labs\.mk|README\.md)
  | labs/lab\d\d-[^/]*/(?!checks|program\.c|shared\.h|contract\.txt|equivalent\.txt)[^/]*
  | labs/lab\d\d-[^/]*/results/[^/]*
  | solutions/lab\d\d-[^/]*/[^/]*
""", re.X)
MOST_NAMED = 5  # files, in a message

Content = Dict[str, Tuple[bytes, bool]]


class Refused(Exception):
    """Why there is no handout, and what to do."""


def main() -> int:
    parser = argparse.ArgumentParser(usage="%(prog)s TO [--labs LABS] [--open DATES] [--git] [--options WORDS]")
    parser.add_argument("to", type=Path)
    parser.add_argument("--labs", default="")
    parser.add_argument("--open", default="")
    parser.add_argument("--git", action="store_true")
    parser.add_argument("--options", default="")
    given = parser.parse_args()
    try:
        labs = wanted_labs(given.labs)
        earlier = earlier_dates(given.to)
        refuse_fewer(labs, earlier, given.to)
        dates = {lab: earlier.get(lab, "") for lab in labs}
        dates.update(opening_dates(given.open, labs))
        if given.git and given.to.suffix == ".zip":
            raise Refused(f"GIT=1 makes a repository, and {given.to} is to be a zip: choose one of the two")
        repository = Repository(given.to) if given.git or (given.to / ".git").exists() else None
        if repository:
            repository.refuse_changes()
        content = content_of(dates, given.options)
        if given.to.suffix == ".zip":
            write_zip(given.to, content)
        else:
            handed_out_before = earlier_sums(given.to)
            refuse_changed(given.to, handed_out_before, content)
            write_folder(given.to, content)
            remove(given.to, set(handed_out_before) - set(content))
        say(given.to, dates, repository.commit(sorted(content), message_of(dates)) if repository else "")
    except (Refused, Unusable, Repository.Failed) as error:
        print(f"make handout: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"make handout: cannot write {error.filename or given.to}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


# --- what is asked for ---------------------------------------------------------------------------------------

def wanted_labs(words: str) -> List[str]:
    """The labs, in order."""
    there = sorted({lab for lab in map(lab_of, tracked()) if lab and lab != "labNN"})
    unknown = sorted(set(words.split()) - set(there))
    if unknown:
        raise Refused(f"LABS: git tracks no {unknown[0]} here; there are {' '.join(there)}")
    return sorted(set(words.split())) or there


def earlier_dates(to: Path) -> Dict[str, str]:
    """What the handout that is there has: its labs, and from when each solution is part of it, "" for never."""
    if not to.exists():
        return {}
    if to.suffix == ".zip":
        refuse_other_zip(to)
        return {}
    if not to.is_dir():
        raise Refused(f"OUT={to} is no folder: name a new one, or a file that ends in .zip")
    path = to / LIST
    if not path.is_file():
        if any(entry.name != ".git" for entry in to.iterdir()):
            raise Refused(f"OUT={to} holds other files, and no earlier handout: name a new folder")
        return {}
    rows = [line.split() for line in path.read_text("utf-8").splitlines() if line.strip() and not line.startswith("#")]
    return {row[0]: row[1] if len(row) > 1 else "" for row in rows}


def refuse_other_zip(to: Path) -> None:
    try:
        with zipfile.ZipFile(to) as archive:
            if any(name.partition("/")[2] == LIST for name in archive.namelist()):
                return
    except (zipfile.BadZipFile, IsADirectoryError):
        pass
    raise Refused(f"OUT={to} is no earlier handout, and would be lost: name a new file")


def earlier_sums(to: Path) -> Dict[str, str]:
    """The digests of the files that were handed out there last."""
    path = to / SUMS
    rows = [line.partition("  ") for line in path.read_text("utf-8").splitlines()] if path.is_file() else []
    return {file: digest for digest, _, file in rows}


def refuse_changed(to: Path, earlier: Dict[str, str], content: Content) -> None:
    """What an instructor changed in the handout is not undone."""
    changed = []
    for file, digest in sorted(earlier.items()):
        known = {digest, *([digest_of(content[file][0])] if file in content else [])}
        if (to / file).is_file() and digest_of((to / file).read_bytes()) not in known:
            changed.append(file)
    if changed:
        more = f" and {len(changed) - MOST_NAMED} more" if len(changed) > MOST_NAMED else ""
        names = f"{', '.join(changed[:MOST_NAMED])}{more}"
        raise Refused(f"{names} in {to} {'were' if len(changed) > 1 else 'was'} changed since the last handout, which "
                      "this one would undo. Make the change in the workbook, or delete the file there to get the "
                      "workbook's")


def digest_of(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def refuse_fewer(labs: List[str], earlier: Dict[str, str], to: Path) -> None:
    lost = sorted(set(earlier) - set(labs))
    if lost:
        raise Refused(f"{to} has {' '.join(lost)} already, which students would lose: name it in LABS too, or "
                      "another folder in OUT")


def opening_dates(words: str, labs: List[str]) -> Dict[str, str]:
    dates = {}
    for word in words.split():
        lab, equals, date = word.partition("=")
        try:
            dates[lab] = datetime.date.fromisoformat(date).isoformat()
        except ValueError:
            raise Refused(f"OPEN: {word} is not as in OPEN='lab00=2027-10-18 lab01=2027-10-25'") from None
        if lab not in labs:
            raise Refused(f"OPEN: {lab} is not handed out; LABS names {' '.join(labs)}")
    return dates


# --- what is handed out --------------------------------------------------------------------------------------

def content_of(dates: Dict[str, str], options: str) -> Content:
    """The files of the handout: bytes, and whether it is a program."""
    today = datetime.date.today().isoformat()
    solved = {lab for lab, date in dates.items() if date and date <= today}
    kept = [file for file in tracked() if HANDED_OUT.fullmatch(file) and is_of(file, set(dates), solved)]
    content: Content = {file: ((ROOT / file).read_bytes(), is_program(file)) for file in kept}
    content[LIST] = (list_of(dates).encode(), False)
    content.update(objects_of(dates, options))
    there = {str(parent) for file in content for parent in Path(file).parents} | set(content)
    for file in kept:
        if file.endswith(".md"):
            content[file] = (handed_out(file, content[file][0].decode(), there).encode(), False)
    # In a student's repository git keeps the files in which students write.
    ignored = content[".gitignore"][0].decode().splitlines(keepends=True)
    content[".gitignore"] = ("".join(line for line in ignored if not line.startswith("/labs/")).encode(), False)
    sums = "".join(f"{digest_of(text)}  {file}\n" for file, (text, _) in sorted(content.items()))
    return {**content, SUMS: (sums.encode(), False)}


def is_of(file: str, labs: Set[str], solved: Set[str]) -> bool:
    return lab_of(file) in ((solved if file.startswith("solutions/") else labs) | {None})


def list_of(dates: Dict[str, str]) -> str:
    return LIST_HEAD + "".join(f"{lab} {date}".rstrip() + "\n" for lab, date in sorted(dates.items()))


def objects_of(dates: Dict[str, str], options: str) -> Content:
    """The objects of each lab: those of its checks, program.o and solution.o."""
    sources: List[Tuple[Path, Path, str]] = []
    for lab in dates:
        folder = next((ROOT / "labs").glob(f"{lab}-*"))
        sources += [(folder, source, source.stem) for source in (*folder.glob("checks*.c"), folder / "program.c")]
        sources.append((folder, ROOT / "solutions" / folder.name / f"{lab}.c", "solution"))

    def compile_one(row: Tuple[Path, Path, str]) -> Content:
        folder, source, name = row
        words = [*shlex.split(options), f"-Ilabs/{folder.name}"]
        made = compiled(source.relative_to(ROOT), words, name != "program", name in ("checks", "solution"))
        return {f"labs/{folder.name}/compiled/{machine}/{name}.o": (made[machine], False) for machine in made}

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return {file: entry for made in pool.map(compile_one, sources) for file, entry in made.items()}


# --- where it goes -------------------------------------------------------------------------------------------

def write_zip(to: Path, content: Content) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    new = to.with_name(f".{to.name}.part")
    try:
        with zipfile.ZipFile(new, "w") as archive:
            for file, (text, program) in sorted(content.items()):
                add(archive, f"{to.stem}/{file}", text, program)
        new.replace(to)
    except OSError:
        new.unlink(missing_ok=True)
        raise


def write_folder(to: Path, content: Content) -> None:
    """Writes the files, each at once. What somebody else wrote there stays."""
    for file, (text, program) in content.items():
        path = to / file
        if path.is_file() and path.read_bytes() == text and bool(path.stat().st_mode & 0o100) == program:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f".{path.name}.part")
        new.write_bytes(text)
        new.chmod(0o755 if program else 0o644)
        new.replace(path)


def remove(to: Path, gone: Set[str]) -> None:
    """Removes files that are handed out no more, and folders that are empty then."""
    for file in gone:
        (to / file).unlink(missing_ok=True)
        for folder in (to / file).parents:
            if folder == to or not folder.is_dir() or any(folder.iterdir()):
                break
            folder.rmdir()


def message_of(dates: Dict[str, str]) -> str:
    return f"Handed out: {' '.join(sorted(dates))}\n\n{list_of(dates)[len(LIST_HEAD):]}"


def say(to: Path, dates: Dict[str, str], commit: str) -> None:
    today = datetime.date.today().isoformat()
    solved = [lab for lab, date in sorted(dates.items()) if date and date <= today]
    later = [f"{lab} from {date} on" for lab, date in sorted(dates.items()) if date > today]
    print(f"{to}: {' '.join(sorted(dates))}{commit}")
    print(f"Solutions in it: {' '.join(solved) or 'none'}{'; after another run ' if later else ''}{', '.join(later)}")


if __name__ == "__main__":
    sys.exit(main())
