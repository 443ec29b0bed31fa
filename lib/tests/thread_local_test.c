/* A function asks where its thread-local variables are once, and not in its innermost loop. */
#include "cpu/passes/thread_local.h"
#include "kernels.h"
#include "test_folder.h"

#include <limits.h>

static char *find_once(const char *ir)
{
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    ir_find_thread_local_once(out, ir);
    fclose(out);
    return text;
}

#define VARIABLES                                                                                                      \
    "@shared = internal thread_local global [4 x float] undef, align 16\n"                                             \
    "@plain = internal global float 0.000000e+00, align 4\n"
#define FUNCTION(begin, name)                                                                                          \
    "define float @f(float* %p) {\n" begin "  %x = load float, float* @" name "\n  ret float %x\n}\n"
#define CALL "  call void asm sideeffect \"\", \"r\"(i8* @lab_here)\n"
#define HERE "@lab_here = internal thread_local global i8 0\n"

Test(thread_local, a_function_with_such_a_variable_finds_it_at_its_beginning)
{
    char *text = find_once(VARIABLES FUNCTION("", "shared") FUNCTION("entry:\n", "shared"));
    cr_assert_str_eq(text, VARIABLES FUNCTION(CALL, "shared") FUNCTION("entry:\n" CALL, "shared") HERE);
    free(text);
}

Test(thread_local, other_functions_are_left_alone)
{
    char *text = find_once(VARIABLES FUNCTION("", "plain"));
    cr_assert_str_eq(text, VARIABLES FUNCTION("", "plain"));
    free(text);
}

#ifdef __x86_64__
static const char source[] = "extern \"C\" __global__ void turn(float *a)\n"
                             "{\n"
                             "    __shared__ float tile[16][16];\n"
                             "    const int x = threadIdx.x, y = threadIdx.y;\n"
                             "    tile[y][x] = a[16 * y + x];\n"
                             "    __syncthreads();\n"
                             "    a[16 * y + x] = 2 * tile[x][y];\n"
                             "}\n";

enum { INSTRUCTIONS = 20000 };

/* An instruction that goes elsewhere: from where, to where, and whether it is a call. */
typedef struct transfer {
    unsigned long from, to;
    bool calls;
} transfer;

/* Reads the conditional jumps of an object's code, and the calls of what finds thread-local variables, which begins
 * with the thread's own address. Other jumps may be calls at the end of a function. */
static int read_transfers(transfer list[INSTRUCTIONS], const char *object)
{
    char command[PATH_MAX + 64], line[512], name[32];
    unsigned long finder = 0;
    int count = 0;
    snprintf(command, sizeof command, "objdump -d --no-show-raw-insn '%s'", object);
    FILE *code = popen(command, "r");
    cr_assert_not_null(code);
    while (count < INSTRUCTIONS && fgets(line, sizeof line, code)) {
        transfer t;
        if (!finder && strstr(line, "%fs:0x0,%rax")) sscanf(line, " %lx:", &finder);
        if (sscanf(line, " %lx: %31s %lx", &t.from, name, &t.to) != 3) continue;
        t.calls = strncmp(name, "call", 4) == 0;
        if (t.calls ? t.to == finder : *name == 'j' && strncmp(name, "jmp", 3) != 0) list[count++] = t;
    }
    cr_assert_eq(pclose(code), 0, "objdump is a part of binutils, as ld");
    return count;
}

Test(thread_local, no_loop_of_a_kernel_asks_where_its_shared_memory_is)
{
    static transfer list[INSTRUCTIONS];
    const test_folder folder = test_folder_make("object");
    kernels_use_kept_cache();
    cpu_text object = {0};
    int kernels, calls = 0;
    int64_t ns;
    cr_assert_eq(cpu_module_compile(&object, &kernels, &ns, source, "test.cu"), LAB_SUCCESS, "%s", lab_error_message());
    FILE *file = fopen(folder.file, "w");
    cr_assert(file && fwrite(object.data, 1, object.size, file) == object.size && fclose(file) == 0);
    free(object.data);
    const int count = read_transfers(list, folder.file);
    for (int i = 0; i < count; i++) {
        calls += list[i].calls;
        for (int k = 0; k < count && !list[i].calls && list[i].to < list[i].from; k++)
            cr_assert(!list[k].calls || list[k].from < list[i].to || list[k].from > list[i].from,
                      "the loop from %lx to %lx has a call at %lx", list[i].to, list[i].from, list[k].from);
    }
    cr_assert_gt(calls, 2, "each part of the kernel asks once");
    test_folder_remove(&folder);
}
#endif
