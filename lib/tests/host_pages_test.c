/* LAB_ORDER_HOST=pages: the host's own reads and writes of pinned memory are found without a declaration. */
#include "lab_trace.h"
#include "test.h"

#include "base/system/kernels_apart.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, COUNT = 4 * PAGE / sizeof(int), BYTES = COUNT * sizeof(int) };

typedef struct ground {
    lab_stream *one, *two;
    lab_event *event;
    lab_array *array;
    int *pinned;
} ground;

static ground begin_as(lab_order_mode mode)
{
    ground made;
    setenv("LAB_DEVICE", "cpu", 1);
    setenv("LAB_ORDER_HOST", "pages", 1);
    LAB_CHECK(lab_order_start(mode));
    LAB_CHECK(lab_stream_create(&made.one, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&made.two, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_event_create(&made.event, 0));
    LAB_CHECK(lab_array_empty(&made.array, LAB_INT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_host_alloc((void **)&made.pinned, BYTES));
    memset(made.pinned, 0, BYTES);
    LAB_CHECK(lab_array_set(made.array, made.pinned));
    return made;
}

static ground begin(void) { return begin_as(LAB_ORDER_COLLECT); }

static void download(const ground *kit, int *to, size_t bytes, lab_stream *stream)
{
    LAB_CHECK(lab_memcpy_dtoh_async(to, lab_array_data(kit->array), bytes, stream));
}

static void upload(const ground *kit, const int *from, size_t bytes, lab_stream *stream)
{
    LAB_CHECK(lab_memcpy_htod_async(lab_array_data(kit->array), from, bytes, stream));
}

/* What a compiler must not leave out. */
static int read_at(const int *memory) { return *(const volatile int *)memory; }
static void write_at(int *memory) { *(volatile int *)memory = 1; }

static void assert_findings(size_t count)
{
    lab_order_finding found = {.text = ""};
    if (lab_order_get_counts().findings) LAB_CHECK(lab_order_get_finding(&found, 0));
    cr_assert_eq(lab_order_get_counts().findings, count, "%zu findings: %s", (size_t)lab_order_get_counts().findings,
                 found.text);
}

/* The one finding: the host does that to the byte, which the operation of that line uses. */
static void assert_found(int line, bool host_writes, size_t offset)
{
    lab_order_finding found;
    assert_findings(1);
    LAB_CHECK(lab_order_get_finding(&found, 0));
    cr_assert_eq(found.first.line, line, "%s", found.text);
    cr_assert_eq(found.second.kind, host_writes ? LAB_OP_HOST_WRITE : LAB_OP_HOST_READ);
    cr_assert_eq(found.offset, offset, "%s", found.text);
    cr_assert_eq(strncmp(found.second.file, "host+0x", 7), 0, "%s", found.text);
}

#if KERNELS_CAN_BE_APART

Test(host_pages, a_read_under_a_pending_download_is_found_with_its_place)
{
    const ground kit = begin();
    const int line = __LINE__ + 1;
    LAB_CHECK(lab_memcpy_dtoh_async(kit.pinned, lab_array_data(kit.array), BYTES, kit.one));
    read_at(&kit.pinned[5]);
    assert_found(line, false, 5 * sizeof(int));
}

Test(host_pages, a_write_under_a_pending_upload_is_found_and_a_read_is_right)
{
    const ground kit = begin();
    const int line = __LINE__ + 1;
    LAB_CHECK(lab_memcpy_htod_async(lab_array_data(kit.array), kit.pinned, BYTES, kit.one));
    read_at(&kit.pinned[7]);
    assert_findings(0);
    write_at(&kit.pinned[7]);
    assert_found(line, true, 7 * sizeof(int));
    cr_assert_eq(kit.pinned[7], 1, "the access itself succeeds");
}

Test(host_pages, it_does_not_matter_that_the_device_is_done)
{
    const ground kit = begin();
    download(&kit, kit.pinned, BYTES, kit.one);
    LAB_CHECK(lab_stream_synchronize(kit.two));
    usleep(1000);
    read_at(kit.pinned);
    assert_findings(1);
}

Test(host_pages, a_wait_for_the_work_opens_its_pages)
{
    const ground kit = begin();
    download(&kit, kit.pinned, BYTES, kit.one);
    LAB_CHECK(lab_stream_synchronize(kit.one));
    read_at(kit.pinned);
    upload(&kit, kit.pinned, BYTES, kit.one);
    LAB_CHECK(lab_event_record(kit.event, kit.one));
    LAB_CHECK(lab_event_synchronize(kit.event));
    write_at(kit.pinned);
    assert_findings(0);
}

Test(host_pages, the_device_has_the_bytes_that_the_program_wrote_and_the_program_the_devices)
{
    const ground kit = begin();
    for (int i = 0; i < COUNT; i++) kit.pinned[i] = i;
    upload(&kit, kit.pinned, BYTES, kit.one);
    LAB_CHECK(lab_stream_synchronize(kit.one));
    memset(kit.pinned, 0, BYTES);
    download(&kit, kit.pinned, BYTES, kit.one);
    LAB_CHECK(lab_stream_synchronize(kit.one));
    for (int i = 0; i < COUNT; i++) cr_assert_eq(kit.pinned[i], i);
    assert_findings(0);
}

Test(host_pages, what_the_program_has_waited_for_is_readable_while_a_later_upload_reads_it)
{
    const ground kit = begin();
    download(&kit, kit.pinned, BYTES, kit.one);
    LAB_CHECK(lab_event_record(kit.event, kit.one));
    upload(&kit, kit.pinned, BYTES, kit.one);
    LAB_CHECK(lab_event_synchronize(kit.event));
    read_at(kit.pinned);
    assert_findings(0);
    write_at(kit.pinned);
    assert_findings(1);
}

Test(host_pages, a_copy_by_the_c_library_is_found_in_the_program)
{
    const ground kit = begin();
    static int copy[COUNT];
    const int line = __LINE__ + 1;
    LAB_CHECK(lab_memcpy_dtoh_async(kit.pinned, lab_array_data(kit.array), BYTES, kit.one));
    void *(*volatile by_library)(void *, const void *, size_t) = memcpy;
    by_library(copy, kit.pinned, BYTES);
    lab_order_finding found;
    assert_findings(1);
    LAB_CHECK(lab_order_get_finding(&found, 0));
    cr_assert_eq(found.first.line, line);
    cr_assert_eq(strncmp(found.second.file, "host+0x", 7), 0, "%s", found.text);
}

/* Half a page of each is the other's, so that neither may be closed. */
Test(host_pages, the_neighbour_of_pending_bytes_in_one_page_is_open_to_all_calls)
{
    const ground kit = begin();
    int channel[2];
    download(&kit, kit.pinned, PAGE / 2, kit.one);
    read_at(&kit.pinned[PAGE / 2 / sizeof(int)]);
    cr_assert_eq(pipe(channel), 0);
    cr_assert_eq(write(channel[1], &kit.pinned[PAGE / 2 / sizeof(int)], PAGE / 2), PAGE / 2);
    assert_findings(0);
}

Test(host_pages, a_block_smaller_than_a_page_has_it_alone)
{
    const ground kit = begin();
    int *sum, *other;
    LAB_CHECK(lab_host_alloc((void **)&sum, sizeof *sum));
    LAB_CHECK(lab_host_alloc((void **)&other, sizeof *other));
    download(&kit, sum, sizeof *sum, kit.one);
    write_at(other);
    assert_findings(0);
    read_at(sum);
    assert_findings(1);
}

Test(host_pages, a_block_of_the_pinned_pool_is_guarded_and_its_next_owner_is_free)
{
    const ground kit = begin();
    int *block, *next;
    LAB_CHECK(lab_pinned_mempool_alloc((void **)&block, lab_pinned_mempool_default(), PAGE));
    download(&kit, block, PAGE, kit.one);
    LAB_CHECK(lab_pinned_mempool_free(lab_pinned_mempool_default(), block));
    LAB_CHECK(lab_stream_synchronize(kit.one));
    LAB_CHECK(lab_pinned_mempool_alloc((void **)&next, lab_pinned_mempool_default(), PAGE));
    write_at(next);
    assert_findings(0);
    download(&kit, next, PAGE, kit.two);
    write_at(next);
    assert_findings(1);
}

static void look(void *user) { read_at(user); }

Test(host_pages, a_host_function_behind_the_copy_reads_it)
{
    const ground kit = begin();
    download(&kit, kit.pinned, BYTES, kit.one);
    LAB_CHECK(lab_stream_launch_host_func(kit.one, look, kit.pinned));
    download(&kit, kit.pinned, BYTES, kit.one);
    LAB_CHECK(lab_stream_launch_host_func(kit.one, look, kit.pinned));
    LAB_CHECK(lab_stream_synchronize(kit.one));
    assert_findings(0);
}

static void *read_by_thread(void *memory)
{
    read_at(memory);
    return NULL;
}

Test(host_pages, another_thread_that_has_not_waited_is_found)
{
    const ground kit = begin();
    pthread_t thread;
    download(&kit, kit.pinned, BYTES, kit.one);
    cr_assert_eq(pthread_create(&thread, NULL, read_by_thread, kit.pinned), 0);
    pthread_join(thread, NULL);
    assert_findings(1);
}

Test(host_pages, memory_that_is_freed_and_allocated_again_is_open)
{
    ground kit = begin();
    download(&kit, kit.pinned, BYTES, kit.one);
    LAB_CHECK(lab_host_free(kit.pinned));
    LAB_CHECK(lab_host_alloc((void **)&kit.pinned, BYTES));
    write_at(kit.pinned);
    assert_findings(0);
}

static const char SOURCE[] =
    "extern \"C\" __global__ void count(int *x) { x[blockIdx.x * blockDim.x + threadIdx.x]++; }";

Test(host_pages, a_kernel_works_on_closed_pages_and_the_program_is_found_there)
{
    const ground kit = begin();
    lab_module *module;
    lab_function count;
    const lab_deviceptr device = (uintptr_t)kit.pinned;
    LAB_CHECK(lab_module_load_source(&module, SOURCE, "count.cu"));
    LAB_CHECK(lab_module_get_function(&count, module, "count"));
    LAB_CHECK(lab_launch(count, LAB_DIM(COUNT / 64), LAB_DIM(64), 0, kit.one, LAB_ARGS(device)));
    LAB_CHECK(lab_launch(count, LAB_DIM(COUNT / 64), LAB_DIM(64), 0, kit.one, LAB_ARGS(device)));
    LAB_CHECK(lab_stream_synchronize(kit.one));
    for (int i = 0; i < COUNT; i++) cr_assert_eq(kit.pinned[i], 2);
    assert_findings(0);
    LAB_CHECK(lab_launch(count, LAB_DIM(COUNT / 64), LAB_DIM(64), 0, kit.one, LAB_ARGS(device)));
    read_at(kit.pinned);
    assert_findings(1);
}

Test(host_pages, a_bad_access_elsewhere_ends_the_program_as_ever)
{
    begin();
    int status, *volatile nowhere = NULL;
    const pid_t child = fork();
    if (child == 0) {
        write_at(nowhere);
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_neq(status, 0);
}

#else

Test(host_pages, need_kernels_in_a_process_of_their_own)
{
    lab_stream *stream;
    setenv("LAB_DEVICE", "cpu", 1);
    setenv("LAB_ORDER_HOST", "pages", 1);
    cr_assert_eq(lab_stream_create(&stream, 0), LAB_ERROR_INVALID_VALUE);
}

#endif

Test(host_pages, another_word_is_refused)
{
    lab_stream *stream;
    setenv("LAB_DEVICE", "cpu", 1);
    setenv("LAB_ORDER_HOST", "page", 1);
    cr_assert_eq(lab_stream_create(&stream, 0), LAB_ERROR_INVALID_VALUE);
    cr_assert_str_eq(lab_error_message(), "LAB_ORDER_HOST=page is not a way; use declared or pages");
}
