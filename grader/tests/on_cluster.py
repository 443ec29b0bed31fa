#!/usr/bin/env python3
"""Grades a class on an emulated cluster of four nodes with a real Slurm, while nodes die, tasks are preempted, run out
of time or find their disk full: make test-cluster. Each test ends with the results of one machine, except for times and
the names of nodes.

make test-cluster SUBMISSIONS=300 grades so many submissions of lab 01 instead, once undisturbed and once while a node
is killed ten times, and tells how well the nodes were used. The nodes then share the cores of this machine.
"""

import errno
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
from datetime import datetime
from pathlib import Path

from bench_grader import make_class
from emulated_cluster import Cluster, missing

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD", ROOT / "build")).resolve()
TOYLAB = ROOT / "grader/tests/fixtures/toylab"
OF_LAB01 = os.environ.get("SUBMISSIONS", "")
NODES = 4
CORES = len(os.sched_getaffinity(0))
VARIANTS = ["right", "wrong", "does_not_compile", "right", "null_pointer", "starter"]
KILLS = 10
# All users are as they were, but nobody may make a namespace for users. A process gets its rights there by exec.
WITHOUT_NAMESPACES = ("sh", "-c", """
    unshare --user sh -c 'until grep -q . /proc/self/uid_map; do sleep 0.1; done; exec "$@"' sh \\
        sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"' sh "$@" &
    for map in gid_map uid_map; do
        until echo 0 0 4294967295 >/proc/$!/$map; do sleep 0.1; done
    done 2>/dev/null
    wait""", "sh")
PASSING = {"created", "seconds", "started", "timings", "node", "sandbox"}


def forget_times(value):
    """Results without the fields that depend on when, where and how fast they were made."""
    if isinstance(value, dict):
        return {key: forget_times(inner) for key, inner in value.items() if key not in PASSING}
    return [forget_times(inner) for inner in value] if isinstance(value, list) else value


def differences(alone, here):
    """What differs between two results, a line for each submission, and one for the rest."""
    if alone == here:
        return []
    lines = []
    for one, other in zip(alone["submissions"], here["submissions"]):
        if one != other:
            failed = ([check["name"] for check in result["checks"] if check["status"] != "passed"]
                      for result in (one, other))
            told = [f"{result['points']} points, not passed: {', '.join(checks) or 'none'}"
                    for result, checks in zip((one, other), failed)]
            keys = ", ".join(sorted(key for key in one.keys() | other.keys() if one.get(key) != other.get(key)))
            lines.append(f"{one['submission']['name']}: {told[0]}; on the cluster {told[1]}; {keys} differ")
    return lines or [f"{key} differs" for key in alone.keys() | here.keys() if alone.get(key) != here.get(key)]


def span_of(results):
    """When the first submission was begun and the last one finished, in seconds of the clock, about."""
    began = [datetime.fromisoformat(result["started"].replace("Z", "+00:00")).timestamp() for result in results]
    return min(began), max(when + result["seconds"] for when, result in zip(began, results))


def fill_up(path):
    """Writes a file until its disk is full; whether it is. The last write before an error may end short."""
    block = bytes(1 << 16)
    try:
        with open(path, "wb", buffering=0) as file:
            while file.write(block) == len(block):
                pass
    except OSError as error:
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    return True


def daemons_in(folder):
    """The processes of a cluster in a folder, jobs included: each daemon began a session of its own."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if f"SLURM_CONF={folder}/".encode() in (entry / "environ").read_bytes():
                found.append((os.getsid(int(entry.name)), (entry / "cmdline").read_bytes()))
        except OSError:
            pass  # it has ended
    return found


class OnCluster(unittest.TestCase):
    """A class that one machine has graded, and a cluster. Says how both are done for a lab."""

    maxDiff = 4000
    lab, submissions = "", 0
    cores, jobs, tasks = 1, 1, 8  # of a node, of a task, of an array

    @classmethod
    def setUpClass(cls):
        cls.place = Path(tempfile.mkdtemp(prefix="on-cluster-"))
        cls.addClassCleanup(shutil.rmtree, cls.place, True)
        cls.make_class()
        begun = time.monotonic()
        subprocess.run(cls.command("grade", "alone"), check=True, capture_output=True)
        cls.alone_seconds = time.monotonic() - begun
        print(f"one machine, {CORES} cores: {cls.submissions} submissions in {cls.alone_seconds:.1f} s", flush=True)
        cls.cluster = Cluster(NODES, cls.cores)
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()

    @classmethod
    def make_class(cls):
        """Makes PLACE/submissions, and a workbook in PLACE."""
        raise NotImplementedError

    @classmethod
    def command(cls, verb, out, *more):
        lab = ["--lab", cls.lab, "--submissions", str(cls.place / "submissions"), "--seed", "7"]
        return [str(BUILD / "bin/labgrade"), verb, "--root", str(cls.place), "--build", str(BUILD), "--out",
                str(cls.place / out), *(lab if verb in ("grade", "plan") else []), *more]

    def setUp(self):
        self.out = self._testMethodName

    def start(self, verb="grade", *more):
        slurm = ["--slurm", "--array-size", str(self.tasks), "--jobs", str(self.jobs), "--partition", "normal"]
        slurm = slurm if verb in ("grade", "plan") else []
        return subprocess.Popen(self.command(verb, self.out, *slurm, *more), stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, env=os.environ | {"LABGRADE_POLL_SECONDS": "1"})

    def assert_same(self, process, seconds=600):
        """Waits for the grading, whose results must be those of one machine. Returns what it said."""
        said, _ = process.communicate(timeout=seconds)
        self.assertEqual(process.returncode, 0, said)
        alone, here = (json.loads((self.place / out / "results.json").read_text(encoding="utf-8"))
                       for out in ("alone", self.out))
        self.assertEqual([], differences(forget_times(alone), forget_times(here)), said)
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

    def grade_undisturbed(self):
        wall, begun = time.time(), time.monotonic()
        self.assert_same(self.start())
        taken = time.monotonic() - begun
        results = json.loads((self.place / self.out / "results.json").read_text(encoding="utf-8"))["submissions"]
        worked = sum(result["seconds"] for result in results)
        first, last = span_of(results)
        print(f"{NODES} nodes of {self.cores} cores, {self.tasks} tasks of {self.jobs}: {self.submissions} submissions "
              f"in {taken:.1f} s, {self.alone_seconds / taken:.2f} of the one machine's rate; "
              f"{worked / taken / NODES / self.cores:.2f} of the cores' time spent on submissions "
              f"(the first began after {first - wall:.0f} s, {wall + taken - last:.0f} s passed after the last)",
              flush=True)

    def grade_while_nodes_die(self, span, *more):
        """Kills nodes at random moments of about so many seconds, and starts them again."""
        process, generator, killed = self.start("grade", *more), random.Random(22), 0
        while killed < KILLS and process.poll() is None:
            time.sleep(generator.uniform(0.1, 1.9) * span / KILLS)
            name = generator.choice(self.cluster.names)
            self.cluster.kill_node(name)
            killed += 1
            time.sleep(generator.uniform(0, 1))
            self.cluster.start_node(name)
        # Output must be read while nodes die, or the grading would wait for its reader; there is little of it.
        self.assert_same(process, 3600)
        print(f"a node died {killed} times", flush=True)
        self.assertGreaterEqual(killed, min(KILLS, 3), "the grading was over too soon to prove anything")


class Lab01(OnCluster):
    """A class as large as the command line says."""

    lab, submissions = "lab01", int(OF_LAB01 or 0)
    cores = jobs = max(1, CORES // NODES)
    tasks = NODES

    @classmethod
    def make_class(cls):
        make_class(str(BUILD), cls.place / "submissions", cls.submissions)
        for name in ("labs", "lib", "grader"):
            (cls.place / name).symlink_to(ROOT / name)

    def test_grades_as_one_machine(self):
        self.grade_undisturbed()

    def test_node_that_dies_ten_times_changes_nothing(self):
        self.grade_while_nodes_die(self.alone_seconds, "--array-size", str(4 * NODES))


class Toylab(OnCluster):
    """A small class of the toy lab, in all that can happen to a cluster."""

    lab, submissions = "toylab", 24

    @classmethod
    def make_class(cls):
        (cls.place / "labs").mkdir()
        (cls.place / "labs/toylab-first").symlink_to(TOYLAB)
        for name in ("lib", "grader"):
            (cls.place / name).symlink_to(ROOT / name)
        for number in range(cls.submissions):
            folder = cls.place / f"submissions/student{number:03}"
            shutil.copytree(TOYLAB / "class" / VARIANTS[number % len(VARIANTS)], folder)

    def test_cluster_ends_with_the_process_that_started_it(self):
        program = [sys.executable, str(ROOT / "grader/tests/emulated_cluster.py"), "sh", "-c",
                   'sbatch --quiet --output=/dev/null --wrap "sleep 600"; echo "$SLURM_CONF"; sleep 600']
        with subprocess.Popen(program, stdout=subprocess.PIPE, text=True, start_new_session=True) as starter:
            folder = os.path.dirname(starter.stdout.readline().strip())
            self.addCleanup(shutil.rmtree, folder, True)
            self.addCleanup(os.killpg, starter.pid, signal.SIGKILL)
            self.assertGreater(len(daemons_in(folder)), NODES, "the cluster did not start")
            os.kill(starter.pid, signal.SIGKILL)
            deadline = time.monotonic() + 20
            while left := [command for session, command in daemons_in(folder) if session != starter.pid]:
                self.assertLess(time.monotonic(), deadline, left)
                time.sleep(0.1)

    def test_grades_as_one_machine(self):
        self.grade_undisturbed()

    def test_node_that_dies_ten_times_changes_nothing(self):
        self.grade_while_nodes_die(2 * self.alone_seconds)

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
        self.cluster.on_node("n1", "mount", "-t", "tmpfs", "-o", "size=4k,nr_inodes=2", "none", str(folder))
        try:
            said = self.assert_same(self.start())
        finally:
            self.cluster.on_node("n1", "umount", "--lazy", str(folder))
        self.assertIn("on n1: FAILED", said)
        self.assertIn("not on n1", said)

    def test_disks_that_are_full_now_and_then_change_nothing(self):
        """Wherever a grading is when the disk fills up, no student pays for it."""
        folders = [self.cluster.folder / f"tmp-{name}" for name in self.cluster.names[:2]]
        for name, folder in zip(self.cluster.names, folders):
            self.cluster.on_node(name, "mount", "-t", "tmpfs", "-o", "size=24m", "none", str(folder))
        stop, filled = threading.Event(), []
        roots = [Path(f"/proc/{self.cluster.first_process(name)}/root{folder}")
                 for name, folder in zip(self.cluster.names, folders)]
        generator = random.Random(5)

        def fill():
            while not stop.wait(self.alone_seconds * generator.uniform(0.05, 0.3)):
                filled.extend(root for root in roots if fill_up(root / "filling"))
                stop.wait(self.alone_seconds * generator.uniform(0.01, 0.2))
                for root in roots:
                    (root / "filling").unlink(missing_ok=True)

        thread = threading.Thread(target=fill)
        thread.start()
        try:
            self.assert_same(self.start())
        finally:
            stop.set()
            thread.join()
            for name, folder in zip(self.cluster.names, folders):
                self.cluster.on_node(name, "umount", "--lazy", str(folder))
        self.assertGreater(len(filled), 3, "no disk was full")

    def test_node_without_namespaces_grades_nothing_and_is_avoided(self):
        """As on a machine whose administrator has set the sysctl user.max_user_namespaces to 0."""
        self.cluster.kill_node("n1")
        self.cluster.start_node("n1", *WITHOUT_NAMESPACES)
        try:
            said = self.assert_same(self.start())
        finally:
            self.cluster.kill_node("n1")
            self.cluster.start_node("n1")
        self.assertIn("on n1: FAILED", said)
        self.assertIn("not on n1", said)
        logs = "".join(log.read_text(encoding="utf-8") for log in (self.place / self.out / "+slurm").glob("*_*.txt"))
        self.assertRegex(logs, "labgrade: .*bubblewrap")

    def test_results_that_the_file_system_shows_late_are_waited_for(self):
        """The nodes have OUT/+plan on a server of their own. What they write there is seen here a few seconds later:
        their logs first, and a result some time after that. The last one is seen well after the last task."""
        done = self.start("plan")
        self.assertEqual(done.wait(300), 0, done.stdout.read())
        done.stdout.close()
        near, far = self.place / self.out / "+plan", self.place / "server"
        shutil.copytree(near, far, symlinks=True)
        for name in self.cluster.names:
            self.cluster.on_node(name, "mount", "--bind", str(far), str(near))
        stop, seen, all_shown = threading.Event(), {}, set()

        def is_late_enough(first):
            if len(all_shown) < self.submissions - 1:
                return time.monotonic() - first > 4
            tasks = subprocess.run(["squeue", "--noheader"], capture_output=True, text=True, check=False)
            ended = seen.setdefault("last task", time.monotonic()) if not tasks.stdout else time.monotonic()
            return time.monotonic() - ended > 15

        def show():
            while not stop.wait(0.2):
                for log in far.glob("[0-9]*/log"):
                    shown = near / log.parent.name
                    if shown in all_shown:
                        continue
                    shutil.copyfile(log, shown / "log")
                    result = log.parent / "result"
                    first = seen.setdefault(log.parent.name, time.monotonic()) if result.exists() else None
                    if first and is_late_enough(first):
                        shutil.copytree(result, shown / "late")
                        all_shown.add(shown)  # from here on it may be merged, and removed
                        (shown / "late").rename(shown / "result")

        thread = threading.Thread(target=show)
        thread.start()
        try:
            said = self.assert_same(self.start("resume"))
        finally:
            stop.set()
            thread.join()  # what is mounted on a folder goes with it
        self.assertIn("results are written and not seen here yet", said)
        self.assertEqual(said.count("of Slurm grades parts"), 1, "what was only late was graded twice")

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
        sys.exit(f"test-cluster: not run: {missing()}")
    if OF_LAB01 and not OF_LAB01.isdecimal():
        sys.exit(f"test-cluster: SUBMISSIONS={OF_LAB01}: the number of submissions of lab 01 is needed")
    chosen = Lab01 if OF_LAB01 else Toylab
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(chosen)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(tests).wasSuccessful())
