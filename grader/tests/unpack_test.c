/* Untrusted archives: hostile, damaged, and of kinds that are not read. */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "handed_in.h"
#include "intake/unpack.h"
#include "one_processor.h"

static void pack_hostile(struct archive *archive)
{
    pack_text(archive, "../escaped.c", "out");
    pack_text(archive, "a/../../escaped.c", "out");
    pack_text(archive, "/tmp/intake-test-escaped.c", "out");
    pack_text(archive, "good//lab03.c", "empty part");
    pack_text(archive, "\n; rm -rf \"x\"\n", "a name");
    pack_text(archive, "lab03.c", "mine");
    pack_text(archive, "lab03.c", "twice");
    pack_text(archive, "lab03.c/below", "a folder where a file is");
}

Test(unpack, archive_reaches_nothing_outside_its_folder)
{
    begin();
    put("class/readme/x", "");
    struct archive *archive = create("class/eve.tar.gz", false);
    pack_kind(archive, "link", AE_IFLNK, "/tmp");
    pack_text(archive, "link/through.c", "out");
    pack_kind(archive, "lab03.h", AE_IFLNK, "/etc/passwd");
    pack_kind(archive, "hard", AE_IFREG, "/etc/passwd");
    pack_kind(archive, "device", AE_IFCHR, NULL);
    pack_kind(archive, "pipe", AE_IFIFO, NULL);
    pack_hostile(archive);
    finish(archive);
    archive = create("class/mallory.zip", true);
    pack_hostile(archive);
    finish(archive);
    open_place("class");
    assert_file("eve", "mine");
    assert_file("mallory", "mine");
    for (int i = 0; i < 2; i++) {
        const char *file = i ? "mallory.zip" : "eve.tar.gz";
        assert_note(file, "../escaped.c in it leads out of the archive");
        assert_note(file, "a/../../escaped.c in it leads out");
        assert_note(file, "/tmp/intake-test-escaped.c in it leads out");
        assert_note(file, "lab03.c in it is left out: File exists");
    }
    assert_note("eve.tar.gz", "link in it is a link");
    assert_note("eve.tar.gz", "lab03.h in it is a link");
    assert_note("eve.tar.gz", "hard in it is a link");
    assert_note("eve.tar.gz", "device in it is no regular file");
    assert_note("eve.tar.gz", "pipe in it is no regular file");
    cr_assert_eq(count_files(find("eve")->folder), 3, "lab03.c, link/through.c and the odd name");
    cr_assert_eq(count_files(find("mallory")->folder), 2, "lab03.c and the odd name");
    cr_assert_neq(access("/tmp/intake-test-escaped.c", F_OK), 0);
    char *escaped = folder_path(place, "escaped.c");
    cr_assert_neq(access(escaped, F_OK), 0);
    free(escaped);
    end();
}

Test(unpack, bomb_is_given_up_at_the_bound)
{
    begin();
    put("class/readme/x", "");
    size_t bytes = 4 << 20;
    char *zeros = calloc(1, bytes);
    struct archive *archive = create("class/bomb.zip", true);
    pack_text(archive, "lab03.c", "mine");
    for (int i = 0; i < 40; i++) {
        char name[32];
        snprintf(name, sizeof name, "zero%d.c", i);
        pack(archive, name, zeros, bytes);
    }
    finish(archive);
    archive = create("class/many.tar.gz", false);
    for (int i = 0; i < 20100; i++) {
        char name[32];
        snprintf(name, sizeof name, "f%d", i);
        pack_text(archive, name, "");
    }
    finish(archive);
    open_place("class");
    assert_refused("bomb", "bomb.zip could not be read whole: hand in the lab's file alone");
    assert_note("bomb.zip", "holds more than a class needs: the rest of it is left out");
    assert_note("many.tar.gz", "holds more files than a class needs");
    cr_assert_leq(count_files(find("many")->folder), 20000);
    free(zeros);
    end();
}

Test(unpack, large_file_of_an_archive_stays_too_large)
{
    begin();
    put("class/readme/x", "");
    size_t bytes = (1 << 20) + 5000;
    char *zeros = calloc(1, bytes);
    struct archive *archive = create("class/ada.zip", true);
    pack(archive, "lab03.c", zeros, bytes);
    finish(archive);
    open_place("class");
    struct stat status;
    submission_file found = find_file("ada");
    cr_assert_eq(stat(found.path, &status), 0);
    cr_assert_eq(status.st_size, (1 << 20) + 1, "%lld", (long long)status.st_size);
    submissions_file_free(&found);
    free(zeros);
    end();
}

Test(unpack, damaged_archive_is_listed_with_the_reason)
{
    begin();
    put("class/ada/lab03.c", "ada's");
    put("class/eve.zip", "this is no archive");
    put("class/nil.tar.gz", "");
    open_place("class");
    cr_assert_eq(taken.list.count, 3u);
    assert_file("ada", "ada's");
    assert_note("eve.zip", "cannot be read as an archive");
    assert_refused("eve", "eve.zip could not be read whole: hand in the lab's file alone");
    end();
}

Test(unpack, reason_for_a_missing_file_reaches_the_student_too)
{
    begin();
    put("class/ada/lab03.c", "ada's");
    put("class/eve.zip", "this is no archive");
    put("class/mallory.7z", "7z");
    put("class/grace/work.RAR", "Rar!");
    open_place("class");
    static const char *const known[][2] = {
        {"eve", "eve.zip: cannot be read as an archive: Unrecognized archive format"},
        {"mallory", "mallory.7z: is an archive of a kind that is not read: .zip, .tar and .tar.gz are"},
        {"grace", "work.RAR is an archive of a kind that is not read: .zip, .tar and .tar.gz are"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        cr_assert_str_eq(find(known[i][0])->why, known[i][1], "%s", find(known[i][0])->why);
    cr_assert_null(find("ada")->why);
    end();
}

Test(unpack, half_a_file_of_a_damaged_archive_is_left_out)
{
    begin();
    put("class/readme/x", "");
    char text[4000];
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)('a' + i * i % 23);
    struct archive *archive = create("class/eve.zip", true);
    pack(archive, "src/lab03.c", text, sizeof text);
    finish(archive);
    char *path = folder_path(place, "class/eve.zip");
    cr_assert_eq(truncate(path, 80), 0);
    open_place("class");
    cr_assert_str_eq(find("eve")->why, "eve.zip: src/lab03.c in it is damaged: left out", "%s", find("eve")->why);
    cr_assert_eq(count_files(find("eve")->folder), 0);
    free(path);
    end();
}

/* ---- the process that reads archives ----------------------------------------------------------------------------- */

#define READY "\\0\\0\\0\\0\\0\\0\\0\\0"
#define END "\\11\\0\\0\\0\\0\\0\\0\\0"
#define FILE_LAB03 "\\1\\0\\0\\0\\7\\0\\0\\0lab03.c"

/* Unpacks ada.zip with a script in labunpack's place, as if the archive had taken it over. */
static intake_notes unpack_by(const char *script, const sandbox *box)
{
    intake_notes notes = {0};
    const unpack_limits limits = {.entries = 8, .bytes = 1 << 20, .file_bytes = 1 << 20, .seconds = 2};
    char *program = folder_path(place, "program"), *out = folder_path(place, "out");
    char *archive = folder_path(place, "ada.zip");
    const unpack_reader reader = {.program = program, .box = box};
    bool cut = false;
    put("program", script);
    put("secret", "42");
    put("ada.zip", "");
    put("out/empty", "");
    cr_assert_eq(chmod(program, 0700), 0);
    cr_assert(unpack_archive(&reader, archive, "ada.zip", out, &limits, &notes, &cut, &fault), "%s", fault.text);
    free(program);
    free(out);
    free(archive);
    return notes;
}

static void assert_stopped(const char *script)
{
    begin();
    intake_notes notes = unpack_by(script, NULL);
    cr_assert_eq(notes.count, 1u);
    cr_assert_str_eq(notes.note[0].reason,
                     "takes more time or memory to unpack than it may: the rest of it is left out");
    intake_notes_free(&notes);
    end();
}

Test(unpack, archive_that_takes_too_long_is_given_up)
{
    assert_stopped("#!/bin/sh\nprintf '" READY "' >&4; sleep 100");
}

/* Half a second's work, with a limit of two seconds, and an eighth of a processor. */
Test(unpack, archive_whose_reader_others_slow_down_is_taken)
{
    pid_t loop[LOOPS];
    begin();
    share_a_processor(loop);
    const double started = clock_seconds();
    intake_notes notes = unpack_by("#!/usr/bin/python3 -S\nimport os, time\nos.write(4, b'" READY "')\n"
                                   "while time.process_time() < 0.5: pass\nos.write(4, b'" END "')\n",
                                   NULL);
    end_loops(loop);
    cr_assert_eq(notes.count, 0u, "%s", notes.note[0].reason);
    cr_assert_gt(clock_seconds() - started, 2, "nothing was added to the limit");
    intake_notes_free(&notes);
    end();
}

Test(unpack, archive_that_takes_much_memory_is_given_up)
{
    assert_stopped("#!/bin/sh\nprintf '" READY "' >&4; x=x\n"
                   "while [ ${#x} -lt 300000000 ]; do x=$x$x; done; printf '" END "' >&4");
}

Test(unpack, frames_that_no_archive_has_are_given_up)
{
    begin();
    intake_notes notes = unpack_by("#!/bin/sh\nprintf '" READY "\\77\\0\\0\\0\\0\\0\\0\\0' >&4", NULL);
    cr_assert_eq(notes.count, 1u);
    cr_assert_str_eq(notes.note[0].reason, "cannot be read as an archive: what reads it was misled");
    intake_notes_free(&notes);
    end();
}

/* No name is wrong here: nothing can be made in this folder of the kernel's. */
Test(unpack, file_that_this_machine_cannot_make_is_a_fault_of_the_grader)
{
    const char frames[] = "\0\0\0\0\0\0\0\0\1\0\0\0\7\0\0\0lab03.c\11\0\0\0\0\0\0\0";
    const unpack_limits limits = {.entries = 8, .bytes = 1 << 20, .file_bytes = 1 << 20, .seconds = 10};
    intake_notes notes = {0};
    bool cut = false;
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(write(ends[1], frames, sizeof frames - 1), (ssize_t)sizeof frames - 1);
    close(ends[1]);
    cr_assert_not(unpack_frames(ends[0], "ada.zip", "/proc/self/task", &limits, &notes, &cut, &fault));
    cr_assert_str_eq(fault.text, "cannot unpack ada.zip: No such file or directory", "%s", fault.text);
    close(ends[0]);
    intake_notes_free(&notes);
}

Test(unpack, archive_is_read_in_the_sandbox)
{
    sandbox box;
    const sandbox_options options = {.memory_bytes = 256 << 20};
    if (!sandbox_open(&box, &options, &fault)) {
        fprintf(stderr, "not run: no sandbox: %s\n", fault.text);
#ifndef LAB_PLAIN_TESTS
        cr_skip_test("no sandbox");
#endif
        return;
    }
    begin();
    char *out = folder_path(place, "out/lab03.c"), *text;
    size_t bytes;
    intake_notes notes = unpack_by("#!/bin/sh\ncd \"${0%/*}\"; printf '" READY FILE_LAB03 "' >&4\n"
                                   "[ -e secret ] || [ -e /proc/self ] || touch \"$0\" || "
                                   "printf '\\6\\0\\0\\0\\4\\0\\0\\0kept' >&4",
                                   &box);
    cr_assert_eq(folder_read(&text, &bytes, out, 64, &fault), FOLDER_FILE);
    cr_assert_str_eq(text, "kept");
    free(text);
    free(out);
    intake_notes_free(&notes);
    sandbox_close(&box);
    end();
}
