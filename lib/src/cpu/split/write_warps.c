/*
 * A warp whose lanes are all together goes on from region to region inside lab.run.k: the warp function between two of
 * them is an operation on vectors of 32 numbers, and the library is not asked. Block wN completes the one before region
 * N, as the library would with all lanes as its members; what is not known here to be so returns to the library. Block
 * dispatch goes on after a region with several ways out.
 */
#include "writer.h"

#include "cpu/builtins/warp_lanes.h"

#include <ctype.h>
#include <stdlib.h>

#define LANES "32"
static const char values[] = "<" LANES " x i64>", words[] = "<" LANES " x i32>";

/* ---- which ones ---- */

static bool is_number(const ir_argument *a) { return isdigit((unsigned char)*a->text.start) || *a->text.start == '-'; }

static int number_of(const ir_argument *a) { return (int)strtoll(a->text.start, NULL, 10); }

static bool is_shuffle(const ir_wait *wait)
{
    return wait->kind >= CPU_WAIT_SHUFFLE && wait->kind <= CPU_WAIT_SHUFFLE_XOR;
}

/* Whether a wait can be completed here, given that all lanes of a warp have come to it with the mask of all. */
static bool is_known(const ir_wait *wait)
{
    if (!ir_is_of_warp(wait) || wait->kind == CPU_WAIT_MATCH_ANY || wait->kind == CPU_WAIT_MATCH_ALL) return false;
    if (!is_shuffle(wait)) return true;
    return (is_number(&wait->argument[2]) || wait->argument[2].value >= 0) && is_number(&wait->argument[3]);
}

bool split_completes(const ir_wait *wait)
{
    if (!is_known(wait)) return false;
    return wait->kind == CPU_WAIT_ACTIVEMASK || (is_number(&wait->argument[0]) && number_of(&wait->argument[0]) == -1);
}

bool split_is_operation(const ir_wait *wait)
{
    return split_completes(wait) && (!is_shuffle(wait) || is_number(&wait->argument[2]));
}

bool split_is_narrow(const ir_graph *g, const ir_wait *wait)
{
    const int value = wait->argument[1].value;
    const ir_instr *made = value >= 0 ? ir_defining(g, value) : NULL;
    return split_completes(wait) && (is_shuffle(wait) || wait->kind >= CPU_WAIT_REDUCE_AND) && made &&
           span_starts_with(made->text, "zext i32 ");
}

const char *split_first_of_warp(int slot, span element)
{
    const bool is_half = span_is(element, "i32") && span_is(split_own_slot_type(slot), "i64");
    return is_half ? "%warp.twice" : "%warp.first";
}

/* The block in which a warp goes on with a region: "v" or "w"; NULL if the library is asked first. */
static const char *block_before(const split_kernel *k, int region)
{
    const ir_wait *wait = ir_wait_before(k->r, region);
    if (!wait) return "v";
    return is_known(wait) ? "w" : NULL;
}

/* ---- operations ---- */

/* Writes the address of the warp's part of one of the first slots as that of a vector, whose elements have the type of
 * the slot's, or are words. */
static void write_vector_address(const split_kernel *k, const ir_emitter *e, ir_piece name, int slot, const char *type)
{
    const span element = type == words ? span_of("i32") : split_own_slot_type(slot);
    ir_emit(e, "  $.slot = getelementptr inbounds $, $ %slots.all, i32 0, i32 $, i64 0\n", name, as_text(k->slots),
            as_pointer(k->slots), as_number(slot));
    ir_emit(e, "  $.own = bitcast $ $.slot to $\n", name, as_pointer(split_own_slot_type(slot)), name,
            as_pointer(element));
    ir_emit(e, "  $.first = getelementptr inbounds $, $ $.own, i64 $\n", name, as_text(element), as_pointer(element),
            name, as_string(split_first_of_warp(slot, element)));
    ir_emit(e, "  $ = bitcast $ $.first to $\n", name, as_pointer(element), name, as_pointer(span_of(type)));
}

/* Writes a vector with the lanes of another one in another order, by the source of each. */
static void write_permuted(const ir_emitter *e, ir_piece result, const char *type, ir_piece vector,
                           const unsigned source[CPU_WARP_LANES])
{
    ir_emit(e, "  $ = shufflevector $ $, $ undef, <" LANES " x i32> <", result, as_string(type), vector,
            as_string(type));
    for (int lane = 0; lane < CPU_WARP_LANES; ++lane)
        ir_emit(e, "$i32 $", as_string(lane ? ", " : ""), as_number(source[lane]));
    fputs(">\n", e->out);
}

static void write_shuffle(const ir_emitter *e, int n, const ir_wait *wait, const char *type)
{
    unsigned source[CPU_WARP_LANES];
    for (unsigned lane = 0; lane < CPU_WARP_LANES; ++lane)
        source[lane] = cpu_warp_source_lane(wait->kind, lane, (unsigned)number_of(&wait->argument[2]),
                                            number_of(&wait->argument[3]));
    write_permuted(e, as_local("w.result", n), type, as_local("w.value", n), source);
}

/* Gives all lanes the number %w.one.N. */
static void write_for_all(const ir_emitter *e, int n)
{
    static const unsigned first[CPU_WARP_LANES];
    ir_emit(e, "  $ = insertelement $ undef, i64 $, i32 0\n", as_local("w.lane", n), as_string(values),
            as_local("w.one", n));
    write_permuted(e, as_local("w.result", n), values, as_local("w.lane", n), first);
}

static void write_vote(const ir_emitter *e, int n, cpu_wait_kind kind)
{
    const ir_piece voters = as_local("w.voters", n), answer = as_local("w.answer", n), one = as_local("w.one", n);
    ir_emit(e, "  $ = icmp ne $ $, zeroinitializer\n", as_local("w.votes", n), as_string(values),
            as_local("w.value", n));
    ir_emit(e, "  $ = bitcast <" LANES " x i1> $ to i32\n", voters, as_local("w.votes", n));
    if (kind == CPU_WAIT_BALLOT) {
        ir_emit(e, "  $ = zext i32 $ to i64\n", one, voters);
    } else {
        ir_emit(e, "  $ = icmp $\n", answer, as_string(kind == CPU_WAIT_ALL ? "eq i32 " : "ne i32 "));
        ir_emit(e, "$, $\n", voters, as_number(kind == CPU_WAIT_ALL ? -1 : 0));
        ir_emit(e, "  $ = zext i1 $ to i64\n", one, answer);
    }
    write_for_all(e, n);
}

/* Gives a vector of words or values as one of the other type, or of the same. */
static void write_converted(const ir_emitter *e, ir_piece result, const char *to, ir_piece vector, const char *from)
{
    if (to == from)
        ir_emit(e, "  $ = select i1 true, $ $, $ $\n", result, as_string(to), vector, as_string(to), vector);
    else
        ir_emit(e, "  $ = $ $ $ to $\n", result, as_string(to == words ? "trunc" : "zext"), as_string(from), vector,
                as_string(to));
}

/* Combines the lanes in five steps, so that each has the result. */
static void write_reduction(const ir_emitter *e, int n, cpu_wait_kind kind, const char *type)
{
    const bool compares = kind == CPU_WAIT_REDUCE_MIN || kind == CPU_WAIT_REDUCE_MAX;
    const char *operation = kind == CPU_WAIT_REDUCE_AND   ? "and"
                            : kind == CPU_WAIT_REDUCE_OR  ? "or"
                            : kind == CPU_WAIT_REDUCE_XOR ? "xor"
                            : kind == CPU_WAIT_REDUCE_ADD ? "add"
                            : kind == CPU_WAIT_REDUCE_MIN ? "icmp ult"
                                                          : "icmp ugt";
    write_converted(e, as_local_pair("w.sum", n, 0), words, as_local("w.value", n), type);
    for (int step = 0; step < 5; ++step) {
        const ir_piece own = as_local_pair("w.sum", n, step), other = as_local_pair("w.other", n, step);
        const ir_piece sum = as_local_pair("w.sum", n, step + 1), less = as_local_pair("w.less", n, step);
        unsigned source[CPU_WARP_LANES];
        for (unsigned lane = 0; lane < CPU_WARP_LANES; ++lane) source[lane] = lane ^ 1u << step;
        write_permuted(e, other, words, own, source);
        ir_emit(e, "  $ = $ $ $, $\n", compares ? less : sum, as_string(operation), as_string(words), own, other);
        if (compares)
            ir_emit(e, "  $ = select <" LANES " x i1> $, $ $, $ $\n", sum, less, as_string(words), own,
                    as_string(words), other);
    }
    write_converted(e, as_local("w.result", n), type, as_local_pair("w.sum", n, 5), words);
}

/* Writes a vector of words: first + (lane * step & mask) for each lane. */
static void write_constant(const ir_emitter *e, unsigned first, unsigned step, unsigned mask)
{
    for (unsigned lane = 0; lane < CPU_WARP_LANES; ++lane)
        ir_emit(e, "$i32 $", as_string(lane ? ", " : "<"), as_number(first + ((lane * step) & mask)));
    fputs(">", e->out);
}

/* Writes %w.from.N, the lane that each lane reads in a shuffle whose argument the lanes bring: cpu_warp_source_lane for
 * all of them. */
static void write_sources(const split_kernel *k, const ir_emitter *e, int n, const ir_wait *wait)
{
    const unsigned segment = cpu_warp_segment(number_of(&wait->argument[3])), inside = segment - 1;
    write_vector_address(k, e, as_local("w.argument.at", n), ARGUMENT_SLOT, words);
    ir_emit(e, "  $ = load $, $ $, align 4\n", as_local("w.asked", n), as_string(words), as_pointer(span_of(words)),
            as_local("w.argument.at", n));
    ir_emit(e, "  $ = and $ $, ", as_local("w.argument", n), as_string(words), as_local("w.asked", n));
    write_constant(e, wait->kind == CPU_WAIT_SHUFFLE ? inside : CPU_WARP_LANES - 1, 0, 0);
    fputs("\n  ", e->out);
    if (wait->kind == CPU_WAIT_SHUFFLE) {
        ir_emit(e, "$ = or $ $, ", as_local("w.from", n), as_string(words), as_local("w.argument", n));
        write_constant(e, 0, 1, ~inside);
        fputc('\n', e->out);
        return;
    }
    ir_emit(e, "$ = $ $ ", as_local("w.source", n),
            as_string(wait->kind == CPU_WAIT_SHUFFLE_UP     ? "sub"
                      : wait->kind == CPU_WAIT_SHUFFLE_DOWN ? "add"
                                                            : "xor"),
            as_string(words));
    write_constant(e, 0, 1, ~0u);
    ir_emit(e, ", $\n  $ = icmp $ $ $, ", as_local("w.argument", n), as_local("w.inside", n),
            as_string(wait->kind == CPU_WAIT_SHUFFLE_UP ? "ule" : "ult"), as_string(words),
            as_local(wait->kind == CPU_WAIT_SHUFFLE_XOR ? "w.source" : "w.argument", n));
    for (unsigned lane = 0; lane < CPU_WARP_LANES; ++lane) {
        const unsigned offset = lane & inside, first = lane - offset;
        ir_emit(e, "$i32 $", as_string(lane ? ", " : "<"),
                as_number(wait->kind == CPU_WAIT_SHUFFLE_UP     ? offset
                          : wait->kind == CPU_WAIT_SHUFFLE_DOWN ? segment - offset
                                                                : first + segment));
    }
    ir_emit(e, ">\n  $ = select <" LANES " x i1> $, $ $, $ ", as_local("w.from", n), as_local("w.inside", n),
            as_string(words), as_local("w.source", n), as_string(words));
    write_constant(e, 0, 1, ~0u);
    fputc('\n', e->out);
}

/* Writes the loop in which each lane gets the value of its source. */
static void write_gather(const split_kernel *k, const ir_emitter *e, int n, const ir_wait *wait, const char *type)
{
    const ir_piece element = as_string(type == words ? "i32" : "i64"), number = as_number(n);
    const ir_piece pointer = as_pointer(span_of(type == words ? "i32" : "i64"));
    write_sources(k, e, n, wait);
    ir_emit(e, "  $ = bitcast $ %warp.from to $\n  store $ $, $ $, align 4\n  br label %w.each$\n\n",
            as_local("w.from.at", n), as_pointer(span_of("[" LANES " x i32]")), as_pointer(span_of(words)),
            as_string(words), as_local("w.from", n), as_pointer(span_of(words)), as_local("w.from.at", n), number);
    ir_emit(e, "w.each$:\n  $ = phi i64 [ 0, %$$ ], [ $.next, %w.each$ ]\n", number, as_local("w.i", n),
            as_string(split_completes(wait) ? "w" : "w.all"), number, as_local("w.i", n), number);
    ir_emit(e, "  $.at = getelementptr inbounds [" LANES " x i32], $ %warp.from, i64 0, i64 $\n", as_local("w.j", n),
            as_pointer(span_of("[" LANES " x i32]")), as_local("w.i", n));
    ir_emit(e, "  $ = load i32, $ $.at\n  $.wide = zext i32 $ to i64\n", as_local("w.j", n), as_pointer(span_of("i32")),
            as_local("w.j", n), as_local("w.j", n), as_local("w.j", n));
    ir_emit(e, "  $.in = getelementptr inbounds $, $ $.first, i64 $.wide\n", as_local("w.j", n), element, pointer,
            as_local("w.value.at", n), as_local("w.j", n));
    ir_emit(e, "  $.out = getelementptr inbounds $, $ $.first, i64 $\n", as_local("w.j", n), element, pointer,
            as_local("w.result.at", n), as_local("w.i", n));
    ir_emit(e, "  $.is = load $, $ $.in\n  store $ $.is, $ $.out\n", as_local("w.j", n), element, pointer,
            as_local("w.j", n), element, as_local("w.j", n), pointer, as_local("w.j", n));
    ir_emit(e,
            "  $.next = add nuw nsw i64 $, 1\n  $.more = icmp ult i64 $.next, " LANES
            "\n  br i1 $.more, label %w.each$, label %w.done$\n\nw.done$:\n",
            as_local("w.i", n), as_local("w.i", n), as_local("w.i", n), as_local("w.i", n), as_local("w.i", n), number,
            number, number);
}

/* Writes %w.result.N, given %w.value.N of the same type. */
static void write_result(const ir_emitter *e, int n, const ir_wait *wait, const char *type)
{
    if (is_shuffle(wait)) {
        write_shuffle(e, n, wait, type);
    } else if (wait->kind >= CPU_WAIT_REDUCE_AND) {
        write_reduction(e, n, wait->kind, type);
    } else if (wait->kind == CPU_WAIT_ACTIVEMASK) {
        ir_emit(e, "  $ = add i64 0, 4294967295\n", as_local("w.one", n));
        write_for_all(e, n);
    } else {
        write_vote(e, n, wait->kind);
    }
}

ir_piece split_write_function(const ir_emitter *e, int n, const ir_wait *wait, bool is_narrow, ir_piece value)
{
    const char *type = is_narrow ? words : values;
    ir_emit(e, "  $ = select i1 true, $ $, $ $\n", as_local("w.value", n), as_string(type), value, as_string(type),
            value);
    write_result(e, n, wait, type);
    return as_local("w.result", n);
}

static void write_vectors(const ir_emitter *e, int n, const ir_wait *wait, const char *type)
{
    ir_emit(e, "  $ = load $, $ $, align 4\n", as_local("w.value", n), as_string(type), as_pointer(span_of(type)),
            as_local("w.value.at", n));
    write_result(e, n, wait, type);
    ir_emit(e, "  store $ $, $ $, align 4\n", as_string(type), as_local("w.result", n), as_pointer(span_of(type)),
            as_local("w.result.at", n));
}

/* Returns to the library unless all lanes have the mask of all. */
static void write_mask_test(const split_kernel *k, const ir_emitter *e, int n)
{
    const ir_piece masks = as_local("w.masks", n), full = as_local("w.full", n);
    write_vector_address(k, e, as_local("w.masks.at", n), MASK_SLOT, words);
    ir_emit(e, "  $ = load $, $ $, align 4\n", masks, as_string(words), as_pointer(span_of(words)),
            as_local("w.masks.at", n));
    ir_emit(e, "  $.part = icmp ne $ $, <", full, as_string(words), masks);
    for (int lane = 0; lane < CPU_WARP_LANES; ++lane) fprintf(e->out, "%si32 -1", lane ? ", " : "");
    ir_emit(e, ">\n  $.bits = bitcast <" LANES " x i1> $.part to i32\n", full, full);
    ir_emit(e, "  $ = icmp eq i32 $.bits, 0\n  br i1 $, label %w.all$, label %x$\n\nw.all$:\n", full, full, full,
            as_number(n), as_number(n), as_number(n));
}

/* Writes block wN. */
static void write_operation(const split_kernel *k, const ir_emitter *e, int n)
{
    const ir_wait *wait = ir_wait_before(k->r, n);
    ir_emit(e, "w$:\n", as_number(n));
    const char *type = split_is_narrow(k->g, wait) ? words : values;
    if (!split_completes(wait)) write_mask_test(k, e, n);
    if (wait->kind != CPU_WAIT_SYNCWARP && wait->result >= 0) {
        write_vector_address(k, e, as_local("w.value.at", n), VALUE_SLOT, type);
        write_vector_address(k, e, as_local("w.result.at", n), RESULT_SLOT, type);
        if (is_shuffle(wait) && !is_number(&wait->argument[2]))
            write_gather(k, e, n, wait, type);
        else
            write_vectors(e, n, wait, type);
    }
    ir_emit(e, "  br label %v$\n\nx$:\n  ret i32 $\n\n", as_number(n), as_number(n), as_number(n));
}

/* Writes block zN: the library has completed the wait, whose results become narrow. */
static void write_narrowing(const split_kernel *k, const ir_emitter *e, int n)
{
    const ir_piece all = as_local("z.all", n), narrow = as_local("z.narrow", n);
    ir_emit(e, "z$:\n", as_number(n));
    write_vector_address(k, e, as_local("z.from", n), RESULT_SLOT, values);
    write_vector_address(k, e, as_local("z.to", n), RESULT_SLOT, words);
    ir_emit(e, "  $ = load $, $ $, align 4\n", all, as_string(values), as_pointer(span_of(values)),
            as_local("z.from", n));
    write_converted(e, narrow, words, all, values);
    ir_emit(e, "  store $ $, $ $, align 4\n  br label %v$\n\n", as_string(words), narrow, as_pointer(span_of(words)),
            as_local("z.to", n), as_number(n));
}

static bool begins_narrow(const split_kernel *k, int region)
{
    const ir_wait *wait = ir_wait_before(k->r, region);
    return wait && split_is_narrow(k->g, wait);
}

/* ---- ways from region to region ---- */

void split_write_way_on(const split_kernel *k, const ir_emitter *e, int region, int fixed)
{
    const ir_piece to = as_local("v.to", region);
    const char *block = fixed >= 0 && fixed != CPU_SPLIT_EXITED ? block_before(k, fixed) : NULL;
    if (block)
        ir_emit(e, "  br label %$$\n\n", as_string(block), as_number(fixed));
    else if (fixed >= 0)
        ir_emit(e, "  ret i32 $\n\n", to);
    else
        ir_emit(e, "  store i32 $, $ %next.one\n  br label %dispatch\n\n", to, as_pointer(span_of("i32")));
}

/* Goes on with the region in %next.one, or with that of all lanes if the slots say so. */
static void write_dispatch(const split_kernel *k, const ir_emitter *e)
{
    const ir_piece number = as_pointer(span_of("i32"));
    ir_emit(e,
            "dispatch:\n  %next.all = load i32, $ %next.one\n  %apart = icmp eq i32 %next.all, $\n"
            "  br i1 %apart, label %compare, label %go\n\ncompare:\n",
            number, as_number(CPU_SPLIT_APART));
    write_vector_address(k, e, as_string("%next.at"), NEXT_SLOT, "<" LANES " x i8>");
    ir_emit(e, "  %next.lanes = load <" LANES " x i8>, $ %next.at, align 1\n", as_pointer(span_of("<" LANES " x i8>")));
    ir_emit(e,
            "  %next.first = extractelement <" LANES " x i8> %next.lanes, i32 0\n"
            "  %next.same = shufflevector <" LANES " x i8> %next.lanes, <" LANES " x i8> undef, <" LANES
            " x i32> zeroinitializer\n"
            "  %next.differ = icmp ne <" LANES " x i8> %next.lanes, %next.same\n"
            "  %next.bits = bitcast <" LANES " x i1> %next.differ to i32\n  %agree = icmp eq i32 %next.bits, 0\n"
            "  %next.number = zext i8 %next.first to i32\n  store i32 %next.number, $ %next.one\n"
            "  br i1 %agree, label %go, label %part\n\npart:\n  ret i32 $\n\n"
            "go:\n  %next = load i32, $ %next.one\n  switch i32 %next, label %ask [\n",
            number, as_number(CPU_SPLIT_APART), number);
    for (int s = 1; s < k->r->regions; ++s) {
        const char *block = block_before(k, s);
        if (block) ir_emit(e, "    i32 $, label %$$\n", as_number(s), as_string(block), as_number(s));
    }
    fputs("  ]\n\nask:\n  ret i32 %next\n\n", e->out);
}

void split_write_warp_start(const split_kernel *k, const ir_emitter *e)
{
    static const struct {
        const char *name;
        int number;
    } part[] = {{"x", 0}, {"y", 2}, {"z", 4}};
    const ir_piece number = as_pointer(span_of("i32"));
    ir_emit(e,
            "  %next.one = alloca i32\n  %warp.from = alloca [" LANES
            " x i32]\n  %warp.at = getelementptr inbounds i32, $ %range, i64 8\n"
            "  %warp = load i32, $ %warp.at\n  %warp.first = zext i32 %warp to i64\n"
            "  %warp.twice = shl nuw nsw i64 %warp.first, 1\n"
            "  %whole = icmp ne i32 %warp, $\n  br i1 %whole, label %all, label %threads\n\nall:\n",
            number, number, as_number(CPU_SPLIT_NO_WARP));
    for (int i = 0; i < 3; ++i) {
        const ir_piece name = as_string(part[i].name);
        ir_emit(e, "  %warp.$.at = getelementptr inbounds i32, $ %range, i64 $\n", name, number,
                as_number(part[i].number));
        ir_emit(e, "  %warp.$ = load i32, $ %warp.$.at\n", name, number, name);
    }
    fputs("  switch i32 %state, label %none [\n", e->out);
    for (int s = 0; s < k->r->regions; ++s)
        ir_emit(e, "    i32 $, label %$$\n", as_number(s), as_string(begins_narrow(k, s) ? "z" : "v"), as_number(s));
    fputs("  ]\n\nthreads:\n", e->out);
}

void split_write_warps(const split_kernel *k, const ir_emitter *e)
{
    for (int s = 1; s < k->r->regions; ++s) {
        const char *block = block_before(k, s);
        if (block && *block == 'w') write_operation(k, e, s);
        if (begins_narrow(k, s)) write_narrowing(k, e, s);
    }
    write_dispatch(k, e);
}
