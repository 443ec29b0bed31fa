/* The file that is probably the lab's is text that looks like C, and only such a file can be accepted for it. */
#include "test.h"

#include <string.h>

#include "course/accept.h"
#include "course/attempts.h"
#include "handed_in.h"

static void put_bytes(const char *name, const char *bytes, size_t count)
{
    char *path = folder_path(place, name);
    put(name, "");
    cr_assert(folder_write(path, bytes, count, &fault), "%s", fault.text);
    free(path);
}

static submission_file look_at(const char *student)
{
    static char starter[] = "#include \"lab03.h\"\n\nlab_status lab03_run(const lab03_work *work)\n{\n}\n";
    const intake_wanted known = {.file = "lab03.c", .starter = starter};
    submission_file found;
    cr_assert(intake_find(&found, find(student), &known, &fault), "%s", fault.text);
    return found;
}

Test(likely, documents_archives_and_pages_are_never_the_labs_file)
{
    static const char *const names[] = {"lab03.pdf", "lab03.docx", "lab03.rar", "lab03.7z", "lab03.gz",
                                        "lab03.o",   "lab03.h",    "lab03.txt", "lab03",    "lab03.html"};
    char folder[64];
    begin();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(folder, sizeof folder, "class/s%zu/%s", i, names[i]);
        put(folder, "anything");
    }
    put_bytes("class/binary/main.c", "int a;\0", 7);
    put("class/page/main.c", "<!DOCTYPE html>\n#include \"lab03.h\"");
    open_place("class");
    for (size_t i = 0; i < taken.list.count; i++) {
        submission_file found = look_at(taken.list.entry[i].name);
        cr_assert_null(found.likely, "%s: %s", taken.list.entry[i].name, found.likely);
        submissions_file_free(&found);
    }
    end();
}

Test(likely, of_several_only_one_that_is_clearly_better_is_proposed)
{
    const char line[] = "#include \"lab03.h\"\nlab_status lab03_run(const lab03_work *work)\n";
    begin();
    put("class/ada/a.c", line);
    put("class/ada/b.c", "lab_status lab03_run(const lab03_work *work)\n#include \"lab03.h\" // mine\n");
    put("class/ada/readme.txt", "nothing");
    put("class/kay/a.c", line);
    put("class/kay/b.c", "#include \"lab03.h\"\n");
    put("class/joe/lab03.txt", line);
    put("class/joe/lab03.pdf", "more");
    open_place("class");
    submission_file found = look_at("ada");
    cr_assert_null(found.likely, "%s", found.likely);
    cr_assert_str_eq(found.note, "2 files with other names could be lab03.c: a.c, b.c");
    submissions_file_free(&found);
    found = look_at("kay");
    cr_assert_str_eq(found.likely, "a.c");
    submissions_file_free(&found);
    found = look_at("joe");
    cr_assert_str_eq(found.likely, "lab03.txt");
    submissions_file_free(&found);
    end();
}

Test(likely, what_cannot_be_c_is_not_accepted)
{
    acceptances accepted = {0};
    begin();
    put("class/ada/lab03.rar", "Rar!");
    put_bytes("class/kay/lab03.o",
              "\x7f"
              "ELF\0\0",
              6);
    put("class/joe/mine.c", "int a;");
    put("accept.csv", "submission,file\nada,lab03.rar\nkay,lab03.o\njoe,mine.c\n");
    char *path = folder_path(place, "accept.csv");
    cr_assert(accept_read(&accepted, path, &fault), "%s", fault.text);
    open_place("class");
    cr_assert(accept_files(&taken, &accepted, &fault) && attempts_number(&taken, &wanted, &fault), "%s", fault.text);
    assert_note("ada", "the instructor accepted lab03.rar for lab03.c, but that is an archive, not C");
    assert_note("kay", "the instructor accepted lab03.o for lab03.c, but that is a binary file, not C");
    cr_assert_null(find("kay")->found.path);
    assert_file("joe", "int a;");
    accept_free(&accepted);
    free(path);
    end();
}

Test(likely, two_files_that_canvas_numbers_apart_are_both_told)
{
    begin();
    put("class/adalovelace_17_205_handin.c", "int a;");
    put("class/adalovelace_17_206_report.txt", "words");
    put("class/hoppergrace_18_207_words.txt", "words");
    put("class/hoppergrace_18_208_more.txt", "words");
    put("class/mcnultykay_19_209_lab03.c", "kay's");
    put("class/mcnultykay_19_210_report.txt", "words");
    open_place("class");
    cr_assert(attempts_number(&taken, &wanted, &fault), "%s", fault.text);
    const submission *ada = find("adalovelace");
    cr_assert_str_eq(ada->found.likely, "handin.c");
    cr_assert_eq(ada->attempts, 1);
    cr_assert_str_eq(ada->why, "other attempts hold: report.txt");
    assert_note("adalovelace", "no attempt has lab03.c; other attempts hold: report.txt");
    assert_note("adalovelace", "is left out: another one has what may be it; this one holds: report.txt");
    assert_note("hoppergrace", "no attempt has lab03.c; other attempts hold: words.txt");
    cr_assert_eq(find("hoppergrace")->attempts, 2);
    assert_file("mcnultykay", "kay's");
    assert_note("mcnultykay", "an attempt without lab03.c is left out: another one has it; this one holds: report.txt");
    end();
}
