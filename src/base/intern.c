/* In: strings. Out: small numbers for them. */
#include "base/intern.h"

void intern_init(struct intern *in)
{
	*in = (struct intern){ 0 };
	intern_add(in, "");
}

void intern_deinit(struct intern *in)
{
	for (size_t i = 0; i < in->strings.n; i++)
		free(in->strings.v[i]);
	vec_deinit(&in->strings);
	table_deinit(&in->table);
}

uint32_t intern_add_len(struct intern *in, const char *s, size_t len)
{
	len = strnlen(s, len);
	uint64_t hash = hash_bytes(s, len);

	for (struct table_probe p = table_probe(&in->table, hash); table_next(&in->table, &p);) {
		const char *have = in->strings.v[p.value];

		if (!strncmp(have, s, len) && !have[len])
			return p.value;
	}
	uint32_t id = (uint32_t)in->strings.n;

	vec_push(&in->strings, xstrndup(s, len));
	table_add(&in->table, hash, id);
	return id;
}

uint32_t intern_add(struct intern *in, const char *s)
{
	return intern_add_len(in, s, strlen(s));
}

const char *intern_str(const struct intern *in, uint32_t id)
{
	return in->strings.v[id];
}
