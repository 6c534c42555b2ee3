/* In: a command line. Out: its process, sampled from its first instruction. */
#include "capture/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void command_init(struct command *c)
{
	*c = (struct command){ .go_fd = -1, .failed_fd = -1 };
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void command_deinit(struct command *c)
{
	bool waits = c->go_fd >= 0;

	close_fd(&c->go_fd);
	close_fd(&c->failed_fd);
	if (c->pid && waits)
		command_reap(c, -1);
}

static _Noreturn void child(int go_fd, int failed_fd, char *const *argv)
{
	char byte;
	ssize_t n;

	do {
		n = read(go_fd, &byte, 1);
	} while (n < 0 && errno == EINTR);
	if (n == 1) {
		execvp(argv[0], argv);
		int why = errno;

		/* A reader that is gone has nobody to tell. */
		if (write(failed_fd, &why, sizeof(why)) != sizeof(why))
			_exit(126);
	}
	_exit(127);
}

struct err *command_fork(struct command *c, char *const *argv)
{
	int go[2], failed[2];

	if (pipe2(go, O_CLOEXEC))
		return err_sys(errno, "cannot make a pipe");
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return err_sys(errno, "cannot make a pipe");
	}
	pid_t pid = fork();
	int saved = errno;

	if (!pid) {
		close(go[1]);
		close(failed[0]);
		child(go[0], failed[1], argv);
	}
	close(go[0]);
	close(failed[1]);
	if (pid < 0) {
		close(go[1]);
		close(failed[0]);
		return err_sys(saved, "cannot start a process for %s", argv[0]);
	}
	*c = (struct command){ .pid = pid, .go_fd = go[1], .failed_fd = failed[0] };
	return NULL;
}

struct err *command_go(struct command *c)
{
	int why = 0;
	ssize_t n;

	/* Killed while it waited: its end will tell. */
	if (write(c->go_fd, "g", 1) == 1) {
		do {
			n = read(c->failed_fd, &why, sizeof(why));
		} while (n < 0 && errno == EINTR);
		if (n != sizeof(why))
			why = 0;
	}
	close_fd(&c->go_fd);
	close_fd(&c->failed_fd);
	if (!why)
		return NULL;
	command_reap(c, -1);
	return err_sys(why, "cannot run the command");
}

/* By pidfd; where there is none (Linux before 5.3), by asking. */
static void wait_for_end(pid_t pid, int ms)
{
	enum { STEP_MS = 10 };
	_cleanup_close_ int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (fd >= 0) {
		poll(&p, 1, ms);
		return;
	}
	for (int waited = 0; waited < ms; waited += STEP_MS) {
		siginfo_t info = { 0 };

		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid)
			return;
		poll(NULL, 0, STEP_MS);
	}
}

void command_reap(struct command *c, int ms)
{
	pid_t got;

	if (!c->pid || c->ended)
		return;
	if (ms > 0)
		wait_for_end(c->pid, ms);
	do {
		got = waitpid(c->pid, &c->status, ms < 0 ? 0 : WNOHANG);
	} while (got < 0 && errno == EINTR);
	c->ended = got == c->pid || (got < 0 && errno == ECHILD);
}

int command_exit_code(const struct command *c)
{
	if (WIFSIGNALED(c->status))
		return 128 + WTERMSIG(c->status);
	return WEXITSTATUS(c->status);
}
