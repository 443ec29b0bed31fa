/*
 * __managed__ variables in PTX. The host's memory is that of the variable, as for the CPU device (managed.h), and PTX
 * cannot say that a variable has the address of other memory. So the code has a variable with that address, which the
 * device sets when it loads the code, and each instruction that names the managed variable reads the address first:
 *
 *     .visible .global .attribute(.managed) .align 4 .u32 count = 5;        .visible .global .align 8 .u64 count$at;
 *
 *     ld.global.u32 %r1, [count+4];      { .reg .u64 %lab_at0; ld.global.u64 %lab_at0, [count$at];
 *                                        ld.global.u32 %r1, [%lab_at0+4];
 *                                        }
 */
#ifndef LAB_LABCC_PTX_PTX_MANAGED_H
#define LAB_LABCC_PTX_PTX_MANAGED_H

/* A copy of the PTX with the host's memory in place of managed variables. The caller frees it. NULL when memory runs
 * out. */
char *labcc_share_ptx_variables(const char *ptx);

#endif
