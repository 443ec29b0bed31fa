/*
 * Host threads that use the device: in the primary context, which they share, and each in a separate context.
 *
 * Threads need no separate contexts: streams are enough, and the kernel is compiled once. A separate context has its
 * own memory and modules, so every thread must load the kernel again. Popping a context does not destroy it: it lives
 * on with everything it holds. lab_context_destroy ends both. Arguments: the number of threads (10) and the length of
 * each array (65536).
 */
#include "arrays.h"

#include <pthread.h>

typedef struct worker {
    pthread_t thread;
    lab_function shared; /* belongs to the primary context */
    int number, length, wrong;
} worker;

/* Copies an array to the device, adds fifty and copies it back, all on the thread's own default stream. */
static void run(worker *self, lab_function add_fifty)
{
    lab_array *array;
    float *memory = malloc((size_t)self->length * sizeof *memory);
    if (!memory) return;
    fill_array(memory, self->number, self->length);
    LAB_WITH_STREAM(lab_stream_per_thread())
    {
        LAB_CHECK(lab_array_from_host_async(&array, LAB_FLOAT32, LAB_SHAPE(self->length), memory, NULL));
        LAB_CHECK(lab_launch(add_fifty, LAB_DIM(1), LAB_DIM(64), 0, NULL, LAB_ARGS(array, self->length)));
        LAB_CHECK(lab_array_get_async(array, memory, NULL));
        LAB_CHECK(lab_stream_synchronize(NULL));
    }
    self->wrong = count_wrong(memory, self->number, self->length);
    LAB_CHECK(lab_array_destroy(array));
    free(memory);
}

static void *in_primary_context(void *user)
{
    worker *self = user;
    run(self, self->shared);
    return NULL;
}

static void *in_own_context(void *user)
{
    lab_context *context;
    lab_module *module;
    lab_function add_fifty;
    LAB_CHECK(lab_context_create(&context, 0)); /* also makes it current in this thread */
    LAB_CHECK(lab_module_load_file(&module, add_fifty_file));
    LAB_CHECK(lab_module_get_function(&add_fifty, module, "add_fifty"));
    run(user, add_fifty);
    LAB_CHECK(lab_context_destroy(context)); /* also unloads its module and pops it from the thread's stack */
    return NULL;
}

static int run_threads(const char *title, void *(*body)(void *), worker *workers, int threads)
{
    int wrong = 0;
    const double begin = host_clock();
    for (int k = 0; k < threads; k++) {
        workers[k].wrong = workers[k].length;
        if (pthread_create(&workers[k].thread, NULL, body, &workers[k]) != 0) exit(1);
    }
    for (int k = 0; k < threads; k++) {
        pthread_join(workers[k].thread, NULL);
        wrong += workers[k].wrong;
    }
    printf("%s: %.1f ms, wrong elements: %d\n", title, host_clock() - begin, wrong);
    return wrong;
}

int main(int argc, char **argv)
{
    const int threads = number_argument(argc, argv, 1, 10), length = number_argument(argc, argv, 2, 65536);
    worker *workers = calloc((size_t)threads, sizeof *workers);
    lab_module *module;
    lab_function add_fifty;
    if (!workers) return 1;
    LAB_CHECK(lab_module_load_file(&module, add_fifty_file));
    LAB_CHECK(lab_module_get_function(&add_fifty, module, "add_fifty"));
    for (int k = 0; k < threads; k++) workers[k] = (worker){.shared = add_fifty, .number = k, .length = length};

    int wrong = run_threads("threads in the primary context", in_primary_context, workers, threads);
    wrong += run_threads("threads in contexts of their own", in_own_context, workers, threads);
    LAB_CHECK(lab_module_unload(module));
    free(workers);
    return wrong > 0;
}
