/* Accesses are also checked in code as other versions of LLVM write it, which may not be installed here. */
#include "cpu/passes/memcheck.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* A kernel that writes behind a shared array, with these promises about the address. */
#define WRITES_BEHIND(promises)                                                                                        \
    "@_ZZ1kE4tile = internal thread_local global [64 x i32] zeroinitializer, align 16\n"                               \
    "define void @k(i64 %0) {\n"                                                                                       \
    "  %2 = getelementptr " promises "[64 x i32], ptr @_ZZ1kE4tile, i64 0, i64 %0, !dbg !3\n"                          \
    "  store i32 1, ptr %2, align 4, !dbg !3\n"                                                                        \
    "  ret void\n"                                                                                                     \
    "}\n"                                                                                                              \
    "!1 = !DIFile(filename: \"k.cu\", directory: \"\")\n"                                                              \
    "!2 = distinct !DISubprogram(name: \"k\", scope: !1, file: !1, line: 1)\n"                                         \
    "!3 = !DILocation(line: 1, column: 1, scope: !2)\n"

static void check_is_added(const char *code)
{
    cpu_text checked = {0};
    cr_assert(cpu_ir_check(&checked, code));
    cr_assert(strstr(checked.data, "getelementptr [64 x i32], ptr @_ZZ1kE4tile, i64 0, i64 %0\n"), "%s", checked.data);
    cr_assert(strstr(checked.data, "  call void @lab_check_object(ptr %2, "), "%s", checked.data);
    free(checked.data);
}

Test(ir_check, takes_out_that_an_address_stays_inside) { check_is_added(WRITES_BEHIND("inbounds ")); }

/* From LLVM 20 on clang promises this for every unsigned index. */
Test(ir_check, takes_out_that_an_unsigned_index_does_not_wrap) { check_is_added(WRITES_BEHIND("inbounds nuw ")); }

Test(ir_check, takes_out_that_an_address_does_not_wrap) { check_is_added(WRITES_BEHIND("nusw nuw ")); }
