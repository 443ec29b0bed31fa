/* Runs the catalogue and reports mistakes that were found or missed, and false findings. */
#include "catalogue.h"

#include <stdarg.h>
#include <stdio.h>

int first_line, second_line, owner_line;
static program *programs;

void catalogue_add(program *added)
{
    program **link = &programs;
    while (*link) link = &(*link)->next;
    added->next = NULL;
    *link = added;
}

static const char SOURCE[] = "__device__ int calls;\n"
                             "extern \"C\" __global__ void increase(float *x)\n"
                             "{\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    x[i] = x[i] + 1;\n"
                             "}\n"
                             "extern \"C\" __global__ void duplicate(float *to, const float *from)\n"
                             "{\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    to[i] = from[i];\n"
                             "}\n"
                             "extern \"C\" __global__ void set(float *to)\n"
                             "{\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    to[i] = i;\n"
                             "}\n"
                             "extern \"C\" __global__ void look(float *x, float *to) { to[0] = x[0] + x[4095]; }\n"
                             "extern \"C\" __global__ void follow(float *const *list)\n"
                             "{\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    list[0][i] += 1;\n"
                             "}\n"
                             "extern \"C\" __global__ void count() { calls += 1; }\n"
                             "extern \"C\" __global__ void get_count(float *to) { to[0] = calls; }\n"
                             "__constant__ float factor[4];\n"
                             "extern \"C\" __global__ void scale(float *x)\n"
                             "{\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    x[i] = x[i] * factor[1];\n"
                             "}\n"
                             "extern \"C\" __global__ void reverse(float *x)\n"
                             "{\n"
                             "    __shared__ float tile[64];\n"
                             "    tile[threadIdx.x] = x[threadIdx.x];\n"
                             "    __syncthreads();\n"
                             "    x[threadIdx.x] = tile[63 - threadIdx.x];\n"
                             "}\n";

const program *catalogue_first(void) { return programs; }

void catalogue_load(ground *kit)
{
    lab_module *module;
    LAB_CHECK(lab_module_load_source(&module, SOURCE, "catalogue.cu"));
    LAB_CHECK(lab_module_get_function(&kit->increase, module, "increase"));
    LAB_CHECK(lab_module_get_function(&kit->duplicate, module, "duplicate"));
    LAB_CHECK(lab_module_get_function(&kit->set, module, "set"));
    LAB_CHECK(lab_module_get_function(&kit->look, module, "look"));
    LAB_CHECK(lab_module_get_function(&kit->follow, module, "follow"));
    LAB_CHECK(lab_module_get_function(&kit->count, module, "count"));
    LAB_CHECK(lab_module_get_function(&kit->get_count, module, "get_count"));
    LAB_CHECK(lab_module_get_function(&kit->scale, module, "scale"));
    LAB_CHECK(lab_module_get_global(&kit->factor, &(size_t){0}, module, "factor"));
    LAB_CHECK(lab_module_get_global(&kit->calls, &(size_t){0}, module, "calls"));
}

static void prepare(ground *kit)
{
    lab_stream **non_blocking[] = {&kit->one, &kit->two, &kit->three}, **blocking[] = {&kit->blocking, &kit->another};
    for (int i = 0; i < 3; i++) LAB_CHECK(lab_stream_create(non_blocking[i], LAB_STREAM_NON_BLOCKING));
    for (int i = 0; i < 2; i++) LAB_CHECK(lab_stream_create(blocking[i], LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_event_create(&kit->event, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_event_create(&kit->other_event, LAB_EVENT_DISABLE_TIMING));
    lab_array **array[] = {&kit->a, &kit->b, &kit->c};
    for (int i = 0; i < 3; i++) LAB_CHECK(lab_array_empty(array[i], LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_host_alloc((void **)&kit->pinned, BYTES));
    LAB_CHECK(lab_host_alloc((void **)&kit->pinned_too, BYTES));
}

static void clean_up(const ground *kit)
{
    LAB_CHECK(lab_device_synchronize());
    lab_stream *stream[] = {kit->one, kit->two, kit->three, kit->blocking, kit->another};
    for (int i = 0; i < 5; i++) LAB_CHECK(lab_stream_destroy(stream[i]));
    LAB_CHECK(lab_event_destroy(kit->event));
    LAB_CHECK(lab_event_destroy(kit->other_event));
    lab_array *array[] = {kit->a, kit->b, kit->c};
    for (int i = 0; i < 3; i++)
        if (lab_array_data(array[i])) LAB_CHECK(lab_array_destroy(array[i]));
    LAB_CHECK(lab_host_free(kit->pinned));
    LAB_CHECK(lab_host_free(kit->pinned_too));
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Whether the text contains the formatted words. */
__attribute__((format(printf, 2, 3))) static bool contains(const char *text, const char *format, ...)
{
    char words[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    return strstr(text, words);
}

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* Whether the text names the line of this program's file and, for a node of a graph, that of the launch. */
static bool names(const char *text, const lab_order_side *side)
{
    return contains(text, "%s:%d", base_name(side->file), side->line) &&
           (!side->graph || contains(text, "%s:%d", base_name(side->launch_file), side->launch_line));
}

/* Valid until the second call after this one. */
static const char *name_stream(const lab_order_side *side, const lab_order_side *other)
{
    static char names[2][60];
    static int next;
    char *name = names[next ^= 1];
    if (side->null_stream && other->null_stream && side->context != other->context)
        snprintf(name, sizeof *names, "the null stream of context %llu", (unsigned long long)side->context);
    else if (side->null_stream)
        snprintf(name, sizeof *names, "the null stream");
    else
        snprintf(name, sizeof *names, "stream %llu", (unsigned long long)side->stream);
    return name;
}

/* An event goes behind the launch of a node, not behind the node. */
static bool names_event(const char *edge, const lab_order_side *first, const lab_order_side *second)
{
    return contains(edge, "let %s wait for it before %s", name_stream(second, first),
                    second->graph ? "the launch (" : "") &&
           contains(edge, "record an event on %s after %s", name_stream(first, second),
                    first->graph ? "the launch (" : "");
}

static bool names_edge(const program *entry, const lab_order_finding *found)
{
    const char *edge = found->edge;
    const lab_order_side *first = &found->first, *second = &found->second;
    if (entry->edge == IN_UPDATE && !strstr(edge, "update another node than ")) return false;
    if (entry->edge == IN_CAPTURE && strstr(edge, "update another node")) return false;
    if (entry->edge == IN_CAPTURE || entry->edge == IN_UPDATE)
        return strstr(edge, "while the graph is captured") && contains(edge, ":%d)", first->line) &&
               contains(edge, ":%d)", second->line);
    if (!names(edge, second) || (entry->edge != BY_MOVING && !names(edge, first))) return false;
    const bool tells_pool =
        contains(edge, "tell the pool that %s uses the block",
                 found->kind == LAB_ORDER_FREE_IN_USE ? name_stream(first, second) : name_stream(second, first));
    switch (entry->edge) {
    case BY_EVENT: return names_event(edge, first, second) && !strstr(edge, "lab_host_release");
    case BY_HANDING_OVER:
        return names_event(edge, first, second) && strstr(edge, "lab_host_release") &&
               contains(edge, "host thread %llu lab_host_acquire", (unsigned long long)second->thread);
    case BY_WAIT: return contains(edge, "wait for %s", name_stream(first, second));
    case IN_CAPTURE:
    case IN_UPDATE: break;
    case BY_MOVING: return strstr(edge, "free the memory after the last use");
    case BY_TELLING: return tells_pool && contains(edge, "wait for %s", name_stream(first, second));
    case BY_TELLING_OR_EVENT: return tells_pool && names_event(edge, first, second);
    }
    return false;
}

/* Whether the text names the operation, its stream and its host thread, behind these words. */
static bool tells(const char *before, const lab_order_finding *found, const lab_order_side *side,
                  const lab_order_side *other)
{
    char made[200] = "", stream[300] = "";
    if (!side->null_stream && *side->stream_file)
        snprintf(made, sizeof made, " made at %s:%d", base_name(side->stream_file), side->stream_line);
    if (side->stream) snprintf(stream, sizeof stream, "%s%s, ", name_stream(side, other), made);
    return contains(found->text, "%s %llu (%shost thread %llu)", before, (unsigned long long)side->number, stream,
                    (unsigned long long)side->thread);
}

/* Whether the first sentence is short, and the second has the numbers. */
static bool tells_both(const lab_order_finding *found)
{
    const char *second = found->second.writes ? "writes" : "reads", *first = found->first.writes ? "writes" : "reads";
    const char *memory = found->host ? "host memory" : "device memory";
    char variable[200];
    snprintf(variable, sizeof variable, "the variable %s", found->variable);
    return contains(found->text, ") %s %s that ", second, *found->variable ? variable : memory) &&
           contains(found->text, " %s, and nothing orders them", first) &&
           tells(". Operation", found, &found->second, &found->first) &&
           tells(" and operation", found, &found->first, &found->second) &&
           contains(found->text, " use bytes %llu to %llu", (unsigned long long)found->offset,
                    (unsigned long long)(found->offset + found->bytes - 1));
}

/* Describes what is wrong with the finding; NULL if nothing. */
static const char *judge(const program *entry, const lab_order_finding *found)
{
    if (found->kind != entry->kind) return "another kind of finding";
    if (found->first.line != first_line) return "another first line";
    if (found->second.line != second_line) return "another second line";
    if (!ends_with(found->first.file, "_test.c") || !ends_with(found->second.file, "_test.c")) return "another file";
    if (!names(found->text, &found->first) || !names(found->text, &found->second)) return "the text lacks a line";
    if (found->bytes != entry->bytes) return "other bytes";
    if (found->offset != entry->offset) return "another offset";
    if (found->kind != LAB_ORDER_USE_AFTER_FREE && !found->first.writes && !found->second.writes)
        return "neither writes";
    if (strstr(found->text, "operation 0")) return "an operation without a number";
    if (strcmp(found->variable, entry->variable ? entry->variable : "") != 0) return "another variable";
    if (entry->why && !strstr(found->text, entry->why)) return "the text lacks the reason";
    if (owner_line && !contains(found->text, "; its bytes now belong to the memory made at %s:%d",
                                base_name(found->second.file), owner_line))
        return "the text lacks the new owner";
    if (!owner_line && strstr(found->text, "now belong to")) return "the text names a new owner";
    if (found->kind == LAB_ORDER_RACE && found->allocation_bytes && !tells_both(found))
        return "the text lacks something";
    return names_edge(entry, found) ? NULL : "another edge";
}

static void show(const program *entry, const char *what)
{
    lab_order_finding found = {0};
    printf("  %s: %s (lines %d and %d)\n", entry->name, what, first_line, second_line);
    for (size_t i = 0; lab_order_get_finding(&found, i) == LAB_SUCCESS; i++)
        printf("    %s. To order them: %s.\n", found.text, found.edge);
}

void catalogue_run(const program *entry, ground *kit)
{
    first_line = second_line = owner_line = 0;
    LAB_CHECK(lab_order_start(LAB_ORDER_COLLECT));
    prepare(kit);
    entry->run(kit);
    clean_up(kit);
    LAB_CHECK(lab_order_start(LAB_ORDER_OFF));
}

Test(order, finds_every_mistake_of_the_catalogue_and_nothing_else)
{
    setenv("LAB_CPU_DEVICES", "2", 0);
    setenv("LAB_SCHEDULE", "fifo", 0); /* only the checker sees the wrong programs race */
    static ground kit;
    int right = 0, wrong = 0, found = 0, missed = 0, falsely = 0, left_out = 0, reported = 0, devices;
    LAB_CHECK(lab_device_count(&devices));
    catalogue_load(&kit);
    for (const program *each = programs; each; each = each->next) {
        if (each->two_devices && devices < 2) {
            left_out++;
            continue;
        }
        catalogue_run(each, &kit);
        lab_order_finding finding = {0};
        size_t findings = lab_order_get_counts().findings;
        const char *fault = findings == 1 && each->wrong  ? (lab_order_get_finding(&finding, 0), judge(each, &finding))
                            : findings > 1 && each->wrong ? "more than one finding"
                                                          : NULL;
        *(each->wrong ? &wrong : &right) += 1;
        reported += each->reported != NULL;
        if (each->wrong && findings && !fault) found++;
        if (each->wrong && (!findings || fault)) {
            missed++;
            show(each, fault ? fault : "missed");
        }
        if (!each->wrong && findings) {
            falsely++;
            show(each, "falsely found");
        }
    }
    printf("order checker: %d programs, %d right and %d wrong, %d of what others reported: found %d, missed %d, false "
           "%d%s\n",
           right + wrong, right, wrong, reported, found, missed, falsely,
           left_out ? " (some need two devices and were left out)" : "");
    fflush(stdout);
    cr_assert_eq(missed, 0, "%d mistakes were missed, or described wrongly", missed);
    cr_assert_eq(falsely, 0, "%d right programs were found fault with", falsely);
    cr_assert_geq(right + wrong, 85, "the catalogue is smaller than it was");
}
