/* In: places hit in functions. Out: the functions' code, and lines for all of it. */
#include "cmd/report_asm.h"

#include "symbol/jitbytes.h"
#include "symbol/locate.h"
#include "symbol/vmlinux.h"

/* Where a binary's code is. */
struct code_file {
	const struct binary *binary;
	struct elffile *file; /* NULL: */
	bool is_dump;
	struct jitdump dump; /* or else: */
	char *why;
	struct elfsyms syms; /* of `file` */
	uint64_t shift;      /* of the kernel: as run minus as linked */
};

struct code_files {
	const struct dataset *data;
	const char *sysroot, *vmlinux; /* NULL: none */
	VEC(struct code_file) v;
};

static const char kernel_note[] = "as built: the kernel patches its code when it boots and runs";

static void code_files_deinit(struct code_files *c)
{
	for (size_t i = 0; i < c->v.n; i++) {
		elfsyms_deinit(&c->v.v[i].syms);
		elffile_destroy(c->v.v[i].file);
		if (c->v.v[i].is_dump)
			jitdump_deinit(&c->v.v[i].dump);
		free(c->v.v[i].why);
	}
	vec_deinit(&c->v);
}

static void open_dump(struct code_file *c, const struct dataset *data)
{
	_cleanup_err_ struct err *err = jitbytes_open(&data->binaries, c->binary, &c->dump);

	c->is_dump = !err;
	c->why = err ? xstrdup(err_msg(err)) : NULL;
}

static void open_kernel(struct code_file *c, const struct dataset *data, const char *vmlinux)
{
	_cleanup_err_ struct err *err =
		vmlinux ? vmlinux_open(vmlinux, &data->meta, &c->file, &c->shift)
			: err_new("it needs the kernel's own file, by --vmlinux FILE");

	c->why = err ? xstrdup(err_msg(err)) : NULL;
}

static void code_file_open(struct code_file *c, const struct code_files *of, struct binary *binary)
{
	struct located found = { 0 };

	c->binary = binary;
	if (binary->kind == BINARY_KIND_ANON && binary->pid) {
		open_dump(c, of->data);
		return;
	}
	if (binary->kind == BINARY_KIND_FILE)
		found = locate_file(binary, -1, of->sysroot);
	else if (binary->kind == BINARY_KIND_VDSO)
		found = locate_vdso(binary, &of->data->meta);
	else if (binary->kind != BINARY_KIND_KERNEL)
		found.why = xstrdup("it is in no file");
	c->file = found.file;
	c->why = found.why;
	if (binary->kind == BINARY_KIND_KERNEL)
		open_kernel(c, of->data, of->vmlinux);
	if (c->file)
		elfsyms_init(&c->syms, c->file);
}

/* Opened once. Valid until the next call. */
static const struct code_file *code_files_get(struct code_files *c, struct binary *binary)
{
	struct code_file new = { 0 };

	for (size_t i = 0; i < c->v.n; i++)
		if (c->v.v[i].binary == binary)
			return &c->v.v[i];
	code_file_open(&new, c, binary);
	vec_push(&c->v, new);
	return &c->v.v[c->v.n - 1];
}

/* NULL: not picked by name. */
static const char *function_of(const struct asmlist *a, const struct insn_cost *cost)
{
	const struct picked *p = &a->picked;

	return p->tree ? p->tree->funcs.v[p->functions.v.v[cost->function].func].name : NULL;
}

/* Places of the kernel are the addresses at which it ran. */
static struct err *disassemble_kernel(const struct code_file *c, uint64_t avma, struct disasm *ret)
{
	uint64_t svma = avma - c->shift, off;

	if (!vmlinux_is_code(c->file, svma))
		return err_new("a module or a BPF program, which is not in the kernel's own file");
	if (!elffile_svma_to_off(c->file, svma, &off))
		return err_new("the file given by --vmlinux has no code in it");
	TRY(disasm_function(&c->syms, off, ret));
	for (size_t i = 0; i < ret->v.n; i++)
		ret->v.v[i].off = ret->v.v[i].svma + c->shift;
	return NULL;
}

static struct err *disassemble(const struct code_file *c, const struct asmlist *a,
			       const struct insn_cost *cost, struct disasm *ret)
{
	const struct jitdump_code *code;

	if (c->why)
		return err_new("%s", c->why);
	if (c->binary->kind == BINARY_KIND_KERNEL)
		return disassemble_kernel(c, cost->off, ret);
	if (c->file)
		return disasm_function(&c->syms, cost->off, ret);
	TRY(jitbytes_find(&c->dump, cost->off, function_of(a, cost), &code));
	return disasm_bytes((uint16_t)c->dump.machine, code->start, code->bytes,
			    code->end - code->start, ret);
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

static void make_parts(struct asmlist *a, struct code_files *files)
{
	for (size_t i = 0; i < a->v.n;) {
		struct binary *binary = binaries_get(&files->data->binaries, a->v.v[i].binary);
		const struct code_file *c = code_files_get(files, binary);
		struct disasm code = { 0 };
		char *why = NULL;
		_cleanup_err_ struct err *err = disassemble(c, a, &a->v.v[i], &code);

		if (err) {
			disasm_deinit(&code);
			code = (struct disasm){ 0 };
			why = xstrdup(err_msg(err));
		}
		i = asmlist_add_part(a, i, &code, why);
		if (!why && binary->kind == BINARY_KIND_KERNEL)
			a->parts.v[a->parts.n - 1].note = kernel_note;
	}
}

struct err *report_asm(struct asmlist *a, struct dataset *data, struct symbolizer *symbols,
		       const char *sysroot, const char *vmlinux)
{
	struct code_files files = { .data = data, .sysroot = sysroot, .vmlinux = vmlinux };

	make_parts(a, &files);
	code_files_deinit(&files);
	return name_lines(a, symbols);
}
