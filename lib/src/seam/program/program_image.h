/*
 * The code for devices in a program that labcc compiled (lib/docs/labcc.md), as a text: it takes the place of a kernel
 * source when a module is loaded.
 *
 *     ; labcc 2 <bytes> <bytes> <bytes>    the lengths of the parts
 *     ; kernel ...                         the first: a module of LLVM IR for the CPU device, which begins with the
 *     ...                                  lists of its kernels and managed variables (cpu/retarget/retarget.h)
 *     ...                                  the second: the same program's PTX for a GPU, or nothing
 *     sum 7ffe01234560                     the third: where the host's code has these managed variables. The program
 *                                          adds it when it runs
 */
#ifndef LAB_SEAM_PROGRAM_PROGRAM_IMAGE_H
#define LAB_SEAM_PROGRAM_PROGRAM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The second ends with a zero byte where there is no third: a GPU's code has no managed variables. */
typedef struct program_image {
    const char *cpu, *ptx, *places; /* the parts, within the text, which ends with the third */
    size_t cpu_bytes, ptx_bytes, places_bytes;
} program_image;

/* A kernel in the list: the name of its function in the CPU's code, its name for the host's code, a letter for each
 * parameter (i: integer, f: floating point, p: pointer, b: bytes), and the name by which a module finds it, which
 * messages show. */
typedef struct program_kernel {
    const char *symbol, *mangled, *kinds, *name;
    int symbol_length, mangled_length, name_length, line, params;
} program_kernel;

/* A managed variable, by its name for the host's code, and its address there. */
typedef struct program_place {
    const char *mangled;
    int mangled_length;
    uint64_t address;
} program_place;

/* Finds the parts of a text. False if the text is not such an image, or is not whole. */
bool program_image_read(program_image *image, const char *text);

/* The length of the image that begins a text, whose end may be unknown; 0 if there is none. */
size_t program_image_bytes(const char *text);

/* Whether the image that begins a text has the second part. */
bool program_image_has_ptx(const char *text);

/* Whether the image that begins a text lists a managed variable of that mangled name. */
bool program_image_has_managed(const char *text, const char *mangled);

/* The name in a GPU's code of what has this mangled name in C++: NVIDIA's compilers do not mark what is static. In code
 * of NVRTC, static variables in namespaces and what is in unnamed namespaces have other names. The caller frees the
 * text, which is NULL when memory runs out. */
char *program_ptx_name(const char *mangled);

void program_image_write(FILE *out, const program_image *image);

/* The next kernel; *at is image->cpu at first. False after the last one. */
bool program_image_next_kernel(program_kernel *kernel, const char **at);

/* The next line of the third part; *at is image->places at first. False after the last one. */
bool program_image_next_place(program_place *place, const char **at);

#endif
