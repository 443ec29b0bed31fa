"""The sandbox of a container without namespaces: a user for each program.

Build/tests/docker runs this file once more inside, as root with Docker's default filter and capabilities, and with a
layer above the workbook and the folders for temporary files that takes all changes of permissions.

Run with: python3 -B grader/tests/container_test.py (needs BUILD/tests/docker and the toy lab; as root)
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import attacks_test
from attacks_test import BUILD, ROOT, TOY

DOCKER = BUILD / "tests/docker"
HERE = ROOT / "grader/tests/fixtures/docker"
SEED = "7305551212"
WORDS = ["--container-sandbox", "this-container-is-thrown-away"]
# Those that reach for files, processes, the network and what outlives them; they take no time.
ATTACKS = ("asks_the_environment_for_the_seed", "calls_home", "exits_early", "forks_without_end", "guesses_the_seed",
           "includes_a_secret_file", "includes_the_solution", "leaves_a_daemon", "maps_its_own_memory_map",
           "puts_a_secret_file_into_the_program", "reads_a_secret_file", "redirects_the_output",
           "runs_while_it_is_linked", "scans_memory", "starts_itself_again", "writes_into_a_process",
           "writes_to_its_own_memory", "writes_to_the_result")


def is_possible():
    if os.getuid() != 0 or not DOCKER.exists():
        return False
    return subprocess.run([DOCKER, ROOT, "true"], stderr=subprocess.DEVNULL).returncode == 0


# ---- inside ---------------------------------------------------------------------------------------------------------


def labgrade(*words, **options):
    return subprocess.run([BUILD / "bin/labgrade", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)


def users_files():
    """What users of the sandbox own in the container, and what is left of it where everybody wrote."""
    found = subprocess.run(["find", "/tmp", "/var/tmp", "/dev/shm", "/run", "/root", "-uid", "+61183", "-uid", "-62000",
                            "!", "-path", "*/cache*"], stdout=subprocess.PIPE, text=True)
    return found.stdout.split()


def users_processes():
    users = [path.stat().st_uid for path in Path("/proc").glob("[0-9]*")]
    return [user for user in users if user >= 61184]


def grade_class(folder):
    listed = [path for path, *_ in attacks_test.attacks() if path.stem in ATTACKS]
    right = folder / "right.c"
    shutil.copy(TOY / "class/right/toylab.c", right)
    private = Path("/root") / "private"
    private.write_text("42\n")
    toy = folder / "root/labs/toylab-first"
    secrets = [toy / "solution/toylab.c", toy / "secret/values.inc", toy / "checks.c", BUILD / "toylab/reference",
               BUILD / "toylab/checks", folder / "submissions/right/toylab.c", folder / "out/grades.db",
               folder / "out/right/result.json", folder / "out/grading.jsonl", private, "/proc/1/environ",
               "/proc/1/mem", "/etc/shadow"]
    curious = folder / "curious.c"
    curious.write_text(f'#define SECRETS {", ".join(json.dumps(str(secret)) for secret in secrets)}\n'
                       f'#define SEED "{SEED}"\n' + (HERE / "curious.c").read_text())
    results = attacks_test.grade([right, curious, *listed], folder, "--seed", SEED, *WORDS)
    return {"results": {name: {field: result[field] for field in ("verdict", "points", "summary", "output")}
                        for name, result in results.items()},
            "sandbox": json.loads((folder / "out/results.json").read_text())["grader"]["sandbox"],
            "secrets": len(secrets), "missing": [str(secret) for secret in secrets if not Path(secret).exists()]}


def inside():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        told = {"none": labgrade("--show-sandbox").stdout,
                "wrong word": labgrade("--show-sandbox", "--container-sandbox", "yes").stdout,
                "no root": labgrade("--show-sandbox", *WORDS, user=1000, group=1000).stdout}
        told.update(grade_class(folder))
        told["shown"] = labgrade("--show-sandbox", *WORDS).stdout
        told.update(files=users_files(), processes=users_processes())
    print(json.dumps(told))


def unconfined():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        right = folder / "right.c"
        shutil.copy(TOY / "class/right/toylab.c", right)
        result = attacks_test.grade([right], folder, *WORDS)["right"]
        print(json.dumps({"verdict": result["verdict"], "summary": result["summary"],
                          "shown": labgrade("--show-sandbox", *WORDS).stdout}))


def autograder(zipped):
    """Runs the zip's run_autograder on a right and a curious submission."""
    root = Path("/tmp/autograder")
    subprocess.run([sys.executable, "-c", "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])",
                    zipped, root / "source"], check=True)
    (root / "submission").mkdir()
    shutil.copy(next(ROOT.glob("solutions/lab00-*/lab00.c")), root / "submission")
    done = subprocess.run(["bash", root / "source/run_autograder"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, env={**os.environ, "AUTOGRADER_ROOT": str(root), "AUTOGRADER_WORKBOOK": str(ROOT),
                                          "AUTOGRADER_MAKE": f"BUILD={BUILD} DEVICE=cpu SEED={SEED}"})
    results = root / "results/results.json"
    print(json.dumps({"said": done.stdout, "status": done.returncode,
                      "results": json.loads(results.read_text()) if results.exists() else None}))


# ---- outside --------------------------------------------------------------------------------------------------------


def run_inside(*words, options=()):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    environment.update(LAB_CACHE_DIR="/tmp/cache", TMPDIR="/tmp", BUILD=str(BUILD))
    command = [DOCKER, *options, ROOT, sys.executable, "-B", __file__, *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment)
    if done.returncode != 0:
        raise AssertionError(done.stdout)
    return json.loads(done.stdout)


@unittest.skipUnless(is_possible(), "only root, with mounts to make, can play a container")
class Container(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.told = run_inside("inside")
        cls.results = cls.told["results"]

    def test_a_right_answer_has_all_points(self):
        self.assertEqual((self.results["right"]["verdict"], self.results["right"]["points"]), ("passed", 100))

    def test_a_curious_answer_finds_nothing(self):
        curious = self.results["curious"]
        self.assertEqual(self.told["missing"], [], "the test names secrets that are not there")
        self.assertIn(f"tried {self.told['secrets']} secrets", curious["output"])
        self.assertNotIn("could", curious["output"])
        self.assertEqual(curious["verdict"], "passed")

    def test_no_attack_gains_a_point(self):
        wanted = {path.stem: verdict.split(" or ") for path, _, _, verdict in attacks_test.attacks()}
        for name in ATTACKS:
            with self.subTest(name):
                self.assertEqual(self.results[name]["points"], 0)
                self.assertIn(self.results[name]["verdict"], wanted[name], self.results[name]["summary"])

    def test_nothing_is_left(self):
        self.assertEqual((self.told["files"], self.told["processes"]), ([], []))

    def test_it_is_told_which_sandbox_it_was(self):
        self.assertTrue(self.told["sandbox"].startswith("a user for each program, without namespaces"))
        self.assertIn(self.told["sandbox"].split(";")[0], self.told["shown"])
        self.assertIn("because bubblewrap does not work on this machine", self.told["shown"])

    def test_user_namespaces_without_a_proc_of_ones_own_change_nothing(self):
        told = run_inside("unconfined", options=["--unconfined"])
        self.assertEqual(told["verdict"], "passed", told["summary"])
        self.assertIn("Can't mount proc", told["shown"])

    def test_without_the_words_nothing_is_graded(self):
        self.assertIn("nothing is graded", self.told["none"])
        self.assertIn("--container-sandbox this-container-is-thrown-away", self.told["none"])
        self.assertIn("if this is a container that you throw away", self.told["wrong word"])
        self.assertIn("the sandbox of a container needs root", self.told["no root"])


@unittest.skipUnless(is_possible(), "only root, with mounts to make, can play a container")
class Gradescope(unittest.TestCase):
    def test_a_container_without_namespaces_grades(self):
        with tempfile.NamedTemporaryFile(suffix=".zip", dir=BUILD) as zipped:
            subprocess.run([sys.executable, "-B", ROOT / "grader/autograder/make_zip.py", "lab00", zipped.name],
                           check=True, stdout=subprocess.DEVNULL)
            told = run_inside("autograder", zipped.name)
        self.assertEqual(told["status"], 0, told["said"])
        self.assertEqual(told["results"]["score"], 100)
        self.assertEqual(len(re.findall("each program has a user of its own", told["said"])), 1, told["said"])


if __name__ == "__main__":
    if sys.argv[1:2] == ["inside"]:
        inside()
    elif sys.argv[1:2] == ["unconfined"]:
        unconfined()
    elif sys.argv[1:2] == ["autograder"]:
        autograder(sys.argv[2])
    else:
        unittest.main()
