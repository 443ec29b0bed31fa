"""Checks that each sentence of a lab's contract is proven: contract.py LAB_FOLDER... Prints the table of sentences with
their checks and what each check rejects, what is wrong with it, and "N passed, N failed".

LAB_FOLDER/contract.txt has a line for each sentence. Blank lines and lines that begin with # do not count.

    CHECK(WRONG, WRONG) CHECK: SENTENCE    these checks fail when the sentence is not true, as it is in these files
        CHECK kills MUTANT                 of wrong/, or in this mutant of the solution (make mutate)
    says: SENTENCE                         the sentence explains, and no run can make it false

Each sentence names a wrong answer or a mutant. A wrong answer stands behind the check that its patch names ("Rejected
by: CHECK"). `make verify` runs that check on it, and labcheck runs the named check on each mutant (few_mutants.py).

First come the sentences of the header's comments, all of them, in order: those of each comment that begins a line, but
for the first, which is the title. After a line `README.md` follow the lesson's sentences that ask for or promise more.
Each is written on one line as it stands in its file, without a leading "Task N.". Each check of the lab proves a
sentence: what no sentence asks for costs no points. A line that the template left to the author, "TODO: ", is refused
in the contract, the lesson and the answers.
"""
import re
import sys
import textwrap
from pathlib import Path

COMMENT = re.compile(r"^/\*(.*?)\*/", re.M | re.S)
CHECK = re.compile(r"^CHECK\w*\(\s*(\w+)", re.M)
END = re.compile(r"(?<=[.?!])\s+(?=[^\s])")
NO_END = ("e.g.", "i.e.")
SAYS, LESSON = "says", "README.md"
NAMED = re.compile(r"(\w+)(?:\(([\w, ]*)\))?(?:\s+|$)")
KILLS = re.compile(r"\s+(\w+) kills (\S.*\S)")
REJECTED_BY = re.compile(r"^Rejected by: *(\w+)", re.M)
PLACEHOLDER, TEMPLATE = re.compile(r"\bTODO: "), "labNN-template"


def folded(text):
    return " ".join(text.split())


def sentences_of(header):
    """The sentences of the comments that begin a line, without the title."""
    found = []
    for comment in COMMENT.findall(header)[1:]:
        text = folded(re.sub(r"^ \* ?", "", comment, flags=re.M))
        text = re.sub(r"^Task \d+\. ", "", text)
        for part in END.split(text):
            if found and found[-1].endswith(NO_END):
                found[-1] += " " + part
            else:
                found.append(part)
    return found


class Entry:
    """A sentence with its checks, each with the wrong answers and mutants that it rejects. No checks: it explains."""

    def __init__(self, number, checks, sentence):
        self.number, self.checks, self.sentence = number, checks, sentence

    def is_proven(self):
        return not self.checks or any(wrong or mutants for wrong, mutants in self.checks.values())


def checks_of(names):
    """The checks before a colon: of each its wrong answers, and so far no mutants. None if that is no list."""
    checks, place = {}, 0
    for match in NAMED.finditer(names):
        if match.start() != place:
            return None
        place = match.end()
        checks.setdefault(match[1], ([], []))[0].extend((match[2] or "").replace(",", " ").split())
    return checks if checks and place == len(names) else None


def entries_of(text):
    """The entries of the header, those of the lesson, and the faults of other lines."""
    header, lesson, faults = [], [], []
    entries = header
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.strip() == LESSON:
            entries = lesson
            continue
        kills = KILLS.fullmatch(line)
        if kills and entries:
            entries[-1].checks.setdefault(kills[1], ([], []))[1].append(kills[2])
            continue
        names, colon, sentence = line.partition(": ")
        checks = checks_of(names) if colon else None
        if checks is None:
            faults.append(f"contract.txt:{number}: it has no `CHECK(WRONG): SENTENCE` and no `CHECK kills MUTANT`: "
                          f"{line.strip()}")
            continue
        entries.append(Entry(number, {} if SAYS in checks else checks, folded(sentence)))
    return header, lesson, faults


def mutants_of(folder):
    """The mutants that a lab's contract names, each with the check that rejects it, and their lines."""
    path = folder / "contract.txt"
    header, lesson, _ = entries_of(path.read_text("utf-8") if path.is_file() else "")
    return {(mutant, check): entry.number for entry in header + lesson for check, (_, mutants) in entry.checks.items()
            for mutant in mutants}


def unproven(folder, entries):
    """Sentences without a proof, and wrong answers that are missing or rejected by another check."""
    for entry in entries:
        if not entry.is_proven():
            yield (f"contract.txt:{entry.number}: names no wrong answer and no mutant, as in `CHECK(WRONG): SENTENCE`: "
                   f"{entry.sentence}")
        for check, (wrong, _) in entry.checks.items():
            for name in wrong:
                patch = folder / "wrong" / f"{name}.patch"
                told = REJECTED_BY.search(patch.read_text("utf-8")) if patch.is_file() else None
                if not patch.is_file():
                    yield f"contract.txt:{entry.number}: there is no wrong/{name}.patch"
                elif not told or told[1] != check:
                    yield (f"contract.txt:{entry.number}: {check} proves it by {name}, whose patch says \"Rejected by: "
                           f"{told[1] if told else ''}\"")


def differences(said, meant, header):
    """What the list of the header's sentences lacks, has too much, or has in another order."""
    for sentence in meant:
        if sentence not in said:
            yield f"contract.txt lacks a sentence of {header}: {sentence}"
    for sentence in said:
        if sentence not in meant:
            yield f"contract.txt has a sentence that {header} does not have: {sentence}"
    if sorted(said) == sorted(meant) and said != meant:
        yield f"contract.txt has the sentences of {header} in another order"


def placeholders(folder):
    """What the template left to the author, with its place."""
    if folder.name == TEMPLATE:
        return
    answers = Path("solutions") / folder.name / LESSON
    for name, path in (("contract.txt", folder / "contract.txt"), (LESSON, folder / LESSON),
                       (answers, folder.parent.parent / answers)):
        for number, line in enumerate(path.read_text("utf-8").splitlines() if path.is_file() else (), 1):
            if PLACEHOLDER.search(line):
                yield f"{name}:{number}: is the template's: {line.strip()}"


def faults_of(folder):
    """The entries of the lab's contract and what is wrong with them."""
    lab = folder.name.partition("-")[0]
    path = folder / "contract.txt"
    if not path.is_file():
        return [], [f"{path} is missing: each sentence of {lab}.h needs a line there"]
    header, lesson, faults = entries_of(path.read_text("utf-8"))
    faults += differences([entry.sentence for entry in header], sentences_of((folder / f"{lab}.h").read_text("utf-8")),
                          f"{lab}.h")
    text = folded((folder / LESSON).read_text("utf-8"))
    faults += [f"{LESSON} does not have the sentence: {each.sentence}" for each in lesson if each.sentence not in text]
    checks = CHECK.findall("".join(part.read_text("utf-8") for part in sorted(folder.glob("checks*.c"))))
    proving = [name for entry in header + lesson for name in entry.checks]
    faults += [f"there is no check {name}" for name in sorted(set(proving) - set(checks))]
    faults += [f"the check {name} proves no sentence" for name in checks if name not in proving]
    faults += unproven(folder, header + lesson)
    faults += placeholders(folder)
    return header + lesson, faults


def print_table(lab, entries):
    print(f"\n{lab}: each sentence of its contract, the checks that prove it, and what each rejects")
    for entry in entries:
        if not entry.checks:
            continue
        print(textwrap.fill(entry.sentence, 110, initial_indent="  ", subsequent_indent="  "))
        for check, (wrong, mutants) in entry.checks.items():
            print(textwrap.fill(f"{check}: {', '.join(wrong)}" if wrong else check, 110, initial_indent="      ",
                                subsequent_indent="        "))
            print("".join(f"        {mutant}\n" for mutant in mutants), end="")


def main(folders):
    passed = failed = 0
    for folder in map(Path, folders):
        entries, faults = faults_of(folder)
        print_table(folder.name, entries)
        for fault in faults:
            print(f"  FAILED {fault}")
        passed += len(entries)
        failed += len(faults)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
