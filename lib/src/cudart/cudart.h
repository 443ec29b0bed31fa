/*
 * CUDA's runtime and driver API: what its files share. Each call of CUDA is a few calls of lab.h, whose objects are
 * CUDA's: a cudaStream_t is a lab_stream. The room adds what lab.h does not have: error codes and the last error,
 * default streams by number, unified addressing, managed memory, graphs that are built node by node.
 *
 * Every call of the runtime opens with CUDART_BEGIN, and every call of the driver with DRIVER_BEGIN. Locks are held for
 * table lookups alone, never around a call of lab.h.
 */
#ifndef LAB_CUDART_CUDART_H
#define LAB_CUDART_CUDART_H

#include "../../include/cuda/cuda.h"
#include "../../include/cuda/cuda_runtime_api.h"
#include "lab.h"

/* ---- Errors ---- */

/* Initialises. cudart_begin fails with the error of a kernel that has failed: few calls work after that. */
cudaError_t cudart_open(void);
cudaError_t cudart_begin(void);
#define CUDART_BEGIN                                                                                                   \
    do {                                                                                                               \
        const cudaError_t cudart_begun = cudart_begin();                                                               \
        if (cudart_begun != cudaSuccess) return cudart_begun;                                                          \
    } while (0)

/* What cudart_begin does first in a program with managed variables, which set it before main (register.c). */
extern lab_status (*cudart_prepare)(void);

/* The same for calls that work even after a kernel has failed. */
#define CUDART_OPEN                                                                                                    \
    do {                                                                                                               \
        const cudaError_t cudart_opened = cudart_open();                                                               \
        if (cudart_opened != cudaSuccess) return cudart_opened;                                                        \
    } while (0)

/* After a kernel has failed: the device was reset, and is lost to the process. False if no kernel has failed. */
bool cudart_reset_after_failure(void);

/* Ends a call: the status as a code of CUDA's, which an error makes the thread's last error. */
cudaError_t cudart_end(lab_status status);
cudaError_t cudart_fail(cudaError_t code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for the driver, which has no last error. `needs_context`: fails if the thread has no current context. */
CUresult cudart_driver_begin(bool needs_context);
#define DRIVER_BEGIN(needs_context)                                                                                    \
    do {                                                                                                               \
        const CUresult driver_begun = cudart_driver_begin(needs_context);                                              \
        if (driver_begun != CUDA_SUCCESS) return driver_begun;                                                         \
    } while (0)
CUresult cudart_driver_end(lab_status status);
void cudart_restore_last_error(cudaError_t before); /* after a call of the runtime that the driver made */
CUresult cudart_driver_fail(CUresult code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says that a call came too early, where every failure is printed. For calls that ask no question. */
void cudart_say_not_ready(void);

/* What cuInit does; a call of the runtime does it too. */
CUresult cudart_driver_initialise(void);

/* Whether the thread's current context is that of the runtime: the primary context of its device. */
extern _Thread_local bool cudart_uses_primary;

/* Whether the calling file asks for a default stream per thread (lab_cuda_place.h). */
bool cudart_is_per_thread(void);

/* ---- Streams ---- */

/* The stream behind a handle: 0, cudaStreamLegacy and cudaStreamPerThread are the current context's default streams. */
lab_stream *cudart_stream(cudaStream_t stream);
static inline lab_event *cudart_event(cudaEvent_t event) { return (lab_event *)event; }

/* Enqueues a callback, which gets the handle that the program gave. */
lab_status cudart_stream_add_callback(cudaStream_t stream, cudaStreamCallback_t function, void *user);

/* ---- Devices ---- */

/* The device was reset: memory of graphs, arrays, textures and surfaces of it are gone. */
void cudart_forget(int device);

lab_status cudart_device_properties(struct cudaDeviceProp *properties, int device);

/* An attribute by its number, from the properties. False if there is none of this number. */
bool cudart_device_attribute(int *value, const struct cudaDeviceProp *properties, int number);

/* Fills in what the driver of a GPU says. */
void cudart_gpu_properties(struct cudaDeviceProp *properties);

/* ---- Memory ---- */

/* The allocation that holds an address: any kind of memory that the library knows. */
typedef struct memory_place {
    enum cudaMemoryType type; /* unregistered: memory of the host's that is not pinned */
    uint64_t address;         /* of the allocation */
    size_t bytes;
    int device;
    void *pool; /* the lab_mempool that it comes from, or NULL */
} memory_place;
memory_place cudart_memory_find(uint64_t address);

/* Allocates pinned memory; 0 bytes give NULL. */
lab_status cudart_pinned_alloc(void **out, size_t bytes);

/* Makes memory of the host's, a managed variable, managed memory that nothing frees. */
lab_status cudart_managed_register(uint64_t address, size_t bytes);

/* Frees what any of CUDA's allocations but those of pinned memory gave. */
lab_status cudart_memory_free_any(uint64_t address);

enum { MEMORY_PITCH = 512, TEXTURE_ALIGNMENT = 512, TEXTURE_PITCH = 32 };
static inline size_t memory_pitch(size_t width) { return (width + MEMORY_PITCH - 1) / MEMORY_PITCH * MEMORY_PITCH; }

/* A box of bytes to copy or fill: rows of `width` bytes, `pitch` apart, in layers, `layer` apart. */
typedef struct copy_side {
    uint64_t address;
    size_t pitch, layer;
} copy_side;
typedef struct copy_box {
    size_t width, height, depth; /* bytes, rows, layers */
} copy_box;

copy_side cudart_copy_side_of(struct cudaPitchedPtr memory, struct cudaPos at);

/* Copies a box. `waits`: as cudaMemcpy does, else as cudaMemcpyAsync does. */
cudaError_t cudart_copy_box_enqueue(copy_side to, copy_side from, copy_box box, enum cudaMemcpyKind kind,
                                    lab_stream *stream, bool waits);
lab_status cudart_fill_box_enqueue(copy_side to, int value, copy_box box, lab_stream *stream);

/* After a fill that is not asynchronous by its name: waits for it if the memory is pinned or managed, as CUDA does. */
lab_status cudart_fill_wait(uint64_t to);

/* A copy of one row, between device memory and memory of the host's as the caller says. */
lab_status cudart_copy_row(uint64_t to, bool to_device, uint64_t from, bool from_device, size_t bytes,
                           lab_stream *stream, bool waits);
bool cudart_memory_is_on_device(uint64_t address);

/* ---- Memory pools ---- */

lab_status cudart_pool_alloc_async(void **out, size_t bytes, lab_mempool *pool, lab_stream *stream);
lab_status cudart_pool_free_async(uint64_t address, lab_stream *stream);

/* ---- Kernels ---- */

/* Launches with pointers to the values of the kernel's parameters. */
lab_status cudart_launch_raw(lab_function function, lab_dim grid, lab_dim block, size_t shared_bytes,
                             lab_stream *stream, void **arguments, bool cooperative);

/* Checks extents as the runtime does: cudaErrorInvalidConfiguration. */
cudaError_t cudart_launch_check(dim3 grid, dim3 block);

/* The kernel that a host function stands for. */
cudaError_t cudart_kernel_find(lab_function *function, const void *host_function);

/* What the interfaces say of a kernel. */
lab_status cudart_function_attributes(struct cudaFuncAttributes *attributes, lab_function function);
lab_status cudart_function_occupancy(int *blocks, lab_function function, int block_size, size_t shared_bytes);

static inline lab_dim as_lab_dim(dim3 extent) { return (lab_dim){extent.x, extent.y, extent.z}; }

#endif
