"""Attacks on real labs: their submissions compile, the table shows a gained point, and none is gained.

All attacks on all labs take minutes: make grade SUBMISSIONS=grader/attacks. These tests run a few on one lab.
"""
import contextlib
import functools
import importlib.util
import io
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD") or ROOT / "build").resolve()
LABS = sorted(folder.name[:5] for folder in (ROOT / "labs").glob("lab[0-9][0-9]-*"))
HONEST = ["honest_success", "honest_error", "honest_starter"]
FEW = [*HONEST, "defers_the_work", "nan_everywhere", "prints_the_evidence", "exits_early",
       "forges_the_record", "writes_to_its_own_memory"]
OF_LAB02 = [*HONEST, "writes_behind_the_callback", "fills_in_the_prediction", "defers_the_work"]

specification = importlib.util.spec_from_file_location("on_labs", ROOT / "grader/attacks/on_labs.py")
on_labs = importlib.util.module_from_spec(specification)
specification.loader.exec_module(on_labs)


def result(name, points):
    checks = [{"name": check, "points": earned} for check, earned in points.items()]
    return {"submission": {"name": name}, "verdict": "wrong result", "checks": checks}


def table_of(results):
    """The table of these results, and how many points were gained."""
    with tempfile.TemporaryDirectory(prefix="on-labs-") as name:
        place = Path(name)
        for each in results:
            (place / "class/lab01" / each["submission"]["name"]).mkdir(parents=True)
        (place / "results.json").write_text(json.dumps({"submissions": results}))
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            gained = on_labs.print_table(place, place / "class", ["lab01"])
        return said.getvalue(), gained


def namespaces_are_possible():
    return subprocess.run(["unshare", "--user", "true"], stderr=subprocess.DEVNULL).returncode == 0


class OnLabs(unittest.TestCase):
    def test_files_of_every_lab_compile(self):
        for lab in LABS:
            payload = dict(on_labs.payloads(lab))
            own = {path.stem for path in (ROOT / "grader/attacks/labs" / lab).glob("*.c")}
            self.assertFalse(own & set(payload), "an attack of one lab has the name of one of all labs")
            for name, text in on_labs.files(lab):
                if name not in own | {"honest_success", "exits_early", "defers_the_work", "forges_handles",
                                      "answers_with_other_bytes", "answers_the_check_twice"}:
                    continue
                with self.subTest(lab=lab, attack=name):
                    done = subprocess.run(["gcc", "-std=c11", "-D_GNU_SOURCE", "-fsyntax-only", "-x", "c", "-",
                                           "-I", ROOT / "lib/include", "-I", on_labs.folder_of(lab)], text=True,
                                          input=text, stderr=subprocess.PIPE)
                    self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_function_of_a_lab_is_attacked(self):
        for lab in LABS:
            text = on_labs.file_of(lab, dict(on_labs.payloads(lab))["nan_everywhere"])
            header = (on_labs.folder_of(lab) / f"{lab}.h").read_text()
            declared = header.count(f"\nlab_status {lab}_")
            self.assertGreater(declared, 0)
            self.assertEqual(text.count("    return attack("), declared, lab)

    def test_point_that_the_honest_part_has_too_is_not_gained(self):
        said, gained = table_of([result("honest_success", {"a": 0, "b": 5}), result("honest_error", {"a": 3, "b": 0}),
                                 result("attack", {"a": 3, "b": 5})])
        self.assertEqual(gained, 0, said)
        self.assertIn("3 submissions, 0 points gained", said)

    def test_point_that_an_attack_gains_is_reported(self):
        said, gained = table_of([result("honest_success", {"a": 0, "b": 5}), result("honest_error", {"a": 0, "b": 0}),
                                 result("attack", {"a": 7, "b": 0})])
        self.assertEqual(gained, 7, said)
        self.assertRegex(said, r"attack +lab01 +wrong result +7")

    @staticmethod
    @functools.lru_cache(maxsize=None)
    def grade(lab, *attacks):
        """The results of these attacks, and how many points they gained. Tests that ask for the same share them."""
        with tempfile.TemporaryDirectory(prefix="on-labs-") as name:
            place = Path(name).resolve()
            text = dict(on_labs.files(lab))
            for attack in attacks:
                (place / "class" / lab / attack).mkdir(parents=True)
                (place / "class" / lab / attack / f"{lab}.c").write_text(text[attack])
            done = subprocess.run([BUILD / "bin/labgrade", "--root", ROOT, "--build", BUILD, "--lab", lab,
                                   "--submissions", place / "class" / lab, "--out", place / "out", "--seconds", "5"],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode != 0:
                raise AssertionError(done.stdout)
            gained = on_labs.print_table(place / "out", place / "class", [lab])
            return on_labs.read_results(place / "out/results.json"), gained

    @unittest.skipUnless(namespaces_are_possible(), "this machine gives no user namespaces: there is no sandbox")
    def test_values_written_behind_a_callback_or_into_a_prediction_earn_nothing(self):
        results, gained = self.grade("lab02", *OF_LAB02)
        self.assertEqual(gained, 0)
        checks = {check["name"]: check for check in results["fills_in_the_prediction"]["checks"]}
        self.assertIn("no table of constants named lab02_never_recorded",
                      checks["never_recorded_is_predicted"]["message"])

    @unittest.skipUnless(namespaces_are_possible(), "this machine gives no user namespaces: there is no sandbox")
    def test_what_solves_a_task_is_not_in_the_program_that_tries_it(self):
        with tempfile.TemporaryDirectory(prefix="on-labs-") as name:
            place = Path(name).resolve()
            (place / "lab10.c").write_text(dict(on_labs.files("lab10"))["finds_the_given_capture"])
            done = subprocess.run([BUILD / "bin/labcheck", "--root", ROOT, "--build", BUILD, "--lab", "lab10",
                                   "--source", place / "lab10.c", "--out", place, "--json", place / "result.json",
                                   "--graded", "--first-failure", "--quiet"],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 1, done.stdout)
            first = json.loads((place / "result.json").read_text())["checks"][0]
        self.assertEqual((first["name"], first["status"]), ("graph_is_the_one_asked_for", "failed"))
        self.assertIn("crashed: SIGILL (illegal instruction) in lab10_record", first["message"])

    @unittest.skipUnless(namespaces_are_possible(), "this machine gives no user namespaces: there is no sandbox")
    def test_work_that_a_thread_enqueues_after_the_return_earns_nothing(self):
        results, gained = self.grade("lab02", *OF_LAB02)
        self.assertEqual(gained, 0)
        checks = {check["name"]: check for check in results["defers_the_work"]["checks"]}
        self.assertEqual(checks["pipeline_is_waited_for"]["status"], "failed")

    @unittest.skipUnless(namespaces_are_possible(), "this machine gives no user namespaces: there is no sandbox")
    def test_none_gains_a_point(self):
        results, gained = self.grade("lab01", *FEW)
        verdicts = {name: each["verdict"] for name, each in results.items()}
        self.assertEqual(gained, 0)
        self.assertEqual(verdicts["nan_everywhere"], "wrong result")
        self.assertEqual(verdicts["exits_early"], "crash")


if __name__ == "__main__":
    unittest.main()
