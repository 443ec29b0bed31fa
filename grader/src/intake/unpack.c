/* Unpacking untrusted archives; see unpack.h. */
#include "unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive_frames.h"
#include "base/clock.h"
#include "base/environment.h"
#include "base/folder.h"
#include "base/subprocess.h"
#include "base/system/write_all.h"
#include "base/text.h"
#include "machine/patience.h"

enum { MOST_DEPTH = 16, MOST_PART = 255, MOST_PATH = 2048 };

/* The state of unpacking one archive. */
typedef struct unpacking {
    int frames;
    const subprocess *reader; /* labunpack; NULL for frames from elsewhere */
    double begun, deadline;
    patience patience;
    bool busy; /* the machine is too busy to unpack */
    const char *name;
    const unpack_limits *limits;
    intake_notes *notes;
    bool *cut;
    grader_fault *fault;
    int folder;
    size_t entries;
    uint64_t received;                  /* bytes of data, also those that were not kept */
    uint64_t bytes;                     /* of all files together */
    int file;                           /* the file whose data come; -1 for none */
    uint64_t file_bytes;                /* in it */
    char path[MOST_PATH + 1];           /* its path */
    bool ready;                         /* labunpack has begun */
    bool ended;                         /* the archive or the unpacking has come to its end: the rest does not count */
    char text[ARCHIVE_FRAME_BYTES + 1]; /* the last frame's bytes, and a NUL */
} unpacking;

/* Whether the name ends in one of `ends`, a list that ends with NULL. */
static bool has_end(const char *name, size_t *stem, const char *const *ends)
{
    size_t length = strlen(name);
    for (; *ends; ends++) {
        size_t end = strlen(*ends);
        if (length <= end || strcasecmp(name + length - end, *ends) != 0) continue;
        *stem = length - end;
        return true;
    }
    return false;
}

bool unpack_is_archive(const char *name, size_t *stem)
{
    static const char *const ends[] = {".zip", ".tar", ".tar.gz", ".tgz", NULL};
    return has_end(name, stem, ends);
}

bool unpack_is_other_archive(const char *name, size_t *stem)
{
    static const char *const ends[] = {".7z", ".rar", ".tar.xz", ".tar.bz2", ".tar.zst", ".gz", ".xz", ".bz2", NULL};
    return has_end(name, stem, ends);
}

bool unpack_path_is_plain(const char *path)
{
    int depth = 0;
    if (!*path || strlen(path) > MOST_PATH) return false;
    for (const char *part = path; part; depth++) {
        size_t length = strcspn(part, "/");
        bool dots = (length == 1 && part[0] == '.') || (length == 2 && part[0] == '.' && part[1] == '.');
        if (length == 0 || length > MOST_PART || dots || depth >= MOST_DEPTH) return false;
        part = part[length] ? part + length + 1 : NULL;
    }
    return true;
}

bool unpack_is_litter(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    return strncmp(path, "__MACOSX/", 9) == 0 || strcmp(base, "__MACOSX") == 0 || strcmp(base, ".DS_Store") == 0 ||
           strcmp(base, "Thumbs.db") == 0;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Creates a file under the folder, and the folders on the way to it. Each part is opened relative to the one before and
 * no link is followed, so the file cannot be anywhere else. Returns -1 with errno on failure. */
static int create_under(int folder, const char *path)
{
    char part[MOST_PART + 1];
    int here = dup(folder);
    for (const char *slash; here >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
        memcpy(part, path, (size_t)(slash - path));
        part[slash - path] = '\0';
        int next = -1;
        if (mkdirat(here, part, 0700) == 0 || errno == EEXIST)
            next = openat(here, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int error = errno;
        close(here);
        errno = error;
        here = next;
    }
    if (here < 0) return -1;
    int file = openat(here, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int error = errno;
    close(here);
    errno = error;
    return file;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

static void end_early(unpacking *run, const char *why)
{
    run->ended = true;
    *run->cut = true;
    intake_notes_add(run->notes, run->name, "%s", why);
}

/* What labunpack and this process had of the processors. */
static processor_time time_of_both(const unpacking *run)
{
    processor_time both = run->reader ? subprocess_processor_time(run->reader) : (processor_time){0};
    processor_time_add(&both, getpid());
    return both;
}

static void begin_time(unpacking *run)
{
    const processor_time before = time_of_both(run);
    patience_begin(&run->patience, run->limits->seconds);
    run->patience.ended = (processor_time){-before.used, -before.ended, -before.waited};
    run->begun = clock_seconds();
    run->deadline = run->begun + run->limits->seconds;
}

/* The seconds that are left. The time that the two lost to other processes is added at the deadline. */
static double time_left(unpacking *run)
{
    const double now = clock_seconds();
    double more;
    if (now < run->deadline) return run->deadline - now;
    run->patience.passed = now - run->begun;
    const patience_answer answer = patience_ask(&run->patience, &more, time_of_both(run));
    run->busy = answer == PATIENCE_BUSY;
    if (answer == PATIENCE_MORE) run->deadline += more;
    return answer == PATIENCE_MORE ? run->deadline - now : 0;
}

/* Reads so many bytes. False at the end of the frames, which comes early if labunpack was ended, or at the deadline. */
static bool receive(unpacking *run, void *out, size_t bytes)
{
    for (char *at = out; bytes > 0;) {
        double left = time_left(run);
        struct pollfd watched = {.fd = run->frames, .events = POLLIN};
        int ready = left > 0 ? poll(&watched, 1, (int)(left * 1000) + 1) : 0;
        ssize_t count = ready > 0 ? read(run->frames, at, bytes) : -1;
        if ((ready < 0 || (ready > 0 && count < 0)) && errno == EINTR) continue;
        if (ready == 0 && left > 0) continue;
        if (count <= 0) return false;
        at += count;
        bytes -= (size_t)count;
    }
    return true;
}

static void close_file(unpacking *run)
{
    if (run->file >= 0) close(run->file);
    run->file = -1;
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

/* Why an entry is left out; NULL for a plain file, which is taken. */
static const char *why_not(archive_frame_kind kind, const char *path)
{
    static const char *const kinds[] = {
        [ARCHIVE_LINK] = "is a link", [ARCHIVE_SPECIAL] = "is no regular file", [ARCHIVE_ENCRYPTED] = "is encrypted"};
    if (!*path) return "has a name that cannot be read";
    if (kind != ARCHIVE_FILE) return kinds[kind];
    return unpack_path_is_plain(path) ? NULL : "leads out of the archive or is no fit name";
}

/* Whether a file cannot be made because of its name, or of another entry's. Any other reason is this machine's. */
static bool is_about_names(int error)
{
    return error == EEXIST || error == ENOTDIR || error == EISDIR || error == ELOOP || error == ENAMETOOLONG ||
           error == EILSEQ || error == EINVAL;
}

static bool take_entry(unpacking *run, archive_frame_kind kind)
{
    const char *path = run->text;
    close_file(run);
    if (run->entries++ == run->limits->entries) {
        end_early(run, "holds more files than a class needs: the rest of it is left out");
        return true;
    }
    while (path[0] == '.' && path[1] == '/') path += 2;
    if (kind == ARCHIVE_FOLDER || unpack_is_litter(path)) return true;
    const char *why = why_not(kind, path);
    if (why) {
        intake_notes_add(run->notes, run->name, "%s in it %s: left out", *path ? path : "a file", why);
        return true;
    }
    run->file = create_under(run->folder, path);
    run->file_bytes = 0;
    strcpy(run->path, path);
    if (run->file >= 0) return true;
    if (!is_about_names(errno)) return fault_errno(run->fault, "cannot unpack %s", run->name);
    intake_notes_add(run->notes, run->name, "%s in it is left out: %s", path, strerror(errno));
    return true;
}

/* Copies data of an entry up to the limits. What goes beyond a file's limit is skipped, but not without end. */
static bool take_data(unpacking *run, uint64_t count)
{
    enum { SKIPPED = 8 };
    const unpack_limits *limits = run->limits;
    const uint64_t room = run->file >= 0 ? limits->file_bytes + 1 - run->file_bytes : 0;
    const uint64_t take = count < room ? count : room;
    run->received += count;
    if (run->bytes + take > limits->bytes || run->received > SKIPPED * limits->bytes) {
        end_early(run, "holds more than a class needs: the rest of it is left out");
        return true;
    }
    if (!write_all(run->file, run->text, (size_t)take)) return fault_errno(run->fault, "cannot unpack %s", run->name);
    run->file_bytes += take;
    run->bytes += take;
    return true;
}

/* A damaged entry is removed again: half a file would be judged as if it had been handed in. */
static void take_damage(unpacking *run)
{
    if (run->file < 0 || run->file_bytes > run->limits->file_bytes) return;
    intake_notes_add(run->notes, run->name, "%s in it is damaged: left out", run->path);
    unlinkat(run->folder, run->path, 0);
    close_file(run);
}

static void take_unreadable(unpacking *run)
{
    char *why = text_clean_line(run->text, strlen(run->text));
    intake_notes_add(run->notes, run->name, "cannot be read%s as an archive: %s", run->entries ? " further" : "",
                     why ? why : "");
    run->ended = true;
    *run->cut = true;
    free(why);
}

static bool take_frame(unpacking *run, const archive_frame *frame)
{
    run->text[frame->bytes] = '\0';
    switch (frame->kind) {
    case ARCHIVE_READY: run->ready = true; return true;
    case ARCHIVE_FILE:
    case ARCHIVE_FOLDER:
    case ARCHIVE_LINK:
    case ARCHIVE_SPECIAL:
    case ARCHIVE_ENCRYPTED: return take_entry(run, frame->kind);
    case ARCHIVE_DATA: return take_data(run, frame->bytes);
    case ARCHIVE_DAMAGED: take_damage(run); return true;
    case ARCHIVE_UNREADABLE: take_unreadable(run); return true;
    case ARCHIVE_END: run->ended = true; return true;
    }
    end_early(run, "cannot be read as an archive: what reads it was misled");
    return true;
}

static bool take_frames(unpacking *run)
{
    archive_frame frame;
    while (!run->ended) {
        bool whole = receive(run, &frame, sizeof frame) && frame.bytes <= ARCHIVE_FRAME_BYTES &&
                     receive(run, run->text, frame.bytes);
        if (whole)
            FAULT_TRY(take_frame(run, &frame));
        else if (!run->ready)
            return fault_set(run->fault, "labunpack does not start");
        else if (run->busy)
            return fault_set(run->fault, "the machine is busy: %s could not be unpacked in time", run->name);
        else
            end_early(run, "takes more time or memory to unpack than it may: the rest of it is left out");
    }
    return true;
}

static bool take_all(unpacking *run, const char *folder)
{
    run->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (run->folder < 0) return fault_errno(run->fault, "cannot open the folder %s", folder);
    run->file = -1;
    begin_time(run);
    bool taken = take_frames(run);
    close_file(run);
    close(run->folder);
    return taken;
}

/* `reader` is labunpack, if the frames come from it. */
static bool unpack_from(int frames, const subprocess *reader, const char *name, const char *folder,
                        const unpack_limits *limits, intake_notes *notes, bool *cut, grader_fault *fault)
{
    unpacking *run = calloc(1, sizeof *run);
    if (!run) return fault_memory(fault, name);
    run->frames = frames;
    run->reader = reader;
    run->name = name;
    run->limits = limits;
    run->notes = notes;
    run->cut = cut;
    run->fault = fault;
    bool taken = take_all(run, folder);
    free(run);
    return taken;
}

bool unpack_frames(int frames, const char *name, const char *folder, const unpack_limits *limits, intake_notes *notes,
                   bool *cut, grader_fault *fault)
{
    return unpack_from(frames, NULL, name, folder, limits, notes, cut, fault);
}

/* ---- the process that reads the archive -------------------------------------------------------------------------- */

static bool start_reader(subprocess **out, const unpack_reader *reader, const sandbox_cell *cell, int archive,
                         int frames, const unpack_limits *limits, grader_fault *fault)
{
    enum { OUTPUT_BYTES = 65536, DATA_BYTES = 256 << 20, FILE_BYTES = 1 };
    static const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    const char *const arguments[] = {reader->program, limits->of_student ? "of-student" : NULL, NULL};
    const int descriptors[] = {archive, frames};
    subprocess_options options = {.arguments = arguments,
                                  .environment = environment,
                                  .descriptors = descriptors,
                                  .descriptor_count = 2,
                                  .output_limit = OUTPUT_BYTES,
                                  .file_limit = FILE_BYTES,
                                  .cpu_limit = limits->seconds};
    sandbox_cell_apply(cell, &options);
    options.data_limit = DATA_BYTES;
    return subprocess_start(out, &options, fault);
}

/* Adds to a fault what the process printed: bubblewrap says why it cannot start. */
static void add_output(const subprocess *process, grader_fault *fault)
{
    size_t bytes;
    grader_fault before = *fault;
    const char *output = subprocess_output(process, &bytes);
    char *said = text_clean_line(output, bytes);
    if (said && *said) fault_set(fault, "%s: %s", before.text, said);
    free(said);
}

static bool read_in(const sandbox_cell *cell, const unpack_reader *reader, int archive, const char *name,
                    const char *folder, const unpack_limits *limits, intake_notes *notes, bool *cut,
                    grader_fault *fault)
{
    int pipes[2];
    subprocess *process;
    grader_fault second;
    if (pipe2(pipes, O_CLOEXEC) < 0) return fault_errno(fault, "cannot create a pipe");
    bool started = start_reader(&process, reader, cell, archive, pipes[1], limits, fault);
    close(pipes[1]);
    bool taken = started && unpack_from(pipes[0], process, name, folder, limits, notes, cut, fault);
    if (started && !taken) {
        subprocess_wait(process, -1, clock_seconds(), &second);
        add_output(process, fault);
    }
    close(pipes[0]);
    return (!started || subprocess_end(process, NULL, taken ? fault : &second)) && taken;
}

bool unpack_archive(const unpack_reader *reader, const char *path, const char *name, const char *folder,
                    const unpack_limits *limits, intake_notes *notes, bool *cut, grader_fault *fault)
{
    struct stat status;
    sandbox_cell cell = {0};
    const char *const read[] = {reader->program, NULL};
    int archive = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const char *why = NULL;
    if (archive < 0 || fstat(archive, &status) < 0)
        why = strerror(errno);
    else if (!S_ISREG(status.st_mode))
        why = "it is no regular file";
    else if (limits->of_student && status.st_nlink > 1)
        why = "it has a second name (a hard link), so it may be somebody else's";
    if (why) intake_notes_add(notes, name, "cannot be read as an archive: %s", why);
    if (why && archive >= 0) close(archive);
    if (why) return true;
    bool done =
        !reader->box || sandbox_cell_open(&cell, reader->box, &(sandbox_view){.read = read, .no_proc = true}, fault);
    done = done && read_in(&cell, reader, archive, name, folder, limits, notes, cut, fault);
    sandbox_cell_close(&cell);
    close(archive);
    return done;
}
