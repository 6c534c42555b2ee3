/* In: the command line of `singe record`. Out: a recording, and the command's exit status. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "capture/limits.h"
#include "cmd/diag_print.h"
#include "cmd/record_options.h"
#include "cmd/record_output.h"
#include "cmd/record_print.h"
#include "cmd/record_resolve.h"
#include "config.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_NOT_RUN = 126, EXIT_NOT_FOUND = 127 };

struct recording {
	struct record_options opts;
	struct dataset data;
	struct diag diag;
	size_t diag_printed;
	struct command command;
	struct record_output out;
	struct session *session;
	struct writer *writer;
	bool failed; /* something went wrong that was said already */
};

static void say_diag(struct recording *r)
{
	if (!r->opts.quiet)
		diag_print(stderr, &r->diag, "singe", r->opts.verbose, &r->diag_printed);
}

/* --name: who is there, or with --wait who comes. */
static struct err *find_by_name(struct record_options *o)
{
	struct timespec gap = { .tv_nsec = 20000000 };
	struct opener opener;
	struct err *err;

	opener_init(&opener, "");
	for (;;) {
		err = target_find_name(&o->session.target, &opener, o->name);
		if (err || o->session.target.ids.n || !o->wait)
			break;
		nanosleep(&gap, NULL);
	}
	opener_deinit(&opener);
	if (!err && !o->session.target.ids.n)
		err = err_new("there is no process named '%s'; --wait waits for one", o->name);
	return err;
}

/* Before signals are blocked, priority and limits raised: the command shall have none of that. */
static struct err *start_command(struct recording *r)
{
	struct target *t = &r->opts.session.target;

	if (!r->opts.argv)
		return NULL;
	TRY(command_fork(&r->command, r->opts.argv));
	if (t->kind == TARGET_COMMAND)
		vec_push(&t->ids, (uint32_t)r->command.pid);
	return NULL;
}

static char *join(char *const *argv)
{
	char *line = xstrdup("");

	for (; *argv; argv++) {
		char *longer = xasprintf("%s%s%s", line, *line ? " " : "", *argv);

		free(line);
		line = longer;
	}
	return line;
}

static void describe(struct recording *r, char *const *argv)
{
	struct meta *m = &r->data.meta;

	free(m->cmdline);
	m->cmdline = join(argv);
	free(m->callgraph);
	m->callgraph = session_callgraph_text(r->session);
	for (size_t i = 0; i < r->diag.entries.n; i++)
		if (r->diag.entries.v[i].level != DIAG_DETAIL)
			vec_push(&m->fallbacks, xstrdup(r->diag.entries.v[i].text));
}

static struct err *set_up(struct recording *r, char *const *argv)
{
	/* A full disk or a closed pipe is an error of write(2), not our end. */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	limits_raise_priority();
	TRY(session_create(&r->opts.session, &r->data, &r->diag,
			   r->command.pid ? &r->command : NULL, &r->session));
	describe(r, argv);
	say_diag(r);
	TRY(record_output_open(&r->out, r->opts.output));
	return writer_create(r->out.fd, r->opts.codec, &r->data, &r->writer);
}

/* What came to light while recording is in END, not in HEADER. */
static void add_fallbacks(struct recording *r, size_t from)
{
	for (size_t i = from; i < r->diag.entries.n; i++)
		if (r->diag.entries.v[i].level != DIAG_DETAIL)
			vec_push(&r->data.meta.fallbacks, xstrdup(r->diag.entries.v[i].text));
}

static void say_failed(struct recording *r, struct err *err)
{
	diag_print_err(stderr, "singe", err);
	err_destroy(err);
	r->failed = true;
}

/* Names follow END in a file; in a stream, where nobody can wait for more, they come before it. */
static void finish(struct recording *r)
{
	struct record_resolved resolved = { 0 };
	bool names = r->opts.resolve && !r->failed && r->data.totals.samples;
	bool judged = false;

	for (int step = 0; step < 2; step++) {
		bool end_now = (step == 0) != r->out.is_stream;
		struct err *err = NULL;

		if (end_now) {
			err = writer_end(r->writer, &r->data.totals);
		} else if (names) {
			err = writer_flush(r->writer);
			if (!err)
				err = record_resolve(r->session, r->writer, r->opts.verbose,
						     r->opts.quiet, &resolved);
			judged = !err;
		}
		if (err && r->failed)
			err_destroy(err); /* the same cause again */
		else if (err)
			say_failed(r, err);
	}
	if (!r->opts.resolve && r->session->callgraph != CALLGRAPH_FP) {
		record_judge(r->session, &resolved);
		judged = true;
	}
	if (!r->opts.quiet) {
		uint64_t size = writer_size(r->writer);
		off_t end = r->out.is_stream ? -1 : lseek(r->out.fd, 0, SEEK_END);

		record_print_summary(r->session, &r->opts, judged ? &resolved : NULL,
				     end > 0 ? (uint64_t)end : size);
	}
}

/* A command that outlives its recording is told to end with it; after an error it is waited for,
 * as it has done no wrong. */
static int command_status(struct recording *r)
{
	enum { PATIENCE_MS = 2000 };
	struct command *c = &r->command;
	enum ended_by by = r->session->ended_by;
	bool told_to_end = by != ENDED_NOT && !c->ended;

	if (told_to_end)
		kill(c->pid, SIGTERM);
	command_reap(c, told_to_end ? PATIENCE_MS : -1);
	if (!c->ended)
		fprintf(stderr, "singe: %s still runs, as process %d\n", r->opts.argv[0], c->pid);
	if (told_to_end && by == ENDED_SIGNAL)
		return 128 + r->session->ending.last_signal;
	if (!c->ended || (told_to_end && WIFSIGNALED(c->status) && WTERMSIG(c->status) == SIGTERM))
		return 0;
	return command_exit_code(c);
}

static int record(struct recording *r, char *const *argv)
{
	bool progress = !r->opts.quiet && isatty(STDERR_FILENO);
	struct err *err = record_output_check(r->opts.output);

	if (!err && r->opts.name)
		err = find_by_name(&r->opts);
	if (!err)
		err = start_command(r);
	if (!err)
		err = set_up(r, argv);
	if (err) {
		say_diag(r);
		say_failed(r, err);
		if (!r->writer)
			record_output_abandon(&r->out);
		return EXIT_FAILED;
	}
	if (progress)
		session_on_progress(r->session, record_print_progress, NULL);
	size_t known = r->diag.entries.n;

	err = session_run(r->session, r->writer);
	if (progress)
		record_print_clear();
	if (err && !r->session->started_ns && r->command.pid) {
		int why = err_errno(err);

		err = err_wrap(err, "%s", r->opts.argv[0]);
		say_failed(r, err);
		record_output_abandon(&r->out);
		return why == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
	}
	if (err)
		say_failed(r, err_wrap(err, "recording stopped"));
	add_fallbacks(r, known);
	say_diag(r);
	finish(r);
	int status = r->command.pid ? command_status(r) : 0;

	return r->failed ? EXIT_FAILED : status;
}

int main(int argc, char **argv)
{
	struct recording r = { 0 };

	/* Run by `singe record …`, the first word is the command's name. */
	bool named = argc > 1 && !strcmp(argv[1], "record");
	struct err *err = record_options_parse(&r.opts, argc - named, argv + named);
	int status = EXIT_USAGE;

	dataset_init(&r.data);
	command_init(&r.command);
	record_output_init(&r.out);
	if (err) {
		diag_print_err(stderr, "singe record", err);
		fputs("`singe record --help` lists the options.\n", stderr);
		err_destroy(err);
	} else if (r.opts.help) {
		fputs(record_usage, stdout);
		status = 0;
	} else if (r.opts.version) {
		printf("singe %s\n", PACKAGE_VERSION);
		status = 0;
	} else {
		status = record(&r, argv);
	}
	writer_destroy(r.writer);
	session_destroy(r.session);
	record_output_deinit(&r.out);
	command_deinit(&r.command);
	diag_deinit(&r.diag);
	dataset_deinit(&r.data);
	record_options_deinit(&r.opts);
	return status;
}
