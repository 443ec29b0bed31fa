/*
 * Workspaces: device memory that a generated kernel needs while it runs, kept for the next kernel. The first
 * WORKSPACE_ZEROS bytes are 0 whenever a workspace is taken: a kernel that writes there must restore the zeros.
 */
#ifndef LAB_POOLS_WORKSPACE_H
#define LAB_POOLS_WORKSPACE_H

#include "objects/contexts/stream.h"

enum { WORKSPACE_ZEROS = 256 };

typedef struct workspace workspace;

/* Takes a workspace for work about to be enqueued on the stream: WORKSPACE_ZEROS bytes, then `bytes` more. */
lab_status workspace_take(workspace **out, size_t bytes, const struct stream *stream);

uint64_t workspace_address(const workspace *space);

/* Gives the workspace back once the work that uses it is enqueued, or has failed to be. Later work on the stream may
 * use it at once, work on other streams once that work is done. NULL is accepted. */
void workspace_give(workspace *space, const struct stream *stream);

#endif
