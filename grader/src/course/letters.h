/* letters.h: the letters of names in different spellings of Unicode: an accented "e" may be one character or two. */
#ifndef GRADER_COURSE_LETTERS_H
#define GRADER_COURSE_LETTERS_H

#include <stddef.h>
#include <stdint.h>

/* Takes a Latin letter (Latin-1, Latin Extended-A) apart, as a Mac writes it in the names of files: returns the letter
 * of ASCII, and *mark is the combining mark. Any other character is returned as it is, with *mark 0. */
uint32_t letters_take_apart(uint32_t letter, uint32_t *mark);

#endif
