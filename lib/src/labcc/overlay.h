/* Files of which clang sees another text under the same name: those whose launches an editor has spaced. */
#ifndef LAB_LABCC_OVERLAY_H
#define LAB_LABCC_OVERLAY_H

#include <stdbool.h>

typedef struct labcc_overlay {
    const char *folder; /* for copies and for the list of them */
    const char *path;   /* of the list, for clang's -ivfsoverlay, if there are files */
    const char *roots;  /* its entries */
    int files;
} labcc_overlay;

labcc_overlay labcc_overlay_in(const char *folder);

/* Adds the file if it has spaced launches (launch_marks.h). False if the copy or the list cannot be written. Clang
 * reports a file that cannot be read. */
bool labcc_overlay_add(labcc_overlay *overlay, const char *file);

#endif
