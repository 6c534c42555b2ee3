/* In: a thread's samples. Out: its tables, each as long as what these samples need. */
#include "output/firefox_tables.h"

#include <string.h>

#include "base/intern.h"
#include "output/samples.h"

/* src/profile-logic/data-structures.js, resourceTypes */
enum { RESOURCE_LIBRARY = 1 };

/* A place in a table of the thread under way. */
struct mark {
	uint32_t thread; /* number of the thread + 1 */
	uint32_t index;
};

struct stack_row {
	uint32_t node;
	uint32_t prefix; /* index + 1; 0: none */
	uint32_t frame;
};

struct firefox_tables {
	const struct calltree *tree;
	struct json *j;
	uint64_t start_ns;
	uint32_t *func_like;  /* by node: the first node of equal function and file */
	uint32_t *frame_like; /* by node: the first node of equal function and line */

	/* The thread under way. */
	uint32_t n_threads;
	const uint32_t *order; /* its samples */
	size_t n_samples;
	struct mark *stack_of;    /* by node */
	struct mark *frame_of;    /* by node that stands for a frame */
	struct mark *func_of;     /* by node that stands for a function */
	struct mark *resource_of; /* by binary */
	VEC(struct stack_row) stacks;
	VEC(uint32_t) frames, funcs; /* nodes */
	VEC(uint32_t) resources;     /* binaries */
	struct intern strings;
	VEC(uint32_t) path; /* scratch */
};

/* A column of a table: its name, and what it holds in a row. */
struct column {
	const char *name;
	void (*put)(struct firefox_tables *f, size_t row);
};

static const struct callnode *node_get(const struct firefox_tables *f, uint32_t node)
{
	return &f->tree->nodes.v[node];
}

static const struct func *node_func(const struct firefox_tables *f, uint32_t node)
{
	return &f->tree->funcs.v[node_get(f, node)->func];
}

static const struct source_place *node_place(const struct firefox_tables *f, uint32_t node)
{
	return &f->tree->places.v[node_get(f, node)->place];
}

static bool is_like(const struct firefox_tables *f, uint32_t a, uint32_t b, bool any_line)
{
	if (node_get(f, a)->func != node_get(f, b)->func)
		return false;
	/* The tree has each file's name once. */
	return any_line ? node_place(f, a)->file == node_place(f, b)->file
			: node_get(f, a)->place == node_get(f, b)->place;
}

/* By node: the first node that is like it. The caller frees. */
static uint32_t *find_like(const struct firefox_tables *f, bool any_line)
{
	uint32_t *like = xcalloc(f->tree->nodes.n, sizeof(*like));
	struct table table = { 0 };

	for (uint32_t i = 1; i < f->tree->nodes.n; i++) {
		uint64_t hash =
			hash_pair(node_get(f, i)->func, any_line ? (uintptr_t)node_place(f, i)->file
								 : node_get(f, i)->place);

		like[i] = i;
		for (struct table_probe p = table_probe(&table, hash); table_next(&table, &p);) {
			if (!is_like(f, p.value, i, any_line))
				continue;
			like[i] = p.value;
			break;
		}
		if (like[i] == i)
			table_add(&table, hash, i);
	}
	table_deinit(&table);
	return like;
}

/* True where `m` has no place in the table of `n` rows yet: it is the next. */
static bool mark_new(const struct firefox_tables *f, struct mark *m, size_t n)
{
	if (m->thread == f->n_threads)
		return false;
	*m = (struct mark){ f->n_threads, (uint32_t)n };
	return true;
}

static const char *binary_name_of(const struct firefox_tables *f, uint32_t binary)
{
	return binary_name(binaries_get(&f->tree->profile->data->binaries, binary));
}

/* Nothing is known of the binaries of folded stacks. */
static bool has_resource(const struct firefox_tables *f, uint32_t binary)
{
	return binary != BINARY_UNKNOWN && *binary_name_of(f, binary);
}

static uint32_t frame_index(struct firefox_tables *f, uint32_t node)
{
	uint32_t func = f->func_like[node], binary = node_func(f, node)->binary;
	struct mark *m = &f->frame_of[f->frame_like[node]];

	if (!mark_new(f, m, f->frames.n))
		return m->index;
	vec_push(&f->frames, node);
	if (mark_new(f, &f->func_of[func], f->funcs.n))
		vec_push(&f->funcs, func);
	if (has_resource(f, binary) && mark_new(f, &f->resource_of[binary], f->resources.n))
		vec_push(&f->resources, binary);
	return m->index;
}

/* Index + 1 of the stack that ends at `node`; 0: no frame. */
static uint32_t stack_index(struct firefox_tables *f, uint32_t node)
{
	uint32_t at = 0;

	f->path.n = 0;
	for (; node; node = node_get(f, node)->parent) {
		if (node_func(f, node)->origin == ORIGIN_GROUP)
			continue;
		if (f->stack_of[node].thread == f->n_threads) {
			at = f->stack_of[node].index + 1;
			break;
		}
		vec_push(&f->path, node);
	}
	for (size_t i = f->path.n; i-- > 0;) {
		node = f->path.v[i];
		mark_new(f, &f->stack_of[node], f->stacks.n);
		vec_push(&f->stacks, ((struct stack_row){ node, at, frame_index(f, node) }));
		at = (uint32_t)f->stacks.n;
	}
	return at;
}

/* The columns that hold the same in every row. */

static void put_null(struct firefox_tables *f, size_t row)
{
	(void)row;
	json_null(f->j);
}

static void put_zero(struct firefox_tables *f, size_t row)
{
	(void)row;
	json_u64(f->j, 0);
}

static void put_false(struct firefox_tables *f, size_t row)
{
	(void)row;
	json_bool(f->j, false);
}

static void put_no_address(struct firefox_tables *f, size_t row)
{
	(void)row;
	json_double(f->j, -1, 0);
}

static void put_library(struct firefox_tables *f, size_t row)
{
	(void)row;
	json_u64(f->j, RESOURCE_LIBRARY);
}

static void put_index(struct json *j, uint32_t index_plus_1)
{
	if (index_plus_1)
		json_u64(j, index_plus_1 - 1);
	else
		json_null(j);
}

static void put_string(struct firefox_tables *f, const char *s)
{
	json_u64(f->j, intern_add(&f->strings, s));
}

/* The opening bracket is left open for what is no column. */
static void open_table(struct firefox_tables *f, const char *name, const struct column *columns,
		       size_t n)
{
	struct json *j = f->j;

	json_line(j);
	json_key_open(j, name, '{');
	json_key_u64(j, "length", n);
	for (; columns->name; columns++) {
		json_key_open(j, columns->name, '[');
		for (size_t i = 0; i < n; i++)
			columns->put(f, i);
		json_close(j, ']');
	}
}

static void put_table(struct firefox_tables *f, const char *name, const struct column *columns,
		      size_t n)
{
	open_table(f, name, columns, n);
	json_close(f->j, '}');
}

static const struct kept_sample *sample_get(const struct firefox_tables *f, size_t row)
{
	return &f->tree->profile->kept.v[f->order[row]];
}

static void put_sample_stack(struct firefox_tables *f, size_t row)
{
	put_index(f->j, stack_index(f, f->tree->leaves.v[sample_get(f, row)->stack]));
}

static void put_sample_time(struct firefox_tables *f, size_t row)
{
	uint64_t time_ns = sample_get(f, row)->time_ns;
	uint64_t since = time_ns > f->start_ns ? time_ns - f->start_ns : 0;

	json_double(f->j, (double)since / 1e6, 6);
}

/* Milliseconds are a unit the viewer knows; whatever else is counted it calls samples. */
static bool weighs_time(const struct firefox_tables *f)
{
	return !strcmp(profile_unit(f->tree->profile), "ns");
}

static void put_sample_weight(struct firefox_tables *f, size_t row)
{
	uint64_t weight = sample_weight(f->tree->profile, sample_get(f, row));

	if (weighs_time(f))
		json_double(f->j, (double)weight / 1e6, 6);
	else
		json_u64(f->j, weight);
}

static void put_samples(struct firefox_tables *f)
{
	static const struct column columns[] = {
		{ "stack", put_sample_stack },
		{ "time", put_sample_time },
		{ "weight", put_sample_weight },
		{ NULL, NULL },
	};

	open_table(f, "samples", columns, f->n_samples);
	json_key_str(f->j, "weightType", weighs_time(f) ? "tracing-ms" : "samples");
	json_close(f->j, '}');
}

static void put_stack_frame(struct firefox_tables *f, size_t row)
{
	json_u64(f->j, f->stacks.v[row].frame);
}

static void put_stack_prefix(struct firefox_tables *f, size_t row)
{
	put_index(f->j, f->stacks.v[row].prefix);
}

static void put_stack_category(struct firefox_tables *f, size_t row)
{
	json_u64(f->j, node_func(f, f->stacks.v[row].node)->origin);
}

static void put_stacks(struct firefox_tables *f)
{
	static const struct column columns[] = {
		{ "frame", put_stack_frame },
		{ "prefix", put_stack_prefix },
		{ "category", put_stack_category },
		{ "subcategory", put_zero },
		{ NULL, NULL },
	};

	put_table(f, "stackTable", columns, f->stacks.n);
}

static void put_frame_category(struct firefox_tables *f, size_t row)
{
	json_u64(f->j, node_func(f, f->frames.v[row])->origin);
}

static void put_frame_func(struct firefox_tables *f, size_t row)
{
	json_u64(f->j, f->func_of[f->func_like[f->frames.v[row]]].index);
}

static void put_frame_line(struct firefox_tables *f, size_t row)
{
	uint32_t line = node_place(f, f->frames.v[row])->line;

	if (line)
		json_u64(f->j, line);
	else
		json_null(f->j);
}

static void put_frames(struct firefox_tables *f)
{
	static const struct column columns[] = {
		{ "address", put_no_address },
		{ "inlineDepth", put_zero },
		{ "category", put_frame_category },
		{ "subcategory", put_zero },
		{ "func", put_frame_func },
		{ "nativeSymbol", put_null },
		{ "innerWindowID", put_null },
		{ "implementation", put_null },
		{ "line", put_frame_line },
		{ "column", put_null },
		{ NULL, NULL },
	};

	put_table(f, "frameTable", columns, f->frames.n);
}

static void put_func_name(struct firefox_tables *f, size_t row)
{
	put_string(f, node_func(f, f->funcs.v[row])->name);
}

static void put_func_resource(struct firefox_tables *f, size_t row)
{
	uint32_t binary = node_func(f, f->funcs.v[row])->binary;

	if (has_resource(f, binary))
		json_u64(f->j, f->resource_of[binary].index);
	else
		json_double(f->j, -1, 0);
}

static void put_func_file(struct firefox_tables *f, size_t row)
{
	const char *file = node_place(f, f->funcs.v[row])->file;

	if (*file)
		put_string(f, file);
	else
		json_null(f->j);
}

static void put_funcs(struct firefox_tables *f)
{
	static const struct column columns[] = {
		{ "name", put_func_name },      { "isJS", put_false },
		{ "relevantForJS", put_false }, { "resource", put_func_resource },
		{ "fileName", put_func_file },  { "lineNumber", put_null },
		{ "columnNumber", put_null },   { NULL, NULL },
	};

	put_table(f, "funcTable", columns, f->funcs.n);
}

static void put_resource_name(struct firefox_tables *f, size_t row)
{
	put_string(f, binary_name_of(f, f->resources.v[row]));
}

static void put_resources(struct firefox_tables *f)
{
	static const struct column columns[] = {
		{ "lib", put_null },  { "name", put_resource_name },
		{ "host", put_null }, { "type", put_library },
		{ NULL, NULL },
	};

	put_table(f, "resourceTable", columns, f->resources.n);
}

/* Tables of which nothing is known. */
static void put_empty_tables(struct firefox_tables *f)
{
	static const struct column markers[] = {
		{ "data", NULL },  { "name", NULL },     { "startTime", NULL }, { "endTime", NULL },
		{ "phase", NULL }, { "category", NULL }, { NULL, NULL },
	};
	static const struct column symbols[] = {
		{ "libIndex", NULL },     { "address", NULL }, { "name", NULL },
		{ "functionSize", NULL }, { NULL, NULL },
	};

	put_table(f, "markers", markers, 0);
	put_table(f, "nativeSymbols", symbols, 0);
}

/* The last table of a thread: the others number what it lists. */
static void put_strings(struct firefox_tables *f)
{
	json_line(f->j);
	json_key_open(f->j, "stringArray", '[');
	for (uint32_t i = 0; i < f->strings.strings.n; i++)
		json_str(f->j, intern_str(&f->strings, i));
	json_close(f->j, ']');
}

void firefox_tables_put(struct firefox_tables *f, const uint32_t *order, size_t n)
{
	f->n_threads++;
	f->order = order;
	f->n_samples = n;
	f->stacks.n = f->frames.n = f->funcs.n = f->resources.n = 0;
	intern_init(&f->strings);
	put_samples(f); /* first: it fills the others */
	put_stacks(f);
	put_frames(f);
	put_funcs(f);
	put_resources(f);
	put_empty_tables(f);
	put_strings(f);
	intern_deinit(&f->strings);
}

struct firefox_tables *firefox_tables_create(const struct calltree *t, struct json *j)
{
	struct firefox_tables *f = xcalloc(1, sizeof(*f));
	const struct profile *p = t->profile;

	f->tree = t;
	f->j = j;
	f->start_ns = p->data->meta.clock_start_ns;
	if (!f->start_ns || f->start_ns > p->first_ns)
		f->start_ns = p->first_ns;
	f->func_like = find_like(f, true);
	f->frame_like = find_like(f, false);
	f->stack_of = xcalloc(t->nodes.n, sizeof(*f->stack_of));
	f->frame_of = xcalloc(t->nodes.n, sizeof(*f->frame_of));
	f->func_of = xcalloc(t->nodes.n, sizeof(*f->func_of));
	f->resource_of = xcalloc(p->data->binaries.v.n, sizeof(*f->resource_of));
	return f;
}

void firefox_tables_destroy(struct firefox_tables *f)
{
	free(f->func_like);
	free(f->frame_like);
	free(f->stack_of);
	free(f->frame_of);
	free(f->func_of);
	free(f->resource_of);
	vec_deinit(&f->stacks);
	vec_deinit(&f->frames);
	vec_deinit(&f->funcs);
	vec_deinit(&f->resources);
	vec_deinit(&f->path);
	free(f);
}
