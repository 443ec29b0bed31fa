/* Names, types and counts of any size pass through the compiler whole: no buffer cuts them. */
#include "cpu/split/split.h"
#include "kernels.h"
#include "test_folder.h"

#include "lab.h"

enum { THREADS = 64 };

/* A name of `length` letters that begins with `start`. The caller frees it. */
static char *long_name(const char *start, int length)
{
    char *name = malloc((size_t)length + 1);
    snprintf(name, (size_t)length + 1, "%s", start);
    memset(name + strlen(start), 'x', (size_t)length - strlen(start));
    name[length] = '\0';
    return name;
}

/* The source with each $ replaced by the first name and each ~ by the second. The caller frees it. */
static char *with_names(const char *source, const char *first, const char *second)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (; *source; source++) {
        if (*source == '$')
            fputs(first, out);
        else if (*source == '~')
            fputs(second, out);
        else
            fputc(*source, out);
    }
    fclose(out);
    return text;
}

static lab_module *load(const char *source)
{
    lab_module *module;
    kernels_use_kept_cache();
    cr_assert_eq(lab_module_load_source(&module, source, "names.cu"), LAB_SUCCESS, "%.2000s", lab_error_message());
    return module;
}

/* Runs a block of THREADS threads, and returns in `result` what it writes. */
static void run(int *result, lab_module *module, const char *kernel)
{
    lab_function function;
    lab_deviceptr out;
    LAB_CHECK(lab_module_get_function(&function, module, kernel));
    LAB_CHECK(lab_mem_alloc(&out, THREADS * sizeof *result));
    LAB_CHECK(lab_launch(function, LAB_DIM(1), LAB_DIM(THREADS), 0, NULL, LAB_ARGS(out)));
    LAB_CHECK(lab_memcpy_dtoh(result, out, THREADS * sizeof *result));
    LAB_CHECK(lab_mem_free(out));
}

/* A kernel that is split at its barriers, and whose two arrays change places from step to step. */
static const char exchange[] = "extern \"C\" __global__ void k(int *out)\n"
                               "{\n"
                               "    __shared__ int $[64], ~[64];\n"
                               "    const unsigned t = threadIdx.x;\n"
                               "    int *source = $, *target = ~;\n"
                               "    source[t] = t;\n"
                               "    for (int i = 0; i < 5; i++) {\n"
                               "        __syncthreads();\n"
                               "        target[t] = source[(t + 1) % 64];\n"
                               "        int *const old = source; source = target; target = old;\n"
                               "    }\n"
                               "    __syncthreads();\n"
                               "    out[t] = source[t];\n"
                               "}\n";

static void check_exchange(int letters)
{
    char *first = long_name("first", letters), *second = long_name("second", letters);
    char *source = with_names(exchange, first, second);
    lab_module *module = load(source);
    int result[THREADS];
    run(result, module, "k");
    for (int i = 0; i < THREADS; i++) cr_assert_eq(result[i], (i + 5) % THREADS, "thread %d has %d", i, result[i]);
    LAB_CHECK(lab_module_unload(module));
    cpu_module *compiled = kernels_load(source);
    cr_assert_not_null(kernels_find(compiled, "k")->split);
    cpu_module_unload(compiled);
    free(source);
    free(second);
    free(first);
}

Test(ir_names, two_shared_arrays_with_names_of_190_letters_change_places) { check_exchange(190); }

Test(ir_names, two_shared_arrays_with_names_of_3000_letters_change_places) { check_exchange(3000); }

Test(ir_names, a_kernel_with_a_name_of_600_letters_is_split_and_its_pointers_are_known)
{
    char *name = long_name("kernel", 600);
    char *source = with_names("extern \"C\" __global__ void $(int *out, const int *in)\n"
                              "{ __shared__ int s[64]; s[threadIdx.x] = in[threadIdx.x]; __syncthreads();\n"
                              "  out[threadIdx.x] = s[63 - threadIdx.x]; }\n",
                              name, "");
    kernels_use_kept_cache();
    cpu_module *module = kernels_load(source);
    cr_assert_eq(module->kernels, 1);
    cr_assert_str_eq(module->kernel[0].name, name);
    cr_assert_not_null(module->kernel[0].split);
    cr_assert_eq(module->kernel[0].shared_bytes, THREADS * sizeof(int));
    cr_assert_str_eq(module->kernel[0].access, "wr");
    cpu_module_unload(module);
    free(source);
    free(name);
}

/* The type is that of a shared variable, of a variable of the module, and of a thread's own variable. */
Test(ir_names, structures_with_names_of_1200_letters_are_variables_of_every_kind)
{
    char *name = long_name("type", 1200);
    char *source = with_names("struct $ { int value, other[3]; };\n"
                              "__device__ $ kept = {7};\n"
                              "extern \"C\" __global__ void k(int *out)\n"
                              "{\n"
                              "    __shared__ $ s[64];\n"
                              "    $ own = {(int)threadIdx.x, {1, 2, 3}};\n"
                              "    s[threadIdx.x].value = kept.value;\n"
                              "    own.other[threadIdx.x % 3] += 5;\n"
                              "    __syncthreads();\n"
                              "    own.value += s[63 - threadIdx.x].value;\n"
                              "    out[threadIdx.x] = own.value + own.other[(threadIdx.x + out[0]) % 3 == 0];\n"
                              "}\n",
                              name, "");
    lab_module *module = load(source);
    lab_deviceptr address;
    size_t bytes;
    LAB_CHECK(lab_module_get_global(&address, &bytes, module, "kept"));
    cr_assert_eq(bytes, 4 * sizeof(int));
    LAB_CHECK(lab_module_unload(module));
    cpu_module *compiled = kernels_load(source);
    cr_assert_eq(kernels_find(compiled, "k")->shared_bytes, 64 * 4 * sizeof(int));
    cr_assert_not_null(kernels_find(compiled, "k")->split);
    cpu_module_unload(compiled);
    free(source);
    free(name);
}

Test(ir_names, every_variable_of_a_module_is_found_and_its_use_known)
{
    enum { VARIABLES = 100 };
    char *source, name[16];
    size_t size;
    FILE *out = open_memstream(&source, &size);
    for (int i = 0; i < VARIABLES; i++) fprintf(out, "__device__ int v%03d = %d;\n", i, i);
    fputs("extern \"C\" __global__ void k(int *out) { v000 = 1; out[0] = v099; }\n"
          "extern \"C\" __global__ void set()\n{",
          out);
    for (int i = 0; i < VARIABLES; i++) fprintf(out, " v%03d = 5;", i);
    fputs(" }\n", out);
    fclose(out);
    lab_module *module = load(source);
    for (int i = 0; i < VARIABLES; i++) {
        lab_deviceptr address;
        size_t bytes;
        snprintf(name, sizeof name, "v%03d", i);
        cr_assert_eq(lab_module_get_global(&address, &bytes, module, name), LAB_SUCCESS, "%s", lab_error_message());
    }
    LAB_CHECK(lab_module_unload(module));
    cpu_module *compiled = kernels_load(source);
    const char *access = kernels_find(compiled, "k")->variable_access;
    cr_assert_eq(strlen(access), VARIABLES);
    cr_assert_eq(access[0], 'w', "%s", access);
    cr_assert_eq(strspn(access + 1, "n"), VARIABLES - 2, "%s", access);
    cr_assert_eq(access[VARIABLES - 1], 'r', "%s", access);
    cpu_module_unload(compiled);
    free(source);
}

Test(ir_names, every_one_of_many_parameters_is_known)
{
    enum { PARAMS = 200 };
    char *source;
    size_t size;
    FILE *out = open_memstream(&source, &size);
    fputs("extern \"C\" __global__ void k(int *out", out);
    for (int i = 1; i < PARAMS; i++) fprintf(out, ", const int *p%d", i);
    fputs(")\n{ out[threadIdx.x] = 0", out);
    for (int i = 1; i < PARAMS; i++) fprintf(out, " + p%d[threadIdx.x]", i);
    fputs("; }\n", out);
    fclose(out);
    kernels_use_kept_cache();
    cpu_module *module = kernels_load(source);
    const char *access = module->kernel[0].access;
    cr_assert_eq(strlen(access), PARAMS, "%s", access);
    cr_assert_eq(access[0], 'w', "%s", access);
    cr_assert_eq(strspn(access + 1, "r"), PARAMS - 1, "%s", access);
    cpu_module_unload(module);
    free(source);
}

/* ---- checked code ---- */

Test(ir_names, a_checked_kernel_may_have_long_names_and_types)
{
    setenv("LAB_MEMCHECK", "1", 1);
    char *first = long_name("variable", 700), *second = long_name("type", 700);
    char *source = with_names("struct ~ { int value[64]; };\n"
                              "extern \"C\" __global__ void k(int *out)\n"
                              "{\n"
                              "    __shared__ ~ $;\n"
                              "    ~ own; for (int i = 0; i < 64; i++) own.value[i] = i;\n"
                              "    $.value[threadIdx.x] = own.value[(threadIdx.x + 1) % 64];\n"
                              "    __syncthreads();\n"
                              "    out[threadIdx.x] = $.value[threadIdx.x];\n"
                              "}\n",
                              first, second);
    lab_module *module = load(source);
    int result[THREADS];
    run(result, module, "k");
    for (int i = 0; i < THREADS; i++) cr_assert_eq(result[i], (i + 1) % THREADS, "thread %d has %d", i, result[i]);
    LAB_CHECK(lab_module_unload(module));
    free(source);
    free(second);
    free(first);
}

/* ---- texts ---- */

/* The code shows whether its pointers have types, "i8*", or are all of type ptr. Texts must not mislead the passes. */
static void check_text(void)
{
    int result[THREADS];
    lab_module *module =
        load("extern \"C\" __global__ void k(int *out)\n"
             "{ if (out[threadIdx.x] == 5) printf(\"a ptr is no i8* here\"); out[threadIdx.x] = 7; }\n");
    run(result, module, "k");
    for (int i = 0; i < THREADS; i++) cr_assert_eq(result[i], 7);
    LAB_CHECK(lab_module_unload(module));
}

Test(ir_names, a_text_of_the_source_is_not_taken_for_code) { check_text(); }

Test(ir_names, a_text_of_a_checked_source_is_not_taken_for_code)
{
    setenv("LAB_MEMCHECK", "1", 1);
    check_text();
}

/* ---- messages ---- */

static void check_message(const char *source, const char *name)
{
    cpu_module *module = NULL;
    char *text = with_names(source, name, "");
    kernels_use_kept_cache();
    cr_assert_eq(cpu_module_load(&module, text, "test.cu", NULL), LAB_ERROR_INVALID_SOURCE, "%s", lab_error_message());
    cr_assert_not_null(strstr(lab_error_message(), name), "%s", lab_error_message());
    free(text);
}

Test(ir_names, messages_say_names_of_700_letters_whole)
{
    char *name = long_name("name", 700);
    check_message("#define KERNEL extern \"C\" __global__ void\nKERNEL $(int *y) { *y = 1; }\n", name);
    check_message("extern \"C\" int $(int);\nextern \"C\" __global__ void k(int *y) { *y = $(1); }\n", name);
    free(name);
}

Test(ir_names, variables_may_have_letters_that_are_not_ascii)
{
    lab_module *module = load("struct punkt_größe { int x; };\n"
                              "__device__ int größe[4] = {1, 2, 3, 4};\n"
                              "extern \"C\" __global__ void k(int *out)\n"
                              "{\n"
                              "    __shared__ int länge[64], höhe[64]; __shared__ punkt_größe p;\n"
                              "    int *source = länge, *target = höhe;\n"
                              "    if (threadIdx.x == 0) p.x = größe[3];\n"
                              "    source[threadIdx.x] = threadIdx.x;\n"
                              "    for (int i = 0; i < out[0]; i++) {\n"
                              "        __syncthreads();\n"
                              "        target[threadIdx.x] = source[threadIdx.x];\n"
                              "        int *const old = source; source = target; target = old;\n"
                              "    }\n"
                              "    __syncthreads();\n"
                              "    out[threadIdx.x] = source[63 - threadIdx.x] + p.x;\n"
                              "}\n");
    LAB_CHECK(lab_module_unload(module));
}

/* ---- code of other versions of the compiler ---- */

/* The kernel's values, blocks and types have long names, as does the variable in a constant that a phi chooses. */
Test(ir_names, a_kernel_with_long_names_of_values_and_blocks_is_split)
{
    static const char constant[] = "ptr getelementptr inbounds (%~, ptr @$.variable, i64 0, i32 1)";
    char *name = long_name("name", 900), *type = long_name("struct.type", 900);
    char *ir = with_names(
        "%~ = type { i32, i32 }\n"
        "@_ZL10lab_thread = internal thread_local global [3 x i32] zeroinitializer, align 4\n"
        "@$.variable = internal thread_local global %~ zeroinitializer, align 4\n"
        "define hidden void @k(ptr %$.out, i32 %$.n) #1 {\n"
        "$.entry:\n"
        "  %$.own = alloca %~, align 4\n"
        "  %$.tid = load i32, ptr @_ZL10lab_thread, align 4\n"
        "  %$.pair = insertvalue %~ undef, i32 %$.tid, 0\n"
        "  store i32 %$.n, ptr %$.own, align 4\n"
        "  %$.more = icmp sgt i32 %$.n, 0\n"
        "  br i1 %$.more, label %$.loop, label %$.end\n"
        "\n"
        "$.loop:\n"
        "  %$.i = phi i32 [ 0, %$.entry ], [ %$.next, %$.loop ]\n"
        "  %$.at = phi ptr [ @$.variable, %$.entry ], [ getelementptr inbounds (%~, ptr @$.variable, i64 0, i32 1), "
        "%$.loop ]\n"
        "  call void @lab_suspend_syncthreads(ptr null, ptr @file, i32 3) #2\n"
        "  store i32 %$.n, ptr %$.at, align 4\n"
        "  %$.next = add i32 %$.i, 1\n"
        "  %$.done = icmp eq i32 %$.next, %$.n\n"
        "  br i1 %$.done, label %$.end, label %$.loop\n"
        "\n"
        "$.end:\n"
        "  %$.sum = phi i32 [ 0, %$.entry ], [ %$.i, %$.loop ]\n"
        "  %$.one = extractvalue %~ %$.pair, 0\n"
        "  %$.two = load i32, ptr %$.own, align 4\n"
        "  %$.all = add i32 %$.one, %$.two\n"
        "  %$.last = add i32 %$.all, %$.sum\n"
        "  store i32 %$.last, ptr %$.out, align 4\n"
        "  ret void\n"
        "}\n"
        "define void @lab_thread_k(ptr %a, ptr %b, ptr %c, ptr %d) #1 {\n"
        "  call void @k(ptr %a, i32 5)\n"
        "  ret void\n"
        "}\n"
        "declare void @lab_suspend_syncthreads(ptr, ptr, i32)\n"
        "attributes #1 = { noinline \"lab-kernel\" }\n",
        name, type);
    char *chosen = with_names(constant, name, type), *value = with_names("%$.", name, type);
    static const char *const kernel[] = {"k"};
    cpu_text split = {0}, why = {0};
    bool any;
    cr_assert(cpu_ir_split_kernels(&split, &why, &any, ir, kernel, 1, IR_CUT_AT_BRANCHES));
    cr_assert(any);
    cr_assert_not_null(strstr(split.data, "@lab_split_k = "), "%s", split.data);
    cr_assert_null(strstr(split.data, value), "the values have numbers instead of names: %s", split.data);
    cr_assert_not_null(strstr(split.data, chosen), "%s", split.data);
    cr_assert_str_eq(why.data, "");
    free(split.data);
    free(why.data);
    free(value);
    free(chosen);
    free(ir);
    free(type);
    free(name);
}
