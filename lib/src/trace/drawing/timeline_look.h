/*
 * timeline_look.h: how timelines look, as text, as SVG and on slides. slides/theme has the same colours for everything
 * else that a slide draws; slides/tests/look_test.py reads these tables to compare them. So each entry stays on one
 * line.
 *
 * Height and pattern tell what runs; colour is a second signal.
 */
#ifndef LAB_TRACE_DRAWING_TIMELINE_LOOK_H
#define LAB_TRACE_DRAWING_TIMELINE_LOOK_H

/* X(name, on light, on dark) */
#define TIMELINE_COLORS(X)                                                                                             \
    X("copy-in", "#0b66ad", "#6cb4f7")                                                                                 \
    X("kernel", "#a84a08", "#f0a45c")                                                                                  \
    X("copy-out", "#0d6d63", "#4fcfb5")                                                                                \
    X("host", "#64549a", "#b9a5e6")                                                                                    \
    X("wrong", "#b3201c", "#ff8f86")

/* X(mark, class in an SVG, its words, colour, lines of its pattern in a tile of 8 by 8 or "", top and
 * height as shares of the row), in the order of the legend. */
#define TIMELINE_LOOKS(X)                                                                                              \
    X(TIMELINE_HTOD, "i", "copy in", "copy-in", "", 0, 0.6)                                                            \
    X(TIMELINE_KERNEL, "k", "kernel", "kernel", "", 0, 1)                                                              \
    X(TIMELINE_DTOH, "o", "copy out", "copy-out", "", 0.4, 0.6)                                                        \
    X(TIMELINE_DTOD, "d", "copy on device", "kernel", "M0 4H8", 0.2, 0.6)                                              \
    X(TIMELINE_FILL, "z", "fill", "kernel", "M0 8L8 0", 0, 1)                                                          \
    X(TIMELINE_HOST_FUNCTION, "h", "host function", "host", "M0 0L8 8M0 8L8 0", 0, 1)                                  \
    X(TIMELINE_WAIT, "s", "host waits", "host", "M0 2H8M0 6H8", 0.2, 0.6)                                              \
    X(TIMELINE_QUEUED, "q", "queued", "muted", "", 0.5, 0)                                                             \
    X(TIMELINE_CALL, "c", "host calls", "host", "", 0.12, 0.76)                                                        \
    X(TIMELINE_RANGE, "ra", "range", "muted", "", 0.25, 0.5)                                                           \
    X(TIMELINE_EVENT, "e", "event", "ink", "", 0, 1)                                                                   \
    X(TIMELINE_NOTE, "e", "mark", "ink", "", 0, 1)

#endif
