/* `record -- CMD ARGS`: a child that waits until the events are open, then becomes the command. */
#ifndef CAPTURE_COMMAND_H
#define CAPTURE_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct command {
	pid_t pid;     /* 0: there is none */
	int go_fd;     /* closing it without a byte sends the child away */
	int failed_fd; /* the child's errno, should exec fail; closed by a good exec */
	bool ended;
	int status; /* as wait(2) has it, once ended */
};

void command_init(struct command *c);
/* Sends a child that never became the command away; does not wait for one that did. */
void command_deinit(struct command *c);
/* `argv` ends in NULL. To be called before signals are blocked and limits are raised: the child
 * shall have what we were given. */
ERR_CHECK struct err *command_fork(struct command *c, char *const *argv);
/* Lets it exec. The error has the errno of a failed exec. */
ERR_CHECK struct err *command_go(struct command *c);
/* Takes its exit status if it has ended, or ends within `ms` milliseconds; -1: however long. */
void command_reap(struct command *c, int ms);
/* The exit status as a shell tells it: 128 + n for signal n. */
int command_exit_code(const struct command *c);

#endif
