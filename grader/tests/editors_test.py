"""Tests of the files that editors and code hosts read: VS Code's tasks, the container, the workflow that publishes.

The rules are those of their public schemas that a mistake here could break: VS Code's for tasks 2.0.0 and variables,
the one of containers.dev, and GitHub's for workflows that publish pages.
Run with: python3 -B grader/tests/editors_test.py
"""
from __future__ import annotations

import json
import re
import shlex
import subprocess
import unittest
from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, Set

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = r"[a-z0-9][\w-]*\.[\w-]+"
# What a task and its parts may hold, and the values allowed, of what these files use.
TASK: Dict[str, Any] = {
    "label": str, "type": {"shell", "process"}, "command": str, "isBackground": bool,
    "group": {"kind": {"build", "test", "none"}, "isDefault": bool}, "problemMatcher": (list, dict)}
# A matcher with a name, such as $gcc, is that of an extension, which may not be there.
MATCHER: Dict[str, Any] = {
    "owner": str, "fileLocation": list,
    "pattern": {"regexp": str, "file": int, "line": int, "column": int, "severity": int, "message": int}}
TASKS: Dict[str, Any] = {
    "version": {"2.0.0"}, "options": {"cwd": str}, "tasks": list,
    "presentation": {"clear": bool, "panel": {"shared", "dedicated", "new"},
                     "reveal": {"always", "silent", "never"}, "focus": bool, "echo": bool}}
CONTAINER: Dict[str, Any] = {
    "name": str, "build": {"dockerfile": str, "context": str}, "remoteUser": str, "postCreateCommand": str,
    "customizations": {"vscode": {"extensions": list, "settings": dict}}}
RECOMMENDATIONS: Dict[str, Any] = {"recommendations": list}
VARIABLES = {"fileDirname", "workspaceFolder"}


def read(name: str) -> Any:
    return json.loads((ROOT / name).read_text(encoding="utf-8"))


@lru_cache(None)
def known_goals() -> Set[str]:
    listed = subprocess.run(["make", "-pqn", "help"], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, check=False).stdout
    return set(re.findall(r"(?m)^([\w.-]+):", listed))


class Editors(unittest.TestCase):
    def agrees(self, value: Any, rule: Any, where: str) -> None:
        if isinstance(rule, dict):
            self.assertIsInstance(value, dict, where)
            for name, part in value.items():
                self.assertIn(name, rule, where)
                self.agrees(part, rule[name], f"{where}: {name}")
        elif isinstance(rule, set):
            self.assertIn(value, rule, where)
        else:
            self.assertIsInstance(value, rule, where)

    def assert_goals(self, command: str) -> None:
        """make knows the goals of the command, in which lab00 stands for the lab of the open file."""
        for part in command.split("&&"):
            words = shlex.split(re.sub(r"\$\(basename .*?cut -d- -f1\)", "lab00", part))
            self.assertEqual(words[0], "make")
            self.assertLessEqual(set(words[1:]), known_goals(), command)

    def test_tasks_agree_with_the_schema_and_name_goals_of_make(self) -> None:
        tasks = read(".vscode/tasks.json")
        self.agrees(tasks, TASKS, "tasks.json")
        self.assertEqual(tasks["version"], "2.0.0")
        for task in tasks["tasks"]:
            self.agrees(task, TASK, "a task")
            self.assertLessEqual({"label", "type", "command"}, task.keys())
            self.assertLessEqual(set(re.findall(r"\$\{(\w+)\}", json.dumps(task))), VARIABLES)
            if task["problemMatcher"]:
                self.agrees(task["problemMatcher"], MATCHER, "a problem matcher")
        labels = [task["label"] for task in tasks["tasks"]]
        self.assertEqual(len(labels), len(set(labels)))
        self.assertEqual(sum(task.get("group", {}).get("isDefault", False) for task in tasks["tasks"]), 1)
        self.assert_goals(" && ".join(task["command"] for task in tasks["tasks"]))

    def test_a_compilers_error_leads_to_its_line(self) -> None:
        """The verdict indents what the compiler says, and names files of the lab's folder without it."""
        matcher = read(".vscode/tasks.json")["tasks"][0]["problemMatcher"]
        self.assertEqual(matcher["fileLocation"], ["relative", "${fileDirname}"])
        found = re.match(matcher["pattern"]["regexp"], "  lab00.c:17:5: error: unknown type name 'retrn'")
        parts = {name: found and found[number] for name, number in matcher["pattern"].items() if name != "regexp"}
        self.assertEqual(parts, {"file": "lab00.c", "line": "17", "column": "5", "severity": "error",
                                 "message": "unknown type name 'retrn'"})
        self.assertIsNone(re.match(matcher["pattern"]["regexp"], "look at   lab00.c:10"))

    def test_a_task_finds_the_lab_of_the_open_file(self) -> None:
        command = read(".vscode/tasks.json")["tasks"][0]["command"]
        told = subprocess.run(["sh", "-c", command.replace("make ", "echo ")], text=True, stdout=subprocess.PIPE,
                              env={"fileDirname": "/a b/labs/lab07-kernels", "PATH": "/usr/bin:/bin"}, check=True)
        self.assertEqual(told.stdout, "lab07\n")

    def test_the_container_agrees_with_the_schema_and_with_its_dockerfile(self) -> None:
        container = read(".devcontainer/devcontainer.json")
        self.agrees(container, CONTAINER, "devcontainer.json")
        dockerfile = ROOT / ".devcontainer" / container["build"]["dockerfile"]
        context = (dockerfile.parent / container["build"]["context"]).resolve()
        text = dockerfile.read_text(encoding="utf-8")
        self.assertRegex(text, rf"useradd .*\b{container['remoteUser']}\b")
        for source in re.findall(r"(?m)^COPY (\S+) ", text):
            self.assertTrue((context / source).exists(), source)
        self.assert_goals(container["postCreateCommand"])
        extensions = container["customizations"]["vscode"]["extensions"]
        recommended = read(".vscode/extensions.json")
        self.agrees(recommended, RECOMMENDATIONS, "extensions.json")
        self.assertEqual(extensions, recommended["recommendations"])
        for name in extensions:
            self.assertRegex(name, rf"^{EXTENSION}$")

    def test_the_workflow_publishes_what_make_site_makes(self) -> None:
        text = (ROOT / ".github/workflows/pages.yml").read_text(encoding="utf-8")
        self.assert_goals(re.findall(r"run: (.*)", text)[0])
        made = re.search(r"(?m)^SITE +:= \$\(BUILD\)/(\S+)", (ROOT / "slides/slides.mk").read_text(encoding="utf-8"))
        self.assertIn(f"path: build/{made and made[1]}\n", text)
        for permission in ("pages: write", "id-token: write", "contents: read"):
            self.assertIn(f"  {permission}\n", text)
        actions = ("checkout", "upload-pages-artifact", "deploy-pages")
        order = [text.index(f"uses: actions/{name}@v") for name in actions]
        self.assertEqual(order, sorted(order))
        self.assertEqual(re.findall(r"\$\{\{ steps\.(\w+)\.", text), re.findall(r"- id: (\w+)", text))


if __name__ == "__main__":
    unittest.main()
