/*
 * The playground's one question: a program as a text (program.h), and the answer as JSON. A browser asks it in
 * WebAssembly, tests ask it in a native program.
 *
 *   {"fault": {"line": 3, "text": "..."}}                 the text is not a program, or a call failed; or
 *   {"file": "play.c", "listing": "...",                  the program in the language
 *    "statements": [{"kind": "copy", "says": "copy in to a", "name": "", "stream": "one", "event": "", "graph": "",
 *                    "line": 12, "text": 7, "reads": ["in"], "writes": ["a"], "call": [0, 1200], "run": [1200, 9000]},
 *                   ...],
 *    "findings": [{"first": 4, "second": 6, "same": 0, "text": "...", "edge": "...", "bytes": 4096, "host": false,
 *                  "steps": [{"kind": "calls", "statement": 4, "wrong": false, "text": "..."}, ...]}, ...],
 *    "model": {"label": "modelled on h200", "makespan": 1.5, "serial": 2.0, "svg": "<svg ..."}}
 *
 * "graph" is the graph that the call names or is a node of; "line" is in the listing, "text" in the program's text,
 * both from 1; times are nanoseconds, or null if the model has none; "first", "second" and "statement" number
 * statements from 0; "same" is the finding, from 1, that has the same cause, or 0; makespan and serial are
 * milliseconds.
 */
#ifndef LAB_PLAYGROUND_ANSWER_H
#define LAB_PLAYGROUND_ANSWER_H

/* `language` is "lab", "cuda" or "cupy"; `profile` is a profile's name. The caller frees the text; NULL if memory ran
 * out. One thread at a time. */
char *play_answer(const char *text, const char *language, const char *profile);

#endif
