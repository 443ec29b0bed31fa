"""Checks that each sentence of a lab's contract is proven by a check: contract.py LAB_FOLDER... Prints the table of
sentences and the checks that prove them, what is wrong with it, and "N passed, N failed".

LAB_FOLDER/contract.txt has a line for each sentence. Blank lines and lines that begin with # do not count.

    CHECK [CHECK...]: SENTENCE    these checks fail when the sentence is not true
    says: SENTENCE                the sentence explains, and no run can make it false

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
CHECK = re.compile(r"^CHECK\(\s*(\w+)", re.M)
END = re.compile(r"(?<=[.?!])\s+(?=[^\s])")
NO_END = ("e.g.", "i.e.")
SAYS, LESSON = "says", "README.md"
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


def entries_of(text):
    """Names and sentence of each line: those of the header, and those of the lesson."""
    header, lesson, faults = [], [], []
    entries = header
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.strip() == LESSON:
            entries = lesson
            continue
        names, colon, sentence = line.partition(": ")
        if not colon or not names.split():
            faults.append(f"contract.txt:{number}: it has no `CHECK: SENTENCE`: {line.strip()}")
            continue
        entries.append((names.split(), folded(sentence)))
    return header, lesson, faults


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
    faults += differences([sentence for _, sentence in header], sentences_of((folder / f"{lab}.h").read_text("utf-8")),
                          f"{lab}.h")
    text = folded((folder / LESSON).read_text("utf-8"))
    faults += [f"{LESSON} does not have the sentence: {sentence}" for _, sentence in lesson if sentence not in text]
    checks = CHECK.findall("".join(part.read_text("utf-8") for part in sorted(folder.glob("checks*.c"))))
    proving = [name for names, _ in header + lesson for name in names if names != [SAYS]]
    faults += [f"there is no check {name}" for name in sorted(set(proving) - set(checks))]
    faults += [f"the check {name} proves no sentence" for name in checks if name not in proving]
    faults += placeholders(folder)
    return header + lesson, faults


def print_table(lab, entries):
    print(f"\n{lab}: each sentence of its contract, and the checks that prove it")
    for names, sentence in entries:
        if names != [SAYS]:
            print(textwrap.fill(sentence, 110, initial_indent="  ", subsequent_indent="  "))
            print(f"      {', '.join(names)}")


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
