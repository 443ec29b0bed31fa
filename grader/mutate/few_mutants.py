#!/usr/bin/env python3
"""Proves a lab's checks with a few mutants: few_mutants.py [--root ROOT] [--build BUILD] [options] LAB...

A part of `make verify`; `make mutate` tries all mutants. Two kinds are tried, each at a labcheck of its own:

    the mutants that the lab's contract.txt names     the check named there must fail ("CHECK kills MUTANT")
    DRAWN mutants of different KINDS, by the seed     some check must fail

Those that the lab's equivalent.txt lists are never chosen. BUILD/few-mutants/LAB has the mutants as files.
"""
import hashlib
import itertools
import re
import sys
from pathlib import Path

import mutate
from adversary import manifest_of
from grading import compiled, grade, labs_of, mutants, parser_of, result_of, write_class
from source import NoSource

sys.path.append(str(Path(__file__).resolve().parents[2] / "lib/tools"))
import contract  # noqa: E402

# What goes wrong most often, by the words with which a mutant's name begins.
KINDS = (("a wait added", re.compile(r"adds lab")),
         ("a wait dropped", re.compile(r"drops \w+: \w*(wait|synchronize|join)|does not wait in ")),
         ("a status swallowed", re.compile(r"swallows |goes on after a failure in |returns the last status of ")),
         ("arguments exchanged", re.compile(r"swaps |exchanges ")))
DRAWN = 2  # of each lab: about a tenth of what verify takes for it


def squeezed(text):
    """A text without what the compiler does not see of the way in which operators write the same statements."""
    return re.sub(r"[\s{}]", "", text)


class Choice:
    """The mutants of a lab among which the lot decides: those that nobody has listed as equivalent."""

    def __init__(self, lab, source, every):
        listed, many, _ = mutate.equivalent(lab.folder / "equivalent.txt", [mutant.name for mutant in every])
        self.lab, self.source = lab, source
        self.listed = [mutant for mutant in every if mutant.name in {**listed, **many}]
        same = {squeezed(mutant.text(source)) for mutant in self.listed}
        self.others = [mutant for mutant in every if squeezed(mutant.text(source)) not in same]

    def by_lot(self, found, name, seed):
        """In an order that depends on the seed and on the names alone: another mutant changes no place."""
        return sorted(found, key=lambda one: hashlib.sha256(f"{seed} {self.lab.name} {name(one)}".encode()).digest())

    def kinds(self, seed):
        """Each kind, with its mutants."""
        for kind, pattern in self.by_lot(KINDS, lambda one: one[0], seed):
            found = [mutant for mutant in self.others if pattern.match(mutant.name)]
            yield kind, self.by_lot(found, lambda one: one.name, seed)

    def is_no_mistake(self, mutant):
        """Whether a mutant compiles to the same code as the solution, or as one that is listed."""
        code = compiled(mutant.text(self.source), self.lab)
        texts = (self.source.text, *(each.text(self.source) for each in self.listed))
        return any(compiled(text, self.lab) == code for text in texts)


def failures_of(result):
    """The checks that have failed, in the order of the lab."""
    return [check["name"] for check in result["checks"] if check["status"] == "failed"]


class Proof:
    """A lab, its mutants, and what labcheck says of them."""

    def __init__(self, lab, options):
        self.lab, self.options = lab, options
        self.source, self.checks = lab.source(), list(manifest_of(lab))
        self.every = list(mutants(self.source))
        self.words = ["--seed", options.seed, "--seconds", options.seconds, "--points-only"]
        lab.out = lab.build / "few-mutants" / lab.name
        self.passed, self.lines = 0, []

    def tell(self, passed, words):
        self.passed += passed
        self.lines.append(f"{'ok    ' if passed else 'FAILED'} {words}")

    def run(self, mutant, *words):
        """What labcheck says of a mutant."""
        student, = write_class(self.lab, self.source, [mutant])
        return result_of(self.lab, student, [*self.words, *words])

    def named(self):
        """The mutants of the contract: the check named there must fail."""
        by_name = {mutant.name: mutant for mutant in self.every}
        for (name, check), number in contract.mutants_of(self.lab.folder).items():
            if name not in by_name or check not in self.checks:
                what = f"mutant: {name}" if name not in by_name else f"check: {check}"
                self.tell(False, f"contract.txt:{number}: there is no such {what}")
                continue
            result = self.run(by_name[name], "--one-check", "--check", self.checks.index(check) + 1)
            status = next((each["status"] for each in result["checks"] if each["name"] == check), result["verdict"])
            killed = status == "failed"
            self.tell(killed, f"{check} {'kills' if killed else f'does NOT kill ({status})'} {name}")

    def drawn(self):
        """The first mutant of each of the kinds that is one: some check must fail."""
        choice = Choice(self.lab, self.source, self.every)
        tried = (self.tried(kind, found, choice) for kind, found in choice.kinds(self.options.seed))
        for passed, what in itertools.islice(filter(None, tried), DRAWN):
            self.tell(passed, what)

    def tried(self, kind, found, choice):
        """Whether a check fails for the first of these that compiles and is a mistake, and what to say of it; None if
        there is none. Sanitizers and measurements are asked last."""
        for mutant in found:
            result = self.run(mutant, "--first-failure")
            if result["verdict"] == "build error":
                continue
            if not failures_of(result):
                result, = grade(self.lab, ["m0001"], self.options.seed, self.options)
            failures, passed = failures_of(result), mutate.verdict(result)["passed"]
            if passed and choice.is_no_mistake(mutant):
                continue
            change = "".join(f"\n           {line}" for line in mutate.difference(self.source, mutant))
            if failures:
                what = f"{failures[0]} rejects {mutant.name}"
            elif passed:
                what = (f"{mutant.name} has all points: make a check stricter, or list it in equivalent.txt with the "
                        f"reason{change}")
            else:
                what = f"no check rejects {mutant.name}: {result['verdict']}{change}"
            return bool(failures), f"{kind}: {what}"
        return None


def options_of(words):
    parser = parser_of(__doc__)
    parser.add_argument("--seed", type=int, default=7, help="the seed of the choice and of the run (7)")
    parser.add_argument("--seconds", type=int, default=10, help="limit of one check (10)")
    parser.set_defaults(jobs=1)  # make verify runs as many labs at once as there are cores
    return parser.parse_args(words)


def main(words):
    options = options_of(words)
    passed = failed = 0
    try:
        for lab in labs_of(options):
            proof = Proof(lab, options)
            proof.named()
            proof.drawn()
            print(f"{lab.name}: a few mutants\n" + "".join(f"  {line}\n" for line in proof.lines), end="", flush=True)
            passed, failed = passed + proof.passed, failed + len(proof.lines) - proof.passed
    except NoSource as error:
        print(f"few_mutants: {error}", file=sys.stderr)
        return 2
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
