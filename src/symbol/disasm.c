/* In: an ELF file, a place in it. Out: the instructions of the function there. */
#include "symbol/disasm.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "config.h"

#ifdef HAVE_CAPSTONE
#include <capstone/capstone.h>
#include <dlfcn.h>

#include "symbol/plt.h"
#endif

void disasm_deinit(struct disasm *d)
{
	vec_deinit(&d->v);
	buf_deinit(&d->text);
}

#ifdef HAVE_CAPSTONE

/* Loaded when first needed: its tables cost every start some milliseconds. The major version is
 * that of the headers, which describe its structs. */
static struct {
	bool tried;
	const char *missing; /* what; NULL: nothing */
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_option) *option;
	__typeof__(cs_malloc) *malloc;
	__typeof__(cs_free) *free;
	__typeof__(cs_disasm_iter) *next;
	__typeof__(cs_strerror) *strerror;
} capstone;

#define STRING_OF(x) STRING(x)
#define STRING(x) #x
#define LIBRARY "libcapstone.so." STRING_OF(CS_API_MAJOR)

static const char *load(void)
{
	void *lib = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!lib)
		return "is not installed";
	capstone.open = (__typeof__(cs_open) *)dlsym(lib, "cs_open");
	capstone.close = (__typeof__(cs_close) *)dlsym(lib, "cs_close");
	capstone.option = (__typeof__(cs_option) *)dlsym(lib, "cs_option");
	capstone.malloc = (__typeof__(cs_malloc) *)dlsym(lib, "cs_malloc");
	capstone.free = (__typeof__(cs_free) *)dlsym(lib, "cs_free");
	capstone.next = (__typeof__(cs_disasm_iter) *)dlsym(lib, "cs_disasm_iter");
	capstone.strerror = (__typeof__(cs_strerror) *)dlsym(lib, "cs_strerror");
	return capstone.open && capstone.close && capstone.option && capstone.malloc &&
			       capstone.free && capstone.next && capstone.strerror
		       ? NULL
		       : "is not what it should be";
}

struct err *disasm_missing(void)
{
	if (!capstone.tried)
		capstone.missing = load();
	capstone.tried = true;
	return capstone.missing ? err_new(LIBRARY ", which disassembles, %s (Debian: "
						  "libcapstone" STRING_OF(CS_API_MAJOR) ")",
					  capstone.missing)
				: NULL;
}

/* Half open, as linked. */
struct range {
	uint64_t start, end;
};

static bool range_by_symbol(const struct elfsyms *syms, uint64_t svma, struct range *ret)
{
	struct elfsyms_walk walk;

	elfsyms_walk_init(&walk, syms);
	const struct elfsym *sym = elfsyms_walk_to(&walk, svma);

	if (sym)
		*ret = (struct range){ sym->addr, sym->end };
	/* One of size zero ends at its FDE's end, else where the next begins. */
	if (sym && !sym->sized) {
		uint64_t start, end;

		if (elffile_fde(syms->file, svma, &start, &end))
			ret->end = end;
		for (size_t i = 0; i < syms->v.n; i++)
			if (syms->v.v[i].addr > svma && syms->v.v[i].addr < ret->end)
				ret->end = syms->v.v[i].addr;
	}
	elfsyms_walk_deinit(&walk);
	return sym && ret->start <= svma && svma < ret->end;
}

/* FDEs cover all stubs of a section as one. */
static bool range_by_stub(const struct elfsyms *syms, uint64_t svma, struct range *ret)
{
	struct plt plt;

	plt_init(&plt, syms);
	const struct plt_stub *stub = plt_find(&plt, svma);

	if (stub)
		*ret = (struct range){ stub->start, stub->end };
	plt_deinit(&plt);
	return stub;
}

static struct err *function_range(const struct elfsyms *syms, uint64_t svma, struct range *ret)
{
	if (range_by_symbol(syms, svma, ret) || range_by_stub(syms, svma, ret) ||
	    (elffile_fde(syms->file, svma, &ret->start, &ret->end) && ret->start <= svma &&
	     svma < ret->end))
		return NULL;
	return err_new(
		"neither a symbol nor unwind information says where the function at 0x%" PRIx64
		" begins and ends",
		svma);
}

static struct err *open_engine(uint16_t machine, bool is_64bit, csh *ret, uint32_t *ret_step)
{
	cs_arch arch;
	cs_mode mode = CS_MODE_LITTLE_ENDIAN;

	*ret_step = 4;
	switch (machine) {
	case EM_X86_64:
	case EM_386:
		arch = CS_ARCH_X86;
		mode = is_64bit ? CS_MODE_64 : CS_MODE_32;
		*ret_step = 1;
		break;
	case EM_AARCH64:
		arch = CS_ARCH_ARM64;
		break;
	default:
		return err_new("code of this machine (ELF number %u) is not disassembled", machine);
	}
	cs_err err = capstone.open(arch, mode, ret);

	if (err != CS_ERR_OK)
		return err_new("capstone: %s", capstone.strerror(err));
	if (arch == CS_ARCH_X86) /* as objdump and perf write it */
		capstone.option(*ret, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	return NULL;
}

static void add(struct disasm *d, uint64_t off, uint64_t svma, uint32_t len, const char *text)
{
	vec_push(&d->v, ((struct disasm_insn){ off, svma, len, (uint32_t)d->text.len }));
	buf_cstr(&d->text, text);
}

/* What is no instruction, so that all bytes of the function are there. */
static void add_bytes(struct disasm *d, uint64_t off, uint64_t svma, const uint8_t *p, uint32_t len)
{
	char text[64];
	int at = snprintf(text, sizeof(text), ".byte");

	for (uint32_t i = 0; i < len; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at, "%s0x%02x", i ? ", " : " ",
			       p[i]);
	add(d, off, svma, len, text);
}

static void run(csh engine, struct disasm *d, uint64_t off, uint64_t svma, const uint8_t *p,
		size_t len, uint32_t step)
{
	cs_insn *insn = capstone.malloc(engine);

	while (len && insn) {
		const uint8_t *from = p;
		uint64_t at = svma;

		if (capstone.next(engine, &p, &len, &svma, insn)) {
			_cleanup_free_ char *text = xasprintf(
				"%s%s%s", insn->mnemonic, *insn->op_str ? " " : "", insn->op_str);

			add(d, off, at, insn->size, text);
			off += insn->size;
			continue;
		}
		uint32_t n = len < step ? (uint32_t)len : step;

		add_bytes(d, off, at, from, n);
		p = from + n;
		svma = at + n;
		off += n;
		len -= n;
	}
	if (insn)
		capstone.free(insn, 1);
}

struct err *disasm_function(const struct elfsyms *syms, uint64_t off, struct disasm *ret)
{
	struct elffile *file = syms->file;
	struct range range;
	uint64_t svma, start_off;
	uint32_t step;
	csh engine = 0;

	TRY(disasm_missing());
	if (!elffile_off_to_svma(file, off, &svma))
		return err_new("offset 0x%" PRIx64 " is in no segment of the file", off);
	TRY(function_range(syms, svma, &range));
	ret->cut = range.end - range.start > DISASM_MAX;
	if (ret->cut) /* around the place, if it is far behind */
		range.start = svma - range.start < DISASM_MAX ? range.start : svma;
	size_t len = range.end - range.start > DISASM_MAX ? DISASM_MAX : range.end - range.start;
	const uint8_t *bytes = elffile_bytes(file, range.start, len);

	if (!bytes || !elffile_svma_to_off(file, range.start, &start_off))
		return err_new("the file does not hold the code from 0x%" PRIx64 " to 0x%" PRIx64,
			       range.start, range.end);
	TRY(open_engine(elffile_machine(file), elffile_is_64bit(file), &engine, &step));
	run(engine, ret, start_off, range.start, bytes, len, step);
	capstone.close(&engine);
	return NULL;
}

struct err *disasm_bytes(uint16_t machine, uint64_t at, const uint8_t *bytes, size_t len,
			 struct disasm *ret)
{
	uint32_t step;
	csh engine = 0;

	TRY(disasm_missing());
	TRY(open_engine(machine, machine != EM_386, &engine, &step));
	ret->cut = len > DISASM_MAX;
	run(engine, ret, at, at, bytes, ret->cut ? DISASM_MAX : len, step);
	capstone.close(&engine);
	return NULL;
}

#else

struct err *disasm_missing(void)
{
	return err_new("this singe was built without capstone, which disassembles: install it "
		       "(Debian: libcapstone-dev), configure and build again");
}

struct err *disasm_function(const struct elfsyms *syms, uint64_t off, struct disasm *ret)
{
	(void)syms;
	(void)off;
	(void)ret;
	return disasm_missing();
}

struct err *disasm_bytes(uint16_t machine, uint64_t at, const uint8_t *bytes, size_t len,
			 struct disasm *ret)
{
	(void)machine;
	(void)at;
	(void)bytes;
	(void)len;
	(void)ret;
	return disasm_missing();
}

#endif
