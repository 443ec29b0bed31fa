"""Tests of the report on several labs: totals, replaced names, passages in common, times.

Run with: python3 -B grader/tests/course_test.py
"""
from __future__ import annotations

import contextlib
import io
import json
import re
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, Optional, Tuple

if __package__ in (None, ""):
    TESTS = Path(__file__).resolve().parent
    sys.path[:0] = [str(TESTS.parent / "report"), str(TESTS / "fixtures" / "report")]

import report
import sample_class
import similarity
import summaries
from anonymous import KEY_FILE, anonymous_course, pseudonyms
from course import Unusable, load_course
from results import load_class


class CourseCase(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "out"

    def run_report(self, *arguments: str) -> Tuple[int, str]:
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            status = report.main([str(self.out), *arguments])
        return status, errors.getvalue()

    def write_pages(self, *arguments: str, target: Optional[Path] = None) -> Dict[str, str]:
        sample_class.write_course(self.out)
        self.assertEqual(self.run_report(*arguments), (0, ""))
        folder = target or self.out
        return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.rglob("*.html")}


class Several(CourseCase):
    def test_there_is_a_page_over_all_labs_a_page_a_lab_and_a_page_a_submission(self) -> None:
        pages = self.write_pages()
        self.assertEqual(len(pages), 2 + 3 * 2 + 27)
        for path, text in pages.items():
            for address in re.findall(r'href="([^"#]+)"', text):
                target = (self.out / path).parent / address.replace("%2B", "+")
                self.assertTrue(target.exists(), f"{path} points to {address}")

    def test_totals_use_the_weights_and_missing_work_counts_nothing(self) -> None:
        sample_class.write_course(self.out)
        course = load_course(self.out)
        self.assertEqual([lab.name for lab in course.labs], ["lab01", "lab03", "lab02"])
        totals = {student.name: student.total for student in course.students}
        self.assertEqual(totals["ada"], 25)                         # 100 of lab01, a quarter of the weights
        self.assertEqual(totals["grace"], 40)                       # 80 of lab01 and lab02, without lab03
        self.assertEqual(totals["leaky"], 95)
        self.assertIsNone(totals["zoe"])                            # a grader fault is not a zero

    def test_a_student_of_the_roster_who_handed_nothing_in_has_a_row_and_counts(self) -> None:
        pages = self.write_pages()
        self.assertRegex(pages["index.html"], r'class="name"><bdi>4712</bdi></th>\n'
                                              r'(<td role="cell" data-label="lab0\d" class="numeric none".*\n){3}')
        self.assertIn('class="numeric">10 of 12</td>', pages["index.html"])
        students = load_course(self.out).students
        self.assertEqual([student.total for student in students if student.person.id == "4711"], [0])
        self.assertIn("2 students have handed in nothing, and are not counted here.", pages["index.html"])

    def test_means_are_of_those_who_handed_in(self) -> None:
        sample_class.write_course(self.out)
        results = load_course(self.out).labs[0].results
        own = [submission.score for submission in results.submissions
               if submission.score is not None and submission.verdict != "missing file"]
        scores = summaries.class_scores(results)
        self.assertEqual((scores.counted, scores.mean), (len(own), sum(own) / len(own)))
        self.assertEqual(scores.missing, len(results.not_handed_in) + sum(
            submission.verdict == "missing file" for submission in results.submissions))

    def test_a_student_of_the_roster_is_one_student_in_all_labs(self) -> None:
        sample_class.write_course(self.out)
        path = self.out / "lab02" / "results.json"
        results = json.loads(path.read_text())
        for submission in results["submissions"]:
            if submission["submission"]["name"] == "leaky":
                submission["submission"]["student"] = {"id": "4712", "name": "Lea", "email": "", "section": ""}
        path.write_text(json.dumps(results))
        for lab in ("lab01", "lab03"):
            path = self.out / lab / "results.json"
            results = json.loads(path.read_text())
            results["submissions"] = [submission for submission in results["submissions"]
                                      if submission["submission"]["name"] != "leaky"]
            results["not_handed_in"].append({"id": "4713", "name": "Lea", "email": "", "section": ""})
            path.write_text(json.dumps(results))
        students = {student.person.id: student for student in load_course(self.out).students if student.person.id}
        self.assertEqual({id: len(student.submissions) for id, student in students.items()},
                         {"4711": 0, "4712": 1, "4713": 0}, "the same name with another id is another student")

    def test_names_that_differ_between_labs_are_of_one_student_where_the_roster_says_so(self) -> None:
        sample_class.write_course(self.out)
        lea = {"id": "4799", "name": "Lea", "email": "", "section": "",
               "roster": {"found": True, "doubt": "", "nearest": []}}
        for lab, names in (("lab01", {"leaky": "4799"}), ("lab03", {"leaky": "lea@x.de", "zoe": "4799"}),
                           ("lab02", {"leaky": "Lea"})):
            path = self.out / lab / "results.json"
            results = json.loads(path.read_text())
            for own in (submission["submission"] for submission in results["submissions"]):
                if own["name"] in names:
                    own.update(name=names[own["name"]], student=lea)
            path.write_text(json.dumps(results))
        course = load_course(self.out)
        self.assertEqual([{lab: own.key for lab, own in student.submissions.items()} for student in course.students
                          if student.person.id == "4799"],
                         [{"lab01": "4799", "lab03": "4799", "lab02": "Lea"}, {"lab03": "lea@x.de"}],
                         "a second one in a lab has a row of its own")
        self.assertEqual(self.run_report(), (0, ""))
        one, other = (course.by_submission[lab, key].submissions[lab].page for lab, key in (
            ("lab01", "4799"), ("lab02", "Lea")))
        self.assertIn(f"../../lab02/{other}/index.html", (self.out / "lab01" / one / "index.html").read_text())
        nameless = anonymous_course(course, b"key")
        self.assertEqual(sorted(len(student.submissions) for student in nameless.students),
                         sorted(len(student.submissions) for student in course.students))

    def test_the_courses_zone_is_that_of_all_pages(self) -> None:
        sample_class.write_course(self.out)
        plan = json.loads((self.out / "course.json").read_text())
        (self.out / "course.json").write_text(json.dumps({**plan, "time_zone": "Europe/Berlin"}))
        self.assertEqual(self.run_report(), (0, ""))
        for path in self.out.rglob("*.html"):
            with self.subTest(path.name):
                self.assertIn("20 November 2026, 11:05 Europe/Berlin", path.read_text())
                self.assertNotRegex(path.read_text(), r"\d UTC\b")

    def test_without_a_course_file_labs_weigh_the_same(self) -> None:
        sample_class.write_course(self.out)
        (self.out / "course.json").unlink()
        course = load_course(self.out)
        self.assertEqual([lab.name for lab in course.labs], ["lab01", "lab02", "lab03"])
        self.assertAlmostEqual(course.by_submission["lab01", "grace"].total, 160 / 3)

    def test_a_lab_without_weight_is_shown_and_does_not_count(self) -> None:
        sample_class.write_course(self.out)
        (self.out / "course.json").write_text(json.dumps({"schema": "lab-course/1", "labs": [{"name": "lab02"}]}))
        course = load_course(self.out)
        self.assertEqual((len(course.labs), course.by_submission["lab01", "grace"].total), (3, 80))

    def test_a_malformed_course_file_is_named(self) -> None:
        sample_class.write_course(self.out)
        for text, message in (("{}", "schema is missing"),
                              ('{"schema": "lab-course/1", "labs": 1}', "labs must be a list"),
                              ('{"schema": "lab-course/1", "labs": [{"name": "a", "weight": -1}]}', "labs[0].weight"),
                              ('{"schema": "lab-course/1", "labs": [{"name": "a"}, {"name": "a"}]}', "occurs twice")):
            with self.subTest(message):
                (self.out / "course.json").write_text(text)
                status, errors = self.run_report()
                self.assertEqual(status, 2)
                self.assertIn("course.json: ", errors)
                self.assertIn(message, errors)

    def test_a_folder_without_results_is_refused(self) -> None:
        self.out.mkdir()
        self.assertRaises(Unusable, load_course, self.out)
        self.assertIn("results.json", self.run_report()[1])

    def test_several_processes_write_the_same_pages(self) -> None:
        one = self.write_pages("--jobs", "1")
        self.assertEqual(self.write_pages("--jobs", "4"), one)

    def test_a_page_that_cannot_be_written_is_told_from_another_process(self) -> None:
        sample_class.write_course(self.out)
        (self.out / "lab02" / "hang").write_text("in the way")
        status, errors = self.run_report("--jobs", "2")
        self.assertEqual(status, 1)
        self.assertIn("hang", errors)

    def test_one_student_and_three_hundred_are_reported(self) -> None:
        for size in (1, 300):
            results = sample_class.large_class(size)
            sample_class.write(self.out / f"lab{size % 100:02}", results)
        self.assertEqual(self.run_report(), (0, ""))
        self.assertEqual(len(load_course(self.out).students), 302)


class Anonymous(CourseCase):
    def test_no_name_is_left_and_the_same_name_is_replaced_the_same(self) -> None:
        target = self.out.parent / "anonymous"
        pages = self.write_pages("--anonymous", str(target), target=target)
        self.assertEqual(len(pages), 1 + 3 * 2 + 27)
        everything = "".join(pages.values()) + " ".join(pages)
        for name in ("grace", "leaky", "Bobby", "Wolfeschlegel", "HYPERLINK", "\u05e9\u05dc\u05d5\u05dd", "bell\\x07",
                     "Nobody", "4711"):
            self.assertNotIn(name, everything)
        self.assertIn("<dd>10</dd>", pages["lab01/index.html"], "without the folder")
        names = [set(re.findall(r"Student [A-Z]{4,}", pages[f"{lab}/index.html"])) for lab in ("lab01", "lab03")]
        self.assertLess(names[1], names[0])
        self.assertEqual([path.name for path in self.out.rglob("index.html")], [])

    def test_the_pseudonyms_stay_from_report_to_report(self) -> None:
        target = self.out.parent / "anonymous"
        first = self.write_pages("--anonymous", str(target), target=target)
        self.assertEqual(self.write_pages("--anonymous", str(target), target=target), first)
        self.assertEqual((self.out / KEY_FILE).stat().st_mode & 0o777, 0o600)

    def test_names_in_texts_are_replaced_but_not_within_words(self) -> None:
        results = sample_class.sample_class()
        results["submissions"][0].update(output="ada was here; Canada not", summary="by ada", review=["ada is fast"])
        sample_class.write(self.out, results)
        target = self.out.parent / "anonymous"
        self.assertEqual(self.run_report("--anonymous", str(target)), (0, ""))
        page = next(text for text in (path.read_text() for path in target.glob("*/index.html")) if "was here" in text)
        self.assertRegex(page, r"Student [A-Z]+ was here; Canada not")
        self.assertRegex(page, r"Student [A-Z]+ is fast")

    def test_pages_with_names_are_not_overwritten(self) -> None:
        sample_class.write_course(self.out)
        status, errors = self.run_report("--anonymous", str(self.out))
        self.assertEqual(status, 2)
        self.assertIn("a folder of its own", errors)

    def test_pseudonyms_differ_by_name_and_key(self) -> None:
        names = [f"student {i}" for i in range(3000)]
        given = pseudonyms(names, b"key")
        self.assertEqual(len(set(given.values())), 3000)
        self.assertNotEqual(given, pseudonyms(names, b"another"))


SOURCE = """
#include "lab03.h"
static int total(const int *values, int count)
{
    int sum = 0; /* of all */
    for (int i = 0; i < count; i++) {
        if (values[i] > 100 && i % 2 == 0) sum += values[i] * 3;
        else sum -= values[i];
    }
    while (sum > 1000) sum /= 2;
    return sum + count * 7;
}
"""
OTHER = """
int other(struct list *list)
{
    struct node *node = list->first;
    do {
        if (!node) break;
        node->value ^= 0x55;
        node = node->next;
    } while (node != list->first);
    switch (list->kind) { case 1: return 4; case 2: return 5; default: return list->size >> 3; }
}
"""


class Similarity(unittest.TestCase):
    def pairs(self, *texts: str, starter: str = "") -> Any:
        return similarity.similar_pairs({str(i): text for i, text in enumerate(texts)}, starter)

    def test_names_layout_and_comments_do_not_hide_a_copy(self) -> None:
        copy = re.sub(r"\bsum\b", "result", SOURCE.replace("values", "v").replace("count", "how_many"))
        copy = re.sub(r"\s+", " ", copy.replace("/* of all */", "/* another */").replace('#include "lab03.h"', ""))
        pair, = self.pairs(SOURCE, copy, OTHER)
        self.assertEqual((pair.left, pair.right), ("0", "1"))
        self.assertGreater(pair.share, 0.85)

    def test_a_macro_or_another_name_for_a_type_does_not_hide_a_copy(self) -> None:
        theirs = re.sub(r"sum|values", "x", SOURCE)
        for name, hidden in (
                ("type", "#define S int\n#define K const\n" + theirs.replace("const", "K").replace("int ", "S ")),
                ("typedef", "typedef int whole;\n" + theirs.replace("int ", "whole ")),
                ("call", "#define LOOP(i, n) for (int i = 0; i < n; i++)\n#define IF(c) if (c)\n"
                 + theirs.replace("for (int i = 0; i < count; i++)", "LOOP(i, count)").replace("if (", "IF("))):
            with self.subTest(name):
                pair, = self.pairs(SOURCE, hidden, OTHER)
                self.assertGreater(pair.share, 0.85)
                self.assertEqual(pair.passages[-1].left[1], 11)

    def test_macros_that_grow_without_end_are_cut(self) -> None:
        bomb = "".join(f"#define A{i + 1} A{i} A{i} A{i}\n" for i in range(60)) + "int x = A60 ;\n"
        bomb += "#define F(a) F(F(a)) F(\nF(1)"
        pair, = similarity.similar_pairs({"bomb": bomb + SOURCE, "other": SOURCE})
        self.assertEqual(similarity.remark_on(bomb + SOURCE),
                         "has macros that grow without end: it was compared as it stands only")

    def test_a_copy_of_the_solution_is_told_however_many_have_it(self) -> None:
        copy = "#define S int\n" + SOURCE.replace("int ", "S ").replace("sum", "total_of_all")
        texts = {**{f"copy {i}": copy for i in range(9)}, "own": OTHER, "starter": "int main(void);"}
        self.assertEqual([name for name, _ in similarity.like_solution(texts, SOURCE)], [f"copy {i}" for i in range(9)])
        self.assertEqual(similarity.like_solution(texts, SOURCE, SOURCE), [], "what everybody was given")

    def test_an_earlier_class_is_compared_with_this_one_and_not_with_itself(self) -> None:
        earlier = {"\x000/bob": SOURCE, "\x000/eve": SOURCE + OTHER, "\x000/zoe": OTHER}
        pair, = similarity.similar_pairs({"ada": SOURCE}, earlier=earlier)[:1]
        self.assertEqual((pair.left, pair.right), ("ada", "\x000/bob"))
        pairs = similarity.similar_pairs({"ada": SOURCE}, earlier={"\x000/bob": OTHER, "\x000/eve": OTHER})
        self.assertEqual(pairs, [])

    def test_pairs_that_are_linked_are_one_group(self) -> None:
        pairs = [similarity.Pair(left, right, 9, 0.9, []) for left, right in ("ab", "cd", "bc", "xy", "pq", "qr")]
        self.assertEqual(similarity.clusters(pairs), [["a", "b", "c", "d"], ["p", "q", "r"]])

    def test_different_sources_are_not_a_pair(self) -> None:
        self.assertEqual(self.pairs(SOURCE, OTHER), [])

    def test_code_from_the_starter_does_not_count(self) -> None:
        self.assertEqual(self.pairs(SOURCE, SOURCE, starter=SOURCE), [])
        self.assertEqual(len(self.pairs(SOURCE + OTHER, SOURCE + OTHER, starter=SOURCE)), 1)

    def test_code_that_many_have_does_not_count(self) -> None:
        own = [SOURCE + f"int own(int x) {{ return x{f' {operator} x' * 12}; }}"
               for operator in ("+", "-", "*", "/", "%", "&", "|", "^", "<<")]
        self.assertEqual(len(self.pairs(*own[:8])), 28)
        self.assertEqual(self.pairs(*own), [])

    def test_copies_do_not_make_each_other_common(self) -> None:
        renamed = re.sub(r"\bsum\b", "result", SOURCE)
        texts = {f"copy {i}": SOURCE.replace("\n", "\n " * (i + 1)) for i in range(6)}
        texts.update({f"other {i}": f"int f(void) {{ return {' + '.join('x' * (9 + i))}; }}" for i in range(10)})
        self.assertEqual(len(similarity.similar_pairs(texts)), 15)
        self.assertEqual(similarity.equal_files(texts), [[f"copy {i}" for i in range(6)]])
        self.assertEqual(similarity.equal_files({"a": SOURCE, "b": SOURCE, "c": renamed}), [], "two, and another")
        self.assertEqual(similarity.equal_files(texts, [SOURCE]), [], "what the workbook gives is nobody's copy")
        many = {str(i): SOURCE for i in range(200)}
        self.assertEqual(similarity.similar_pairs(many), [], "the page lists them as equal")
        self.assertEqual([len(names) for names in similarity.equal_files(many)], [200])

    def test_every_long_enough_passage_is_found_wherever_it_stands(self) -> None:
        shared = similarity.tokens_of(SOURCE)
        self.assertGreater(len(shared.words), similarity.RUN + similarity.WINDOW)
        one = {found.value for found in similarity.fingerprints(shared)}
        for before in ("int x;", "a = b + c;", "f(); g(); h();"):
            with self.subTest(before):
                whole = similarity.tokens_of(before + SOURCE + OTHER)
                other = {found.value for found in similarity.fingerprints(whole)}
                self.assertGreaterEqual(len(one & other), len(one) - 2)

    def test_passages_name_the_lines_of_both(self) -> None:
        pair, = self.pairs(SOURCE, "\n\n\n" + OTHER + SOURCE)
        self.assertTrue(pair.passages)
        moved = 3 + OTHER.count("\n")
        for passage in pair.passages:
            self.assertEqual(tuple(line + moved for line in passage.left), passage.right)
            self.assertLessEqual(passage.left[1], SOURCE.count("\n"))

    def test_hostile_sources_are_read(self) -> None:
        for text in ("", '"never closed', "/* never closed", "'", "\\", "\x00\ufffd\u202e", "(" * 20000, "#" * 100,
                     '"' + "a" * 50000, "x" * 100_000):
            with self.subTest(text[:10]):
                self.assertIsInstance(self.pairs(text, text, SOURCE), list)


class Times(unittest.TestCase):
    def test_the_classes_times_stand_against_the_reference(self) -> None:
        submissions = load_class(json.dumps(sample_class.sample_class()).encode()).submissions
        serial, pageable, pinned = summaries.timing_spreads(submissions)
        self.assertEqual(serial.label, "serial")
        self.assertEqual(len(pinned.ratios), 4)
        self.assertEqual(pinned.ratios, sorted(pinned.ratios))
        self.assertAlmostEqual(pinned.ratios[0], 37.7 / 37.3)
        places = [round(summaries.spread_place(ratio), 9) for ratio in (1e-9, 0.1, 1, 10, 1e9)]
        self.assertEqual(places, [0, 0, 0.5, 1, 1])

    def test_the_references_times_are_kept_apart_by_node(self) -> None:
        submissions = load_class(json.dumps(sample_class.cluster_class()).encode()).submissions
        times = summaries.node_times(submissions)
        self.assertEqual([(time.label, time.node, time.measured, round(time.middle, 1)) for time in times[:3]],
                         [("serial", "gpu-a", 2, 69.4), ("serial", "gpu-b", 1, 69.4), ("serial", "old-c", 1, 208.2)])
        self.assertEqual(len(times), 9)
        alone = load_class(json.dumps(sample_class.sample_class()).encode()).submissions
        self.assertEqual(summaries.node_times(alone), [], "one machine has no nodes to compare")
        self.assertEqual([spread.ratios for spread in summaries.timing_spreads(submissions)],
                         [spread.ratios for spread in summaries.timing_spreads(alone)], "ratios do not depend on it")

    def test_each_sample_is_drawn(self) -> None:
        results = sample_class.sample_class()
        results["submissions"][0]["timings"][0]["samples_ms"] = [70.1, 69.0, 75.0]
        submission = load_class(json.dumps(results).encode()).submissions[0]
        bar = summaries.timing_bars(submission.timings)[0]
        self.assertEqual([round(place, 3) for place in bar.samples], [0.935, 0.92, 1.0])


if __name__ == "__main__":
    unittest.main()
