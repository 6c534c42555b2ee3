/* In: what a mapping says of its file. Out: one number for each distinct binary. */
#include "sample/binaries.h"

void binaries_init(struct binaries *b)
{
	*b = (struct binaries){ 0 };
	binaries_add(b,
		     &(struct binary){ .kind = BINARY_KIND_UNKNOWN, .path = (char *)"[unknown]" });
	binaries_add(b, &(struct binary){ .kind = BINARY_KIND_KERNEL, .path = (char *)"[kernel]" });
}

void binaries_deinit(struct binaries *b)
{
	for (size_t i = 0; i < b->v.n; i++)
		free(b->v.v[i].path);
	vec_deinit(&b->v);
	table_deinit(&b->table);
}

static bool binary_same_key(const struct binary *a, const struct binary *b)
{
	return a->kind == b->kind && a->pid == b->pid && a->inode == b->inode &&
	       a->inode_generation == b->inode_generation && a->dev_major == b->dev_major &&
	       a->dev_minor == b->dev_minor && !strcmp(a->path, b->path);
}

uint32_t binaries_add(struct binaries *b, const struct binary *like)
{
	uint64_t hash = hash_pair(hash_str(like->path),
				  hash_pair(like->inode, (uint64_t)like->pid << 8 | like->kind));

	hash = hash_pair(hash, hash_bytes(like->build_id, like->build_id_len));
	for (struct table_probe p = table_probe(&b->table, hash); table_next(&b->table, &p);) {
		const struct binary *have = &b->v.v[p.value];

		if (binary_same_key(have, like) &&
		    (!like->build_id_len ||
		     (have->build_id_len == like->build_id_len &&
		      !memcmp(have->build_id, like->build_id, like->build_id_len))))
			return p.value;
	}
	uint32_t id = (uint32_t)b->v.n;
	struct binary binary = *like;

	binary.path = xstrdup(like->path);
	vec_push(&b->v, binary);
	table_add(&b->table, hash, id);
	return id;
}

uint32_t binaries_generation(struct binaries *b, uint32_t binary, uint32_t generation)
{
	struct binary like = *binaries_get(b, binary);

	like.inode = generation;
	return binaries_add(b, &like);
}

static bool binary_same_file(const struct binary *a, const struct binary *b)
{
	if (a->kind != b->kind || strcmp(binary_name(a), binary_name(b)) != 0)
		return false;
	if (a->build_id_len || b->build_id_len)
		return a->build_id_len == b->build_id_len &&
		       !memcmp(a->build_id, b->build_id, a->build_id_len);
	bool generations = a->inode_generation && b->inode_generation &&
			   a->inode_generation != b->inode_generation;

	return a->inode && a->inode == b->inode && a->dev_major == b->dev_major &&
	       a->dev_minor == b->dev_minor && !generations && a->mtime_ns == b->mtime_ns;
}

/* But for their generation. */
static bool binary_same_code(const struct binary *a, const struct binary *b)
{
	return a->kind == b->kind && a->pid == b->pid && a->dev_major == b->dev_major &&
	       a->dev_minor == b->dev_minor && a->inode_generation == b->inode_generation &&
	       !strcmp(a->path, b->path);
}

static bool same_of_kind(const struct binary *a, const struct binary *b)
{
	return b->kind == BINARY_KIND_ANON ? binary_same_code(a, b) : binary_same_file(a, b);
}

uint32_t *binaries_same(const struct binaries *b)
{
	uint32_t *same = xcalloc(b->v.n, sizeof(*same));
	struct table seen = { 0 };

	for (uint32_t i = 0; i < b->v.n; i++) {
		const struct binary *binary = &b->v.v[i];
		uint64_t hash = hash_pair(hash_str(binary_name(binary)),
					  (uint64_t)binary->pid << 8 | binary->kind);

		same[i] = i;
		if (binary->kind != BINARY_KIND_FILE && binary->kind != BINARY_KIND_ANON)
			continue;
		for (struct table_probe p = table_probe(&seen, hash); table_next(&seen, &p);) {
			if (same_of_kind(&b->v.v[p.value], binary)) {
				same[i] = p.value;
				break;
			}
		}
		if (same[i] == i)
			table_add(&seen, hash, i);
	}
	table_deinit(&seen);
	return same;
}

const char *binary_name(const struct binary *b)
{
	switch (b->kind) {
	case BINARY_KIND_UNKNOWN:
		return "[unknown]";
	case BINARY_KIND_KERNEL:
		return "[kernel]";
	case BINARY_KIND_VDSO:
		return "[vdso]";
	case BINARY_KIND_ANON:
		return b->path[0] == '[' ? b->path : "[anon]";
	case BINARY_KIND_FILE:
	case BINARY_KIND_TEXT:
		break;
	}
	const char *slash = strrchr(b->path, '/');

	return slash && slash[1] ? slash + 1 : b->path;
}
