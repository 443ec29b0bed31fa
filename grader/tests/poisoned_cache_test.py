"""Compiled kernels of one submission are no other's: a class with an attacker before an honest student is graded on a
machine with one cache, which is empty, then warm, then poisoned. The honest student has 100 points each time, and of
the attacker nothing is left. No check of lab 10 depends on times.
"""
import hashlib
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Dict

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD") or ROOT / "build").resolve()
SOLUTION = (ROOT / "solutions/lab10-graphs/lab10.c").read_text()
KERNELS = (ROOT / "labs/lab10-graphs/kernels.cu").read_text().replace("3.9f", "3.8f")

# Loads the lab's kernels with another number in them, writes to each file of the cache that it can reach, and answers.
POISON = """
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static const char kernels[] = %s;

static void poison(const char *folder)
{
    char path[4096];
    DIR *names = folder ? opendir(folder) : NULL;
    snprintf(path, sizeof path, "%%s/0123456789abcdef.kernel", folder ? folder : "/tmp");
    for (struct dirent *name;; snprintf(path, sizeof path, "%%s/%%s", folder, name->d_name)) {
        FILE *file = fopen(path, "r+");
        if (!file) file = fopen(path, "w");
        if (file) fputs("poison", file), fclose(file);
        if (!names || !(name = readdir(names))) break;
    }
    if (names) closedir(names);
}

lab_status lab10_follow(lab_array *const to[], lab_array *const from[], int rounds, lab_graph *graph,
                        const lab10_work *work)
{
    lab_module *module;
    lab10_work changed = *work;
    const char *const folders[] = {"%s", "%s/reference", getenv("LAB_CACHE_DIR"), getenv("LAB_CACHE_BASE")};
    for (int i = 0; i < 4; i++) poison(folders[i]);
    LAB_TRY(lab_module_load_source(&module, kernels, "kernels.cu"));
    LAB_TRY(lab_module_get_function(&changed.advance, module, "advance"));
    LAB_TRY(lab_module_get_function(&changed.mix, module, "mix"));
    LAB_TRY(honest_follow(to, from, rounds, graph, &changed));
    return lab_module_unload(module);
}
"""


def attack(cache: Path) -> str:
    """The solution, whose lab10_follow poisons this cache first."""
    text = SOLUTION.replace("lab_status lab10_follow(", "static lab_status honest_follow(")
    return text + POISON % (json.dumps(KERNELS), cache, cache)


def digests(cache: Path) -> Dict[str, str]:
    """The files in a cache, with what they hold."""
    return {str(path.relative_to(cache)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(cache.rglob("*")) if path.is_file()}


def namespaces_are_possible() -> bool:
    return subprocess.run(["unshare", "--user", "true"], stderr=subprocess.DEVNULL).returncode == 0


@unittest.skipUnless(namespaces_are_possible(), "this machine gives no user namespaces: there is no sandbox")
class PoisonedCache(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory(prefix="poisoned-cache-")
        self.addCleanup(place.cleanup)
        self.place = Path(place.name).resolve()
        self.cache = self.place / "cache"
        for name in ("cache", "temporary"):
            (self.place / name).mkdir()
        self.environment = {**os.environ, "LAB_CACHE_DIR": str(self.cache), "TMPDIR": str(self.place / "temporary")}
        for name, text in (("a_attacker", attack(self.cache)), ("b_honest", SOLUTION)):
            (self.place / "class" / name).mkdir(parents=True)
            (self.place / "class" / name / "lab10.c").write_text(text)

    def run_program(self, *arguments: object) -> None:
        """Runs labcheck or labgrade, whose exit status 1 says that somebody's check failed."""
        done = subprocess.run([str(argument) for argument in arguments], cwd=ROOT, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertIn(done.returncode, (0, 1), done.stdout)

    def grade(self, out: str) -> None:
        """Grades the attacker, then the honest student."""
        self.run_program(BUILD / "bin/labgrade", "--root", ROOT, "--build", BUILD, "--lab", "lab10", "--submissions",
                         self.place / "class", "--out", self.place / out, "--jobs", 1)
        results = json.loads((self.place / out / "results.json").read_text())["submissions"]
        attacker, honest = sorted(results, key=lambda result: str(result["submission"]["name"]))
        self.assertEqual(attacker["verdict"], "failed", attacker["summary"])
        self.assertEqual(sum(check["points"] for check in honest["checks"]), 100, f"{out}: {honest['checks']}")
        self.assertEqual(list((self.place / "temporary").iterdir()), [], "what a submission compiled is gone")

    def test_honest_after_attacker(self) -> None:
        self.grade("fresh")
        kept = digests(self.cache)
        self.assertEqual([name for name in kept if not name.startswith("reference/")], [])
        self.grade("warm")
        self.assertEqual(digests(self.cache), kept)
        self.poison_the_users_cache()
        poisoned = digests(self.cache)
        self.grade("poisoned")
        changed = digests(self.cache).items() - poisoned.items()
        self.assertLessEqual(changed, kept.items(), "the reference may write its own kernels again, and nobody another")

    def poison_the_users_cache(self) -> None:
        """Runs the attacker's file as a student runs a file, without the sandbox, and gives its kernels the names of
        all others, and puts them where the reference's would be."""
        self.run_program(BUILD / "bin/labcheck", "--root", ROOT, "--build", BUILD, "--lab", "lab10", "--source",
                         self.place / "class/a_attacker/lab10.c", "--out", self.place / "own", "--first-failure")
        entries = [path for path in self.cache.rglob("*") if path.is_file()]
        wrong = [path.read_bytes() for path in self.cache.glob("*.kernel") if path.stat().st_size > 100]
        self.assertTrue(wrong, "the attacker's kernel is in the user's own cache")
        for number, path in enumerate(entries):
            path.write_bytes(wrong[number % len(wrong)])
            (self.cache / "reference" / path.name).write_bytes(wrong[number % len(wrong)])


if __name__ == "__main__":
    unittest.main()
