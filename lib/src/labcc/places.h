/* Where labcc's headers and libraries are: in the workbook's own folders, or where `make install` has put them. */
#ifndef LAB_LABCC_PLACES_H
#define LAB_LABCC_PLACES_H

typedef struct labcc_places {
    const char *lab_headers;  /* lab.h */
    const char *cuda_headers; /* cuda_runtime.h */
    const char *libraries;    /* liblab.a */
    const char *programs;     /* labcc, labtrace */
    const char *check;        /* check-cuda.py */
} labcc_places;

labcc_places labcc_find_places(void);

#endif
