"""What lib/tools/proofs.py keeps, and what makes it run a proof again. The inputs of the labs come from make."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD") or ROOT / "build").resolve()
PASS = "printf x >>ran; echo '  ok'; echo '3 passed, 0 failed'"
FAIL = "printf x >>ran; echo '2 passed, 1 failed'"
KEPT = "  (kept: nothing that this depends on has changed)\n"


def listed(variables):
    """The files that make lists, relative to the workbook."""
    done = subprocess.run(["make", "-s", f"BUILD={BUILD}", "--eval", f"shown: ; $(info {variables})", "shown"],
                          cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True)
    return [os.path.relpath(ROOT / path, ROOT) for path in done.stdout.split("\n")[0].split()]


def inputs_of(lab):
    return listed(f"$(call verify_inputs,{lab})")


def kept_by_git(*places):
    done = subprocess.run(["git", "ls-files", *places], cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True)
    return done.stdout.split()


class Proofs(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="proofs-")
        self.addCleanup(place.cleanup)
        self.place = Path(place.name).resolve()
        (self.place / "tools").mkdir()
        self.settings = {}

    def write(self, name, text):
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run_lines(self, lines, *options):
        """Exit status and output. No tools are found but those in the folder `tools`."""
        self.write("list", "".join(f"{line}\n" for line in lines))
        done = subprocess.run([sys.executable, ROOT / "lib/tools/proofs.py", *options, "proved", "list"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.place,
                              env={"PATH": str(self.place / "tools"), **self.settings})
        return done.returncode, done.stdout

    def prove(self, command, inputs, *options):
        return self.run_lines([f"{command} ; {' '.join(inputs)}", "."], *options)

    def runs(self):
        ran = self.place / "ran"
        return len(ran.read_text()) if ran.exists() else 0

    def assert_runs_again(self, inputs, why):
        before = self.runs()
        self.assertEqual(self.prove(PASS, inputs), (0, "  ok\n0 kept, 3 run\n3 passed, 0 failed\n"), why)
        self.assertEqual(self.runs(), before + 1, why)

    def assert_kept(self, inputs, why=""):
        before = self.runs()
        self.assertEqual(self.prove(PASS, inputs), (0, f"  ok\n{KEPT}3 kept, 0 run\n3 passed, 0 failed\n"), why)
        self.assertEqual(self.runs(), before, why)

    def test_what_passed_is_kept_until_an_input_changes(self):
        self.write("a", "one")
        self.assert_runs_again(["a", "b"], "never run")
        self.assert_kept(["a", "b"])
        os.utime(self.place / "a", (0, 0))
        self.assert_kept(["a", "b"], "only a time has changed")
        self.write("a", "two")
        self.assert_runs_again(["a", "b"], "another content")
        self.write("b", "")
        self.assert_runs_again(["a", "b"], "a missing file came")
        self.assert_runs_again(["a"], "one input fewer")

    def test_a_byte_of_each_kind_of_a_labs_inputs_makes_it_run_again(self):
        inputs = inputs_of("lab02")
        built = os.path.relpath(BUILD, ROOT)
        kinds = [f"{built}/lab02/{name}" for name in ("checks", "reference", "program.o", "program.link", "contract")]
        kinds += [f"{built}/bin/{name}" for name in ("labcheck", "labserver", "labkernels")]
        kinds += [f"{built}/liblab-remote.a", f"{built}/lab02/wrong/no_wait.c", "lib/include/lab.h",
                  "labs/lab02-events/lab02.h", "labs/lab02-events/kernels.cu", "labs/lab02-events/wrong/no_wait.patch",
                  "solutions/lab02-events/lab02.c", "labs/lab02-events/starter.c"]
        self.assertEqual([kind for kind in kinds if kind not in inputs], [])
        for kind in kinds:
            self.write(kind.replace("../", ""), "a lab's part")
        inputs = [path.replace("../", "") for path in inputs]
        self.assert_runs_again(inputs, "never run")
        for kind in (kind.replace("../", "") for kind in kinds):
            self.assert_kept(inputs, kind)
            self.write(kind, "b lab's part")
            self.assert_runs_again(inputs, kind)

    def test_all_files_of_a_labs_folders_are_inputs_but_the_lesson_and_the_students_file(self):
        for folder in ("labs/lab12-audit", "solutions/lab12-audit"):
            names = set(kept_by_git(folder))
            self.assertEqual(names - set(inputs_of("lab12")) - {f"{folder}/README.md"}, set())
        self.assertNotIn("labs/lab12-audit/lab12.c", inputs_of("lab12"))

    def test_what_the_tests_of_right_answers_and_attacks_read_are_their_inputs(self):
        built = os.path.relpath(BUILD, ROOT)
        right = [re.sub(r"^grader/attacks/right/(lab\d\d)/(.*)\.patch$", rf"{built}/\1/right/\2.c", path)
                 for path in kept_by_git("grader/attacks/right/*/*")]
        headers = [path for path in kept_by_git("lib/include", "labs/lab[0-9]*/*.h") if path.endswith(".h")]
        read = {f"{built}/tests/grader_tests", *right, *headers, *kept_by_git("solutions/lab[0-9]*/lab[0-9][0-9].c")}
        self.assertEqual(read - set(listed("$(BUILDS_INPUTS)")), set())
        attacks = [path for path in kept_by_git("grader/attacks/*.c") if path.count("/") == 2]
        read = {*attacks, *kept_by_git("grader/tests/fixtures/toylab", "grader/tests/fixtures/naive", "lib/include")}
        read |= {"grader/tests/attacks_test.py", f"{built}/bin/labgrade", f"{built}/bin/labunpack",
                 f"{built}/bin/labserver", f"{built}/bin/labkernels", f"{built}/toylab/checks"}
        self.assertEqual(read - set(listed("$(ATTACKS_INPUTS)")), set())

    def test_tools_and_settings_count(self):
        self.assert_runs_again(["a"], "never run")
        for name in ("gcc", "clang", "objcopy", "addr2line"):
            shutil.copy(self.write("tool", "#!/bin/sh\n"), self.place / "tools" / name)
            (self.place / "tools" / name).chmod(0o755)
            self.assert_runs_again(["a"], name)
        for name in ("LAB_DEVICE", "LAB_SCHEDULE", "C_INCLUDE_PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"):
            self.settings[name] = "1"
            self.assert_runs_again(["a"], name)
            self.assert_kept(["a"], name)
        self.settings["LAB_CACHE_DIR"] = "elsewhere"
        self.assert_kept(["a"], "the place of the cache")

    def test_what_the_compiler_starts_counts(self):
        self.write("cc1", "one")
        gcc = self.write("tools/gcc", f'#!/bin/sh\n[ "$1" != -print-prog-name=cc1 ] || echo {self.place}/cc1\n')
        gcc.chmod(0o755)
        self.assert_runs_again(["a"], "never run")
        self.assert_kept(["a"])
        self.write("cc1", "two")
        self.assert_runs_again(["a"], "another compiler")

    def test_what_failed_is_run_again_and_never_kept(self):
        for ran in (1, 2):
            self.assertEqual(self.prove(FAIL, ["a"]), (1, "0 kept, 3 run\n2 passed, 1 failed\n"))
            self.assertEqual(self.runs(), ran)
        self.assertEqual(list((self.place / "proved").iterdir()), [])

    def test_what_says_no_numbers_or_ends_with_a_status_has_failed(self):
        self.assertEqual(self.prove("echo no", [])[1], "no\n0 kept, 1 run\n0 passed, 1 failed\n")
        self.assertIn("ended with status 3\n0 kept, 1 run\n0 passed, 1 failed\n",
                      self.prove("echo '2 passed, 0 failed'; exit 3", [])[1])
        self.assertEqual(list((self.place / "proved").iterdir()), [])

    def test_what_a_machine_cannot_run_is_not_kept(self):
        command = f"echo '1 not run, which is no pass'; {PASS}"
        for ran in (1, 2):
            self.prove(command, [])
            self.assertEqual(self.runs(), ran)

    def test_what_changes_while_it_runs_is_not_kept(self):
        for ran in (1, 2):
            self.write("a", "one")
            self.prove(f"printf two >a; {PASS}", ["a"])
            self.assertEqual(self.runs(), ran)

    def test_fresh_runs_all_and_keeps_it(self):
        self.assert_runs_again(["a"], "never run")
        self.assertEqual(self.prove(PASS, ["a"], "--fresh")[1], "  ok\n0 kept, 3 run\n3 passed, 0 failed\n")
        self.assertEqual(self.runs(), 2)
        self.assert_kept(["a"])

    def test_unkept_neither_takes_nor_keeps(self):
        self.prove(PASS, ["a"], "--unkept")
        self.assert_runs_again(["a"], "not kept")
        self.prove(PASS, ["a"], "--unkept")
        self.assertEqual(self.runs(), 3)

    def test_proofs_are_told_in_order_and_added_up(self):
        lines = [f"echo first; echo '1 passed, 0 failed' ; {self.place}", f"{FAIL} ; a", "."]
        self.assertEqual(self.run_lines(lines), (1, "first\n0 kept, 4 run\n3 passed, 1 failed\n"))
        self.assertEqual(self.run_lines(lines), (1, f"first\n{KEPT}1 kept, 3 run\n3 passed, 1 failed\n"))

    def test_a_list_without_its_end_proves_nothing(self):
        status, said = self.run_lines([f"{PASS} ; a"])
        self.assertNotEqual(status, 0)
        self.assertIn("does not end with a full stop", said)
        self.assertEqual(self.runs(), 0)


if __name__ == "__main__":
    unittest.main()
