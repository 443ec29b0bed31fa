/* Loading a module: from a new source, and from the cache. This run uses its own cache folder. */
#include "bench.h"
#include "base/status.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static lab_status load(bench_samples *milliseconds, const char *source)
{
    lab_module *module;
    double start = bench_now();
    LAB_TRY(lab_module_load_source(&module, source, "fresh.cu"));
    if (milliseconds) bench_add_sample(milliseconds, 1e3 * (bench_now() - start));
    return lab_module_unload(module);
}

static lab_status load_fresh_and_again(bench_samples *cold, bench_samples *cached, int round)
{
    char source[512];
    snprintf(source, sizeof source,
             "extern \"C\" __global__ void saxpy(float *y, const float *x, float a, int count)\n"
             "{\n"
             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "    if (i < count) y[i] = a * x[i] + y[i] + %d.0f;\n"
             "}\n",
             round + BENCH_WARM_UPS);
    LAB_TRY(load(round < 0 ? NULL : cold, source));
    return load(round < 0 ? NULL : cached, source);
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder) closedir(folder);
    rmdir(path);
}

static lab_status make_folder(char *path, size_t bytes)
{
    const char *base = getenv("TMPDIR");
    snprintf(path, bytes, "%s/lab-bench-XXXXXX", base && *base ? base : P_tmpdir);
    if (mkdtemp(path)) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_IO, "%s: %s", path, strerror(errno));
}

void bench_compile(void)
{
    bench_samples cold = {0}, cached = {0};
    char folder[512];
    lab_status status = make_folder(folder, sizeof folder);
    if (status == LAB_SUCCESS) {
        setenv("LAB_CACHE_DIR", folder, 1);
        for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS && status == LAB_SUCCESS; round++)
            status = load_fresh_and_again(&cold, &cached, round);
        unsetenv("LAB_CACHE_DIR");
        remove_folder(folder);
    }
    bench_add_row((bench_row){"kernel compile, cold", "ms", BENCH_AT_MOST, 300}, &cold, status);
    bench_add_row((bench_row){"kernel compile, from the cache", "ms", BENCH_AT_MOST, 5}, &cached, status);
}
