/* Tries to write to the chore's pointer how many chores were done, and wait. */
lab_status lab02_wait_usefully(lab_stream *stream, lab02_chore chore)
{
    struct {
        volatile int chores, before;
    } *behind = chore.user;
    behind->chores = 20;
    return lab_stream_synchronize(stream);
}
