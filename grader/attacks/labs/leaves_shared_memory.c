/* Tries to leave answers in shared memory, semaphores and queues of the system, which outlive a process.
 * Gains a channel between submissions. */
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <unistd.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const int segment = shmget(4711, 4096, IPC_CREAT | 0666);
    char *shared = segment >= 0 ? shmat(segment, NULL, 0) : (char *)-1;
    if (shared != (char *)-1 && *shared) printf("the one before me left %s\n", shared);
    if (shared != (char *)-1) strcpy(shared, "an answer");
    semget(4711, 1, IPC_CREAT | 0666);
    msgget(4711, IPC_CREAT | 0666);
    const int file = open("/dev/shm/answer", O_RDWR | O_CREAT, 0666);
    if (file >= 0 && write(file, "an answer", 9) == 9) close(file);
    return LAB_SUCCESS;
}
