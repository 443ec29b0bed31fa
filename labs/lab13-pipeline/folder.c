/* The pipeline as a program: folder KERNELS.cu IN OUT reads the PNG files of the folder IN, all of one size, runs them
 * through the functions of lab13.c, and writes to OUT the edges as PNG files, the histograms, the record and its
 * timeline. page.py makes a page of these. */
#include "lab13.h"
#include "lab_trace.h"
#include "pictures.h"

#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 3 };

static glob_t files;
static const char *out;
static lab13_work work;
static int saved;

/* The path in the folder OUT of a file of that name. */
static const char *path_of(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", out, name);
    return path;
}

static const char *name_of(int k) { return strrchr(files.gl_pathv[k], '/') + 1; }

static lab_status save(int k)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)work.width,
                       .height = (png_uint_32)(work.count / work.width),
                       .format = PNG_FORMAT_GRAY};
    if (k < 0 || k >= work.pictures) return LAB_ERROR_INVALID_VALUE;
    lab_trace_mark(name_of(k));
    saved++;
    LAB_TRY(lab_host_reads(work.picture[k].edges, (size_t)work.count));
    return png_image_write_to_file(&image, path_of(name_of(k)), 0, work.picture[k].edges, 0, NULL)
               ? LAB_SUCCESS
               : LAB_ERROR_INVALID_VALUE;
}

static void give_up(const char *path, const char *why)
{
    fprintf(stderr, "%s: %s\n", path, why);
    exit(1);
}

/* Reads a file into pinned memory; the first one decides the size. */
static lab13_picture read_picture(const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    void *pixels, *edges, *histogram;
    if (!png_image_begin_read_from_file(&image, path)) give_up(path, image.message);
    const int width = (int)image.width, count = (int)(image.width * image.height);
    if (!work.count) work.width = width, work.count = count;
    if (width != work.width || count != work.count) give_up(path, "another size than the first picture's");
    LAB_CHECK(lab_host_alloc(&pixels, (size_t)count));
    LAB_CHECK(lab_host_alloc(&edges, (size_t)count));
    LAB_CHECK(lab_host_alloc(&histogram, LAB13_LEVELS * sizeof(unsigned)));
    image.format = PNG_FORMAT_GRAY;
    if (!png_image_finish_read(&image, NULL, pixels, 0, NULL)) give_up(path, image.message);
    return (lab13_picture){pixels, edges, histogram};
}

/* Runs the folder twice, for a first run is slower, and records the second. */
static lab_trace *run(const lab13_lane *lane)
{
    lab_trace *trace;
    LAB_CHECK(lab13_run(lane, &work));
    LAB_CHECK(lab_device_synchronize());
    saved = 0;
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab13_run(lane, &work));
    LAB_CHECK(lab_trace_end(&trace));
    return trace;
}

static void write_timeline(const lab_trace *trace, const char *name, const char *title)
{
    char *drawing;
    LAB_CHECK(lab_timeline_svg(&drawing, trace, &(lab_timeline_options){.title = title}));
    FILE *file = fopen(path_of(name), "w");
    if (!file || fputs(drawing, file) < 0 || fclose(file)) give_up(path_of(name), "could not be written");
    free(drawing);
}

/* The same calls on a large GPU, with pictures of 12 million pixels. */
static void write_model(const lab_trace *trace)
{
    lab_profile *profile;
    lab_model *model;
    LAB_CHECK(lab_profile_open(&profile, "h200"));
    LAB_CHECK(lab_model_run(&model, trace, profile, &(lab_model_options){.scale = 12e6 / work.count}));
    write_timeline(model->trace, "modelled.svg", "the same calls, pictures of 12 million pixels");
    lab_model_free(model);
    lab_profile_free(profile);
}

static void write_results(const lab_trace *trace)
{
    json_t *pictures = json_array();
    for (int k = 0; k < work.pictures; k++) {
        json_t *counts = json_array();
        for (int v = 0; v < LAB13_LEVELS; v++)
            json_array_append_new(counts, json_integer(work.picture[k].histogram[v]));
        json_array_append_new(pictures, json_pack("{s:s, s:o}", "name", name_of(k), "histogram", counts));
    }
    json_t *all = json_pack("{s:s, s:i, s:i, s:i, s:f, s:o}", "device", trace->device_name, "lanes", work.lanes,
                            "width", work.width, "height", work.count / work.width, "milliseconds",
                            lab_trace_summarize(trace).span_ms, "pictures", pictures);
    if (json_dump_file(all, path_of("run.json"), 0)) give_up(path_of("run.json"), "could not be written");
    json_decref(all);
    LAB_CHECK(lab_trace_save(trace, path_of("trace.json")));
    write_timeline(trace, "timeline.svg", "lab13_run");
    write_model(trace);
}

int main(int arguments, char **argument)
{
    lab13_lane lane[LANES] = {0};
    lab_module *module;
    char pattern[4096];
    if (arguments != 4) give_up("folder", "KERNELS.cu IN OUT");
    out = argument[3];
    snprintf(pattern, sizeof pattern, "%s/*.png", argument[2]);
    if (glob(pattern, 0, NULL, &files)) give_up(pattern, "no such pictures");
    lab13_picture *picture = calloc(files.gl_pathc, sizeof *picture);
    lab_event **done = calloc(files.gl_pathc, sizeof *done);
    if (!picture || !done) give_up("folder", "no memory");
    for (size_t k = 0; k < files.gl_pathc; k++) picture[k] = read_picture(files.gl_pathv[k]);
    work.pictures = (int)files.gl_pathc, work.picture = picture, work.lanes = LANES, work.done = done;
    work.save = save;
    work.enqueue = lab13_enqueue;
    LAB_CHECK(lab_module_load_file(&module, argument[1]));
    LAB_CHECK(lab_module_get_function(&work.blur, module, "blur"));
    LAB_CHECK(lab_module_get_function(&work.edge, module, "edge"));
    LAB_CHECK(lab_module_get_function(&work.histogram, module, "histogram"));
    LAB_CHECK(lab_mempool_create(&work.pool, NULL));
    for (int i = 0; i < LANES; i++) LAB_CHECK(lab13_open(&lane[i], &work));
    lab_trace *trace = run(lane);
    if (saved != work.pictures) give_up("lab13_run", "does not save every picture yet: make lab13 says more");
    write_results(trace);
    lab_trace_free(trace);
    for (int i = 0; i < LANES; i++) LAB_CHECK(lab13_close(&lane[i], &work));
    return 0;
}
