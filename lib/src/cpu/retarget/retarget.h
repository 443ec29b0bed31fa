/*
 * Turns the code that clang makes of a CUDA program for a GPU into the code that the other passes read, as if it came
 * from a kernel source. labcc calls it when it compiles a program.
 *
 * A GPU's code is the same on every host: each parameter of a kernel in C++ is one parameter here, structures lie in
 * memory, and the kernels are listed. What the pass changes:
 *
 *     @tile = internal addrspace(3) global [256 x float]     @tile = internal thread_local global [256 x float]
 *     @sums = external addrspace(3) global [0 x float]       @lab_dynamic_shared, of all such arrays
 *     @count = addrspace(1) externally_initialized global    @count = hidden global
 *     @table = addrspace(4) externally_initialized global    @table = hidden global, with a section (ir/text.h)
 *     a variable of the section "lab.thread" (builtins.cuh)  thread_local
 *     @sum of the section "lab.managed" (builtins.cuh)       @sum.managed, which the loader may place (object_places.h)
 *     addrspacecast                                          bitcast
 *     kernel @_Z5scalePf                                     @kernel_Z5scalePf: a name beginning with _Z is no kernel's
 *
 * Each kernel gets two entries, copies of lab_entry and lab_thread_entry (builtins_cuda.cuh), and a place in the table
 * lab_kernels. The module begins with comments that list the kernels:
 *
 *     ; kernel kernel_Z5scalePf 12 _Z5scalePf p scale<float>   its name here, its line, what the host calls it, its
 *                                                               parameters' kinds, its name
 *
 * The last is the source's name, or what the host calls the kernel if an earlier one has that name. It is the kernel's
 * name in the table. After the kernels the managed variables are listed: "; managed sum". seam/program/program_image.h
 * reads the lists.
 */
#ifndef LAB_CPU_RETARGET_RETARGET_H
#define LAB_CPU_RETARGET_RETARGET_H

#include "cpu/ir/text.h"

/* The caller frees the output. False when memory runs out. */
bool cpu_ir_retarget(cpu_text *out, const char *ir);

/* Copies a retargeted module without debug information and without the functions of the checks. */
bool cpu_ir_leave_out_checks(cpu_text *out, const char *ir);

#endif
