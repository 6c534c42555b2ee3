/* In: places hit in functions. Out: the functions' code, and lines for all of it. */
#include "cmd/report_asm.h"

#include "symbol/locate.h"

/* The file of a binary. */
struct code_file {
	const struct binary *binary;
	struct elffile *file; /* NULL: */
	char *why;
	struct elfsyms syms; /* of `file` */
};

struct code_files {
	VEC(struct code_file) v;
};

static void code_files_deinit(struct code_files *c)
{
	for (size_t i = 0; i < c->v.n; i++) {
		elfsyms_deinit(&c->v.v[i].syms);
		elffile_destroy(c->v.v[i].file);
		free(c->v.v[i].why);
	}
	vec_deinit(&c->v);
}

/* Opened once. Valid until the next call. */
static const struct code_file *code_files_get(struct code_files *c, struct binary *binary,
					      const char *sysroot)
{
	struct code_file new = { .binary = binary };

	for (size_t i = 0; i < c->v.n; i++)
		if (c->v.v[i].binary == binary)
			return &c->v.v[i];
	if (binary->kind != BINARY_KIND_FILE) {
		new.why = xstrdup("it is in no file");
	} else {
		struct located found = locate_file(binary, -1, sysroot);

		new.file = found.file;
		new.why = found.why;
	}
	if (new.file)
		elfsyms_init(&new.syms, new.file);
	vec_push(&c->v, new);
	return &c->v.v[c->v.n - 1];
}

/* Lines of every instruction, not only of those that were hit; all at once, since debug information
 * is opened for each run. */
static struct err *name_lines(const struct asmlist *a, struct symbolizer *symbols)
{
	VEC(struct place) places = { 0 };

	for (size_t i = 0; i < a->parts.n; i++) {
		const struct asm_part *part = &a->parts.v[i];
		uint32_t binary = a->v.v[part->first].binary;

		for (size_t k = 0; k < part->code.v.n; k++)
			vec_push(&places, ((struct place){ binary, part->code.v.v[k].off }));
	}
	struct err *err = symbolizer_run_places(symbols, places.v, places.n);

	vec_deinit(&places);
	return err;
}

static void make_parts(struct asmlist *a, struct dataset *data, const char *sysroot,
		       struct code_files *files)
{
	for (size_t i = 0; i < a->v.n;) {
		struct binary *binary = binaries_get(&data->binaries, a->v.v[i].binary);
		const struct code_file *c = code_files_get(files, binary, sysroot);
		struct disasm code = { 0 };
		char *why = NULL;
		struct err *err = c->file ? disasm_function(&c->syms, a->v.v[i].off, &code) : NULL;

		if (err || !c->file) {
			disasm_deinit(&code);
			why = xstrdup(err ? err_msg(err) : c->why);
			err_destroy(err);
		}
		i = asmlist_add_part(a, i, &code, why);
	}
}

struct err *report_asm(struct asmlist *a, struct dataset *data, struct symbolizer *symbols,
		       const char *sysroot)
{
	struct code_files files = { 0 };

	make_parts(a, data, sysroot, &files);
	code_files_deinit(&files);
	return name_lines(a, symbols);
}
