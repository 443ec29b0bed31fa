/* bubblewrap's arguments on a machine with a GPU, which a tree of files imitates, and the proof that a kernel runs. */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "sandbox/sandbox_cuda.h"
#include "sandbox/sandbox_cuda_proof.h"
#include "base/text.h"

static const char *const system_folders[] = {"/usr", "/lib", NULL};

static char *place;

/* Makes a file below `place`, with the folders above it. */
static char *make_file(const char *path, const char *text, mode_t mode)
{
    grader_fault fault;
    if (!place) cr_assert(folder_make_private(&place, "sandbox-cuda-test", &fault), "%s", fault.text);
    char *whole = folder_path(place, path), *folder = strdup(whole);
    *strrchr(folder, '/') = '\0';
    cr_assert(folder_make(folder, &fault) && folder_write(whole, text, strlen(text), &fault), "%s", fault.text);
    cr_assert_eq(chmod(whole, mode), 0);
    free(folder);
    return whole;
}

static void make_devices(void)
{
    static const char *const devices[] = {"dev/nvidiactl",
                                          "dev/nvidia0",
                                          "dev/nvidia1",
                                          "dev/nvidia-uvm",
                                          "dev/nvidia-uvm-tools",
                                          "dev/nvidia-caps/nvidia-cap1",
                                          "dev/sda",
                                          "dev/mem"};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) free(make_file(devices[i], "", 0666));
}

static void end(char **words)
{
    word_list_free(words);
    folder_remove(place);
    free(place);
    place = NULL;
}

/* Whether the words have these three in a row. A second one that begins with "@" is below `place`. */
static bool has(char *const *words, const char *option, const char *source, const char *destination)
{
    text_buffer whole = {0};
    text_format(&whole, "%s%s", source[0] == '@' ? place : "", source[0] == '@' ? source + 1 : source);
    bool found = false;
    for (size_t i = 0; words[i] && words[i + 1] && words[i + 2]; i++) {
        found = found || (strcmp(words[i], option) == 0 && strcmp(words[i + 1], whole.text) == 0 &&
                          strcmp(words[i + 2], destination) == 0);
    }
    free(whole.text);
    return found;
}

static bool names(char *const *words, const char *path)
{
    bool found = false;
    for (; *words; words++) found = found || strcmp(*words, path) == 0;
    return found;
}

static char **see(void)
{
    word_list words = {0};
    sandbox_cuda_see(&words, place, system_folders);
    return word_list_take(&words);
}

/* ---- what is seen ------------------------------------------------------------------------------------------------ */

Test(sandbox_cuda, device_files_of_the_driver_are_passed_and_no_others)
{
    make_devices();
    char **words = see();
    static const char *const passed[] = {"/dev/nvidiactl",  "/dev/nvidia0",          "/dev/nvidia1",
                                         "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia-caps"};
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        char source[64];
        snprintf(source, sizeof source, "@%s", passed[i]);
        cr_assert(has(words, "--dev-bind", source, passed[i]), "%s", passed[i]);
    }
    cr_assert_not(names(words, "/dev/sda") || names(words, "/dev/mem"));
    end(words);
}

Test(sandbox_cuda, what_the_driver_reads_is_seen_read_only)
{
    make_devices();
    char **words = see();
    cr_assert(has(words, "--ro-bind", "/sys", "/sys"));
    cr_assert(has(words, "--ro-bind-try", "/proc/driver/nvidia", "/proc/driver/nvidia"));
    for (char **word = words; *word; word++) {
        cr_assert(strcmp(*word, "--bind") != 0 && strcmp(*word, "--bind-try") != 0, "%s is writable", word[1]);
    }
    end(words);
}

Test(sandbox_cuda, toolkit_outside_the_system_folders_is_seen)
{
    char *library = make_file("toolkit/real/libnvrtc.so.13", "", 0644), *link;
    char *header = make_file("toolkit/cuda/include/cuda.h", "", 0644), *toolkit = folder_path(place, "toolkit/cuda");
    char *real = folder_path(place, "toolkit/real");
    link = folder_path(toolkit, "lib64");
    cr_assert_eq(symlink(real, link), 0);
    setenv("CUDA_PATH", toolkit, 1);
    unsetenv("CUDA_HOME");
    char **words = see();
    cr_assert(has(words, "--ro-bind", toolkit, toolkit));
    cr_assert(has(words, "--ro-bind", real, real), "where a link of the toolkit leads");
    word_list_free(words);
    setenv("CUDA_PATH", "/usr", 1);
    words = see();
    cr_assert_not(has(words, "--ro-bind", "/usr", "/usr"), "it is seen anyway");
    word_list_free(words);
    setenv("CUDA_PATH", "/", 1);
    words = see();
    cr_assert_not(has(words, "--ro-bind", "/", "/"), "the whole machine");
    char *made[] = {library, header, toolkit, real, link};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) free(made[i]);
    end(words);
}

Test(sandbox_cuda, settings_of_the_kernel_stay_closed)
{
    word_list words = {0};
    make_devices();
    sandbox_cuda_close_proc(&words);
    char **list = word_list_take(&words);
    cr_assert(has(list, "--ro-bind-try", "/proc/sys", "/proc/sys"));
    cr_assert(has(list, "--ro-bind-try", "/proc/irq", "/proc/irq"));
    cr_assert_not(names(list, "/proc"), "the driver names its threads there");
    end(list);
}

/* ---- in a sandbox ------------------------------------------------------------------------------------------------ */

/* Opens a sandbox for the tree; false, with a message, where none can be opened. */
static bool open_box(sandbox *box)
{
    grader_fault fault;
    make_devices();
    const sandbox_options options = {.cuda = true, .root = place};
    if (sandbox_open(box, &options, &fault)) return true;
    fprintf(stderr, "not run: %s\n", fault.text);
#ifndef LAB_PLAIN_TESTS
    cr_skip_test("there is no sandbox");
#endif
    return false;
}

Test(sandbox_cuda, device_files_are_there_in_the_sandbox_and_settings_are_closed)
{
    sandbox box;
    grader_fault fault;
    if (!open_box(&box)) return;
    char *tool = make_file("labdevice",
                           "#!/bin/sh\n"
                           "for file in nvidiactl nvidia0 nvidia-uvm nvidia-caps/nvidia-cap1; do\n"
                           "  [ -e /dev/$file ] || { echo no $file; exit 1; }\n"
                           "done\n"
                           "[ -e /dev/sda ] && { echo sda; exit 1; }\n"
                           "touch /sys/x /proc/sys/x 2>/dev/null && exit 1\n"
                           "echo name > /proc/self/comm && mkdir -p \"$HOME/.nv/ComputeCache\"\n",
                           0755);
    cr_assert(sandbox_cuda_prove(&box, tool, &fault), "%s", fault.text);
    cr_assert_not_null(strstr(box.description, "GPU: passed through"), "%s", box.description);
    free(tool);
    sandbox_close(&box);
    end(NULL);
}

Test(sandbox_cuda, sandbox_that_hides_the_gpu_grades_nothing_and_says_what_was_found)
{
    sandbox box;
    grader_fault fault;
    if (!open_box(&box)) return;
    char *tool = make_file("labdevice", "#!/bin/sh\necho 'PROBLEM|GPU||no device'; exit 1\n", 0755);
    cr_assert_not(sandbox_cuda_prove(&box, tool, &fault));
    cr_assert_not_null(strstr(fault.text, "no kernel runs on a GPU in the sandbox"), "%s", fault.text);
    cr_assert_not_null(strstr(fault.text, "PROBLEM|GPU||no device"), "%s", fault.text);
    cr_assert_not(sandbox_cuda_prove(&box, "/nowhere/labdevice", &fault));
    free(tool);
    sandbox_close(&box);
    end(NULL);
}

/* Without a control group each process has a limit of its own, unless the driver does not run under it. */
Test(sandbox_cuda, limit_that_breaks_the_driver_is_omitted_and_reported)
{
    sandbox box;
    grader_fault fault;
    if (!open_box(&box)) return;
    char *bears = make_file("bears", "#!/bin/sh\n[ \"$(ulimit -d)\" != unlimited ]\n", 0755);
    char *does_not = make_file(
        "does_not", "#!/bin/sh\n[ \"$(ulimit -d)\" = unlimited ] && [ \"$(ulimit -v)\" = unlimited ]\n", 0755);
    control_group_places_free(&box.groups);
    cr_assert(sandbox_describe(&box, &fault) && sandbox_cuda_prove(&box, bears, &fault), "%s", fault.text);
    cr_assert_not_null(strstr(box.description, "of data a process"), "%s", box.description);
    cr_assert(sandbox_cuda_prove(&box, does_not, &fault), "%s", fault.text);
    cr_assert_not_null(strstr(box.description, "memory: not limited"), "%s", box.description);
    free(bears);
    free(does_not);
    sandbox_close(&box);
    end(NULL);
}
