/* The options of clang for each stage: lists that end with NULL. */
#ifndef LAB_CPU_COMPILER_CLANG_OPTIONS_H
#define LAB_CPU_COMPILER_CLANG_OPTIONS_H

/* The front end reads a source. The folder of the files that it includes follows these options, then one of the next
 * five lists. */
extern const char *const clang_front_end[];
extern const char *const clang_to_code[];
extern const char *const clang_to_checked_code[]; /* code with debug information */
extern const char *const clang_to_file_names[];   /* of the files that it includes */
extern const char *const clang_to_text[];         /* the preprocessor's output */
extern const char *const clang_to_nothing[];      /* messages only */

/* The front end of labcc (labcc/cuda_file.c): both passes over a CUDA file, then one of the next two lists. */
extern const char *const clang_cuda[];
extern const char *const clang_cuda_device[];
extern const char *const clang_cuda_host[];

/* These stages read code and write code. */
extern const char *const clang_inliner[];
extern const char *const clang_before_split[];
extern const char *const clang_optimiser[];

/* The last stage reads code and writes an object, whose path follows. */
extern const char *const clang_generator[];
extern const char *const clang_debug_generator[];

/* The options of ld, which makes a shared object of it. */
extern const char *const linker_options[];

/* All lists on which an object depends. */
extern const char *const *const clang_all_options[];

#endif
