/* What a submission may use and define: each refusal with its message, and what must never be refused. */
#include "test.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "judge/build.h"
#include "base/clock.h"
#include "base/folder.h"
#include "judge/object_scan.h"
#include "judge/source_scan.h"
#include "base/subprocess.h"
#include "judge/allowed_symbols.h"
#include "base/text.h"
#include "toy.h"

/* ---- whole files ------------------------------------------------------------------------------------------------- */

#define BODIES                                                                                                         \
    "lab_status toy_run(float *out, const float *in, int count)\n"                                                     \
    "{ for (int i = 0; i < count; i++) out[i] = 3 * in[i] + (float)i; return LAB_SUCCESS; }\n"                         \
    "lab_status toy_sum(float *sum, const float *in, int count)\n"                                                     \
    "{ *sum = 0; for (int i = 0; i < count; i++) *sum += in[i]; return LAB_SUCCESS; }\n"

/* Builds a file that begins with this text and continues with right functions. */
static build_outcome build(const char *text)
{
    lab_parts parts;
    grader_fault fault;
    build_outcome outcome;
    char *folder, *path;
    text_buffer file = {0};
    const lab_parts_places places = {.root = ".", .build = toy_build(), .name = "toylab", .folder = TOY_FOLDER};
    cr_assert(lab_parts_open(&parts, &places, &fault), "%s (make builds the toy lab before the tests)", fault.text);
    cr_assert(folder_make_private(&folder, "symbols-test", &fault), "%s", fault.text);
    text_format(&file, "%s\n%s", text, BODIES);
    path = folder_path(folder, "toylab.c");
    cr_assert(folder_write(path, file.text, file.length, &fault), "%s", fault.text);
    cr_assert(build_program(&outcome, &parts, NULL, false, folder, &fault), "%s", fault.text);
    folder_remove(folder);
    lab_parts_close(&parts);
    free(folder);
    free(path);
    free(file.text);
    return outcome;
}

static void assert_refused(const char *text, const char *sentence)
{
    build_outcome outcome = build(text);
    cr_assert(outcome.refused, "built and not refused: %s\n%s", text, outcome.messages);
    cr_assert_not_null(strstr(outcome.messages, sentence), "no \"%s\" in: %s", sentence, outcome.messages);
    build_free(&outcome);
}

static void assert_built(const char *text)
{
    build_outcome outcome = build(text);
    cr_assert(outcome.ok && !outcome.refused, "%s\n%s", text, outcome.messages);
    build_free(&outcome);
}

#define INCLUDE "#include \"toylab.h\"\n"

Test(symbols, forbidden_function_is_named_with_its_line)
{
    assert_refused(INCLUDE "#include <unistd.h>\nint mine(void);\nint mine(void) { return fork(); }",
                   "toylab.c:4 uses fork, which this lab does not allow");
    assert_refused(INCLUDE "#include <dlfcn.h>\nvoid *mine(void);\nvoid *mine(void) { return dlsym(0, \"x\"); }",
                   "toylab.c:4 uses dlsym");
    assert_refused(INCLUDE "extern void worker_entries(void);\nvoid mine(void);\nvoid mine(void) { worker_entries(); }",
                   "toylab.c:2 uses worker_entries");
}

/* It would be chance whether the thread has ended when the function returns. */
Test(symbols, thread_that_nobody_can_join_is_refused)
{
    assert_refused(INCLUDE
                   "#include <pthread.h>\nvoid mine(pthread_t t);\nvoid mine(pthread_t t) { pthread_detach(t); }",
                   "toylab.c:4 uses pthread_detach: a function must join the threads that it starts before it returns");
    assert_refused(INCLUDE "#include <threads.h>\nvoid mine(thrd_t t);\nvoid mine(thrd_t t) { thrd_detach(t); }",
                   "toylab.c:4 uses thrd_detach: a function must join the threads that it starts");
}

Test(symbols, function_that_takes_anothers_place_is_refused)
{
    assert_refused(INCLUDE "#include <time.h>\nint clock_gettime(clockid_t c, struct timespec *t)\n"
                           "{ (void)c; t->tv_sec = 0; return 0; }",
                   "toylab.c:3 defines clock_gettime, which is the system's");
    assert_refused(INCLUDE "lab_status lab_trace_begin(void);\nlab_status lab_trace_begin(void) { return 0; }",
                   "toylab.c:2 defines lab_trace_begin, which is the library's");
    assert_refused(INCLUDE "void *__wrap_malloc(void);\nvoid *__wrap_malloc(void) { return 0; }",
                   "defines __wrap_malloc, which is the system's");
}

Test(symbols, code_that_runs_by_itself_is_refused)
{
    assert_refused(INCLUDE "__attribute__((constructor)) static void first(void) {}",
                   "toylab.c:2 has the attribute constructor");
    assert_refused(INCLUDE "[[gnu::destructor]] static void last(void) {}", "toylab.c:2 has the attribute destructor");
    assert_refused(INCLUDE "#define A __attribute\n#define B __constructor__\nA((B)) static void f(void) {}",
                   "toylab.c:4 has the attribute __constructor__");
    assert_refused(INCLUDE
                   "static void f(void) {}\nvoid (*const hook)(void) __attribute__((section(\".init_array\"))) = f;",
                   "toylab.c:3 has the attribute section");
    assert_refused(INCLUDE "static int one(void) { return 1; }\nstatic int (*choose(void))(void) { return one; }\n"
                           "int both(void) __attribute__((ifunc(\"choose\")));",
                   "toylab.c:4 has the attribute ifunc");
}

Test(symbols, inline_assembly_is_refused_however_it_is_written)
{
    assert_refused(INCLUDE "static void f(void) { __asm__ volatile(\"nop\"); }\nvoid (*g)(void) = f;",
                   "toylab.c:2 has inline assembly");
    assert_refused(INCLUDE "#define P(a, b) a##b\nP(__a, sm)(\".globl x\");", "toylab.c:3 has inline assembly");
    assert_refused(INCLUDE "__a\\\nsm(\".incbin \\\"/dev/null\\\"\");", "has inline assembly");
    assert_refused(INCLUDE "int renamed(void) __asm(\"getpid\");\nint f(void);\nint f(void) { return renamed(); }",
                   "toylab.c:2 has inline assembly");
}

/* A header's expansion of a macro from the file stands among the header's lines. */
Test(symbols, inline_assembly_that_a_header_expands_is_refused)
{
    assert_refused("#define strcoll strcoll(const char *, const char *); __asm__(\".globl x\\nx: ret\"); int other\n"
                   "#include <string.h>\n#undef strcoll\n" INCLUDE,
                   "toylab.c has inline assembly (__asm__) by way of ");
    assert_refused(
        "#define strcoll strcoll(const char *, const char *); static void f(void) { if (1) __asm__(\"ret\"); } "
        "int other\n#include <string.h>\n#undef strcoll\n" INCLUDE "void (*g)(void) = f;",
        "toylab.c has inline assembly (__asm__) by way of ");
    assert_built(
        "#include <inttypes.h>\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
        "#ifdef __x86_64__\n#include <immintrin.h>\n#endif\n#include <wchar.h>\n#include <complex.h>\n#include "
        "<sys/mman.h>\n" INCLUDE "int scan(const char *text, int *to);\n"
        "int scan(const char *text, int *to) { return sscanf(text, \"%d\", to); }\n");
}

/* In compilers that have __has_feature, it tells whether they check for undefined behaviour. */
Test(symbols, assembly_cannot_hide_from_the_inspection)
{
    assert_refused("#ifndef __has_feature\n#define __has_feature(x) 1\n#endif\n"
                   "#if __has_feature(undefined_behavior_sanitizer)\n__asm__(\".globl x\");\n#endif\n" INCLUDE,
                   "has inline assembly");
}

/* What looks like an escaped quote after the preprocessor ends the string all the same. */
Test(symbols, inline_assembly_behind_what_looks_like_a_trigraph_is_refused)
{
    assert_refused(INCLUDE "#define TEXT(x) #x\n#define TEXT_OF(x) TEXT(x)\n#define MARK ?\n"
                           "const char *text = TEXT_OF(MARK?/); __asm__(\".globl x\"); const char *more = \"\";",
                   "toylab.c:5 has inline assembly");
}

/* A compiler that reads this file itself changes __OPTIMIZE__ at the pragma. The preprocessor alone does not. */
Test(symbols, text_that_was_looked_at_is_compiled)
{
    assert_built(INCLUDE "#pragma GCC optimize(\"O0\")\n#ifdef __OPTIMIZE__\nint mine;\n#else\nint fork(void);\n"
                         "int mine(void);\nint mine(void) { return fork(); }\n__asm__(\".globl x\\nx: ret\");\n#endif");
}

Test(symbols, text_for_the_assembler_is_refused)
{
    assert_refused(INCLUDE "#ident \"\\\"\\n.globl x\\nx: ret\\n#\"",
                   "toylab.c:2 passes a text to the assembler (#ident)");
    assert_refused(INCLUDE "#sccs \"x\"", "toylab.c:2 passes a text to the assembler (#ident)");
    assert_built(INCLUDE "#if 0\n#ident \"x\"\n#endif\nstatic const char ident[] = \"#ident\";\n"
                         "const char *of(void);\nconst char *of(void) { return ident; }");
}

Test(symbols, pretended_lines_are_refused)
{
    assert_refused(INCLUDE "#line 1 \"/usr/include/stdio.h\"", "toylab.c:2 gives a line another number or file");
    assert_refused(INCLUDE "%: 7 \"/usr/include/stdio.h\" 1 3\n__asm__(\"nop\");", "toylab.c:2 gives a line another");
    assert_refused(INCLUDE "?\?=line 9", "toylab.c:2 gives a line another");
    assert_refused(INCLUDE "#pragma redefine_extname toy_sum toy_run2", "toylab.c:2 renames or replaces functions");
}

Test(symbols, header_from_elsewhere_is_refused)
{
    assert_refused(INCLUDE "#include \"/dev/null\"",
                   "toylab.c includes /dev/null, which is neither a header of the lab");
    assert_refused(INCLUDE "#include \"/usr/include/../../dev/null\"", "which is neither a header of the lab");
}

Test(symbols, file_that_includes_itself_is_refused)
{
    assert_refused("#ifndef INNER\n#define INNER\n#include \"toylab.c\"\n#else\n" INCLUDE "__asm__(\"nop\");\n#endif",
                   "toylab.c includes toylab.c, which is neither");
}

/* ---- never refused ----------------------------------------------------------------------------------------------- */

Test(symbols, own_functions_and_data_are_not_refused)
{
    assert_built(INCLUDE
                 "int helper(int x);\nint helper(int x) { return x; }\nint counter = 3;\nstatic double table[9];\n"
                 "_Thread_local int each;\nvoid *use(void);\nvoid *use(void) { each++; return table; }");
}

Test(symbols, usual_functions_of_the_c_library_are_not_refused)
{
    assert_built(INCLUDE
                 "#include <assert.h>\n#include <ctype.h>\n#include <errno.h>\n#include <math.h>\n"
                 "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include "
                 "<time.h>\n#include <complex.h>\n"
                 "double mine(const char *t, double x);\n"
                 "double mine(const char *t, double x)\n{\n    char b[99]; int n; pthread_t p = pthread_self();\n"
                 "    struct timespec now; clock_gettime(CLOCK_MONOTONIC, &now);\n"
                 "    assert(t && errno == 0); sscanf(t, \"%d\", &n); snprintf(b, sizeof b, \"%d\", n);\n"
                 "    printf(\"%s %g\\n\", b, sqrt(x) + sqrtf((float)x)); fprintf(stderr, \"x\");\n"
                 "    memcpy(b, t, 9); strncpy(b, t, 9); char *m = malloc(9); free(m);\n"
                 "    if (!pthread_equal(p, p) || isalpha(t[0]) || toupper(t[1]) == 'A') abort();\n"
                 "    __int128 w = (__int128)n * n / (n + 1); return (double)w + cabs(x * I * 2.0);\n}");
}

Test(symbols, words_in_comments_strings_and_names_are_not_refused)
{
    assert_built(INCLUDE
                 "/* asm(\"x\") and __attribute__((constructor)) #line 3 */\n"
                 "const char *text(void);\nconst char *text(void) { return \"asm #line 7 __asm__\"; }\n"
                 "static int section = 1, alias = 2, weak = 3;\n"
                 "int sum(void);\nint sum(void) { int constructor = section + alias; return constructor + weak; }\n"
                 "#if 0\nasm(\"don't\")\n#endif\n#pragma GCC diagnostic push\n"
                 "__attribute__((noinline, unused)) static void f(void) {}\n"
                 "#define line 9\nint l = line;");
}

Test(symbols, mistyped_name_is_a_build_error)
{
    build_outcome outcome =
        build(INCLUDE "int lab_strem_create(void);\nint f(void);\nint f(void) { return lab_strem_create(); }");
    cr_assert_not(outcome.ok || outcome.refused, "%s", outcome.messages);
    cr_assert_not_null(strstr(outcome.messages, "lab_strem_create"), "%s", outcome.messages);
    build_free(&outcome);
}

/* The object shows what the source hides from its reader. */
static void assert_object_refused(const char *text, const char *sentence)
{
    char *folder, *compiler = subprocess_find_program("gcc"), *bytes, *path;
    size_t count;
    grader_fault fault;
    symbol_rules rules = {.allowed = strdup("")};
    source_names names = {0};
    text_buffer refusals = {0};
    cr_assert(folder_make_private(&folder, "symbols-test", &fault), "%s", fault.text);
    path = folder_path(folder, "x.c");
    cr_assert(folder_write(path, text, strlen(text), &fault), "%s", fault.text);
    free(path);
    static const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    const char *const arguments[] = {compiler, "-c", "x.c", "-o", "x.o", NULL};
    subprocess_options options = {
        .arguments = arguments, .environment = environment, .directory = folder, .output_limit = 65536};
    subprocess_result result;
    cr_assert(subprocess_run(&result, &options, 30, &fault), "%s", fault.text);
    path = folder_path(folder, "x.o");
    cr_assert_eq(folder_read(&bytes, &count, path, 1 << 20, &fault), FOLDER_FILE, "%s", result.output);
    cr_assert(allowed_symbols_check(&refusals, &rules, bytes, count, "x.c", &names));
    cr_assert(refusals.text && strstr(refusals.text, sentence), "no \"%s\" in: %s", sentence, refusals.text);
    /* An object that is cut off anywhere is read safely. */
    for (size_t length = 0; length < count; length += 7) {
        char *part = malloc(length + 1);
        memcpy(part, bytes, length);
        allowed_symbols_check(&refusals, &rules, part, length, "x.c", &names);
        free(part);
    }
    free(refusals.text);
    subprocess_result_free(&result);
    allowed_symbols_close(&rules);
    folder_remove(folder);
    free(folder);
    free(path);
    free(bytes);
    free(compiler);
}

Test(symbols, object_shows_what_runs_by_itself)
{
    assert_object_refused(
        "static void f(void) {}\nvoid (*const h)(void) __attribute__((section(\".init_array\"))) = f;",
        "runs before or after main");
    assert_object_refused("__attribute__((destructor)) void f(void) {}", "runs before or after main");
    assert_object_refused("static int a(void) { return 1; }\nstatic int (*c(void))(void) { return a; }\n"
                          "int b(void) __attribute__((ifunc(\"c\")));",
                          "choose another (ifunc)");
    assert_object_refused("int x __attribute__((section(\"lab_checks\"))) = 1;", "a section of its own (lab_checks)");
    assert_object_refused("__attribute__((section(\".data.x\"))) int f(void) { return 1; }", "where only data belongs");
    assert_object_refused("int f(int n)\n{ int g(void) { return n; }\n int (*volatile h)(void) = g; return h(); }",
                          "a function inside a function");
}

/* If the file's own `write` were visible, it would replace the system's in the library too. */
Test(symbols, own_function_is_not_seen_by_the_rest_of_the_program)
{
    assert_built(INCLUDE "long write(int file, const void *bytes, unsigned long count);\n"
                         "long write(int file, const void *bytes, unsigned long count)\n"
                         "{ (void)file; (void)bytes; return (long)count; }");
}

/* ---- damaged objects --------------------------------------------------------------------------------------------- */

static void see_nothing(void *user, object_symbol_kind kind, const char *name) { (void)user, (void)kind, (void)name; }
static void see_no_section(void *user, const char *name, bool first, bool code)
{
    (void)user, (void)name, (void)first, (void)code;
}

Test(symbols, damaged_object_is_rejected)
{
    const object_visitor visitor = {see_nothing, see_no_section, NULL};
    Elf64_Ehdr header = {.e_type = ET_REL, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 2, .e_shoff = sizeof header};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    cr_assert_not(object_scan("", 0, &visitor));
    cr_assert_not(object_scan(&header, sizeof header, &visitor), "its sections lie outside");
    header.e_shoff = UINT64_MAX - 8;
    cr_assert_not(object_scan(&header, sizeof header, &visitor), "an offset that wraps around");
}

/* ---- files made to be long --------------------------------------------------------------------------------------- */

/* Scans so many copies of a format, each with its number below `numbers`. */
static void assert_scanned(const char *format, int count, int numbers, const char *sentence)
{
    static const char *const seen[] = {"/usr/include", NULL};
    text_buffer text = {0}, refusals = {0};
    source_names names = {0};
    for (int i = 0; i < count; i++) {
        char piece[64];
        text_append(&text, piece, (size_t)snprintf(piece, sizeof piece, format, i % numbers));
    }
    cr_assert_not(text.failed);
    text_append(&refusals, "", 0);
    const double begun = clock_seconds();
    cr_assert(
        source_scan(&names, &refusals, (source_text){"", 0}, (source_text){text.text, text.length}, "lab03.c", seen));
    cr_assert_lt(clock_seconds() - begun, 5, "%zu bytes took %.1f s", text.length, clock_seconds() - begun);
    cr_assert_not_null(strstr(refusals.text, sentence), "%.200s", refusals.text);
    cr_assert_lt(refusals.length, 100000u);
    source_names_free(&names);
    free(text.text);
    free(refusals.text);
}

Test(symbols, file_of_very_many_names_is_refused)
{
    assert_scanned("int n%d;\n", 200000, 200000, "lab03.c has more than 65536 different names");
}

Test(symbols, file_of_many_names_is_scanned_in_time) { assert_scanned("int n%d;\n", 1000000, 60000, ""); }

Test(symbols, file_with_very_many_refusals_lists_some)
{
    assert_scanned("asm(%d);\n", 1000000, 1000000, "lab03.c:1 has inline assembly");
}
