/* A whole grading: what is kept, what is repeated, what a kill costs, who may grade. */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "toy_class.h"

static json_t *lasting_results(void)
{
    json_t *json = results();
    forget_times(json);
    return json;
}

Test(grading, unchanged_submissions_keep_their_results)
{
    begin_class();
    assert_call("labgrade", WORDS(GRADE), 0, "3 submissions of toylab");
    json_t *first = results();
    assert_call("labgrade", WORDS(GRADE), 0, "3 kept as they were");
    json_t *second = results();
    cr_assert(json_equal(json_object_get(first, "submissions"), json_object_get(second, "submissions")),
              "even the times are the same: nothing was run");
    assert_query("SELECT COUNT(*) FROM result", "3");
    json_decref(first);
    json_decref(second);
    end();
}

Test(grading, changed_submission_is_graded_again)
{
    begin_class();
    assert_call("labgrade", WORDS(GRADE), 0, "1 build error");
    char *grace = folder_path(submissions, "grace");
    folder_remove(grace);
    hand_in("grace", "right");
    assert_call("labgrade", WORDS(GRADE), 0, "2 passed, 1 build error");
    assert_call("labgrade", WORDS("diff", "1", "2", "--out", out), 1,
                " 30/100 -> passed 100/100\n1 of 3 submissions differ");
    assert_call("labgrade", WORDS("diff", out, "2", "--out", out), 0, "0 of 3 submissions differ");
    folder_remove(grace);
    hand_in("hopper", "right");
    assert_call("labgrade", WORDS(GRADE), 0, "3 submissions");
    assert_call("labgrade", WORDS("diff", "2", "3", "--out", out), 1, "2 of 4 submissions differ");
    free(grace);
    end();
}

Test(grading, result_whose_files_are_gone_is_made_again)
{
    begin_class();
    assert_call("labgrade", WORDS(GRADE), 0, "3 submissions of toylab");
    char *ada = folder_path(out, "ada");
    folder_remove(ada);
    assert_call("labgrade", WORDS(GRADE), 0, "2 kept as they were");
    cr_assert_eq(access(ada, F_OK), 0);
    free(ada);
    end();
}

Test(grading, result_that_somebody_changed_is_written_again_and_told)
{
    begin_class();
    assert_call("labgrade", WORDS(GRADE), 0, "3 submissions of toylab");
    grader_fault fault;
    char *before = NULL, *after = NULL;
    size_t bytes = 0;
    text_buffer path = {0};
    text_format(&path, "%s/grace/result.json", out);
    cr_assert_eq(folder_read(&before, &bytes, path.text, SIZE_MAX, &fault), FOLDER_FILE);
    char *points = strstr(before, "\"points\": 30");
    cr_assert_not_null(points, "%s", before);
    char *changed = strdup(before);
    memcpy(changed + (points - before), "\"points\": 99", strlen("\"points\": 99"));
    cr_assert(folder_write(path.text, changed, strlen(changed), &fault), "%s", fault.text);
    assert_call("labgrade", WORDS(GRADE), 0, "grace/result.json differed from the result of the grading, which counts");
    cr_assert_eq(folder_read(&after, &bytes, path.text, SIZE_MAX, &fault), FOLDER_FILE);
    cr_assert_str_eq(after, before);
    subprocess_result again = call("labgrade", WORDS(GRADE));
    cr_assert_null(strstr(again.output, "differed"), "no file was changed: %s", again.output);
    subprocess_result_free(&again);
    free(before);
    free(changed);
    free(after);
    free(path.text);
    end();
}

Test(grading, regrade_of_a_student_needs_no_submissions_and_keeps_the_score)
{
    begin_class();
    assert_call("labgrade", WORDS(GRADE), 0, "3 submissions of toylab");
    json_t *first = lasting_results();
    folder_remove(submissions);
    assert_call("labgrade", WORDS("regrade", "--student", "grace", "--why", "asked for it", "--out", out), 0,
                "2 kept as they were");
    json_t *second = lasting_results();
    cr_assert(json_equal(first, second));
    assert_call("labgrade", WORDS("list", "--out", out, "--student", "grace"), 0, "asked for it");
    assert_query("SELECT COUNT(*) FROM result", "4");
    json_decref(first);
    json_decref(second);
    end();
}

Test(grading, regrade_of_a_check_leaves_the_others_alone)
{
    begin_class();
    assert_call("labgrade", WORDS(GRADE), 0, "3 submissions of toylab");
    json_t *first = results();
    assert_call("labgrade", WORDS("regrade", "--student", "grace", "--check", "the_sum_is_right", "--out", out), 0,
                "3 submissions of toylab");
    json_t *second = results();
    const json_t *before = json_object_get(json_array_get(json_object_get(first, "submissions"), 1), "checks");
    const json_t *after = json_object_get(json_array_get(json_object_get(second, "submissions"), 1), "checks");
    cr_assert_eq(json_array_size(after), 3u);
    cr_assert(json_equal(json_array_get(before, 0), json_array_get(after, 0)), "even its seconds are the same");
    cr_assert(!json_equal(json_array_get(before, 1), json_array_get(after, 1)), "run again");
    assert_call("labgrade", WORDS("regrade", "--check", "no_such", "--out", out), 2, "there is no check \"no_such\"");
    json_decref(first);
    json_decref(second);
    end();
}

Test(grading, regrade_of_a_lab_takes_its_submissions_and_no_others)
{
    begin_class();
    assert_call("labgrade", WORDS(GRADE), 0, "3 submissions of toylab");
    assert_call("labgrade", WORDS("regrade", "--lab", "toylab", "--student", "ada", "--out", out), 0,
                "2 kept as they were");
    assert_call("labgrade", WORDS("regrade", "--lab", "lab01", "--out", out), 2,
                "no submission of anybody for lab01 is in the last grading");
    assert_query("SELECT COUNT(*) FROM result", "4");
    end();
}

Test(grading, regrade_of_an_unknown_student_is_explained)
{
    begin_class();
    assert_call("labgrade", WORDS(GRADE), 0, "3 submissions of toylab");
    assert_call("labgrade", WORDS("regrade", "--student", "nobody", "--out", out), 2,
                "no submission of nobody is in the last grading");
    assert_query("SELECT COUNT(*) FROM grading", "1");
    end();
}

Test(grading, second_grader_in_a_folder_is_refused_with_the_first_one_named)
{
    begin_class();
    assert_call("labgrade", WORDS(GRADE), 0, "3 submissions of toylab");
    char *path = folder_path(out, "grades.lock");
    int lock = open(path, O_RDWR | O_CLOEXEC);
    cr_assert(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0);
    cr_assert(ftruncate(lock, 0) == 0 && pwrite(lock, "process 4711 on elsewhere, since today\n", 39, 0) == 39);
    assert_call("labgrade", WORDS(GRADE), 2, "another grader is at work in ");
    assert_call("labgrade", WORDS(GRADE), 2, "(process 4711 on elsewhere, since today)");
    assert_call("labgrade", WORDS("regrade", "--out", out), 2, "another grader is at work");
    assert_call("labgrade", WORDS("status", "--out", out), 0, "3 submissions");
    close(lock);
    assert_call("labgrade", WORDS(GRADE), 0, "3 kept as they were");
    free(path);
    end();
}

Test(grading, folder_of_another_lab_is_refused)
{
    begin_class();
    assert_call("labgrade", WORDS(GRADE), 0, "3 submissions of toylab");
    free(query("UPDATE lab SET name = 'lab09' RETURNING name"));
    assert_call("labgrade", WORDS(GRADE), 2, "holds the grades of lab09 alone: grade into another folder");
    end();
}

Test(grading, course_that_comes_or_goes_between_two_gradings_is_named)
{
    begin_class();
    char *path = folder_path(root, "course.txt");
    grader_fault fault;
    cr_assert(folder_write(path, "[toylab]\n", 9, &fault));
    assert_call("labgrade", WORDS(GRADE), 0, "3 submissions of toylab");
    assert_call("labgrade", WORDS(GRADE, "--course", path), 2,
                "holds the grades of toylab alone, without --course: grade");
    folder_remove(out);
    assert_call("labgrade", WORDS(GRADE, "--course", path), 0, "3 submissions of toylab");
    assert_call("labgrade", WORDS(GRADE), 2, "holds the grades of a course or of several labs: grade with");
    free(path);
    end();
}

Test(grading, damaged_database_is_explained)
{
    begin_class();
    grader_fault fault;
    char *path = folder_path(out, "grades.db");
    mkdir(out, 0700);
    cr_assert(folder_write(path, "this is not a database of any kind, only a text", 47, &fault));
    assert_call("labgrade", WORDS(GRADE), 2, "grades.db: it is no database of grades");
    free(path);
    end();
}

Test(grading, clock_that_jumped_changes_no_order)
{
    begin_class();
    assert_call("labgrade", WORDS(GRADE), 0, "3 submissions of toylab");
    free(query("UPDATE grading SET begun = '2099-01-01T00:00:00Z', ended = '2001-01-01T00:00:00Z' RETURNING id"));
    assert_call("labgrade", WORDS("regrade", "--student", "ada", "--out", out), 0, "2 kept as they were");
    assert_call("labgrade", WORDS("status", "--out", out), 0, "grading 2, begun");
    end();
}

/* ---- killed graders ---------------------------------------------------------------------------------------------- */

/* Starts labgrade next to this process, and kills it when the database has `results` results. `signal` goes to the
 * process that does the work. Its number is in the lock. */
static void grade_and_kill(const char *const *more, int results_before)
{
    text_buffer program = {0}, wanted = {0};
    text_format(&program, "%s/bin/labgrade", toy_build());
    const char *arguments[24] = {program.text, more[0], "--root", root, "--build", toy_build()};
    for (int i = 1; more[i]; i++) arguments[5 + i] = more[i];
    char *lock = folder_path(out, "grades.lock"), *log = folder_path(out, "grading.jsonl");
    unlink(log);
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        execv(arguments[0], (char *const *)arguments);
        _exit(127);
    }
    for (;;) {
        char *text = NULL;
        size_t bytes = 0;
        int seen = 0;
        grader_fault fault;
        if (waitpid(pid, NULL, WNOHANG) == pid) break;
        if (folder_read(&text, &bytes, log, 1 << 20, &fault) == FOLDER_FILE) {
            for (const char *at = text; (at = strstr(at, "\"result\"")); at++) seen++;
            seen += strstr(text, "\"begin\"") ? 1 : 0;
        }
        free(text);
        if (seen <= results_before) continue;
        int worker = 0;
        if (folder_read(&text, &bytes, lock, 1024, &fault) == FOLDER_FILE) sscanf(text, "process %d", &worker);
        free(text);
        if (worker > 0) kill(worker, SIGKILL);
        waitpid(pid, NULL, 0);
        break;
    }
    free(lock);
    free(log);
    free(program.text);
    free(wanted.text);
}

Test(grading, killed_grader_is_resumed_to_the_same_report)
{
    begin_class();
    hand_in("noether", "null_pointer");
    assert_call("labgrade", WORDS(GRADE, "--seed", "7"), 0, "4 submissions of toylab");
    json_t *whole = lasting_results();
    for (int after = 0; after < 4; after++) {
        folder_remove(out);
        mkdir(out, 0700);
        grade_and_kill(WORDS(GRADE, "--seed", "7", "--jobs", "2"), after);
        assert_call("labgrade", WORDS("resume", "--out", out), 0, "4 submissions of toylab");
        json_t *resumed = lasting_results();
        cr_assert(json_equal(whole, resumed), "killed after %d results", after);
        assert_query("SELECT COUNT(*) FROM result", "4");
        json_decref(resumed);
    }
    json_decref(whole);
    end();
}

Test(grading, resume_of_a_finished_grading_does_nothing_again)
{
    begin_class();
    assert_call("labgrade", WORDS(GRADE), 0, "3 submissions of toylab");
    assert_call("labgrade", WORDS("resume", "--out", out), 0, "3 kept as they were");
    assert_query("SELECT COUNT(*) FROM result", "3");
    end();
}

Test(grading, resume_where_nothing_was_graded_is_explained)
{
    begin_class();
    mkdir(out, 0700);
    assert_call("labgrade", WORDS("resume", "--out", out), 2, "there are no grades in");
    assert_call("labgrade", WORDS("regrade", "--out", out), 2, "there are no grades in");
    assert_call("labgrade", WORDS("status", "--out", submissions), 2, "there are no grades in");
    end();
}

/* ---- class, roster, course --------------------------------------------------------------------------------------- */

/* Otherwise its due time would silently apply to no student. */
Test(grading, course_with_an_unknown_lab_is_refused)
{
    begin();
    hand_in("ada", "right");
    char *course = put("course.txt", "[toylab]\nweight = 3\n[lab1]\npenalty = 5\n");
    const char *const words[] = {"grade",         "--lab",     "toylab", "--course", course,
                                 "--submissions", submissions, "--out",  out,        NULL};
    assert_call("labgrade", words, 2, "course.txt: there is no lab \"lab1\"; the labs are: lab01");
    free(course);
    end();
}

Test(grading, roster_and_course_are_beside_the_results)
{
    begin();
    hand_in("submission_1", "wrong");
    hand_in("submission_2", "right");
    char *metadata =
        put("submissions/submission_metadata.yml", "submission_1:\n  :submitters:\n  - :name: Ada\n    :sid: '17'\n"
                                                   "  :created_at: 2026-11-22 10:00:00.0 Z\n"
                                                   "submission_2:\n  :submitters:\n  - :name: Grace\n    :sid: '18'\n"
                                                   "  :created_at: 2026-11-20 10:00:00.0 Z\n");
    char *roster = put("roster.csv", "id,name,section\n17,Ada Lovelace,A\n18,Grace Hopper,B\n19,Konrad Zuse,B\n");
    char *seed = put("autumn.seed", "42\n");
    char *course = put("course.txt", "penalty = 25\nseed_file = autumn.seed\n[toylab]\nweight = 3\n"
                                     "due = 2026-11-21 00:00\n");
    const char *const words[] = {"grade",         "--course",  course,  "--roster", roster,
                                 "--submissions", submissions, "--out", out,        NULL};
    assert_call("labgrade", words, 0, "2 submissions of toylab");
    assert_call("labgrade", WORDS("regrade", "--student", "Ada", "--out", out), 0, "2 submissions of toylab");
    char *path = folder_path(out, "toylab/results.json");
    json_t *class = json_load_file(path, 0, NULL), *list = json_object_get(class, "submissions");
    const json_t *ada = json_array_get(list, 0), *grace = json_array_get(list, 1);
    const json_t *student = json_object_get(json_object_get(ada, "submission"), "student");
    cr_assert_str_eq(result_string(student, "section"), "A");
    cr_assert_str_eq(result_string(student, "name"), "Ada Lovelace", "as in the roster");
    cr_assert_eq(result_integer(json_object_get(ada, "late"), "days"), 2);
    cr_assert_eq(json_number_value(json_object_get(json_object_get(ada, "late"), "points")), 15.0, "half of 30");
    cr_assert_eq(result_integer(json_object_get(grace, "late"), "days"), 0);
    const json_t *missing = json_object_get(class, "not_handed_in");
    cr_assert_eq(json_array_size(missing), 1u);
    cr_assert_str_eq(result_string(json_array_get(missing, 0), "name"), "Konrad Zuse");
    cr_assert_eq(json_number_value(json_object_get(json_object_get(class, "course"), "weight")), 3.0);
    cr_assert(json_is_null(json_object_get(ada, "seed")), "the seed of a file is secret");
    assert_query("SELECT seed FROM lab WHERE grading = 2", "42");
    json_decref(class);
    char *made[] = {metadata, roster, seed, course, path};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) free(made[i]);
    end();
}

/* ---- attempts ---------------------------------------------------------------------------------------------------- */

/* Ada's attempts, by number: wrong and in time, right and late, wrong and in time. */
static void hand_in_three_times(void)
{
    hand_in("submission_1", "wrong");
    hand_in("submission_2", "right");
    hand_in("submission_3", "wrong");
    free(put("submissions/submission_metadata.yml",
             "submission_1:\n  :submitters:\n  - :name: Ada\n    :sid: '17'\n  :created_at: 2026-11-20 10:00:00.0 Z\n"
             "submission_2:\n  :submitters:\n  - :name: Ada\n    :sid: '17'\n  :created_at: 2026-11-22 10:00:00.0 Z\n"
             "submission_3:\n  :submitters:\n  - :name: Ada\n    :sid: '17'\n"
             "  :created_at: 2026-11-20 11:00:00.0 Z\n"));
}

/* Grades them by a course's file. Returns Ada's only result. */
static json_t *grade_attempts(const char *settings)
{
    char *course = put("course.txt", settings), *path = folder_path(out, "toylab/results.json");
    assert_call("labgrade", WORDS("grade", "--course", course, "--submissions", submissions, "--out", out), 0,
                "1 submission of toylab");
    json_t *class = json_load_file(path, 0, NULL), *list = json_object_get(class, "submissions");
    cr_assert_eq(json_array_size(list), 1u);
    json_t *ada = json_incref(json_array_get(list, 0));
    json_decref(class);
    free(course);
    free(path);
    return ada;
}

Test(grading, nothing_is_called_kept_in_a_fresh_folder)
{
    begin();
    hand_in_three_times();
    char *course = put("course.txt", "[toylab]\n");
    const char *const words[] = {"grade", "--course", course, "--submissions", submissions, "--out", out, NULL};
    subprocess_result first = call("labgrade", words);
    cr_assert_null(strstr(first.output, "kept"), "two attempts do not count, but none was graded: %s", first.output);
    subprocess_result_free(&first);
    assert_call("labgrade", words, 0, "1 kept as they were");
    free(course);
    end();
}

static int which_counts(const json_t *result)
{
    const json_t *attempt;
    size_t index;
    int counts = 0;
    json_array_foreach(json_object_get(result, "attempts"), index, attempt)
    {
        cr_assert_eq(result_integer(attempt, "number"), (int)index + 1);
        if (json_is_true(json_object_get(attempt, "counts"))) counts = counts * 10 + (int)index + 1;
    }
    cr_assert_eq(json_array_size(json_object_get(result, "attempts")), 3u);
    return counts;
}

Test(grading, latest_attempt_counts_and_the_others_are_kept)
{
    begin();
    hand_in_three_times();
    json_t *ada = grade_attempts("[toylab]\n");
    cr_assert_eq(which_counts(ada), 3);
    cr_assert_eq(result_integer(ada, "points"), 30);
    cr_assert_str_eq(result_string(ada, "attempts_rule"), "attempt 3 of 3 counts: the latest");
    cr_assert_str_eq(result_string(json_array_get(json_object_get(ada, "attempts"), 0), "verdict"), "");
    assert_query("SELECT COUNT(*) FROM job WHERE source IS NOT NULL", "3");
    assert_query("SELECT COUNT(*) FROM result", "1");
    assert_call("labgrade", WORDS("list", "--student", "Ada", "--out", out), 0, "kept ");
    assert_call("labgrade", WORDS("regrade", "--out", out), 0, "1 submission of toylab");
    assert_query("SELECT COUNT(*) FROM result", "2");
    json_decref(ada);
    end();
}

Test(grading, best_attempt_counts_once_its_lateness_is_taken_off)
{
    begin();
    hand_in_three_times();
    json_t *ada = grade_attempts("attempts = best\npenalty = 30\n[toylab]\ndue = 2026-11-21 00:00\n");
    cr_assert_eq(which_counts(ada), 2, "40 of 100 are more than 30");
    cr_assert_eq(json_number_value(json_object_get(json_object_get(ada, "late"), "points")), 40.0);
    cr_assert_not_null(strstr(result_string(ada, "attempts_rule"), "attempt 2 of 3 counts: the most points"));
    json_decref(ada);
    ada = grade_attempts("attempts = best\npenalty = 35\n[toylab]\ndue = 2026-11-21 00:00\n");
    cr_assert_eq(which_counts(ada), 3, "all three have 30 of 100: the latest counts");
    assert_query("SELECT COUNT(*) FROM result", "3");
    json_decref(ada);
    ada = grade_attempts("attempts = best\npenalty = 40\n[toylab]\ndue = 2026-11-21 00:00\n");
    cr_assert_eq(which_counts(ada), 3);
    json_decref(ada);
    end();
}

Test(grading, course_is_written_as_it_was_read_without_the_seed)
{
    begin();
    hand_in_three_times();
    json_decref(
        grade_attempts("name = GPUs\nseed = 4242424242\npenalty = 10\n[toylab]\nweight = 3\nvisibility = hidden\n"
                       "due = 2026-11-21 00:00\n"));
    char *path = folder_path(out, "course.json"), *text = NULL;
    size_t bytes;
    grader_fault fault;
    cr_assert_eq(folder_read(&text, &bytes, path, 4096, &fault), FOLDER_FILE);
    cr_assert_null(strstr(text, "4242424242"), "%s", text);
    json_t *course = json_loads(text, 0, NULL);
    const json_t *lab = json_array_get(json_object_get(course, "labs"), 0);
    cr_assert_str_eq(result_string(course, "schema"), "lab-course/1");
    cr_assert_str_eq(result_string(course, "title"), "GPUs");
    cr_assert_str_eq(result_string(lab, "name"), "toylab");
    cr_assert_str_eq(result_string(lab, "due"), "2026-11-21T00:00:00Z");
    cr_assert_str_eq(result_string(lab, "visibility"), "hidden");
    cr_assert_str_eq(result_string(lab, "attempts"), "latest");
    cr_assert_eq(json_number_value(json_object_get(lab, "penalty")), 10.0);
    assert_query("SELECT seed FROM lab", "4242424242");
    assert_query("SELECT seed_secret FROM lab", "1");
    cr_assert(folder_write(path, "{\"schema\": \"lab-course/1\", \"labs\": []}", 39, &fault));
    char *settings = folder_path(root, "course.txt");
    assert_call("labgrade", WORDS("grade", "--course", settings, "--submissions", submissions, "--out", out), 2,
                "course.json was not written by labgrade: move it away");
    json_decref(course);
    free(settings);
    free(text);
    free(path);
    end();
}

/* ---- the log ----------------------------------------------------------------------------------------------------- */

Test(grading, log_has_an_object_a_line_from_begin_to_end)
{
    begin_class();
    assert_call("labgrade", WORDS(GRADE), 0, "3 submissions of toylab");
    grader_fault fault;
    char *path = folder_path(out, "grading.jsonl"), *text = NULL, events[64] = "";
    size_t bytes;
    int results_seen = 0;
    cr_assert_eq(folder_read(&text, &bytes, path, 65536, &fault), FOLDER_FILE);
    char *rest = text;
    for (const char *line; (line = strsep(&rest, "\n")) && *line;) {
        json_t *event = json_loads(line, 0, NULL);
        const char *name = result_string(event, "event");
        cr_assert(json_is_object(event) && *name && *result_string(event, "time"), "%s", line);
        if (strcmp(name, "result") == 0) {
            cr_assert(*result_string(event, "name") && *result_string(event, "verdict"));
            cr_assert_eq(result_integer(event, "left"), 2 - results_seen++);
            cr_assert(json_number_value(json_object_get(event, "seconds_left")) >= 0);
        }
        strncat(events, name, 1);
        json_decref(event);
    }
    cr_assert_str_eq(events, "brrre", "begin, three results, end");
    free(text);
    free(path);
    end();
}

/* ---- disks and locks --------------------------------------------------------------------------------------------- */

/* Runs these commands in a shell, and then labgrade. */
static subprocess_result call_in_shell(const char *before)
{
    text_buffer script = {0};
    text_format(&script, "%s; exec %s/bin/labgrade grade --root %s --build %s --lab toylab --submissions %s --out %s",
                before, toy_build(), root, toy_build(), submissions, out);
    const char *const arguments[] = {"/bin/bash", "-c", script.text, NULL};
    char **environment = environment_make(NULL);
    subprocess_options options = {.arguments = arguments, .environment = (const char *const *)environment};
    options.output_limit = 1 << 20;
    subprocess_result result;
    grader_fault fault;
    cr_assert(subprocess_run(&result, &options, 60, &fault), "%s", fault.text);
    environment_free(environment);
    free(script.text);
    return result;
}

/* A file may grow to 40 KiB only. The first database that needs more fails as on a full disk. */
Test(grading, full_disk_is_explained_and_loses_nothing)
{
    begin_class();
    assert_call("labgrade", WORDS(GRADE), 0, "3 submissions of toylab");
    char *grace = folder_path(submissions, "grace");
    folder_remove(grace);
    hand_in("grace", "right");
    subprocess_result result = call_in_shell("trap '' XFSZ; ulimit -f 40");
    cr_assert_eq(result.exit.status, 2, "%s", result.output);
    cr_assert_not_null(strstr(result.output, "make room, then run the command again"), "%s", result.output);
    subprocess_result_free(&result);
    assert_call("labgrade", WORDS("list", "--out", out, "--student", "ada"), 0, "passed");
    assert_call("labgrade", WORDS(GRADE), 0, "2 passed, 1 build error");
    free(grace);
    end();
}

/* The other program holds the database until the grader gives up. */
Test(grading, locked_database_is_explained)
{
    begin_class();
    assert_call("labgrade", WORDS(GRADE), 0, "3 submissions of toylab");
    sqlite3 *other;
    char *path = folder_path(out, "grades.db");
    cr_assert_eq(sqlite3_open(path, &other), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    subprocess_result result = call_in_shell("export LABGRADE_PATIENCE_MS=50");
    cr_assert_eq(result.exit.status, 2, "%s", result.output);
    cr_assert_not_null(strstr(result.output, "another program holds it"), "%s", result.output);
    subprocess_result_free(&result);
    sqlite3_close(other);
    assert_call("labgrade", WORDS(GRADE), 0, "3 kept as they were");
    free(path);
    end();
}
