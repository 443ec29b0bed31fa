/* Device profiles: the library's own, and the messages for a damaged one, which name file, line and key. */
#include "test_folder.h"
#include "trace/model/profile.h"

#include <glob.h>
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

/* What a file holds, to be freed. */
static char *text_of(const char *path)
{
    char *text = calloc(1, 1 << 16);
    FILE *file = fopen(path, "r");
    cr_assert(text && file, "the tests run in the repository's root: %s", path);
    cr_assert_gt(fread(text, 1, (1 << 16) - 1, file), 0);
    fclose(file);
    return text;
}

/* One set: the library, its message for an unknown name, and the playground have every profile of the folder. */
Test(profile, of_the_library_is_found_by_its_name_everywhere)
{
    glob_t found;
    lab_profile *profile;
    cr_assert_eq(glob("lib/src/trace/model/profiles/*.profile", 0, NULL, &found), 0);
    char *page = text_of("slides/playground/page.html"), message[512];
    cr_assert_eq(lab_profile_open(&profile, "abacus"), LAB_ERROR_INVALID_VALUE);
    snprintf(message, sizeof message, "%s", lab_error_message());
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char name[64], option[96];
        snprintf(name, sizeof name, "%s", strrchr(found.gl_pathv[i], '/') + 1);
        *strrchr(name, '.') = '\0';
        cr_assert_eq(lab_profile_open(&profile, name), LAB_SUCCESS, "%s", lab_error_message());
        cr_assert_str_eq(profile->name, name);
        cr_assert_gt(strlen(profile->title), 10);
        cr_assert_not_null(lab_profile_kernel(profile, "advance"));
        cr_assert_null(lab_profile_kernel(profile, "advanc"));
        lab_profile_free(profile);
        cr_assert_not_null(strstr(message, name), "%s", message);
        snprintf(option, sizeof option, "<option value=\"%s\">", name);
        cr_assert_not_null(strstr(page, option), "the playground does not offer %s", name);
    }
    free(page);
    globfree(&found);
}

/* A profile that labprofile measured on the CPU device. Figures of a busy machine prove nothing: only that each is
 * there, and that the model takes them. */
Test(profile, is_measured_whole_on_the_device)
{
    test_folder folder = test_folder_make("name");
    const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
    char command[4096], path[4096] = "";
    snprintf(command, sizeof command,
             "LAB_DEVICE=cpu '%s/bin/labprofile' '%s' labs/lab03-concurrency/kernels.cu --brief", build, folder.path);
    FILE *program = popen(command, "r");
    cr_assert_not_null(program);
    cr_assert_not_null(fgets(path, sizeof path, program));
    cr_assert_eq(pclose(program), 0, "%s", command);
    path[strcspn(path, "\n")] = '\0';
    lab_profile *profile;
    cr_assert_eq(lab_profile_open(&profile, path), LAB_SUCCESS, "%s", lab_error_message());
    lab_device_info info;
    cr_assert_eq(lab_device_get_info(&info, 0), LAB_SUCCESS);
    cr_assert_eq(strncmp(profile->title, info.name, strlen(info.name)), 0, "%s", profile->title);
    cr_assert_float_eq(profile->multiprocessors, info.multiprocessors, 0);
    static const char *const kernels[] = {"advance", "nothing", "work2k", "work20k"};
    for (int i = 0; i < 4; i++) cr_assert_not_null(lab_profile_kernel(profile, kernels[i]), "%s", kernels[i]);
    lab_profile_free(profile);
    cr_assert_eq(remove(path), 0);
    test_folder_remove(&folder);
}

Test(profile, of_an_unknown_name_is_refused)
{
    lab_profile *profile;
    cr_assert_eq(lab_profile_open(&profile, "abacus"), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(
        strstr(lab_error_message(), "there is no profile \"abacus\"; use h200, laptop, or the path of a file"));
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
