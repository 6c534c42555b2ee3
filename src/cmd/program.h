/* The programs behind the front door: where they are, and running one of them. */
#ifndef CMD_PROGRAM_H
#define CMD_PROGRAM_H

#include "base/err.h"

/* The path of `name` ("singe-record"): beside this executable, as in the build tree; in
 * ../libexec/singe beside its directory, as in an installed tree that was moved; or where configure
 * said. The caller frees it. */
ERR_CHECK struct err *program_find(const char *name, char **ret);

/* Runs argv (path in argv[0], NULL at the end) and waits for it. SIGINT, SIGTERM, SIGHUP and
 * SIGQUIT sent to this process are passed on while it runs, except what the terminal's keyboard
 * sent, which the child got itself. `ret` is the exit status as a shell tells it: 128 + n for
 * signal n. */
ERR_CHECK struct err *program_run(char *const *argv, int *ret);

#endif
