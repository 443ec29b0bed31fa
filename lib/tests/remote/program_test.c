/* Programs in order, with liblab-remote: what the tests of CUDA's rules do not see. */
#include "lab.h"
#include "lab_trace.h"
#include "test.h"
#include "test_folder.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { BYTES = 1 << 20 };

static lab_deviceptr allocate(size_t bytes)
{
    lab_deviceptr memory;
    setenv("LAB_DEVICE", "cpu", 1);
    LAB_CHECK(lab_mem_alloc(&memory, bytes));
    return memory;
}

Test(remote, a_failure_has_the_librarys_message_and_the_programs_line)
{
    const char *file;
    int line;
    allocate(64);
    cr_assert_eq(lab_mem_free(4096), LAB_ERROR_INVALID_VALUE);
    const int expected = __LINE__ - 1;
    cr_assert_not_null(strstr(lab_error_message(), "0x1000 is not the beginning of an allocation"));
    lab_error_place(&file, &line);
    cr_assert_str_eq(file, __FILE__);
    cr_assert_eq(line, expected);
}

static void call_in_child(void *memory)
{
    lab_status status = lab_mem_free(*(lab_deviceptr *)memory);
    printf("%s: %s", lab_status_name(status), lab_error_message());
}

Test(remote, a_process_forked_after_the_first_call_is_refused)
{
    char output[512];
    lab_deviceptr memory = allocate(64);
    cr_assert_eq(test_in_child(call_in_child, &memory, output, sizeof output), 0);
    cr_assert_not_null(strstr(output, "LAB_ERROR_NOT_INITIALIZED: the process was forked after it used the device"),
                       "%s", output);
    cr_assert_eq(lab_mem_free(memory), LAB_SUCCESS, "the parent goes on");
}

static void copy_from_nowhere(void *unused)
{
    (void)unused;
    lab_memcpy_htod(allocate(BYTES), (void *)64, BYTES);
}

static void write_to_freed_memory(void *unused)
{
    (void)unused;
    void *pinned;
    allocate(64);
    LAB_CHECK(lab_host_alloc(&pinned, BYTES));
    memset(pinned, 1, BYTES);
    LAB_CHECK(lab_host_free(pinned));
    *(volatile char *)pinned = 1;
}

#ifndef LAB_PLAIN_TESTS /* a sanitizer ends such a program in its own way */
Test(remote, a_bad_address_ends_the_program_as_in_one_process)
{
    char output[256];
    int status = test_in_child(copy_from_nowhere, NULL, output, sizeof output);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "status %d", status);
    status = test_in_child(write_to_freed_memory, NULL, output, sizeof output);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "status %d", status);
}
#else
static void (*const bad_addresses[])(void *) __attribute__((unused)) = {copy_from_nowhere, write_to_freed_memory};
#endif

/* Starts a device process for this program. */
static pid_t start_device(void)
{
    int pair[2];
    char path[4096], number[16];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
    path[length] = '\0';
    *strrchr(path, '/') = '\0';
    strcpy(strrchr(path, '/'), "/bin/labserver");
    cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    setenv("LAB_DEVICE", "cpu", 1);
    pid_t device = fork();
    sprintf(number, "%d", pair[device == 0]);
    if (device == 0) {
        close(pair[0]);
        execl(path, path, number, (char *)NULL);
        _exit(127);
    }
    close(pair[1]);
    setenv("LAB_DEVICE_SOCKET", number, 1);
    return device;
}

static sem_t killed;

static void *stop(void *device)
{
    usleep(50 * 1000);
    kill(*(pid_t *)device, SIGKILL);
    sem_post(&killed);
    return NULL;
}

static void *call_after(void *unused)
{
    lab_stream *stream;
    cr_assert_eq(lab_stream_create(&stream, 0), LAB_ERROR_NOT_INITIALIZED);
    return unused;
}

static void wait_until_it_is_killed(void *unused)
{
    (void)unused;
    sem_wait(&killed);
}

Test(remote, the_end_of_the_device_process_ends_every_wait_for_it)
{
    pid_t device = start_device();
    pthread_t thread;
    lab_stream *stream;
    sem_init(&killed, 0, 0);
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_launch_host_func(stream, wait_until_it_is_killed, NULL));
    pthread_create(&thread, NULL, stop, &device);
    cr_assert_eq(lab_stream_synchronize(stream), LAB_ERROR_NOT_INITIALIZED);
    cr_assert_not_null(strstr(lab_error_message(), "the device process has ended"), "%s", lab_error_message());
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, call_after, NULL);
    pthread_join(thread, NULL);
    waitpid(device, NULL, 0);
}

/* An allocator of the program, which counts, over one of the library. */
typedef struct counting {
    lab_allocator below;
    int allocations, frees;
} counting;

static lab_status count_alloc(lab_deviceptr *out, size_t bytes, lab_stream *stream, void *user)
{
    counting *self = user;
    self->allocations++;
    return self->below.alloc(out, bytes, stream, self->below.user);
}

static lab_status count_free(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user)
{
    counting *self = user;
    self->frees++;
    return self->below.free(memory, bytes, stream, self->below.user);
}

Test(remote, allocators_of_the_program_stand_on_those_of_the_library)
{
    lab_mempool *pool;
    lab_array *array;
    lab_allocator found;
    allocate(64);
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    counting all[2] = {{.below = lab_device_allocator()}, {.allocations = 0}};
    LAB_CHECK(lab_mempool_allocator(&all[1].below, pool));
    for (int i = 0; i < 2; i++) {
        LAB_CHECK(lab_set_allocator(&(lab_allocator){count_alloc, count_free, &all[i]}));
        LAB_CHECK(lab_get_allocator(&found));
        cr_assert(found.alloc == count_alloc && found.free == count_free && found.user == &all[i]);
        LAB_CHECK(lab_array_zeros(&array, LAB_FLOAT32, LAB_SHAPE(100)));
        cr_assert_eq(lab_mempool_used_bytes(pool), i == 0 ? 0 : 512);
        LAB_CHECK(lab_array_destroy(array));
        cr_assert(all[i].allocations == 1 && all[i].frees == 1);
    }
    LAB_CHECK(lab_set_allocator(&all[1].below));
    LAB_CHECK(lab_get_allocator(&found));
    cr_assert(found.alloc == all[1].below.alloc && found.user == all[1].below.user);
}

static lab_status alloc_nonsense(lab_deviceptr *out, size_t bytes, lab_stream *stream, void *user)
{
    (void)bytes, (void)stream;
    *out = *(lab_deviceptr *)user;
    return LAB_SUCCESS;
}

static lab_status free_nothing(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user)
{
    (void)memory, (void)bytes, (void)stream, (void)user;
    return LAB_SUCCESS;
}

Test(remote, an_allocator_cannot_give_memory_of_the_device_process)
{
    lab_array *array;
    lab_deviceptr given[] = {0x400000, allocate(64), 0x7e8000000000, UINT64_MAX};
    for (int i = 0; i < 4; i++) {
        LAB_CHECK(lab_set_allocator(&(lab_allocator){alloc_nonsense, free_nothing, &given[i]}));
        cr_assert_eq(lab_array_zeros(&array, LAB_FLOAT32, LAB_SHAPE(100)), LAB_ERROR_INVALID_VALUE);
        cr_assert_not_null(strstr(lab_error_message(), "is not 400 bytes of device memory"), "%s", lab_error_message());
    }
}

static atomic_int called;

static void count_call(void *unused)
{
    (void)unused;
    atomic_fetch_add(&called, 1);
}

/* What a thread of a storm does: every kind of message, on a stream of its own. */
static void *storm(void *seed)
{
    enum { COUNT = 50000 };
    const int first = *(int *)seed;
    int *host = malloc(COUNT * sizeof *host), *back = malloc(COUNT * sizeof *back);
    void *pinned;
    lab_stream *stream;
    lab_array *array;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_host_alloc(&pinned, COUNT * sizeof *host));
    LAB_CHECK(lab_array_empty(&array, LAB_INT32, LAB_SHAPE(COUNT)));
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < COUNT; i++) host[i] = first + round + i;
        LAB_CHECK(lab_array_set_async(array, host, stream));
        LAB_CHECK(lab_array_get_async(array, pinned, stream));
        LAB_CHECK(lab_stream_launch_host_func(stream, count_call, NULL));
        LAB_CHECK(lab_array_get_async(array, back, stream));
        LAB_CHECK(lab_stream_synchronize(stream));
        cr_assert_eq(memcmp(host, back, COUNT * sizeof *host), 0);
        cr_assert_eq(memcmp(host, pinned, COUNT * sizeof *host), 0);
        cr_assert_eq(lab_mem_free(1), LAB_ERROR_INVALID_VALUE);
    }
    LAB_CHECK(lab_array_destroy(array));
    LAB_CHECK(lab_host_free(pinned));
    LAB_CHECK(lab_stream_destroy(stream));
    free(host);
    free(back);
    return NULL;
}

Test(remote, threads_call_at_once_and_end)
{
    enum { THREADS = 12, ROUNDS = 3 };
    pthread_t thread[THREADS];
    int seed[THREADS];
    allocate(64);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < THREADS; i++) {
            seed[i] = 1000 * i;
            cr_assert_eq(pthread_create(&thread[i], NULL, storm, &seed[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    }
    cr_assert_eq(atomic_load(&called), THREADS * ROUNDS * 10);
}

static void *ask_for_its_stream(void *unused)
{
    lab_stream *stream = lab_stream_per_thread();
    cr_assert_not_null(stream);
    return unused;
}

Test(remote, more_threads_one_after_another_than_there_can_be_at_once)
{
    pthread_t thread;
    allocate(64);
    for (int i = 0; i < 1500; i++) {
        cr_assert_eq(pthread_create(&thread, NULL, ask_for_its_stream, NULL), 0);
        pthread_join(thread, NULL);
    }
}

static void record_itself(void *path)
{
    setenv("LAB_TRACE", path, 1);
    lab_mem_free(allocate(64));
    exit(0);
}

Test(remote, a_record_is_written_when_the_program_has_ended)
{
    test_folder folder = test_folder_make("record.json");
    char output[256];
    lab_trace *trace;
    cr_assert_eq(test_in_child(record_itself, folder.file, output, sizeof output), 0, "%s", output);
    LAB_CHECK(lab_trace_load(&trace, folder.file));
    cr_assert_eq(trace->ops, 2);
    cr_assert_eq(trace->op[0].kind, LAB_OP_MEMORY_ALLOC);
    cr_assert_str_eq(trace->op[1].file, __FILE__);
    lab_trace_free(trace);
    test_folder_remove(&folder);
}
