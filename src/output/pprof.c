/* In: the call tree and its samples. Out: a gzipped profile.proto. */
#include "output/pprof.h"

#include <errno.h>

#include "base/codec.h"
#include "output/pprof_tables.h"
#include "output/protobuf.h"

/* Field numbers of profile.proto's message Profile; the tables have their own. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14,
};

struct pprof {
	const struct calltree *tree;
	struct pprof_tables tables;
	struct buf b, sub, nested; /* the profile; scratch */
	struct path path;
};

static void value_type(struct pprof *p, uint32_t field, const char *type, const char *unit)
{
	protobuf_u64(&p->sub, 1, pprof_string(&p->tables, type));
	protobuf_u64(&p->sub, 2, pprof_string(&p->tables, unit));
	protobuf_sub(&p->b, field, &p->sub);
}

static const char *unit_of(const struct event_desc *e)
{
	return !strcmp(e->unit, "ns") ? "nanoseconds" : "count";
}

static void put_types(struct pprof *p)
{
	const struct profile *profile = p->tree->profile;
	const struct event_desc *ours = profile_event(profile);

	for (size_t i = 0; i < profile->data->events.n; i++) {
		const struct event_desc *e = &profile->data->events.v[i];
		_cleanup_free_ char *samples = xasprintf("%s_sample", e->name);
		_cleanup_free_ char *events = xasprintf("%s_event", e->name);

		value_type(p, PROFILE_SAMPLE_TYPE, samples, "count");
		value_type(p, PROFILE_SAMPLE_TYPE, events, unit_of(e));
		if (e == ours)
			protobuf_u64(&p->b, PROFILE_DEFAULT_SAMPLE_TYPE,
				     pprof_string(&p->tables,
						  profile->by_period ? events : samples));
	}
	if (!ours)
		return;
	value_type(p, PROFILE_PERIOD_TYPE, ours->name, unit_of(ours));
	uint64_t from_rate = !strcmp(ours->unit, "ns") && ours->rate ? 1000000000 / ours->rate : 0;

	protobuf_u64(&p->b, PROFILE_PERIOD, ours->is_freq ? from_rate : ours->rate);
}

/* Label 1 key 2 str 3 num. */
static void put_label(struct pprof *p, const char *key, const char *str, uint64_t num)
{
	protobuf_u64(&p->nested, 1, pprof_string(&p->tables, key));
	if (str)
		protobuf_u64(&p->nested, 2, pprof_string(&p->tables, str));
	protobuf_u64(&p->nested, 3, num);
	protobuf_sub(&p->sub, 3, &p->nested);
}

static void put_location_ids(struct pprof *p)
{
	const struct calltree *t = p->tree;
	const struct path_frame *v = p->path.v.v;

	for (uint32_t i = 0, from = 0; i < p->path.v.n; i++) {
		bool inlined = t->funcs.v[t->nodes.v[v[i].node].func].inlined;

		if (inlined && i + 1 < p->path.v.n)
			continue;
		buf_uleb(&p->nested, pprof_location(&p->tables, v + from, i + 1 - from));
		from = i + 1;
	}
}

/* Sample 1 location_id (innermost first) 2 value 3 label. */
static void put_sample(struct pprof *p, const struct sample_run *run)
{
	const struct dataset *d = p->tree->profile->data;
	const struct thread_entry *t = threads_get(&d->threads, run->thread);

	path_get(&p->path, p->tree, run->stack);
	put_location_ids(p);
	protobuf_sub(&p->sub, 1, &p->nested);
	for (uint32_t i = 0; i < d->events.n; i++) {
		buf_uleb(&p->nested, i == run->event ? run->samples : 0);
		buf_uleb(&p->nested, i == run->event ? run->period : 0);
	}
	protobuf_sub(&p->sub, 2, &p->nested);
	put_label(p, "pid", NULL, t->pid);
	put_label(p, "tid", NULL, t->tid);
	put_label(p, "comm", t->process_comm, 0);
	put_label(p, "thread", t->comm, 0);
	if (d->meta.origins.n > 1 && t->origin < d->meta.origins.n)
		put_label(p, "origin", d->meta.origins.v[t->origin], 0);
	protobuf_sub(&p->b, PROFILE_SAMPLE, &p->sub);
}

static void put_all(struct pprof *p)
{
	const struct profile *profile = p->tree->profile;
	_cleanup_free_ char *about = output_subtitle(p->tree);
	struct sample_runs runs;

	put_types(p);
	sample_runs_init(&runs, p->tree, true);
	for (size_t i = 0; i < runs.v.n; i++)
		put_sample(p, &runs.v.v[i]);
	sample_runs_deinit(&runs);
	protobuf_u64(&p->b, PROFILE_TIME_NANOS, profile->data->meta.wall_start_ns);
	protobuf_u64(&p->b, PROFILE_DURATION_NANOS, output_duration_ns(profile));
	protobuf_u64(&p->b, PROFILE_COMMENT, pprof_string(&p->tables, about));
	pprof_tables_put(&p->tables, &p->b);
}

static struct err *pprof_write(const struct output_context *ctx, FILE *out)
{
	struct pprof p = { .tree = ctx->tree };
	struct buf packed = { 0 };

	pprof_tables_init(&p.tables, ctx->tree);
	put_all(&p);
	struct err *err = codec_gzip(&p.b, &packed);

	if (!err && fwrite(packed.data, 1, packed.len, out) != packed.len)
		err = err_sys(errno, "cannot write pprof output");
	buf_deinit(&packed);
	buf_deinit(&p.b);
	buf_deinit(&p.sub);
	buf_deinit(&p.nested);
	path_deinit(&p.path);
	pprof_tables_deinit(&p.tables);
	return err ?: output_finish(out, "pprof");
}

const struct output pprof_output = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.what = "for `go tool pprof` and profile stores",
	.needs_samples = true,
	.needs_lines = true,
	.write = pprof_write,
};
