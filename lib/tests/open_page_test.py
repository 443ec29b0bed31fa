"""Tests of open-page.sh, which opens a page in the browser of whoever types make playground. The browsers are scripts
that say how they were called.

Run with: python3 -B lib/tests/open_page_test.py
"""
from __future__ import annotations

import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Tuple

TOOLS = Path(__file__).resolve().parents[1] / "tools"
NEEDED = ("bash", "realpath", "uname")  # of the system


class OpenPage(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        for name in NEEDED:
            self.programs.joinpath(name).symlink_to(self.which(name))
        self.page = self.folder / "a page.html"
        self.page.write_text("<p>", "utf-8")

    @staticmethod
    def which(name: str) -> str:
        return subprocess.run(["bash", "-c", f"type -P {name}"], stdout=subprocess.PIPE, encoding="utf-8",
                              check=True).stdout.strip()

    def install(self, *names: str) -> None:
        for name in names:
            program = self.programs / name
            program.write_text('#!/bin/bash\necho "${0##*/}|$*" >&$TOLD\n', "utf-8")
            program.chmod(0o755)

    def open(self, **setting: str) -> Tuple[int, str]:
        """The status, and what was started. The pipe ends when all that may write to it have ended."""
        told, writes = os.pipe()
        done = subprocess.run([TOOLS / "open-page.sh", "a page.html"], cwd=self.folder, pass_fds=(writes,),
                              env={"PATH": str(self.programs), "TOLD": str(writes), **setting}, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
        os.close(writes)
        with open(told, encoding="utf-8") as pipe:
            started = pipe.read()
        self.assertEqual(done.stdout, "")
        return done.returncode, started.strip()

    def test_the_desktop_opens_it_where_there_is_a_display(self) -> None:
        self.install("xdg-open")
        for display in ("DISPLAY", "WAYLAND_DISPLAY"):
            with self.subTest(display):
                self.assertEqual(self.open(**{display: ":0"}), (0, f"xdg-open|{self.page}"))

    def test_without_a_display_or_without_a_program_nothing_is_opened(self) -> None:
        self.assertEqual(self.open(DISPLAY=":0"), (1, ""))
        self.install("xdg-open")
        self.assertEqual(self.open(), (1, ""))

    def test_windows_needs_no_display(self) -> None:
        self.install("wslview", "xdg-open")
        self.assertEqual(self.open(), (0, f"wslview|{self.page}"))

    def test_the_browser_of_the_environment_comes_first(self) -> None:
        self.install("firefox", "xdg-open", "wslview")
        self.assertEqual(self.open(BROWSER="firefox", DISPLAY=":0"), (0, f"firefox|{self.page}"))
        self.assertEqual(self.open(BROWSER="firefox"), (0, f"firefox|{self.page}"))

    def test_the_environment_may_name_several_with_arguments(self) -> None:
        self.install("firefox", "xdg-open")
        self.assertEqual(self.open(BROWSER="absent:firefox --new-window:xdg-open"),
                         (0, f"firefox|--new-window {self.page}"))
        self.assertEqual(self.open(BROWSER="firefox --url=%s -x"), (0, f"firefox|--url={self.page} -x"))
        self.assertEqual(self.open(BROWSER="absent:", DISPLAY=":0"), (0, f"xdg-open|{self.page}"))


if __name__ == "__main__":
    unittest.main()
