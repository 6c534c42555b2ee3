/* In: descriptors of rings, signals and processes. Out: the moment to look at them. */
#include "capture/ending.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "capture/meta.h"

/* Side-band wakes at its first byte, but not oftener than this. */
enum { SIDE_GAP_NS = 20000000 };

static struct err *epoll_watch(int epoll, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &ev))
		return err_sys(errno, "epoll_ctl");
	return NULL;
}

static struct err *open_signals(struct ending *e)
{
	struct sigaction hup;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	/* Under nohup(1) a hang-up is no reason to end. */
	if (!sigaction(SIGHUP, NULL, &hup) && hup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	e->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return e->signal_fd < 0 ? err_sys(errno, "signalfd") : NULL;
}

struct err *ending_init(struct ending *e, const struct rings *rings)
{
	*e = (struct ending){
		.signal_fd = -1,
		.samples_epoll = rings->wake_ns ? -1 : epoll_create1(EPOLL_CLOEXEC),
		.side_epoll = epoll_create1(EPOLL_CLOEXEC),
		.targets_epoll = epoll_create1(EPOLL_CLOEXEC),
	};
	if ((e->samples_epoll < 0 && !rings->wake_ns) || e->side_epoll < 0 || e->targets_epoll < 0)
		return err_sys(errno, "epoll_create1");
	for (size_t i = 0; i < rings->n; i++) {
		if (!rings->wake_ns)
			TRY(epoll_watch(e->samples_epoll,
					rings->v[i].by_role[RING_SAMPLES].leader));
		TRY(epoll_watch(e->side_epoll, rings->v[i].by_role[RING_SIDE].leader));
	}
	return open_signals(e);
}

void ending_deinit(struct ending *e)
{
	const int fds[] = { e->signal_fd, e->samples_epoll, e->side_epoll, e->targets_epoll };

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	for (size_t i = 0; i < e->pidfds.n; i++)
		close(e->pidfds.v[i]);
	vec_deinit(&e->pidfds);
	vec_deinit(&e->unwatched);
}

struct err *ending_watch(struct ending *e, uint32_t pid)
{
	e->has_targets = true;
	int fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);

	if (fd < 0 && errno == ESRCH)
		return NULL;
	if (fd < 0 && errno == ENOSYS) {
		vec_push(&e->unwatched, pid);
		e->n_targets++;
		return NULL;
	}
	if (fd < 0)
		return err_sys(errno, "cannot watch process %u", pid);
	vec_push(&e->pidfds, fd);
	TRY(epoll_watch(e->targets_epoll, fd));
	e->n_targets++;
	return NULL;
}

/* A pidfd stays readable for ever: it leaves the set as it is seen. */
static void take_ends(struct ending *e)
{
	struct epoll_event ev[16];
	int n;

	while ((n = epoll_wait(e->targets_epoll, ev, 16, 0)) > 0) {
		for (int i = 0; i < n; i++) {
			epoll_ctl(e->targets_epoll, EPOLL_CTL_DEL, ev[i].data.fd, NULL);
			e->n_targets--;
		}
	}
}

/* Our own child is a zombie until it is reaped, which is left to others. */
static bool has_ended(uint32_t pid)
{
	siginfo_t info = { 0 };

	if (!waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT))
		return info.si_pid != 0;
	return kill((pid_t)pid, 0) && errno == ESRCH;
}

static void ask_unwatched(struct ending *e)
{
	size_t kept = 0;

	for (size_t i = 0; i < e->unwatched.n; i++) {
		if (has_ended(e->unwatched.v[i]))
			e->n_targets--;
		else
			e->unwatched.v[kept++] = e->unwatched.v[i];
	}
	e->unwatched.n = kept;
}

static void take_signals(struct ending *e)
{
	struct signalfd_siginfo info;

	while (read(e->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		e->n_signals++;
		e->last_signal = (int)info.ssi_signo;
		e->from_keyboard = info.ssi_code == SI_KERNEL;
	}
}

/* Level-triggered epoll polls each ring again, which clears its mark. */
static void take_rings(int epoll)
{
	struct epoll_event ev[64];

	epoll_wait(epoll, ev, 64, 0);
}

void ending_wait(struct ending *e, uint64_t now_ns, uint64_t until_ns)
{
	bool side_quiet = now_ns < e->side_quiet_ns;

	if (side_quiet && until_ns > e->side_quiet_ns)
		until_ns = e->side_quiet_ns;
	uint64_t left = until_ns > now_ns ? until_ns - now_ns : 0;
	struct timespec ts = { .tv_sec = (time_t)(left / 1000000000),
			       .tv_nsec = (long)(left % 1000000000) };
	struct pollfd fds[] = {
		{ .fd = e->signal_fd, .events = POLLIN },
		{ .fd = e->targets_epoll, .events = POLLIN },
		{ .fd = e->samples_epoll, .events = POLLIN },
		{ .fd = side_quiet ? -1 : e->side_epoll, .events = POLLIN },
	};

	int n = ppoll(fds, sizeof(fds) / sizeof(*fds), &ts, NULL);

	ask_unwatched(e);
	if (n <= 0)
		return;
	if (fds[0].revents)
		take_signals(e);
	if (fds[1].revents)
		take_ends(e);
	if (fds[2].revents)
		take_rings(e->samples_epoll);
	if (fds[3].revents) {
		take_rings(e->side_epoll);
		e->side_quiet_ns = meta_now_ns() + SIDE_GAP_NS;
	}
}

/* A zombie is not alive, however long nobody reaps it: kill(2) reaches it, but its pidfd says that
 * it has ended. Without pidfds (Linux before 5.3, valgrind) that is known of our own children only.
 */
static bool is_alive(uint32_t pid)
{
	_cleanup_close_ int fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
	struct pollfd end = { .fd = fd, .events = POLLIN };

	if (fd >= 0)
		return poll(&end, 1, 0) != 1;
	return errno != ESRCH && !has_ended(pid);
}

static void look_alive(void *ctx, struct process *p)
{
	bool *any = ctx;

	if (!*any && p->pid && p->pid != UINT32_MAX && is_alive(p->pid))
		*any = true;
}

bool ending_any_alive(struct world *w)
{
	bool any = false;

	world_each_process(w, look_alive, &any);
	return any;
}
