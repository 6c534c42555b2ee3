/* In: the call tree. Out: JSON for scripts. */
#include "output/json.h"

#include <string.h>

#include "config.h"
#include "profile/functions.h"
#include "profile/stats.h"

struct report {
	const struct calltree *tree;
	struct functions functions;
	uint32_t *order;    /* functions, heaviest first */
	uint32_t *place_of; /* by function: where it stands in that order */
	struct json j;
};

const char *json_kind(enum origin origin)
{
	static const char *const names[] = {
		[ORIGIN_GROUP] = "group",  [ORIGIN_KERNEL] = "kernel",
		[ORIGIN_USER] = "program", [ORIGIN_LIBRARY] = "library",
		[ORIGIN_JIT] = "jit",      [ORIGIN_UNKNOWN] = "unknown",
	};

	return names[origin];
}

void json_weight(struct json *j, uint64_t weight, uint64_t samples, const struct profile *whole)
{
	double share = whole->weight ? (double)weight / (double)whole->weight : 0;
	struct interval i = stats_share_interval(share < 1 ? share : 1, whole->samples);

	json_open(j, '{');
	json_key_u64(j, "weight", weight);
	json_key_u64(j, "samples", samples);
	json_key_double(j, "percent", 100 * share, 4);
	json_key_double(j, "low", 100 * i.low, 4);
	json_key_double(j, "high", 100 * i.high, 4);
	json_close(j, '}');
}

static int heavier(const void *a, const void *b, void *ctx)
{
	const struct function *f = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if (f[i].total != f[k].total)
		return f[i].total > f[k].total ? -1 : 1;
	if (f[i].self != f[k].self)
		return f[i].self > f[k].self ? -1 : 1;
	return (i > k) - (i < k);
}

static void put_callers(struct report *r, uint32_t callee)
{
	const struct functions *f = &r->functions;
	struct json *j = &r->j;

	json_key_open(j, "callers", '[');
	for (uint32_t i = f->v.v[callee].first_caller; i && i <= f->callers.n; i++) {
		const struct caller *c = &f->callers.v[i - 1];

		if (c->callee != callee)
			break;
		json_open(j, '{');
		json_key_u64(j, "function", r->place_of[c->caller]);
		json_key_u64(j, "weight", c->weight);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_function(struct report *r, uint32_t i)
{
	const struct calltree *t = r->tree;
	const struct function *one = &r->functions.v.v[i];
	const struct func *f = &t->funcs.v[one->func];
	struct json *j = &r->j;

	json_line(j);
	json_open(j, '{');
	json_key_str(j, "name", f->name);
	json_key_str(j, "kind", json_kind(f->origin));
	if (one->is_code) {
		const struct binary *b = binaries_get(&t->profile->data->binaries, f->binary);

		json_key_str(j, "binary", *b->path ? b->path : binary_name(b));
		json_key(j, "inlined");
		json_bool(j, one->inlined);
		json_key(j, "total");
		json_weight(j, one->total, one->total_samples, t->profile);
		json_key(j, "self");
		json_weight(j, one->self, one->self_samples, t->profile);
		put_callers(r, i);
	}
	json_close(j, '}');
}

static void put_functions(struct report *r)
{
	size_t n = r->functions.v.n;

	r->order = xcalloc(n + 1, sizeof(*r->order));
	r->place_of = xcalloc(n + 1, sizeof(*r->place_of));
	for (uint32_t i = 0; i < n; i++)
		r->order[i] = i;
	qsort_r(r->order, n, sizeof(*r->order), heavier, r->functions.v.v);
	for (uint32_t i = 0; i < n; i++)
		r->place_of[r->order[i]] = i;
	json_line(&r->j);
	json_key_open(&r->j, "functions", '[');
	for (uint32_t i = 0; i < n; i++)
		put_function(r, r->order[i]);
	json_close(&r->j, ']');
}

static void put_nodes(struct report *r)
{
	struct json *j = &r->j;

	json_line(j);
	json_key_open(j, "nodes", '[');
	for (uint32_t i = 0; i < r->tree->nodes.n; i++) {
		const struct callnode *n = &r->tree->nodes.v[i];

		json_line(j);
		json_open(j, '{');
		json_key(j, "parent");
		if (i)
			json_u64(j, n->parent);
		else
			json_null(j);
		json_key_u64(j, "function", r->place_of[r->functions.of[n->func]]);
		json_key_u64(j, "total", n->total);
		json_key_u64(j, "self", n->self);
		json_key_u64(j, "total_samples", n->total_samples);
		json_key_u64(j, "self_samples", n->self_samples);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_recording(struct report *r)
{
	const struct profile *p = r->tree->profile;
	const struct meta *m = &p->data->meta;
	struct json *j = &r->j;

	json_line(j);
	json_key_open(j, "recording", '{');
	json_key_str(j, "host", m->host);
	json_key_str(j, "os_release", m->os_release);
	json_key_str(j, "machine", m->machine);
	json_key_str(j, "command", m->cmdline);
	json_key_u64(j, "wall_start_ns", m->wall_start_ns);
	json_key_u64(j, "duration_ns", output_duration_ns(p));
	json_key_str(j, "callgraph", m->callgraph);
	json_key_open(j, "fallbacks", '[');
	for (size_t i = 0; i < m->fallbacks.n; i++)
		json_str(j, m->fallbacks.v[i]);
	json_close(j, ']');
	json_close(j, '}');
}

static void put_event(struct report *r)
{
	const struct event_desc *e = profile_event(r->tree->profile);
	struct json *j = &r->j;

	json_line(j);
	json_key(j, "event");
	if (!e) {
		json_null(j);
		return;
	}
	json_open(j, '{');
	json_key_str(j, "name", e->name);
	json_key_str(j, "period_unit", e->unit);
	json_key_u64(j, e->is_freq ? "frequency" : "period", e->rate);
	json_close(j, '}');
}

/* What the numbers do not contain. */
static void put_missing(struct report *r)
{
	const struct profile *p = r->tree->profile;
	const struct totals *t = &p->data->totals;
	struct json *j = &r->j;

	json_line(j);
	json_key_open(j, "missing", '{');
	json_key_u64(j, "lost", t->lost);
	json_key_u64(j, "lost_sideband", t->lost_sideband);
	json_key_u64(j, "throttled", t->throttled);
	json_key_u64(j, "lost_in_file", t->lost_in_file);
	json_key_u64(j, "damaged_blocks", t->damaged_blocks);
	json_key_u64(j, "filtered", p->filtered + r->tree->unmatched_samples);
	json_key_u64(j, "other_events", p->other_events);
	json_close(j, '}');
	json_line(j);
	json_key_open(j, "stacks", '[');
	for (int v = 0; v < N_VERDICTS; v++) {
		if (!r->tree->verdicts[v])
			continue;
		json_open(j, '{');
		json_key_str(j, "ended", verdict_name((enum verdict)v));
		json_key_u64(j, "samples", r->tree->verdicts[v]);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static struct err *json_write(const struct output_context *ctx, FILE *out)
{
	const struct profile *p = ctx->tree->profile;
	struct report r = { .tree = ctx->tree };
	struct json *j = &r.j;

	functions_init(&r.functions, ctx->tree);
	json_begin(j, out);
	json_open(j, '{');
	json_key_str(j, "format", "singe-report");
	json_key_u64(j, "version", 1);
	json_key_str(j, "generator", PACKAGE_NAME " " PACKAGE_VERSION);
	if (ctx->title)
		json_key_str(j, "title", ctx->title);
	put_recording(&r);
	put_event(&r);
	put_missing(&r);
	json_line(j);
	json_key_str(j, "unit", profile_unit(p));
	json_key(j, "total");
	json_weight(j, ctx->tree->nodes.v[0].total, ctx->tree->nodes.v[0].total_samples, p);
	json_key(j, "reversed");
	json_bool(j, ctx->tree->reversed);
	put_functions(&r);
	put_nodes(&r);
	json_close(j, '}');
	json_end(j);
	functions_deinit(&r.functions);
	free(r.order);
	free(r.place_of);
	return output_finish(out, "json");
}

const struct output json_output = {
	.name = "json",
	.suffix = ".json",
	.what = "functions and the call tree for scripts",
	.write = json_write,
};
