/* Both unwinders over the stacks of a recording that kept them (`singe record --keep-stacks`).
 *
 *	engines FILE		compares them, stack by stack
 *	engines -b FILE		times the walker in steady state, in nanoseconds a frame
 *
 * Where libunwind reaches the end of a stack the rows must give the same frames, unless one of the
 * two rules of unwind/walk.h was applied; each such stack is counted by its rule. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/keptwalk.h"
#include "unwind/remote.h"

struct counts {
	uint64_t stacks, frames, rows_complete, libunwind_complete;
	uint64_t complex; /* rows left a step to libunwind */
	uint64_t equal, popped, no_cfi, other;
	uint64_t verdicts[N_VERDICTS]; /* of rows */
};

struct engines {
	struct counts n;
	struct walk rows, libunwind;
	struct remote *remote;
	uint64_t ns; /* -b: spent walking */
};

/* The addresses alone: libunwind tells of signal frames one frame later. */
static bool same_frames(const struct walk *a, const struct walk *b)
{
	for (uint32_t i = 0; i < a->n && i < b->n; i++)
		if (a->frames[i].pc != b->frames[i].pc)
			return false;
	return a->n == b->n;
}

static void print_walk(const char *who, const struct walk *w, const struct addrspace *as)
{
	printf("  %s: %s:", who, verdict_name(w->verdict));
	for (uint32_t i = 0; i < w->n; i++) {
		const struct mapping *m = addrspace_find(as, w->frames[i].pc);

		printf(" %" PRIx64 "(%u+%" PRIx64 ")", w->frames[i].pc,
		       m ? m->binary : BINARY_UNKNOWN,
		       m ? mapping_off(m, w->frames[i].pc) : w->frames[i].pc);
	}
	putchar('\n');
}

static void judge(struct engines *e, const struct kept_stack *s, const struct walk *before)
{
	struct counts *n = &e->n;

	if (e->libunwind.verdict != VERDICT_COMPLETE)
		return;
	if (e->rows.verdict == VERDICT_COMPLETE && same_frames(&e->rows, &e->libunwind)) {
		n->equal++;
	} else if (e->rows.n_no_cfi > before->n_no_cfi) {
		n->no_cfi++;
	} else if (e->rows.n_popped > before->n_popped) {
		n->popped++;
	} else {
		if (n->other++ < 5) {
			print_walk("rows", &e->rows, s->as);
			print_walk("libunwind", &e->libunwind, s->as);
		}
	}
}

static void compare(void *ctx, struct code *code, const struct kept_stack *s)
{
	struct engines *e = ctx;
	struct walk before = e->rows;

	if (s->sample->regs_abi != 2) /* PERF_SAMPLE_REGS_ABI_64 */
		return;
	if (!e->remote)
		e->remote = remote_create(code);
	e->n.stacks++;
	remote_walk(e->remote, &e->libunwind, s->as, s->sample);
	e->n.libunwind_complete += e->libunwind.verdict == VERDICT_COMPLETE;
	if (!walk_rows(&e->rows, code, s->as, s->sample)) {
		struct walk_regs regs;

		e->n.complex++;
		if (remote_cross(e->remote, &e->rows, s->as, s->sample, &regs) &&
		    !walk_resume(&e->rows, code, s->as, s->sample, &regs))
			remote_walk(e->remote, &e->rows, s->as, s->sample);
	}
	e->n.frames += e->rows.n;
	e->n.rows_complete += e->rows.verdict == VERDICT_COMPLETE;
	e->n.verdicts[e->rows.verdict]++;
	judge(e, s, &before);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Each stack several times: the first time it may still be compiling rows. */
static void measure(void *ctx, struct code *code, const struct kept_stack *s)
{
	enum { TIMES = 20 };
	struct engines *e = ctx;

	if (s->sample->regs_abi != 2 || !walk_rows(&e->rows, code, s->as, s->sample))
		return;
	uint64_t start = now_ns();

	for (int i = 0; i < TIMES; i++)
		walk_rows(&e->rows, code, s->as, s->sample);
	e->ns += now_ns() - start;
	e->n.stacks++;
	e->n.frames += (uint64_t)TIMES * e->rows.n;
}

static void print_counts(const struct counts *n)
{
	printf("stacks %" PRIu64 "\nframes %" PRIu64 "\nrows-complete %" PRIu64
	       "\nlibunwind-complete %" PRIu64 "\ncomplex %" PRIu64 "\nequal %" PRIu64
	       "\npopped %" PRIu64 "\nno-cfi %" PRIu64 "\nother %" PRIu64 "\n",
	       n->stacks, n->frames, n->rows_complete, n->libunwind_complete, n->complex, n->equal,
	       n->popped, n->no_cfi, n->other);
	for (int v = 1; v < N_VERDICTS; v++)
		if (n->verdicts[v])
			printf("%s: %" PRIu64 "\n", verdict_name((enum verdict)v), n->verdicts[v]);
}

int main(int argc, char **argv)
{
	bool bench = argc > 2 && !strcmp(argv[1], "-b");
	struct engines e = { 0 };

	if (argc < 2 || !arch_native()) {
		printf(argc < 2 ? "skipped: engines.py gives it recordings\n"
				: "skipped: singe cannot unwind on this machine\n");
		return 77;
	}
	walk_init(&e.rows);
	walk_init(&e.libunwind);
	bool good = keptwalk_each(argv[argc - 1], bench ? measure : compare, &e);

	if (bench)
		printf("frames %" PRIu64 "\nns-a-frame %.1f\n", e.n.frames,
		       e.n.frames ? (double)e.ns / (double)e.n.frames : 0);
	else
		print_counts(&e.n);
	remote_destroy(e.remote);
	walk_deinit(&e.rows);
	walk_deinit(&e.libunwind);
	return good && !e.n.other ? 0 : 1;
}
