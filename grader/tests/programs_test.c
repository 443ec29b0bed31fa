/* labcheck and labgrade on the command line: exit status, files, messages. */
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "toy_class.h"

Test(labgrade, every_submission_gets_its_verdict_whatever_its_name)
{
    begin();
    hand_in("\"Ada\"\nLovelace", "right");
    hand_in("-rf", "missing_file");
    hand_in("grace", "null_pointer");
    hand_in("zuse <b>", "wrong");
    assert_call("labgrade", (const char *const[]){"--lab", "toylab", "--submissions", submissions, "--out", out, NULL},
                0, "4 submissions of toylab");
    json_t *class = results();
    static const char *const expected[][2] = {
        {"\"Ada\"\nLovelace", "passed"}, {"-rf", "missing file"}, {"grace", "crash"}, {"zuse <b>", "wrong result"}};
    for (size_t i = 0; i < 4; i++) {
        const json_t *result = json_array_get(json_object_get(class, "submissions"), i);
        cr_assert_str_eq(result_string(json_object_get(result, "submission"), "name"), expected[i][0]);
        cr_assert_str_eq(result_string(result, "verdict"), expected[i][1], "%s", result_string(result, "summary"));
        cr_assert(json_is_null(json_object_get(result, "seed")), "the seed is secret");
    }
    json_decref(class);
    end();
}

/* The first mismatches of a student, which show the inputs. */
static const json_t *mismatches_of(const json_t *class, size_t student)
{
    const json_t *result = json_array_get(json_object_get(class, "submissions"), student);
    return json_object_get(json_array_get(json_object_get(result, "checks"), 0), "mismatches");
}

static const char *seed_of(const json_t *class, size_t student)
{
    return result_string(json_array_get(json_object_get(class, "submissions"), student), "seed");
}

Test(labgrade, each_student_has_inputs_of_its_own_which_a_regrade_repeats)
{
    begin();
    hand_in("ada", "wrong");
    hand_in("zuse", "wrong");
    const char *const arguments[] = {"--lab", "toylab", "--submissions", submissions, "--out", out, "--seed",
                                     "42",    NULL};
    assert_call("labgrade", arguments, 0, "2 submissions of toylab");
    json_t *first = results();
    assert_call("labgrade", (const char *const[]){"regrade", "--out", out, NULL}, 0, "2 submissions of toylab");
    json_t *second = results();
    cr_assert_str_neq(seed_of(first, 0), seed_of(first, 1));
    cr_assert_str_neq(seed_of(first, 0), "42", "the class's");
    cr_assert_not(json_equal(mismatches_of(first, 0), mismatches_of(first, 1)), "both have the same inputs");
    for (size_t i = 0; i < 2; i++) {
        cr_assert_str_eq(seed_of(first, i), seed_of(second, i));
        cr_assert(json_equal(mismatches_of(first, i), mismatches_of(second, i)));
    }
    json_decref(first);
    json_decref(second);
    end();
}

/* A student who is given the seed of a result gets its inputs. */
Test(labgrade, seed_of_a_result_makes_its_inputs_elsewhere)
{
    begin();
    hand_in("ada", "wrong");
    const char *const arguments[] = {"--lab", "toylab", "--submissions", submissions, "--out", out, "--seed",
                                     "42",    NULL};
    assert_call("labgrade", arguments, 0, "1 submission of toylab");
    json_t *class = results();
    char *source = folder_path(submissions, "ada/toylab.c"), *json = folder_path(out, "alone.json"), *text;
    size_t bytes;
    grader_fault fault;
    assert_call("labcheck",
                (const char *const[]){"--lab", "toylab", "--source", source, "--seed", seed_of(class, 0), "--json",
                                      json, "--quiet", NULL},
                1, "");
    cr_assert_eq(folder_read(&text, &bytes, json, 1 << 20, &fault), FOLDER_FILE);
    json_t *alone = json_loads(text, 0, NULL);
    cr_assert(json_equal(mismatches_of(class, 0),
                         json_object_get(json_array_get(json_object_get(alone, "checks"), 0), "mismatches")));
    json_decref(class);
    json_decref(alone);
    free(source);
    free(json);
    free(text);
    end();
}

Test(labgrade, large_class_logs_how_long_it_may_still_take)
{
    begin();
    for (int i = 0; i < 20; i++) {
        char name[32];
        snprintf(name, sizeof name, "student%02d", i);
        hand_in(name, "missing_file");
    }
    subprocess_result result =
        call("labgrade", (const char *const[]){"--lab", "toylab", "--submissions", submissions, "--out", out, NULL});
    cr_assert_not_null(strstr(result.output, "\n2 of 20, about "), "%s", result.output);
    cr_assert_not_null(strstr(result.output, "\n18 of 20, about "), "%s", result.output);
    cr_assert_null(strstr(result.output, "\n3 of 20"), "%s", result.output);
    cr_assert_null(strstr(result.output, "\n20 of 20"), "%s", result.output);
    subprocess_result_free(&result);
    end();
}

static char *put_file(const char *name, const char *text)
{
    grader_fault fault;
    char *path = folder_path(root, name);
    cr_assert(folder_write(path, text, strlen(text), &fault), "%s", fault.text);
    return path;
}

Test(labgrade, roster_gives_the_times_that_a_download_lacks)
{
    begin();
    hand_in("ada", "wrong");
    hand_in("grace", "wrong");
    hand_in("grace-attempt2", "wrong");
    char *roster = put_file("roster.csv", "name,submitted\nada,2026-11-21 00:00:01\ngrace,2026-11-21 00:00\n");
    char *course = put_file("course.txt", "time_zone = Europe/Berlin\npenalty = 50\nattempts = best\n[toylab]\n"
                                          "due = 2026-11-21 00:00\n[lab01]\n");
    assert_call("labgrade",
                (const char *const[]){"--lab", "toylab", "--submissions", submissions, "--out", out, "--roster", roster,
                                      "--course", course, NULL},
                0, "2 submissions of toylab");
    char *path = folder_path(out, "toylab/results.json");
    json_t *class = json_load_file(path, 0, NULL), *list = json_object_get(class, "submissions");
    const json_t *ada = json_object_get(json_array_get(list, 0), "late");
    const json_t *attempts = json_object_get(json_array_get(list, 1), "attempts");
    cr_assert_eq(result_integer(ada, "days"), 1, "a second after the due time is late");
    cr_assert_eq(json_number_value(json_object_get(ada, "points")), 15.0, "half of 30");
    cr_assert_null(json_object_get(json_array_get(attempts, 0), "late"), "the roster has no earlier attempts");
    cr_assert_eq(result_integer(json_object_get(json_array_get(attempts, 1), "late"), "days"), 0, "at the due time");
    json_decref(class);
    assert_call("labgrade",
                (const char *const[]){"--lab", "toylab lab01", "--submissions", submissions, "--out", out, "--roster",
                                      roster, NULL},
                2, "its times are those of one lab: grade the labs one by one");
    char *made[] = {roster, course, path};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) free(made[i]);
    end();
}

Test(labgrade, empty_folder_is_one_sentence_and_status_2)
{
    begin();
    assert_call("labgrade", (const char *const[]){"--lab", "toylab", "--submissions", submissions, "--out", out, NULL},
                2, "there are no submissions in ");
    cr_assert_neq(access(out, F_OK), 0, "grading has not begun");
    end();
}

/* A folder in `under` with a file, as a guard that was killed leaves it, last changed so many seconds ago. Free it. */
static char *leave_folder(const char *under, const char *name, long age)
{
    char *folder = folder_path(under, name), *file = folder_path(folder, "file");
    cr_assert_eq(mkdir(folder, 0700), 0);
    fclose(fopen(file, "w"));
    const struct timespec times[2] = {{.tv_sec = time(NULL) - age}, {.tv_sec = time(NULL) - age}};
    cr_assert_eq(utimensat(AT_FDCWD, folder, times, 0), 0);
    free(file);
    return folder;
}

Test(labgrade, temporary_folders_of_killed_graders_are_removed_and_no_others)
{
    begin();
    char *temporary = folder_path(root, "temporary");
    mkdir(temporary, 0700);
    setenv("TMPDIR", temporary, 1);
    char *left = leave_folder(temporary, "labgrade-abcdef", 100000),
         *fresh = leave_folder(temporary, "labgrade-abcdeg", 3600),
         *used = leave_folder(temporary, "labgrade-abcdeh", 100000),
         *other = leave_folder(temporary, "labgrade-mine", 100000);
    int lock = open(used, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cr_assert_eq(flock(lock, LOCK_EX), 0);
    assert_call("labgrade", (const char *const[]){"--lab", "toylab", NULL}, 2, "--submissions and --out are needed");
    cr_assert_neq(access(left, F_OK), 0, "nobody holds it");
    cr_assert_eq(access(fresh, F_OK), 0, "another grader may just have made it");
    cr_assert_eq(access(used, F_OK), 0, "it is locked");
    cr_assert_eq(access(other, F_OK), 0, "it is no grader's");
    close(lock);
    unsetenv("TMPDIR");
    char *made[] = {temporary, left, fresh, used, other};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) free(made[i]);
    end();
}

Test(labgrade, sandbox_is_shown_without_naming_a_lab_and_with_several)
{
    begin();
    const char *const trust[] = {"--sandbox-if-possible", "i-trust-these-files"};
    assert_call("labgrade", (const char *const[]){"--show-sandbox", trust[0], trust[1], NULL}, 0, "sandbox: ");
    const char *const named[] = {"--show-sandbox", "--lab", "toylab toylab", trust[0], trust[1], NULL};
    assert_call("labgrade", named, 0, "kernels on the CPU device: in ");
    end();
}

/* From now on bubblewrap fails as where nobody may make namespaces. */
static void break_bubblewrap(void)
{
    static const char script[] = "#!/bin/sh\necho 'bwrap: No permissions'\nexit 1\n";
    grader_fault fault;
    char *program = folder_path(root, "bwrap"), *path = text_make("%s:%s", root, getenv("PATH"));
    cr_assert(folder_write(program, script, sizeof script - 1, &fault), "%s", fault.text);
    cr_assert_eq(chmod(program, 0700), 0);
    setenv("PATH", path, 1);
    free(program);
    free(path);
}

Test(programs, each_says_what_to_do_without_a_sandbox_in_words_that_it_takes)
{
    begin();
    break_bubblewrap();
    assert_call("labgrade", WORDS("--show-sandbox"), 2,
                "does not work on this machine: bwrap: No permissions\n`make doctor` says what to do.");
    assert_call("labgrade", WORDS("--show-sandbox"), 2, "make grade LABGRADE='--no-sandbox i-trust-these-files'\n");
    assert_call("labcheck", WORDS("--lab", "toylab", "--out", out, "--graded"), 2,
                "labcheck: GRADED=1 needs a sandbox: bubblewrap does not work on this machine: bwrap: No permissions\n"
                "`make doctor` says what to do. Without GRADED=1 the same checks run outside of a sandbox.\n");
    end();
}

Test(labgrade, wrong_command_lines_are_status_2)
{
    begin();
    assert_call("labgrade", (const char *const[]){"--lab", "toylab", NULL}, 2, "--submissions and --out are needed");
    assert_call("labgrade", (const char *const[]){"--speed", "9", NULL}, 2, "there is no option --speed");
    assert_call("labgrade", (const char *const[]){"--seed", NULL}, 2, "--seed needs a value");
    const char *const bad_seed[] = {"--lab", "x", "--submissions", "x", "--out", "x", "--seed", "-1", NULL};
    assert_call("labgrade", bad_seed, 2, "--seed -1: a whole number");
    end();
}

static void assert_check(const char *variant, int status, const char *says)
{
    text_buffer source = {0};
    text_format(&source, "%s/class/%s/toylab.c", TOY_FOLDER, variant);
    assert_call("labcheck", (const char *const[]){"--lab", "toylab", "--source", source.text, "--out", out, NULL},
                status, says);
    free(source.text);
}

Test(labcheck, status_is_0_only_when_all_checks_pass)
{
    begin();
    assert_check("right", 0, "PASSED  100 of 100 points");
    assert_check("wrong", 1, "FAILED: wrong result  30 of 100 points");
    assert_check("starter", 1, "NOT SOLVED YET  0 of 100 points");
    assert_check("does_not_compile", 1, "BROKEN: build error");
    assert_check("missing_file", 1, "toylab.c is missing; the folder holds: main.c");
    end();
}

/* As on a GPU, whose driver makes processes take turns. */
Test(labcheck, call_late_on_a_gpu_is_made_again_alone)
{
    begin();
    const char *const again[] = {"--lab", "toylab", "--source",  TOY_FOLDER "/class/slow_in_company/toylab.c",
                                 "--out", out,      "--seconds", "2",
                                 NULL};
    setenv("LAB_TOY_STATE", submissions, 1);
    assert_call("labcheck", again, 1, "BROKEN: timeout");
    cr_assert_eq(system("rm \"$LAB_TOY_STATE\"/has-been-here"), 0);
    setenv("LAB_TOY_KIND", "cuda", 1);
    assert_call("labcheck", again, 0, "PASSED  100 of 100 points");
    end();
}

Test(labcheck, page_names_the_file_only_if_it_is_not_the_labs_own)
{
    begin();
    text_buffer script = {0}, copy = {0}, own = {0};
    text_format(&script,
                "cd %s/labs && rm toylab-first && cp -r \"$OLDPWD\"/" TOY_FOLDER " toylab-first && "
                "cp toylab-first/class/starter/toylab.c toylab-first && cp toylab-first/toylab.c ..",
                root);
    text_format(&copy, "%s/toylab.c", root);
    text_format(&own, "%s/labs/../labs/toylab-first/toylab.c", root); /* in other words than the grader's */
    cr_assert_eq(system(script.text), 0, "%s", script.text);
    assert_call("labcheck", WORDS("--lab", "toylab", "--out", out, "--source", copy.text), 1, "FILE=");
    subprocess_result result = call("labcheck", WORDS("--lab", "toylab", "--out", out, "--source", own.text));
    cr_assert_eq(result.exit.status, 1);
    cr_assert_not_null(strstr(result.output, "make toylab SEED="), "%s", result.output);
    cr_assert_null(strstr(result.output, "FILE="), "%s", result.output);
    subprocess_result_free(&result);
    free(script.text);
    free(copy.text);
    free(own.text);
    end();
}

/* Runs a shell command on the right file, as $file in a folder with a non-ASCII name, and then checks the file. */
static void assert_check_of(const char *command, int status, const char *says)
{
    text_buffer script = {0}, source = {0};
    text_format(&source, "%s/gr\u00f6\u00dfe/toylab.c", root);
    text_format(&script, "file=%s; mkdir -p \"${file%%/*}\" && cp %s/class/right/toylab.c \"$file\" && %s", source.text,
                TOY_FOLDER, command);
    cr_assert_eq(system(script.text), 0, "%s", script.text);
    assert_call("labcheck", (const char *const[]){"--lab", "toylab", "--source", source.text, "--out", out, NULL},
                status, says);
    free(script.text);
    free(source.text);
}

Test(labcheck, line_endings_marks_and_names_of_other_systems_are_accepted)
{
    begin();
    assert_check_of("true", 0, "PASSED  100 of 100 points");
    assert_check_of("sed -i 's/$/\\r/' \"$file\"", 0, "PASSED  100 of 100 points");
    assert_check_of("sed -i '1s/^/\\xef\\xbb\\xbf/' \"$file\"", 0, "PASSED  100 of 100 points");
    end();
}

Test(labcheck, file_that_is_not_text_gets_one_sentence)
{
    begin();
    assert_check_of("iconv -t UTF-16 \"$file\" >\"$file.new\" && mv \"$file.new\" \"$file\"", 1,
                    "toylab.c is not plain text");
    end();
}

Test(labcheck, missing_function_and_other_signature_are_named)
{
    begin();
    assert_check_of("sed -i 's/^lab_status toy_run(/&int one_too_many, /' \"$file\"", 1,
                    "note: previous declaration of");
    assert_check_of("sed -i 's/^lab_status toy_run/lab_status my_run/' \"$file\"", 1, "which toylab.h declares");
    end();
}

#define HINT(...)                                                                                                      \
    (const char *const[]) { "--lab", "toylab", "--out", out, "--hint", __VA_ARGS__, NULL }

Test(labcheck, hint_is_of_the_check_and_level_asked_for)
{
    begin();
    assert_call("labcheck", HINT("1", "--check", "2"), 0, "Task 2: add them all.");
    assert_call("labcheck", HINT("2"), 0, "Hint 2 of 3");
    assert_call("labcheck", HINT("2"), 0, "The next one: HINT=3");
    assert_call("labcheck", HINT("4"), 2, "\"Every element is right\" has the hints 1 to 3");
    assert_call("labcheck", HINT("1", "--check", "9"), 2, "toylab has the checks 1 to 3");
    end();
}

Test(labcheck, unknown_hint_is_refused_in_the_persons_own_words)
{
    begin();
    assert_call("labcheck", HINT("abc"), 2, "HINT=abc is not a hint: it can be 1, 2 or 3");
    assert_call("labcheck", HINT("0"), 2, "HINT=0 is not a hint");
    assert_call("labcheck", HINT("-1"), 2, "HINT=-1 is not a hint");
    assert_call("labcheck", HINT("2x"), 2, "HINT=2x is not a hint");
    assert_call("labcheck", HINT(""), 0, "Hint 1 of 3");
    end();
}

Test(labcheck, hint_is_the_next_one_of_the_first_check_that_failed)
{
    begin();
    char *progress = folder_path(root, "progress.json");
    assert_check("keeps_the_first_result", 1, "FAILED: wrong result  94 of 100 points");
    assert_call("labcheck", HINT("next"), 0, "nothing may be kept from the first call");
    assert_call("labcheck", HINT("next", "--check", "1", "--progress", progress), 0, "Hint 1 of 3");
    assert_call("labcheck", HINT("next", "--check", "1", "--progress", progress), 0, "Hint 2 of 3");
    assert_check("right", 0, "PASSED");
    assert_call("labcheck", HINT("next"), 0, "All checks passed in your last run");
    assert_call("labcheck", HINT("1", "--check", "2"), 0, "Hint 1 of");
    free(progress);
    end();
}

Test(labcheck, hint_is_shown_even_if_it_cannot_be_remembered)
{
    begin();
    assert_call("labcheck", HINT("next", "--progress", "/nowhere/progress.json"), 0, "The next one: HINT=2");
    end();
}

Test(labcheck, run_is_noted_as_progress)
{
    begin();
    char *progress = folder_path(root, "progress.json");
    subprocess_result run = call("labcheck", (const char *const[]){"--lab", "toylab", "--out", out, "--source",
                                                                   TOY_FOLDER "/class/keeps_the_first_result/toylab.c",
                                                                   "--progress", progress, NULL});
    cr_assert_eq(run.exit.status, 1, "%s", run.output);
    subprocess_result_free(&run);
    json_t *file = json_load_file(progress, 0, NULL);
    cr_assert_eq(result_integer(json_object_get(json_object_get(file, "labs"), "toylab"), "best"), 94);
    json_decref(file);
    free(progress);
    end();
}

Test(labcheck, progress_of_a_checkout_lists_its_labs)
{
    begin();
    char *progress = folder_path(root, "progress.json");
    assert_call("labcheck", (const char *const[]){"--show-progress", "--progress", progress, NULL}, 0, "lab01   other");
    assert_call("labcheck", (const char *const[]){"--show-progress", NULL}, 2, "needs --progress");
    grader_fault fault;
    cr_assert(folder_write(progress, "{", 1, &fault));
    assert_call("labcheck", (const char *const[]){"--show-progress", "--progress", progress, NULL}, 0,
                "progress.json.damaged, and a new one is begun.");
    free(progress);
    end();
}

/* The program hangs. The interrupt comes once its folder shows that it runs. */
Test(labcheck, interrupt_leaves_nothing_behind)
{
    begin();
    text_buffer script = {0};
    text_format(&script,
                "mkdir %s/tmp; export TMPDIR=%s/tmp; "
                "%s/bin/labcheck --root %s --build %s --lab toylab --out %s --source grader/attacks/loops_for_ever.c & "
                "until ls $TMPDIR/labcheck-*/lab-run-* >/dev/null 2>&1; do :; done; "
                "kill -TERM $!; wait $!; echo status $?; ls -A $TMPDIR; echo end",
                root, root, toy_build(), root, toy_build(), out);
    const char *const arguments[] = {"/bin/sh", "-c", script.text, NULL};
    char **environment = environment_make(NULL);
    subprocess_options options = {.arguments = arguments, .environment = (const char *const *)environment};
    options.output_limit = 1 << 20;
    subprocess_result result;
    grader_fault fault;
    cr_assert(subprocess_run(&result, &options, 60, &fault), "%s", fault.text);
    cr_assert_str_eq(result.output, "labcheck: interrupted\nstatus 2\nend\n", "%s", result.output);
    subprocess_result_free(&result);
    environment_free(environment);
    free(script.text);
    end();
}

Test(labcheck, unknown_lab_is_status_2)
{
    begin();
    assert_call("labcheck", (const char *const[]){"--lab", "lab99", NULL}, 2,
                "there is no lab \"lab99\"; the labs are: lab01");
    assert_call("labcheck", (const char *const[]){NULL}, 2, "say which lab");
    end();
}

Test(labgrade, unknown_command_is_explained)
{
    begin();
    assert_call("labgrade", (const char *const[]){"grede", "--out", out, NULL}, 2, "there is no command grede");
    end();
}
