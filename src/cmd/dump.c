/* In: a source of samples. Out: lines of text, one stage's. */
#include "cmd/dump.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/clean.h"
#include "cmd/dumpline.h"
#include "output/output.h"
#include "recording/reader.h"
#include "symbol/symbolizer.h"

struct stack_count {
	uint32_t event, node;
	uint64_t samples;
};

struct dump {
	struct dumpline line;
	struct dataset *data;
	FILE *out;
	struct table table; /* stacks */
	VEC(struct stack_count) stacks;
	size_t n_binaries, n_threads, n_nodes, n_names,
		n_changed; /* of the tables: written so far */
};

/* What the tables have that was not written yet. */
static void put_definitions(struct dump *d)
{
	for (; d->n_binaries < d->data->binaries.v.n; d->n_binaries++) {
		fprintf(d->out, "  binary %zu ", d->n_binaries);
		dumpline_binary(&d->line, (uint32_t)d->n_binaries);
	}
	for (; d->n_threads < d->data->threads.v.n; d->n_threads++) {
		fprintf(d->out, "  thread %zu ", d->n_threads);
		dumpline_thread(&d->line, (uint32_t)d->n_threads);
		fputc('\n', d->out);
	}
	for (; d->n_nodes < d->data->tree.frames.n; d->n_nodes++) {
		const struct frame *f = frametree_get(&d->data->tree, (uint32_t)d->n_nodes);

		fprintf(d->out, "  node %zu parent %u %s ", d->n_nodes, f->parent,
			dumpline_kind(f));
		dumpline_frame(&d->line, f);
		fputc('\n', d->out);
	}
}

static void put_names(struct dump *d)
{
	for (; d->n_names < d->data->names.entries.n; d->n_names++) {
		const struct name_entry *e = &d->data->names.entries.v[d->n_names];

		fputs("  name ", d->out);
		dumpline_place(&d->line, e->binary, e->off);
		fputc(' ', d->out);
		dumpline_lines(&d->line, e);
	}
}

static void put_changes(struct dump *d)
{
	const struct codetimes *c = &d->data->codetimes;

	for (; d->n_changed < c->entries.n; d->n_changed++) {
		const struct codetimes_entry *e = &c->entries.v[d->n_changed];

		for (uint32_t i = 0; i < e->n; i++) {
			const struct codetime *t = &c->times.v[e->first + i];

			fputs("  code ", d->out);
			dumpline_place(&d->line, e->binary, e->off);
			fprintf(d->out, " of binary %u from %" PRIu64 "\n", t->binary, t->from_ns);
		}
	}
}

/* Comes before the block is applied: what is new in the tables is of the block before. */
static void on_block(void *ctx, const struct reader_block *b)
{
	struct dump *d = ctx;

	put_definitions(d);
	put_names(d);
	fprintf(d->out, "block at %" PRIu64 ": %s%s, %s, %u bytes in %u\n", b->offset, b->kind,
		b->restart ? ", new dictionary" : "", b->codec, b->raw_len, b->stored_len);
}

/* Events and samples in their order. */
static void put_batch(struct dump *d, const struct batch *b)
{
	size_t e = 0;

	for (size_t i = 0; i <= b->n_samples; i++) {
		for (; e < b->n_events && b->events[e].samples_before <= i; e++) {
			fputs("  ", d->out);
			dumpline_event(&d->line, &b->events[e]);
		}
		if (i == b->n_samples)
			return;
		fputs("  sample ", d->out);
		dumpline_sample(&d->line, &b->samples[i], false);
	}
}

typedef void batch_fn(struct dump *d, const struct batch *b);

static struct err *each_batch(struct dump *d, struct source *src, batch_fn *fn)
{
	for (;;) {
		struct batch b;

		TRY(src->next(src, &b));
		if (!b.n_samples && !b.n_events)
			return NULL;
		fn(d, &b);
	}
}

static void records_batch(struct dump *d, const struct batch *b)
{
	put_definitions(d);
	put_batch(d, b);
}

static struct err *dump_records(struct dump *d, struct source *src)
{
	const struct totals *t = &d->data->totals;

	reader_on_block(src, on_block, d);
	TRY(each_batch(d, src, records_batch));
	put_definitions(d);
	put_names(d);
	put_changes(d);
	fprintf(d->out,
		"%s: %" PRIu64 " samples, %" PRIu64 " lost, %" PRIu64 " throttled, %" PRIu64
		" damaged blocks\n",
		t->complete ? "end" : "cut off", t->samples, t->lost, t->throttled,
		t->damaged_blocks);
	return NULL;
}

static void samples_batch(struct dump *d, const struct batch *b)
{
	for (size_t i = 0; i < b->n_samples; i++)
		dumpline_sample(&d->line, &b->samples[i], true);
}

static struct err *dump_samples(struct dump *d, struct source *src)
{
	return each_batch(d, src, samples_batch);
}

static void maps_batch(struct dump *d, const struct batch *b)
{
	for (size_t i = 0; i < b->n_events; i++) {
		const struct proc_event *e = &b->events[i];

		if (e->kind != PROC_LOST && (e->kind != PROC_COMM || e->exec))
			dumpline_event(&d->line, e);
	}
}

static struct err *dump_maps(struct dump *d, struct source *src)
{
	return each_batch(d, src, maps_batch);
}

static int stack_cmp(const void *a, const void *b)
{
	const struct stack_count *x = a, *y = b;

	if (x->event != y->event)
		return x->event > y->event ? 1 : -1;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static void stacks_batch(struct dump *d, const struct batch *b)
{
	for (size_t i = 0; i < b->n_samples; i++) {
		const struct sample *s = &b->samples[i];
		uint64_t hash = hash_u64((uint64_t)s->event << 32 | s->node);
		struct stack_count *found = NULL;

		for (struct table_probe p = table_probe(&d->table, hash);
		     !found && table_next(&d->table, &p);) {
			struct stack_count *c = &d->stacks.v[p.value];

			found = c->event == s->event && c->node == s->node ? c : NULL;
		}
		if (found) {
			found->samples++;
			continue;
		}
		table_add(&d->table, hash, (uint32_t)d->stacks.n);
		vec_push(&d->stacks, ((struct stack_count){ s->event, s->node, 1 }));
	}
}

static struct err *dump_stacks(struct dump *d, struct source *src)
{
	TRY(each_batch(d, src, stacks_batch));
	vec_sort(&d->stacks, stack_cmp);
	for (size_t i = 0; i < d->stacks.n; i++) {
		const struct stack_count *c = &d->stacks.v[i];

		fprintf(d->out, "%" PRIu64 " ", c->samples);
		clean_print(d->out, d->data->events.v[c->event].name);
		fputc(' ', d->out);
		dumpline_stack(&d->line, c->node);
		fputc('\n', d->out);
	}
	return NULL;
}

struct place_of {
	const char *path;
	uint32_t binary;
	uint64_t key;
};

static int place_cmp(const void *a, const void *b)
{
	const struct place_of *x = a, *y = b;
	int paths = strcmp(x->path, y->path);

	if (paths)
		return paths;
	if (x->binary != y->binary)
		return x->binary > y->binary ? 1 : -1;
	return (x->key > y->key) - (x->key < y->key);
}

/* Distinct places, once each, by path and offset. */
static void put_places(struct dump *d)
{
	size_t n = d->data->tree.frames.n;
	_cleanup_free_ struct place_of *places = xcalloc(n, sizeof(*places));
	size_t n_places = 0;

	for (uint32_t i = 1; i < n; i++) {
		const struct frame *f = frametree_get(&d->data->tree, i);

		if (f->kind != FRAME_CUT)
			places[n_places++] = (struct place_of){
				binaries_get(&d->data->binaries, f->binary)->path,
				f->binary,
				names_key(f),
			};
	}
	qsort(places, n_places, sizeof(*places), place_cmp);
	for (size_t i = 0; i < n_places; i++) {
		const struct place_of *p = &places[i];
		const struct name_entry *e = names_find(&d->data->names, p->binary, p->key);

		if (i && !place_cmp(p - 1, p))
			continue;
		dumpline_place(&d->line, p->binary, p->key);
		fputc(' ', d->out);
		if (e)
			dumpline_lines(&d->line, e);
		else
			fputs("[no name]\n", d->out);
	}
}

static void nothing(struct dump *d, const struct batch *b)
{
	(void)d, (void)b;
}

static struct err *dump_frames(struct dump *d, struct source *src)
{
	TRY(each_batch(d, src, nothing));
	CLEANUP(symbolizer_destroy)
	struct symbolizer *symbols = symbolizer_create(d->data, NULL);

	TRY(symbolizer_run(symbols));
	put_places(d);
	return NULL;
}

static const struct {
	const char *name;
	struct err *(*write)(struct dump *d, struct source *src);
} stages[] = {
	{ "records", dump_records }, { "samples", dump_samples }, { "maps", dump_maps },
	{ "stacks", dump_stacks },   { "frames", dump_frames },
};

enum { N_STAGES = sizeof(stages) / sizeof(stages[0]) };

static size_t find_stage(const char *stage)
{
	size_t i = 0;

	while (i < N_STAGES && strcmp(stages[i].name, stage) != 0)
		i++;
	return i;
}

bool dump_stage(const char *stage)
{
	return find_stage(stage) < N_STAGES;
}

struct err *dump_write(struct source *src, const char *stage, FILE *out)
{
	struct dump d = {
		.line = { out, src->data },
		.data = src->data,
		.out = out,
		.n_binaries = BINARY_KERNEL + 1, /* those before are in every table */
		.n_nodes = 1,
	};
	size_t i = find_stage(stage);

	if (i == N_STAGES)
		return err_new("there is no stage '%s' to dump: records, samples, maps, stacks or "
			       "frames",
			       stage);
	struct err *err = stages[i].write(&d, src);

	table_deinit(&d.table);
	vec_deinit(&d.stacks);
	return err ? err : output_finish(out, "dump");
}

struct err *dump_counts(struct source *src, FILE *out)
{
	struct batch batch;

	do
		TRY(src->next(src, &batch));
	while (batch.n_samples || batch.n_events);
	for (size_t i = 0; i < src->data->records.n; i++)
		fprintf(out, "%s %llu\n", src->data->records.v[i].name,
			(unsigned long long)src->data->records.v[i].n);
	return output_finish(out, "dump");
}
