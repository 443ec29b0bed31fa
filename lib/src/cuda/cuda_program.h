/* Programs that labcc compiled (seam/program/program_image.h): the code of one file, or of several that are linked. */
#ifndef LAB_CUDA_PROGRAM_H
#define LAB_CUDA_PROGRAM_H

#include "cuda/libraries/cuda_compile.h"
#include "cuda_device_state.h"
#include "seam/kernel_accesses.h"
#include "seam/program/program_image.h"

/* A kernel by its names: for a module's user, in the CPU's code, in PTX. */
typedef struct cuda_program_kernel {
    char *name, *symbol, *ptx_name;
    const char *kinds; /* in the image */
    int params;
} cuda_program_kernel;

typedef struct cuda_program {
    char *images;   /* NULL if the module is another's */
    bool is_linked; /* as the CPU device links it: there are several, or one that uses what it does not define */
    int kernels;
    cuda_program_kernel *kernel;
} cuda_program;

/* Keeps the images and lists their kernels. False when memory runs out. Call cuda_program_free in either case. */
bool cuda_program_read(cuda_program *out, const char *images);
void cuda_program_free(cuda_program *program);

/* Loads the program's PTX in the current context, and tells it where the host has managed variables. `name` is for
 * messages. */
lab_status cuda_program_load(CUmodule *native, const cuda_program *program, const char *name);

/* Where the host has the managed variable of that name in the CPU's code; false if it is no managed variable. */
bool cuda_program_place(uint64_t *address, size_t *bytes, const cuda_program *program, const char *name);

/* What kernels read and write, by their names in the CPU's code; false when memory runs out. */
bool cuda_program_accesses(kernel_accesses *found, const cuda_program *program);

lab_status cuda_program_param(cuda_param_facts *facts, CUfunction function, const cuda_program_kernel *kernel,
                              int number);

#endif
