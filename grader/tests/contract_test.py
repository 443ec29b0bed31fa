"""Tests of lib/tools/contract.py: each sentence of a contract has its check, and each check what it rejects."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lib/tools"))
import contract  # noqa: E402

HEADER = """/*
 * Lab 77: the title.
 */

/* What is given. */
int count; /* no sentence */

/* Task 1. Fills the array. Does not
 * wait (see e.g. lab 01). */
void fill(void);
"""
CHECKS = "CHECK(filled, .points = 1)\nCHECK(does_not_wait, .points = 1)\n"
GOOD = """# A comment.
says: What is given.
filled(fills_half, fills_zeros): Fills the array.
does_not_wait: Does not wait (see e.g. lab 01).
    does_not_wait kills adds fill: lab_device_synchronize() before lab_launch(f: 1)

README.md
filled(fills_half) does_not_wait: It is asked for twice.
"""
WRONG = {"fills_half": "filled", "fills_zeros": "filled", "waits": "does_not_wait"}


class Contract(unittest.TestCase):
    def faults(self, text=GOOD, lesson="", answers="", name="lab77-title"):
        with tempfile.TemporaryDirectory() as root:
            folder, solution = Path(root) / "labs" / name, Path(root) / "solutions" / name
            (folder / "wrong").mkdir(parents=True)
            for wrong, check in WRONG.items():
                (folder / "wrong" / f"{wrong}.patch").write_text(f"A mistake.\nRejected by: {check}\n\n--- a\n+++ b\n")
            solution.mkdir(parents=True)
            (solution / "README.md").write_text(f"# Answers\n\n{answers}\n")
            for file, content in ((f"{name[:5]}.h", HEADER), ("checks.c", CHECKS), ("contract.txt", text),
                                  ("README.md", f"# Title\n\nIt is asked\nfor twice.\n\n{lesson}\n")):
                (folder / file).write_text(content)
            return contract.faults_of(folder)[1]

    def test_a_contract_with_a_check_for_each_sentence_is_whole(self):
        self.assertEqual(self.faults(), [])

    def test_a_sentence_without_a_check_is_named(self):
        self.assertIn("lacks a sentence of lab77.h: Fills the array.",
                      self.faults(GOOD.replace("filled(fills_half, fills_zeros): Fills the array.\n", ""))[0])

    def test_a_sentence_that_has_changed_is_named(self):
        faults = self.faults(GOOD.replace("Fills the array.", "Fills the list."))
        self.assertEqual(len(faults), 2)
        self.assertIn("has a sentence that lab77.h does not have: Fills the list.", faults[1])

    def test_the_sentences_keep_their_order(self):
        lines = GOOD.split("\n")
        lines[1], lines[2] = lines[2], lines[1]
        self.assertIn("in another order", self.faults("\n".join(lines))[0])

    def test_a_check_that_does_not_exist_is_named(self):
        self.assertEqual(self.faults(GOOD.replace("filled(fills_half, ", "filed filled(fills_half, ")),
                         ["there is no check filed"])

    def test_a_check_that_proves_no_sentence_is_named(self):
        self.assertEqual(self.faults(GOOD.replace("filled(fills_half, fills_zeros)", "says").replace(
            "filled(fills_half) ", "").replace("does_not_wait: It", "does_not_wait(waits): It")),
            ["the check filled proves no sentence"])

    def test_a_sentence_without_a_wrong_answer_or_a_mutant_is_named_with_its_line(self):
        self.assertEqual(self.faults(GOOD.replace("(fills_half, fills_zeros)", "")),
                         ["contract.txt:3: names no wrong answer and no mutant, as in `CHECK(WRONG): SENTENCE`: "
                          "Fills the array."])
        self.assertEqual([fault[:15] for fault in self.faults(GOOD.replace("    does_not_wait kills", "#"))],
                         ["contract.txt:4:"])

    def test_a_wrong_answer_that_is_missing_or_rejected_by_another_check_is_named(self):
        self.assertEqual(self.faults(GOOD.replace("fills_zeros", "fills_ones")),
                         ["contract.txt:3: there is no wrong/fills_ones.patch"])
        self.assertEqual(self.faults(GOOD.replace("fills_zeros", "waits")),
                         ['contract.txt:3: filled proves it by waits, whose patch says "Rejected by: does_not_wait"'])

    def test_a_check_that_is_named_twice_for_a_sentence_keeps_both_wrong_answers(self):
        twice = GOOD.replace("filled(fills_half, fills_zeros)", "filled(fills_half) filled(fills_ones)")
        self.assertEqual(self.faults(twice), ["contract.txt:3: there is no wrong/fills_ones.patch"])
        twice = GOOD.replace("filled(fills_half, fills_zeros)", "filled(fills_ones) filled(fills_half)")
        self.assertEqual(self.faults(twice), ["contract.txt:3: there is no wrong/fills_ones.patch"])

    def test_a_mutant_belongs_to_the_sentence_above_it(self):
        with tempfile.TemporaryDirectory() as root:
            (Path(root) / "contract.txt").write_text(GOOD)
            self.assertEqual(contract.mutants_of(Path(root)), {
                ("adds fill: lab_device_synchronize() before lab_launch(f: 1)", "does_not_wait"): 4})
        self.assertIn("contract.txt:1: ", self.faults("    filled kills drops fill: it\n" + GOOD)[0])

    def test_a_sentence_of_the_lesson_must_be_there(self):
        self.assertEqual(self.faults(GOOD.replace("for twice", "for once")),
                         ["README.md does not have the sentence: It is asked for once."])

    def test_a_line_without_a_sentence_is_named_with_its_number(self):
        self.assertIn("contract.txt:1: ", self.faults("filled Fills the array.\n" + GOOD)[0])

    def test_what_the_template_leaves_to_the_author_is_named_where_it_is_left(self):
        self.assertEqual(self.faults(lesson="1. TODO: three questions."),
                         ["README.md:6: is the template's: 1. TODO: three questions."])
        self.assertEqual(self.faults(answers="TODO: the answer."),
                         ["solutions/lab77-title/README.md:3: is the template's: TODO: the answer."])
        self.assertIn("contract.txt:2: is the template's: says: TODO: what is given.",
                      self.faults(GOOD.replace("What is given", "TODO: what is given")))

    def test_the_template_has_such_places_and_a_lesson_may_name_the_mark(self):
        self.assertEqual(self.faults(lesson="You write at the places marked `TODO`."), [])
        self.assertEqual(self.faults(lesson="TODO: three questions.", name="labNN-template"), [])
        root = Path(__file__).resolve().parents[2]
        for place in ("labs", "solutions"):
            self.assertIn("TODO: ", (root / place / "labNN-template/README.md").read_text("utf-8"))

    def test_a_lab_without_the_file_is_named(self):
        with tempfile.TemporaryDirectory() as root:
            self.assertIn("contract.txt is missing", contract.faults_of(Path(root) / "lab77-title")[1][0])


if __name__ == "__main__":
    unittest.main()
