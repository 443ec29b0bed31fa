"""Works on what students wrote, one item after another, in a child process with limits of processor time and memory.

An item that needs more has no result; the others have theirs. The limits count what the child itself uses, so a busy
machine changes nothing. Knows no sources: the caller brings the work, whose results are plain data.
"""
from __future__ import annotations

import marshal
import os
import resource
import signal
import sys
import traceback
from typing import Any, BinaryIO, Callable, Iterator, Optional, Sequence

SECONDS = 10         # of processor time for one item
MEMORY = 512 << 20   # bytes of addresses beyond those that the process has already
_LENGTH = 8


def each(work: Callable[[str], Any], items: Sequence[str]) -> Iterator[Optional[Any]]:
    """The result of each item, in order; None for one that exceeds the limits."""
    done = 0
    while done < len(items):
        child, results = _start(work, items[done:])
        try:
            while done < len(items):
                found, result = _next(results)
                if not found:
                    break
                done += 1
                yield result
        finally:
            results.close()
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        if done < len(items):  # this item ended the child
            done += 1
            yield None


def _next(results: BinaryIO) -> Any:
    length = results.read(_LENGTH)
    data = results.read(int.from_bytes(length, "little")) if len(length) == _LENGTH else b""
    whole = len(length) == _LENGTH and len(data) == int.from_bytes(length, "little")
    return (True, marshal.loads(data)) if whole else (False, None)


def _start(work: Callable[[str], Any], items: Sequence[str]) -> Any:
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        os.close(writing)
        return child, open(reading, "rb")
    status = 1
    try:
        os.close(reading)
        with open(writing, "wb") as results:
            _work_through(work, items, results)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _work_through(work: Callable[[str], Any], items: Sequence[str], results: BinaryIO) -> None:
    with open("/proc/self/statm", "rb") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    _limit(resource.RLIMIT_AS, used + MEMORY)
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    for item in items:
        spent = resource.getrusage(resource.RUSAGE_SELF)
        _limit(resource.RLIMIT_CPU, int(spent.ru_utime + spent.ru_stime) + 1 + SECONDS)
        try:
            data = marshal.dumps(work(item))
        except (MemoryError, RecursionError):
            data = marshal.dumps(None)
        results.write(len(data).to_bytes(_LENGTH, "little") + data)
        results.flush()


def _limit(kind: int, most: int) -> None:
    """Sets the limit that can be raised again for the next item."""
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
