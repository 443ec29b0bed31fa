"""Tests of grader/cluster/slurm.py with programs in place of Slurm's and of labgrade, which say what the test wants and
note how they were called. The real ones are in `make test-cluster`."""
from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import List

ROOT = Path(__file__).resolve().parents[2]

# Says the next line of NAME.says, the last one again and again; "@N" before it is the exit status.
PROGRAM = """\
#!/bin/bash
cd {folder} || exit 9
name=${{0##*/}}
[ "$name" = labgrade ] && name=$1
echo "$name $*" >>calls
[ -e "$name.says" ] || exit 0
line=$(head -1 "$name.says")
[ "$(wc -l <"$name.says")" -gt 1 ] && sed -i 1d "$name.says"
status=${{line%% *}}
printf "${{line#* }}"
exit "${{status#@}}"
"""
LEFT = "@3 {} submissions have no result yet\\n"
ENDED = "@0 1|COMPLETED|None|n1\\n2|NODE_FAIL|None|n2\\n"


class Slurm(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "bin").mkdir()
        (self.folder / "out/+plan").mkdir(parents=True)
        (self.folder / "out/+plan/jobs.json").write_text(json.dumps([["lab01", f"s{n}", ""] for n in range(5)]))
        for name in ("labgrade", "sbatch", "squeue", "scancel", "sinfo", "sacct"):
            program = self.folder / "bin" / name
            program.write_text(PROGRAM.format(folder=self.folder))
            program.chmod(0o755)

    def say(self, program: str, *lines: str) -> None:
        (self.folder / f"{program}.says").write_text("".join(line + "\n" for line in lines))

    def run_driver(self, what: str, *more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-B", str(ROOT / "grader/cluster/slurm.py"), what, "--root", str(self.folder),
                   "--build", str(self.folder), "--out", str(self.folder / "out"), "--poll", "0", *more]
        environment = os.environ | {"PATH": f"{self.folder}/bin:{os.environ['PATH']}"}
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=environment)

    def calls(self, program: str) -> List[str]:
        lines = (self.folder / "calls").read_text().splitlines()
        return [line for line in lines if line.split()[0] == program]

    def test_script_has_what_was_asked_for_and_is_not_submitted(self) -> None:
        done = self.run_driver("write", "--array-size", "3", "--partition", "teaching", "--gres", "gpu:1", "--time",
                               "4:00:00", "--jobs", "2", "--device", "cuda")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        script = (self.folder / "out/+plan/grade.sbatch").read_text()
        for line in ("--array=1-3", "--partition=teaching", "--gres=gpu:1", "--time=4:00:00", "--requeue",
                     "--cpus-per-task=2", "export LAB_DEVICE=cuda", '--jobs 2 --part "$SLURM_ARRAY_TASK_ID/3"'):
            self.assertIn(line, script)
        self.assertFalse((self.folder / "calls").exists(), "nothing was submitted")
        checked = subprocess.run(["bash", "-n", str(self.folder / "out/+plan/grade.sbatch")], check=False)
        self.assertEqual(checked.returncode, 0)

    def test_there_are_no_more_tasks_than_submissions(self) -> None:
        self.run_driver("write")
        self.assertIn("--array=1-5\n", (self.folder / "out/+plan/grade.sbatch").read_text())

    def test_what_a_node_lost_is_submitted_again_but_not_to_a_node_where_tasks_fail(self) -> None:
        self.say("sbatch", "@0 11\\n", "@0 12\\n")
        self.say("merge", *[LEFT.format(5), LEFT.format(2)], "@0 ")
        self.say("squeue", "@0 1|FAILED|None|n1\\n2|NODE_FAIL|None|n2\\n", "@0 2|RUNNING|None|n3\\n")
        self.say("status", "@0 1-5\\n", "@0 2\\n")
        self.say("sinfo", "@0 n1\\nn2\\nn3\\n")
        done = self.run_driver("grade")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("part 2 on n2: NODE_FAIL", done.stdout)
        first, second = self.calls("sbatch")
        self.assertIn("--array=1-5", first)
        self.assertIn("--array=2 --exclude=n1 ", second)

    def test_what_no_round_brings_further_is_given_up(self) -> None:
        self.say("sbatch", "@0 11\\n")
        self.say("merge", LEFT.format(2))
        self.say("squeue", ENDED)
        self.say("status", "@0 2\\n")
        done = self.run_driver("grade")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3 arrays in a row brought no further result: 2 submissions are given up", done.stdout)
        self.assertEqual(len(self.calls("sbatch")), 3)
        self.assertIn("--give-up", self.calls("merge")[-1])

    def test_results_that_are_late_are_waited_for(self) -> None:
        self.say("sbatch", "@0 11\\n")
        self.say("merge", LEFT.format(5), LEFT.format(1), "@0 ")
        self.say("squeue", ENDED)
        self.say("status", "@0 1-5\\n", "@0 2\\n1 results are late\\n", "@0 2\\n1 results are late\\n", "@0 \\n")
        done = self.run_driver("grade")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 results are written and not seen here yet", done.stdout)
        self.assertEqual(len(self.calls("sbatch")), 1)

    def test_controller_that_does_not_answer_is_waited_for(self) -> None:
        self.say("sbatch", "@0 11\\n")
        self.say("merge", *[LEFT.format(5)] * 3, "@0 ")
        self.say("squeue", "@1 ", "@1 ", "@0 1|RUNNING|None|n1\\n")
        self.say("status", "@0 1-5\\n")
        done = self.run_driver("grade")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.calls("sbatch")), 1)

    def test_refused_script_and_failed_merge_say_how_to_go_on(self) -> None:
        self.say("sbatch", "@1 ")
        self.say("merge", LEFT.format(5))
        self.say("status", "@0 1-5\\n")
        done = self.run_driver("grade")
        self.assertEqual(done.returncode, 2)
        self.assertIn("labgrade resume --out", done.stderr)
        self.say("merge", "@2 ")
        self.assertIn("nothing is lost", self.run_driver("follow").stderr)


if __name__ == "__main__":
    unittest.main()
