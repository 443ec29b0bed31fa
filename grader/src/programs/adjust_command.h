/* adjust_command.h: the command line of labgrade adjust. */
#ifndef GRADER_PROGRAMS_ADJUST_COMMAND_H
#define GRADER_PROGRAMS_ADJUST_COMMAND_H

/* Reads the options, without the word "adjust", and does what they say. Returns the exit status. */
int adjust_command(int count, char **argument);

#endif
