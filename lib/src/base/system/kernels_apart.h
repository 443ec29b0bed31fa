/* Whether kernels can run in a process of their own (lib/docs/kernels.md). On other processors than x86-64 the kernels
 * of a program that is not trusted run in the device process, since cpu/object reads objects of x86-64 alone. */
#ifndef LAB_BASE_SYSTEM_KERNELS_APART_H
#define LAB_BASE_SYSTEM_KERNELS_APART_H

#if defined(__x86_64__)
#define KERNELS_CAN_BE_APART 1
#else
#define KERNELS_CAN_BE_APART 0
#endif

#endif
