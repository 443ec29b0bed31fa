/*
 * Programs of other shapes than the sixty of model_programs.c. They were written after the model was tuned, and
 * nothing is tuned to them: their error says what the model does with a program that it has not met.
 */
#include "model_programs.h"

#define LENGTH(list) (sizeof(list) / sizeof *(list))

static lab_status run_kernel(const kit *k, kernel which, unsigned blocks, int array, int stream)
{
    const unsigned threads = 256;
    return model_launch(k, which, blocks, threads, array, k->stream[stream]);
}

static lab_status copy_in(const kit *k, int array, int stream)
{
    return lab_array_set_async(k->x[array], k->host[array], k->stream[stream]);
}

static lab_status copy_out(const kit *k, int array, int stream)
{
    return lab_array_get_async(k->x[array], k->host[array], k->stream[stream]);
}

/* What is enqueued in `after` from now on waits for what is in `before`. */
static lab_status follow(const kit *k, int after, int before)
{
    LAB_TRY(lab_event_record(k->event[before], k->stream[before]));
    return lab_stream_wait_event(k->stream[after], k->event[before]);
}

static void host_work(void *user) { (void)user; }

static lab_status call_host(const kit *k, int stream)
{
    return lab_stream_launch_host_func(k->stream[stream], host_work, NULL);
}

/* --- After the labs --------------------------------------------------------------------------------------------- */

/* One array stays on the device while kernels of two lengths use it. */
static lab_status stay(const entry *e, const kit *k)
{
    LAB_TRY(copy_in(k, 0, 0));
    for (int i = 0; i < e->every; i++) LAB_TRY(run_kernel(k, i % 3 ? TWICE : WORK2K, 64, 0, 0));
    LAB_TRY(copy_out(k, 0, 0));
    return model_wait_for_all(e, k);
}

/* Jobs of their own stream each; the second has three times the kernels of the first, and so on. */
static lab_status uneven_jobs(const entry *e, const kit *k)
{
    for (int s = 0; s < e->streams; s++) {
        LAB_TRY(copy_in(k, s, s));
        for (int i = 0; i < 2 * s + 1; i++) LAB_TRY(run_kernel(k, WORK20K, 16, s, s));
        LAB_TRY(copy_out(k, s, s));
    }
    return model_wait_for_all(e, k);
}

/* Streams that fill arrays, and one that adds each round up when all of them are there. */
static lab_status fan_in(const entry *e, const kit *k)
{
    for (int r = 0; r < e->every; r++) {
        for (int s = 1; s < e->streams; s++) {
            LAB_TRY(copy_in(k, s, s));
            LAB_TRY(run_kernel(k, WORK2K, 8, s, s));
            LAB_TRY(follow(k, 0, s));
        }
        for (int s = 1; s < e->streams; s++) LAB_TRY(run_kernel(k, ADD, 0, s, 0));
        for (int s = 1; s < e->streams; s++) LAB_TRY(follow(k, s, 0));
    }
    return model_wait_for_all(e, k);
}

/* A stream for copies in, one for kernels, one for copies out; four buffers. */
static lab_status three_stages(const entry *e, const kit *k)
{
    const int buffers = 4;
    for (int i = 0; i < e->every; i++) {
        const int b = i % buffers;
        if (i >= buffers) LAB_TRY(lab_stream_wait_event(k->stream[0], k->event[e->streams + b]));
        LAB_TRY(copy_in(k, b, 0));
        LAB_TRY(follow(k, 1, 0));
        LAB_TRY(run_kernel(k, e->kernel, e->blocks, b, 1));
        LAB_TRY(follow(k, 2, 1));
        LAB_TRY(copy_out(k, b, 2));
        LAB_TRY(lab_event_record(k->event[e->streams + b], k->stream[2]));
    }
    return model_wait_for_all(e, k);
}

/* Depth first; a few kernels take ten times as long as the others: every fourth, or the last. */
static lab_status few_long(const entry *e, const kit *k)
{
    for (int i = 0; i < e->count; i++) {
        const int s = i % e->streams;
        const bool slow = e->every ? i % e->every == 0 : i >= e->count - 4;
        LAB_TRY(copy_in(k, i, s));
        LAB_TRY(run_kernel(k, slow ? WORK20K : WORK2K, 8, i, s));
        LAB_TRY(copy_out(k, i, s));
    }
    return model_wait_for_all(e, k);
}

/* Three blocks of the pool for each step, which end in another order than they began. */
static lab_status pool_steps(const entry *e, const kit *k)
{
    for (int i = 0; i < e->every; i++) {
        lab_deviceptr block[3];
        const int s = i % e->streams;
        for (int b = 0; b < 3; b++) LAB_TRY(lab_mempool_alloc(&block[b], k->pool, k->bytes >> b, k->stream[s]));
        LAB_TRY(run_kernel(k, WORK2K, 4, s, s));
        for (int b = 0; b < 3; b++) LAB_TRY(lab_memset_async(block[b], 0, k->bytes >> b, k->stream[s]));
        for (int b = 0; b < 3; b++) LAB_TRY(lab_mempool_free(k->pool, block[b], k->stream[s]));
    }
    return model_wait_for_all(e, k);
}

/* New arrays of another type, from the device's pool. */
static lab_status casts(const entry *e, const kit *k)
{
    for (int i = 0; i < e->every; i++) {
        lab_array *whole, *wide;
        LAB_TRY(lab_array_astype(&whole, k->x[0], LAB_INT32, k->stream[0]));
        LAB_TRY(lab_array_astype(&wide, whole, LAB_FLOAT64, k->stream[0]));
        LAB_TRY(lab_array_destroy(whole));
        LAB_TRY(lab_array_destroy(wide));
    }
    return model_wait_for_all(e, k);
}

static lab_status reductions(const entry *e, const kit *k)
{
    for (int i = 0; i < e->every; i++) {
        LAB_TRY(lab_array_dot(k->one, k->x[0], k->x[1], k->stream[0]));
        LAB_TRY(lab_array_max(k->one, k->x[1], k->stream[0]));
        LAB_TRY(run_kernel(k, WORK2K, 1, 0, 0));
    }
    return model_wait_for_all(e, k);
}

/* Little work of every kind. */
static lab_status overheads(const entry *e, const kit *k)
{
    for (int i = 0; i < e->every; i++) {
        const int s = i % e->streams;
        LAB_TRY(lab_memset_async(lab_array_data(k->x[s]), 0, k->bytes, k->stream[s]));
        LAB_TRY(run_kernel(k, NOTHING, 1, s, s));
        LAB_TRY(lab_memcpy_dtod_async(lab_array_data(k->y[s]), lab_array_data(k->x[s]), k->bytes, k->stream[s]));
        LAB_TRY(lab_event_record(k->event[s], k->stream[s]));
    }
    return model_wait_for_all(e, k);
}

/* Work goes around the streams, each step in two of them. */
static lab_status ring(const entry *e, const kit *k)
{
    for (int i = 0; i < e->every; i++) {
        const int s = i % e->streams, t = (i + 1) % e->streams;
        LAB_TRY(run_kernel(k, WORK2K, 8, s, s));
        LAB_TRY(follow(k, t, s));
        LAB_TRY(run_kernel(k, WORK20K, 2, s, s));
    }
    return model_wait_for_all(e, k);
}

/* Copies in, a kernel, copies out, and the host looks at each array in a function. */
static lab_status consumer(const entry *e, const kit *k)
{
    for (int i = 0; i < e->count; i++) {
        const int s = i % e->streams;
        LAB_TRY(copy_in(k, i, s));
        LAB_TRY(run_kernel(k, WORK20K, 8, i, s));
        LAB_TRY(copy_out(k, i, s));
        LAB_TRY(call_host(k, s));
    }
    return model_wait_for_all(e, k);
}

/* The host never has more than three steps ahead of it. */
static lab_status window(const entry *e, const kit *k)
{
    const int ahead = 3;
    for (int i = 0; i < e->every; i++) {
        const int s = i % ahead;
        if (i >= ahead) LAB_TRY(lab_event_synchronize(k->event[s]));
        LAB_TRY(copy_in(k, s, s));
        LAB_TRY(run_kernel(k, e->kernel, e->blocks, s, s));
        LAB_TRY(copy_out(k, s, s));
        LAB_TRY(lab_event_record(k->event[s], k->stream[s]));
    }
    return model_wait_for_all(e, k);
}

/* Copies that the host waits for, with kernels of other streams between them. */
static lab_status null_copies(const entry *e, const kit *k)
{
    for (int i = 0; i < e->every; i++) {
        LAB_TRY(run_kernel(k, WORK20K, 32, 1, 0));
        LAB_TRY(lab_array_set(k->x[0], k->host[0]));
        LAB_TRY(model_launch(k, WORK2K, 8, 64, 0, lab_stream_null()));
        LAB_TRY(lab_array_get(k->x[0], k->host[0]));
    }
    return model_wait_for_all(e, k);
}

/* --- Priorities ------------------------------------------------------------------------------------------------- */

/* Kernels that fill the device, and an urgent stream whose copies follow short kernels. */
static lab_status urgent(const entry *e, const kit *k)
{
    for (int i = 0; i < e->every; i++)
        for (int s = 1; s < e->streams; s++) LAB_TRY(run_kernel(k, WORK2K, 1056, s, s));
    for (int i = 0; i < e->every; i++) {
        LAB_TRY(run_kernel(k, WORK2K, 132, 0, 0));
        LAB_TRY(copy_out(k, 0, 0));
    }
    return model_wait_for_all(e, k);
}

/* Every stream has the same work; half of them are urgent, and only they have something to copy. */
static lab_status half_urgent(const entry *e, const kit *k)
{
    for (int i = 0; i < e->every; i++)
        for (int s = e->streams - 1; s >= 0; s--) {
            LAB_TRY(run_kernel(k, WORK20K, 528, s, s));
            if (s < e->urgent) LAB_TRY(copy_out(k, s, s));
        }
    return model_wait_for_all(e, k);
}

/* --- The host in the middle ------------------------------------------------------------------------------------- */

static lab_status host_between(const entry *e, const kit *k)
{
    for (int i = 0; i < e->every; i++)
        for (int s = 0; s < e->streams; s++) {
            LAB_TRY(run_kernel(k, WORK2K, 16, s, s));
            LAB_TRY(call_host(k, s));
            LAB_TRY(run_kernel(k, WORK20K, 16, s, s));
        }
    return model_wait_for_all(e, k);
}

/* All streams end before the host's function, and none begins before it has ended. */
static lab_status host_join(const entry *e, const kit *k)
{
    for (int i = 0; i < e->every; i++) {
        for (int s = 1; s < e->streams; s++) {
            LAB_TRY(run_kernel(k, s % 2 ? WORK20K : WORK2K, 8, s, s));
            LAB_TRY(follow(k, 0, s));
        }
        LAB_TRY(call_host(k, 0));
        for (int s = 1; s < e->streams; s++) LAB_TRY(follow(k, s, 0));
    }
    return model_wait_for_all(e, k);
}

/* --- What shares the device ------------------------------------------------------------------------------------- */

static lab_status uneven_grids(const entry *e, const kit *k)
{
    static const unsigned blocks[] = {50, 2000, 200, 3000, 700};
    for (int i = 0; i < e->every; i++)
        LAB_TRY(run_kernel(k, e->kernel, blocks[i % (int)LENGTH(blocks)], 0, i % e->streams));
    return model_wait_for_all(e, k);
}

/* Memory's work in one stream, that of the multiprocessors in the other. */
static lab_status memory_and_computing(const entry *e, const kit *k)
{
    for (int i = 0; i < e->every; i++) {
        LAB_TRY(run_kernel(k, ADD, 0, i % (k->arrays - 1), 0));
        LAB_TRY(run_kernel(k, WORK20K, 64, k->arrays - 1, 1));
    }
    return model_wait_for_all(e, k);
}

/* Large copies in while kernels go through other memory. */
static lab_status memory_and_copies(const entry *e, const kit *k)
{
    for (int i = 0; i < e->every; i++) {
        LAB_TRY(copy_in(k, 0, 0));
        for (int j = 0; j < 4; j++) LAB_TRY(run_kernel(k, ADD, 0, 1 + j % (k->arrays - 1), 1));
    }
    return model_wait_for_all(e, k);
}

/* Copies in both directions, twice as many in as out. */
static lab_status both_ways(const entry *e, const kit *k)
{
    for (int i = 0; i < e->every; i++) {
        LAB_TRY(copy_in(k, 0, 0));
        LAB_TRY(copy_in(k, 1, 0));
        LAB_TRY(copy_out(k, 2, 1));
    }
    return model_wait_for_all(e, k);
}

/* --- Graphs ----------------------------------------------------------------------------------------------------- */

static lab_status launch_graph(const entry *e, const kit *k)
{
    for (int i = 0; i < e->every; i++) LAB_TRY(lab_graph_launch(k->exec, k->stream[0]));
    return lab_stream_synchronize(k->stream[0]);
}

/* Each graph's launch between a copy in and a copy out. */
static lab_status copy_around_graph(const entry *e, const kit *k)
{
    for (int i = 0; i < e->every; i++) {
        LAB_TRY(copy_in(k, 0, 0));
        LAB_TRY(lab_graph_launch(k->exec, k->stream[0]));
        LAB_TRY(copy_out(k, 0, 0));
    }
    return lab_stream_synchronize(k->stream[0]);
}

/* A branch for each stream: in, kernel, out. */
static lab_status branches_with_copies(const entry *e, const kit *k)
{
    for (int s = 1; s < e->streams; s++) LAB_TRY(follow(k, s, 0));
    for (int s = 0; s < e->streams; s++) {
        LAB_TRY(copy_in(k, s, s));
        LAB_TRY(run_kernel(k, WORK20K, 8, s, s));
        LAB_TRY(copy_out(k, s, s));
    }
    for (int s = 1; s < e->streams; s++) LAB_TRY(follow(k, 0, s));
    return LAB_SUCCESS;
}

/* One long kernel next to chains of short ones. */
static lab_status diamond(const entry *e, const kit *k)
{
    LAB_TRY(run_kernel(k, WORK2K, 1, 0, 0));
    for (int s = 1; s < e->streams; s++) {
        LAB_TRY(follow(k, s, 0));
        for (int i = 0; i < 5; i++) LAB_TRY(run_kernel(k, WORK2K, 4, s, s));
    }
    LAB_TRY(run_kernel(k, WORK20K, 4, 0, 0));
    for (int s = 1; s < e->streams; s++) LAB_TRY(follow(k, 0, s));
    return run_kernel(k, WORK2K, 1, 0, 0);
}

/* Leaves in all streams, joined two by two. */
static lab_status tree(const entry *e, const kit *k)
{
    for (int s = 1; s < e->streams; s++) LAB_TRY(follow(k, s, 0));
    for (int s = 0; s < e->streams; s++) LAB_TRY(run_kernel(k, WORK2K, 8, s, s));
    for (int apart = 1; apart < e->streams; apart *= 2)
        for (int s = 0; s + apart < e->streams; s += 2 * apart) {
            LAB_TRY(follow(k, s, s + apart));
            LAB_TRY(run_kernel(k, WORK2K, 8, s, s));
        }
    return LAB_SUCCESS;
}

static lab_status short_chain(const entry *e, const kit *k)
{
    for (int i = 0; i < e->count; i++) LAB_TRY(run_kernel(k, WORK2K, 8, 0, 0));
    return LAB_SUCCESS;
}

/* --- Programs of chance ----------------------------------------------------------------------------------------- */

/* Kernels of uneven size, copies and waits, drawn from the numbers that follow the seed `every`. */
static lab_status chance(const entry *e, const kit *k)
{
    unsigned drawn = (unsigned)e->every;
    for (int i = 0; i < 100; i++) {
        drawn = drawn * 1664525u + 1013904223u;
        const unsigned choice = drawn >> 16;
        const int s = (int)(choice % (unsigned)e->streams), t = (s + 1) % e->streams;
        switch (choice / 64 % 8) {
        case 0: LAB_TRY(copy_in(k, s, s)); break;
        case 1: LAB_TRY(copy_out(k, s, s)); break;
        case 2: LAB_TRY(follow(k, t, s)); break;
        case 3: LAB_TRY(run_kernel(k, WORK20K, 1 + choice / 512 % 64, s, s)); break;
        case 4: LAB_TRY(run_kernel(k, TWICE, 256, s, s)); break;
        case 5: LAB_TRY(run_kernel(k, ADD, 0, s, s)); break;
        default: LAB_TRY(run_kernel(k, WORK2K, 1 + choice / 512 % 64, s, s)); break;
        }
    }
    return model_wait_for_all(e, k);
}

const entry model_fresh[] = {
    {"stay-on-device", FRESH, 1, 2, 4096, .program = stay, .every = 60},
    {"uneven-jobs", FRESH, 4, 4, 4096, .program = uneven_jobs},
    {"fan-in-6", FRESH, 7, 7, 1024, .program = fan_in, .every = 6},
    {"three-stages-2m", FRESH, 3, 4, 2048, TWICE, 512, .program = three_stages, .every = 24},
    {"three-stages-work", FRESH, 3, 4, 256, WORK20K, 8, .program = three_stages, .every = 24},
    {"long-every-fourth", FRESH, 4, 32, 512, .program = few_long, .every = 4},
    {"long-last", FRESH, 8, 32, 512, .program = few_long},
    {"pool-steps", FRESH, 1, 2, 4096, .program = pool_steps, .every = 40},
    {"pool-steps-3-streams", FRESH, 3, 3, 2048, .program = pool_steps, .every = 60},
    {"casts-16m", FRESH, 1, 2, 16384, .program = casts, .every = 20, .whole = true},
    {"reductions-32m", FRESH, 1, 2, 32768, .program = reductions, .every = 10, .whole = true},
    {"overheads-2", FRESH, 2, 2, 64, .program = overheads, .every = 100},
    {"ring-5", FRESH, 5, 5, 64, .program = ring, .every = 60},
    {"consumer-3", FRESH, 3, 18, 1024, .program = consumer},
    {"window-3", FRESH, 3, 3, 1024, WORK20K, 16, .program = window, .every = 30},
    {"window-3-pageable", FRESH, 3, 3, 2048, WORK20K, 16, .pageable = true, .program = window, .every = 12},
    {"null-copies", FRESH, 1, 2, 512, .program = null_copies, .every = 16},
    {"urgent-1", FRESH, 4, 4, 4096, .program = urgent, .every = 8, .urgent = 1},
    {"urgent-half", FRESH, 6, 6, 8192, .program = half_urgent, .every = 3, .urgent = 3},
    {"host-between-1", FRESH, 1, 2, 64, .program = host_between, .every = 12},
    {"host-between-4", FRESH, 4, 4, 64, .program = host_between, .every = 6},
    {"host-join-4", FRESH, 4, 4, 64, .program = host_join, .every = 10},
    {"uneven-grids", FRESH, 4, 2, 64, WORK2K, .program = uneven_grids, .every = 25},
    {"memory-and-computing", FRESH, 2, 5, 32768, .program = memory_and_computing, .every = 16},
    {"memory-and-copies", FRESH, 2, 5, 32768, .program = memory_and_copies, .every = 4},
    {"both-ways", FRESH, 2, 3, 8192, .program = both_ways, .every = 6},
    {"graph-copies-4", FRESH, 4, 4, 1024, .captured = branches_with_copies, .program = launch_graph, .every = 4},
    {"graph-diamond-4", FRESH, 4, 4, 64, .captured = diamond, .program = launch_graph, .every = 10},
    {"graph-tree-8", FRESH, 8, 8, 64, .captured = tree, .program = launch_graph, .every = 10},
    {"copy-graph-copy", FRESH, 1, 12, 1024, .captured = short_chain, .program = copy_around_graph, .every = 8},
    {"chance-3", FRESH, 3, 3, 1024, .program = chance, .every = 1},
    {"chance-5", FRESH, 5, 5, 256, .program = chance, .every = 2},
};
const size_t model_fresh_count = LENGTH(model_fresh);
