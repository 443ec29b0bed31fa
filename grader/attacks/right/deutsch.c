/* Lösung mit deutschen Kommentaren. Rückgabe heißt nicht freigeben: äöüß. „asm“, fork() und #line stehen nur hier. */
/* make puts these lines before each solution, and gives the result tabs, braces at the ends of lines, "Aufgabe" for
 * "Task", CRLF, and no end of its last line: it is a right answer too. */
typedef struct platz {
    int größe, länge;
} platz;

static int stück(const platz *plätze) { return plätze->größe * plätze->länge; }
