/* One pid, two processes: starts `pidreuse FIRST SECOND`, each an image with its arguments in one
 * word, the second under the very number the first had (clone3 with set_tid, Linux 5.5, needs
 * CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN). Exit 77 if the kernel does not let it. */
#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#include "burn.h"

static pid_t clone_as(pid_t tid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = tid ? (uintptr_t)&tid : 0,
		.set_tid_size = tid ? 1 : 0,
	};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

static pid_t start(const char *image, pid_t as)
{
	pid_t pid = clone_as(as);

	if (pid)
		return pid;
	execl(image, image, "0.25", (char *)NULL);
	_exit(1);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	pid_t first = start(argv[1], 0), second = -1;

	if (first < 0)
		return 77;
	waitpid(first, NULL, 0);
	for (int tries = 0; second < 0 && tries < 20; tries++) {
		second = start(argv[2], first);
		if (second < 0 && errno != EEXIST)
			return 77;
	}
	if (second != first)
		return 77;
	waitpid(second, NULL, 0);
	printf("%d\n", (int)first);
	return 0;
}
