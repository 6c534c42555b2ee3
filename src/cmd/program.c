/* In: a program's name and arguments. Out: its path, and its exit status once it has run. */
#include "cmd/program.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"

extern char **environ;

static char *self_dir(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0)
		return NULL;
	path[n] = '\0';
	char *slash = strrchr(path, '/');

	return slash ? xstrndup(path, (size_t)(slash - path)) : NULL;
}

struct err *program_find(const char *name, char **ret)
{
	_cleanup_free_ char *dir = self_dir();

	if (dir) {
		_cleanup_free_ char *beside = xasprintf("%s/%s", dir, name);
		if (!access(beside, X_OK)) {
			*ret = take_ptr(beside);
			return NULL;
		}
		_cleanup_free_ char *moved = xasprintf("%s/../libexec/singe/%s", dir, name);
		if (!access(moved, X_OK)) {
			*ret = take_ptr(moved);
			return NULL;
		}
	}
	_cleanup_free_ char *installed = xasprintf("%s/%s", PKGLIBEXECDIR, name);
	if (access(installed, X_OK))
		return err_sys(errno, "cannot run %s; looked beside singe and in %s", name,
			       PKGLIBEXECDIR);
	*ret = take_ptr(installed);
	return NULL;
}

static void passed_on(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGQUIT);
	sigaddset(set, SIGCHLD);
}

static struct err *wait_for(pid_t pid, const sigset_t *set, int *ret)
{
	for (;;) {
		int status;
		pid_t got = waitpid(pid, &status, WNOHANG);

		if (got == pid) {
			*ret = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
			return NULL;
		}
		if (got < 0 && errno != EINTR)
			return err_sys(errno, "cannot wait for process %d", (int)pid);
		siginfo_t info;
		int sig = sigwaitinfo(set, &info);

		if (sig > 0 && sig != SIGCHLD && info.si_code != SI_KERNEL)
			kill(pid, sig);
	}
}

struct err *program_run(char *const *argv, int *ret)
{
	sigset_t set, old;
	posix_spawnattr_t attr;
	pid_t pid;

	passed_on(&set);
	sigprocmask(SIG_BLOCK, &set, &old);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attr, &old);
	int errnum = posix_spawn(&pid, argv[0], NULL, &attr, argv, environ);

	posix_spawnattr_destroy(&attr);
	struct err *err =
		errnum ? err_sys(errnum, "cannot run %s", argv[0]) : wait_for(pid, &set, ret);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return err;
}
