/* In: a call tree, and the samples it was made from. Out: JSON and columns, as doc/html-data.md
 * says. */
#include "output/html_data.h"

#include <string.h>

#include "output/html/pagecode.h"
#include "output/html/pagecolumns.h"
#include "output/html/pagejson.h"
#include "output/html/pagesamples.h"
#include "output/html/pagetree.h"

struct page {
	const struct output_context *ctx;
	const struct html_options *opt;
	const struct profile *profile;
	const struct calltree *tree; /* what the page was asked to show */
	struct pagetree pages;
	struct pagesamples samples;
	struct pagecode code;
	bool has_samples;
	struct buf json;
	struct pagecolumns columns;
};

static const char *const kinds[] = { "unknown", "kernel", "file", "vdso", "anon", "text" };

/* Then threads must say which input they are from. */
static bool is_merge(const struct page *p)
{
	return p->profile->data->meta.origins.n > 1;
}

static void put_meta(struct page *p)
{
	const struct meta *m = &p->profile->data->meta;
	struct buf *j = &p->json;

	pagejson_member_u64(j, "version", 1);
	if (p->ctx->title)
		pagejson_member_str(j, "title", p->ctx->title);
	if (p->ctx->subtitle)
		pagejson_member_str(j, "subtitle", p->ctx->subtitle);
	pagejson_member_str(j, "host", m->host);
	pagejson_member_str(j, "os", m->os_release);
	pagejson_member_str(j, "machine", m->machine);
	pagejson_member_str(j, "cmdline", m->cmdline);
	pagejson_member_str(j, "callgraph", m->callgraph);
	pagejson_member_u64(j, "cpus", m->n_cpus);
	pagejson_member_u64(j, "wall_start_ms", m->wall_start_ns / 1000000);
	pagejson_member_u64(j, "duration_ns", output_duration_ns(p->profile));
	pagejson_member_u64(j, "tick_ns", PAGE_TICK_NS);
	static const char *const groups[] = {
		[GROUP_COMM] = "comm", [GROUP_PID] = "pid",   [GROUP_TID] = "tid",
		[GROUP_CPU] = "cpu",   [GROUP_NONE] = "none", [GROUP_ORIGIN] = "origin",
	};
	bool one = p->opt->by == GROUP_ORIGIN && !is_merge(p);

	pagejson_member_str(j, "by", groups[one ? GROUP_NONE : p->opt->by]);
	pagejson_member_bool(j, "reverse", p->tree->reversed);
	pagejson_member_u64(j, "event", p->profile->event);
	pagejson_member_bool(j, "samples", p->has_samples);
}

static void put_events(struct page *p)
{
	const struct dataset *d = p->profile->data;
	struct buf *j = &p->json;

	pagejson_raw(j, "\"events\":[");
	for (uint32_t i = 0; i < d->events.n; i++) {
		const struct event_desc *e = &d->events.v[i];

		buf_u8(j, '{');
		pagejson_member_str(j, "name", e->name);
		pagejson_member_str(j, "unit", e->unit);
		pagejson_member_bool(j, "clock", e->is_clock);
		pagejson_member_bool(j, "freq", e->is_freq);
		pagejson_member_u64(j, "rate", e->rate);
		pagejson_member_u64(j, "interval_ns", e->interval_ns);
		pagejson_member_bool(j, "by_period", pagesamples_by_period(p->profile, i));
		pagejson_close(j, '}');
		buf_u8(j, ',');
	}
	pagejson_close(j, ']');
	buf_u8(j, ',');
}

static void put_totals(struct page *p)
{
	const struct totals *t = &p->profile->data->totals;
	struct buf *j = &p->json;

	pagejson_raw(j, "\"totals\":{");
	pagejson_member_bool(j, "complete", t->complete);
	pagejson_member_u64(j, "samples", t->samples);
	pagejson_member_u64(j, "lost", t->lost);
	pagejson_member_u64(j, "lost_sideband", t->lost_sideband);
	pagejson_member_u64(j, "throttled", t->throttled);
	pagejson_member_u64(j, "recorder_cpu_ns", t->recorder_cpu_ns);
	pagejson_member_u64(j, "lost_in_file", t->lost_in_file);
	pagejson_member_u64(j, "damaged_blocks", t->damaged_blocks);
	pagejson_member_u64(j, "filtered", p->profile->filtered + p->tree->unmatched_samples);
	pagejson_close(j, '}');
	pagejson_raw(j, ",\"verdicts\":[");
	for (int v = 0; v < N_VERDICTS; v++) {
		buf_u8(j, '[');
		pagejson_str(j, verdict_name((enum verdict)v));
		buf_u8(j, ',');
		pagejson_u64(j, p->tree->verdicts[v]);
		pagejson_raw(j, "],");
	}
	pagejson_close(j, ']');
	pagejson_raw(j, ",\"cuts\":[");
	for (size_t i = 0; i < p->tree->cuts.n; i++) {
		const struct cut_binary *c = &p->tree->cuts.v[i];

		output_printf(j, "[%u,%d,", c->binary, (int)c->verdict);
		pagejson_u64(j, c->samples);
		pagejson_raw(j, "],");
	}
	pagejson_close(j, ']');
	buf_u8(j, ',');
}

static void put_binaries(struct page *p)
{
	const struct binaries *b = &p->profile->data->binaries;
	struct buf *j = &p->json;

	pagejson_raw(j, "\"binaries\":[");
	for (uint32_t i = 0; i < b->v.n; i++) {
		const struct binary *x = binaries_get(b, i);

		buf_u8(j, '[');
		pagejson_str(j, binary_name(x));
		buf_u8(j, ',');
		pagejson_str(j, x->path);
		buf_u8(j, ',');
		pagejson_str(j, kinds[x->kind]);
		pagejson_raw(j, "],");
	}
	pagejson_close(j, ']');
	buf_u8(j, ',');
}

static void put_threads(struct page *p)
{
	struct buf *j = &p->json;

	pagejson_raw(j, "\"threads\":[");
	for (size_t i = 0; i < p->samples.threads.n; i++) {
		const struct thread_entry *t =
			threads_get(&p->profile->data->threads, p->samples.threads.v[i]);

		output_printf(j, "[%u,%u,%u,", t->pid, t->tid, t->incarnation);
		pagejson_str(j, t->comm);
		buf_u8(j, ',');
		pagejson_str(j, t->process_comm);
		if (is_merge(p))
			output_printf(j, ",%u", t->origin);
		pagejson_raw(j, "],");
	}
	pagejson_close(j, ']');
	buf_u8(j, ',');
}

static void put_origins(struct page *p)
{
	const struct meta *m = &p->profile->data->meta;
	struct buf *j = &p->json;

	pagejson_raw(j, "\"origins\":[");
	for (size_t i = 0; i < m->origins.n; i++) {
		pagejson_str(j, m->origins.v[i]);
		buf_u8(j, ',');
	}
	pagejson_close(j, ']');
	buf_u8(j, ',');
}

static void put_notes(struct page *p)
{
	const struct diag *d = p->opt->notes;
	struct buf *j = &p->json;

	pagejson_raw(j, "\"notes\":[");
	for (size_t i = 0; d && i < d->entries.n; i++) {
		const struct diag_entry *e = &d->entries.v[i];

		output_printf(j, "[%d,", (int)e->level);
		pagejson_str(j, e->cause);
		buf_u8(j, ',');
		pagejson_str(j, e->text);
		pagejson_raw(j, "],");
	}
	pagejson_close(j, ']');
	buf_u8(j, ',');
}

/* Flags of a function: its origin, and two bits. */
enum { FUNC_INLINED = 8, FUNC_NAMED = 16 };

static void put_funcs(struct page *p)
{
	const struct calltree *t = p->pages.tree;
	struct buf *j = &p->json;

	pagejson_raw(j, "\"funcs\":[");
	for (size_t i = 0; i < t->funcs.n; i++) {
		pagejson_str(j, t->funcs.v[p->pages.funcs[i]].name);
		buf_u8(j, ',');
	}
	pagejson_close(j, ']');
	buf_u8(j, ',');
	struct column *c = pagecolumns_begin(&p->columns, "func.binary", 'u');

	for (size_t i = 0; i < t->funcs.n; i++)
		column_put(c, t->funcs.v[p->pages.funcs[i]].binary);
	c = pagecolumns_begin(&p->columns, "func.flags", 'u');
	for (size_t i = 0; i < t->funcs.n; i++) {
		const struct func *f = &t->funcs.v[p->pages.funcs[i]];

		column_put(c, (uint64_t)f->origin | (f->inlined ? FUNC_INLINED : 0) |
				      (f->named ? FUNC_NAMED : 0));
	}
}

static bool read_source(const struct page *p, const char *path, struct buf *ret)
{
	_cleanup_free_ char *found = sourcefile_find(p->ctx->sources, path);

	return found && sourcefile_read(found, ret);
}

/* Files in order of their first place; ["path"] or ["path","text"]. */
static void put_files(struct page *p)
{
	const struct calltree *t = p->pages.tree;
	struct buf *j = &p->json, text = { 0 };
	struct intern files;
	size_t embedded = 0;

	intern_init(&files);
	struct column *file = pagecolumns_begin(&p->columns, "place.file", 'd');

	for (size_t i = 0; i < t->places.n; i++)
		column_put(file, intern_add(&files, t->places.v[i].file));
	struct column *line = pagecolumns_begin(&p->columns, "place.line", 'd');

	for (size_t i = 0; i < t->places.n; i++)
		column_put(line, t->places.v[i].line);
	pagejson_raw(j, "\"files\":[");
	for (uint32_t i = 0; i < files.strings.n; i++) {
		const char *path = intern_str(&files, i);

		buf_u8(j, '[');
		pagejson_str(j, path);
		text.len = 0;
		if (p->opt->embed_source && embedded < SOURCE_ALL_MAX &&
		    read_source(p, path, &text)) {
			buf_u8(j, ',');
			pagejson_text(j, (const char *)text.data, text.len);
			embedded += text.len;
		}
		pagejson_raw(j, "],");
	}
	pagejson_close(j, ']');
	buf_u8(j, ',');
	intern_deinit(&files);
	buf_deinit(&text);
}

/* Weights by callnode → by node of the page. */
static void put_weights(struct page *p, const char *name, const uint64_t *by_callnode)
{
	size_t n = p->pages.tree->nodes.n;
	_cleanup_free_ uint64_t *sum = xcalloc(n, sizeof(*sum));

	for (size_t i = 0; i < p->tree->nodes.n; i++)
		if (by_callnode[i])
			sum[p->pages.number[i]] += by_callnode[i];
	struct column *c = pagecolumns_begin(&p->columns, name, 'u');

	for (size_t i = 0; i < n; i++)
		column_put(c, sum[i]);
}

static void put_nodes(struct page *p)
{
	const struct pagetree *t = &p->pages;
	const struct callnode *nodes = t->tree->nodes.v;
	size_t n = t->tree->nodes.n;
	struct column *c = pagecolumns_begin(&p->columns, "node.depth", 'd');

	for (size_t i = 0; i < n; i++)
		column_put(c, t->depth[i]);
	c = pagecolumns_begin(&p->columns, "node.func", 'u');
	for (size_t i = 0; i < n; i++)
		column_put(c, t->rank[nodes[t->order[i]].func]);
	if (t->tree->places.n > 1) {
		c = pagecolumns_begin(&p->columns, "node.place", 'u');
		for (size_t i = 0; i < n; i++)
			column_put(c, nodes[t->order[i]].place);
	}
	const struct html_diff *d = p->opt->diff;

	if (d && d->self_a) {
		put_weights(p, "node.self", d->self_a);
		put_weights(p, "node.samples", d->samples_a ? d->samples_a : d->self_a);
	}
	if (p->has_samples || (d && d->self_a))
		return;
	c = pagecolumns_begin(&p->columns, "node.self", 'u');
	for (size_t i = 0; i < n; i++)
		column_put(c, nodes[t->order[i]].self);
	c = pagecolumns_begin(&p->columns, "node.samples", 'u');
	for (size_t i = 0; i < n; i++)
		column_put(c, nodes[t->order[i]].self_samples);
}

static void put_diff(struct page *p)
{
	const struct html_diff *d = p->opt->diff;
	struct buf *j = &p->json;

	if (!d)
		return;
	pagejson_raw(j, "\"diff\":{");
	pagejson_member_str(j, "a", d->name_a);
	pagejson_member_str(j, "b", d->name_b);
	pagejson_close(j, '}');
	buf_u8(j, ',');
	put_weights(p, "node.self_b", d->self_b);
	put_weights(p, "node.samples_b", d->samples_b ? d->samples_b : d->self_b);
	if (!d->significant)
		return;
	/* Functions of the page's tree were made anew: equal ones have equal numbers again. */
	_cleanup_free_ uint8_t *flags = xcalloc(p->pages.tree->funcs.n, 1);

	for (size_t i = 0; i < p->tree->funcs.n; i++)
		if (d->significant[i] && p->tree->funcs.v[i].origin != ORIGIN_GROUP)
			flags[p->pages.rank[calltree_func(p->pages.tree, &p->tree->funcs.v[i])]] =
				1;
	struct column *c = pagecolumns_begin(&p->columns, "func.significant", 'u');

	for (size_t i = 0; i < p->pages.tree->funcs.n; i++)
		column_put(c, flags[i]);
}

static void put_all(struct page *p)
{
	buf_u8(&p->json, '{');
	put_meta(p);
	put_events(p);
	put_totals(p);
	put_binaries(p);
	if (p->has_samples)
		put_threads(p);
	if (p->has_samples && is_merge(p))
		put_origins(p);
	put_notes(p);
	put_funcs(p);
	if (p->opt->embed_code)
		pagecode_put(&p->code, p->pages.tree, &p->json, &p->columns);
	put_files(p);
	put_nodes(p);
	put_diff(p);
	if (p->has_samples)
		pagesamples_put(&p->samples, &p->columns);
	if (p->has_samples && p->opt->embed_code)
		pagecode_put_samples(&p->code, &p->samples, &p->columns);
	pagejson_key(&p->json, "columns");
	pagecolumns_list(&p->columns, &p->json);
	buf_u8(&p->json, '}');
}

void html_data_put(const struct output_context *ctx, const struct html_options *opt,
		   struct buf *ret)
{
	const struct calltree *tree = ctx->tree;
	struct page p = { .ctx = ctx, .opt = opt, .profile = tree->profile, .tree = tree };

	p.has_samples = !opt->diff && tree->leaves.n && tree->leaves.n == p.profile->stacks.n &&
			p.profile->kept.n;
	pagetree_init(&p.pages, tree);
	if (p.has_samples)
		pagesamples_init(&p.samples, tree, &p.pages);
	if (opt->embed_code)
		pagecode_init(&p.code, opt->code, opt->embed_code, p.profile);
	put_all(&p);
	buf_u32(ret, (uint32_t)p.json.len);
	buf_bytes(ret, p.json.data, p.json.len);
	pagecolumns_bytes(&p.columns, ret);
	if (p.has_samples)
		pagesamples_deinit(&p.samples);
	pagecode_deinit(&p.code);
	pagetree_deinit(&p.pages);
	pagecolumns_deinit(&p.columns);
	buf_deinit(&p.json);
}
