/* In: the call tree. Out: each function's own cost by line, and the calls out of it. */
#include "output/callgrind.h"

#include <inttypes.h>
#include <string.h>

#include "config.h"
#include "profile/functions.h"

enum { SELF = UINT32_MAX };

/* Cost at a line of a function, or of calls from there to another one. */
struct cost {
	uint32_t function; /* of functions */
	uint32_t callee;   /* SELF: its own */
	uint32_t place;
	uint64_t weight, samples;
};

struct callgrind {
	const struct calltree *tree;
	struct functions functions;
	VEC(struct cost) costs;
	struct table table;
	uint32_t *seen; /* by function: number of the stack it was last on */
	uint32_t *file; /* by function: one of its places; 0: none */
	uint32_t n_stacks;
	VEC(uint32_t) path; /* nodes, outermost last */
	struct intern files, objects;
	VEC(bool) written[3]; /* by kind of name: whether the id stands in the file already */
	struct buf b;
};

enum name_kind { NAME_OBJECT, NAME_FILE, NAME_FUNCTION };

static struct cost *cost_of(struct callgrind *c, uint32_t function, uint32_t callee, uint32_t place)
{
	uint64_t hash = hash_pair((uint64_t)function << 32 | callee, place);

	for (struct table_probe p = table_probe(&c->table, hash); table_next(&c->table, &p);) {
		struct cost *have = &c->costs.v[p.value];

		if (have->function == function && have->callee == callee && have->place == place)
			return have;
	}
	table_add(&c->table, hash, (uint32_t)c->costs.n);
	vec_push(&c->costs,
		 ((struct cost){ .function = function, .callee = callee, .place = place }));
	return &c->costs.v[c->costs.n - 1];
}

static void add_cost(struct callgrind *c, uint32_t callee, uint32_t node,
		     const struct callnode *leaf)
{
	const struct callnode *n = &c->tree->nodes.v[node];
	uint32_t function = c->functions.of[n->func];
	struct cost *cost = cost_of(c, function, callee, n->place);

	cost->weight += leaf->self;
	cost->samples += leaf->self_samples;
	if (!c->file[function])
		c->file[function] = n->place;
}

/* All samples that end at `leaf`: from the outermost frame in, one call out of each function. */
static void add_stack(struct callgrind *c, uint32_t leaf)
{
	const struct callnode *nodes = c->tree->nodes.v;
	uint32_t running = c->functions.of[nodes[leaf].func];

	c->n_stacks++;
	c->path.n = 0;
	for (uint32_t i = leaf; i; i = nodes[i].parent)
		if (c->tree->funcs.v[nodes[i].func].origin != ORIGIN_GROUP)
			vec_push(&c->path, i);
	c->seen[running] = c->n_stacks;
	add_cost(c, SELF, leaf, &nodes[leaf]);
	for (size_t i = c->path.n; i-- > 1;) {
		uint32_t caller = c->functions.of[nodes[c->path.v[i]].func];
		uint32_t callee = c->functions.of[nodes[c->path.v[i - 1]].func];

		if (caller == callee || c->seen[caller] == c->n_stacks)
			continue;
		c->seen[caller] = c->n_stacks;
		add_cost(c, callee, c->path.v[i], &nodes[leaf]);
	}
}

static int cost_cmp(const void *a, const void *b)
{
	const struct cost *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->callee != y->callee) /* its own first */
		return x->callee > y->callee ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* "(id) name" the first time, then "(id)". */
static void put_name(struct callgrind *c, const char *key, enum name_kind kind, uint32_t id)
{
	const char *name = kind == NAME_FUNCTION
				   ? c->tree->funcs.v[c->functions.v.v[id].func].name
				   : intern_str(kind == NAME_FILE ? &c->files : &c->objects, id);

	output_printf(&c->b, "%s=(%" PRIu32 ")", key, id + 1);
	while (c->written[kind].n <= id)
		vec_push(&c->written[kind], false);
	if (!c->written[kind].v[id]) {
		buf_u8(&c->b, ' ');
		output_clean_utf8(&c->b, *name ? name : "???", *name ? strlen(name) : 3);
	}
	c->written[kind].v[id] = true;
	buf_u8(&c->b, '\n');
}

static uint32_t file_of(struct callgrind *c, uint32_t function)
{
	return intern_add(&c->files, c->tree->places.v[c->file[function]].file);
}

static uint32_t object_of(struct callgrind *c, uint32_t function)
{
	const struct func *f = &c->tree->funcs.v[c->functions.v.v[function].func];
	const struct binary *b = binaries_get(&c->tree->profile->data->binaries, f->binary);

	return intern_add(&c->objects, *b->path ? b->path : binary_name(b));
}

static void put_numbers(struct callgrind *c, const struct cost *cost)
{
	output_printf(&c->b, "%" PRIu32 " %" PRIu64, c->tree->places.v[cost->place].line,
		      cost->weight);
	if (c->tree->profile->by_period)
		output_printf(&c->b, " %" PRIu64, cost->samples);
	buf_u8(&c->b, '\n');
}

/* A line of code from another file than the function's, by a macro or an include. */
static void put_file_change(struct callgrind *c, const struct cost *cost, uint32_t *file)
{
	uint32_t now = intern_add(&c->files, c->tree->places.v[cost->place].file);

	if (!cost->place || now == *file)
		return;
	*file = now;
	put_name(c, "fi", NAME_FILE, now);
}

static void put_costs(struct callgrind *c)
{
	uint32_t file = 0;

	vec_sort(&c->costs, cost_cmp);
	for (size_t i = 0; i < c->costs.n; i++) {
		const struct cost *cost = &c->costs.v[i];

		if (!i || cost[-1].function != cost->function) {
			file = file_of(c, cost->function);
			buf_u8(&c->b, '\n');
			put_name(c, "ob", NAME_OBJECT, object_of(c, cost->function));
			put_name(c, "fl", NAME_FILE, file);
			put_name(c, "fn", NAME_FUNCTION, cost->function);
		}
		put_file_change(c, cost, &file);
		if (cost->callee != SELF) {
			put_name(c, "cob", NAME_OBJECT, object_of(c, cost->callee));
			put_name(c, "cfi", NAME_FILE, file_of(c, cost->callee));
			put_name(c, "cfn", NAME_FUNCTION, cost->callee);
			output_printf(&c->b, "calls=%" PRIu64 " %" PRIu32 "\n", cost->samples,
				      c->tree->places.v[c->file[cost->callee]].line);
		}
		put_numbers(c, cost);
	}
}

/* A word for the events line: no blanks. */
static void put_event_name(struct callgrind *c, const char *name)
{
	size_t from = c->b.len;

	output_clean_utf8(&c->b, name, strlen(name));
	for (size_t i = from; i < c->b.len; i++)
		if (c->b.data[i] == ' ' || c->b.data[i] == ':')
			c->b.data[i] = '_';
}

static void put_header(struct callgrind *c)
{
	const struct profile *p = c->tree->profile;
	const struct event_desc *e = profile_event(p);
	const struct callnode *root = &c->tree->nodes.v[0];
	_cleanup_free_ char *about = output_subtitle(c->tree);

	output_printf(&c->b, "# callgrind format\nversion: 1\ncreator: %s %s\npositions: line\n",
		      PACKAGE_NAME, PACKAGE_VERSION);
	output_printf(&c->b, "cmd: ");
	output_clean_utf8(&c->b, p->data->meta.cmdline, strlen(p->data->meta.cmdline));
	output_printf(&c->b, "\ndesc: Recording: ");
	output_clean_utf8(&c->b, about, strlen(about));
	output_printf(&c->b, "\nevents: ");
	if (p->by_period) {
		put_event_name(c, e->name);
		output_printf(&c->b, " Samples\nsummary: %" PRIu64 " %" PRIu64 "\n", root->total,
			      root->total_samples);
		return;
	}
	output_printf(&c->b, "Samples\nsummary: %" PRIu64 "\n", root->total);
}

static void callgrind_deinit(struct callgrind *c)
{
	functions_deinit(&c->functions);
	vec_deinit(&c->costs);
	table_deinit(&c->table);
	vec_deinit(&c->path);
	for (size_t i = 0; i < sizeof(c->written) / sizeof(*c->written); i++)
		vec_deinit(&c->written[i]);
	intern_deinit(&c->files);
	intern_deinit(&c->objects);
	buf_deinit(&c->b);
	free(c->seen);
	free(c->file);
}

static struct err *callgrind_write(const struct output_context *ctx, FILE *out)
{
	struct callgrind c = { .tree = ctx->tree };

	functions_init(&c.functions, ctx->tree);
	intern_init(&c.files);
	intern_init(&c.objects);
	c.seen = xcalloc(c.functions.v.n + 1, sizeof(*c.seen));
	c.file = xcalloc(c.functions.v.n + 1, sizeof(*c.file));
	for (uint32_t i = 0; i < ctx->tree->nodes.n; i++)
		if (ctx->tree->nodes.v[i].self)
			add_stack(&c, i);
	put_header(&c);
	put_costs(&c);
	fwrite(c.b.data, 1, c.b.len, out);
	callgrind_deinit(&c);
	return output_finish(out, "callgrind");
}

const struct output callgrind_output = {
	.name = "callgrind",
	.suffix = ".callgrind",
	.what = "for kcachegrind and callgrind_annotate",
	.needs_lines = true,
	.write = callgrind_write,
};
