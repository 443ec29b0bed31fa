/* Images of modules, which cuModuleLoadData reads. Each is a text: what nvrtcGetPTX gives, a first line and the source
 * with its definitions and headers; or what labcc compiled (seam/program/program_image.h). */
#ifndef LAB_CUDART_IMAGE_H
#define LAB_CUDART_IMAGE_H

#define IMAGE_FIRST_LINE "// An image of lab's nvrtc, version 1: "

/* A copy of labcc's image that begins a text, as a string, which the caller frees. NULL if there is no whole image, or
 * memory runs out. */
char *image_copy(const char *text);

/* A copy with a third part. */
char *image_copy_with_places(const char *text, const char *places);

/* The name by which a module finds a kernel of labcc's image: the image lists it next to the mangled one. The caller
 * frees it. */
char *image_kernel_name(const char *image, const char *mangled);

#endif
