/* The folder of submissions, and the class's file. */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "class/class_file.h"
#include "base/folder.h"
#include "intake/intake.h"
#include "judge/source_file.h"
#include "prove/verify.h"

static char *folder;

static void begin(void)
{
    grader_fault fault;
    cr_assert(folder_make_private(&folder, "submissions-test", &fault), "%s", fault.text);
}

static void end(void)
{
    folder_remove(folder);
    free(folder);
}

static void add_folder(const char *name)
{
    char *path = folder_path(folder, name);
    cr_assert_eq(mkdir(path, 0700), 0, "%s", path);
    free(path);
}

static intake taken;

static void take_in(const char *out)
{
    grader_fault fault;
    cr_assert(intake_open(&taken, folder, out, NULL, &fault), "%s", fault.text);
}

Test(submissions, are_in_order_of_name_whatever_it_is)
{
    begin();
    static const char *const names[] = {" ", "\"quoted\"", "-rf", "Ada Lovelace", "line\nbreak", "z\xFF"};
    enum { COUNT = sizeof names / sizeof *names };
    for (int i = COUNT - 1; i >= 0; i--) add_folder(names[i]);
    take_in("/nowhere");
    cr_assert_eq(taken.list.count, (size_t)COUNT);
    for (int i = 0; i < COUNT; i++) {
        cr_assert_str_eq(taken.list.entry[i].name, names[i]);
        for (int k = 0; k < i; k++) cr_assert_str_neq(taken.list.entry[i].safe, taken.list.entry[k].safe);
    }
    intake_close(&taken);
    end();
}

Test(submissions, that_differ_in_case_only_get_different_safe_names)
{
    begin();
    add_folder("ada");
    add_folder("Ada");
    take_in("/nowhere");
    cr_assert_str_eq(taken.list.entry[0].safe, "Ada");
    cr_assert_str_eq(taken.list.entry[1].safe, "ada-2");
    intake_close(&taken);
    end();
}

Test(submissions, are_neither_links_nor_hidden_nor_litter_nor_the_folder_of_results)
{
    begin();
    char *link = folder_path(folder, "link"), *out = folder_path(folder, "out");
    cr_assert_eq(symlink("/", link), 0);
    add_folder("out");
    add_folder("ada");
    add_folder(".git");
    add_folder("__MACOSX");
    take_in(out);
    cr_assert_eq(taken.list.count, 1u);
    cr_assert_str_eq(taken.list.entry[0].name, "ada");
    cr_assert_eq(taken.notes.count, 1u, "the link is reported");
    intake_close(&taken);
    free(link);
    free(out);
    end();
}

/* One submission that another user unpacked must not stop the rest of the class. */
Test(submissions, file_that_may_not_be_read_is_refused_with_the_reason)
{
    begin();
    enum { NOBODY = 65534 };
    grader_fault fault;
    source_file file;
    char *path = folder_path(folder, "lab03.c");
    cr_assert(folder_write(path, "a", 1, &fault), "%s", fault.text);
    cr_assert_eq(chmod(path, 0) | chmod(folder, 0711), 0);
    bool root = geteuid() == 0;
    if (root) cr_assert_eq(seteuid(NOBODY), 0);
    cr_assert(source_file_read(&file, path, "lab03.c", &fault), "%s", fault.text);
    if (root) cr_assert_eq(seteuid(0), 0);
    cr_assert_not_null(strstr(file.refusal, "lab03.c cannot be read: its permissions forbid it"), "%s", file.refusal);
    source_file_free(&file);
    free(path);
    end();
}

/* What a browser saves in place of lab03.c, and what only looks like it. */
Test(submissions, web_page_in_place_of_the_file_is_called_that)
{
    static const char *const pages[] = {"\n\n\n<!DOCTYPE html>\n<html lang=\"en\">\n", "\xEF\xBB\xBF<html>",
                                        "<?xml version=\"1.0\"?><!DOCTYPE html>", "<HEAD><title>lab03.c</title>"};
    static const char *const files[] = {"/* <!DOCTYPE html> */\nint x;\n", "<htm", "#include <html.h>\n"};
    begin();
    grader_fault fault;
    source_file file;
    char *path = folder_path(folder, "lab03.c");
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        cr_assert(folder_write(path, pages[i], strlen(pages[i]), &fault), "%s", fault.text);
        cr_assert(source_file_read(&file, path, "lab03.c", &fault), "%s", fault.text);
        cr_assert(file.refusal && strstr(file.refusal, "lab03.c is a web page (HTML), not C"), "%s", pages[i]);
        source_file_free(&file);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        cr_assert(folder_write(path, files[i], strlen(files[i]), &fault), "%s", fault.text);
        cr_assert(source_file_read(&file, path, "lab03.c", &fault), "%s", fault.text);
        cr_assert_null(file.refusal, "%s", files[i]);
        source_file_free(&file);
    }
    free(path);
    end();
}

/* What is saved under the name of a C file, and what a compiler takes in spite of an odd byte. */
Test(submissions, file_that_is_no_text_is_called_that)
{
    static const struct sample {
        const char *bytes;
        size_t count;
        const char *said; /* NULL for a file that is graded */
    } samples[] = {
        {"\xFF\xFEi\0n\0t\0 \0x\0;\0\n\0", 16, "lab03.c is not plain text but UTF-16: save it as UTF-8"},
        {"i\0n\0t\0 \0x\0;\0\n\0", 14, "lab03.c is not plain text but UTF-16: save it as UTF-8"},
        {"\0i\0n\0t\0 \0x\0;\0\n", 14, "lab03.c is not plain text but UTF-16: save it as UTF-8"},
        {"{\\rtf1\\ansi int x;}", 19, "lab03.c is not plain text but a document of a word processor (RTF)"},
        {"%PDF-1.7\n", 9, "lab03.c is not plain text but a PDF"},
        {"PK\3\4\24\0\10\0\10\0 word/document.xml", 28, "lab03.c is not plain text but other bytes"},
        {"\177ELF\2\1\1\0some of a program", 23, "lab03.c is not plain text but other bytes"},
        {"\0\0\0\0\0\0\0\0\0\0", 10, "lab03.c is not plain text but other bytes"},
        {"int x; /* \xe9\xf6 */\r\n\f\tint y;\n", 27, NULL},
        {"/* a null in a comment of some length: \0 */\nint x; /* and more that is text */\n", 78, NULL},
    };
    begin();
    grader_fault fault;
    char *path = folder_path(folder, "lab03.c");
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        source_file file;
        cr_assert(folder_write(path, samples[i].bytes, samples[i].count, &fault), "%s", fault.text);
        cr_assert(source_file_read(&file, path, "lab03.c", &fault), "%s", fault.text);
        if (samples[i].said)
            cr_assert(file.refusal && strstr(file.refusal, samples[i].said), "%zu: %s", i,
                      file.refusal ? file.refusal : "graded");
        else
            cr_assert_null(file.refusal, "%zu: %s", i, file.refusal);
        source_file_free(&file);
    }
    free(path);
    end();
}

static grading_result empty_result(const char *name)
{
    grading_result result = {.submission = strdup(name)};
    result.checks = json_array();
    result.timings = json_array();
    result.ratios = json_array();
    return result;
}

Test(class_file, appears_whole_with_all_results)
{
    begin();
    grader_fault fault = {0};
    char *path = folder_path(folder, "results.json"), name[] = "lab03", title[] = "a title";
    const lab_parts parts = {.name = name, .title = title};
    class_file *file;
    cr_assert(class_file_begin(&file, path, &parts, "sub\xFFmissions", "none", NULL, &fault), "%s", fault.text);
    static const char *const names[] = {"ada", "grace"};
    for (int i = 0; i < 2; i++) {
        grading_result result = empty_result(names[i]);
        json_t *json_of_result = result_json(&result);
        cr_assert(class_file_add(file, json_of_result, &fault), "%s", fault.text);
        json_decref(json_of_result);
        result_free(&result);
    }
    cr_assert_neq(access(path, F_OK), 0, "the file appears only when it is whole");
    cr_assert(class_file_finish(file, 1.5, &fault), "%s", fault.text);

    json_t *json = json_load_file(path, 0, NULL);
    cr_assert_str_eq(result_string(json, "schema"), "lab-class/1");
    cr_assert_eq(json_array_size(json_object_get(json, "submissions")), 2u);
    cr_assert_str_eq(result_string(json, "folder"), "sub\xEF\xBF\xBDmissions");
    json_decref(json);
    free(path);
    end();
}

Test(verify, named_check_is_the_word_after_the_phrase)
{
    char *named = verify_named_check("/* One stream for all. Rejected by: copies_overlap_kernels, because */");
    cr_assert_str_eq(named, "copies_overlap_kernels");
    free(named);
    cr_assert_null(verify_named_check("/* nothing */"));
    cr_assert_null(verify_named_check("/* Rejected by: */"));
}
