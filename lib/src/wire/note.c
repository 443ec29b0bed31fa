/* Notes over a socket, with files. */
#include "note.h"

#include "passing.h"

bool wire_send_note(int socket, const wire_note *note, int file)
{
    return passing_send(socket, note, sizeof *note, file);
}

bool wire_receive_note(wire_note *note, int *file, int socket)
{
    if (!passing_receive(note, sizeof *note, file, socket)) return false;
    note->text[sizeof note->text - 1] = '\0';
    return true;
}
