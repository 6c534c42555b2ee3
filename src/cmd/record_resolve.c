/* In: the places hit, open files. Out: SYMBOLS in the recording, and the share of whole stacks. */
#include "cmd/record_resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "cmd/diag_print.h"
#include "cmd/names_progress.h"
#include "symbol/symbolizer.h"

static bool take_signal(int signal_fd)
{
	struct signalfd_siginfo info;

	return read(signal_fd, &info, sizeof(info)) == sizeof(info);
}

struct resolving {
	struct session *session;
	bool quiet, interrupted;
};

static bool on_progress(void *ctx, size_t done, size_t of, const char *what)
{
	struct resolving *r = ctx;

	if (!r->quiet)
		print_resolve_progress(NULL, done, of, what);
	r->interrupted |= take_signal(r->session->ending.signal_fd);
	return r->interrupted;
}

typedef VEC(struct cut_binary) cuts_vec;

static void add_cut(cuts_vec *cuts, enum verdict v, uint32_t binary, uint64_t samples)
{
	for (size_t i = 0; i < cuts->n; i++) {
		if (cuts->v[i].binary == binary && cuts->v[i].verdict == v) {
			cuts->v[i].samples += samples;
			return;
		}
	}
	vec_push(cuts, ((struct cut_binary){ .binary = binary, .verdict = v, .samples = samples }));
}

static int cut_cmp(const void *a, const void *b)
{
	const struct cut_binary *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return (x->binary > y->binary) - (x->binary < y->binary);
}

/* A walked stack is complete unless it was cut. In fp mode, when its outermost frame lies in start
 * code; a kernel thread's ends in the kernel. */
void record_judge(const struct session *s, struct record_resolved *ret)
{
	const struct hits *hits = &s->intake.hits;

	cuts_vec cuts = { 0 };

	ret->places = hits->places.n;
	for (size_t i = 0; i < hits->cuts.n; i++) {
		const struct hit_cut *cut = &hits->cuts.v[i];

		ret->stacks += cut->samples;
		add_cut(&cuts, cut->verdict, cut->binary, cut->samples);
	}
	for (size_t i = 0; i < hits->places.n; i++) {
		const struct hit *hit = &hits->places.v[i];
		const struct name_entry *e = names_find(&s->data->names, hit->binary, hit->key);

		ret->named += (e && e->flags & NAME_FOUND) ||
			      codetimes_find(&s->data->codetimes, hit->binary, hit->key);
		ret->stacks += hit->outermost;
		if (s->callgraph != CALLGRAPH_FP || hit->binary == BINARY_KERNEL ||
		    (e && (e->flags & NAME_START)))
			ret->complete += hit->outermost;
		else if (hit->outermost)
			add_cut(&cuts, VERDICT_FP_END, hit->binary, hit->outermost);
	}
	vec_sort(&cuts, cut_cmp);
	while (ret->n_cuts < RESOLVED_CUTS && ret->n_cuts < cuts.n) {
		ret->cuts[ret->n_cuts] = cuts.v[ret->n_cuts];
		ret->n_cuts++;
	}
	vec_deinit(&cuts);
}

/* What a JIT compiler dumped names the code its process has in no file. */
static void give_jitdumps(struct session *s, struct symbolizer *sym)
{
	const struct jitdumps *dumps = &s->intake.jitdumps;

	for (size_t i = 0; i < dumps->v.n; i++) {
		int fd = files_fd(s->files, dumps->v.v[i].binary);

		for (uint32_t id = 0; fd >= 0 && id < s->data->binaries.v.n; id++) {
			const struct binary *b = binaries_get(&s->data->binaries, id);

			if (b->kind == BINARY_KIND_ANON && b->pid == dumps->v.v[i].pid)
				symbolizer_give_fd(sym, id, fd);
		}
	}
}

static uint64_t build_id_hash(const struct binary *b)
{
	return hash_bytes(b->build_id, b->build_id_len);
}

/* The file of a binary that was opened under another name: a build-id is one build. -1: none. */
static int twin_fd(const struct session *s, const struct table *opened, const struct binary *b)
{
	for (struct table_probe p = table_probe(opened, build_id_hash(b));
	     b->build_id_len && table_next(opened, &p);) {
		const struct binary *twin = binaries_get(&s->data->binaries, p.value);

		if (twin->build_id_len == b->build_id_len &&
		    !memcmp(twin->build_id, b->build_id, b->build_id_len))
			return files_fd(s->files, p.value);
	}
	return -1;
}

static void give_files(struct session *s, struct symbolizer *sym)
{
	const struct binaries *binaries = &s->data->binaries;
	struct table opened = { 0 }; /* by build-id */

	for (uint32_t id = 0; id < binaries->v.n; id++) {
		const struct binary *b = binaries_get(binaries, id);
		int fd = files_fd(s->files, id);

		if (fd < 0)
			continue;
		symbolizer_give_fd(sym, id, fd);
		if (b->build_id_len && twin_fd(s, &opened, b) < 0)
			table_add(&opened, build_id_hash(b), id);
	}
	for (uint32_t id = 0; id < binaries->v.n; id++) {
		if (files_fd(s->files, id) >= 0)
			continue;
		int fd = twin_fd(s, &opened, binaries_get(binaries, id));

		if (fd >= 0)
			symbolizer_give_fd(sym, id, fd);
		else if (files_gone(s->files, id))
			symbolizer_set_gone(sym, id);
	}
	table_deinit(&opened);
}

static struct err *name_places(struct session *s, struct diag *diag, struct resolving *r)
{
	CLEANUP(symbolizer_destroy)
	struct symbolizer *sym = symbolizer_create(s->data, diag);
	const struct hits *hits = &s->intake.hits;
	_cleanup_free_ struct place *places = xcalloc(hits->places.n + 1, sizeof(*places));

	for (size_t i = 0; i < hits->places.n; i++)
		places[i] = (struct place){ hits->places.v[i].binary, hits->places.v[i].key };
	give_files(s, sym);
	give_jitdumps(s, sym);
	symbolizer_on_progress(sym, on_progress, r);
	return symbolizer_run_places(sym, places, hits->places.n);
}

static void resolve_in_child(struct session *s, struct writer *w, bool verbose, bool quiet,
			     int result_fd)
{
	struct resolving r = { .session = s, .quiet = quiet };
	struct record_resolved result = { 0 };
	struct diag diag = { 0 };
	size_t from = 0, printed = 0;
	struct err *err = name_places(s, &diag, &r);

	print_progress_clear();
	if (err)
		diag_err(&diag, DIAG_WARNING, "resolve", err);
	err = writer_names(w, &s->data->names, &from);
	if (!err)
		err = writer_code(w);
	if (err)
		diag_err(&diag, DIAG_WARNING, "write-names", err);
	else
		result.done = !r.interrupted;
	result.interrupted = r.interrupted;
	record_judge(s, &result);
	if (!quiet)
		diag_print(stderr, &diag, "singe", verbose, &printed);
	if (write(result_fd, &result, sizeof(result)) != sizeof(result))
		_exit(1);
	_exit(0);
}

/* The first signal asks the child to end with what it has, the second ends it. */
static bool read_result(struct session *s, pid_t child, int fd, struct record_resolved *ret)
{
	struct pollfd fds[] = { { .fd = fd, .events = POLLIN },
				{ .fd = s->ending.signal_fd, .events = POLLIN } };
	int n_signals = 0;

	for (;;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return false;
		if (fds[0].revents)
			return read(fd, ret, sizeof(*ret)) == sizeof(*ret);
		while (take_signal(s->ending.signal_fd))
			kill(child, n_signals++ ? SIGKILL : SIGINT);
	}
}

struct err *record_resolve(struct session *s, struct writer *w, bool verbose, bool quiet,
			   struct record_resolved *ret)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return err_sys(errno, "cannot make a pipe");
	fflush(NULL);
	pid_t child = fork();

	if (!child) {
		close(fds[0]);
		resolve_in_child(s, w, verbose, quiet, fds[1]);
	}
	close(fds[1]);
	if (child < 0) {
		close(fds[0]);
		return err_sys(errno, "cannot start a process to find names");
	}
	struct record_resolved result = { 0 };
	bool ok = read_result(s, child, fds[0], &result);
	int status = 0;

	close(fds[0]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (!ok && WIFSIGNALED(status))
		return err_new("finding names was ended by signal %d (%s)", WTERMSIG(status),
			       strsignal(WTERMSIG(status)));
	if (!ok)
		return err_new("finding names failed");
	*ret = result;
	return NULL;
}
