/* Objects that ask their loader for what kernels do not need, made by the compiler from C. */
#include "test.h"

#include "base/system/kernels_apart.h"
#include "cpu/compiler/compile.h"
#include "cpu/object/module_tables.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if KERNELS_CAN_BE_APART

static _Alignas(8) char object[1 << 20];
static size_t object_bytes;

static void compile(const char *source, const char *options)
{
    char command[1024];
    char path[] = "/tmp/lab-object-XXXXXX";
    const int file = mkstemp(path);
    cr_assert_geq(file, 0);
    snprintf(command, sizeof command, "clang -x c -shared -fPIC -nostdlib -Wl,--hash-style=sysv -w %s -o %s -", options,
             path);
    FILE *compiler = popen(command, "w");
    fputs(source, compiler);
    cr_assert_eq(pclose(compiler), 0, "%s", source);
    FILE *made = fdopen(file, "rb");
    object_bytes = fread(object, 1, sizeof object, made);
    fclose(made);
    unlink(path);
}

/* What is wrong with the object, by all checks together; NULL if nothing is. */
static const char *find_fault(int kernels)
{
    const char *fault;
    object_image image = {.bytes = object_image_bytes(&fault, object, object_bytes)};
    if (!image.bytes) return fault;
    image.memory = calloc(1, image.bytes + 1);
    object_image_copy(&image, object);
    fault = object_image_relocate(&image, NULL, 0);
    if (!fault && object_image_symbol(&image, "lab_kernels")) fault = module_tables_check(&image, kernels);
    free(image.memory);
    return fault;
}

static void check_refused(const char *source, const char *options, const char *text)
{
    compile(source, options);
    const char *fault = find_fault(1);
    cr_assert(fault && strstr(fault, text), "%s: %s", source, fault ? fault : "accepted");
}

Test(object, an_object_that_asks_for_nothing_is_read)
{
    compile("int value = 7; int *address = &value; static __thread int own; int *get(void) { return &own; }", "");
    const char *fault = find_fault(1);
    cr_assert_null(fault, "%s", fault);
}

Test(object, no_code_runs_when_an_object_is_loaded)
{
    check_refused("__attribute__((constructor)) static void begin(void) {}", "", "it would run code when it is loaded");
    check_refused("__attribute__((destructor)) static void end(void) {}", "", "it would run code when it is loaded");
    check_refused("void _init(void) {}", "", "it would run code when it is loaded");
    check_refused("static int one(void) { return 1; } static void *choose(void) { return one; }\n"
                  "int f(void) __attribute__((ifunc(\"choose\"))); int (*use)(void) = f;",
                  "", "");
}

Test(object, code_cannot_be_changed)
{
    compile("int f(void) { return 1; }", "");
    const Elf64_Ehdr *head = (const void *)object;
    Elf64_Phdr *segment = (void *)(object + head->e_phoff);
    while (!(segment->p_flags & PF_X)) segment++;
    segment->p_flags |= PF_W;
    const char *fault = find_fault(1);
    cr_assert(fault && strstr(fault, "its code could be changed"), "%s", fault ? fault : "accepted");
    check_refused("extern int other; __asm__(\".text\\n.quad value\\n\"); int value;", "-Wl,-z,notext", "");
}

Test(object, a_program_is_no_object_of_kernels)
{
    FILE *file = fopen("/proc/self/exe", "rb");
    object_bytes = fread(object, 1, sizeof object, file);
    fclose(file);
    cr_assert_not_null(find_fault(1));
}

Test(object, code_for_another_processor_is_refused)
{
    compile("int value;", "");
    ((Elf64_Ehdr *)(void *)object)->e_machine = EM_AARCH64;
    const char *fault = find_fault(1);
    cr_assert(fault && strstr(fault, "another processor than x86-64"), "%s", fault ? fault : "accepted");
}

/* The fuzzer's seed (fuzz_object.c) is of use only while the reader accepts it. */
static const char SEED[] = "__device__ int total;\n"
                           "extern \"C\" __global__ void sums(float *y, const float *x, int n)\n"
                           "{\n"
                           "    __shared__ float part[64];\n"
                           "    part[threadIdx.x] = x[threadIdx.x];\n"
                           "    __syncthreads();\n"
                           "    if (threadIdx.x < n) y[threadIdx.x] = part[63 - threadIdx.x];\n"
                           "}\n"
                           "extern \"C\" __global__ void add(int *x) { atomicAdd(&total, *x); }\n";

static const char *read_seed(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return "there is no such file";
    const int kernels = fgetc(file);
    object_bytes = fread(object, 1, sizeof object, file);
    fclose(file);
    return find_fault(kernels);
}

static void write_seed(const char *path)
{
    cpu_text made = {0};
    int kernels;
    FILE *file = fopen(path, "wb");
    if (file && cpu_module_compile(&made, &kernels, &(int64_t){0}, SEED, "seed.cu") == LAB_SUCCESS) {
        fputc(kernels, file);
        fwrite(made.data, 1, made.size, file);
    }
    if (file) fclose(file);
    free(made.data);
}

Test(object, the_fuzzers_seed_is_an_object_of_this_compiler)
{
    static const char name[] = "lib/tests/fuzz_object.corpus/module.object", made[] = "build/module.object";
    const char *fault = read_seed(name);
    if (fault) write_seed(made);
    cr_assert_null(fault, "%s: %s; copy %s there", name, fault, made);
    write_seed(made);
    fault = read_seed(made);
    cr_assert_null(fault, "%s: %s", made, fault);
}

/* Every byte of an object with kernels, damaged: the reader refuses it or reads what lies in it. */
Test(object, no_damage_makes_the_reader_leave_the_object)
{
    compile(
        "struct { const char *name; int line, params; const void *param; void *f[2]; const void *split, *suspends;\n"
        "unsigned long bytes; _Bool dynamic; void *variables; const void *code; unsigned long code_bytes;\n"
        "const char *access, *variable_access; const void *apart; } lab_kernels[2] = {{\"k\"}};\n"
        "struct { unsigned long a[3]; const void *split; } lab_facts[1];\n"
        "const char lab_texts[] = \"\\0\\0\\0\"; unsigned long lab_variable_table[2]; char lab_variable_names[1];\n",
        "-Wl,--hash-style=both");
    /* A string of some other place would do as well: only that nothing is read outside counts. */
    for (size_t i = 0; i < object_bytes; i++) {
        const char kept = object[i];
        for (int value = 0; value < 3; value++) {
            object[i] = (char)(value == 0 ? kept ^ 1 : value == 1 ? 0xff : kept + 0x40);
            find_fault(1);
        }
        object[i] = kept;
    }
}

#endif
