"""The git repository of a handout: each run that changes something is a commit on top of the earlier ones."""
from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import List

from workbook import ROOT

AUTHOR = {"NAME": "The GPU concurrency workbook", "EMAIL": "workbook@example.invalid"}
# Settings of whoever runs this have no say in what a commit is.
SETTINGS = ("core.autocrlf=false", "core.safecrlf=false", "core.fileMode=true", "core.hooksPath=/dev/null",
            "commit.gpgSign=false", "init.defaultBranch=main", "advice.addIgnoredFile=false")


class Repository:
    """A repository, made if it is new."""

    class Failed(Exception):
        """What git said."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if not (folder / ".git").exists():
            folder.mkdir(parents=True, exist_ok=True)
            self.git("init", "--quiet")

    def git(self, *words: str, given: str = "") -> str:
        moment = moment_of_workbook()
        identity = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
                    for what, value in {**AUTHOR, "DATE": moment}.items()}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        settings = [word for setting in SETTINGS for word in ("-c", setting)]
        try:
            run = subprocess.run(["git", *settings, "-C", str(self.folder), *words], input=given, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**kept, **identity})
        except FileNotFoundError:
            raise Repository.Failed("git is missing, which makes the repository: install it") from None
        if run.returncode:
            raise Repository.Failed(f"git {words[0]} in {self.folder} says: {run.stderr.strip()}")
        return run.stdout

    def refuse_changes(self) -> None:
        """A commit of a handout holds nothing that somebody else began there."""
        changed = self.git("status", "--porcelain", "--untracked-files=no")
        if changed:
            raise Repository.Failed(f"{self.folder} has changes that are not committed: commit them or take them "
                                    f"back, then run this again:\n{changed.rstrip()}")

    def commit(self, files: List[str], message: str) -> str:
        """Commits these files, and that the others of earlier handouts are gone. Returns how that went."""
        self.git("add", "--update")
        self.git("add", "--force", "--pathspec-from-file=-", given="\n".join(files) + "\n")
        if not self.git("status", "--porcelain", "--untracked-files=no"):
            return ", nothing new"
        self.git("commit", "--quiet", "--message", message)
        return f", commit {self.git('rev-parse', '--short', 'HEAD').strip()}"


def moment_of_workbook() -> str:
    """When the workbook's last commit was made, which a commit of the same handout takes over."""
    run = subprocess.run(["git", "-C", str(ROOT), "log", "-1", "--format=%ct"], text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    return f"{run.stdout.strip() or 1577836800} +0000"
