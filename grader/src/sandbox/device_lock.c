/*
 * Sharing a device; see device_lock.h.
 *
 * Each device has a line, and the line is a file. A process takes a ticket, one more than the highest in the line, and
 * locks the ticket's byte in the lane EVERYBODY, and also in the lane ALONE if it wants the device alone. It then waits
 * until nothing is locked below its ticket: in EVERYBODY to be alone, in ALONE to share. A byte is locked until its
 * process releases the device or ends, however it ends, so nothing has to be tidied. What the file contains only tells
 * since when a ticket has the device.
 */
#include "device_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

/* Opens the file, which must be this user's own: another user may have put something there under that name. */
static bool open_path(int *out, const char *path, grader_fault *fault)
{
    struct stat status;
    *out = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*out < 0 || fstat(*out, &status) < 0) {
        return fault_errno(fault, "cannot make the lock of the device %s", path);
    }
    if (status.st_uid == getuid() && S_ISREG(status.st_mode)) return true;
    return fault_set(fault, "%s is another user's: it cannot be the lock of the device", path);
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Splits a list of UUIDs. Their order is the same for every process, which stands in lines in this order: so no two
 * wait for each other. */
static int list_uuids(char *uuid[DEVICE_MOST], char *list)
{
    int count = 0;
    char *rest;
    for (char *each = strtok_r(list, ",", &rest); each && count < DEVICE_MOST; each = strtok_r(NULL, ",", &rest))
        uuid[count++] = each;
    qsort(uuid, (size_t)count, sizeof *uuid, by_text);
    return count;
}

static bool open_line(device_lock *lock, const char *uuid, grader_fault *fault)
{
    int file = -1;
    char *path = text_make("/tmp/labgrade-%u-%s.line", (unsigned)getuid(), uuid);
    bool opened = path ? open_path(&file, path, fault) : fault_memory(fault, "the lock of the device");
    free(path);
    if (opened) lock->line[lock->count++] = (device_line){.file = file, .ticket = -1};
    return opened;
}

bool device_lock_open(device_lock *out, const device_info *device, grader_fault *fault)
{
    enum { PATIENCE = 60, MOST_WAITS = 30 };
    char uuids[sizeof device->uuids], *uuid[DEVICE_MOST];
    *out = (device_lock){.patience = PATIENCE, .most_waits = MOST_WAITS};
    snprintf(out->name, sizeof out->name, "%s (%s)", device->kind, device->name);
    memcpy(uuids, device->uuids, sizeof uuids);
    const int count = list_uuids(uuid, uuids);
    if (count == 0) return fault_set(fault, "the device %s has no UUID: it cannot be locked", out->name);
    for (int i = 0; i < count; i++) {
        if (!open_line(out, uuid[i], fault)) {
            device_lock_close(out);
            return false;
        }
    }
    return true;
}

void device_lock_close(device_lock *lock)
{
    for (int i = 0; i < lock->count; i++) close(lock->line[i].file);
    lock->count = 0;
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

/* Parts of the file: who takes a ticket locks the first byte meanwhile; entries follow; the lanes are far behind. */
static const off_t DOOR = 0, ENTRIES = 16, EVERYBODY = (off_t)1 << 40, ALONE = (off_t)1 << 41, LANE = (off_t)1 << 40;

/* Since when a ticket has the device, in seconds of the calendar; 0 while it waits. */
typedef struct line_entry {
    int64_t ticket, since;
} line_entry;

static off_t entry_place(int64_t ticket)
{
    enum { PLACES = 4096 };
    return ENTRIES + (ticket % PLACES) * (off_t)sizeof(line_entry);
}

/* Nobody depends on the entry: a full disk costs only a part of a sentence. */
static void write_entry(const device_line *line, int64_t since)
{
    const line_entry entry = {.ticket = line->ticket, .since = since};
    if (pwrite(line->file, &entry, sizeof entry, entry_place(line->ticket)) < 0) return;
}

/* 0 if the ticket waits or it is not known. */
static int64_t read_since(const device_line *line, int64_t ticket)
{
    line_entry entry;
    bool read = pread(line->file, &entry, sizeof entry, entry_place(ticket)) == (ssize_t)sizeof entry;
    return read && entry.ticket == ticket ? entry.since : 0;
}

static struct flock span(short type, off_t start, off_t length)
{
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
}

static bool set_lock(const device_line *line, short type, off_t start, off_t length)
{
    struct flock wanted = span(type, start, length);
    return fcntl(line->file, F_SETLK, &wanted) == 0;
}

/* A ticket of another process, from `start` and below `end`, though not always the lowest; -1 if there is none. */
static int64_t find_ticket(const device_line *line, int64_t start, int64_t end, int *pid)
{
    if (start >= end) return -1;
    struct flock found = span(F_RDLCK, EVERYBODY + start, end - start);
    if (fcntl(line->file, F_GETLK, &found) < 0 || found.l_type == F_UNLCK) return -1;
    *pid = found.l_pid;
    return found.l_start - EVERYBODY;
}

static int64_t lowest_ticket(const device_line *line, int64_t end)
{
    int pid;
    int64_t lowest = -1;
    for (int64_t ticket; (ticket = find_ticket(line, 0, end, &pid)) >= 0; end = ticket) lowest = ticket;
    return lowest;
}

static int64_t next_ticket(const device_line *line)
{
    int pid;
    int64_t next = 0;
    for (int64_t ticket; (ticket = find_ticket(line, next, LANE, &pid)) >= 0;) next = ticket + 1;
    return next;
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* "process 4711 (build/bin/labgrade --lab lab03 --out ada) since 14:03:11"; in another container it has no number. */
static void add_holder(text_buffer *holders, int pid, int64_t since)
{
    char path[64], command[256], clock[32] = "";
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    int file = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t bytes = file >= 0 ? read(file, command, sizeof command) : 0;
    if (file >= 0) close(file);
    for (ssize_t i = 0; i + 1 < bytes; i++) command[i] = command[i] ? command[i] : ' ';
    char *clean = text_clean_line(command, bytes > 0 ? (size_t)bytes - (command[bytes - 1] == '\0') : 0);
    if (holders->length) text_format(holders, ", ");
    if (pid > 0)
        text_format(holders, "process %d", pid);
    else
        text_format(holders, "a process of another container");
    if (clean && *clean) text_format(holders, " (%s)", clean);
    const time_t seconds = (time_t)since;
    struct tm local;
    if (since && localtime_r(&seconds, &local)) strftime(clock, sizeof clock, " since %H:%M:%S", &local);
    text_format(holders, "%s", clock);
    free(clean);
}

/* Who has the device, and how many wait for it. */
typedef struct line_ahead {
    text_buffer holders;
    unsigned waiting;
} line_ahead;

/* Adds the tickets from `start` and below `end`, the lowest first. The first in the line always has the device. */
static void add_tickets(line_ahead *ahead, const device_line *line, int64_t start, int64_t end)
{
    int pid;
    const int64_t ticket = find_ticket(line, start, end, &pid);
    if (ticket < 0) return;
    add_tickets(ahead, line, start, ticket);
    const int64_t since = read_since(line, ticket);
    if (since || !ahead->holders.length)
        add_holder(&ahead->holders, pid, since);
    else
        ahead->waiting++;
    add_tickets(ahead, line, ticket + 1, end);
}

/* "process 4711 (labgrade --lab lab03) since 14:03:11; 2 others asked before". The caller frees it; NULL without
 * memory. */
static char *describe_line(const device_line *line)
{
    line_ahead ahead = {0};
    add_tickets(&ahead, line, 0, line->ticket >= 0 ? line->ticket : LANE);
    if (!ahead.holders.length) text_format(&ahead.holders, "a process that has just ended");
    if (ahead.waiting)
        text_format(&ahead.holders, "; %u other%s asked before", ahead.waiting, ahead.waiting > 1 ? "s" : "");
    if (!ahead.holders.failed) return ahead.holders.text;
    free(ahead.holders.text);
    return NULL;
}

/* A process in a line: how often it was alarmed in all, and for the same first in the line. */
typedef struct line_place {
    const device_lock *lock;
    device_line *line;
    unsigned waits, same;
    int64_t first;
} line_place;

static void say_waiting(const line_place *place)
{
    char *line = describe_line(place->line);
    char *sentence = text_make("waiting for the device %s for %u seconds: it is used by %s", place->lock->name,
                               place->waits * place->lock->patience, line ? line : "?");
    if (sentence && place->lock->waits) place->lock->waits(sentence);
    free(line);
    free(sentence);
}

static bool give_up(const line_place *place, grader_fault *fault)
{
    char *line = describe_line(place->line);
    fault_set(fault, "the device %s was not free for %u minutes: it is used by %s", place->lock->name,
              place->lock->most_waits * place->lock->patience / 60, line ? line : "?");
    free(line);
    return false;
}

/* After one more alarm: says that it waits, and gives up once the first in the line has not changed for too long. */
static bool wait_on(line_place *place, grader_fault *fault)
{
    const int64_t first = lowest_ticket(place->line, place->line->ticket >= 0 ? place->line->ticket : LANE);
    place->same = first == place->first ? place->same + 1 : 1;
    place->first = first;
    place->waits++;
    say_waiting(place);
    return place->same < place->lock->most_waits || give_up(place, fault);
}

static bool wait_for_span(line_place *place, struct flock wanted, grader_fault *fault)
{
    while (fcntl(place->line->file, F_SETLKW, &wanted) < 0) {
        if (errno != EINTR) return fault_errno(fault, "cannot wait for the device");
        FAULT_TRY(wait_on(place, fault));
    }
    return true;
}

/* Takes a place at the end of the line. */
static bool join_line(line_place *place, bool alone, grader_fault *fault)
{
    device_line *line = place->line;
    FAULT_TRY(wait_for_span(place, span(F_WRLCK, DOOR, 1), fault));
    line->ticket = next_ticket(line);
    bool joined = set_lock(line, F_WRLCK, EVERYBODY + line->ticket, 1) &&
                  (!alone || set_lock(line, F_WRLCK, ALONE + line->ticket, 1));
    if (joined)
        write_entry(line, 0);
    else
        fault_errno(fault, "cannot wait for the device");
    set_lock(line, F_UNLCK, DOOR, 1);
    return joined;
}

/* Waits until nobody below this ticket is in the way. Nobody can come there meanwhile. */
static bool await_turn(line_place *place, bool alone, grader_fault *fault)
{
    const off_t lane = alone ? EVERYBODY : ALONE;
    const device_line *line = place->line;
    if (line->ticket > 0) { /* a length of 0 would mean the rest of the file */
        FAULT_TRY(wait_for_span(place, span(F_RDLCK, lane, line->ticket), fault));
        set_lock(line, F_UNLCK, lane, line->ticket);
    }
    write_entry(line, (int64_t)time(NULL));
    return true;
}

/* The place in every line, one after the other. */
static bool take_lines(device_lock *lock, bool alone, grader_fault *fault)
{
    for (int i = 0; i < lock->count; i++) {
        line_place place = {.lock = lock, .line = &lock->line[i], .first = -1};
        FAULT_TRY(join_line(&place, alone, fault));
        FAULT_TRY(await_turn(&place, alone, fault));
    }
    return true;
}

static void note_alarm(int number) { (void)number; }

/* An alarm interrupts a long wait again and again, to say so and to end it. */
static bool take(device_lock *lock, bool alone, grader_fault *fault)
{
    struct sigaction ring = {.sa_handler = note_alarm}, before;
    const struct itimerval every = {.it_value.tv_sec = lock->patience, .it_interval.tv_sec = lock->patience};
    const struct itimerval never = {.it_value.tv_sec = 0};
    device_lock_release(lock);
    sigemptyset(&ring.sa_mask);
    sigaction(SIGALRM, &ring, &before);
    setitimer(ITIMER_REAL, &every, NULL);
    bool taken = take_lines(lock, alone, fault);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    if (!taken) device_lock_release(lock);
    return taken;
}

bool device_lock_share(device_lock *lock, grader_fault *fault) { return take(lock, false, fault); }

bool device_lock_alone(device_lock *lock, grader_fault *fault) { return take(lock, true, fault); }

void device_lock_release(device_lock *lock)
{
    for (int i = 0; i < lock->count; i++) {
        set_lock(&lock->line[i], F_UNLCK, 0, 0);
        lock->line[i].ticket = -1;
    }
}
