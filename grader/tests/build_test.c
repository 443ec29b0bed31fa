/* From a student's file to a program: what the build hides, forbids, and takes from the object. */
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/text.h"
#include "judge/build.h"
#include "sandbox_fixture.h"
#include "source/changed_lines.h"
#include "toy.h"

static const build_wants everything = {.sanitized = true, .texts = true};

/* A file that was built, and where. */
typedef struct built {
    build_outcome outcome;
    char *folder;
} built;

/* Builds a lab's file of this text, in a sandbox if `box` is not NULL. */
static built build(const lab_parts_places *places, const sandbox *box, const char *text)
{
    lab_parts parts;
    grader_fault fault;
    built made;
    cr_assert(lab_parts_open(&parts, places, &fault), "%s (make builds the labs before the tests)", fault.text);
    cr_assert(folder_make_private(&made.folder, "build-test", &fault), "%s", fault.text);
    char *path = folder_path(made.folder, parts.file);
    cr_assert(folder_write(path, text, strlen(text), &fault), "%s", fault.text);
    cr_assert(build_program(&made.outcome, &parts, box, made.folder, everything, &fault), "%s", fault.text);
    lab_parts_close(&parts);
    free(path);
    return made;
}

static void release(built *made)
{
    build_free(&made->outcome);
    folder_remove(made->folder);
    free(made->folder);
}

/* A file-size limit simulates a quota that is used up, and a script the compiler that meets it. */
Test(build, quota_that_is_used_up_is_a_fault_of_the_grader)
{
    const lab_parts_places places = {.root = ".", .build = toy_build(), .name = "toylab", .folder = TOY_FOLDER};
    struct rlimit limit = {1, RLIM_INFINITY};
    lab_parts parts;
    grader_fault fault;
    build_outcome outcome;
    char *folder;
    cr_assert(lab_parts_open(&parts, &places, &fault), "%s", fault.text);
    cr_assert(folder_make_private(&folder, "build-test", &fault), "%s", fault.text);
    free(parts.compiler);
    parts.compiler = folder_path(folder, "compiler");
    const char script[] = "#!/bin/sh\necho 'submission.o: Disk quota exceeded'\nexit 1\n";
    cr_assert(folder_write(parts.compiler, script, sizeof script - 1, &fault), "%s", fault.text);
    cr_assert_eq(chmod(parts.compiler, 0700), 0);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    bool ran = build_program(&outcome, &parts, NULL, folder, everything, &fault);
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
    cr_assert_not(ran);
    cr_assert_not_null(strstr(fault.text, "there is no room left on the disk to build in "), "%s", fault.text);
    lab_parts_close(&parts);
    folder_remove(folder);
    free(folder);
}

/* ---- the toy lab ------------------------------------------------------------------------------------------------- */

#define TOY_LAB                                                                                                        \
    {                                                                                                                  \
        .root = ".", .build = toy_build(), .name = "toylab", .folder = TOY_FOLDER                                      \
    }
#define INCLUDE "#include \"toylab.h\"\n"
#define BODIES                                                                                                         \
    "\nlab_status toy_run(float *out, const float *in, int count)\n"                                                   \
    "{ for (int i = 0; i < count; i++) out[i] = 3 * in[i] + (float)i; return LAB_SUCCESS; }\n"                         \
    "lab_status toy_sum(float *sum, const float *in, int count)\n"                                                     \
    "{ *sum = 0; for (int i = 0; i < count; i++) *sum += in[i]; return LAB_SUCCESS; }\n"

/* Builds a file that begins with this text and continues with right functions. */
static built build_toy(const char *text)
{
    const lab_parts_places places = TOY_LAB;
    char *whole = text_make("%s%s", text, BODIES);
    built made = build(&places, NULL, whole);
    free(whole);
    return made;
}

static void assert_built(const char *text)
{
    built made = build_toy(text);
    cr_assert(made.outcome.ok, "%s\n%s", text, made.outcome.messages);
    release(&made);
}

static void assert_not_built(const char *text, const char *sentence)
{
    built made = build_toy(text);
    cr_assert_not(made.outcome.ok, "built: %s", text);
    cr_assert_not_null(strstr(made.outcome.messages, sentence), "no \"%s\" in: %s", sentence, made.outcome.messages);
    release(&made);
}

Test(build, functions_of_its_own_may_have_any_name)
{
    assert_built(INCLUDE "int worker_memory_bytes(void);\nint worker_memory_bytes(void) { return 0; }\n"
                         "int worker_thread_create(void);\nint worker_thread_create(void) { return 0; }\n"
                         "int lab_trace_begin(void);\nint lab_trace_begin(void) { return worker_thread_create(); }\n"
                         "long write(int file, const void *bytes, unsigned long count);\n"
                         "long write(int file, const void *bytes, unsigned long count)\n"
                         "{ (void)file; (void)bytes; return (long)count; }\nint worker_entries = 3;");
}

Test(build, own_function_does_not_replace_that_of_the_rest_of_the_program)
{
    built made = build_toy(INCLUDE "#include <stdlib.h>\nvoid setvbuf_(void);\n"
                                   "int recv(void);\nint recv(void) { abort(); }\nvoid setvbuf_(void) { recv(); }");
    cr_assert(made.outcome.ok, "%s", made.outcome.messages);
    char *symbols = text_make("nm '%s' | grep -q ' t recv$' && nm -u '%s' | grep -q ' recv@'", made.outcome.program,
                              made.outcome.program);
    cr_assert_eq(system(symbols), 0, "the worker does not call the C library's recv");
    free(symbols);
    release(&made);
}

Test(build, main_of_its_own_is_an_error_that_says_so)
{
    assert_not_built(INCLUDE "int main(void) { return 0; }",
                     "toylab.c defines main, which the lab's program defines too");
}

Test(build, mistyped_name_is_an_error_with_its_line)
{
    assert_not_built(INCLUDE "int lab_strem_create(void);\nint f(void);\nint f(void) { return lab_strem_create(); }",
                     "toylab.c:4 uses lab_strem_create, which is not defined anywhere");
}

/* It would be chance whether the thread has ended when the function returns. */
Test(build, thread_that_nobody_can_join_is_an_error_with_its_line)
{
    assert_not_built(INCLUDE "#include <pthread.h>\nvoid mine(pthread_t t);\nvoid mine(pthread_t t)\n"
                             "{\n    pthread_detach(t);\n}",
                     "toylab.c:6 uses pthread_detach: a function must join the threads that it starts before it "
                     "returns\n");
    assert_not_built(INCLUDE "#include <threads.h>\nvoid mine(thrd_t t);\nvoid mine(thrd_t t) { thrd_detach(t); }",
                     "toylab.c:4 uses thrd_detach: a function must join");
    assert_not_built(INCLUDE "#include <pthread.h>\nvoid mine(pthread_attr_t *a);\n"
                             "void mine(pthread_attr_t *a) { pthread_attr_setdetachstate(a, 1); }",
                     "toylab.c:4 uses pthread_attr_setdetachstate: a function must join");
}

/* None of this is forbidden: it could only harm the program that does it. */
Test(build, unusual_code_builds)
{
    assert_built(INCLUDE "#include <dlfcn.h>\n#include <unistd.h>\n"
                         "__attribute__((constructor)) static void first(void) { if (fork() == 0) _exit(0); }\n"
                         "static void f(void) { __asm__ volatile(\"\"); }\nvoid (*g)(void) = f;\n"
                         "void *h(void);\nvoid *h(void) { return dlsym(0, \"x\"); }\n#ident \"x\"\n#line 7 \"y.c\"");
    assert_built(INCLUDE "static int section = 1, asm_ = 2;\n/* asm(\"x\") #line 3 */\n#define line 9\nint l = line;\n"
                         "const char *text(void);\nconst char *text(void) { return \"asm #line 7 __asm__\"; }\n"
                         "int sum(int n);\nint sum(int n)\n"
                         "{ int g(void) { return n; }\n int (*volatile h)(void) = g; return h() + section + asm_; }");
}

/* The address of a name in the program, as nm lists it; 0 without one. */
static unsigned long address_of(const char *program, const char *name)
{
    char *command = text_make("nm -P %s", program), line[256], found[128];
    unsigned long address = 0, value;
    FILE *list = popen(command, "r");
    while (list && fgets(line, sizeof line, list))
        if (sscanf(line, "%127s %*c %lx", found, &value) == 2 && strcmp(found, name) == 0) address = value;
    pclose(list);
    free(command);
    return address;
}

/* What the program reports of a call is told by where the code is that calls. #line names any file. */
Test(build, code_in_any_section_is_the_students)
{
    static const char *const sections[] = {"elsewhere", ".text.unlikely", ".text.hot.x", "student", ".init_code"};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        const lab_parts_places places = TOY_LAB;
        char *text = text_make(INCLUDE "#line 1 \"lab.h\"\n__attribute__((section(\"%s\")))%s", sections[i], BODIES);
        built made = build(&places, NULL, text);
        cr_assert(made.outcome.ok, "%s", made.outcome.messages);
        const char *const programs[] = {made.outcome.program, made.outcome.sanitized};
        for (int k = 0; k < 2 && programs[k]; k++) {
            const unsigned long at = address_of(programs[k], "toy_run");
            cr_assert(at && at >= address_of(programs[k], "__start_student_code"), "%s", sections[i]);
            cr_assert_lt(at, address_of(programs[k], "__stop_student_code"), "%s", sections[i]);
            cr_assert(address_of(programs[k], "main") < address_of(programs[k], "__start_student_code") ||
                      address_of(programs[k], "main") >= address_of(programs[k], "__stop_student_code"));
        }
        release(&made);
        free(text);
    }
}

/* ---- what the compiler sees -------------------------------------------------------------------------------------- */

/* The assembler puts any file that it sees into an object, and a part of the lab's program may solve a task. */
Test(build, file_with_the_labs_code_is_not_seen_by_the_compiler)
{
    const lab_parts_places places = TOY_LAB;
    lab_parts parts;
    grader_fault fault;
    fixture f;
    int files = 0;
    if (!begin(&f)) return;
    cr_assert(lab_parts_open(&parts, &places, &fault), "%s", fault.text);
    for (size_t i = 0; parts.link[i]; i++) {
        if (parts.link[i][0] != '/') continue;
        char *text = text_make(INCLUDE "__asm__(\".data\\n.incbin \\\"%s\\\"\\n.text\");" BODIES, parts.link[i]);
        built made = build(&places, &f.box, text);
        cr_assert_not(made.outcome.ok, "%s", parts.link[i]);
        cr_assert_not_null(strstr(made.outcome.messages, "file not found"), "%s", made.outcome.messages);
        release(&made);
        free(text);
        files++;
    }
    cr_assert_geq(files, 2);
    lab_parts_close(&parts);
    end(&f);
}

/* The program with the sanitizers takes longer to compile than the plain one. */
Test(build, compiler_of_the_second_program_does_not_see_the_first)
{
    enum { FUNCTIONS = 500 };
    const lab_parts_places places = TOY_LAB;
    fixture f;
    text_buffer text = {0};
    if (!begin(&f)) return;
    text_format(&text, INCLUDE "#ifdef __SANITIZE_ADDRESS__\n");
    for (int i = 0; i < FUNCTIONS; i++)
        text_format(&text, "int slow%d(int *a);\nint slow%d(int *a) { return a[%d] + a[1]; }\n", i, i, i);
    text_format(&text, "__asm__(\".data\\n.incbin \\\"program\\\"\\n.text\");\n#endif\n" BODIES);
    built made = build(&places, &f.box, text.text);
    cr_assert(made.outcome.ok, "%s", made.outcome.messages);
    cr_assert_null(made.outcome.sanitized);
    release(&made);
    free(text.text);
    end(&f);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* Lab 01 has a table of 16 bool. */
#define TABLE_LAB                                                                                                      \
    {                                                                                                                  \
        .root = ".", .build = toy_build(), .name = "lab01"                                                             \
    }
enum { TABLE_BYTES = 16 };

/* Builds lab 01's starter, in which `text` stands for the table. The caller frees *table, NULL if the file has none. */
static built build_table(const sandbox *box, const char *text, char **table, size_t *bytes)
{
    const lab_parts_places places = TABLE_LAB;
    lab_parts parts;
    grader_fault fault;
    char *starter;
    size_t count;
    cr_assert(lab_parts_open(&parts, &places, &fault), "%s (make builds lab01 before the tests)", fault.text);
    cr_assert_eq(folder_read(&starter, &count, parts.starter, 1 << 20, &fault), FOLDER_FILE);
    lab_parts_close(&parts);
    char *begin = strstr(starter, "const bool lab01_waits"), *end = begin ? strstr(begin, "};\n") : NULL;
    cr_assert_not_null(end, "the starter of lab01 has another table");
    *begin = '\0';
    char *whole = text_make("%s%s%s", starter, text, end + 3);
    built made = build(&places, box, whole);
    cr_assert(made.outcome.ok, "%s", made.outcome.messages);
    char *path = text_make("%s/%s/lab01_waits", made.folder, BUILD_TABLES);
    *table = NULL;
    folder_read(table, bytes, path, 1 << 20, &fault);
    free(path);
    free(whole);
    free(starter);
    return made;
}

static void assert_table(const sandbox *box, const char *text, const void *wanted, size_t wanted_bytes)
{
    char *table;
    size_t bytes;
    built made = build_table(box, text, &table, &bytes);
    cr_assert_eq(!!table, !!wanted, "%s", text);
    cr_assert(!wanted || (bytes == wanted_bytes && memcmp(table, wanted, bytes) == 0), "%zu bytes of: %s", bytes, text);
    free(table);
    release(&made);
}

Test(build, table_of_constants_is_taken_from_the_object)
{
    static const char wanted[TABLE_BYTES] = {[1] = 1, [4] = 1}, zeros[TABLE_BYTES];
    assert_table(NULL, "const bool lab01_waits[LAB01_STREAMS][LAB01_STREAMS] = {[0][1] = true, [1][0] = true};\n",
                 wanted, TABLE_BYTES);
    assert_table(NULL, "const bool lab01_waits[LAB01_STREAMS][LAB01_STREAMS];\n", zeros, TABLE_BYTES);
    assert_table(NULL,
                 "#define T true\nstatic int own(void) { return 3; }\nconst bool lab01_waits[][LAB01_STREAMS] = "
                 "{{0, T}, {T}, {0}, {0}};\nint (*other(void))(void);\nint (*other(void))(void) { return own; }\n",
                 wanted, TABLE_BYTES);
}

Test(build, table_that_is_no_constant_of_plain_numbers_is_not_taken)
{
    assert_table(NULL,
                 "#define lab01_waits waits_of_header\n#undef lab01_waits\n"
                 "__asm__(\".data\\n.globl lab01_waits\\nlab01_waits: .zero 16\\n.text\\n\");\n",
                 NULL, 0);
    assert_table(NULL,
                 "static int somewhere;\nconst void *const addresses[2] __asm__(\"lab01_waits\") = {&somewhere};\n",
                 NULL, 0);
}

Test(build, table_is_taken_in_the_sandbox_too)
{
    static const char wanted[TABLE_BYTES] = {[5] = 1};
    fixture f;
    if (!begin(&f)) return;
    assert_table(&f.box, "const bool lab01_waits[LAB01_STREAMS][LAB01_STREAMS] = {[1][1] = true};\n", wanted,
                 TABLE_BYTES);
    end(&f);
}

/* ---- what a job wants -------------------------------------------------------------------------------------------- */

/* Whether a build of lab 12's solution, which has a check that counts lines, leaves this file. */
static bool leaves(const char *name, build_wants wants)
{
    enum { MOST_BYTES = 1 << 20 };
    const lab_parts_places places = {.root = ".", .build = toy_build(), .name = "lab12"};
    lab_parts parts;
    grader_fault fault;
    build_outcome outcome;
    char *folder, *text;
    size_t bytes;
    cr_assert(lab_parts_open(&parts, &places, &fault), "%s (make builds the labs before the tests)", fault.text);
    cr_assert(folder_make_private(&folder, "build-test", &fault), "%s", fault.text);
    cr_assert_eq(folder_read(&text, &bytes, parts.solution, MOST_BYTES, &fault), FOLDER_FILE, "%s", parts.solution);
    char *source = folder_path(folder, parts.file), *path = folder_path(folder, name);
    cr_assert(folder_write(source, text, bytes, &fault), "%s", fault.text);
    cr_assert(build_program(&outcome, &parts, NULL, folder, wants, &fault), "%s", fault.text);
    cr_assert(outcome.ok, "%s", outcome.messages);
    cr_assert_eq(access(outcome.program, X_OK), 0);
    const bool left = access(path, R_OK) == 0;
    cr_assert_eq(outcome.sanitized != NULL, wants.sanitized);
    build_free(&outcome);
    lab_parts_close(&parts);
    folder_remove(folder);
    free(folder);
    free(text);
    free(source);
    free(path);
    return left;
}

Test(build, only_what_is_wanted_is_built)
{
    cr_assert(leaves(BUILD_STARTER_TEXT, (build_wants){.texts = true}));
    cr_assert_not(leaves(BUILD_TEXT, (build_wants){.texts = false}));
    cr_assert(leaves("sanitized", (build_wants){.sanitized = true}));
}

/* The preprocessed starter that a build of lab 12's solution leaves; the caller frees it. */
static char *starter_left(preprocessed_text *out, const lab_parts *parts)
{
    grader_fault fault;
    build_outcome outcome;
    char *folder, *solution, *left;
    size_t bytes;
    cr_assert(folder_make_private(&folder, "build-test", &fault), "%s", fault.text);
    cr_assert_eq(folder_read(&solution, &bytes, parts->solution, BUILD_TEXT_BYTES, &fault), FOLDER_FILE);
    char *source = folder_path(folder, parts->file), *path = folder_path(folder, BUILD_STARTER_TEXT);
    cr_assert(folder_write(source, solution, bytes, &fault), "%s", fault.text);
    cr_assert(build_program(&outcome, parts, NULL, folder, (build_wants){.texts = true}, &fault), "%s", fault.text);
    cr_assert_eq(folder_read(&left, &out->length, path, BUILD_TEXT_BYTES, &fault), FOLDER_FILE);
    out->text = left;
    build_free(&outcome);
    folder_remove(folder);
    free(folder), free(solution), free(source), free(path);
    return left;
}

Test(build, starter_is_preprocessed_once_a_lab)
{
    static const char function[] = "lab12_total";
    const lab_parts_places places = {.root = ".", .build = toy_build(), .name = "lab12"};
    lab_parts parts;
    grader_fault fault;
    preprocessed_text each, once;
    cr_assert(lab_parts_open(&parts, &places, &fault), "%s (make builds the labs before the tests)", fault.text);
    char *made = starter_left(&each, &parts);
    cr_assert(build_know_starter(&parts, &fault), "%s", fault.text);
    free(parts.starter);
    parts.starter = strdup("/nowhere/starter.c");
    char *known = starter_left(&once, &parts);
    cr_assert_str_eq(known, parts.given_text);
    cr_assert_gt(changed_lines(each, (preprocessed_text){"", 0}, function), 0, "it has %s", function);
    cr_assert_eq(changed_lines(each, once, function), 0);
    lab_parts_close(&parts);
    free(made);
    free(known);
}

/* ---- a lab's own rules ------------------------------------------------------------------------------------------- */

Test(build, function_that_a_lab_forbids_is_an_error_with_its_line_and_the_reason)
{
    const lab_parts_places places = TOY_LAB;
    lab_parts parts;
    grader_fault fault;
    build_outcome outcome;
    char *folder;
    cr_assert(lab_parts_open(&parts, &places, &fault), "%s", fault.text);
    free(parts.forbidden);
    parts.forbidden = strdup("qsort: sorting is yours to write\n\nrand: fixed numbers");
    cr_assert(folder_make_private(&folder, "build-test", &fault), "%s", fault.text);
    char *path = folder_path(folder, parts.file);
    static const char text[] =
        INCLUDE "#include <stdlib.h>\nint (*mine(void))(void);\n"
                "int (*mine(void))(void) { return rand; }\n"
                "void other(int *, int) __asm__(\"qsort\");\nvoid yours(int *);\n"
                "void yours(int *a) { other(a, 3); }" BODIES; /* by its address, and by another name */
    cr_assert(folder_write(path, text, strlen(text), &fault), "%s", fault.text);
    cr_assert(build_program(&outcome, &parts, NULL, folder, everything, &fault), "%s", fault.text);
    cr_assert_not(outcome.ok);
    cr_assert_str_eq(outcome.messages, "toylab.c:4 uses rand: fixed numbers\n"
                                       "toylab.c:7 uses qsort: sorting is yours to write\n");
    build_free(&outcome);
    lab_parts_close(&parts);
    folder_remove(folder);
    free(folder);
    free(path);
}

Test(build, forbidden_functions_of_a_lab_are_those_of_its_file)
{
    const lab_parts_places places = TOY_LAB;
    lab_parts parts;
    grader_fault fault;
    cr_assert(lab_parts_open(&parts, &places, &fault), "%s", fault.text);
    cr_assert_not_null(strstr(parts.forbidden, "thrd_detach: a function must join"));
    cr_assert_null(strstr(parts.forbidden, "lab_cast_as_numpy"));
    lab_parts_close(&parts);
}
