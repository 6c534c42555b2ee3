/* In: definitions as the file has them. Out: entries of the dataset's tables. */
#include "recording/dict.h"

#include "recording/fields.h"

#define LOST_IN_FILE "[lost in file]"

void dict_init(struct dict *d, struct dataset *data)
{
	*d = (struct dict){ .data = data, .lost_thread = UINT32_MAX };
}

static void numbers_deinit(struct numbers *n)
{
	table_deinit(&n->table);
	vec_deinit(&n->pairs);
}

void dict_deinit(struct dict *d)
{
	numbers_deinit(&d->binaries);
	numbers_deinit(&d->threads);
	table_deinit(&d->binary_keys);
	vec_deinit(&d->map);
	vec_deinit(&d->runs);
	vec_deinit(&d->last_off);
}

void dict_restart(struct dict *d, uint64_t restart)
{
	if (d->any && d->restart == restart)
		return;
	d->any = true;
	d->restart = restart;
	d->map.n = 0;
	d->runs.n = 0;
}

static uint64_t *numbers_find(const struct numbers *n, uint64_t number)
{
	for (struct table_probe p = table_probe(&n->table, hash_u64(number));
	     table_next(&n->table, &p);) {
		if (n->pairs.v[p.value] >> 32 == number)
			return &n->pairs.v[p.value];
	}
	return NULL;
}

static void numbers_set(struct numbers *n, uint32_t number, uint32_t value)
{
	uint64_t pair = (uint64_t)number << 32 | value;
	uint64_t *have = numbers_find(n, number);

	if (have) {
		*have = pair;
		return;
	}
	table_add(&n->table, hash_u64(number), (uint32_t)n->pairs.n);
	vec_push(&n->pairs, pair);
}

static bool same_build_id(const struct binary *a, const struct binary *b)
{
	return a->build_id_len == b->build_id_len &&
	       !memcmp(a->build_id, b->build_id, a->build_id_len);
}

/* Equal but for what is only learned once the file is open. */
static bool same_file(const struct binary *a, const struct binary *b)
{
	return a->kind == b->kind && a->pid == b->pid && a->inode == b->inode &&
	       a->inode_generation == b->inode_generation && a->dev_major == b->dev_major &&
	       a->dev_minor == b->dev_minor && !strcmp(a->path, b->path) &&
	       (!a->build_id_len || !b->build_id_len || same_build_id(a, b));
}

/* Takes over what the file says now; revision says that there was something. */
static void binary_learn(struct binary *b, const struct binary *like)
{
	bool build_id = like->build_id_len && !b->build_id_len;

	if (!build_id && b->mtime_ns == like->mtime_ns && b->size == like->size &&
	    b->deleted == like->deleted)
		return;
	if (build_id) {
		memcpy(b->build_id, like->build_id, sizeof(b->build_id));
		b->build_id_len = like->build_id_len;
	}
	b->mtime_ns = like->mtime_ns ? like->mtime_ns : b->mtime_ns;
	b->size = like->size ? like->size : b->size;
	b->deleted |= like->deleted;
	b->revision++;
}

uint32_t dict_binary(struct dict *d, const struct binary *like)
{
	uint64_t hash = hash_pair(hash_str(like->path),
				  hash_pair(like->inode, (uint64_t)like->pid << 8 | like->kind));
	struct binaries *all = &d->data->binaries;
	uint32_t found = UINT32_MAX;

	/* One with the same build-id is meant before one whose build-id is not known. */
	for (struct table_probe p = table_probe(&d->binary_keys, hash);
	     table_next(&d->binary_keys, &p);) {
		const struct binary *b = binaries_get(all, p.value);

		if (same_file(b, like) && (found == UINT32_MAX || same_build_id(b, like)))
			found = p.value;
	}
	if (found == UINT32_MAX) {
		found = binaries_add(all, like);
		table_add(&d->binary_keys, hash, found);
	}
	binary_learn(binaries_get(all, found), like);
	return found;
}

/* The binary defined under this number, told more about; else by identity. A number never changes
 * its meaning in one file. */
static uint32_t dict_define_binary(struct dict *d, uint32_t id, const struct binary *b)
{
	uint64_t *have = numbers_find(&d->binaries, id);
	struct binary *known = have ? binaries_get(&d->data->binaries, (uint32_t)*have) : NULL;

	if (!known || !same_file(known, b))
		return dict_binary(d, b);
	binary_learn(known, b);
	return (uint32_t)*have;
}

bool dict_read_binaries(struct dict *d, struct cursor c)
{
	while (cursor_left(&c)) {
		uint32_t id;
		struct binary b;

		if (!record_binary_read(&c, &id, &b))
			return false;
		numbers_set(&d->binaries, id, dict_define_binary(d, id, &b));
		free(b.path);
	}
	return true;
}

bool dict_read_threads(struct dict *d, struct cursor c)
{
	while (cursor_left(&c)) {
		uint32_t id;
		struct thread_entry t;

		if (!record_thread_read(&c, &id, &t))
			return false;
		numbers_set(&d->threads, id, threads_add(&d->data->threads, &t));
		free(t.comm);
		free(t.process_comm);
	}
	return true;
}

uint32_t dict_find_binary(const struct dict *d, uint64_t number)
{
	const uint64_t *have = numbers_find(&d->binaries, number);

	return have ? (uint32_t)*have : BINARY_UNKNOWN;
}

uint32_t dict_find_thread(struct dict *d, uint64_t number)
{
	const uint64_t *have = numbers_find(&d->threads, number);

	if (have)
		return (uint32_t)*have;
	if (d->lost_thread == UINT32_MAX)
		d->lost_thread =
			threads_add(&d->data->threads, &(struct thread_entry){
							       .comm = (char *)LOST_IN_FILE,
							       .process_comm = (char *)LOST_IN_FILE,
						       });
	return d->lost_thread;
}

uint32_t dict_lost_node(struct dict *d)
{
	if (d->lost_node)
		return d->lost_node;
	struct names *names = &d->data->names;
	uint32_t binary =
		binaries_add(&d->data->binaries, &(struct binary){ .kind = BINARY_KIND_TEXT,
								   .path = (char *)LOST_IN_FILE });
	struct name_line line = { .function = intern_add(&names->strings, LOST_IN_FILE) };

	names_set(names, binary, 0, &line, 1, 0);
	return d->lost_node = frametree_add(&d->data->tree, 0, binary, 0, FRAME_PC);
}

uint32_t dict_node_slow(struct dict *d, uint64_t number)
{
	for (size_t i = d->runs.n; i-- > 0;) {
		const struct node_run *r = &d->runs.v[i];

		if (number >= r->first)
			return number - r->first < r->n ? d->map.v[r->at + (number - r->first)]
							: dict_lost_node(d);
	}
	return dict_lost_node(d);
}

static bool dict_begin_nodes(struct dict *d, uint64_t first, uint64_t n)
{
	const struct node_run *last = d->runs.n ? &d->runs.v[d->runs.n - 1] : NULL;
	uint64_t next = last ? (uint64_t)last->first + last->n : 1;

	if (first < next || first > UINT32_MAX || n > UINT32_MAX - first)
		return false;
	if (!last || first > next)
		vec_push(&d->runs,
			 ((struct node_run){ .first = (uint32_t)first, .at = (uint32_t)d->map.n }));
	d->last_off.n = 0;
	return true;
}

/* One node; false if damaged. */
static bool dict_read_node(struct dict *d, uint64_t number, struct node_columns *c, uint32_t *ret)
{
	uint64_t parent = number - cursor_uleb(&c->parent);
	const uint64_t *binary = numbers_find(&d->binaries, cursor_uleb(&c->binary));
	uint32_t binary_id = binary ? (uint32_t)*binary : UINT32_MAX;
	int64_t step = cursor_zigzag(&c->off);
	uint64_t kind = cursor_uleb(&c->kind);

	if (c->parent.failed || c->binary.failed || c->off.failed || c->kind.failed ||
	    parent >= number || kind > FRAME_CUT)
		return false;
	*ret = UINT32_MAX;
	if (!binary)
		return true;
	/* By the file's number: two of them may have turned out to be one binary. */
	size_t number_of_binary = (size_t)(binary - d->binaries.pairs.v);

	while (d->last_off.n <= number_of_binary)
		vec_push(&d->last_off, 0);
	uint64_t off = d->last_off.v[number_of_binary] += (uint64_t)step;
	uint32_t parent_id = dict_node(d, parent);

	if (!d->lost_node || parent_id != d->lost_node)
		*ret = frametree_add(&d->data->tree, parent_id, binary_id, off,
				     (enum frame_kind)kind);
	return true;
}

bool dict_read_nodes(struct dict *d, uint64_t first, uint64_t n, struct node_columns c)
{
	if (!n)
		return true;
	/* Every node takes a byte of each column: what is allocated is in the file. */
	if (n > cursor_left(&c.parent) || !dict_begin_nodes(d, first, n))
		return false;
	for (uint64_t i = 0; i < n; i++) {
		uint32_t node;

		if (!dict_read_node(d, first + i, &c, &node))
			return false;
		vec_push(&d->map, node == UINT32_MAX ? dict_lost_node(d) : node);
		d->runs.v[d->runs.n - 1].n++;
	}
	return true;
}
