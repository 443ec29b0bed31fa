/*
 * The code for devices in a program that labcc compiled (lib/docs/labcc.md), as a text: it takes the place of a kernel
 * source when a module is loaded.
 *
 *     ; labcc 3 <bytes> ...                the lengths of the four parts
 *     ; kernel ...                         the first: a module of LLVM IR for the CPU device, which begins with the
 *     ...                                  lists of its kernels and managed variables (cpu/retarget/retarget.h)
 *     ...                                  the second: the same program's PTX for a GPU, or nothing
 *     ; needs                              the third, with -rdc=true: the same code as clang made it. The first line
 *     ...                                  says that it uses what other files define
 *     sum 7ffe01234560 4                   the fourth: where the host's code has these managed variables, and their
 *                                          bytes. The program adds it when it runs
 *
 * The code of a program whose files use what others define is the text of all such images, one after another: a device
 * links them to one module. Static names of each file then end with its number (program_part_name). In PTX of -rdc=true
 * these names have a mark, behind which the number comes.
 */
#ifndef LAB_SEAM_PROGRAM_PROGRAM_IMAGE_H
#define LAB_SEAM_PROGRAM_PROGRAM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The second ends with a zero byte where there is no other: an image for a GPU has neither. */
typedef struct program_image {
    const char *cpu, *ptx, *link, *places; /* the parts, within the text */
    size_t cpu_bytes, ptx_bytes, link_bytes, places_bytes;
} program_image;

/* A kernel in the list: the name of its function in the CPU's code, its name for the host's code, a letter for each
 * parameter (i: integer, f: floating point, p: pointer, b: bytes), and the name by which a module finds it, which
 * messages show. */
typedef struct program_kernel {
    const char *symbol, *mangled, *kinds, *name;
    int symbol_length, mangled_length, name_length, line, params;
} program_kernel;

/* A managed variable, by its name for the host's code, its address there and its size. */
typedef struct program_place {
    const char *mangled;
    int mangled_length;
    uint64_t address, bytes;
} program_place;

/* Finds the parts of a text. False if the text is not such an image, or is not whole. */
bool program_image_read(program_image *image, const char *text);

/* Finds the parts of the image at *at, and moves behind it. False if there is no whole image. */
bool program_image_take(program_image *image, const char **at);

/* Finds the parts of the last of the images, one or several, that a text consists of. False for any other text. */
bool program_images_last(program_image *last, const char *text);

/* The length of the image that begins a text, whose end may be unknown; 0 if there is none. */
size_t program_image_bytes(const char *text);

/* Whether the image that begins a text has the second part. */
bool program_image_has_ptx(const char *text);

/* Whether the image that begins a text lists a managed variable of that mangled name. */
bool program_image_has_managed(const char *text, const char *mangled);

/* Whether the image that begins a text is one of -rdc=true, and whether it uses what other files define. */
bool program_image_has_link(const char *text);
bool program_image_needs_link(const char *text);
#define PROGRAM_NEEDS "; needs\n"

/* Whether a name of C++ is one file's own: what is static, in an unnamed namespace, or a template of such things. */
bool program_name_is_static(const char *mangled);

/* The name in a linked module of what has this mangled name in the file of that number. The caller frees the text. NULL
 * when memory runs out. */
char *program_part_name(const char *mangled, int number);

/* The name in a GPU's code of what has this mangled name in C++: NVIDIA's compilers do not mark what is static. In code
 * of NVRTC, static variables in namespaces and what is in unnamed namespaces have other names. Of a name of a linked
 * module, the name in linked PTX. The caller frees the text, which is NULL when memory runs out. */
char *program_ptx_name(const char *mangled);

/* Ends the name of what is static in PTX of -rdc=true. */
#define PROGRAM_PTX_FILE "$file"

/* Ends the name of the variable in PTX that has the address of a managed variable. */
#define PROGRAM_PTX_PLACE "$at"

/* The image's PTX as that of the file of this number among those that are linked; of a number below 0, as it is alone.
 * The caller frees the text. NULL when memory runs out. */
char *program_part_ptx(const program_image *image, int number);

void program_image_write(FILE *out, const program_image *image);

/* The next kernel; *at is image->cpu at first. False after the last one. */
bool program_image_next_kernel(program_kernel *kernel, const char **at);

/* The next line of the third part; *at is image->places at first. False after the last one. */
bool program_image_next_place(program_place *place, const char **at);

#endif
