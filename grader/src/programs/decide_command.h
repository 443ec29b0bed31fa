/* decide_command.h: the command lines of labgrade weigh, hold and release. */
#ifndef GRADER_PROGRAMS_DECIDE_COMMAND_H
#define GRADER_PROGRAMS_DECIDE_COMMAND_H

/* Each reads the options, without the command's name, and does what they say. Returns the exit status. */
int weigh_command(int count, char **argument);
int hold_command(int count, char **argument);
int release_command(int count, char **argument);

#endif
