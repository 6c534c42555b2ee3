/* In: the call tree and its samples. Out: a Gecko profile as JSON. */
#include "output/firefox.h"

#include "config.h"
#include "output/jsonwriter.h"
#include "output/samples.h"

/* By enum origin; the first must be the grey one. */
static const struct {
	const char *name, *color;
} categories[] = {
	[ORIGIN_GROUP] = { "Other", "grey" },    [ORIGIN_KERNEL] = { "Kernel", "orange" },
	[ORIGIN_USER] = { "Program", "yellow" }, [ORIGIN_LIBRARY] = { "Library", "blue" },
	[ORIGIN_JIT] = { "JIT", "green" },       [ORIGIN_UNKNOWN] = { "Unknown", "darkgrey" },
};

/* A node's place in the tables of the thread under way. */
struct mark {
	uint32_t thread; /* number of the thread + 1 */
	uint32_t index;
};

struct stack_row {
	uint32_t prefix; /* index + 1; 0: none */
	uint32_t frame;
};

struct firefox {
	const struct calltree *tree;
	struct json j;
	uint64_t start_ns;
	uint32_t n_threads;
	struct mark *stack_of;  /* by node */
	uint32_t *frame_like;   /* by node: the first node of equal function and line */
	struct mark *frame_of;  /* by such a node */
	struct mark *string_of; /* by function */
	VEC(struct stack_row) stacks;
	VEC(uint32_t) frames;  /* nodes */
	VEC(uint32_t) strings; /* functions */
	VEC(uint32_t) path;    /* scratch */
};

static void find_frames(struct firefox *f)
{
	const struct callnode *nodes = f->tree->nodes.v;
	struct table table = { 0 };

	for (uint32_t i = 1; i < f->tree->nodes.n; i++) {
		uint64_t hash = hash_pair(nodes[i].func, nodes[i].place);
		struct table_probe p = table_probe(&table, hash);

		f->frame_like[i] = i;
		while (f->frame_like[i] == i && table_next(&table, &p))
			if (nodes[p.value].func == nodes[i].func &&
			    nodes[p.value].place == nodes[i].place)
				f->frame_like[i] = p.value;
		if (f->frame_like[i] == i)
			table_add(&table, hash, i);
	}
	table_deinit(&table);
}

static uint32_t frame_index(struct firefox *f, uint32_t node)
{
	uint32_t func = f->tree->nodes.v[node].func;
	struct mark *m = &f->frame_of[f->frame_like[node]], *s = &f->string_of[func];

	if (m->thread == f->n_threads)
		return m->index;
	*m = (struct mark){ f->n_threads, (uint32_t)f->frames.n };
	vec_push(&f->frames, node);
	if (s->thread == f->n_threads)
		return m->index;
	*s = (struct mark){ f->n_threads, (uint32_t)f->strings.n };
	vec_push(&f->strings, func);
	return m->index;
}

/* Index + 1 of the stack that ends at `node`; 0: no frame. */
static uint32_t stack_index(struct firefox *f, uint32_t node)
{
	uint32_t at = 0;

	f->path.n = 0;
	for (; node; node = f->tree->nodes.v[node].parent) {
		if (f->tree->funcs.v[f->tree->nodes.v[node].func].origin == ORIGIN_GROUP)
			continue;
		if (f->stack_of[node].thread == f->n_threads) {
			at = f->stack_of[node].index + 1;
			break;
		}
		vec_push(&f->path, node);
	}
	for (size_t i = f->path.n; i-- > 0;) {
		node = f->path.v[i];
		f->stack_of[node] = (struct mark){ f->n_threads, (uint32_t)f->stacks.n };
		vec_push(&f->stacks, ((struct stack_row){ at, frame_index(f, node) }));
		at = (uint32_t)f->stacks.n;
	}
	return at;
}

/* Names of columns, and where they stand in a row. */
static void put_schema(struct json *j, const char *const *columns)
{
	json_key_open(j, "schema", '{');
	for (uint32_t i = 0; columns[i]; i++)
		json_key_u64(j, columns[i], i);
	json_close(j, '}');
	json_key_open(j, "data", '[');
}

static void put_index(struct json *j, uint32_t index_plus_1)
{
	if (index_plus_1)
		json_u64(j, index_plus_1 - 1);
	else
		json_null(j);
}

static void put_samples(struct firefox *f, const uint32_t *order, size_t n)
{
	static const char *const columns[] = { "stack", "time", "responsiveness", NULL };
	struct json *j = &f->j;

	json_key_open(j, "samples", '{');
	put_schema(j, columns);
	for (size_t i = 0; i < n; i++) {
		const struct kept_sample *s = &f->tree->profile->kept.v[order[i]];
		uint64_t since = s->time_ns > f->start_ns ? s->time_ns - f->start_ns : 0;

		json_open(j, '[');
		put_index(j, stack_index(f, f->tree->leaves.v[s->stack]));
		json_double(j, (double)since / 1e6, 6);
		json_u64(j, 0);
		json_close(j, ']');
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void put_stacks(struct firefox *f)
{
	static const char *const columns[] = { "prefix", "frame", NULL };
	struct json *j = &f->j;

	json_line(j);
	json_key_open(j, "stackTable", '{');
	put_schema(j, columns);
	for (size_t i = 0; i < f->stacks.n; i++) {
		json_open(j, '[');
		put_index(j, f->stacks.v[i].prefix);
		json_u64(j, f->stacks.v[i].frame);
		json_close(j, ']');
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void put_frame(struct firefox *f, uint32_t node)
{
	const struct callnode *n = &f->tree->nodes.v[node];
	struct json *j = &f->j;

	json_open(j, '[');
	json_u64(j, f->string_of[n->func].index);
	json_bool(j, false);
	json_u64(j, 0);
	json_null(j);
	json_null(j);
	if (n->place)
		json_u64(j, f->tree->places.v[n->place].line);
	else
		json_null(j);
	json_null(j);
	json_u64(j, f->tree->funcs.v[n->func].origin);
	json_u64(j, 0);
	json_close(j, ']');
}

static void put_frames(struct firefox *f)
{
	static const char *const columns[] = {
		"location", "relevantForJS", "innerWindowID", "implementation", "optimizations",
		"line",     "column",        "category",      "subcategory",    NULL,
	};
	struct json *j = &f->j;

	json_line(j);
	json_key_open(j, "frameTable", '{');
	put_schema(j, columns);
	for (size_t i = 0; i < f->frames.n; i++)
		put_frame(f, f->frames.v[i]);
	json_close(j, ']');
	json_close(j, '}');
}

/* "name (in library)" is what the viewer takes apart. */
static void put_strings(struct firefox *f)
{
	const struct calltree *t = f->tree;

	json_line(&f->j);
	json_key_open(&f->j, "stringTable", '[');
	for (size_t i = 0; i < f->strings.n; i++) {
		const struct func *func = &t->funcs.v[f->strings.v[i]];
		const char *in =
			binary_name(binaries_get(&t->profile->data->binaries, func->binary));
		bool plain = func->binary == BINARY_UNKNOWN || strpbrk(in, "()");
		_cleanup_free_ char *name =
			plain ? xstrdup(func->name) : xasprintf("%s (in %s)", func->name, in);

		json_str(&f->j, name);
	}
	json_close(&f->j, ']');
}

static void put_markers(struct json *j)
{
	static const char *const columns[] = { "name",     "startTime", "endTime", "phase",
					       "category", "data",      NULL };

	json_key_open(j, "markers", '{');
	put_schema(j, columns);
	json_close(j, ']');
	json_close(j, '}');
}

static void put_thread(struct firefox *f, const uint32_t *order, size_t n)
{
	const struct profile *p = f->tree->profile;
	const struct thread_entry *t = threads_get(&p->data->threads, p->kept.v[*order].thread);
	struct json *j = &f->j;

	f->n_threads++;
	f->stacks.n = f->frames.n = f->strings.n = 0;
	json_line(j);
	json_open(j, '{');
	json_key_str(j, "name", t->comm);
	json_key_str(j, "processName", t->process_comm);
	json_key_str(j, "processType", "default");
	json_key_u64(j, "pid", t->pid);
	json_key_u64(j, "tid", t->tid);
	json_key_u64(j, "registerTime", 0);
	json_key(j, "unregisterTime");
	json_null(j);
	put_markers(j);
	json_line(j);
	put_samples(f, order, n);
	put_stacks(f);
	put_frames(f);
	put_strings(f);
	json_close(j, '}');
}

static void put_threads(struct firefox *f)
{
	const struct kept_sample *kept = f->tree->profile->kept.v;
	size_t n, from = 0;
	_cleanup_free_ uint32_t *order = samples_by_thread(f->tree, &n);

	json_key_open(&f->j, "threads", '[');
	for (size_t i = 1; i <= n; i++) {
		if (i < n && kept[order[i]].thread == kept[order[from]].thread)
			continue;
		put_thread(f, order + from, i - from);
		from = i;
	}
	json_close(&f->j, ']');
}

static void put_categories(struct json *j)
{
	json_key_open(j, "categories", '[');
	for (size_t i = 0; i < sizeof(categories) / sizeof(*categories); i++) {
		json_open(j, '{');
		json_key_str(j, "name", categories[i].name);
		json_key_str(j, "color", categories[i].color);
		json_key_open(j, "subcategories", '[');
		json_str(j, "Other");
		json_close(j, ']');
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_meta(struct firefox *f, const struct output_context *ctx)
{
	const struct profile *p = f->tree->profile;
	const struct event_desc *e = profile_event(p);
	const struct meta *m = &p->data->meta;
	_cleanup_free_ char *product = xasprintf("%s", ctx->title
							       ?: *m->cmdline ? m->cmdline
									      : "singe");
	struct json *j = &f->j;

	json_key_open(j, "meta", '{');
	json_key_u64(j, "version", 24);
	json_key_double(j, "interval", e && e->interval_ns ? (double)e->interval_ns / 1e6 : 1, 6);
	json_key_double(j, "startTime", (double)m->wall_start_ns / 1e6, 3);
	json_key(j, "shutdownTime");
	json_null(j);
	json_key_u64(j, "processType", 0);
	json_key_str(j, "product", product);
	json_key_str(j, "importedFrom", PACKAGE_NAME " " PACKAGE_VERSION);
	json_key_str(j, "oscpu", m->os_release);
	json_key_str(j, "platform", "Linux");
	json_key_u64(j, "stackwalk", 1);
	json_key_u64(j, "debug", 0);
	json_key_u64(j, "gcpoison", 0);
	json_key_u64(j, "asyncstack", 1);
	json_key(j, "presymbolicated");
	json_bool(j, true);
	put_categories(j);
	json_key_open(j, "markerSchema", '[');
	json_close(j, ']');
	json_close(j, '}');
}

static const char *const empty_lists[] = { "libs", "processes", "pausedRanges" };

static struct err *firefox_write(const struct output_context *ctx, FILE *out)
{
	const struct profile *p = ctx->tree->profile;
	size_t n_nodes = ctx->tree->nodes.n;
	struct firefox f = { .tree = ctx->tree };

	f.start_ns = p->data->meta.clock_start_ns;
	if (!f.start_ns || f.start_ns > p->first_ns)
		f.start_ns = p->first_ns;
	f.stack_of = xcalloc(n_nodes, sizeof(*f.stack_of));
	f.frame_like = xcalloc(n_nodes, sizeof(*f.frame_like));
	f.frame_of = xcalloc(n_nodes, sizeof(*f.frame_of));
	f.string_of = xcalloc(ctx->tree->funcs.n, sizeof(*f.string_of));
	find_frames(&f);
	json_begin(&f.j, out);
	json_open(&f.j, '{');
	put_meta(&f, ctx);
	for (size_t i = 0; i < sizeof(empty_lists) / sizeof(*empty_lists); i++) {
		json_key_open(&f.j, empty_lists[i], '[');
		json_close(&f.j, ']');
	}
	put_threads(&f);
	json_close(&f.j, '}');
	json_end(&f.j);
	free(f.stack_of);
	free(f.frame_like);
	free(f.frame_of);
	free(f.string_of);
	vec_deinit(&f.stacks);
	vec_deinit(&f.frames);
	vec_deinit(&f.strings);
	vec_deinit(&f.path);
	return output_finish(out, "firefox");
}

const struct output firefox_output = {
	.name = "firefox",
	.suffix = ".firefox.json",
	.what = "for profiler.firefox.com: threads over time",
	.needs_samples = true,
	.needs_lines = true,
	.write = firefox_write,
};
