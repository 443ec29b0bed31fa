/*
 * processor_time.h: what processes had of the machine's processors.
 *
 * A thread is ready while it runs or could run. It waits while it is ready and has no processor.
 */
#ifndef GRADER_MACHINE_PROCESSOR_TIME_H
#define GRADER_MACHINE_PROCESSOR_TIME_H

/* Of some processes, in seconds, summed over their threads. */
typedef struct processor_time {
    double used;   /* on a processor */
    double ended;  /* of that, by children that have ended: of those the system tells no time of waiting */
    double waited; /* for a processor, by the threads that still run; 0 where the system does not tell */
} processor_time;

static inline processor_time processor_time_sum(processor_time one, processor_time other)
{
    return (processor_time){one.used + other.used, one.ended + other.ended, one.waited + other.waited};
}

static inline processor_time processor_time_since(processor_time now, processor_time then)
{
    return (processor_time){now.used - then.used, now.ended - then.ended, now.waited - then.waited};
}

/* Adds the time of process `pid`, and the used time of children that it has waited for. */
void processor_time_add(processor_time *sum, int pid);

/* For how long all processors of the machine worked so far, in seconds; {0} where the system does not tell. */
typedef struct machine_time {
    double others; /* for anybody but the calling process and the children it has waited for, or stolen */
    double worked; /* for anybody */
    double stolen; /* by the host of a virtual machine, while there was work */
} machine_time;

machine_time machine_time_now(void);

/* Adds what the host took between two moments to the time that processes waited: while they use a processor, they lose
 * to the host what all lost for a second of work. Of a wait for the host the system tells no process. */
processor_time processor_time_with_stolen(processor_time time, machine_time from, machine_time to);

#endif
