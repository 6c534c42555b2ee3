/* In: call trees. Out: one tree with the nodes of all, and columns of weights. */
#include "profile/diff_union.h"

#include <string.h>

/* What inputs say of a function of the union that names alone join; UINT32_MAX: nothing yet. */
struct said {
	uint32_t binary, origin;
};

struct joiner {
	struct calltree *t;
	struct dataset *data;
	const struct diff_input *inputs;
	size_t n;
	bool names_only;  /* some input is text */
	uint32_t program; /* stands for every input's program; 0: none seen yet */
	uint32_t nowhere; /* the binary of functions of which nothing is known but the name */
	VEC(struct said) said;
};

static bool has_text(const struct calltree *t)
{
	const struct binaries *b = &t->profile->data->binaries;

	for (size_t i = 0; i < b->v.n; i++)
		if (b->v.v[i].kind == BINARY_KIND_TEXT)
			return true;
	return false;
}

/* Text names files and the kernel's parts as it likes. */
static uint32_t join_binary(struct joiner *j, const struct binary *b, enum origin origin)
{
	bool text = b->kind == BINARY_KIND_TEXT;
	const char *slash = strrchr(b->path, '/');
	struct binary like = { .kind = text ? BINARY_KIND_FILE : b->kind,
			       .path = slash ? (char *)slash + 1 : b->path };

	if (origin == ORIGIN_GROUP)
		return BINARY_UNKNOWN;
	if (b->kind == BINARY_KIND_KERNEL || (text && origin == ORIGIN_KERNEL))
		return BINARY_KERNEL;
	if (text && !*b->path)
		return j->nowhere;
	if (origin == ORIGIN_USER) {
		if (!j->program)
			j->program = binaries_add(&j->data->binaries, &like);
		return j->program;
	}
	return binaries_add(&j->data->binaries, &like);
}

static void agree(uint32_t *have, uint32_t said, uint32_t otherwise)
{
	*have = *have == UINT32_MAX || *have == said ? said : otherwise;
}

/* The function of this name; where it is, is said once all have spoken. */
static uint32_t join_name(struct joiner *j, const struct func *f)
{
	struct func like = { .name = f->name, .named = f->named, .origin = ORIGIN_USER };
	uint32_t id = calltree_func(j->t, &like);

	while (j->said.n <= id)
		vec_push(&j->said, ((struct said){ UINT32_MAX, UINT32_MAX }));
	if (f->binary == j->nowhere)
		return id;
	agree(&j->said.v[id].binary, f->binary, j->nowhere);
	agree(&j->said.v[id].origin, f->origin, ORIGIN_UNKNOWN);
	return id;
}

static uint32_t join_func(struct joiner *j, const struct calltree *t, uint32_t func)
{
	struct func f = t->funcs.v[func];

	f.binary = join_binary(j, binaries_get(&t->profile->data->binaries, f.binary),
			       (enum origin)f.origin);
	f.inlined = false; /* compilers change their mind about that */
	return j->names_only && f.origin != ORIGIN_GROUP ? join_name(j, &f)
							 : calltree_func(j->t, &f);
}

static void place_names(const struct joiner *j)
{
	for (uint32_t i = 1; i < j->said.n; i++) {
		struct func *f = &j->t->funcs.v[i];
		const struct said *said = &j->said.v[i];

		if (f->origin == ORIGIN_GROUP)
			continue;
		f->binary = said->binary == UINT32_MAX ? j->nowhere : said->binary;
		f->origin = said->origin == UINT32_MAX ? ORIGIN_USER : (uint8_t)said->origin;
	}
}

/* Where each node of input `i` stands in the union. Caller frees. */
static uint32_t *join_nodes(struct joiner *j, size_t i)
{
	const struct calltree *t = j->inputs[i].tree;
	_cleanup_free_ uint32_t *funcs = xcalloc(t->funcs.n, sizeof(*funcs));
	uint32_t *map = xcalloc(t->nodes.n, sizeof(*map));

	for (uint32_t k = 1; k < t->funcs.n; k++)
		funcs[k] = join_func(j, t, k);
	for (uint32_t k = 1; k < t->nodes.n; k++)
		map[k] = calltree_child(j->t, map[t->nodes.v[k].parent], funcs[t->nodes.v[k].func]);
	return map;
}

static void fill_column(const struct joiner *j, size_t i, const uint32_t *map,
			struct union_column *c)
{
	const struct calltree *t = j->inputs[i].tree;
	size_t n = j->t->nodes.n;

	c->self = xcalloc(n, sizeof(*c->self));
	c->total = xcalloc(n, sizeof(*c->total));
	c->self_samples = xcalloc(n, sizeof(*c->self_samples));
	c->total_samples = xcalloc(n, sizeof(*c->total_samples));
	for (size_t k = 0; k < t->nodes.n; k++) {
		c->self[map[k]] += (double)t->nodes.v[k].self;
		c->self_samples[map[k]] += t->nodes.v[k].self_samples;
	}
	for (size_t k = n; k-- > 0;) {
		uint32_t parent = j->t->nodes.v[k].parent;

		c->total[k] += c->self[k];
		c->total_samples[k] += c->self_samples[k];
		if (!k)
			continue;
		c->total[parent] += c->total[k];
		c->total_samples[parent] += c->total_samples[k];
	}
}

void diff_union_build(struct calltree *t, struct dataset *data, const struct diff_input *inputs,
		      size_t n, struct union_column *columns)
{
	struct joiner j = { .t = t, .data = data, .inputs = inputs, .n = n };
	_cleanup_free_ uint32_t **maps = xcalloc(n + 1, sizeof(*maps));

	j.nowhere = binaries_add(&data->binaries,
				 &(struct binary){ .kind = BINARY_KIND_TEXT, .path = (char *)"" });
	for (size_t i = 0; i < n; i++)
		j.names_only |= has_text(inputs[i].tree);
	for (size_t i = 0; i < n; i++)
		maps[i] = join_nodes(&j, i);
	place_names(&j);
	for (size_t i = 0; i < n; i++) {
		fill_column(&j, i, maps[i], &columns[i]);
		free(maps[i]);
	}
	vec_deinit(&j.said);
}

void union_column_deinit(struct union_column *c)
{
	free(c->self);
	free(c->total);
	free(c->self_samples);
	free(c->total_samples);
}
