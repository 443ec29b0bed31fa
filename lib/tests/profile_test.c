/* Device profiles: the library's own, and the messages for a damaged one, which name file, line and key. */
#include "test_folder.h"
#include "trace/model/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The library's own h200 profile as text, to be damaged. */
static char *own_text(void)
{
    FILE *file = fopen("lib/src/trace/model/profiles/h200.profile", "r");
    cr_assert_not_null(file, "the tests run in the repository's root");
    char *text = calloc(1, 16384);
    cr_assert_gt(fread(text, 1, 16000, file), 500);
    fclose(file);
    return text;
}

/* Asserts the message for the profile with its "htod_rate ..." line changed to `line`. */
static void expect_refusal(const char *line, const char *words)
{
    char *text = own_text(), changed[20000];
    char *at = strstr(text, "htod_rate");
    size_t line_number = 1;
    for (const char *each = text; each < at; each++) line_number += *each == '\n';
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, line, strchr(at, '\n'));
    lab_profile *profile = NULL;
    cr_assert_eq(lab_profile_parse(&profile, changed, strlen(changed), "my/own.profile"), LAB_ERROR_INVALID_VALUE, "%s",
                 line);
    char place[64];
    snprintf(place, sizeof place, "my/own.profile:%zu: ", line_number);
    bool whole = strcmp(words, "htod_rate is missing") == 0; /* reported at the end of the file */
    cr_assert(whole || strncmp(lab_error_message(), place, strlen(place)) == 0, "%s", lab_error_message());
    cr_assert_not_null(strstr(lab_error_message(), words), "%s", lab_error_message());
    free(text);
}

Test(profile, of_the_library_is_found_by_its_name)
{
    static const char *const names[] = {"h200", "laptop"};
    for (int i = 0; i < 2; i++) {
        lab_profile *profile;
        cr_assert_eq(lab_profile_open(&profile, names[i]), LAB_SUCCESS, "%s", lab_error_message());
        cr_assert_str_eq(profile->name, names[i]);
        cr_assert_gt(strlen(profile->title), 10);
        cr_assert_not_null(lab_profile_kernel(profile, "advance"));
        cr_assert_null(lab_profile_kernel(profile, "advanc"));
        lab_profile_free(profile);
    }
}

Test(profile, of_an_unknown_name_is_refused)
{
    lab_profile *profile;
    cr_assert_eq(lab_profile_open(&profile, "abacus"), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "there is no profile \"abacus\"; use h200, laptop"));
    cr_assert_null(profile);
    cr_assert_eq(lab_profile_open(&profile, "./abacus.profile"), LAB_ERROR_FILE_NOT_FOUND);
    cr_assert_eq(lab_profile_open(NULL, "h200"), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_profile_open(&profile, NULL), LAB_ERROR_INVALID_VALUE);
}

Test(profile, is_read_from_a_file_and_named_after_it)
{
    test_folder folder = test_folder_make("mine.profile");
    char *text = own_text();
    FILE *file = fopen(folder.file, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
    lab_profile *profile;
    cr_assert_eq(lab_profile_open(&profile, folder.file), LAB_SUCCESS, "%s", lab_error_message());
    cr_assert_str_eq(profile->name, "mine");
    cr_assert_float_eq(profile->htod_rate, 54.9e3, 1e-6, "bytes a microsecond");
    cr_assert_float_eq(profile->staging_bytes, 1048576, 0);
    cr_assert_float_eq(lab_profile_kernel(profile, "advance")->memory_us, 10970, 1e-9);
    lab_profile_free(profile);
    test_folder_remove(&folder);
    free(text);
}

Test(profile, refuses_a_folder_as_a_file)
{
    lab_profile *profile;
    cr_assert_neq(lab_profile_open(&profile, "./lib"), LAB_SUCCESS);
    cr_assert_null(profile);
}

Test(profile, names_the_line_and_the_key_of_a_mistake)
{
    expect_refusal("htod_speed 54 GB/s", "unknown key \"htod_speed\"");
    expect_refusal("", "htod_rate is missing");
    expect_refusal("queues 8", "queues is given twice");
    expect_refusal("htod_rate fast GB/s", "htod_rate needs a number, not \"fast\"");
    expect_refusal("htod_rate 0x10 GB/s", "htod_rate needs a number");
    expect_refusal("htod_rate inf GB/s", "htod_rate needs a number");
    expect_refusal("htod_rate -1 GB/s", "htod_rate needs a number");
    expect_refusal("htod_rate 1.2.3 GB/s", "htod_rate needs a number");
    expect_refusal("htod_rate 54", "htod_rate needs a unit: MB/s or GB/s, not \"\"");
    expect_refusal("htod_rate 54 us", "htod_rate needs a unit: MB/s or GB/s, not \"us\"");
    expect_refusal("htod_rate 0 GB/s", "htod_rate is out of range");
    expect_refusal("htod_rate 54 GB/s each", "htod_rate: \"each\" is one word too many");
    expect_refusal("title", "title needs a text");
    expect_refusal("kernel", "kernel needs a name");
    expect_refusal("kernel other 64 4 MiB 9 ms", "kernel: time with uncached memory needs a number");
    expect_refusal("computing", "computing needs a name");
    expect_refusal("computing other 9 ms", "computing: time with all threads needs a number");
    expect_refusal("computing other 9 ms 0 ms", "computing: time with all threads is out of range");
    expect_refusal("kernel other 1.5 4 MiB 9 ms 9 ms", "kernel: threads must be a whole number");
}

Test(profile, refuses_a_kernel_that_is_listed_twice_and_a_line_too_long)
{
    char *text = own_text();
    lab_profile *profile = NULL;
    strcat(text, "kernel advance 64 4 MiB 9 ms 9 ms\n");
    cr_assert_eq(lab_profile_parse(&profile, text, strlen(text), "p"), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "kernel advance is listed twice"), "%s", lab_error_message());
    char line[700];
    memset(line, ' ', sizeof line);
    cr_assert_eq(lab_profile_parse(&profile, line, sizeof line, "p"), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "p:1: the line is longer than"), "%s", lab_error_message());
    free(text);
}

Test(profile, is_refused_whole_wherever_it_is_cut)
{
    char *text = own_text();
    const size_t last = (size_t)(strstr(text, "host_function") - text);
    for (size_t length = 0; length < last; length++) {
        lab_profile *profile = NULL;
        cr_assert_eq(lab_profile_parse(&profile, text, length, "p"), LAB_ERROR_INVALID_VALUE, "%zu bytes", length);
        cr_assert_null(profile);
    }
    free(text);
}
