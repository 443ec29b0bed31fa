/*
 * How a call of CUDA notes its place: the macro of its name calls lab_cuda_here before the call, and lab_cuda_there
 * after it. A call through a pointer, or with its name in parentheses, has no place. With LAB_NO_LOCATION no call has
 * one.
 */
#ifndef LAB_CUDA_PLACE_H
#define LAB_CUDA_PLACE_H

#ifdef __cplusplus
#define LAB_CUDA_CALL extern "C" LAB_CUDA_HOST
#define LAB_CUDA_DEFAULT(value) = value
#else
#define LAB_CUDA_CALL
#define LAB_CUDA_DEFAULT(value)
#endif
#if defined(__CUDACC__) || defined(__CUDA__)
#define LAB_CUDA_HOST __attribute__((host))
#else
#define LAB_CUDA_HOST
#endif

/* With it, the default stream of the calls in this file is one of each thread's own. */
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define LAB_CUDA_PER_THREAD 1
#else
#define LAB_CUDA_PER_THREAD 0
#endif

/* A call begins at this place, and ends. Not for direct use. */
LAB_CUDA_CALL void lab_cuda_here(const char *file, int line, int per_thread);
LAB_CUDA_CALL int lab_cuda_there(int status);

#ifdef __cplusplus
/* The place is an object that the call's result passes through: so that ::cudaMalloc(...) is still a name. */
struct lab_cuda_place {
    template <class Result> Result operator()(Result result) const
    {
        lab_cuda_there(0);
        return result;
    }
};
inline lab_cuda_place lab_cuda_at(const char *file, int line)
{
    lab_cuda_here(file, line, LAB_CUDA_PER_THREAD);
    return lab_cuda_place();
}
#define LAB_CUDA_AT(call) lab_cuda_at(__FILE__, __LINE__)(call)
#else
#define LAB_CUDA_AT(call) (lab_cuda_here(__FILE__, __LINE__, LAB_CUDA_PER_THREAD), lab_cuda_there((int)(call)))
#endif

/* What is not here. */
#if defined(__has_attribute)
#if __has_attribute(unavailable)
#define LAB_CUDA_UNAVAILABLE(text) __attribute__((unavailable(text)))
#else
#define LAB_CUDA_UNAVAILABLE(text) __attribute__((deprecated(text)))
#endif
#endif
#ifdef __cplusplus
#define LAB_CUDA_MISSING(result, name, text)                                                                           \
    template <class Type = void, class... Arguments> LAB_CUDA_UNAVAILABLE(text) result name(Arguments &&...);
#else
#define LAB_CUDA_MISSING(result, name, text) result name() LAB_CUDA_UNAVAILABLE(text);
#endif
#define LAB_CUDA_MISSING_TYPE(result, name, text) typedef int name LAB_CUDA_UNAVAILABLE(text);
#define LAB_CUDA_MISSING_STRUCT(result, name, text)                                                                    \
    struct LAB_CUDA_UNAVAILABLE(text) name {                                                                           \
        int none;                                                                                                      \
    };

#endif
