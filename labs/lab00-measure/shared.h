/* The arguments and results that checks.c and program.c of lab 00 share. The student's file does not need them. */
#ifndef LAB00_SHARED_H
#define LAB00_SHARED_H

/* The marks in the record just before and just after each reading of the clock. */
#define LAB00_CLOCK_MARK "clock"
#define LAB00_READ_MARK "clock was read"

enum { LAB00_LEADS = 32, LAB00_LENGTHS = 16 };

/* Arguments: how the work and the clock are to behave, and the numbers of calls for lab00_benchmark. */
typedef struct lab00_arguments {
    int steps; /* the kernel's; the work that is on the stream before takes four times as many */
    /* Call c takes more[c % LAB00_LENGTHS] times as many steps again. Unequal work makes the mean differ from the
     * median, and the deviation more than noise. */
    int more[LAB00_LENGTHS];
    /* Before reading r < LAB00_LEADS the clock is put forward by lead[r] milliseconds. */
    double lead[LAB00_LEADS];
    int warm_up, repeats;
} lab00_arguments;

/* The shared memory of task 0: what the kernel left in the array, which held LAB00_UNWRITTEN before. */
enum { LAB00_MOST_NUMBERS = 100000, LAB00_UNWRITTEN = -1 };
typedef struct lab00_memory {
    int numbers[LAB00_MOST_NUMBERS];
} lab00_memory;

/* Results: what the student's function says, to be compared with the record. */
typedef struct lab00_time {
    double milliseconds;
} lab00_time;

typedef struct lab00_said {
    double host[5], device[5]; /* median, mean, deviation, least, most */
} lab00_said;

#endif
