/*
 * column_names.h: the names of columns in rosters and grade sheets, as spreadsheets and learning systems write them, in
 * several languages. Of two columns of one kind the one that is named first here counts. The report reads these lines
 * too (grader/report/column_names.py): one name a line, without escapes.
 */
#ifndef GRADER_COURSE_COLUMN_NAMES_H
#define GRADER_COURSE_COLUMN_NAMES_H

/* What a column can hold, and what --columns calls it. */
#define COLUMN_KINDS(KIND)                                                                                             \
    KIND(ID, "id")                                                                                                     \
    KIND(LOGIN, "login")                                                                                               \
    KIND(GITHUB, "github")                                                                                             \
    KIND(NAME, "name")                                                                                                 \
    KIND(FIRST, "first")                                                                                               \
    KIND(LAST, "last")                                                                                                 \
    KIND(EMAIL, "e-mail")                                                                                              \
    KIND(SECTION, "section")                                                                                           \
    KIND(GROUP, "group")                                                                                               \
    KIND(SUBMITTED, "submitted")                                                                                       \
    KIND(STATUS, "status")                                                                                             \
    KIND(GRADE, "grade")                                                                                               \
    KIND(MOST, "maximum")                                                                                              \
    KIND(OPEN, "open")                                                                                                 \
    KIND(COMMENTS, "comments")

/* In order: English and the systems' own names, then German, French, Spanish, Portuguese, Italian, Dutch. */
#define COLUMN_NAMES(COLUMN)                                                                                           \
    COLUMN(ID, "id")                                                                                                   \
    COLUMN(ID, "student id")                                                                                           \
    COLUMN(ID, "sid")                                                                                                  \
    COLUMN(ID, "sis user id")                                                                                          \
    COLUMN(ID, "id number")                                                                                            \
    COLUMN(ID, "user id")                                                                                              \
    COLUMN(ID, "orgdefinedid")                                                                                         \
    COLUMN(ID, "identifier")                                                                                           \
    COLUMN(ID, "canvas_user_id")                                                                                       \
    COLUMN(ID, "matrikelnummer")                                                                                       \
    COLUMN(ID, "id-nummer")                                                                                            \
    COLUMN(ID, "identifiant")                                                                                          \
    COLUMN(ID, "numéro d'identification")                                                                              \
    COLUMN(ID, "número de id")                                                                                         \
    COLUMN(ID, "número de identificação")                                                                              \
    COLUMN(ID, "identificador")                                                                                        \
    COLUMN(ID, "identificativo")                                                                                       \
    COLUMN(ID, "identificatie")                                                                                        \
    COLUMN(LOGIN, "username")                                                                                          \
    COLUMN(LOGIN, "user name")                                                                                         \
    COLUMN(LOGIN, "login")                                                                                             \
    COLUMN(LOGIN, "login id")                                                                                          \
    COLUMN(LOGIN, "sis login id")                                                                                      \
    COLUMN(LOGIN, "anonymous id")                                                                                      \
    COLUMN(LOGIN, "anonymous_id")                                                                                      \
    COLUMN(LOGIN, "anmeldename")                                                                                       \
    COLUMN(LOGIN, "nom d'utilisateur")                                                                                 \
    COLUMN(LOGIN, "nombre de usuario")                                                                                 \
    COLUMN(LOGIN, "identificação de usuário")                                                                          \
    COLUMN(LOGIN, "nome de usuário")                                                                                   \
    COLUMN(LOGIN, "gebruikersnaam")                                                                                    \
    COLUMN(GITHUB, "github_username")                                                                                  \
    COLUMN(GITHUB, "github username")                                                                                  \
    COLUMN(GITHUB, "github")                                                                                           \
    COLUMN(NAME, "name")                                                                                               \
    COLUMN(NAME, "student")                                                                                            \
    COLUMN(NAME, "full name")                                                                                          \
    COLUMN(NAME, "student name")                                                                                       \
    COLUMN(NAME, "vollständiger name")                                                                                 \
    COLUMN(NAME, "nom complet")                                                                                        \
    COLUMN(NAME, "nombre completo")                                                                                    \
    COLUMN(NAME, "nome completo")                                                                                      \
    COLUMN(NAME, "volledige naam")                                                                                     \
    COLUMN(FIRST, "first name")                                                                                        \
    COLUMN(FIRST, "given name")                                                                                        \
    COLUMN(FIRST, "firstname")                                                                                         \
    COLUMN(FIRST, "first_name")                                                                                        \
    COLUMN(FIRST, "vorname")                                                                                           \
    COLUMN(FIRST, "prénom")                                                                                            \
    COLUMN(FIRST, "nombre")                                                                                            \
    COLUMN(FIRST, "nome")                                                                                              \
    COLUMN(FIRST, "voornaam")                                                                                          \
    COLUMN(LAST, "last name")                                                                                          \
    COLUMN(LAST, "surname")                                                                                            \
    COLUMN(LAST, "family name")                                                                                        \
    COLUMN(LAST, "lastname")                                                                                           \
    COLUMN(LAST, "last_name")                                                                                          \
    COLUMN(LAST, "nachname")                                                                                           \
    COLUMN(LAST, "nom de famille")                                                                                     \
    COLUMN(LAST, "nom")                                                                                                \
    COLUMN(LAST, "apellido(s)")                                                                                        \
    COLUMN(LAST, "apellidos")                                                                                          \
    COLUMN(LAST, "sobrenome")                                                                                          \
    COLUMN(LAST, "cognome")                                                                                            \
    COLUMN(LAST, "achternaam")                                                                                         \
    COLUMN(EMAIL, "e-mail")                                                                                            \
    COLUMN(EMAIL, "email")                                                                                             \
    COLUMN(EMAIL, "email address")                                                                                     \
    COLUMN(EMAIL, "e-mail address")                                                                                    \
    COLUMN(EMAIL, "mail")                                                                                              \
    COLUMN(EMAIL, "e-mail-adresse")                                                                                    \
    COLUMN(EMAIL, "adresse de courriel")                                                                               \
    COLUMN(EMAIL, "dirección de correo")                                                                               \
    COLUMN(EMAIL, "dirección email")                                                                                   \
    COLUMN(EMAIL, "correo electrónico")                                                                                \
    COLUMN(EMAIL, "endereço de email")                                                                                 \
    COLUMN(EMAIL, "indirizzo email")                                                                                   \
    COLUMN(EMAIL, "e-mailadres")                                                                                       \
    COLUMN(SECTION, "section")                                                                                         \
    COLUMN(SECTION, "sections")                                                                                        \
    COLUMN(SECTION, "group")                                                                                           \
    COLUMN(SECTION, "gruppe")                                                                                          \
    COLUMN(SECTION, "groupe")                                                                                          \
    COLUMN(SECTION, "grupo")                                                                                           \
    COLUMN(SECTION, "gruppo")                                                                                          \
    COLUMN(SECTION, "groep")                                                                                           \
    COLUMN(GROUP, "group")                                                                                             \
    COLUMN(GROUP, "group name")                                                                                        \
    COLUMN(GROUP, "group_name")                                                                                        \
    COLUMN(GROUP, "team")                                                                                              \
    COLUMN(GROUP, "gruppe")                                                                                            \
    COLUMN(GROUP, "groupe")                                                                                            \
    COLUMN(GROUP, "grupo")                                                                                             \
    COLUMN(GROUP, "gruppo")                                                                                            \
    COLUMN(GROUP, "groep")                                                                                             \
    COLUMN(SUBMITTED, "submitted")                                                                                     \
    COLUMN(SUBMITTED, "submitted at")                                                                                  \
    COLUMN(SUBMITTED, "handed in")                                                                                     \
    COLUMN(SUBMITTED, "submission time")                                                                               \
    COLUMN(STATUS, "status")                                                                                           \
    COLUMN(STATUS, "statut")                                                                                           \
    COLUMN(STATUS, "estado")                                                                                           \
    COLUMN(STATUS, "stato")                                                                                            \
    COLUMN(GRADE, "grade")                                                                                             \
    COLUMN(GRADE, "bewertung")                                                                                         \
    COLUMN(GRADE, "note")                                                                                              \
    COLUMN(GRADE, "calificación")                                                                                      \
    COLUMN(GRADE, "nota")                                                                                              \
    COLUMN(GRADE, "valutazione")                                                                                       \
    COLUMN(GRADE, "cijfer")                                                                                            \
    COLUMN(GRADE, "beoordeling")                                                                                       \
    COLUMN(MOST, "maximum grade")                                                                                      \
    COLUMN(MOST, "bestwertung")                                                                                        \
    COLUMN(MOST, "note maximale")                                                                                      \
    COLUMN(MOST, "calificación máxima")                                                                                \
    COLUMN(MOST, "nota máxima")                                                                                        \
    COLUMN(MOST, "valutazione massima")                                                                                \
    COLUMN(MOST, "maximumcijfer")                                                                                      \
    COLUMN(MOST, "maximum beoordeling")                                                                                \
    COLUMN(OPEN, "grade can be changed")                                                                               \
    COLUMN(OPEN, "bewertung kann geändert werden")                                                                     \
    COLUMN(OPEN, "la note peut être modifiée")                                                                         \
    COLUMN(OPEN, "la calificación puede ser cambiada")                                                                 \
    COLUMN(OPEN, "nota pode ser alterada")                                                                             \
    COLUMN(OPEN, "a nota pode ser alterada.")                                                                          \
    COLUMN(OPEN, "la valutazione può essere cambiata")                                                                 \
    COLUMN(COMMENTS, "feedback comments")                                                                              \
    COLUMN(COMMENTS, "feedback als kommentar")                                                                         \
    COLUMN(COMMENTS, "feedback par commentaires")                                                                      \
    COLUMN(COMMENTS, "comentarios de retroalimentación")                                                               \
    COLUMN(COMMENTS, "comentários de feedback")

/* How Moodle's worksheets begin the identifiers that its downloads have as numbers: "Participant 4711". */
#define PARTICIPANT_NAMES(WORD)                                                                                        \
    WORD("participant")                                                                                                \
    WORD("teilnehmer/in")                                                                                              \
    WORD("participante")                                                                                               \
    WORD("partecipante")                                                                                               \
    WORD("deelnemer")

#endif
