/*
 * CUDA's compiler at run time. What nvrtcGetPTX gives is an image of the source, which only this library's
 * cuModuleLoadData reads. nvrtcCompileProgram compiles a program to find its errors. The result is kept in the cache of
 * kernels, where loading finds it.
 */
#ifndef LAB_CUDA_NVRTC_H
#define LAB_CUDA_NVRTC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LAB_NVRTC_RESULT_TABLE(X)                                                                                      \
    X(NVRTC_SUCCESS, 0)                                                                                                \
    X(NVRTC_ERROR_OUT_OF_MEMORY, 1)                                                                                    \
    X(NVRTC_ERROR_PROGRAM_CREATION_FAILURE, 2)                                                                         \
    X(NVRTC_ERROR_INVALID_INPUT, 3)                                                                                    \
    X(NVRTC_ERROR_INVALID_PROGRAM, 4)                                                                                  \
    X(NVRTC_ERROR_INVALID_OPTION, 5)                                                                                   \
    X(NVRTC_ERROR_COMPILATION, 6)                                                                                      \
    X(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, 7)                                                                        \
    X(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION, 8)                                                            \
    X(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, 9)                                                              \
    X(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID, 10)                                                                       \
    X(NVRTC_ERROR_INTERNAL_ERROR, 11)

typedef enum {
#define LAB_NVRTC_RESULT(name, code) name = code,
    LAB_NVRTC_RESULT_TABLE(LAB_NVRTC_RESULT)
#undef LAB_NVRTC_RESULT
} nvrtcResult;

typedef struct _nvrtcProgram *nvrtcProgram;

const char *nvrtcGetErrorString(nvrtcResult result);
nvrtcResult nvrtcVersion(int *major, int *minor);

/* The headers are given as texts with the names by which the source includes them. */
nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int headers,
                               const char *const *header_texts, const char *const *header_names);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program);

/* -D, -U and --define-macro have their effect; -I names folders that are not read; options of optimisation, of the
 * language's version and of the architecture are accepted without effect. Any other is NVRTC_ERROR_INVALID_OPTION. */
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int options, const char *const *option);

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *image);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *image);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log);

/* Of kernels and variables that are not templates: their lowered name is their name. */
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **lowered);

#ifdef __cplusplus
}
#endif
#endif
