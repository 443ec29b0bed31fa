/*
 * A compiled object as data: its image in memory, as a loader would lay it out. The object is not trusted. Every
 * offset in it is checked, and one that asks its loader to run code, or for anything else that kernels do not need, is
 * refused. Nothing here executes it.
 */
#ifndef LAB_CPU_OBJECT_OBJECT_IMAGE_H
#define LAB_CPU_OBJECT_OBJECT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct object_image {
    unsigned char *memory; /* where this process has the image */
    uint64_t bytes;        /* whole pages */
} object_image;

/* The bytes of the object's image, whole pages. 0, with *fault set, if the object is not one of compiled kernels. */
uint64_t object_image_bytes(const char **fault, const void *object, size_t size);

/* Copies the segments to memory, which holds zeros. For an object that object_image_bytes accepted. */
void object_image_copy(object_image *image, const void *object);

/* The address of a function that the object needs from its process. NULL if there is none. */
typedef void *(*object_resolve)(const char *name);

/* Makes addresses in the image those of the place where it is. `resolve` NULL leaves out the addresses of other
 * functions; `thread_storage` is the number by which the object's code asks for thread-local variables. Returns what is
 * wrong with the object, or NULL. */
const char *object_image_relocate(const object_image *image, object_resolve resolve, uint64_t thread_storage);

/* The address of a variable or function that the object exports; NULL if it has none. */
void *object_image_symbol(const object_image *image, const char *name);

/* The template of thread-local variables: what they begin with, followed by zeros. */
typedef struct object_thread_storage {
    const void *begins_with;
    uint64_t given, bytes, align;
} object_thread_storage;
object_thread_storage object_image_thread_storage(const object_image *image);

/* The parts of the image that need a protection of their own. Calls protect for each, with PROT_ flags. */
bool object_image_protect(const object_image *image, bool (*protect)(void *memory, uint64_t bytes, int protection));

/* The range of its code. */
const void *object_image_code(uint64_t *bytes, const object_image *image);

#endif
