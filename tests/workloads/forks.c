/* Processes that come and go. `forks plain` forks a child that goes on in the same image;
 * `forks exec IMAGE ARGS…` one that works for a while and then executes IMAGE; `forks short N`
 * makes N children one after the other, each 15 ms of work, and ends right after the last; `forks
 * spawn N IMAGE ARGS…` executes IMAGE N times, one after the other. */
#include <string.h>
#include <sys/wait.h>

#include "burn.h"

HOT(in_parent)
HOT(in_child)

static void child_plain(void)
{
	in_child(0.4);
	_exit(0);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "plain";
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(mode, "plain")) {
		if (!fork())
			child_plain();
		in_parent(0.2);
	} else if (!strcmp(mode, "exec")) {
		if (!fork()) {
			in_child(0.2);
			execv(argv[2], argv + 2);
			_exit(1);
		}
		in_parent(0.2);
	} else {
		for (int i = 0; i < n; i++) {
			if (fork()) {
				wait(NULL);
				continue;
			}
			if (!strcmp(mode, "spawn"))
				execv(argv[3], argv + 3);
			in_child(0.015);
			_exit(0);
		}
		return 0;
	}
	int status = 0;

	wait(&status);
	return status != 0;
}
