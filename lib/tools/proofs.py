#!/usr/bin/env python3
"""Runs proofs, as many at a time as there are cores, and keeps what passed: proofs.py [--fresh | --unkept] FOLDER LIST

Each line of LIST is "COMMAND ; INPUT...": a command whose output ends with "N passed, N failed", and the files that its
result depends on. The last line is a full stop. A proof that has passed is kept in FOLDER, under the SHA-256 digest of
the command, the inputs, the tools and the machine. While that digest is the same, its output is printed again instead.
A proof that failed is never kept. With --fresh all run; with --unkept they do, and leave the folder as it was.

The last lines are "N kept, N run", of what the proofs count, and "N passed, N failed".
"""
import functools
import hashlib
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# What a proof starts or links besides its inputs, and what these programs load. The C library stands for its headers.
TOOLS = ("gcc", "clang", "cc", "objcopy", "addr2line", "nm", "bwrap", "python3")
PARTS_OF_GCC = ("cc1", "as", "collect2", "ld")
LINKED = ("libasan.so", "libubsan.so", "libc.so", "libc.so.6", "libm.so.6", "libgcc.a", "crt1.o", "crtbeginS.o")
# What programs of the workbook, compilers and linkers take from the environment. The place of a cache changes nothing.
SETTINGS = re.compile(r"(LAB|CUDA|LD|NVIDIA|GCC|COMPILER|ASAN|UBSAN|MALLOC)_|C_INCLUDE_PATH$|CPATH$|LIBRARY_PATH$")
PLACES = ("LAB_CACHE_DIR",)
COUNTS = re.compile(r"^(\d+) passed, (\d+) failed$")


@functools.lru_cache(maxsize=None)
def digest_of(path):
    """The digest of a file's content; of a folder or a missing file, a word that says so."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError as error:
        return error.strerror


def output_of(*command):
    """What a command prints; empty where there is none."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace")
    except OSError:
        return ""
    return done.stdout


def libraries_of(programs):
    """The shared libraries that programs load."""
    return re.findall(r"(/\S+) \(0x", output_of("ldd", *programs))


def has_gpu():
    return os.environ.get("LAB_DEVICE", "auto") != "cpu" and Path("/dev/nvidiactl").exists()


def libraries_of_cuda():
    """The libraries that the CUDA device opens by itself."""
    if not has_gpu():
        return []
    return re.findall(r"=> (/\S*/lib(?:cuda|nvrtc|cupti)\S*)", output_of("/sbin/ldconfig", "-p"))


def tools():
    """The paths of all tools and of what is linked."""
    found = [path for path in map(shutil.which, TOOLS) if path]
    found += [output_of("gcc", f"-print-prog-name={name}").strip() for name in PARTS_OF_GCC]
    found = [shutil.which(name) or name for name in found if name]
    return found, [output_of("gcc", f"-print-file-name={name}").strip() for name in LINKED]


def machine(inputs):
    """Lines that tell this machine: system, processors, GPUs, settings, tools, and the libraries that are loaded."""
    models = {line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")}
    lines = [" ".join(os.uname()[2:]), str(os.cpu_count()), *sorted(models)]
    lines += [output_of(path) for path in sorted(inputs) if path.endswith("/bin/labdevice")]
    lines += [f"{name}={value}" for name, value in sorted(os.environ.items())
              if SETTINGS.search(name) and name not in PLACES]
    programs, linked = tools()
    started = programs + [path for path in inputs if os.access(path, os.X_OK) and not os.path.isdir(path)]
    files = sorted({*programs, *linked, *libraries_of(started), *libraries_of_cuda()})
    return lines + [f"{path} {digest_of(path)}" for path in files]


class Proof:
    """A command, its inputs, and its kept or new result."""

    def __init__(self, line):
        self.command, _, inputs = line.partition(" ; ")
        self.inputs = sorted(set(inputs.split()))
        self.kept = False
        self.output = ""

    def digest(self, lines, content=digest_of):
        """The digest of all that the result depends on; `lines` tell the machine."""
        parts = [self.command, *lines, *(f"{path} {content(path)}" for path in self.inputs)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def place(self, folder):
        return folder / hashlib.sha256(self.command.encode()).hexdigest()[:32]

    def counts(self):
        """How many passed and failed, and the output before these numbers. Output without them is a failure."""
        lines = self.output.splitlines()
        numbers = COUNTS.match(lines[-1]) if lines else None
        if not numbers:
            return 0, 1, lines
        return int(numbers[1]), int(numbers[2]), lines[:-1]

    def take(self, folder, digest):
        """Takes the kept output, if it has this digest."""
        try:
            first, _, rest = self.place(folder).read_text().partition("\n")
        except OSError:
            return
        if first == digest:
            self.kept, self.output = True, rest

    def run(self):
        """Runs the command; whether it has passed."""
        done = subprocess.run(self.command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, text=True, errors="replace")
        self.output = done.stdout
        passed, failed, _ = self.counts()
        if done.returncode and not failed:
            self.output += f"{self.command}: ended with status {done.returncode}\n"
        return done.returncode == 0 and passed > 0 and failed == 0 and not re.search(r"(?m)^\d+ not run, ", self.output)

    def keep(self, folder, digest):
        new = self.place(folder).with_suffix(f".{os.getpid()}")
        new.write_text(f"{digest}\n{self.output}")
        new.replace(self.place(folder))


def prove(proof, lines, folder, way):
    """Takes the kept result or runs the proof. What has changed while it ran is not what was proven."""
    digest = proof.digest(lines)
    if not way:
        proof.take(folder, digest)
    if not proof.kept and proof.run() and way != "--unkept":
        if digest == proof.digest(lines, content=digest_of.__wrapped__):
            proof.keep(folder, digest)
    return proof


def read_list(path):
    lines = Path(path).read_text().splitlines()
    if not lines or lines[-1] != ".":
        sys.exit(f"{path} does not end with a full stop: make has not written it to its end")
    return [Proof(line) for line in lines[:-1]]


def at_once():
    """One for each core. A GPU is used by one at a time, because they measure."""
    return 1 if has_gpu() else len(os.sched_getaffinity(0))


def main(arguments):
    way = arguments.pop(0) if arguments and arguments[0] in ("--fresh", "--unkept") else None
    if len(arguments) != 2:
        sys.exit(__doc__)
    folder, proofs = Path(arguments[0]), read_list(arguments[1])
    folder.mkdir(parents=True, exist_ok=True)
    lines = machine({path for proof in proofs for path in proof.inputs})
    passed = failed = kept = 0
    with ThreadPoolExecutor(at_once()) as pool:
        for proof in pool.map(lambda proof: prove(proof, lines, folder, way), proofs):
            good, bad, text = proof.counts()
            text += ["  (kept: nothing that this depends on has changed)"] * proof.kept
            print("".join(f"{line}\n" for line in text), end="", flush=True)
            passed, failed, kept = passed + good, failed + bad, kept + good * proof.kept
    print(f"{kept} kept, {passed + failed - kept} run")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
