/* In: the text of /proc/kallsyms. Out: sorted function starts and what bounds them. */
#include "symbol/kallsyms.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/vec.h"

struct kallsym {
	uint64_t addr;
	uint32_t name; /* offset into the pool; 0: no function, only a bound */
	uint8_t rank;  /* among symbols of one address, the smallest names it */
};

struct kallsyms {
	VEC(struct kallsym) v;
	struct buf pool; /* names, each with its NUL; offset 0 is unused */
	uint64_t stext;
};

enum { RANK_GLOBAL, RANK_WEAK, RANK_LOCAL, RANK_BOUND };

void kallsyms_destroy(struct kallsyms *k)
{
	if (!k)
		return;
	vec_deinit(&k->v);
	buf_deinit(&k->pool);
	free(k);
}

static bool ends_with(const char *s, const char *suffix)
{
	size_t len = strlen(s), suffix_len = strlen(suffix);

	return len >= suffix_len && !strcmp(s + len - suffix_len, suffix);
}

/* Labels of the linker script that open or close a section: no function's name (kernel,
 * include/asm-generic/vmlinux.lds.h). */
static bool is_section_mark(const char *name)
{
	static const char *const marks[] = {
		"_text",      "_stext",       "_etext",     "_sinittext", "_einittext",
		"__pi__text", "__init_begin", "__init_end", "_end",
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (!strcmp(name, marks[i]))
			return true;
	return name[0] == '_' && name[1] == '_' &&
	       (ends_with(name, "_text_start") || ends_with(name, "_text_end"));
}

static uint8_t kallsyms_rank(char type, const char *name)
{
	if (!strchr("TtWw", type) || is_section_mark(name))
		return RANK_BOUND;
	if (type == 'T')
		return RANK_GLOBAL;
	return type == 't' ? RANK_LOCAL : RANK_WEAK;
}

/* Returns whether the line has the form of one; `ret->addr` may be zero. The name is cut at its
 * end within `line`. */
static bool kallsyms_parse(char *line, uint64_t *ret_addr, char *ret_type, char **ret_name)
{
	char *end;

	if (!isxdigit((unsigned char)line[0]) || line[1] == 'x' || line[1] == 'X')
		return false;
	errno = 0;
	*ret_addr = strtoull(line, &end, 16);
	if (errno || end[0] != ' ' || !isalpha((unsigned char)end[1]) || end[2] != ' ')
		return false;
	*ret_type = end[1];
	*ret_name = end + 3;
	(*ret_name)[strcspn(*ret_name, " \t\n")] = 0;
	return (*ret_name)[0] != 0;
}

/* False once the pool is as large as its offsets allow. */
static bool kallsyms_add(struct kallsyms *k, uint64_t addr, char type, const char *name)
{
	struct kallsym sym = { .addr = addr, .rank = kallsyms_rank(type, name) };

	if (!strcmp(name, "_stext"))
		k->stext = addr;
	if (sym.rank != RANK_BOUND) {
		if (k->pool.len > UINT32_MAX - strlen(name) - 1)
			return false;
		sym.name = (uint32_t)k->pool.len;
		buf_cstr(&k->pool, name);
	}
	vec_push(&k->v, sym);
	return true;
}

/* Reads on to the end of a line that was longer than the buffer. */
static void skip_line(FILE *f)
{
	int c;

	do
		c = getc_unlocked(f);
	while (c != '\n' && c != EOF);
}

/* The number of lines that name a function, with or without its address. */
static size_t kallsyms_read(struct kallsyms *k, FILE *f)
{
	char line[2048]; /* KSYM_NAME_LEN is 512, a module's name 56 */
	size_t n_text = 0;

	buf_u8(&k->pool, 0);
	while (fgets(line, sizeof(line), f)) {
		uint64_t addr;
		char type;
		char *name;

		if (!strchr(line, '\n') && !feof(f)) {
			skip_line(f);
			continue;
		}
		/* Absolute symbols are offsets of per-CPU data, not addresses. */
		if (!kallsyms_parse(line, &addr, &type, &name) || type == 'A' || type == 'a')
			continue;
		n_text += strchr("TtWw", type) != NULL;
		if (addr && !kallsyms_add(k, addr, type, name))
			break;
	}
	return n_text;
}

static size_t leading_underscores(const char *s)
{
	return strspn(s, "_");
}

/* By address, then the better name first, as in elfsyms. */
static int kallsym_cmp(const void *va, const void *vb, void *pool)
{
	const struct kallsym *a = va, *b = vb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	const char *a_name = (const char *)pool + a->name, *b_name = (const char *)pool + b->name;
	size_t a_n = leading_underscores(a_name), b_n = leading_underscores(b_name);

	if (a_n == b_n) {
		a_n = strlen(a_name);
		b_n = strlen(b_name);
	}
	if (a_n != b_n)
		return a_n < b_n ? -1 : 1;
	return strcmp(a_name, b_name);
}

static void kallsyms_sort(struct kallsyms *k)
{
	size_t n = 0;

	if (k->v.n)
		qsort_r(k->v.v, k->v.n, sizeof(k->v.v[0]), kallsym_cmp, k->pool.data);
	for (size_t i = 0; i < k->v.n; i++)
		if (!n || k->v.v[n - 1].addr != k->v.v[i].addr)
			k->v.v[n++] = k->v.v[i];
	k->v.n = n;
}

bool kallsyms_is_empty(const struct kallsyms *k)
{
	return k->pool.len <= 1;
}

static long read_sysctl(const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	long value;

	return f && fscanf(f, "%ld", &value) == 1 ? value : -1;
}

/* With kptr_restrict at 0 the kernel still hides addresses from the unprivileged where
 * perf_event_paranoid is above 1 (kernel/ksyms_common.c, kallsyms_show_value()). */
static void report_hidden(const char *path, struct diag *diag)
{
	long kptr = read_sysctl("/proc/sys/kernel/kptr_restrict");

	if (kptr)
		diag_add(diag, DIAG_WARNING, "kptr-restrict",
			 "kernel functions have no names: %s hides its addresses, "
			 "kernel.kptr_restrict is %ld: sysctl kernel.kptr_restrict=0",
			 path, kptr);
	else
		diag_add(diag, DIAG_WARNING, "kptr-restrict",
			 "kernel functions have no names: %s hides its addresses from this user, "
			 "kernel.kptr_restrict is 0 and kernel.perf_event_paranoid is %ld: "
			 "sysctl kernel.perf_event_paranoid=1",
			 path, read_sysctl("/proc/sys/kernel/perf_event_paranoid"));
}

struct err *kallsyms_load(const char *path, struct diag *diag, struct kallsyms **ret)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");

	if (!f)
		return err_sys(errno, "cannot open %s", path);
	CLEANUP(kallsyms_destroy) struct kallsyms *k = xcalloc(1, sizeof(*k));
	size_t n_text = kallsyms_read(k, f);

	if (ferror(f))
		return err_sys(errno, "cannot read %s", path);
	kallsyms_sort(k);
	if (n_text && kallsyms_is_empty(k))
		report_hidden(path, diag);
	*ret = take_ptr(k);
	return NULL;
}

const char *kallsyms_find(const struct kallsyms *k, uint64_t addr)
{
	size_t lo = 0, hi = k->v.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (k->v.v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return NULL;
	const struct kallsym *sym = &k->v.v[lo - 1];

	if (!sym->name || addr - sym->addr >= KALLSYMS_REACH)
		return NULL;
	return (const char *)k->pool.data + sym->name;
}

uint64_t kallsyms_stext(const struct kallsyms *k)
{
	return k->stext;
}
