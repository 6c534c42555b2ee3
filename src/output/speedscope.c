/* In: the call tree and its samples. Out: speedscope's JSON. */
#include "output/speedscope.h"

#include "config.h"
#include "output/jsonwriter.h"
#include "output/samples.h"

struct speedscope {
	const struct calltree *tree;
	struct json j;
	VEC(uint32_t) path; /* scratch */
};

/* A frame is a function: with lines of its own each call of it would be another one, as the viewer
 * takes line for where a function begins. */
static void put_frames(struct speedscope *s)
{
	const struct calltree *t = s->tree;
	_cleanup_free_ uint32_t *place_of = xcalloc(t->funcs.n, sizeof(*place_of));
	struct json *j = &s->j;

	for (size_t i = t->nodes.n; i-- > 0;)
		if (t->nodes.v[i].place)
			place_of[t->nodes.v[i].func] = t->nodes.v[i].place;
	json_key_open(j, "frames", '[');
	for (size_t i = 0; i < t->funcs.n; i++) {
		json_line(j);
		json_open(j, '{');
		json_key_str(j, "name", t->funcs.v[i].name);
		if (place_of[i])
			json_key_str(j, "file", t->places.v[place_of[i]].file);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* From the root in. A thread's own profile needs no frame that names its group. */
static void put_stack(struct speedscope *s, uint32_t leaf, bool groups)
{
	const struct calltree *t = s->tree;

	s->path.n = 0;
	for (uint32_t i = leaf; i; i = t->nodes.v[i].parent)
		if (groups || t->funcs.v[t->nodes.v[i].func].origin != ORIGIN_GROUP)
			vec_push(&s->path, t->nodes.v[i].func);
	json_open(&s->j, '[');
	for (size_t i = s->path.n; i-- > 0;)
		json_u64(&s->j, s->path.v[i]);
	json_close(&s->j, ']');
}

static void open_profile(struct speedscope *s, const char *name, uint64_t total)
{
	const struct event_desc *e = profile_event(s->tree->profile);
	bool is_ns = s->tree->profile->by_period && e && !strcmp(e->unit, "ns");

	json_line(&s->j);
	json_open(&s->j, '{');
	json_key_str(&s->j, "type", "sampled");
	json_key_str(&s->j, "name", name);
	json_key_str(&s->j, "unit", is_ns ? "nanoseconds" : "none");
	json_key_u64(&s->j, "startValue", 0);
	json_key_u64(&s->j, "endValue", total);
}

static void put_merged(struct speedscope *s)
{
	const struct callnode *nodes = s->tree->nodes.v;
	const struct event_desc *e = profile_event(s->tree->profile);
	_cleanup_free_ char *name = xasprintf("all threads, %s", e ? e->name : "no event");

	open_profile(s, name, nodes[0].total);
	json_key_open(&s->j, "samples", '[');
	for (uint32_t i = 0; i < s->tree->nodes.n; i++)
		if (nodes[i].self)
			put_stack(s, i, true);
	json_close(&s->j, ']');
	json_line(&s->j);
	json_key_open(&s->j, "weights", '[');
	for (uint32_t i = 0; i < s->tree->nodes.n; i++)
		if (nodes[i].self)
			json_u64(&s->j, nodes[i].self);
	json_close(&s->j, ']');
	json_close(&s->j, '}');
}

static void put_thread(struct speedscope *s, const uint32_t *order, size_t n)
{
	const struct profile *p = s->tree->profile;
	const struct thread_entry *t = threads_get(&p->data->threads, p->kept.v[*order].thread);
	const struct meta *m = &p->data->meta;
	bool merged = m->origins.n > 1 && t->origin < m->origins.n;
	_cleanup_free_ char *name =
		xasprintf("%s (%u/%u)%s%s", t->comm, t->pid, t->tid, merged ? "@" : "",
			  merged ? m->origins.v[t->origin] : "");
	uint64_t total = 0;

	for (size_t i = 0; i < n; i++)
		total += sample_weight(p, &p->kept.v[order[i]]);
	open_profile(s, name, total);
	json_key_open(&s->j, "samples", '[');
	for (size_t i = 0; i < n; i++)
		put_stack(s, s->tree->leaves.v[p->kept.v[order[i]].stack], false);
	json_close(&s->j, ']');
	json_line(&s->j);
	json_key_open(&s->j, "weights", '[');
	for (size_t i = 0; i < n; i++)
		json_u64(&s->j, sample_weight(p, &p->kept.v[order[i]]));
	json_close(&s->j, ']');
	json_close(&s->j, '}');
}

static void put_threads(struct speedscope *s)
{
	const struct kept_sample *kept = s->tree->profile->kept.v;
	size_t n, from = 0;
	_cleanup_free_ uint32_t *order = samples_by_thread(s->tree, &n);

	for (size_t i = 1; i <= n; i++) {
		if (i < n && kept[order[i]].thread == kept[order[from]].thread)
			continue;
		put_thread(s, order + from, i - from);
		from = i;
	}
}

static struct err *speedscope_write(const struct output_context *ctx, FILE *out)
{
	struct speedscope s = { .tree = ctx->tree };
	_cleanup_free_ char *own = ctx->title ? NULL : output_subtitle(ctx->tree);

	json_begin(&s.j, out);
	json_open(&s.j, '{');
	json_key_str(&s.j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_key_str(&s.j, "exporter", PACKAGE_NAME " " PACKAGE_VERSION);
	json_key_str(&s.j, "name", ctx->title ?: own);
	json_key_u64(&s.j, "activeProfileIndex", 0);
	json_key_open(&s.j, "shared", '{');
	put_frames(&s);
	json_close(&s.j, '}');
	json_key_open(&s.j, "profiles", '[');
	put_merged(&s);
	put_threads(&s);
	json_close(&s.j, ']');
	json_close(&s.j, '}');
	json_end(&s.j);
	vec_deinit(&s.path);
	return output_finish(out, "speedscope");
}

const struct output speedscope_output = {
	.name = "speedscope",
	.suffix = ".speedscope.json",
	.what = "for speedscope.app: all threads, and each by time",
	.needs_samples = true,
	.needs_lines = true,
	.write = speedscope_write,
};
