"""Tests of the makefile's goals for people: help, files elsewhere, editors, and a clone as Windows makes it.

Run with: python3 -B grader/tests/front_door_test.py
"""
from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import tempfile
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD") or ROOT / "build").resolve()


class FrontDoor(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)

    def run_in(self, folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
        return subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=environment, check=False)

    def make(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run_in(ROOT, "make", f"BUILD={self.place}/build", *arguments)

    def without_compilers(self) -> Path:
        """A folder of every program but compilers."""
        programs = self.place / "bin"
        programs.mkdir()
        for path in Path("/usr/bin").iterdir():
            if not re.search("gcc|clang|^c?cc$|^c[89]9", path.name):
                (programs / path.name).symlink_to(path)
        return programs

    def test_help_is_a_students_page_and_help_all_has_every_goal(self) -> None:
        student, whole = self.make("help").stdout, self.make("help-all").stdout
        goals = {name for path in [ROOT / "Makefile", *ROOT.glob("*/*.mk")]
                 for name in re.findall(r"(?m)^## ([^ ]+?)[:,=]", path.read_text(encoding="utf-8"))}
        self.assertEqual({goal for goal in goals if f"\n  {goal}" not in whole}, set())
        self.assertIn("labNN-hint", student)
        self.assertIn("make help-all lists the rest", student)
        for goal in ("test-asan", "autograder", "slides", "FUZZ_SECONDS"):
            self.assertNotIn(f"\n  {goal}", student)

    def test_a_file_elsewhere_is_checked(self) -> None:
        mine = self.place / "my work" / "it's, mine.c"
        mine.parent.mkdir()
        mine.touch()
        for path in (str(mine), os.path.relpath(mine, ROOT)):
            told = self.make("-n", "lab00", f"FILE={path}").stdout
            self.assertNotIn("--progress", told)
            self.assertIn("--source '" + path.replace("'", "'\\''") + "' --out", told)
            self.assertNotIn("your-file.sh", told)
        self.assertIn("--progress", self.make("-n", "lab00").stdout)
        (self.place / "lab00.c").touch()
        with unittest.mock.patch.dict(os.environ, HOME=str(self.place)):
            self.assertIn(f"--source '{self.place}/lab00.c'", self.make("-n", "lab00", "FILE=~/lab00.c").stdout)

    def test_a_file_elsewhere_that_cannot_be_the_labs_is_refused(self) -> None:
        (self.place / "lab01.c").touch()
        for name, says in (("none.c", "there is no such file"), ("", "there is no such file"),
                           ("lab01.c", "this is a file of lab01, and not of lab00")):
            refused = self.make("-n", "lab00-memcheck", f"FILE={self.place}/{name}")
            self.assertEqual(refused.returncode, 2)
            self.assertIn(f"FILE={self.place}/{name}: {says}", refused.stdout)

    def test_a_lab_whose_library_is_missing_says_so_and_the_others_are_there(self) -> None:
        missing = "HEADER.lab13=no-such-header.h"
        for goal in ("lab13", "lab13-hint", "lab13-page"):
            self.assertIn("lab13 needs libpng, which is missing here: run make setup",
                          self.make("-n", goal, missing).stdout)
        self.assertIn("labcheck --root . ", self.make("-n", "lab01", missing).stdout)
        self.assertNotIn("lab13", self.make("-n", "verify", missing).stdout)

    def test_the_page_of_lab_13_shows_each_picture_in_and_out_and_two_timelines(self) -> None:
        made = self.run_in(ROOT, "make", f"BUILD={BUILD}", "lab13-page", "FILE=solutions/lab13-pipeline/lab13.c",
                           "DEVICE=cpu")
        self.assertEqual(made.returncode, 0, made.stdout)
        page = (BUILD / "lab13/page.html").read_text(encoding="utf-8")
        self.assertEqual(page.count('src="data:image/png;base64,'), 2 * 12)
        self.assertEqual(page.count('class="bars"'), 12)
        self.assertIn("modelled on h200", page)
        self.assertEqual(re.findall(r"(?:src|href)=\"(?!data:|#)", page), [])

    def test_a_build_folder_of_the_workbook_has_one_name(self) -> None:
        """Under another name all libraries would be linked again, while others use them."""
        shown = self.run_in(ROOT, "make", "-s", f"BUILD={ROOT}/build/elsewhere", "--eval",
                            "shown: ; $(info <$(BUILD)>)", "shown").stdout
        self.assertIn("<build/elsewhere>", shown)

    def test_goals_are_reached_in_order_and_a_file_among_them_waits_for_none(self) -> None:
        """A library that waited for a program was a circle where the program needs it, and was not linked."""
        mark = self.place / "mark"
        made = self.make("-s", "--eval", f"slow: ; @sleep 0.2; touch {mark}", "--eval", f"after: ; @ls {mark}",
                         "--eval", "$(BUILD)/program: $(BUILD)/library; @cp $< $@\n$(BUILD)/library: ; @echo > $@",
                         "slow", f"{self.place}/build/program", f"{self.place}/build/library", "after", "slow")
        self.assertEqual((made.returncode, made.stdout), (0, f"{mark}\n"))

    def test_the_debugger_stops_in_the_students_functions(self) -> None:
        """One check runs, and its program waits for the debugger before the first call."""
        solution = next((ROOT / "solutions").glob("lab01-*/lab01.c"))
        build = os.environ.get("BUILD", ROOT / "build")
        told = self.run_in(ROOT, "make", f"BUILD={build}", "lab01-debug", "CHECK=2", f"FILE={solution}",
                           "GDB=gdb -batch")
        self.assertRegex(told.stdout, r"hit Breakpoint \d+, .*lab01_sum \(")
        before = told.stdout.partition("hit Breakpoint")[0]
        self.assertNotIn("symbols", before)
        self.assertNotRegex(before, r"(?m)^Breakpoint \d+ at")

    def test_ctrl_c_ends_a_watch_without_a_word(self) -> None:
        """At a terminal, where make hears of it as well."""
        process, terminal = pty.fork()
        if process == 0:
            os.environ.update(TERM="xterm", MAKEFLAGS="", MAKELEVEL="0")
            os.chdir(ROOT)
            os.execvp("make", ["make", f"BUILD={BUILD}", "lab00-watch", "DEVICE=cpu",
                               f"FILE={next((ROOT / 'solutions').glob('lab00-*/lab00.c'))}"])
        self.addCleanup(os.close, terminal)
        told = b""
        while b"Ctrl-C to stop." not in told:
            told += os.read(terminal, 4096)
        os.write(terminal, b"\x03")
        after = b""
        try:
            while more := os.read(terminal, 4096):
                after += more
        except OSError:  # the end of a terminal
            pass
        os.waitpid(process, 0)
        # What make says where a busy machine lets it handle the signal only after its child has ended.
        late = rb"make: \*\*\* (wait: No child processes\.  Stop\.|Waiting for unfinished jobs\.\.\.\.)"
        self.assertEqual(re.sub(late, b"", after).replace(b"^C", b"").strip(), b"")

    def test_a_path_that_make_cannot_handle_is_refused(self) -> None:
        for name, says in (("my labs", "space"), ("it's", "'"), ("a#b", "#"), ("$5", "$"), ("a:b", ":"), ("(1)", "(")):
            folder = self.place / name
            folder.mkdir()
            told = self.run_in(folder, "make", "-f", f"{ROOT}/Makefile", "help")
            self.assertEqual(told.returncode, 2)
            self.assertIn(f"The path of the workbook has a {says} in it, which make cannot handle", told.stdout)
        shown = self.run_in(self.place, "make", "-f", f"{ROOT}/Makefile", "-C", str(ROOT), "help")
        self.assertEqual(shown.returncode, 0, shown.stdout)

    def test_another_make_is_refused(self) -> None:
        old = self.make(".FEATURES=target-specific", "help")
        self.assertEqual(old.returncode, 2)
        self.assertRegex(old.stdout, r"needs GNU make 4\.2 or later, and this is \d\.\d+(\.\d+)?: install a newer one")
        if not shutil.which("bmake"):
            self.skipTest("there is no bmake")
        told = self.run_in(ROOT, "bmake", "help")
        self.assertNotEqual(told.returncode, 0)
        self.assertIn("BSD make cannot read this makefile. Install GNU make", told.stdout.splitlines()[0])

    def test_what_is_missing_is_named_before_a_compiler_is_started(self) -> None:
        environment = {"PATH": str(self.without_compilers()), "HOME": str(self.place)}
        with unittest.mock.patch.dict(os.environ, environment, clear=True):
            told = self.make("lab00")
            self.assertEqual(told.returncode, 2)
            self.assertTrue(told.stdout.startswith("Missing here: gcc, clang, Jansson, "), told.stdout)
            self.assertIn("'make setup' installs what is missing, also without root;", told.stdout)
            self.assertNotIn("not found", told.stdout)
            self.assertNotIn("Missing here", self.make("CC=my-cc", "lab00").stdout)

    def test_a_program_that_a_goal_needs_is_named_before_anything_is_done(self) -> None:
        """Each with the set-up that brings it; a file that the goal would make is not begun."""
        programs = self.place / "bin"
        programs.mkdir()
        left_out = re.compile("gdb|valgrind|pandoc|patch$|bwrap|shellcheck|chrom|google|compute-san")
        for folder in ("/usr/sbin", "/usr/bin"):
            for path in Path(folder).iterdir():
                if not left_out.match(path.name) and not (programs / path.name).exists():
                    (programs / path.name).symlink_to(path)
        needed = {"lab00-debug": ("gdb", "workbook"), "test-valgrind": ("valgrind", "everything"),
                  "verify LAB=lab00": ("patch", "labs"), "lab00-wrong NAME=x": ("patch", "labs"),
                  "test-right": ("patch", "labs"), "slides": ("pandoc", "slides"),
                  "slides-pictures": ("pandoc, Chromium", "workbook"),
                  "lint CHECKS=shell_scripts": ("shellcheck", "workbook"), "grade-sandbox": ("bubblewrap", "grading")}
        environment = {"PATH": str(programs), "HOME": str(self.place)}
        with unittest.mock.patch.dict(os.environ, environment, clear=True):
            for goal, (names, audience) in needed.items():
                told = self.make(*goal.split())
                self.assertEqual(told.returncode, 2, goal)
                self.assertRegex(told.stdout, rf"^Makefile:\d+: \*\*\* Missing here: (Jinja2, )?{names}\. Run 'make"
                                 rf" setup FOR={audience}'\.  Stop\.\n$", goal)
            for goal in ("lab00-debug GDB=lldb", "grade-sandbox THROWN_AWAY=1", "lab00"):
                self.assertNotIn("Missing here", self.make("-n", *goal.split()).stdout, goal)
            for goal in ("test-memcheck", "test-sanitizers"):
                self.assertIn("comes with the CUDA Toolkit, on a GPU: it is missing here",
                              self.make(goal, "DEVICE=cuda").stdout)
        self.assertFalse((self.place / "build/obj").exists())

    def test_what_set_up_leaves_out_is_named_after_it(self) -> None:
        with unittest.mock.patch.dict(os.environ, PATH=f"{self.place}:{os.environ['PATH']}"):
            told = self.make("-n", "setup", "lab00-debug", "test-valgrind").stdout
        first, then = told.index("lib/tools/setup.sh everything"), told.index("lib/tools/needed.sh gdb valgrind")
        self.assertLess(first, then)
        self.assertLess(then, told.index("lib/tools/debug-lab.sh"))

    def test_a_report_that_cannot_be_written_is_told_before_anything_is_graded(self) -> None:
        """A Python without Jinja2 runs every lab, so that only the goals with a report ask for it."""
        folder = self.place / "class/ada"
        folder.mkdir(parents=True)
        with unittest.mock.patch.dict(os.environ, PYTHON="false"):
            for goal in (["demo"], ["grade", f"SUBMISSIONS={folder.parent}"]):
                told = self.make("JOBS=", *goal)
                self.assertEqual(told.returncode, 2)
                self.assertIn("This needs Python 3 with Jinja2, and no Python here has it: run 'make setup"
                              " FOR=grading'.\n", told.stdout)
                self.assertNotIn("compile", told.stdout)
            self.assertNotIn("jinja2", self.make("-n", "lab00").stdout)

    def test_tests_do_not_begin_where_something_is_missing(self) -> None:
        with unittest.mock.patch.dict(os.environ, PATH=str(self.without_compilers()), clear=True):
            told = self.make("test")
        self.assertEqual(told.returncode, 2)
        self.assertEqual(told.stdout.count("Missing here: "), 1, told.stdout)
        self.assertTrue(told.stdout.startswith("Missing here: gcc, clang, "), told.stdout)
        self.assertNotIn("built", told.stdout)

    def test_a_program_that_only_some_goals_need_may_be_missing(self) -> None:
        tools = self.place / "lib/tools"
        tools.mkdir(parents=True)
        shutil.copy(ROOT / "lib/tools/missing.sh", tools)
        text = (ROOT / "lib/tools/needs.sh").read_text(encoding="utf-8")
        for test, status in (("has no-such-program", 0), ("c_library no-such-header.h", 1)):
            need = f"labs ; thing ; thing ; {test} ; does it"
            (tools / "needs.sh").write_text(f"{text}\nNEEDS='{need}'\n", encoding="utf-8")
            self.assertEqual(self.run_in(self.place, "lib/tools/missing.sh").returncode, status, test)

    def test_what_grading_and_tests_need_is_asked_of_them_alone(self) -> None:
        tools = self.place / "lib/tools"
        tools.mkdir(parents=True)
        shutil.copy(ROOT / "lib/tools/missing.sh", tools)
        text = (ROOT / "lib/tools/needs.sh").read_text(encoding="utf-8")
        for room, refused in (("grade", ("grading", "workbook")), ("tests", ("workbook",))):
            need = f"{room} ; thing ; thing ; c_library no-such-header.h ; does it"
            (tools / "needs.sh").write_text(f"{text}\nNEEDS='{need}'\n", encoding="utf-8")
            for audience in ("labs", "grading", "workbook"):
                told = self.run_in(self.place, "lib/tools/missing.sh", audience)
                says = (f"Missing here: thing.\n'make setup FOR={audience}' installs what is missing, also without"
                        " root; 'make doctor' says more.\n") if audience in refused else ""
                self.assertEqual((told.returncode, told.stdout), (int(audience in refused), says))

    def doctor(self, **environment: str) -> str:
        """What doctor.sh says besides the table of needs, without spaces, because it folds its lines."""
        tools = self.place / "lib/tools"
        tools.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "lib/tools/doctor.sh", tools)
        (tools / "needs.sh").write_text("each_need() { :; }\n", encoding="utf-8")
        with unittest.mock.patch.dict(os.environ, BUILD="/nowhere", **environment):
            return "".join(self.run_in(self.place, "lib/tools/doctor.sh").stdout.split())

    def test_lint_refuses_a_check_that_there_is_not(self) -> None:
        refused = self.make("lint", "CHECKS=top_level true")
        self.assertEqual(refused.returncode, 2)
        self.assertRegex(refused.stdout, "(?m)^CHECKS: there is no check true; there are c_format .*top_level ")

    def test_doctor_says_what_to_do_where_there_is_no_sandbox(self) -> None:
        bwrap = self.place / "bwrap"
        bwrap.write_text("#!/bin/sh\necho 'bwrap: Creating new namespace failed' >&2\nexit 1\n")
        bwrap.chmod(0o755)
        for setting, value, says in (
                ("kernel/apparmor_restrict_unprivileged_userns", 1, "sudo systemctl reload apparmor"),
                ("user/max_user_namespaces", 0, "sudo sysctl user.max_user_namespaces=10000"),
                ("kernel/unprivileged_userns_clone", 0, "sudo sysctl kernel.unprivileged_userns_clone=1"),
                ("user/max_user_namespaces", 9, "bwrap: Creating new namespace failed. In a container that is thrown"
                 " away, labgrade --container-sandbox")):
            settings = self.place / f"settings-of-{value}/{setting}"
            settings.parent.mkdir(parents=True, exist_ok=True)
            settings.write_text(f"{value}\n")
            told = self.doctor(PATH=f"{self.place}:{os.environ['PATH']}", SETTINGS=str(settings.parents[1]))
            settings.unlink()
            self.assertIn(says.replace(" ", ""), told)

    def test_doctor_names_the_cache_that_the_library_uses(self) -> None:
        home, cache = self.place / "home", self.place / "cache"
        file = self.place / "file"
        file.touch()
        begin = "ok cache folder keeps compiled kernels in "
        for says, environment in ((f"{begin}{home}/.cache/lab,", {"HOME": str(home)}),
                                  (f"{begin}{cache}/lab,", {"HOME": str(home), "XDG_CACHE_HOME": str(cache)}),
                                  (f"{begin}{self.place}/lab-{os.getuid()},", {"HOME": f"{file}/home"}),
                                  (f"absent cache folder {file}/c cannot be written, so each run compiles its kernels:"
                                   " set LAB_CACHE_DIR to another folder", {"LAB_CACHE_DIR": f"{file}/c"})):
            empty = {"LAB_CACHE_DIR": "", "XDG_CACHE_HOME": "", "TMPDIR": str(self.place)}
            told = self.doctor(**{**empty, **environment})
            self.assertIn(says.replace(" ", ""), told)
            self.assertIn("Labscanrunhere.", told)

    def test_what_leads_to_a_lab_is_counted_and_other_goals_are_listed(self) -> None:
        lab, test, whole = (self.make("-n", *goals).stdout for goals in (["lab00"], ["test-unit"], ["lab00", "V=1"]))
        for listed, commands in ((False, lab), (True, test), (False, whole)):
            self.assertEqual("'compile' 'lib/" in commands, listed)
        self.assertIn("built %s files", lab)
        self.assertNotIn("printf . >>", whole)

    def test_editors_learn_how_every_file_is_compiled(self) -> None:
        made = self.make("compile_commands.json")
        self.assertEqual(made.returncode, 0, made.stdout)
        entries = json.loads((self.place / "build/compile_commands.json").read_text(encoding="utf-8"))
        commands = {entry["file"]: entry["command"] for entry in entries}
        for name in ("labs/lab00-measure/lab00.c", "labs/lab00-measure/kernels.cu"):
            checked = subprocess.run([*commands[name].split(), "-fsyntax-only"], cwd=entries[0]["directory"],
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            self.assertEqual((checked.returncode, checked.stdout), (0, ""), name)
        for path in (ROOT / ".vscode").glob("*.json"):
            json.loads(path.read_text(encoding="utf-8"))

    def test_an_empty_system_that_cannot_be_made_is_not_run_and_no_pass(self) -> None:
        stub = self.place / "debootstrap"
        stub.write_text("#!/bin/sh\necho 'E: no network'\nexit 1\n")
        stub.chmod(0o755)
        reason = ("(debootstrap: E: no network|only root can make systems|\\S+keyring.gpg is missing:.*"
                  "|apt has no mirror .*)")
        with unittest.mock.patch.dict(os.environ, PATH=f"{self.place}:{os.environ['PATH']}"):
            told = self.make("test-fresh", "SYSTEMS=debian-12 debian-99")
        self.assertNotEqual(told.returncode, 0)
        self.assertRegex(told.stdout, rf"(?m)^debian-12 +not run: {reason}$")
        self.assertRegex(told.stdout, r"(?m)^debian-99 +not run: there are .*debian-12")
        self.assertIn("2 not run, which is no pass\n0 passed, 0 failed\n", told.stdout)

    def test_set_up_with_sudo_makes_no_file_of_roots_in_a_students_folder(self) -> None:
        sudo = self.place / "sudo"
        sudo.write_text("#!/bin/sh\necho \"as $2: $3 $5\"\n")
        sudo.chmod(0o755)
        owner = ROOT.stat().st_uid
        path = f"{self.place}:{os.environ['PATH']}"
        for user, says in ((owner, True), (owner + 1, False)):
            with unittest.mock.patch.dict(os.environ, PATH=path, SUDO_UID=str(user)):
                told = self.make("-n", "setup").stdout
            self.assertEqual(f"as #{owner}: make BUILD={self.place}/build" in told, says, told)

    def test_a_clone_with_autocrlf_has_scripts_that_run(self) -> None:
        if not (ROOT / ".git").exists() or not shutil.which("git"):
            self.skipTest("this is no clone")
        listed = self.run_in(ROOT, "git", "ls-files", "--eol").stdout
        self.assertEqual(re.findall(r"(?m)^i/(?:crlf|mixed) .*attr/text.*$", listed), [])
        source = self.place / "source"
        source.mkdir()
        for name in (".gitattributes", "lib/tools/sum.sh", "grader/attacks/right/lab00/deutsch_mit_crlf.c"):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
        git = ("git", "-c", "core.autocrlf=true", "-c", "user.name=a", "-c", "user.email=a@b.c")
        for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"], ["rm", "-q", "-r", "--cached", "."],
                        ["reset", "-q", "--hard"]):
            done = self.run_in(source, *git, *command)
            self.assertEqual(done.returncode, 0, done.stdout)
        clone = self.place / "clone"
        self.run_in(self.place, *git, "clone", "-q", str(source), str(clone))
        self.assertNotIn(b"\r", (clone / "lib/tools/sum.sh").read_bytes())
        kept = "grader/attacks/right/lab00/deutsch_mit_crlf.c"
        self.assertEqual((clone / kept).read_bytes(), (ROOT / kept).read_bytes())

    def test_a_new_program_is_built_on_the_installed_library(self) -> None:
        build = Path(os.environ.get("BUILD", ROOT / "build"))
        prefix, program = self.place / "prefix", self.place / "mine"
        early = self.make("new-program", f"NAME={program}", f"PREFIX={prefix}")
        self.assertIn("run make install first", early.stdout)
        built = ["liblab.a", *(f"bin/{name}" for name in ("labcache", "labdevice", "labtrace", "labkernels"))]
        as_it_is = [word for name in built for word in ("-o", f"{build}/{name}")]
        done = self.run_in(ROOT, "make", *as_it_is, f"BUILD={build}", "install", f"PREFIX={prefix}")
        self.assertEqual(done.returncode, 0, done.stdout)
        made = self.make("new-program", f"NAME={program}", f"PREFIX={prefix}")
        self.assertIn(f"{program} is there", made.stdout)
        self.assertIn("choose another name", self.make("new-program", f"NAME={program}", f"PREFIX={prefix}").stdout)
        for goal in ("run", "order", "adversarial", "memcheck"):
            done = self.run_in(program, "make", "-s", goal)
            self.assertEqual((done.returncode, done.stdout), (0, "2 * 999 + 1006 = 3004\n"), goal)
        self.assertRegex(self.run_in(program, "make", "-s", "timeline").stdout, "1 stream, .*never overlap")
        if shutil.which("pkg-config"):
            flags = self.run_in(program, "env", f"PKG_CONFIG_PATH={prefix}/lib/pkgconfig", "pkg-config", "--cflags",
                                "--libs", "lab").stdout.split()
            self.assertEqual(self.run_in(program, "gcc", "main.c", *flags, "-o", "other").returncode, 0)


if __name__ == "__main__":
    unittest.main()
