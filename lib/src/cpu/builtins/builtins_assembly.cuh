// The only assembly of a kernel module.

// __tls_get_addr gives the address of a thread-local variable. LLVM assumes that it preserves the registers that
// AVX-512 added. The first call on a thread does not: it allocates and clears memory. The linker sends every call here
// (--wrap), where the registers are saved. Saving them takes longer than most regions of a split kernel. So answers are
// kept for some threads, by the thread's address: where the module's variables begin. An answer holds as long as the
// thread's vector of modules, at %fs:8, has the same one: 16 bytes for each module, in every glibc.
#if defined(__x86_64__)
#ifdef __AVX512F__
#ifdef __AVX512BW__
#define LAB_MOVE_MASK "kmovq"
#else
#define LAB_MOVE_MASK "kmovw"
#endif
#define LAB_EACH_VECTOR ".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
#define LAB_EACH_MASK ".irp n, 0, 1, 2, 3, 4, 5, 6, 7\n"
#define LAB_SAVE                                                                                                       \
    LAB_EACH_VECTOR "vmovups %zmm\\n, 64 * (\\n - 16)(%rsp)\n.endr\n"                                                  \
    LAB_EACH_MASK LAB_MOVE_MASK " %k\\n, 16 * 64 + 8 * \\n(%rsp)\n.endr\n"
#define LAB_RESTORE                                                                                                    \
    LAB_EACH_VECTOR "vmovups 64 * (\\n - 16)(%rsp), %zmm\\n\n.endr\n"                                                  \
    LAB_EACH_MASK LAB_MOVE_MASK " 16 * 64 + 8 * \\n(%rsp), %k\\n\n.endr\n"
#else
#define LAB_SAVE
#define LAB_RESTORE
#endif
__asm__(".pushsection .text\n"
        ".globl __wrap___tls_get_addr\n"
        ".hidden __wrap___tls_get_addr\n"
        ".type __wrap___tls_get_addr, @function\n"
        "__wrap___tls_get_addr:\n"
        ".cfi_startproc\n"
        "movq %fs:0, %rax\n"
        "movq %fs:8, %rcx\n"
        "movq (%rdi), %rdx\n"
        "movl %eax, %esi\n"
        "shrl $8, %esi\n"
        "andl $(63 * 16), %esi\n"
        "leaq lab_answers(%rip), %r8\n"
        "addq %rsi, %r8\n"
        "cmpq %rax, (%r8)\n"
        "jne 1f\n"
        "movq 8(%r8), %rax\n"
        "shlq $4, %rdx\n"
        "cmpq %rax, (%rcx, %rdx)\n"
        "jne 1f\n"
        "addq 8(%rdi), %rax\n"
        "ret\n"
        "1:\n"
        "pushq %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "movq %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "subq $(16 * 64 + 64 + 64), %rsp\n"
        "andq $-64, %rsp\n"
        LAB_SAVE
        "movq %rdi, (16 * 64 + 64)(%rsp)\n"
        "movq %r8, (16 * 64 + 72)(%rsp)\n"
        "call __real___tls_get_addr@PLT\n"
        "movq (16 * 64 + 64)(%rsp), %rdi\n"
        "movq (16 * 64 + 72)(%rsp), %r8\n"
        "movq %rax, %rcx\n"
        "subq 8(%rdi), %rcx\n"
        "movq %fs:0, %rdx\n"
        "movq %rcx, 8(%r8)\n"
        "movq %rdx, (%r8)\n"
        LAB_RESTORE
        "leave\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size __wrap___tls_get_addr, . - __wrap___tls_get_addr\n"
        ".section .bss\n"
        ".balign 64\n"
        "lab_answers: .zero 64 * 16\n"
        ".popsection\n");
#undef LAB_SAVE
#undef LAB_RESTORE
#endif
