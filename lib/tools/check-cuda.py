"""Checks a CUDA program without a GPU. labcc --check starts it: check-cuda.py PROGRAMS [--limit SECONDS] [--out FOLDER]
[OPTION of labcc]... FILE... [-- ARG...], where PROGRAMS is the folder of labcc and labtrace.

Builds the program with labcc, runs it plainly and under every check of the CPU device, and says what is wrong: what,
the two lines, how a right program orders them. The exit status is 0 if nothing was found, 1 if
something was, 2 if the program could not be built or run to its end."""
from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOUND, FAILED = 1, 2
LIMIT = 60  # seconds for each run
MOST_OUTPUT = 1 << 20  # bytes that are compared
MOST_FILE = 1 << 30  # bytes that the program may write to a file
SHOWN = 8  # findings told in full
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SEEDS = (1, 2, 3)
SCHEDULE = "adversarial schedule"
KERNEL_CHECKS = ("memcheck", "synccheck", "racecheck", "initcheck")
ORDER, PLAIN = "order checker", "plain run"
HOST_ACCESSES = ["--host-accesses"]
# Answers that a right program asks for: no memory, peer access twice or not there, already registered.
ASKED_FOR = {"cudaErrorMemoryAllocation", "cudaErrorPeerAccessAlreadyEnabled",
             "cudaErrorPeerAccessNotEnabled", "cudaErrorPeerAccessUnsupported", "cudaErrorNotSupported",
             "cudaErrorHostMemoryAlreadyRegistered", "cudaErrorHostMemoryNotRegistered"}

NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\bnan\b|\binf\b")
TIMED = re.compile(r"(?i)\b(ns|us|µs|ms|msec|sec|secs|seconds?|time|elapsed|took|bandwidth|throughput|speed-?up|fps)\b|"
                   r"[GMK]i?B/s|FLOP|0[xX][0-9a-fA-F]{6,}")
PLACE = re.compile(r"\(?([^\s():]+):(\d+)\)?")
FAILURE = re.compile(r"(?:(?P<file>[^:\n]+):(?P<line>\d+): )?(?P<text>.+) "
                     r"\((?P<name>(?:cudaError|CUDA_ERROR|LAB_ERROR)\w+)\)")
PRINTING_KERNEL = re.compile(rb" call i32 [^\n]*@printf\(")  # in the code that a program holds (labcc.md)
LINES = re.compile(r"\blines? (\d+)")
ADDRESS = re.compile(r"\b0x[0-9a-f]+")
PATH = re.compile(r"[^\s(]*/([^\s/():]+:\d+)")
HOST_PLACE = re.compile(r"host\+(0x[0-9a-f]+):0")


@dataclass
class Run:
    name: str
    output: str = ""
    errors: str = ""
    status: int = 0
    ended: bool = True


@dataclass
class Finding:
    sentence: str
    cure: str = ""
    details: str = ""
    cause: str = ""  # findings with the same one are told together
    seen_by: list[str] = field(default_factory=list)
    followers: list[str] = field(default_factory=list)  # sentences of other findings with this cause
    kernels: set[str] = field(default_factory=set)
    places: list[tuple[str, int]] = field(default_factory=list)

    def is_at_the_place_of(self, other: Finding) -> bool:
        """Whether both are one mistake: at the same lines, or, where no line is known, told in the same words."""
        if self.places or other.places:
            return self.places == other.places
        return ADDRESS.sub("", self.sentence) == ADDRESS.sub("", other.sentence)


class NotRun(Exception):
    """The program could not be built, or does not run to its end without any check."""


# ---- running -----------------------------------------------------------------------------------------------------


@contextmanager
def started(command: list[str | Path], stop: Callable[[subprocess.Popen[Any]], object], prepare: Callable[[], object],
            **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Starts a program, and stops it whatever happens. A signal that comes meanwhile waits, so that it cannot come
    between the two."""
    def prepare_child() -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
        prepare()

    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=prepare_child, **options)
    except BaseException:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
        raise
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
        yield process
    finally:
        stop(process)
        process.wait()


def kill_all(process: subprocess.Popen[Any]) -> None:
    """Kills a program with what it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def limits() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE, MOST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(name: str, program: Path, command: list[str], limit: float, **settings: str) -> Run:
    """Runs the program on the CPU device; command[0] is its name for itself. At the limit it is killed, with
    what it has started."""
    environment = {key: value for key, value in os.environ.items()
                   if not re.fullmatch(r"LAB_(ORDER.*|SCHEDULE|TRACE|\w+CHECK|CUDA_ERRORS)|COLUMNS", key)}
    environment.update({"LAB_DEVICE": "cpu", "COLUMNS": "1000", "LAB_CUDA_ERRORS": "all"}, **settings)
    done = Run(name)
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        with started(command, kill_all, limits, executable=program, stdout=output, stderr=errors, env=environment,
                     start_new_session=True) as process:
            try:
                done.status = process.wait(limit)
            except subprocess.TimeoutExpired:
                done.ended = False
        for file, part in ((output, "output"), (errors, "errors")):
            file.seek(0)
            setattr(done, part, file.read(MOST_OUTPUT).decode("utf-8", "replace"))
    return done


def build(tools: Path, options: list[str], program: Path) -> None:
    program.unlink(missing_ok=True)
    try:
        with started([tools / "labcc", *options, "-o", program], subprocess.Popen.terminate, int,
                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as process:
            told, _ = process.communicate()
    except OSError as error:
        raise NotRun(f"labcc cannot be started: {error.strerror}") from error
    if process.returncode or not program.exists():
        raise NotRun(f"it does not compile:\n{told.rstrip()}")


def how_it_ended(done: Run) -> str:
    if done.status >= 0:
        return f"it ends with status {done.status}"
    try:
        return f"it crashes with {signal.Signals(-done.status).name}"
    except ValueError:
        return f"it is ended by signal {-done.status}"


def last_words(done: Run) -> list[str]:
    """The end of what it says about itself."""
    own = [line for line in done.errors.splitlines() if not FAILURE.fullmatch(line) and not line.startswith("LAB_")]
    return [line.strip() for line in [*done.output.splitlines(), *own] if line.strip()][-3:]


# ---- comparing output --------------------------------------------------------------------------------------------


class Expected:
    """What every run prints. Whatever differs between two plain runs, and what looks like a time, is not compared. CUDA
    orders what the threads of a kernel print only as it orders the threads: then the words alone are compared."""

    def __init__(self, first: str, second: str, kernels_print: bool = False) -> None:
        self.words = sorted(first.split()) if kernels_print else None
        self.lines, others = first.splitlines(), second.splitlines()
        self.any_order = self.lines != others and sorted(self.lines) == sorted(others)
        if self.any_order:
            self.lines, others = sorted(self.lines), sorted(others)
        self.compares = len(self.lines) == len(others)
        self.varies = not self.compares or self.lines != others and not self.any_order
        self.fixed = [self.common(*pair) for pair in zip(self.lines, others)]

    @staticmethod
    def common(line: str, other: str) -> list[str | None] | None:
        """The numbers of the line, with None for one that varies; None if all of the line may vary."""
        if TIMED.search(line) or NUMBER.split(line) != NUMBER.split(other):
            return None
        return [number if number == also else None
                for number, also in zip(NUMBER.findall(line), NUMBER.findall(other))]

    def difference(self, output: str) -> tuple[str, str] | None:
        """The first line that differs: expected, printed."""
        if not self.compares or sorted(output.split()) == self.words:
            return None
        lines = sorted(output.splitlines()) if self.any_order else output.splitlines()
        for line, fixed, printed in zip(self.lines, self.fixed, lines):
            if fixed is None:
                continue
            numbers = NUMBER.findall(printed)
            if NUMBER.split(line) != NUMBER.split(printed) or any(
                    want is not None and want != got for want, got in zip(fixed, numbers)):
                return line, printed
        if len(lines) != len(self.lines):
            at = min(len(lines), len(self.lines))
            return (self.lines + [""] * len(lines))[at], (lines + [""] * len(self.lines))[at]
        return None


# ---- reading what the library says ------------------------------------------------------------------------------


def host_lines(text: str, program: Path) -> str:
    """Replaces places in the host's machine code by lines of the source."""
    for address in set(HOST_PLACE.findall(text)):
        told = subprocess.run(["addr2line", "-e", program, address], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, check=False).stdout.split(" ")[0].strip()
        file, _, line = told.rpartition(":")
        text = text.replace(f"host+{address}:0", f"{Path(file).name}:{line}" if line.isdigit() else "line unknown")
    return text


def cuda_name(call: re.Match[str]) -> str:
    """lab_event_synchronize is cudaEventSynchronize, and so are most."""
    others = {"mem_alloc": "cudaMalloc", "mem_free": "cudaFree", "host_alloc": "cudaMallocHost",
              "host_free": "cudaFreeHost", "context_enable_peer_access": "cudaDeviceEnablePeerAccess"}
    return others.get(call[1]) or "cuda" + "".join(word.capitalize() for word in call[1].split("_"))


def kernels_in(text: str) -> set[str]:
    return set(re.findall(r"kernel '?([A-Za-z_]\w*)", text))


def places_in(text: str) -> list[tuple[str, int]]:
    """The places "(FILE:LINE)", and "line N" of the first one's file."""
    places = [(file, int(line)) for file, line in PLACE.findall(text) if int(line) > 0]
    places += [(places[0][0], int(line)) for line in LINES.findall(text) if places]
    return list(dict.fromkeys(places))


def describe_sides(details: str, cure: str) -> tuple[str, str]:
    """Where the streams and the memory come from, and what other findings may have the same cause: an operation on the
    null stream that belongs on another, or memory that several host threads use."""
    sides = re.findall(r"\((?:([^()]*), )?host thread (\d+)\)", details)
    memory = details.rpartition(" use ")[2].rstrip(".")
    threads = [thread for _, thread in sides]
    apart = len(set(threads)) > 1
    words = [(stream or "the host") + (f", host thread {thread}" if apart else "")
             for stream, thread in sides if stream or apart]
    misplaced = re.search(r"or, if it belongs there, enqueue (.*?\(\S+:\d+\)) on", cure)
    made = re.search(r"made at (\S+:\d+)$", memory)
    cause = misplaced[1] if misplaced else f"threads {made[1]}" if made and apart else ""
    told = "; ".join([*words, f"both use {memory}"]) + "."
    return told[0].upper() + told[1:], cause


def order_findings(errors: str) -> list[Finding]:
    paragraphs: list[str] = []
    for line in errors.splitlines():
        if line.startswith("LAB_ORDER: finding ") or (line.startswith("  ") and paragraphs and (
                line.startswith("  To order them: ") or line.startswith("  It has the cause of finding "))):
            paragraphs.append(line)
    found: list[Finding] = []
    number: dict[str, Finding] = {}
    for told, cure in zip(paragraphs[::2], paragraphs[1::2]):
        match = re.match(r"LAB_ORDER: finding (\d+): (.*?)\. (Operation .*|The call .*)", told)
        if not match:
            continue
        finding = Finding(match[2] + ".", cure.strip(), seen_by=[ORDER], kernels=kernels_in(match[2]),
                          places=places_in(match[2]))
        finding.details, finding.cause = describe_sides(match[3], cure)
        cause = re.search(r"It has the cause of finding (\d+)", cure)
        same = number.get(cause[1]) if cause else next((each for each in found if each.places == finding.places or
                                                        finding.cause and each.cause == finding.cause), None)
        if same:
            same.followers.append(finding.sentence)
            same.kernels |= finding.kernels
        else:
            found.append(finding)
        number[match[1]] = same or finding
    return found


def failures(done: Run) -> list[Finding]:
    """Calls that failed, and what a check of kernels found. Later failures at the same place are told once."""
    found: list[Finding] = []
    broken = False  # a kernel has failed: what fails later is the consequence
    for line in done.errors.splitlines():
        match = FAILURE.fullmatch(line)
        if not match or match["name"] in ASKED_FOR:
            continue
        text = re.sub(r"; nothing more can be done on the device in this process$", "", match["text"])
        text = PATH.sub(r"\1", re.sub(r"^lab_\w+: |,? at 0x[0-9a-f]+(?=,)", "", text))
        text = re.sub(r"\blab_(\w+)", cuda_name, text)
        kernel = re.match(r"kernel '([^']+)', (block \[[^]]*\], thread \[[^]]*\]): ((\S+:\d+: )?.*)", text)
        if kernel:
            where = kernel[4] or ""
            sentence = f"kernel {kernel[1]}" + (f" ({where.rstrip(': ')})" if where else "")
            sentence += " " if re.match("(reads|writes|atomically|passes|comes) ", kernel[3][len(where):]) else ": "
            told, *others = kernel[3][len(where):].split("; ")
            what, _, why = re.sub(r": a race (\([^)]*\)): ", r", a race \1\n", told).partition("\n")
            details = f"In {kernel[2]}" + "".join(f"; {other}" for other in others)
            finding = Finding(f"{sentence}{what}.", f"Missing: {why}" if why else "", details + ".",
                              kernels=kernels_in(text))
            broken = True
        elif broken:
            continue
        else:
            place = f" ({Path(match['file']).name}:{match['line']})" if match["file"] else ""
            finding = Finding(f"a call{place} fails with {match['name']}: {text}.")
        finding.places = places_in(finding.sentence)
        finding.seen_by = [done.name]
        if not any(finding.is_at_the_place_of(each) for each in found):
            found.append(finding)
    return found


# ---- checking ----------------------------------------------------------------------------------------------------


class Check:
    def __init__(self, tools: Path, options: list[str], arguments: list[str], limit: float, folder: Path) -> None:
        self.tools, self.options, self.arguments, self.limit, self.folder = tools, options, arguments, limit, folder
        self.program = folder / "program"
        self.record = folder / "run.json"
        self.findings: list[Finding] = []
        self.tried: list[str] = []
        self.notes: list[str] = []
        self.unfinished: list[str] = []

    def add(self, found: list[Finding], unless_kernel_known: bool = False) -> None:
        """Adds findings. One whose lines are known was seen by one more check; a read of memory that nothing has
        written is a consequence where the kernel's order is at fault."""
        for finding in found:
            same = next((each for each in self.findings if each.is_at_the_place_of(finding) or
                         unless_kernel_known and each.kernels & finding.kernels), None)
            if same:
                same.seen_by += [name for name in finding.seen_by if name not in same.seen_by]
            else:
                self.findings.append(finding)

    def run(self, name: str, program: Path | None = None, **settings: str) -> Run:
        done = run(name, program or self.program, [str(self.program), *self.arguments], self.limit, **settings)
        if done.ended:
            self.tried.append(name)
        else:
            self.unfinished.append(name)
        return done

    def plainly(self) -> Expected:
        first = self.run(PLAIN)
        ended = int(time.time())
        if not first.ended:
            raise NotRun(f"it does not end: it was stopped after {self.limit:g} s. It waits for something that never "
                         "happens, or needs a larger --limit or a smaller input.")
        while int(time.time()) == ended:  # many programs take their random numbers from the second of the day
            time.sleep(0.05)
        second = self.run(PLAIN, LAB_TRACE=str(self.record))
        self.tried = ["two plain runs"]
        self.add(failures(first))
        self.add(failures(second))
        self.ended_badly = how_it_ended(first) if first.status else ""
        self.last_words = last_words(first) if first.status else []
        kernels_print = bool(PRINTING_KERNEL.search(self.program.read_bytes()))
        expected = Expected(first.output, second.output, kernels_print)
        if kernels_print:
            self.notes.append("Kernels print, in an order that CUDA does not promise: output is compared as words in "
                              "any order.")
        if not expected.compares:
            self.notes.append("Its output has another number of lines in every run, so output is not compared.")
        elif expected.varies:
            self.notes.append("What differs between two plain runs is not compared.")
        return expected

    def order(self) -> Run:
        """The host's own accesses are seen if the program compiles with calls for them."""
        program = self.folder / "program-host"
        try:
            build(self.tools, [*HOST_ACCESSES, *self.options], program)
        except NotRun:
            program = self.program
            self.notes.append("The host's own reads and writes of memory are not seen: the program does not compile "
                              "with calls for them.")
        done = self.run(ORDER, program, LAB_ORDER="report", LAB_ORDER_MEASURE="1")
        self.add(order_findings(host_lines(done.errors, program)))
        return done if done.ended else self.order_without_measuring()

    def order_without_measuring(self) -> Run:
        """The order checker takes a kernel to use all memory behind its pointers. What it says of kernels then is no
        finding: they may use different parts of an array."""
        done = self.run(ORDER, LAB_ORDER="report")
        found = order_findings(done.errors)
        self.add([finding for finding in found if not finding.kernels])
        guessed = [finding for finding in found if finding.kernels and
                   not any(finding.is_at_the_place_of(known) for known in self.findings)]
        note = ("The order checker was too slow when it measured which bytes kernels touch and what the host itself "
                "reads and writes. ")
        self.unfinished.remove(ORDER)  # that of the first run
        if guessed:
            self.tried = [name for name in self.tried if name != ORDER]
            self.unfinished = [*(name for name in self.unfinished if name != ORDER), ORDER]
            note += ("If kernels use all memory behind their pointers, this is a mistake, and otherwise it may be "
                     f"none: {guessed[0].sentence} ")
        self.notes.append(note + "A smaller input or a larger --limit tells.")
        return done

    def schedules(self, expected: Expected, others: list[Run]) -> None:
        runs = others + [self.run(f"{SCHEDULE} {seed}", LAB_SCHEDULE=f"adversarial:{seed}") for seed in SEEDS]
        for done in runs:
            self.add(failures(done))
        changed = [(done, expected.difference(done.output)) for done in runs if done.ended]
        self.changed = [(done, change) for done, change in changed if change]
        badly = [done for done in runs if done.ended and done.status and not self.ended_badly]
        if not self.findings and (self.changed or badly):
            self.add([self.unexplained(badly)])

    def unexplained(self, badly: list[Run]) -> Finding:
        if self.changed:
            names = [done.name for done, _ in self.changed]
            return Finding("its output depends on what the device happens to do first.", cure="Look for a result that "
                           "the host reads, or an input that it overwrites, before it has waited "
                           "(cudaStreamSynchronize, cudaEventSynchronize), and for order that host threads must have",
                           seen_by=names)
        words = last_words(badly[0])
        return Finding(f"{how_it_ended(badly[0])} in another order of operations that CUDA allows"
                       + (f": {words[-1]}" if words else "") + ".",
                       cure="Wait for work (cudaStreamSynchronize, cudaEventSynchronize) before asking for its result",
                       seen_by=[done.name for done in badly])

    def kernels(self) -> None:
        """All checks at once; one by one if that finds something, or takes too long, so that each says its own."""
        before = len(self.tried), len(self.unfinished)
        done = self.run("memcheck, synccheck, racecheck, initcheck",
                        **{f"LAB_{check.upper()}": "1" for check in KERNEL_CHECKS})
        if done.ended and not failures(done):
            return
        del self.tried[before[0]:], self.unfinished[before[1]:]
        for check in KERNEL_CHECKS:
            self.add(failures(self.run(check, **{f"LAB_{check.upper()}": "1"})), check == "initcheck")

    def all(self) -> None:
        build(self.tools, self.options, self.program)
        expected = self.plainly()
        ordered = self.order()
        self.kernels()
        self.schedules(expected, [ordered])


# ---- telling -----------------------------------------------------------------------------------------------------


class Report:
    def __init__(self, check: Check, sources: list[Path]) -> None:
        self.check = check
        self.name = sources[0].name if sources else "the program"
        self.sources = {path.name: path for path in sources}
        terminal = sys.stdout.isatty()
        self.columns = max(40, min(shutil.get_terminal_size().columns, 120))
        self.bold, self.dim, self.off = ("\033[1m", "\033[2m", "\033[0m") if terminal and not os.environ.get(
            "NO_COLOR") else ("", "", "")

    def say(self, text: str, indent: int = 0, first: str | None = None) -> None:
        lead = " " * indent
        print(textwrap.fill(text, self.columns, initial_indent=first if first is not None else lead,
                            subsequent_indent=lead, break_long_words=False, break_on_hyphens=False))

    def file(self, text: str, path: Path) -> None:
        """A path is never folded: it would be another one."""
        print(f"  {text}", path, sep=" " if len(f"  {text} {path}") <= self.columns else "\n    ")

    def line(self, place: tuple[str, int]) -> None:
        path = self.sources.get(place[0]) or next((p.parent / place[0] for p in self.sources.values()
                                                   if (p.parent / place[0]).exists()), None)
        try:
            text = path.read_text("utf-8", "replace").splitlines()[place[1] - 1].strip() if path else ""
        except (OSError, IndexError):
            text = ""
        if text:
            shown = f"   {place[0]}:{place[1]}: {text}"
            print(self.dim + (shown if len(shown) <= self.columns else shown[:self.columns - 3] + "...") + self.off)

    def finding(self, number: int, finding: Finding) -> None:
        sentence = finding.sentence[0].upper() + finding.sentence[1:]
        print()
        self.say(f"{self.bold}{sentence}{self.off}", 3, f"{number}. ")
        for place in finding.places:
            self.line(place)
        if finding.cure:
            self.say(finding.cure.rstrip(".") + ".", 3)
        if finding.details:
            self.say(finding.details, 3)
        if finding.followers:
            count = len(finding.followers)
            self.say(f"{count} more pair{'' if count == 1 else 's'} of operations "
                     f"{'has' if count == 1 else 'have'} the same cause.", 3)
        self.say("Seen by: " + ", ".join(finding.seen_by) + ".", 3)

    def changes(self) -> None:
        if not self.check.changed:
            return
        done, (want, got) = self.check.changed[0]
        print()
        self.say(f"Its output changes. A plain run, then {done.name}:")
        for sign, text in (("-", want), ("+", got)):
            print(f"   {sign} {text}"[:self.columns])

    def timeline(self) -> None:
        check, trace = self.check, str(self.check.tools / "labtrace")
        if not check.record.exists():
            return
        drawing = check.folder / "timeline.svg"
        subprocess.run([trace, "svg", check.record, "--both", "--profile", "h200", "--output", drawing], check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        told = subprocess.run([trace, "text", check.record, "--columns", str(self.columns), "--rows", "6", "--title",
                               f"{self.name}, a plain run"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              check=False)
        print()
        sys.stdout.flush()
        sys.stdout.buffer.write(told.stdout)
        self.file("Drawn, with the model of an H200:", drawing)
        self.file("For ui.perfetto.dev:", check.record)

    def all(self) -> int:
        check, count = self.check, len(self.check.findings)
        schedules = [name for name in check.tried if name.startswith(SCHEDULE)]
        tried = [name for name in check.tried if name not in schedules]
        tried += [f"{len(schedules)} {SCHEDULE}s"] if len(schedules) > 1 else schedules
        tried = "Tried: " + ", ".join(tried) + "."
        if count:
            print(f"{self.bold}{self.name}: {count} mistake{'' if count == 1 else 's'} found{self.off}")
            for number, finding in enumerate(check.findings[:SHOWN], 1):
                self.finding(number, finding)
            if count > SHOWN:
                self.say(f"... and {count - SHOWN} more.")
            self.changes()
            print()
            self.say(tried)
        elif check.ended_badly:
            self.say(f"{self.bold}{self.name}: {check.ended_badly} in a plain run{self.off}, and no check knows why. "
                     + tried)
            for text in check.last_words:
                self.say(text, 3)
            self.say("A debugger may: labcc -g, then gdb.")
        else:
            self.say(f"{self.bold}{self.name}: nothing found.{self.off} {tried}")
        for text in check.notes:
            self.say(text)
        if check.unfinished:
            self.say(f"Stopped after {check.limit:g} s, so not known: {', '.join(check.unfinished)}. A smaller input, "
                     "or --limit SECONDS, helps.")
        self.timeline()
        return FOUND if count else FAILED if check.ended_badly or check.unfinished else 0


def usage(text: str) -> int:
    print(f"check-cuda: {text}\nusage: labcc --check [--limit SECONDS] [--out FOLDER] [OPTION]... FILE... [-- ARG...]",
          file=sys.stderr)
    return FAILED


def main(tools: Path, words: list[str]) -> int:
    arguments: list[str] = []
    if "--" in words:
        at = words.index("--")
        words, arguments = words[:at], words[at + 1:]
    limit, folder, options = float(LIMIT), None, []
    rest = iter(words)
    for word in rest:
        if word in ("--limit", "--out"):
            value = next(rest, "")
            if word == "--out" and value:
                folder = Path(value)
            elif word == "--limit" and re.fullmatch(r"\d+(\.\d+)?", value) and float(value) > 0:
                limit = float(value)
            else:
                return usage(f"{word} needs a {'folder' if word == '--out' else 'number of seconds'}")
        else:
            options.append(word)
    sources = [Path(word) for word in options if re.search(r"\.(cu|c|cc|cpp|cxx)$", word) and not word.startswith("-")]
    if not sources:
        return usage("no CUDA file is named")
    folder = folder or Path(f"{sources[0].stem}.check")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        check = Check(tools, options, arguments, limit, folder.resolve())
        check.all()
    except OSError as error:
        return usage(f"{error.filename}: {error.strerror}")
    except NotRun as reason:
        print(f"{sources[0].name}: {reason}")
        return FAILED
    return Report(check, sources).all()


class Ended(BaseException):
    """A signal ends the check."""


def end(number: int, _frame: object) -> None:
    raise Ended(number)


if __name__ == "__main__":
    for each in ENDING:
        if signal.getsignal(each) is not signal.SIG_IGN:
            signal.signal(each, end)
    try:
        sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
    except Ended as ended:
        signal.signal(ended.args[0], signal.SIG_DFL)
        os.kill(os.getpid(), ended.args[0])
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILED)
