/* The pass that makes a GPU's code this machine's: small modules as clang writes them, with pointers of both forms. */
#include "cpu/compiler/link_parts.h"
#include "cpu/retarget/parts.h"
#include "cpu/retarget/retarget.h"
#include "seam/program/program_image.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* The functions and lists that every module has. */
#define COMMON(P, L)                                                                                                   \
    "define dso_local void @lab_entry(" P " noundef %args, " L " noundef %launch, i64 noundef %first, i64 noundef "    \
    "%count) #0 {\n"                                                                                                   \
    "  call void @lab_arguments(" P " noundef %args) #1\n"                                                             \
    "  call void @lab_kernel() #1\n"                                                                                   \
    "  ret void\n"                                                                                                     \
    "}\n"                                                                                                              \
    "declare dso_local void @lab_arguments(" P " noundef) #1\n"                                                        \
    "declare dso_local void @lab_kernel() #1\n"                                                                        \
    "attributes #0 = { convergent nounwind \"frame-pointer\"=\"all\" \"target-cpu\"=\"sm_70\" }\n"                     \
    "attributes #1 = { convergent }\n"

static char *retarget(const char *ir)
{
    cpu_text out = {0};
    cr_assert(cpu_ir_retarget(&out, ir));
    return out.data;
}

#define HAS(text, part) cr_assert(strstr(text, part) != NULL, "no %s in\n%s", part, text)
#define LACKS(text, part) cr_assert(strstr(text, part) == NULL, "%s in\n%s", part, text)

static const char TYPED[] =
    "target triple = \"nvptx64-nvidia-cuda\"\n"
    "%struct.P = type { float, i32, double }\n"
    "$_Z5scalePf1Pb = comdat any\n"
    "@tile = internal addrspace(3) global [256 x float] undef, align 4\n"
    "@part = external dso_local addrspace(3) global [0 x float], align 4\n"
    "@count = dso_local addrspace(1) externally_initialized global i32 3, align 4\n"
    "@table = dso_local addrspace(4) externally_initialized global [4 x float] zeroinitializer, align 4\n"
    "@_ZL10lab_thread = internal addrspace(1) global i32 0, section \"lab.thread\", align 4\n"
    "@.str = private unnamed_addr constant [22 x i8] c\" addrspace(3) @part  \\00\", align 1\n"
    "define dso_local void @_Z5scalePf1Pb(float* noundef %x, %struct.P* noundef byval(%struct.P) align 8 %p, i1 "
    "noundef "
    "zeroext %twice) #0 comdat !dbg !7 {\n"
    "  store float* getelementptr inbounds ([256 x float], [256 x float]* addrspacecast ([256 x float] addrspace(3)* "
    "@tile "
    "to [256 x float]*), i64 0, i64 1), float** %1\n"
    "  store [0 x float]* addrspacecast ([0 x float] addrspace(3)* @part to [0 x float]*), [0 x float]** %2\n"
    "  ret void\n"
    "}\n" COMMON("i8**", "%struct.cpu_launch*") //
    "!nvvm.annotations = !{!4}\n"
    "!4 = !{void (float*, %struct.P*, i1)* @_Z5scalePf1Pb, !\"kernel\", i32 1}\n"
    "!5 = !DIFile(filename: \"folder/a.cu\", directory: \"/\")\n"
    "!7 = distinct !DISubprogram(name: \"scale<1>\", scope: !5, file: !5, line: 12)\n";

Test(retarget, a_managed_variable_is_open_to_the_loader_under_a_name_of_its_own)
{
    char *made =
        retarget("@_ZL3sum = internal addrspace(1) global %struct.P { i32 1 }, section \"lab.managed\", align 4\n"
                 "@far = external dso_local addrspace(1) global i32, section \"lab.managed\", align 4\n"
                 "@use = addrspace(1) global i32 addrspace(1)* @_ZL3sum\n");
    HAS(made, "; managed _ZL3sum\n");
    HAS(made, "@_ZL3sum.managed = global %struct.P { i32 1 }, align 4\n");
    HAS(made, "i32* @_ZL3sum.managed\n");
    LACKS(made, "; managed far");
    free(made);
}

Test(retarget, memory_of_a_block_becomes_thread_local)
{
    char *made = retarget(TYPED);
    HAS(made, "@tile = internal thread_local global [256 x float] undef, align 4\n");
    HAS(made, "@lab_dynamic_shared = hidden thread_local global [49152 x i8] zeroinitializer, align 128\n");
    HAS(made, "([0 x float]* bitcast ([49152 x i8]* @lab_dynamic_shared to [0 x float]*) to [0 x float]*)");
    LACKS(made, "@part =");
    HAS(made, "@_ZL10lab_thread = internal thread_local global i32 0, align 4\n");
    free(made);
}

Test(retarget, variables_of_the_device_become_hidden)
{
    char *made = retarget(TYPED);
    HAS(made, "@count = hidden global i32 3, align 4\n");
    HAS(made, "@table = hidden global [4 x float] zeroinitializer, section \"lab.constant\", align 4\n");
    free(made);
}

Test(retarget, nothing_of_a_gpu_stays)
{
    char *made = retarget(TYPED);
    LACKS(made, "nvptx");
    LACKS(made, "sm_70");
    LACKS(made, "addrspacecast");
    LACKS(made, "comdat");
    LACKS(made, "declare void @lab_");
    HAS(made, "c\" addrspace(3) @part  \\00\""); /* a text is not code */
    free(made);
}

Test(retarget, kernels_get_entries_and_a_table)
{
    char *made = retarget(TYPED);
    HAS(made, "define hidden void @kernel_Z5scalePf1Pb(float* noundef %x");
    HAS(made, "define hidden void @lab_entry_kernel_Z5scalePf1Pb(");
    HAS(made, "%lab.argument1 = alloca %struct.P, align 8\n"); /* a structure is copied, */
    HAS(made, "%lab.argument2 = trunc i8 %lab.byte2 to i1\n"); /* and a bool is a byte */
    HAS(made,
        "call void @kernel_Z5scalePf1Pb(float* noundef %lab.argument0, %struct.P* noundef byval(%struct.P) align 8 "
        "%lab.argument1, i1 noundef zeroext %lab.argument2)\n");
    HAS(made, "@lab_kernels = constant [2 x ");
    LACKS(made, "@lab_entry(");
    free(made);
}

Test(retarget, the_list_of_kernels_can_be_read)
{
    char *made = retarget(TYPED);
    const char *at = made;
    program_kernel kernel;
    cr_assert(program_image_next_kernel(&kernel, &at));
    cr_assert(kernel.name_length == 8 && memcmp(kernel.name, "scale<1>", 8) == 0);
    cr_assert(kernel.mangled_length == 13 && memcmp(kernel.mangled, "_Z5scalePf1Pb", 13) == 0);
    cr_assert(kernel.line == 12);
    cr_assert(kernel.params == 3 && memcmp(kernel.kinds, "pbi", 3) == 0);
    cr_assert(!program_image_next_kernel(&kernel, &at));
    free(made);
}

Test(retarget, pointers_without_types_are_read_too)
{
    char *made = retarget("@part = external dso_local addrspace(3) global [0 x float], align 4\n"
                          "define dso_local void @_Z4sumsPf(ptr noundef %x, i32 noundef %0) #0 {\n"
                          "  store ptr addrspacecast (ptr addrspace(3) @part to ptr), ptr %x\n"
                          "  ret void\n"
                          "}\n" COMMON("ptr", "ptr") //
                          "!4 = !{ptr @_Z4sumsPf, !\"kernel\", i32 1}\n");
    HAS(made, "store ptr bitcast (ptr @lab_dynamic_shared to ptr), ptr %x\n");
    HAS(made, "%lab.argument0 = load ptr, ptr %lab.address0, align 1\n");
    HAS(made, "call void @kernel_Z4sumsPf(ptr noundef %lab.argument0, i32 noundef %lab.argument1)\n");
    HAS(made, "; kernel kernel_Z4sumsPf 0 _Z4sumsPf pi _Z4sumsPf\n"); /* no debug information */
    free(made);
}

Test(retarget, waiting_functions_alone_are_convergent)
{
    char *made = retarget("define linkonce_odr dso_local void @lab_suspend_syncthreads(ptr %l) #0 comdat {\n"
                          "  ret void\n"
                          "}\n" COMMON("ptr", "ptr"));
    HAS(made, "define linkonce_odr hidden void @lab_suspend_syncthreads(ptr %l) #0 convergent {\n");
    HAS(made, "attributes #1 = { }\n");
    free(made);
}

Test(retarget, code_without_checks_has_no_lines)
{
    cpu_text plain = {0};
    cr_assert(cpu_ir_leave_out_checks(&plain, "@llvm.compiler.used = appending global []\n"
                                              "define hidden void @lab_check_done(i8* %x) #0 !dbg !3 {\n"
                                              "  ret void, !dbg !4\n"
                                              "}\n"
                                              "define hidden void @kernel(i8* %x) #0 !dbg !5 {\n"
                                              "  store i8 0, i8* %x, align 1, !dbg !6\n"
                                              "}\n"
                                              "!9 = !{i32 2, !\"Debug Info Version\", i32 3}\n"));
    cr_assert_str_eq(plain.data, "define hidden void @kernel(i8* %x) #0 {\n"
                                 "  store i8 0, i8* %x, align 1\n"
                                 "}\n"
                                 "!9 = !{i32 2, !\"lab\", i32 3}\n");
    free(plain.data);
}

/* ---- one of several files ---- */

static char *make_part(const char *ir)
{
    cpu_text out = {0};
    cr_assert(cpu_ir_make_part(&out, ir, 2));
    return out.data;
}

Test(parts, what_a_file_has_of_its_own_gets_its_number_in_every_use)
{
    char *made = make_part("target triple = \"nvptx64-nvidia-cuda\"\n"
                           "$_ZL4stepPf = comdat any\n"
                           "@_ZL3own = internal addrspace(1) global i32 3, align 4\n"
                           "@_ZL3far = external addrspace(1) global i32, align 4\n"
                           "@open = dso_local addrspace(1) global i32* @_ZL3own, align 8\n"
                           "@.str = private constant [9 x i8] c\"@_ZL3own\\00\"\n"
                           "define dso_local void @_ZL4stepPf(float* %x) #0 comdat !dbg !7 {\n"
                           "  store i32* @_ZL3own, i32** @open\n"
                           "}\n");
    HAS(made, "@_ZL3own.file2 = internal addrspace(1) global i32 3, align 4\n");
    HAS(made, "@_ZL3far = external");
    HAS(made, "@open = dso_local addrspace(1) global i32* @_ZL3own.file2, align 8\n");
    HAS(made, "c\"@_ZL3own\\00\"\n");
    HAS(made, "void @_ZL4stepPf.file2(float* %x) #0 !dbg !7 {\n");
    HAS(made, "store i32* @_ZL3own.file2, i32** @open\n");
    LACKS(made, "comdat");
    LACKS(made, "target");
    free(made);
}

Test(parts, built_ins_and_templates_of_all_files_become_one)
{
    char *made = make_part("@_ZL10lab_thread = internal addrspace(1) global i32 0, section \"lab.thread\", align 4\n"
                           "define internal i32 @_ZL5shareDv() #0 !dbg !7 {\n"
                           "}\n"
                           "define internal i32 @_ZL4minev() #0 !dbg !8 {\n"
                           "}\n"
                           "define dso_local void @_Z5scaleIfEvPT_(float* %x) #0 comdat {\n"
                           "}\n"
                           "!5 = !DIFile(filename: \"<CUDA built-ins>\", directory: \"/\")\n"
                           "!6 = !DIFile(filename: \"a.cu\", directory: \"/\")\n"
                           "!7 = distinct !DISubprogram(name: \"shared\", scope: !5, file: !5, line: 1)\n"
                           "!8 = distinct !DISubprogram(name: \"mine\", scope: !6, file: !6, line: 1)\n");
    HAS(made, "@_ZL10lab_thread = weak_odr addrspace(1) global i32 0");
    HAS(made, "define weak_odr i32 @_ZL5shareDv() #0");
    HAS(made, "define internal i32 @_ZL4minev.file2() #0");
    HAS(made, "define weak_odr void @_Z5scaleIfEvPT_(float* %x) #0 {\n");
    free(made);
}

Test(parts, a_missing_definition_is_found)
{
    span name;
    cr_assert(cpu_ir_find_undefined(&name, "declare float @sinf(float)\n@x = global i32 0\ndeclare void @_Z1fv()\n"));
    cr_assert(span_is(cpu_ir_source_name(name), "f"));
    cr_assert(cpu_ir_find_undefined(&name, "@weights = external global [3 x i32]\n"));
    cr_assert(span_is(cpu_ir_source_name(name), "weights"));
    cr_assert(!cpu_ir_find_undefined(&name, "declare float @sinf(float)\n@x = global i32 0\n"));
}

Test(parts, a_missing_function_of_c_is_found_and_is_not_one_of_cuda)
{
    span name;
    cr_assert(cpu_needs_others(&name, "declare float @sinf(float)\ndeclare float @halve(float)\n"));
    cr_assert(span_is(name, "halve"));
    cr_assert(!cpu_needs_others(&name, "declare float @sinf(float)\ndefine float @halve(float %x) {\n"));
}

/* ---- images ---- */

static char *image_of(const char *cpu, const char *gpu)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert(out);
    static const char places[] = "sum 10fe 4\n_ZL3top 7ffe01234560 8000\n";
    program_image_write(out, &(program_image){.cpu = cpu,
                                              .cpu_bytes = strlen(cpu),
                                              .ptx = gpu,
                                              .ptx_bytes = strlen(gpu),
                                              .places = places,
                                              .places_bytes = strlen(places)});
    fclose(out);
    return text;
}

Test(program_image, parts_are_found_again)
{
    program_image image;
    char *text = image_of("; kernel a 1 a - a\nrest", "other");
    cr_assert(program_image_read(&image, text));
    cr_assert(strncmp(image.cpu, "; kernel a", 10) == 0);
    cr_assert(image.ptx_bytes == 5 && strncmp(image.ptx, "other", 5) == 0);
    cr_assert(program_image_bytes(text) == strlen(text));
    free(text);
}

Test(program_image, places_of_managed_variables_are_found_again)
{
    program_image image;
    program_place place;
    char *text = image_of("; kernel a 1 a - a\n; managed sum\n; managed _ZL3top\nrest", "other");
    cr_assert(program_image_read(&image, text));
    const char *at = image.places;
    cr_assert(program_image_next_place(&place, &at));
    cr_assert(place.mangled_length == 3 && strncmp(place.mangled, "sum", 3) == 0 && place.address == 0x10fe);
    cr_assert(place.bytes == 4);
    cr_assert(program_image_next_place(&place, &at) && place.address == UINT64_C(0x7ffe01234560) &&
              place.bytes == 8000);
    cr_assert(!program_image_next_place(&place, &at));
    cr_assert(program_image_has_managed(text, "sum") && program_image_has_managed(text, "_ZL3top"));
    cr_assert(!program_image_has_managed(text, "su") && !program_image_has_managed(text, "rest"));
    free(text);
}

Test(program_image, several_are_taken_one_after_another)
{
    const char *const link[] = {PROGRAM_NEEDS "code", "code", ""};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; i < 3; i++)
        program_image_write(
            out, &(program_image){.cpu = "a", .cpu_bytes = 1, .link = link[i], .link_bytes = strlen(link[i])});
    fclose(out);
    program_image image;
    const char *at = text;
    for (int i = 0; i < 3; i++) {
        cr_assert(program_image_has_link(at) == (i < 2) && program_image_needs_link(at) == (i == 0));
        cr_assert(program_image_take(&image, &at));
        cr_assert(image.link_bytes == strlen(link[i]) && strncmp(image.link, link[i], image.link_bytes) == 0);
    }
    cr_assert(*at == '\0' && !program_image_take(&image, &at));
    cr_assert(!program_image_read(&image, text));
    free(text);
}

Test(program_image, what_is_static_has_the_number_of_its_file)
{
    static const char *const names[][2] = {
        {"_ZL5count", "_ZL5count.file3"},
        {"_ZN12_GLOBAL__N_15countE", "_ZN12_GLOBAL__N_15countE.file3"},
        {"_ZN1LL1LE", "_ZN1LL1LE.file3"},
        {"_Z3runIXadL_ZL4onceiEEEvPi", "_Z3runIXadL_ZL4onceiEEEvPi.file3"},
        {"_Z3runIXadL_ZN5spaceL4onceEiEEEvPi", "_Z3runIXadL_ZN5spaceL4onceEiEEEvPi.file3"},
        {"_Z3runIZL4hostvEUliE_EvT_", "_Z3runIZL4hostvEUliE_EvT_.file3"},
        {"_Z3runIXadL_Z4onceiEEEvPi", "_Z3runIXadL_Z4onceiEEEvPi"},
        {"_Z5scalePf", "_Z5scalePf"},
        {"_ZN99", "_ZN99"},
        {"_Z", "_Z"},
        {"count", "count"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *made = program_part_name(names[i][0], 3);
        cr_assert_str_eq(made, names[i][1]);
        free(made);
    }
}

Test(program_image, ptx_does_not_mark_what_is_static)
{
    static const char *const names[][2] = {
        {"_Z5scalePf", "_Z5scalePf"},
        {"scale", "scale"},
        {"_ZL5scalePf", "_Z5scalePf"},
        {"_ZL5scaleIfEvPT_", "_Z5scaleIfEvPT_"},
        {"_ZL5count", "count"},
        {"_ZN5spaceL5countE", "_ZN5space5countE"},
        {"_ZN1a1bL1cEv", "_ZN1a1b1cEv"},
        {"_ZN1LL1LE", "_ZN1L1LE"},
        {"_ZN12_GLOBAL__N_15countE", "_ZN12_GLOBAL__N_15countE"},
        {"_ZL", "_Z"},
        {"_ZN99", "_ZN99"},
        {"_ZL5scalePf.file12", "_Z5scalePf$file12"},
        {"_ZL5count.file0", "count$file0"},
        {"count.file0", "count$file0"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *made = program_ptx_name(names[i][0]);
        cr_assert_str_eq(made, names[i][1]);
        free(made);
    }
}

Test(program_image, what_is_static_in_ptx_has_the_number_of_its_file)
{
    static const char ptx[] = ".entry set$file()\nld.u64 %rd1, [count$file$at];\nfile$fil";
    const program_image image = {.ptx = ptx, .ptx_bytes = sizeof ptx - 2};
    char *linked = program_part_ptx(&image, 3), *alone = program_part_ptx(&image, -1);
    cr_assert_str_eq(linked, ".entry set$file3()\nld.u64 %rd1, [count$file3$at];\nfile$fi");
    cr_assert_str_eq(alone, ".entry set()\nld.u64 %rd1, [count$at];\nfile$fi");
    free(linked);
    free(alone);
}

Test(program_image, a_damaged_image_is_none)
{
    program_image image;
    char *text = image_of("code", "");
    for (size_t i = 0; text[i]; i++) {
        char *cut = strndup(text, i);
        cr_assert(!program_image_read(&image, cut), "cut to %zu bytes", i);
        free(cut);
    }
    cr_assert(!program_image_read(&image, "__global__ void kernel() {}"));
    free(text);
}
