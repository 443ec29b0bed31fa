"""Files of a grading: artifacts are read with care, pages are written whole or not at all.

An artifact comes from a student's run. It is read only if it is a regular file that lies, with all links followed,
below the folder of the results, and only up to a limit. Independent of what the files hold.
"""
from __future__ import annotations

import functools
import os
import stat
from pathlib import Path
from typing import Optional, Union


def read_below(folder: Path, relative: str, limit: int) -> Optional[bytes]:
    """The content of a file below the folder; None if it is not a regular file or exceeds the limit."""
    path = _path_below(folder, relative)
    if path is None:
        return None
    try:
        # Without O_NONBLOCK, opening a pipe without a writer would wait for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(limit + 1)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return data if len(data) <= limit else None


def is_file_below(folder: Path, relative: str) -> bool:
    path = _path_below(folder, relative)
    return path is not None and os.path.isfile(path)


def _path_below(folder: Path, relative: str) -> Optional[str]:
    try:
        root = _real(str(folder))
        above, name = os.path.split(relative)
        path = os.path.join(_real(os.path.join(root, above)), name)
        if name in ("", ".", "..") or os.path.islink(path):
            path = os.path.realpath(path)
        return path if os.path.commonpath([path, root]) == root else None
    except (OSError, ValueError):
        return None


@functools.lru_cache(maxsize=64)
def _real(folder: str) -> str:
    return os.path.realpath(folder)


def write_whole(path: Path, content: Union[str, bytes]) -> None:
    """Writes the file so that a reader sees the old or the new content, never a part. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f".{path.name}.{os.getpid()}"
    temporary.unlink(missing_ok=True)
    try:
        with open(temporary, "xb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
