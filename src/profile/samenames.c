/* In: functions. Out: for those whose name is not theirs alone, words that tell them apart. */
#include "profile/samenames.h"

#include <string.h>

/* How much is said of a binary. */
enum detail { DETAIL_NAME, DETAIL_PLACE, DETAIL_ALL };

struct candidate {
	uint32_t func, binary;
	const char *name;
	char *label;
};

static int candidate_cmp(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int cmp = strcmp(x->name, y->name);

	return cmp ?: (x->binary > y->binary) - (x->binary < y->binary);
}

static char *place_of(const struct binary *b)
{
	if (b->kind == BINARY_KIND_ANON)
		return xasprintf("%s of process %u", binary_name(b), b->pid);
	return xstrdup(b->kind == BINARY_KIND_FILE || b->kind == BINARY_KIND_TEXT ? b->path
										  : binary_name(b));
}

/* The caller frees. */
static char *describe(const struct binary *b, enum detail detail)
{
	if (detail == DETAIL_NAME)
		return xstrdup(binary_name(b));
	char *place = place_of(b);

	if (detail == DETAIL_PLACE)
		return place;
	_cleanup_free_ char *before = place;
	char hex[2 * BUILD_ID_MAX + 1] = "";

	for (uint8_t i = 0; i < b->build_id_len; i++)
		snprintf(hex + 2 * i, 3, "%02x", b->build_id[i]);
	if (*hex)
		return xasprintf("%s, build-id %s", before, hex);
	return xasprintf("%s, inode %llu", before, (unsigned long long)b->inode);
}

static int label_cmp(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int cmp = strcmp(x->label, y->label);

	return cmp ?: (x->binary > y->binary) - (x->binary < y->binary);
}

/* Of one name: no more is said of each binary than tells it from the others. */
static void label_group(struct samenames *s, const struct calltree *t, struct candidate *v,
			size_t n)
{
	if (v[0].binary == v[n - 1].binary)
		return;
	for (int detail = DETAIL_NAME; n; detail++) {
		size_t left = 0, from = 0;

		for (size_t i = 0; i < n; i++)
			v[i].label =
				describe(binaries_get(&t->profile->data->binaries, v[i].binary),
					 (enum detail)detail);
		qsort(v, n, sizeof(*v), label_cmp);
		for (size_t i = 1; i <= n; i++) {
			if (i < n && !strcmp(v[i].label, v[from].label))
				continue;
			bool clash = v[from].binary != v[i - 1].binary && detail < DETAIL_ALL;

			for (; from < i; from++) {
				if (!clash) {
					s->of[v[from].func] = v[from].label;
					continue;
				}
				free(v[from].label);
				v[left++] = v[from];
			}
		}
		n = left;
	}
}

void samenames_init(struct samenames *s, const struct calltree *t)
{
	_cleanup_free_ struct candidate *v = xcalloc(t->funcs.n + 1, sizeof(*v));
	size_t n = 0, from = 0;

	s->n = t->funcs.n;
	s->of = xcalloc(s->n + 1, sizeof(*s->of));
	for (uint32_t i = 0; i < t->funcs.n; i++) {
		const struct func *f = &t->funcs.v[i];

		if (f->origin != ORIGIN_GROUP && f->origin != ORIGIN_UNKNOWN)
			v[n++] = (struct candidate){ i, f->binary, f->name, NULL };
	}
	qsort(v, n, sizeof(*v), candidate_cmp);
	for (size_t i = 1; i <= n; i++) {
		if (i < n && !strcmp(v[i].name, v[from].name))
			continue;
		label_group(s, t, v + from, i - from);
		from = i;
	}
}

void samenames_deinit(struct samenames *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->of[i]);
	free(s->of);
}
