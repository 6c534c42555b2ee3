/* In: numbers of a dataset. Out: words. */
#include "cmd/dumpline.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/clean.h"
#include "cmd/info_facts.h"
#include "output/output.h"

static const char *const frame_kinds[] = {
	[FRAME_PC] = "pc",
	[FRAME_RETURN] = "return",
	[FRAME_AFTER_SIGNAL] = "after-signal",
	[FRAME_CUT] = "cut",
};

const char *dumpline_kind(const struct frame *f)
{
	return f->kind <= FRAME_CUT ? frame_kinds[f->kind] : "?";
}

void dumpline_place(const struct dumpline *d, uint32_t binary, uint64_t off)
{
	clean_print(d->out, binary_name(binaries_get(&d->data->binaries, binary)));
	fprintf(d->out, "+0x%" PRIx64, off);
}

void dumpline_frame(const struct dumpline *d, const struct frame *f)
{
	if (f->kind != FRAME_CUT) {
		dumpline_place(d, f->binary, f->off);
		return;
	}
	fprintf(d->out, "[cut: %s", verdict_name((enum verdict)(f->off < N_VERDICTS ? f->off : 0)));
	if (f->binary != BINARY_UNKNOWN) {
		fputs(" in ", d->out);
		clean_print(d->out, binary_name(binaries_get(&d->data->binaries, f->binary)));
	}
	fputc(']', d->out);
}

void dumpline_stack(const struct dumpline *d, uint32_t node)
{
	VEC(uint32_t) path = { 0 };

	for (; node; node = frametree_get(&d->data->tree, node)->parent)
		vec_push(&path, node);
	for (size_t i = path.n; i-- > 0;) {
		dumpline_frame(d, frametree_get(&d->data->tree, path.v[i]));
		fputs(i ? ";" : "", d->out);
	}
	fputs(path.n ? "" : "[no stack]", d->out);
	vec_deinit(&path);
}

void dumpline_binary(const struct dumpline *d, uint32_t id)
{
	const struct binary *b = binaries_get(&d->data->binaries, id);

	fputs(info_kind_name(b->kind), d->out);
	fputc(' ', d->out);
	clean_print(d->out, b->path);
	if (b->inode)
		fprintf(d->out, " dev %u:%u inode %" PRIu64 ".%" PRIu64, b->dev_major, b->dev_minor,
			b->inode, b->inode_generation);
	if (b->pid)
		fprintf(d->out, " pid %u", b->pid);
	if (b->build_id_len) {
		fputs(" build-id ", d->out);
		clean_hex(d->out, b->build_id, b->build_id_len);
	}
	fputs(b->deleted ? " deleted\n" : "\n", d->out);
}

/* "@web1", of a merge. */
static void dumpline_origin(const struct dumpline *d, uint32_t origin)
{
	if (d->data->meta.origins.n < 2)
		return;
	fputc('@', d->out);
	if (origin < d->data->meta.origins.n)
		clean_print(d->out, d->data->meta.origins.v[origin]);
	else
		fprintf(d->out, "%u", origin);
}

void dumpline_thread(const struct dumpline *d, uint32_t id)
{
	const struct thread_entry *t = threads_get(&d->data->threads, id);

	clean_print(d->out, t->process_comm);
	fprintf(d->out, " %u/", t->pid);
	clean_print(d->out, t->comm);
	fprintf(d->out, " %u", t->tid);
	if (t->incarnation)
		fprintf(d->out, " #%u", t->incarnation + 1);
	dumpline_origin(d, t->origin);
}

static void dumpline_cpu(const struct dumpline *d, uint32_t cpu)
{
	if (cpu == UINT32_MAX)
		fputs("cpu ?", d->out);
	else
		fprintf(d->out, "cpu %u", cpu);
}

void dumpline_event(const struct dumpline *d, const struct proc_event *e)
{
	fprintf(d->out, "%" PRIu64 " %u/%u", e->time_ns, e->pid, e->tid);
	dumpline_origin(d, e->origin);
	fputc(' ', d->out);
	switch (e->kind) {
	case PROC_MMAP:
		fprintf(d->out, "mmap %" PRIx64 "-%" PRIx64 " @%" PRIx64 " ", e->start,
			e->start + e->len, e->pgoff);
		dumpline_binary(d, e->binary);
		return;
	case PROC_COMM:
		fputs(e->exec ? "exec " : "comm ", d->out);
		clean_print(d->out, e->comm ? e->comm : "");
		fputc('\n', d->out);
		return;
	case PROC_FORK:
		fprintf(d->out, "fork of %u\n", e->ppid);
		return;
	case PROC_EXIT:
		fputs("exit\n", d->out);
		return;
	case PROC_LOST:
		fprintf(d->out, "lost %" PRIu64 "\n", e->lost);
		return;
	case PROC_STACK:
		fprintf(d->out,
			"stack ip %" PRIx64 " chain %" PRIu32 " copy %" PRIu64 " of %" PRIu64 "\n",
			e->stack->ip, e->stack->n_chain, e->stack->stack_len,
			e->stack->stack_asked);
		return;
	}
}

void dumpline_sample(const struct dumpline *d, const struct sample *s, bool stack)
{
	const struct event_desc *e = &d->data->events.v[s->event];

	fprintf(d->out, "%" PRIu64 " ", s->time_ns);
	dumpline_thread(d, s->thread);
	fputc(' ', d->out);
	dumpline_cpu(d, s->cpu);
	fputc(' ', d->out);
	clean_print(d->out, e->name);
	fprintf(d->out, " %" PRIu64 " ", s->period);
	if (stack)
		dumpline_stack(d, s->node);
	else
		fprintf(d->out, "node %u", s->node);
	fputc('\n', d->out);
}

void dumpline_lines(const struct dumpline *d, const struct name_entry *e)
{
	const struct names *names = &d->data->names;

	for (uint16_t i = 0; i < e->n; i++) {
		const struct name_line *l = &names->lines.v[e->first + i];

		fputs(i ? " < " : "", d->out);
		clean_print(d->out, intern_str(&names->strings, l->function));
		if (!l->file)
			continue;
		fputs(" (", d->out);
		clean_print(d->out, intern_str(&names->strings, l->file));
		fprintf(d->out, ":%u)", l->line);
	}
	fputs(e->flags & NAME_FOUND ? "" : " [no symbol]", d->out);
	fputs(e->flags & NAME_START ? " [start code]\n" : "\n", d->out);
}
