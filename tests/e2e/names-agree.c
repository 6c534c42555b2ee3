/* The names of a few thousand places in large binaries against nm(1): a place that sized symbols
 * cover has the name of one of those that start last; a place that none covers has no symbol's
 * name. Files: the arguments, or large binaries that are often there. */
#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "symbol/demangle.h"
#include "symbol/elfsyms.h"
#include "symbol/symbolizer.h"

enum { N_PLACES = 4000, SKIP = 77 };

struct nm_symbol {
	uint64_t addr, size;
	char *name;
};

struct nm_symbols {
	VEC(struct nm_symbol) v;
};

static void nm_read(struct nm_symbols *syms, const char *options, const char *path)
{
	_cleanup_free_ char *command =
		xasprintf("nm -S --defined-only %s '%s' 2>/dev/null", options, path);
	FILE *f = popen(command, "r");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) > 0) {
		struct nm_symbol sym = { 0 };
		char type = 0;
		int at = 0;

		line[strcspn(line, "\n")] = 0;
		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %c %n", &sym.addr, &sym.size, &type,
			   &at) < 3) {
			sym.size = 0;
			if (sscanf(line, "%" SCNx64 " %c %n", &sym.addr, &type, &at) < 2)
				continue;
		}
		if (!at || !strchr("tTwWiI", type))
			continue;
		sym.name = xstrndup(line + at, elfsym_name_len(line + at));
		vec_push(&syms->v, sym);
	}
	if (f)
		pclose(f);
}

static void nm_free(struct nm_symbols *syms)
{
	for (size_t i = 0; i < syms->v.n; i++)
		free(syms->v.v[i].name);
	vec_deinit(&syms->v);
}

/* What nm says of one address. */
struct nm_opinion {
	uint64_t start;
	bool covered;
	bool after_unsized; /* a symbol of size zero comes before: nobody knows how far it goes */
};

static struct nm_opinion nm_judge(const struct nm_symbols *syms, uint64_t addr)
{
	struct nm_opinion v = { 0 };

	for (size_t i = 0; i < syms->v.n; i++) {
		const struct nm_symbol *sym = &syms->v.v[i];

		if (sym->addr > addr)
			continue;
		v.after_unsized |= !sym->size;
		if (addr - sym->addr < sym->size && (!v.covered || sym->addr > v.start)) {
			v.covered = true;
			v.start = sym->addr;
		}
	}
	return v;
}

static bool nm_accepts(const struct nm_symbols *syms, uint64_t addr, uint64_t start,
		       const char *name)
{
	for (size_t i = 0; i < syms->v.n; i++) {
		const struct nm_symbol *sym = &syms->v.v[i];

		if (sym->addr != start || addr - start >= sym->size)
			continue;
		_cleanup_free_ char *readable = demangle(sym->name);

		if (!strcmp(name, readable ? readable : sym->name))
			return true;
	}
	return false;
}

static bool agrees(const struct nm_symbols *syms, uint64_t addr, const char *name, bool found)
{
	struct nm_opinion v = nm_judge(syms, addr);
	size_t len = strlen(name);

	if (v.covered)
		return found && nm_accepts(syms, addr, v.start, name);
	return !found || v.after_unsized || (len > 4 && !strcmp(name + len - 4, "@plt"));
}

/* Half of the places lie in symbols, half anywhere in the largest segment of code. */
static uint64_t choose_addr(const struct nm_symbols *syms, const GElf_Phdr *code)
{
	if (syms->v.n && lrand48() % 2) {
		const struct nm_symbol *sym = &syms->v.v[(size_t)lrand48() % syms->v.n];

		return sym->addr + (sym->size ? (uint64_t)lrand48() % sym->size : 0);
	}
	return code->p_vaddr + (uint64_t)(drand48() * (double)code->p_filesz);
}

static bool largest_code(Elf *elf, GElf_Phdr *ret)
{
	size_t n;

	*ret = (GElf_Phdr){ 0 };
	if (elf_getphdrnum(elf, &n) < 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr phdr;

		if (gelf_getphdr(elf, (int)i, &phdr) && phdr.p_type == PT_LOAD &&
		    (phdr.p_flags & PF_X) && phdr.p_filesz > ret->p_filesz)
			*ret = phdr;
	}
	return ret->p_filesz != 0;
}

static uint32_t add_binary(struct dataset *data, struct elffile *file, const char *path, int fd)
{
	struct binary binary = { .kind = BINARY_KIND_FILE, .path = (char *)path };
	struct stat st;

	if (fstat(fd, &st) == 0) {
		binary.inode = st.st_ino;
		binary.dev_major = major(st.st_dev);
		binary.dev_minor = minor(st.st_dev);
	}
	binary.build_id_len = (uint8_t)elffile_build_id(file, binary.build_id);
	return binaries_add(&data->binaries, &binary);
}

/* The number of places on which the two differ. */
static size_t compare(const struct dataset *data, struct elffile *file,
		      const struct nm_symbols *syms)
{
	size_t n_bad = 0;

	for (size_t i = 0; i < data->names.entries.n; i++) {
		const struct name_entry *e = &data->names.entries.v[i];
		const char *name =
			intern_str(&data->names.strings, data->names.lines.v[e->first].function);
		uint64_t addr;

		/* nm -D calls thread-local variables code in files that BOLT rewrote. */
		if (!elffile_off_to_svma(file, e->off, &addr) || !elffile_is_code(file, addr) ||
		    agrees(syms, addr, name, e->flags & NAME_FOUND))
			continue;
		if (n_bad++ < 5)
			printf("  0x%" PRIx64 ": %s\n", addr, name);
	}
	return n_bad;
}

static size_t count_found(const struct names *names)
{
	size_t n = 0;

	for (size_t i = 0; i < names->entries.n; i++)
		n += names->entries.v[i].flags & NAME_FOUND;
	return n;
}

/* Enters names for places all over the file into `data`; false if it was refused. */
static bool name_places(struct dataset *data, struct elffile *file, const char *path,
			const struct nm_symbols *syms)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint32_t binary = add_binary(data, file, path, fd);
	CLEANUP(symbolizer_destroy) struct symbolizer *symbolizer = symbolizer_create(data, NULL);
	static struct place places[N_PLACES];
	GElf_Phdr code;
	size_t n = 0;

	if (!largest_code(elffile_elf(file), &code))
		return false;
	for (size_t i = 0; i < N_PLACES; i++) {
		places[n].binary = binary;
		if (elffile_svma_to_off(file, choose_addr(syms, &code), &places[n].key))
			n++;
	}
	/* nm knows of no debug file. */
	symbolizer_configure(symbolizer, &(struct symbolizer_options){ .own_symbols = true });
	symbolizer_give_fd(symbolizer, binary, fd);
	_cleanup_err_ struct err *err = symbolizer_run_places(symbolizer, places, n);

	return !err && symbolizer_status(symbolizer, binary)->opened;
}

static bool check_file(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	CLEANUP(elffile_destroy) struct elffile *file = NULL;
	_cleanup_err_ struct err *err = elffile_open(fd, &file);
	struct nm_symbols syms = { 0 };
	struct dataset data;

	if (err) {
		printf("%s: %s\n", path, err_msg(err));
		return false;
	}
	nm_read(&syms, "", path);
	nm_read(&syms, "-D", path);
	dataset_init(&data);
	bool ok = name_places(&data, file, path, &syms);
	size_t n_bad = compare(&data, file, &syms), n_found = count_found(&data.names);

	ok = ok && !n_bad && (n_found || !syms.v.n);
	printf("%s: %s: %zu places, %zu named, %zu differ, %zu symbols\n", ok ? "ok" : "FAILED",
	       path, data.names.entries.n, n_found, n_bad, syms.v.n);
	dataset_deinit(&data);
	nm_free(&syms);
	return ok;
}

/* Checks what matches; returns how many files, or -1 if one failed. */
static int check_matches(const char *pattern)
{
	glob_t found;
	int n = 0;

	if (glob(pattern, 0, NULL, &found))
		return 0;
	for (size_t i = 0; i < found.gl_pathc && n >= 0; i++)
		n = check_file(found.gl_pathv[i]) ? n + 1 : -1;
	globfree(&found);
	return n;
}

int main(int argc, char **argv)
{
	static const char *const usual[] = {
		"/lib/*-linux-gnu/libc.so.6",         "/lib64/libc.so.6",
		"/usr/lib/*-linux-gnu/libLLVM*.so.1", "/usr/lib/*-linux-gnu/libpython3*.so.1.0",
		"/usr/lib/gcc/*/*/cc1plus",
	};
	int n = 0;

	if (system("nm --version >/dev/null 2>&1")) {
		printf("skipped: no nm\n");
		return SKIP;
	}
	for (int i = 1; i < argc; i++, n++)
		if (!check_file(argv[i]))
			return 1;
	for (size_t i = 0; argc == 1 && i < sizeof(usual) / sizeof(usual[0]); i++) {
		int here = check_matches(usual[i]);

		if (here < 0)
			return 1;
		n += here;
	}
	if (!n)
		printf("skipped: none of the usual binaries is here\n");
	return n ? 0 : SKIP;
}
