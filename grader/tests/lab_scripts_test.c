/* The build rules and the scripts behind make labNN-starter, labNN-reset, labNN-watch, labNN-timeline, labNN-wrong,
 * new-lab, setup, format and lint, in a small workbook. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/folder.h"
#include "base/subprocess.h"
#include "base/text.h"

static char *root;

/* Runs a shell command with the small workbook as $root and the real one as the current directory. */
static subprocess_result shell(const char *command)
{
    text_buffer line = {0};
    text_format(&line, "root=%s; %s", root, command);
    const char *const arguments[] = {"/bin/bash", "-c", line.text, NULL};
    char **environment = environment_make(NULL);
    subprocess_options options = {.arguments = arguments, .environment = (const char *const *)environment};
    options.output_limit = 1 << 20;
    subprocess_result result;
    grader_fault fault;
    cr_assert(subprocess_run(&result, &options, 60, &fault), "%s", fault.text);
    environment_free(environment);
    free(line.text);
    return result;
}

static void assert_shell(const char *command, int status, const char *says)
{
    subprocess_result result = shell(command);
    cr_assert_eq(result.exit.status, status, "%s: status %d: %s", command, result.exit.status, result.output);
    cr_assert_not_null(strstr(result.output, says), "no \"%s\" in: %s", says, result.output);
    subprocess_result_free(&result);
}

static void begin(void)
{
    grader_fault fault;
    cr_assert(folder_make_private(&root, "scripts-test", &fault), "%s", fault.text);
    assert_shell("mkdir -p $root/lib && cp -R lib/tools $root/lib && mkdir $root/labs $root/solutions &&"
                 "cp -R labs/labNN-template $root/labs && cp -R solutions/labNN-template $root/solutions &&"
                 "mkdir $root/slides && cp slides/template.md $root/slides",
                 0, "");
}

static void end(void)
{
    folder_remove(root);
    free(root);
}

Test(new_lab, is_the_template_with_its_number)
{
    begin();
    assert_shell("$root/lib/tools/new-lab.sh lab14-warps", 0, "make verify LAB=lab14 ");
    assert_shell("cd $root && ls labs/lab14-warps solutions/lab14-warps", 0, "lab14.c");
    assert_shell("cd $root && cat slides/14-warps.md", 0, "title: warps\nlab: lab14");
    assert_shell(
        "cd $root && grep -rniE 'labNN|Lab NN|the template' labs/lab14-warps solutions/lab14-warps slides/14-* && "
        "echo found; true",
        0, "");
    assert_shell(
        "cd $root && gcc -fsyntax-only -I$OLDPWD/lib/include -Ilabs/lab14-warps solutions/lab14-warps/lab14.c &&"
        "echo compiles",
        0, "compiles");
    end();
}

Test(new_lab, without_a_number_gets_the_next_one)
{
    begin();
    assert_shell("$root/lib/tools/new-lab.sh lab07-first; $root/lib/tools/new-lab.sh second", 0, "labs/lab08-second");
    end();
}

Test(new_lab, never_overwrites_one)
{
    begin();
    assert_shell("$root/lib/tools/new-lab.sh lab14-warps >&2; $root/lib/tools/new-lab.sh lab14-other", 2,
                 "labs/lab14-warps is there already");
    end();
}

Test(new_lab, invalid_name_is_explained)
{
    begin();
    assert_shell("$root/lib/tools/new-lab.sh", 2, "make new-lab NAME=");
    assert_shell("$root/lib/tools/new-lab.sh 'lab1-x'", 2, "make new-lab NAME=");
    assert_shell("$root/lib/tools/new-lab.sh '../x'", 2, "make new-lab NAME=");
    end();
}

#define RESET "$root/lib/tools/your-file.sh reset labs/lab14-warps "

static void begin_lab(void)
{
    begin();
    assert_shell("$root/lib/tools/new-lab.sh lab14-warps && echo 'int mine;' >$root/labs/lab14-warps/lab14.c", 0, "");
}

Test(reset, puts_the_starter_back_and_keeps_the_students_file)
{
    begin_lab();
    assert_shell(RESET "1", 0, "Yours is kept as labs/lab14-warps/lab14.c.backup-1");
    assert_shell("cd $root && cat labs/lab14-warps/lab14.c.backup-1", 0, "int mine;");
    assert_shell("cd $root && cmp labs/lab14-warps/lab14.c labs/lab14-warps/starter.c && echo same", 0, "same");
    end();
}

Test(reset, overwrites_no_earlier_backup)
{
    begin_lab();
    assert_shell(RESET "1; echo 'int other;' >$root/labs/lab14-warps/lab14.c;" RESET "1", 0, "lab14.c.backup-2");
    assert_shell("cat $root/labs/lab14-warps/lab14.c.backup-1", 0, "int mine;");
    end();
}

Test(reset, without_anybody_to_ask_changes_nothing)
{
    begin_lab();
    assert_shell(RESET "''", 2, "YES=1");
    assert_shell("cat $root/labs/lab14-warps/lab14.c", 0, "int mine;");
    end();
}

Test(reset, of_a_missing_file_asks_nothing)
{
    begin_lab();
    assert_shell("rm $root/labs/lab14-warps/lab14.c;" RESET "''", 0, "lab14.c is the starter again.\n");
    assert_shell("cd $root && cmp labs/lab14-warps/lab14.c labs/lab14-warps/starter.c && echo same", 0, "same");
    end();
}

/* No file may grow, as on a full disk. */
Test(reset, that_can_keep_no_backup_changes_nothing)
{
    begin_lab();
    assert_shell("trap '' XFSZ; ulimit -f 0;" RESET "1", 2, "lab14.c stays as it is: it could not be kept");
    assert_shell("cat $root/labs/lab14-warps/lab14.c; ls $root/labs/lab14-warps/*.backup-*", 2, "int mine;");
    end();
}

Test(goals, misspelled_ones_are_asked_about)
{
    begin();
    const char *const asked[][2] = {
        {"lab3", "There is no lab3: there is lab03"},
        {"Lab03", "There is no Lab03: there is lab03"},
        {"LAB3-hint", "There is no LAB3-hint: there is lab03-hint"},
        {"lab-03", "There is no lab-03: there is lab03"},
        {"lab03-hnt", "There is no lab03-hnt: after lab03 can stand -solution"},
        {"lab99", "There is no lab99: the labs are lab00"},
        {"hint", "Of which lab? As in make lab00-hint"},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        text_buffer line = {0};
        text_format(&line, "make BUILD=$root/build %s 2>&1", asked[i][0]);
        assert_shell(line.text, 2, asked[i][1]);
        free(line.text);
    }
    end();
}

Test(goals, page_that_lists_them_fits_a_terminal)
{
    assert_shell("make help help-all | awk 'length > 80 { long++ } END { print long + 0, \"are too long\" }'", 0,
                 "0 are too long");
}

Test(timeline, of_a_run_without_any_says_what_draws_one)
{
    begin();
    assert_shell("$root/lib/tools/show-timeline.sh lab14 $root/build '' false 2>&1", 1,
                 "No run of lab14 has used the device so far:\nthere is no timeline");
    end();
}

Test(timeline, of_a_run_before_the_last_change_says_so)
{
    begin_lab();
    assert_shell("cd $root && mkdir -p build/lab14 && touch -d 'yesterday 09:41' build/lab14/trace.json && "
                 "lib/tools/show-timeline.sh lab14 "
                 "build '' true",
                 0, "This is your run of 09:41, before your last change: make lab14 records it again.");
    end();
}

Test(timeline, of_a_damaged_record_is_no_success)
{
    begin();
    assert_shell("mkdir -p $root/build/lab14 && touch $root/build/lab14/trace.json &&"
                 "$root/lib/tools/show-timeline.sh lab14 build '' false",
                 1, "Run make lab14 to record it again");
    end();
}

Test(reset, of_a_starter_has_nothing_to_do)
{
    begin_lab();
    assert_shell(RESET "1 >&2;" RESET "''", 0, "is the starter already");
    end();
}

Test(watch, runs_the_checks_again_when_a_file_changes_and_only_then)
{
    begin_lab();
    assert_shell("printf '#!/bin/sh\\necho run >>%s/runs\\n' $root >$root/make && chmod +x $root/make &&"
                 "{ MAKE=$root/make $root/lib/tools/watch-lab.py lab14 labs/lab14-warps >&2 & } &&"
                 "until [ -s $root/runs ]; do sleep 0.1; done; touch $root/labs/lab14-warps/lab14.c;"
                 "echo 'int changed;' >$root/labs/lab14-warps/lab14.c;"
                 "until [ \"$(wc -l <$root/runs)\" -ge 2 ]; do sleep 0.1; done;"
                 "kill $!; wait $!; echo \"status $?, $(wc -l <$root/runs) runs\"",
                 0, "status 0, 2 runs");
    end();
}

/* The first run is a program that waits for ever, started by another. Both hold the pipe open while they live. */
Test(watch, save_ends_the_run_with_all_that_it_started_and_begins_again)
{
    begin_lab();
    assert_shell("mkfifo $root/held && cat >$root/make <<'END' && chmod +x $root/make\n"
                 "#!/bin/bash\n"
                 "cd ${0%/*}; echo run >>runs\n"
                 "[ $(wc -l <runs) = 1 ] || exit 0\n"
                 "exec 9>held; bash -c 'trap \"echo ended >>runs\" EXIT; trap \"exit\" TERM;"
                 " while :; do sleep 0.1; done' & wait\n"
                 "END\n",
                 0, "");
    assert_shell("{ MAKE=$root/make $root/lib/tools/watch-lab.py lab14 labs/lab14-warps >$root/log 2>&1 & } &&"
                 "{ until [ -s $root/runs ]; do sleep 0.1; done; echo 'int changed;' >$root/labs/lab14-warps/lab14.c;"
                 "  cat >&2; } <$root/held;"
                 "until grep -q Watching $root/log; do sleep 0.1; done;"
                 "kill $!; wait $!; echo \"status $?,\" $(cat $root/runs)",
                 0, "status 0, run ended run");
    assert_shell("cat $root/log", 0, "lab14.c was saved meanwhile: the checks begin again.");
    end();
}

/* A terminal is cleared before each run, and keeps what is said after that. */
Test(watch, says_at_a_terminal_that_the_file_was_saved_after_it_cleared_the_screen)
{
    begin_lab();
    assert_shell("cat >$root/make <<'END' && chmod +x $root/make\n"
                 "#!/bin/bash\n"
                 "cd ${0%/*}; echo run >>runs\n"
                 "[ $(wc -l <runs) = 1 ] && exec sleep 1000\n"
                 "END\n"
                 "{ TERM=xterm MAKE=$root/make script -qec \"$root/lib/tools/watch-lab.py lab14 labs/lab14-warps\" "
                 "/dev/null </dev/null >$root/log & } &&"
                 "until [ -s $root/runs ]; do sleep 0.1; done; echo 'int changed;' >$root/labs/lab14-warps/lab14.c;"
                 "until grep -aq Watching $root/log; do sleep 0.1; done; kill $!; wait $!;"
                 "tr '\\033' '~' <$root/log | sed -z 's/.*~//' | grep -ac 'saved meanwhile'",
                 0, "1");
    end();
}

Test(watch, interrupted_ends_what_it_runs)
{
    begin_lab();
    assert_shell("mkfifo $root/held && printf '#!/bin/sh\\nexec 9>%s/held; sleep 1000' $root >$root/make &&"
                 "chmod +x $root/make &&"
                 "{ MAKE=$root/make $root/lib/tools/watch-lab.py lab14 labs/lab14-warps >&2 & } &&"
                 "{ kill $!; cat; } <$root/held; wait $!; echo \"status $?\"",
                 0, "status 0");
    end();
}

/* Runs make in the small workbook, with a compiler that compiles nothing and a labcheck that proves nothing. The new
 * lab has its own texts. */
static void begin_make(void)
{
    begin_lab();
    assert_shell(
        "sed -i 's/TODO: //' $root/{labs,solutions}/lab14-warps/README.md &&"
        "cp lib/rules.mk $root/lib && cp labs/labs.mk $root/labs &&"
        "printf 'BUILD := build\\nCC := ./compiler\\nexport PATH := .:$(PATH)\\ninclude lib/rules.mk labs/labs.mk\\n' "
        ">$root/Makefile &&"
        "cd $root && mkdir -p build/bin && touch build/liblab.a build/liblab-remote.a build/libserved.a &&"
        "touch build/bin/labserver build/bin/labkernels build/libgrader.a &&"
        "printf '#!/bin/sh\\necho proven\\necho 1 passed, 0 failed\\n' >build/bin/labcheck &&"
        "ln -s compiler nm && cat >compiler <<'END' && chmod +x build/bin/labcheck compiler\n"
        "#!/bin/bash\n"
        "for word; do case $last in -o | -MF) : >\"$word\" ;; esac; last=$word; done\n"
        "END\n",
        0, "");
}
#define MAKE_VERIFY "cd $root && make -s verify LAB=lab14 2>&1"

Test(wrong, answers_are_made_of_the_solution_and_patches)
{
    begin_make();
    assert_shell(MAKE_VERIFY, 0, "proven");
    assert_shell("cd $root && diff solutions/lab14-warps/lab14.c build/lab14/wrong/keeps_the_array.c", 1,
                 "15d14\n<     LAB_TRY(lab_array_destroy(to));\n");
    end();
}

Test(new_lab, that_still_has_the_templates_texts_is_not_proven)
{
    begin_make();
    assert_shell("sed -i '3s/^/TODO: /' $root/labs/lab14-warps/README.md;" MAKE_VERIFY, 2,
                 "FAILED README.md:3: is the template's: TODO: ");
    end();
}

Test(wrong, patch_that_no_longer_applies_fails_verify_and_is_named)
{
    begin_make();
    assert_shell(MAKE_VERIFY, 0, "proven");
    assert_shell("sed -i s/lab_array_destroy/lab_array_release/ $root/solutions/lab14-warps/lab14.c;" MAKE_VERIFY, 2,
                 "labs/lab14-warps/wrong/keeps_the_array.patch does not apply to solutions/lab14-warps/lab14.c.\n"
                 "Make its change in a copy of that file");
    end();
}

/* Lines elsewhere in the solution may come and go. */
Test(wrong, patch_whose_lines_have_moved_applies)
{
    begin_make();
    assert_shell("sed -i '1i #include <stdio.h>' $root/solutions/lab14-warps/lab14.c;" MAKE_VERIFY, 0, "proven");
    end();
}

Test(wrong, patch_of_other_lines_around_its_change_does_not_apply)
{
    begin_make();
    assert_shell("sed -i 's/LAB_TRY(lab_stream_synchronize(/(void)(lab_stream_synchronize(/' "
                 "$root/solutions/lab14-warps/lab14.c;" MAKE_VERIFY,
                 2, "labs/lab14-warps/wrong/keeps_the_array.patch does not apply");
    end();
}

Test(wrong, answers_are_listed_with_their_headings_and_shown_by_name)
{
    begin_make();
    assert_shell(
        "cd $root && make -s lab14-wrong", 0,
        "keeps_the_array\n    Never destroys the array with the results.\n    Rejected by: nothing_is_left_behind\n");
    assert_shell("cd $root && make -s lab14-wrong NAME=keeps_the_array", 0, "\n-    LAB_TRY(lab_array_destroy(to));\n");
    assert_shell("cd $root && make -s lab14-wrong NAME=keeps_the_array", 0,
                 "\nThe whole file: build/lab14/wrong/keeps_the_array.c\n"
                 "Its verdict: make lab14 FILE=build/lab14/wrong/keeps_the_array.c\n");
    assert_shell("cd $root && make -s lab14-wrong NAME=other 2>&1", 2,
                 "lab14 has no wrong answer other: make lab14-wrong lists them.");
    end();
}

Test(wrong, answers_heading_is_as_wide_as_a_terminal)
{
    begin_make();
    assert_shell("sed -i '1s/$/ It is kept as long as the program runs, and nobody gets to know of that./' "
                 "$root/labs/lab14-warps/wrong/keeps_the_array.patch",
                 0, "");
    assert_shell("cd $root && for name in '' keeps_the_array; do make -s lab14-wrong NAME=$name; done | "
                 "awk 'length > 80 { print; wide = 1 } END { exit wide }'",
                 0, "");
    end();
}

/* Two makes at once build the same files. Neither may find a file that the other has half written. */
Test(building, file_has_its_name_when_it_is_whole)
{
    begin();
    assert_shell("cp lib/rules.mk $root && mkfifo $root/began $root/go && touch $root/one.c &&"
                 "printf 'BUILD := build\\nCC := ./compiler\\ninclude rules.mk\\n' >$root/Makefile &&"
                 "cat >$root/compiler <<'END' && chmod +x $root/compiler\n"
                 "#!/bin/bash\n"
                 "while [ $1 != -MF ]; do shift; done; : >$2\n"
                 "while [ $1 != -o ]; do shift; done\n"
                 "printf half >$2; echo >began; read -r _ <go; printf ' and whole' >>$2\n"
                 "END\n",
                 0, "");
    assert_shell("cd $root && { make -s build/obj/one.o & } && read -r _ <began; ls build/obj; echo >go; wait; cat "
                 "build/obj/one.o; ls build/obj",
                 0, "half and wholeone.d\none.o\n");
    assert_shell(
        "cd $root && { make -s -W one.c build/obj/one.o & } && read -r _ <began; cat build/obj/one.o; echo >go; wait",
        0, "half and whole");
    end();
}

/* A machine of its own: the system's programs, the needs that `machine` adds to the table, and an apt that offers
 * `tool`. */
static void begin_machine(const char *needs)
{
    text_buffer line = {0};
    begin();
    text_format(&line,
                "mkdir $root/bin && cd $root/bin && printf '#!/bin/sh\\necho 0\\n' >id &&"
                "printf '#!/bin/sh\\n[ \"$2\" = tool ] && echo \"  Candidate: 1\"\\n' >apt-cache &&"
                "printf '#!/bin/sh\\nif [ $1 = install ]; then cp %%s/id %%s/made-by-apt; fi\\n' $PWD $PWD >apt-get &&"
                "chmod +x * && echo \"NEEDS='%s'\" >>$root/lib/tools/needs.sh",
                needs);
    assert_shell(line.text, 0, "");
    free(line.text);
}
#define SETUP "cd $root && PATH=$root/bin:$PATH lib/tools/setup.sh workbook"

Test(setup, names_what_it_installed)
{
    begin_machine("labs ; thing ; old-tool|tool ; has made-by-apt ; does it");
    assert_shell(SETUP, 0, "  installed  tool              does it\n");
    assert_shell(SETUP, 0, "everything is there that is needed");
    end();
}

Test(setup, goes_on_without_what_only_the_workbooks_own_tests_need)
{
    begin_machine("labs  ; thing ; tool ; has made-by-apt ; does it\n"
                  "tests ; looks ; gone ; has nowhere     ; looks at it");
    assert_shell(SETUP, 0, "apt does not offer gone.\nNot working here, and not needed to run or grade labs: looks.");
    end();
}

Test(setup, asks_apt_only_once_for_what_it_does_not_offer)
{
    begin_machine("tests ; looks ; gone ; has nowhere ; looks at it");
    assert_shell("echo 'exit 100' >>$root/bin/apt-get; " SETUP, 1, "apt-get update failed");
    assert_shell("echo '[ $# -eq 1 ] && echo \" 500 http://there main amd64 Packages\"' >>$root/bin/apt-cache; " SETUP,
                 0,
                 "everything is there that is needed to work on the workbook itself.\n"
                 "Not working here, and not needed to run or grade labs: looks.");
    end();
}

Test(setup, stops_without_what_labs_need)
{
    begin_machine("labs ; thing ; gone ; has nowhere ; does it");
    assert_shell(SETUP, 1, "apt does not offer the package gone.");
    end();
    begin_machine("labs ; thing ; tool ; has nowhere ; does it");
    assert_shell(SETUP, 1, "Installed, but not working: thing.");
    end();
}

/* A machine whose only clang-format has this version, and changes no file. */
static void begin_formatter(const char *version)
{
    text_buffer line = {0};
    begin();
    text_format(
        &line,
        "mkdir $root/bin && cd $root/bin && for tool in bash cat dirname find grep mktemp rm sed sort; do"
        "    ln -s $(command -v $tool) . || exit; done && printf '#!/bin/sh\\necho clang-format version %s \"$@\"'"
        " >clang-format && chmod +x clang-format",
        version);
    assert_shell(line.text, 0, "");
    free(line.text);
}
#define FORMAT "cd $root && PATH=$root/bin lib/tools/format.sh"
#define LINT "cd $root && PATH=$root/bin MAKE=false lib/tools/lint.sh"

Test(format, is_that_of_one_version_of_clang_format)
{
    begin_formatter("14.0.6");
    assert_shell(FORMAT " --check", 0, "--dry-run");
    end();
    begin_formatter("19.1.7");
    assert_shell(FORMAT " --check", 1, "not run: needs clang-format 14");
    assert_shell(FORMAT, 1, "not run: needs clang-format 14");
    end();
}

Test(lint, check_that_this_machine_cannot_run_is_neither_passed_nor_failed)
{
    begin_formatter("19.1.7");
    assert_shell(LINT, 1, "  c format           not run: needs clang-format 14");
    assert_shell(LINT, 1, "\n1 not run, which is no pass: this machine cannot run them\n");
    end();
}
