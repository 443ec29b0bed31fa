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
from types import SimpleNamespace
from typing import List
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "grader/cluster"))

import slurm  # noqa: E402

# Says the next line of NAME.says, the last one again and again; "@N" before it is the exit status. Where that is not 0,
# the line is said as an error too.
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
[ "$status" = @0 ] || printf "${{line#* }}" >&2
exit "${{status#@}}"
"""
LEFT = "@3 {} submissions have no result yet\\n"
ENDED = "@0 1|COMPLETED|None|n1\\n2|NODE_FAIL|None|n2\\n"


class Clock:
    """Time that passes where the test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


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
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, env=environment)

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

    def script_of(self, *more: str) -> str:
        self.assertEqual(self.run_driver("write", *more).returncode, 0)
        return (self.folder / "out/+plan/grade.sbatch").read_text()

    def test_task_with_several_gpus_has_a_process_for_each(self) -> None:
        for gres, gpus in (("gpu:4", 4), ("gpu:a100:2", 2), ("nvme:5,gpu:h100:3", 3), ("gpu:2(S:0)", 2)):
            script = self.script_of("--gres", gres, "--jobs", "2")
            self.assertTrue(script.endswith('/5" --gpus "$CUDA_VISIBLE_DEVICES"\n'), script)
            self.assertIn(f"--cpus-per-task={2 * gpus}\n", script)
        for gres in ("gpu", "gpu:1", "gpu:a100:1", "gpu:a100", "nvme:5"):
            script = self.script_of("--gres", gres, "--jobs", "2")
            self.assertNotIn("--gpus", script, gres)
            self.assertIn("--cpus-per-task=2\n", script)

    def test_every_way_of_isolation_and_the_memory_limit_reach_the_tasks(self) -> None:
        script = self.script_of("--memory", "2048", "--container-sandbox", "this-container-is-thrown-away")
        self.assertIn("--memory 2048", script)
        self.assertIn("--container-sandbox this-container-is-thrown-away", script)

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
        self.assertIn("part 1 on n1: FAILED\n", done.stdout)
        self.assertIn("part 2 on n2: NODE_FAIL\n", done.stdout)
        first, second = self.calls("sbatch")
        self.assertIn("--array=1-5", first)
        self.assertIn("--array=2 --exclude=n1 ", second)

    def test_every_part_with_something_left_is_submitted_again(self) -> None:
        self.say("sbatch", "@0 11\\n", "@0 12\\n")
        self.say("merge", *[LEFT.format(5), LEFT.format(2)], "@0 ")
        self.say("squeue", ENDED)
        self.say("status", "@0 1-5\\n", "@0 2,4-5\\n")
        done = self.run_driver("grade")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--array=2,4-5 ", self.calls("sbatch")[1])

    def test_nothing_is_submitted_again_while_a_task_waits_or_runs(self) -> None:
        self.say("sbatch", "@0 11\\n")
        self.say("merge", *[LEFT.format(5), LEFT.format(2), LEFT.format(2)], "@0 ")
        self.say("squeue", "@0 1|COMPLETED|None|n1\\n2|PENDING|Resources|\\n",
                 "@0 1|COMPLETED|None|n1\\n2|RUNNING|None|n1\\n")
        self.say("status", "@0 1-5\\n")
        done = self.run_driver("grade")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.calls("sbatch")), 1)
        self.assertEqual(self.calls("scancel"), ["scancel --quiet 11"], "a second copy of a task may be left")

    def test_end_of_the_job_is_seen_although_merging_takes_long(self) -> None:
        """Merging must not take much of a machine's time. Asking Slurm takes little."""
        clock = Clock()
        running, ended = {"1": ("RUNNING", "None", "n1")}, {"1": ("COMPLETED", "None", "n1")}
        said = iter([running, running, running, ended])
        merged: List[float] = []

        def ask(_job: str) -> dict[str, tuple[str, str, str]]:
            clock.sleep(0.05)
            return next(said)

        def merge() -> int:
            clock.sleep(1)
            merged.append(clock.now)
            return 5

        plan = SimpleNamespace(merge=merge, options=SimpleNamespace(poll=0))
        with mock.patch.multiple(slurm, time=clock, tasks_of=ask, say=lambda text: None):
            self.assertEqual(slurm.watch(plan, {"job": "11", "exclude": []}), 5)
        self.assertEqual(list(said), [], "the end was not asked for")
        self.assertEqual(len(merged), 2, "something was merged again while tasks were running")

    def test_job_is_noted_before_it_is_followed(self) -> None:
        self.say("sbatch", "@0 11\\n")
        self.say("merge", LEFT.format(5), "@2 ")
        self.say("squeue", "@0 1|RUNNING|None|n1\\n")
        self.say("status", "@0 1-5\\n")
        self.assertEqual(self.run_driver("grade").returncode, 2)
        self.say("merge", LEFT.format(5), "@0 ")
        self.assertEqual(self.run_driver("follow").returncode, 0)
        self.assertEqual(len(self.calls("sbatch")), 1, "the job was forgotten, and submitted a second time")
        self.run_driver("write")
        self.assertEqual(self.calls("scancel"), ["scancel --quiet 11"] * 2, "the plan is new, the old job grades on")

    def test_task_that_slurm_holds_is_cancelled_so_that_it_is_submitted_again(self) -> None:
        self.say("sbatch", "@0 11\\n")
        self.say("merge", *[LEFT.format(5), LEFT.format(2)], "@0 ")
        self.say("squeue", "@0 1|COMPLETED|None|n1\\n2|PENDING|launch failed requeued held|\\n")
        self.say("status", "@0 1-5\\n")
        self.run_driver("grade")
        self.assertIn("scancel 11_2", self.calls("scancel"))

    def test_where_tasks_fail_on_all_nodes_none_is_excluded(self) -> None:
        self.say("sbatch", "@0 11\\n")
        self.say("merge", *[LEFT.format(5), LEFT.format(2)], "@0 ")
        self.say("squeue", "@0 1|FAILED|None|n1\\n2|FAILED|None|n2\\n")
        self.say("status", "@0 1-5\\n")
        self.say("sinfo", "@0 n1\\nn2\\n")
        self.run_driver("grade")
        self.assertNotIn("--exclude", self.calls("sbatch")[1])

    def test_tasks_that_slurm_has_forgotten_are_looked_up_in_its_accounts(self) -> None:
        self.say("sbatch", "@0 11\\n")
        self.say("merge", *[LEFT.format(5), LEFT.format(2)], "@0 ")
        self.say("squeue", "@1 slurm_load_jobs error: Invalid job id specified\\n")
        self.say("sacct", "@0 11_1|COMPLETED|n1\\n11_2|CANCELLED by 0|n2\\n")
        self.say("status", "@0 1-5\\n")
        self.assertIn("part 2 on n2: CANCELLED\n", self.run_driver("grade").stdout)

    def test_rounds_that_bring_results_go_on(self) -> None:
        self.say("sbatch", "@0 11\\n")
        self.say("merge", LEFT.format(6), *[LEFT.format(left) for left in (5, 4, 3, 2, 1)], "@0 ")
        self.say("squeue", ENDED)
        self.say("status", "@0 1-5\\n")
        done = self.run_driver("grade")
        self.assertNotIn("given up", done.stdout)
        self.assertEqual(len(self.calls("sbatch")), 6)

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
