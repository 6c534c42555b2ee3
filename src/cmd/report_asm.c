/* In: places hit in functions. Out: the functions' code, and lines for all of it. */
#include "cmd/report_asm.h"

#include "symbol/locate.h"

/* The file of a binary, kept open from one part to the next. */
struct code_file {
	const struct binary *binary; /* NULL: none yet */
	struct elffile *file;        /* NULL: */
	char *why;
};

static void code_file_close(struct code_file *c)
{
	elffile_destroy(c->file);
	free(c->why);
	*c = (struct code_file){ 0 };
}

static void code_file_open(struct code_file *c, struct binary *binary, const char *sysroot)
{
	if (c->binary == binary)
		return;
	code_file_close(c);
	c->binary = binary;
	if (binary->kind != BINARY_KIND_FILE) {
		c->why = xstrdup("it is in no file");
		return;
	}
	struct located found = locate_file(binary, -1, sysroot);

	c->file = found.file;
	c->why = found.why;
}

/* Lines of every instruction, not only of those that were hit. */
static struct err *name_lines(const struct asm_part *part, uint32_t binary,
			      struct symbolizer *symbols)
{
	size_t n = part->code.v.n;
	_cleanup_free_ struct place *places = xcalloc(n + 1, sizeof(*places));

	for (size_t i = 0; i < n; i++)
		places[i] = (struct place){ binary, part->code.v.v[i].off };
	return symbolizer_run_places(symbols, places, n);
}

static struct err *make_parts(struct asmlist *a, struct dataset *data, struct symbolizer *symbols,
			      const char *sysroot, struct code_file *c)
{
	for (size_t i = 0; i < a->v.n;) {
		uint32_t binary = a->v.v[i].binary;
		struct disasm code = { 0 };
		char *why = NULL;

		code_file_open(c, binaries_get(&data->binaries, binary), sysroot);
		struct err *err = c->file ? disasm_function(c->file, a->v.v[i].off, &code) : NULL;

		if (err || !c->file) {
			disasm_deinit(&code);
			why = xstrdup(err ? err_msg(err) : c->why);
			err_destroy(err);
		}
		i = asmlist_add_part(a, i, &code, why);
		TRY(name_lines(&a->parts.v[a->parts.n - 1], binary, symbols));
	}
	return NULL;
}

struct err *report_asm(struct asmlist *a, struct dataset *data, struct symbolizer *symbols,
		       const char *sysroot)
{
	struct code_file c = { 0 };
	struct err *err = make_parts(a, data, symbols, sysroot, &c);

	code_file_close(&c);
	return err;
}
