#!/usr/bin/env python3
"""Grades a class on an emulated cluster of four nodes with a real Slurm, while nodes die, tasks are preempted, run out
of time or find their disk full: make test-cluster.

Each test ends with the results of one machine, except for times and the names of nodes. CLUSTER_SUBMISSIONS=N takes
another number of submissions than 24.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from emulated_cluster import Cluster, missing

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD", ROOT / "build")).resolve()
TOYLAB = ROOT / "grader/tests/fixtures/toylab"
SUBMISSIONS = int(os.environ.get("CLUSTER_SUBMISSIONS", "24"))
VARIANTS = ["right", "wrong", "does_not_compile", "right", "null_pointer", "starter"]
KILLS = 10
PASSING = {"created", "seconds", "started", "timings", "node", "sandbox"}


def forget_times(value):
    """Results without the fields that depend on when, where and how fast they were made."""
    if isinstance(value, dict):
        return {key: forget_times(inner) for key, inner in value.items() if key not in PASSING}
    return [forget_times(inner) for inner in value] if isinstance(value, list) else value


class OnCluster(unittest.TestCase):
    """A class of the toy lab."""

    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.place = Path(tempfile.mkdtemp(prefix="on-cluster-"))
        cls.addClassCleanup(shutil.rmtree, cls.place, True)
        (cls.place / "labs").mkdir()
        (cls.place / "labs/toylab-first").symlink_to(TOYLAB)
        for name in ("lib", "grader"):
            (cls.place / name).symlink_to(ROOT / name)
        for number in range(SUBMISSIONS):
            folder = cls.place / f"submissions/student{number:03}"
            shutil.copytree(TOYLAB / "class" / VARIANTS[number % len(VARIANTS)], folder)
        begun = time.monotonic()
        subprocess.run(cls.command("grade", "alone"), check=True, capture_output=True)
        print(f"one machine: {SUBMISSIONS} submissions in {time.monotonic() - begun:.0f} s", flush=True)
        cls.cluster = Cluster(4)
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()

    @classmethod
    def command(cls, verb, out, *more):
        lab = ["--lab", "toylab", "--submissions", str(cls.place / "submissions"), "--seed", "7"]
        return [str(BUILD / "bin/labgrade"), verb, "--root", str(cls.place), "--build", str(BUILD), "--out",
                str(cls.place / out), *(lab if verb == "grade" else []), *more]

    def setUp(self):
        self.out = self._testMethodName

    def start(self, verb="grade", *more):
        slurm = ["--slurm", "--array-size", "8", "--partition", "normal"] if verb == "grade" else []
        return subprocess.Popen(self.command(verb, self.out, *slurm, *more), stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, env=os.environ | {"LABGRADE_POLL_SECONDS": "1"})

    def assert_same(self, process, seconds=600):
        """Waits for the grading, whose results must be those of one machine. Returns what it said."""
        said, _ = process.communicate(timeout=seconds)
        self.assertEqual(process.returncode, 0, said)
        alone, here = (json.loads((self.place / out / "results.json").read_text(encoding="utf-8"))
                       for out in ("alone", self.out))
        self.assertEqual(forget_times(alone), forget_times(here), said)
        names = {result["node"]["name"] for result in here["submissions"]}
        self.assertLessEqual(names, set(self.cluster.names))
        self.assertFalse((self.place / self.out / "+plan").exists(), said)
        return said

    def wait_until_running(self, process, outcomes=1):
        """Waits until nodes have found something out."""
        plan = self.place / self.out / "+plan"
        deadline = time.monotonic() + 120
        while process.poll() is None and len(list(plan.glob("*/result/outcome.json"))) < outcomes:
            self.assertLess(time.monotonic(), deadline, "no node has found anything out")
            time.sleep(0.1)

    def test_grades_as_one_machine(self):
        begun = time.monotonic()
        self.assert_same(self.start())
        taken = time.monotonic() - begun
        results = json.loads((self.place / self.out / "results.json").read_text(encoding="utf-8"))["submissions"]
        worked = sum(result["seconds"] for result in results)
        print(f"four nodes: {SUBMISSIONS} submissions in {taken:.0f} s, {worked / taken / 4:.2f} of the nodes' time "
              "spent on submissions", flush=True)

    def test_node_that_dies_ten_times_changes_nothing(self):
        process, generator = self.start(), random.Random(22)
        killed = 0
        while killed < KILLS and process.poll() is None:
            time.sleep(generator.uniform(0.5, 4))
            name = generator.choice(self.cluster.names)
            self.cluster.kill_node(name)
            killed += 1
            time.sleep(generator.uniform(0, 1))
            self.cluster.start_node(name)
        # Output must be read while nodes die, or the grading would wait for its reader; there is little of it.
        self.assert_same(process)
        print(f"a node died {killed} times", flush=True)
        self.assertGreaterEqual(killed, min(KILLS, 3), "the grading was over too soon to prove anything")

    def test_preempted_tasks_are_graded_all_the_same(self):
        process = self.start()
        self.wait_until_running(process)
        subprocess.run(["sbatch", "--partition=urgent", "--array=1-4", "--output=/dev/null", "--wrap", "sleep 3"],
                       check=True, capture_output=True)
        self.assert_same(process)
        requeued = [log for log in (self.place / self.out / "+slurm").glob("*_*.txt")
                    if log.read_text(encoding="utf-8").count(": part ") > 1]
        self.assertTrue(requeued, "no task was preempted")

    def test_time_limit_loses_nothing(self):
        process = self.start("grade", "--time", "1", "--array-size", "1")
        said = self.assert_same(process)
        if "TIMEOUT" not in said:
            print("time limit: one task was faster than a minute", flush=True)

    def test_cancelled_tasks_are_submitted_again(self):
        process = self.start()
        self.wait_until_running(process)
        subprocess.run(["scancel", "--name=labgrade"], check=True)
        self.assertIn("CANCELLED", self.assert_same(process))

    def test_full_disk_on_a_node_is_avoided(self):
        folder = self.cluster.folder / "tmp-n1"
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k,nr_inodes=2", "none", str(folder)], check=True)
        try:
            said = self.assert_same(self.start())
        finally:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
        self.assertIn("on n1: FAILED", said)
        self.assertIn("not on n1", said)

    def test_collector_that_is_killed_can_be_resumed(self):
        process = self.start()
        self.wait_until_running(process, 3)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.assert_same(self.start("resume"))

    def test_clocks_that_differ_change_nothing(self):
        process = self.start()
        self.wait_until_running(process)
        plan, stop = self.place / self.out / "+plan", threading.Event()

        def shift():
            while not stop.is_set():
                for path in plan.glob("*/*"):
                    try:
                        os.utime(path, (random.choice([0, 2**32]),) * 2)
                    except OSError:
                        pass  # it was just renamed
                time.sleep(0.2)

        thread = threading.Thread(target=shift)
        thread.start()
        try:
            self.assert_same(process)
        finally:
            stop.set()
            thread.join()


if __name__ == "__main__":
    if missing():
        print(f"test-cluster: not run: {missing()}")
        sys.exit(0)
    unittest.main(verbosity=2)
