/* In: frames of paths. Out: ids, and the tables they are ids of. */
#include "output/pprof_tables.h"

#include <string.h>

#include "output/output.h"
#include "output/protobuf.h"

enum { PAGE = 4096, FIRST_ADDRESS = 0x10000 };

/* Field numbers of profile.proto. */
enum { PROFILE_MAPPING = 3, PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5, PROFILE_STRING = 6 };

void pprof_tables_init(struct pprof_tables *t, const struct calltree *tree)
{
	memset(t, 0, sizeof(*t));
	t->tree = tree;
	intern_init(&t->strings);
	t->mappings = xcalloc(tree->profile->data->binaries.v.n, sizeof(*t->mappings));
}

void pprof_tables_deinit(struct pprof_tables *t)
{
	intern_deinit(&t->strings);
	free(t->mappings);
	vec_deinit(&t->functions);
	vec_deinit(&t->locations);
	vec_deinit(&t->lines);
	table_deinit(&t->function_table);
	table_deinit(&t->location_table);
}

uint32_t pprof_string(struct pprof_tables *t, const char *s)
{
	struct buf clean = { 0 };

	output_clean_utf8(&clean, s, strlen(s));
	buf_u8(&clean, 0);
	uint32_t id = intern_add(&t->strings, (const char *)clean.data);

	buf_deinit(&clean);
	return id;
}

/* Code in a file has no address of its own. */
static bool is_file(const struct binary *b)
{
	return b->kind == BINARY_KIND_FILE || b->kind == BINARY_KIND_VDSO;
}

static void touch_mapping(struct pprof_tables *t, const struct path_frame *f, bool inlined)
{
	struct pprof_mapping *m = &t->mappings[f->binary];
	const struct callnode *n = &t->tree->nodes.v[f->node];
	uint64_t off = f->has_off ? f->off : 0;

	/* Of text nothing is known but names. */
	if (f->binary == BINARY_UNKNOWN ||
	    binaries_get(&t->tree->profile->data->binaries, f->binary)->kind == BINARY_KIND_TEXT)
		return;
	if (!m->id || off < m->low)
		m->low = off;
	if (off > m->high)
		m->high = off;
	m->id = f->binary; /* numbers follow from this: nothing has the number of BINARY_UNKNOWN */
	m->has_names |= t->tree->funcs.v[n->func].named;
	m->has_files |= n->place != 0;
	m->has_inlines |= inlined;
}

static bool same_location(const struct pprof_tables *t, const struct pprof_location *l,
			  const struct path_frame *frames, uint32_t n)
{
	const struct path_frame *real = &frames[n - 1];

	if (l->n != n || l->binary != real->binary || l->has_off != real->has_off ||
	    l->off != real->off)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct pprof_line *line = &t->lines.v[l->first + i];
		const struct callnode *node = &t->tree->nodes.v[frames[i].node];

		if (line->func != node->func || line->place != node->place)
			return false;
	}
	return true;
}

uint64_t pprof_location(struct pprof_tables *t, const struct path_frame *frames, uint32_t n)
{
	const struct path_frame *real = &frames[n - 1];
	uint64_t hash = hash_pair(real->off, (uint64_t)real->binary << 1 | real->has_off);
	struct pprof_location new = { .first = (uint32_t)t->lines.n,
				      .n = n,
				      .binary = real->binary,
				      .off = real->off,
				      .has_off = real->has_off };

	for (uint32_t i = 0; i < n; i++)
		hash = hash_pair(hash, (uint64_t)t->tree->nodes.v[frames[i].node].func << 32 |
					       t->tree->nodes.v[frames[i].node].place);
	for (struct table_probe p = table_probe(&t->location_table, hash);
	     table_next(&t->location_table, &p);)
		if (same_location(t, &t->locations.v[p.value], frames, n))
			return (uint64_t)p.value + 1;
	for (uint32_t i = 0; i < n; i++) {
		const struct callnode *node = &t->tree->nodes.v[frames[i].node];

		vec_push(&t->lines, ((struct pprof_line){ node->func, node->place }));
	}
	touch_mapping(t, real, n > 1);
	table_add(&t->location_table, hash, (uint32_t)t->locations.n);
	vec_push(&t->locations, new);
	return t->locations.n;
}

static uint64_t function_id(struct pprof_tables *t, const struct pprof_line *l)
{
	uint32_t name = pprof_string(t, t->tree->funcs.v[l->func].name);
	uint32_t file = pprof_string(t, t->tree->places.v[l->place].file);
	uint64_t hash = hash_pair(name, file);

	for (struct table_probe p = table_probe(&t->function_table, hash);
	     table_next(&t->function_table, &p);)
		if (t->functions.v[p.value].name == name && t->functions.v[p.value].file == file)
			return (uint64_t)p.value + 1;
	table_add(&t->function_table, hash, (uint32_t)t->functions.n);
	vec_push(&t->functions, ((struct pprof_function){ name, file }));
	return t->functions.n;
}

static uint64_t round_up(uint64_t v)
{
	return v > UINT64_MAX - PAGE ? UINT64_MAX : (v + PAGE) / PAGE * PAGE;
}

/* Where a file's mapping begins: with its code, where that is known. From start and limit alone
 * tools find out where code was linked, some without a look at the offset (go tool pprof). */
static uint64_t code_begins(const struct profile *p, uint32_t binary, uint64_t low)
{
	uint64_t at = binary < p->code_at.n ? p->code_at.v[binary] : UINT64_MAX;

	return at <= low && at % PAGE == 0 ? at : 0;
}

static void place_mappings(struct pprof_tables *t)
{
	const struct binaries *binaries = &t->tree->profile->data->binaries;
	uint64_t next = FIRST_ADDRESS;

	for (uint32_t i = 0; i < binaries->v.n; i++) {
		struct pprof_mapping *m = &t->mappings[i];
		const struct binary *b = binaries_get(binaries, i);

		if (!m->id)
			continue;
		if (!is_file(b)) {
			m->off = m->start = m->low / PAGE * PAGE;
			m->limit = round_up(m->high);
			continue;
		}
		m->off = code_begins(t->tree->profile, i, m->low);
		uint64_t size = round_up(m->high > b->size ? m->high : b->size) - m->off;

		m->start = next;
		if (size > UINT64_MAX - next) /* a damaged offset */
			size = UINT64_MAX - next;
		m->limit = next += size;
	}
}

/* Mapping 1 id 2 start 3 limit 4 file_offset 5 filename 6 build_id 7..10 has_*. */
static void put_mapping(struct pprof_tables *t, uint32_t binary, struct buf *b)
{
	const struct pprof_mapping *m = &t->mappings[binary];
	const struct binary *bin = binaries_get(&t->tree->profile->data->binaries, binary);
	const struct meta *meta = &t->tree->profile->data->meta;
	bool is_kernel = binary == BINARY_KERNEL;
	const uint8_t *id = is_kernel ? meta->kernel_build_id : bin->build_id;
	uint8_t len = is_kernel ? meta->kernel_build_id_len : bin->build_id_len;
	char hex[2 * BUILD_ID_MAX + 1] = "";
	struct buf sub = { 0 };

	for (uint8_t i = 0; i < len; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	protobuf_u64(&sub, 1, m->id);
	protobuf_u64(&sub, 2, m->start);
	protobuf_u64(&sub, 3, m->limit);
	protobuf_u64(&sub, 4, m->off);
	protobuf_u64(&sub, 5, pprof_string(t, *bin->path ? bin->path : binary_name(bin)));
	protobuf_u64(&sub, 6, pprof_string(t, hex));
	protobuf_u64(&sub, 7, m->has_names);
	protobuf_u64(&sub, 8, m->has_files);
	protobuf_u64(&sub, 9, m->has_files);
	protobuf_u64(&sub, 10, m->has_inlines);
	protobuf_sub(b, PROFILE_MAPPING, &sub);
	buf_deinit(&sub);
}

/* The main binary, which the first mapping is to be: the one most locations lie in that is no
 * library. */
static uint32_t main_binary(const struct pprof_tables *t)
{
	_cleanup_free_ uint32_t *n = xcalloc(t->tree->profile->data->binaries.v.n, sizeof(*n));
	uint32_t best = BINARY_UNKNOWN;

	for (size_t i = 0; i < t->locations.n; i++) {
		const struct pprof_location *l = &t->locations.v[i];
		uint32_t func = t->lines.v[l->first + l->n - 1].func;

		if (t->tree->funcs.v[func].origin != ORIGIN_USER || !t->mappings[l->binary].id)
			continue;
		n[l->binary]++;
		if (n[l->binary] > n[best])
			best = l->binary;
	}
	return best;
}

static void put_mappings(struct pprof_tables *t, struct buf *b)
{
	uint32_t first = main_binary(t);

	if (first != BINARY_UNKNOWN)
		put_mapping(t, first, b);
	for (uint32_t i = 0; i < t->tree->profile->data->binaries.v.n; i++)
		if (t->mappings[i].id && i != first)
			put_mapping(t, i, b);
}

/* Location 1 id 2 mapping_id 3 address 4 line; Line 1 function_id 2 line. */
static void put_locations(struct pprof_tables *t, struct buf *b)
{
	struct buf sub = { 0 }, line = { 0 };

	for (size_t i = 0; i < t->locations.n; i++) {
		const struct pprof_location *l = &t->locations.v[i];
		const struct pprof_mapping *m = &t->mappings[l->binary];

		protobuf_u64(&sub, 1, i + 1);
		protobuf_u64(&sub, 2, m->id);
		if (l->has_off)
			protobuf_u64(&sub, 3, l->off - m->off + m->start);
		for (uint32_t k = 0; k < l->n; k++) {
			const struct pprof_line *pl = &t->lines.v[l->first + k];

			protobuf_u64(&line, 1, function_id(t, pl));
			protobuf_u64(&line, 2, t->tree->places.v[pl->place].line);
			protobuf_sub(&sub, 4, &line);
		}
		protobuf_sub(b, PROFILE_LOCATION, &sub);
	}
	buf_deinit(&sub);
	buf_deinit(&line);
}

/* Function 1 id 2 name 3 system_name 4 filename. */
static void put_functions(const struct pprof_tables *t, struct buf *b)
{
	struct buf sub = { 0 };

	for (size_t i = 0; i < t->functions.n; i++) {
		protobuf_u64(&sub, 1, i + 1);
		protobuf_u64(&sub, 2, t->functions.v[i].name);
		protobuf_u64(&sub, 3, t->functions.v[i].name);
		protobuf_u64(&sub, 4, t->functions.v[i].file);
		protobuf_sub(b, PROFILE_FUNCTION, &sub);
	}
	buf_deinit(&sub);
}

void pprof_tables_put(struct pprof_tables *t, struct buf *b)
{
	place_mappings(t);
	put_mappings(t, b);
	put_locations(t, b);
	put_functions(t, b);
	for (uint32_t i = 0; i < t->strings.strings.n; i++) {
		const char *s = intern_str(&t->strings, i);

		protobuf_bytes(b, PROFILE_STRING, s, strlen(s));
	}
}
