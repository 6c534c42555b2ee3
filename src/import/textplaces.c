/* In: names and modules. Out: their numbers, and entries in the table of names. */
#include "import/textplaces.h"

#include <string.h>

#include "base/buf.h"

enum { MAX_FUNCTIONS = 64 };

uint32_t textplaces_binary(struct dataset *data, struct text_span module, uint64_t by)
{
	_cleanup_free_ char *path = xstrndup(module.p, module.len);
	struct binary b = { .kind = BINARY_KIND_TEXT, .path = path, .inode = by };

	return binaries_add(&data->binaries, &b);
}

/* "[libx.so]" is what tools write for want of a name. */
static uint16_t flags_of(struct text_span name)
{
	bool stand_in = name.len > 1 && name.p[0] == '[' && name.p[name.len - 1] == ']';

	return stand_in ? 0 : NAME_FOUND;
}

/* The number of a chain is that of its functions with "->" between them, as perf writes it. */
static uint32_t chain_number(struct intern *strings, const struct text_span *functions, uint16_t n)
{
	struct buf all = { 0 };

	for (uint16_t i = 0; i < n; i++) {
		if (i)
			buf_bytes(&all, "->", 2);
		buf_bytes(&all, functions[i].p, functions[i].len);
	}
	uint32_t id = intern_add_len(strings, (const char *)all.data, all.len);

	buf_deinit(&all);
	return id;
}

struct frame_place textplaces_named(struct dataset *data, uint32_t binary,
				    const struct text_span *functions, uint16_t n)
{
	struct names *names = &data->names;
	struct name_line lines[MAX_FUNCTIONS];

	if (n > MAX_FUNCTIONS)
		n = MAX_FUNCTIONS;
	uint32_t number = n == 1 ? intern_add_len(&names->strings, functions->p, functions->len)
				 : chain_number(&names->strings, functions, n);

	if (!names_find(names, binary, number)) {
		for (uint16_t i = 0; i < n; i++) {
			const struct text_span *f = &functions[n - 1 - i];

			lines[i] = (struct name_line){ .function = intern_add_len(&names->strings,
										  f->p, f->len) };
		}
		names_set(names, binary, number, lines, n, flags_of(*functions));
	}
	return (struct frame_place){ number, binary };
}

struct frame_place textplaces_unnamed(struct dataset *data, struct text_span module, uint64_t addr)
{
	struct names *names = &data->names;
	uint32_t binary = textplaces_binary(data, module, TEXT_BY_ADDRESS);

	if (!names_find(names, binary, addr)) {
		const char *path = binaries_get(&data->binaries, binary)->path;
		const char *slash = strrchr(path, '/');
		bool known = strcmp(path, "[unknown]") != 0;
		_cleanup_free_ char *name =
			known ? xasprintf("[%s]", slash ? slash + 1 : path) : xstrdup(path);
		struct name_line line = { .function = intern_add(&names->strings, name) };

		names_set(names, binary, addr, &line, 1, 0);
	}
	return (struct frame_place){ addr, binary };
}
