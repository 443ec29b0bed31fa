"""lib/tools/followed-checks.py: which checks it names. Each test writes the checks of a lab."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "lib/tools/followed-checks.py"
HELPERS = """static void look(check_program *program)
{
    check_snapshot(program, found, 0, 4);
}

static void prove(check_program *program) { check_flow(program, check_trace(program), &way); }
"""


class FollowedChecks(unittest.TestCase):
    def told(self, checks):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "checks.c"
            path.write_text(HELPERS + checks)
            run = subprocess.run([sys.executable, "-B", TOOL, path], capture_output=True, text=True)
            self.assertEqual(run.returncode, 1 if run.stdout else 0, run.stderr)
            return run.stdout.replace(f"{folder}: ", "")

    def test_outputs_that_a_helper_copies_need_a_flow(self):
        self.assertEqual(self.told("CHECK(sum, .points = 5)\n{\n    look(program);\n}\n"),
                         "sum gives points for outputs without check_flow\n")
        self.assertEqual(self.told("CHECK(sum, .points = 5)\n{\n    look(program);\n    prove(program);\n}\n"), "")

    def test_a_name_in_a_comment_or_text_follows_nothing(self):
        self.assertIn("sum gives", self.told('CHECK(sum, .points = 5)\n{\n    look(program); /* check_flow(x) */\n'
                                             '    check_cause("check_flow(x)");\n}\n'))

    def test_a_reason_is_enough_for_its_check_alone(self):
        told = self.told('#define ONLY .without_flow = "the host adds"\nCHECK(sum, .points = 5, ONLY)\n{\n'
                         "    look(program);\n}\nCHECK(\n    total, .points = 5)\n{\n    look(program);\n}\n")
        self.assertEqual(told, "total gives points for outputs without check_flow\n")

    def test_after_is_enough_for_a_record_and_not_for_its_order(self):
        check = 'CHECK(sum, .points = 5, .after = "total")\n{\n    check_trace(program);\n%s}\n'
        self.assertEqual(self.told(check % ""), "")
        self.assertEqual(self.told(check % "    check_relations(trace);\n"),
                         "sum gives points for an order without check_flow\n")

    def test_a_case_is_followed_where_it_is_proven(self):
        check = "CHECK(sum, .points = 5)\n{\n    check_case_at(&now);\n%s}\n"
        self.assertEqual(self.told(check % "    check_case_keeps_plan(&now);\n"),
                         "sum gives points for a record and an order without check_flow\n")
        self.assertEqual(self.told(check % "    check_case_prove(&now);\n"), "")

    def test_what_most_labs_check_of_a_case_is_followed_but_for_calls_that_fail(self):
        check = "CHECK(sum, .points = 5)\n{\n    %s(&sums);\n}\n"
        for follows in ("check_case_sizes", "check_case_in_order", "check_case_keeps_nothing"):
            self.assertEqual(self.told(check % follows), "")
        self.assertEqual(self.told(check % "check_case_failures"),
                         "sum gives points for calls that fail without check_flow\n")
        self.assertEqual(self.told(check % "check_case_at"), "sum gives points for a record without check_flow\n")

    def test_failures_of_a_case_need_a_check_of_the_same_function(self):
        check = 'CHECK_FAILURES(passed_on, sums, .points = 5,%s\n               .hints = {[2] = "LAB_TRY"});\n'
        self.assertEqual(self.told(check % ' .after = "total",'), "")
        self.assertEqual(self.told(check % ""), "passed_on gives points for calls that fail without check_flow\n")

    def test_an_order_is_asked_of_the_harness(self):
        self.assertIn("lab_relations_create is called",
                      self.told("static void order(void)\n{\n    lab_relations_create(&relations, trace);\n}\n"))


if __name__ == "__main__":
    unittest.main()
