"""Tests of set-up without root, of systems without apt, and of libraries in unusual places.

The packages are made here, so that no test needs a network. Run with: python3 -B grader/tests/setup_test.py
"""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("awk bash cat cut date dirname dpkg-deb dpkg-query env find fold grep head id ln ls mkdir mktemp mv paste"
         " readlink rm sed sh sort tail tar tr uname gcc as ld chmod touch").split()
NEED = "labs ; thing ; thing ; c_library thing.h -lthing ; does it"


class SetUp(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)
        self.bin = self.place / "bin"
        self.bin.mkdir()
        for name in TOOLS:
            path = shutil.which(name)
            if path:
                (self.bin / name).symlink_to(path)
        tools = self.place / "workbook/lib/tools"
        tools.mkdir(parents=True)
        for name in ("setup.sh", "unpack.sh", "needs.sh"):
            shutil.copy(ROOT / "lib/tools" / name, tools)
        with open(tools / "needs.sh", "a", encoding="utf-8") as needs:
            needs.write(f"NEEDS='{NEED}'\n")
        self.program("id", "echo 1000")

    def program(self, name: str, script: str) -> None:
        path = self.bin / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    def run_here(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        surroundings = {"PATH": str(self.bin), "HOME": str(self.place / "home"), **environment}
        return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=surroundings,
                              stdin=subprocess.DEVNULL, cwd=self.place, check=False)

    def set_up(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return self.run_here(str(self.place / "workbook/lib/tools/setup.sh"), *arguments, **environment)

    def make_package(self) -> Path:
        """A library as Debian has them: an absolute link, a linker script, another library under it, and a program."""
        tree = self.place / "tree"
        libraries, headers = tree / "usr/lib/x86_64-linux-gnu", tree / "usr/include"
        for folder in (libraries, headers, tree / "usr/bin", tree / "DEBIAN"):
            folder.mkdir(parents=True)
        (headers / "thing.h").write_text("int thing(void);\n", encoding="utf-8")
        (tree / "DEBIAN/control").write_text("Package: thing\nVersion: 1\nArchitecture: all\nMaintainer: nobody\n"
                                             "Description: a test\n", encoding="utf-8")
        source, user = self.place / "thing.c", self.place / "tool.c"
        under = self.place / "base.c"
        under.write_text("int base(void) { return 7; }\n", encoding="utf-8")
        source.write_text("int base(void);\nint thing(void) { return base(); }\n", encoding="utf-8")
        user.write_text("int thing(void);\nint main(void) { return thing(); }\n", encoding="utf-8")
        real, base = libraries / "libthing.so.1", libraries / "libbase.so.1"
        subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,-soname,libbase.so.1", "-o", base, under], check=True)
        subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,-soname,libthing.so.1", "-o", real, source, base], check=True)
        subprocess.run(["gcc", f"-Wl,-rpath-link,{libraries}", "-o", tree / "usr/bin/thing-tool", user, real],
                       check=True)
        (libraries / "libreal.so").symlink_to("/usr/lib/x86_64-linux-gnu/libthing.so.1")
        (libraries / "libthing.so").write_text("GROUP ( /usr/lib/x86_64-linux-gnu/libreal.so )\n", encoding="utf-8")
        for name, script in (("usr/bin/pandoc", 'echo "$pandoc_datadir"'), ("usr/bin/chromium", "exit 1"),
                             ("usr/lib/chromium/chromium", 'echo "$FONTCONFIG_PATH"')):
            (tree / name).parent.mkdir(exist_ok=True)
            (tree / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
            (tree / name).chmod(0o755)
        package = self.place / "thing_1_all.deb"
        subprocess.run(["dpkg-deb", "--build", "--root-owner-group", "-Zgzip", tree, package], check=True,
                       stdout=subprocess.DEVNULL)
        return package

    def begin_apt(self) -> None:
        package = self.make_package()
        self.program("apt-cache", 'if [ "$2" = thing ]; then echo "  Candidate: 1"; else echo " 500 x Packages"; fi')
        self.program("apt-get", 'case "$*" in *--print-uris*) echo "\'http://there/a.deb\' a.deb 2000000 x" ;;\n'
                     f'*--download-only*) cp {package} "$(sed -n \'s/^Dir::Cache "\\(.*\\)";/\\1/p\' "$APT_CONFIG")'
                     '/archives/" ;; *) exit 100 ;; esac')
        (self.bin / "cp").symlink_to(shutil.which("cp") or "")

    def test_without_root_packages_are_unpacked_and_found(self) -> None:
        self.begin_apt()
        done = self.set_up()
        self.assertEqual(done.returncode, 0, done.stdout)
        folder = self.place / "home/.local/share/gpu-workbook"
        self.assertRegex(done.stdout, "FOR=labs .* 1 packages, 2 MB to fetch")
        self.assertIn(f"no root here, so packages for labs are unpacked in {folder}", done.stdout)
        self.assertIn("  installed  thing ", done.stdout)
        self.assertEqual(self.run_here(str(folder / "bin/thing-tool")).returncode, 7)
        for compiler in ("gcc", "cc"):
            linked = self.run_here(str(folder / "bin" / compiler), "-o", "linked", "tool.c", "-lthing")
            self.assertEqual(linked.returncode, 0, linked.stdout)
            self.assertEqual(self.run_here("./linked").returncode, 7)
        again = self.set_up()
        self.assertIn("Set-up: everything is there that is needed to run the labs", again.stdout)

    def test_programs_with_data_of_their_own_find_it_where_it_was_unpacked(self) -> None:
        self.begin_apt()
        self.set_up()
        folder = self.place / "home/.local/share/gpu-workbook"
        for name, data in (("pandoc", "usr/share/pandoc"), ("chromium", "etc/fonts")):
            self.assertEqual(self.run_here(str(folder / "bin" / name)).stdout, f"{folder / data}\n")

    def test_fonts_are_found_where_they_were_unpacked(self) -> None:
        font = self.place / "folder/usr/share/fonts/opentype/Thing-Bold.otf"
        font.parent.mkdir(parents=True)
        font.touch()
        ask = (shutil.which("bash") or "", "-c", f". {ROOT}/lib/tools/needs.sh; font_files Thing-Bold")
        places = f"/nowhere:{self.place}/folder"
        self.assertEqual(self.run_here(*ask, PATH=os.environ["PATH"]).returncode, 1)
        self.assertEqual(self.run_here(*ask, PATH=os.environ["PATH"], LAB_PACKAGES=places).returncode, 0)

    def test_prefix_names_the_folder(self) -> None:
        self.begin_apt()
        done = self.set_up("labs", PREFIX=str(self.place / "mine"))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertTrue((self.place / "mine/share/gpu-workbook/bin/thing-tool").exists())
        self.assertIn(f"with PREFIX={self.place}/mine each time", done.stdout)
        self.assertFalse((self.place / "home").exists())
        (self.place / "file").write_text("", encoding="utf-8")
        refused = self.set_up("labs", PREFIX=str(self.place / "file"))
        self.assertEqual(refused.returncode, 1)
        self.assertIn("cannot be written: name another folder, as in make setup PREFIX=", refused.stdout)

    def test_without_a_network_the_network_is_what_is_told(self) -> None:
        """What apt answers: an update that fetches nothing ends well, and an installation then knows no package."""
        self.begin_apt()
        unreached = "http://there/debian/{}  Temporary failure resolving 'there'"
        self.program("apt-get", f"""case "$*" in
            *--print-uris*) echo "'http://there/a.deb' a.deb 2000000 x" ;;
            *update*) echo "W: Failed to fetch {unreached.format('InRelease')}" ;;
            *--download-only*) echo 'E: Unable to locate package thing'; exit 100 ;;
            *) echo "E: Failed to fetch {unreached.format('thing.deb')}"
               echo 'E: Unable to fetch some archives, maybe run apt-get update?'; exit 100 ;;
            esac""")
        for user, file in ((1000, "InRelease"), (0, "thing.deb")):
            self.program("id", f"echo {user}")
            told = self.set_up()
            self.assertEqual(told.returncode, 1)
            self.assertIn(f"Failed to fetch {unreached.format(file)}\napt could not fetch this: is there a network?"
                          " Run 'make setup' again when there is.\n", told.stdout)
            self.assertNotIn("Unable to locate", told.stdout)

    def test_what_apt_says_is_told_where_its_servers_answer(self) -> None:
        self.begin_apt()
        self.program("apt-get", "case \"$*\" in *install*) echo 'E: no space left'; exit 100 ;; esac")
        for user, says in ((1000, "Packages could not be fetched and unpacked (above): thing"),
                           (0, "apt-get install failed (above) for: thing")):
            self.program("id", f"echo {user}")
            self.assertIn(f"E: no space left\n{says}\n", self.set_up().stdout)

    def test_a_system_without_apt_is_told_what_to_install(self) -> None:
        release = self.place / "os-release"
        for system, says in (("ID=fedora\n", "sudo dnf install gcc glibc-devel clang jansson-devel"),
                             ('ID=rocky\nID_LIKE="rhel centos fedora"\n', "dnf install criterion-devel"),
                             ("ID=arch\n", "sudo pacman -S --needed gcc clang jansson"),
                             ("ID=gentoo\n", "Install what is missing above with the tools of this system.")):
            release.write_text(system, encoding="utf-8")
            told = self.set_up(OS_RELEASE=str(release))
            self.assertEqual(told.returncode, 1)
            self.assertIn("  MISSING    thing ", told.stdout)
            self.assertIn(says, told.stdout)
            self.assertIn("CPATH, LIBRARY_PATH, LD_LIBRARY_PATH and PKG_CONFIG_PATH are followed", told.stdout)

    def test_an_unknown_audience_is_refused(self) -> None:
        self.assertIn("FOR=nobody: there are labs, grading, slides, workbook and everything.",
                      self.set_up("nobody").stdout)


class Containers(unittest.TestCase):
    """The steps of both containers, run in a folder: COPY and %files as copies, RUN and %post by a shell, with an apt
    that only says what it was asked for."""

    def steps_of_docker(self) -> str:
        text = (ROOT / ".devcontainer/Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
        steps = [line.split(" ", 1) for line in text.splitlines() if line.startswith(("COPY ", "RUN "))]
        return "\n".join(self.copy(*rest.split()) if name == "COPY" else rest for name, rest in steps)

    def steps_of_apptainer(self) -> str:
        text = (ROOT / ".devcontainer/workbook.def").read_text(encoding="utf-8")
        files, post = text.split("%files\n")[1].split("%post\n")
        return "\n".join([self.copy(*line.split()) for line in files.splitlines() if line.strip()] + [post])

    def copy(self, source: str, target: str) -> str:
        self.assertTrue((ROOT / source).exists(), source)
        return f"mkdir -p {target} && cp -R $WORKBOOK/{source}/. {target}"

    def test_their_steps_install_what_labs_need(self) -> None:
        for steps in (self.steps_of_docker(), self.steps_of_apptainer()):
            with self.subTest(steps), tempfile.TemporaryDirectory() as place:
                programs = Path(place) / "bin"
                programs.mkdir()
                for name, script in (("apt-get", f'echo "$*" >>{place}/asked'), ("useradd", ":"), ("id", "echo 0"),
                                     ("apt-cache", 'echo "  Candidate: 1"'), ("gcc", "exit 1"), ("clang", "exit 1")):
                    (programs / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
                    (programs / name).chmod(0o755)
                moved = re.sub(r"/(tmp|opt|var)/", rf"{place}/\1/", steps)
                environment = {"PATH": f"{programs}:{os.environ['PATH']}", "WORKBOOK": str(ROOT)}
                done = subprocess.run(["sh", "-c", moved], env=environment, text=True, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, check=False)
                asked = (Path(place) / "asked").read_text(encoding="utf-8")
                self.assertRegex(asked, "install -q -y --no-install-recommends .*gcc .*clang .*libjansson-dev")
                self.assertNotRegex(asked, "(?m)^install .*(criterion|sqlite|archive|jinja)")
                self.assertIn("Installed, but not working: gcc clang", done.stdout)


class Mirrors(unittest.TestCase):
    """From where empty systems come: what this machine's apt uses, in either form of its sources."""

    def setUp(self) -> None:
        if not shutil.which("apt-get"):
            self.skipTest("there is no apt")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)
        for name in ("lists", "parts"):
            (self.place / name).mkdir()
        (self.place / "apt.conf").write_text(
            f'Dir::State::lists "{self.place}/lists/";\nDir::Etc::sourcelist "{self.place}/sources.list";\n'
            f'Dir::Etc::sourceparts "{self.place}/parts/";\nAPT::Architecture "amd64";\n', encoding="utf-8")

    def ask(self, distribution: str, architecture: str, **more: str) -> str:
        environment = {"PATH": os.environ["PATH"], "APT_CONFIG": str(self.place / "apt.conf"), **more}
        asked = subprocess.run([ROOT / "lib/tools/mirror.sh", distribution, architecture], text=True, check=False,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
        self.assertEqual(asked.returncode, int("no mirror" in asked.stdout), asked.stdout)
        return asked.stdout.strip()

    def test_sources_of_one_line_are_read(self) -> None:
        (self.place / "sources.list").write_text(
            "deb http://other.test/tools stable tools\ndeb http://other.test/cloud sdk-bookworm main\n"
            "# deb http://not.test/debian bookworm main\ndeb http://safe.test/debian bookworm-security main\n"
            "deb [arch=amd64] http://near.test/mirror/debian bookworm main contrib\n", encoding="utf-8")
        self.assertEqual(self.ask("debian", "amd64"), "http://near.test/mirror/debian")
        self.assertEqual(self.ask("debian", "arm64"), "http://near.test/mirror/debian")
        self.assertEqual(self.ask("ubuntu", "amd64"), "apt has no mirror of Ubuntu for amd64 here: name one, as in"
                         " MIRROR=http://mirror.example.org/ubuntu")

    def test_sources_of_several_lines_are_read(self) -> None:
        (self.place / "parts/ubuntu.sources").write_text(
            "Types: deb\nURIs: https://near.test/ubuntu/\nSuites: noble noble-updates\nComponents: main universe\n",
            encoding="utf-8")
        self.assertEqual(self.ask("ubuntu", "amd64"), "https://near.test/ubuntu")
        self.assertIn("no mirror of Ubuntu for arm64", self.ask("ubuntu", "arm64"))
        self.assertIn("no mirror of Debian", self.ask("debian", "amd64"))

    def test_lists_that_were_fetched_say_whose_they_are(self) -> None:
        (self.place / "sources.list").write_text("deb http://other.test/x bookworm main\n"
                                                 "deb http://near.test/x tree main\n", encoding="utf-8")
        for site, origin in (("other.test_x_dists_bookworm", "Other"), ("near.test_x_dists_tree", "Debian")):
            (self.place / f"lists/{site}_Release").write_text(f"Origin: {origin}\nLabel: {origin}\n", encoding="utf-8")
            (self.place / f"lists/{site}_main_binary-amd64_Packages").touch()
        self.assertEqual(self.ask("debian", "amd64"), "http://near.test/x")

    def test_a_mirror_that_is_named_is_used(self) -> None:
        self.assertEqual(self.ask("ubuntu", "arm64", MIRROR="http://mine.test/ports/"), "http://mine.test/ports")


class Places(unittest.TestCase):
    """What the makefile makes of a conda environment, of pkg-config, and of what was unpacked."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)

    def ask(self, **more: str) -> str:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.place), **more}
        rule = ("show: ; @echo \"headers $$C_INCLUDE_PATH libraries $$LIBRARY_PATH path $$PATH shown $$LAB_PACKAGES"
                " link $(LIB_LIBRARIES)\"")
        asked = subprocess.run(["make", "-s", "-C", str(ROOT), f"BUILD={self.place}/build", "--eval", rule, "show"],
                               text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
                               check=False)
        self.assertEqual(asked.returncode, 0, asked.stdout)
        return asked.stdout

    def test_nothing_changes_by_default(self) -> None:
        said = self.ask(CONDA_PREFIX="/nowhere")
        self.assertIn(f"headers  libraries  path {os.environ['PATH']} shown  link -ljansson", said)

    def test_a_conda_environment_with_jansson_is_used(self) -> None:
        (self.place / "include").mkdir()
        (self.place / "include/jansson.h").touch()
        libraries = self.place / "lib"
        libraries.mkdir()
        (libraries / "libjansson.so").touch()
        said = self.ask(CONDA_PREFIX=str(self.place), LIBRARY_PATH="/one:/two:/one")
        self.assertIn(f"headers {self.place}/include libraries {libraries}:/one:/two path", said)
        self.assertIn(f"shown {self.place}:{libraries} link -Wl,--disable-new-dtags,-rpath,{libraries} -ljansson", said)

    def test_pkg_config_is_asked_where_it_has_a_path(self) -> None:
        (self.place / "jansson.pc").write_text("Name: j\nDescription: j\nVersion: 1\nCflags: -I/j/include\n"
                                               "Libs: -L/j/lib -ljansson\n", encoding="utf-8")
        if not shutil.which("pkg-config"):
            self.skipTest("there is no pkg-config")
        said = self.ask(PKG_CONFIG_PATH=str(self.place))
        self.assertIn("headers /j/include libraries /j/lib path", said)

    def test_unpacked_programs_come_first(self) -> None:
        folder = self.place / ".local/share/gpu-workbook"
        (folder / "bin").mkdir(parents=True)
        self.assertIn(f"path {folder}/bin:{os.environ['PATH']} shown {folder} link", self.ask())

    def test_goals_after_set_up_say_for_whom_it_is(self) -> None:
        for goals, audience in (("", ""), ("lab00", ""), ("demo", "grading"), ("grade SUBMISSIONS=labs", "grading"),
                                ("slides", "slides"), ("test", "workbook"), ("demo test", "workbook")):
            told = subprocess.run(["make", "-n", "-C", str(ROOT), f"BUILD={self.place}/build", "setup", *goals.split()],
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
                                  env={"PATH": os.environ["PATH"], "HOME": str(self.place)}).stdout
            self.assertRegex(told, f"lib/tools/setup.sh *{audience}\n")

    def test_goals_after_set_up_find_what_it_unpacks(self) -> None:
        for prefix, folder in (("", f"{self.place}/.local"), ("/tmp/mine", "/tmp/mine")):
            asked = subprocess.run(["make", "-n", "-C", str(ROOT), f"BUILD={self.place}/build", f"PREFIX={prefix}",
                                    "--eval", "show: ; @echo path $(PATH)", "setup", "show"], text=True, check=False,
                                   stdout=subprocess.PIPE, env={"PATH": os.environ["PATH"], "HOME": str(self.place)})
            self.assertIn(f"\necho path {folder}/share/gpu-workbook/bin:{os.environ['PATH']}\n", asked.stdout)


if __name__ == "__main__":
    unittest.main()
