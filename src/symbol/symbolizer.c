/* In: a dataset with frames. Out: an entry in its table of names for each distinct place. */
#include "symbol/symbolizer.h"

#include <fcntl.h>
#include <string.h>

#include "symbol/boot.h"
#include "symbol/debuginfod.h"
#include "symbol/demangle.h"
#include "symbol/elfnames.h"
#include "symbol/jitnames.h"
#include "symbol/kallsyms.h"
#include "symbol/locate.h"
#include "symbol/vmlinux.h"

/* One a binary, in the same order. */
struct slot {
	struct symbol_status status;
	int fd; /* -1: none given */
	bool gone;
};

struct symbolizer {
	struct dataset *data;
	struct symbolizer_options opt;
	struct diag *diag;
	VEC(struct slot) slots;
	const struct names *stored; /* NULL: none */
	symbolizer_progress_fn *progress;
	void *progress_ctx;
	size_t n_places, n_done; /* of the run; done before the binary at work */
	bool stopped;
};

struct symbolizer *symbolizer_create(struct dataset *data, struct diag *diag)
{
	struct symbolizer *s = xcalloc(1, sizeof(*s));

	s->data = data;
	s->diag = diag;
	return s;
}

void symbolizer_destroy(struct symbolizer *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->slots.n; i++) {
		free(s->slots.v[i].status.why);
		cleanup_close(&s->slots.v[i].fd);
	}
	vec_deinit(&s->slots);
	free(s);
}

void symbolizer_configure(struct symbolizer *s, const struct symbolizer_options *opt)
{
	s->opt = *opt;
}

/* Valid until the next call for a binary not seen before. */
static struct slot *symbolizer_slot(struct symbolizer *s, uint32_t binary)
{
	while (s->slots.n <= binary)
		vec_push(&s->slots, ((struct slot){ .fd = -1 }));
	return &s->slots.v[binary];
}

void symbolizer_give_fd(struct symbolizer *s, uint32_t binary, int fd)
{
	struct slot *slot = symbolizer_slot(s, binary);

	cleanup_close(&slot->fd);
	slot->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

void symbolizer_set_gone(struct symbolizer *s, uint32_t binary)
{
	symbolizer_slot(s, binary)->gone = true;
}

void symbolizer_set_stored(struct symbolizer *s, const struct names *stored)
{
	s->stored = stored;
}

static bool is_stored(const struct symbolizer *s, uint32_t binary, uint64_t key)
{
	const struct name_entry *e = s->stored ? names_find(s->stored, binary, key) : NULL;

	return e && (e->flags & NAME_FOUND);
}

void symbolizer_on_progress(struct symbolizer *s, symbolizer_progress_fn *fn, void *ctx)
{
	s->progress = fn;
	s->progress_ctx = ctx;
}

const struct symbol_status *symbolizer_status(const struct symbolizer *s, uint32_t binary)
{
	static const struct symbol_status none;

	return binary < s->slots.n ? &s->slots.v[binary].status : &none;
}

/* The places of one binary. */
struct group {
	uint32_t binary;
	const uint64_t *keys;
	size_t n;
};

static void set_why(struct slot *slot, const char *why)
{
	free(slot->status.why);
	slot->status.why = xstrdup(why);
}

static void name_one(struct symbolizer *s, uint32_t binary, uint64_t key, const char *name,
		     uint16_t flags)
{
	struct name_line line = { .function = intern_add(&s->data->names.strings, name) };

	names_set(&s->data->names, binary, key, &line, 1, flags);
}

static void name_standin(struct symbolizer *s, const struct group *g)
{
	_cleanup_free_ char *name = standin_name(binaries_get(&s->data->binaries, g->binary));

	for (size_t i = 0; i < g->n; i++)
		name_one(s, g->binary, g->keys[i], name, 0);
}

/* NULL, with the reason in the slot: no names for this kernel here. */
static struct kallsyms *open_kernel(struct symbolizer *s, struct slot *slot)
{
	const struct meta *meta = &s->data->meta;

	if (!boot_serves(meta)) {
		set_why(slot, "recorded on another boot");
		diag_add(
			s->diag, DIAG_WARNING, "kernel-boot",
			"kernel functions have no names: the recording is from another boot, whose "
			"addresses are not those in /proc/kallsyms; name them on that boot");
		return NULL;
	}
	CLEANUP(kallsyms_destroy) struct kallsyms *k = NULL;
	struct err *err = kallsyms_load("/proc/kallsyms", s->diag, &k);

	if (err) {
		set_why(slot, err_msg(err));
		diag_err(s->diag, DIAG_WARNING, "kallsyms", err);
		return NULL;
	}
	if (kallsyms_is_empty(k)) {
		set_why(slot, "addresses hidden in /proc/kallsyms");
		return NULL;
	}
	if (meta->kernel_stext && kallsyms_stext(k) != meta->kernel_stext) {
		set_why(slot, "_stext differs");
		return NULL;
	}
	return_ptr(k);
}

/* By /proc/kallsyms. */
static void name_running_kernel(struct symbolizer *s, const struct group *g)
{
	struct slot *slot = symbolizer_slot(s, g->binary);
	CLEANUP(kallsyms_destroy) struct kallsyms *k = open_kernel(s, slot);

	if (!k) {
		name_standin(s, g);
		return;
	}
	slot->status.opened = slot->status.has_symtab = true;
	for (size_t i = 0; i < g->n; i++) {
		const char *name = kallsyms_find(k, g->keys[i]);
		/* The kernel has Rust in it. */
		_cleanup_free_ char *readable = name ? demangle(name) : NULL;

		if (readable)
			name = readable;
		name_one(s, g->binary, g->keys[i], name ? name : "[kernel]", name ? NAME_FOUND : 0);
	}
}

static void report_missing_dwo(struct symbolizer *s, uint32_t binary, uint32_t missing)
{
	const char *path = binaries_get(&s->data->binaries, binary)->path;
	_cleanup_free_ char *cause = xasprintf("dwo %s", path);

	if (missing)
		diag_add(s->diag, DIAG_WARNING, cause,
			 "%s lacks inlined functions of %u units: their .dwo files are missing; "
			 "keep them where they were built, beside the binary or in a --debug-dir, "
			 "or a .dwp file in one of these two",
			 path, missing);
}

/* `done` of the places of the binary at work. */
static bool tell_progress(struct symbolizer *s, uint32_t binary, size_t done)
{
	if (s->progress)
		s->stopped |= s->progress(s->progress_ctx, s->n_done + done, s->n_places,
					  binary_name(binaries_get(&s->data->binaries, binary)));
	return s->stopped;
}

struct in_binary {
	struct symbolizer *s;
	uint32_t binary;
};

static bool on_places(void *ctx, size_t done)
{
	const struct in_binary *at = ctx;

	return tell_progress(at->s, at->binary, done);
}

/* `like` tells path and shift. */
static void name_elf(struct symbolizer *s, const struct group *g, struct elffile *file,
		     const struct elfnames_of *like)
{
	struct slot *slot = symbolizer_slot(s, g->binary);
	struct in_binary at = { s, g->binary };
	struct elfnames_of of = *like;
	struct elfnames e;

	of.data = s->data;
	of.binary = g->binary;
	of.search = s->opt.own_symbols ? NULL : &s->opt.search;
	of.diag = s->diag;
	of.progress = on_places;
	of.progress_ctx = &at;
	elfnames_init(&e, file, &of);
	slot->status.opened = true;
	slot->status.has_symtab = e.syms.has_symtab;
	slot->status.has_dynsym = e.syms.has_dynsym;
	slot->status.has_lines = e.debug.info || e.go;
	elfnames_run(&e, g->keys, g->n);
	if (e.debug.info)
		report_missing_dwo(s, g->binary, debuginfo_missing_dwo(e.debug.info));
	elfnames_deinit(&e);
}

/* Modules and BPF programs are in no vmlinux. */
static void name_kernel(struct symbolizer *s, const struct group *g)
{
	CLEANUP(elffile_destroy) struct elffile *file = NULL;
	_cleanup_free_ uint64_t *inside = xcalloc(g->n, sizeof(*inside));
	_cleanup_free_ uint64_t *outside = xcalloc(g->n, sizeof(*outside));
	struct group in = { .binary = g->binary, .keys = inside };
	struct group out = { .binary = g->binary, .keys = outside };
	struct elfnames_of of = { .path = s->opt.vmlinux };
	struct err *err = of.path ? vmlinux_open(of.path, &s->data->meta, &file, &of.shift) : NULL;

	if (err)
		diag_err(s->diag, DIAG_WARNING, "vmlinux", err);
	for (size_t i = 0; i < g->n; i++) {
		if (file && vmlinux_is_code(file, g->keys[i] - of.shift))
			inside[in.n++] = g->keys[i];
		else if (!is_stored(s, g->binary, g->keys[i]))
			outside[out.n++] = g->keys[i];
	}
	if (out.n)
		name_running_kernel(s, &out);
	if (in.n)
		name_elf(s, &in, file, &of);
}

static void report_not_found(struct symbolizer *s, const struct group *g, const char *why)
{
	const struct binary *b = binaries_get(&s->data->binaries, g->binary);
	_cleanup_free_ char *cause = xasprintf("symbols %s", b->path);
	bool other = strstr(why, "differs") || strstr(why, "changed");

	/* A file in the place of the one that ran is a surprise; a file gone is not. */
	diag_add(s->diag, other ? DIAG_WARNING : DIAG_DETAIL, cause,
		 "functions of %s have no %s: %s", b->path,
		 is_stored(s, g->binary, g->keys[0]) ? "lines" : "names", why);
}

static void name_gone(struct symbolizer *s, const struct group *g)
{
	const struct binary *b = binaries_get(&s->data->binaries, g->binary);
	_cleanup_free_ char *name = xasprintf("[%s (gone)]", binary_name(b));

	set_why(symbolizer_slot(s, g->binary), "gone before it could be opened");
	for (size_t i = 0; i < g->n; i++)
		name_one(s, g->binary, g->keys[i], name, NAME_GONE);
	diag_add(s->diag, DIAG_WARNING, "gone",
		 "functions of a file like %s have no names: it was gone, and the processes that "
		 "ran it, before it could be opened",
		 b->path);
}

/* Here, or on a server that knows the build. */
static struct located find_file(struct symbolizer *s, struct binary *binary, int fd)
{
	struct located here = locate_file(binary, fd, s->opt.search.sysroot);

	if (here.file || !s->opt.search.debuginfod || !binary->build_id_len)
		return here;
	_cleanup_close_ int there = debuginfod_executable(binary->build_id, binary->build_id_len,
							  binary->path, s->diag);

	if (there < 0)
		return here;
	free(here.why);
	return locate_file(binary, there, s->opt.search.sysroot);
}

static void name_file(struct symbolizer *s, const struct group *g)
{
	struct binary *binary = binaries_get(&s->data->binaries, g->binary);
	struct slot *slot = symbolizer_slot(s, g->binary);
	struct located found = find_file(s, binary, slot->fd);
	CLEANUP(elffile_destroy) struct elffile *file = found.file;
	_cleanup_free_ char *why = found.why;

	if (file) {
		name_elf(s, g, file, &(struct elfnames_of){ 0 });
		return;
	}
	if (slot->gone) {
		name_gone(s, g);
		return;
	}
	set_why(slot, why);
	report_not_found(s, g, why);
	name_standin(s, g);
}

static void name_vdso(struct symbolizer *s, const struct group *g)
{
	const struct binary *binary = binaries_get(&s->data->binaries, g->binary);
	struct located found = locate_vdso(binary, &s->data->meta);
	CLEANUP(elffile_destroy) struct elffile *file = found.file;
	_cleanup_free_ char *why = found.why;

	if (file) {
		name_elf(s, g, file, &(struct elfnames_of){ 0 });
		return;
	}
	set_why(symbolizer_slot(s, g->binary), why);
	name_standin(s, g);
}

/* By what the process's JIT compiler left. */
static void name_jit(struct symbolizer *s, const struct group *g)
{
	struct slot *slot = symbolizer_slot(s, g->binary);
	_cleanup_free_ char *standin = standin_name(binaries_get(&s->data->binaries, g->binary));
	struct jitnames j = {
		.data = s->data,
		.binary = g->binary,
		.keys = g->keys,
		.n = g->n,
		.standin = standin,
		.diag = s->diag,
	};
	struct err *err = slot->fd < 0 ? NULL : jitnames_run(&j, slot->fd);

	slot->status.opened = slot->status.has_symtab = slot->fd >= 0 && !err;
	if (!slot->status.opened)
		name_standin(s, g);
	if (err)
		diag_err(s->diag, DIAG_WARNING, "jit-map", err);
}

static void name_unknown(struct symbolizer *s, const struct group *g)
{
	for (size_t i = 0; i < g->n; i++)
		name_one(s, g->binary, g->keys[i], "[unknown]", 0);
}

static void name_group(struct symbolizer *s, const struct group *g)
{
	switch (binaries_get(&s->data->binaries, g->binary)->kind) {
	case BINARY_KIND_KERNEL:
		name_kernel(s, g);
		return;
	case BINARY_KIND_FILE:
		name_file(s, g);
		return;
	case BINARY_KIND_VDSO:
		name_vdso(s, g);
		return;
	case BINARY_KIND_ANON:
		name_jit(s, g);
		return;
	case BINARY_KIND_UNKNOWN:
	case BINARY_KIND_TEXT: /* its reader named what it could */
		name_unknown(s, g);
		return;
	}
}

static int place_cmp(const void *va, const void *vb)
{
	const struct place *a = va, *b = vb;

	if (a->binary != b->binary)
		return a->binary < b->binary ? -1 : 1;
	return (a->key > b->key) - (a->key < b->key);
}

/* Sorts, drops what occurs twice or names no binary; returns how many are left. */
static size_t places_tidy(const struct dataset *data, struct place *places, size_t n)
{
	size_t n_kept = 0;

	qsort(places, n, sizeof(*places), place_cmp);
	for (size_t i = 0; i < n; i++) {
		if (places[i].binary >= data->binaries.v.n)
			break;
		if (!n_kept || place_cmp(&places[n_kept - 1], &places[i]))
			places[n_kept++] = places[i];
	}
	return n_kept;
}

/* `places` is sorted. */
static void run_sorted(struct symbolizer *s, const struct place *places, size_t n)
{
	_cleanup_free_ uint64_t *keys = xreallocarray(NULL, n, sizeof(*keys));

	s->n_places = n;
	s->stopped = false;
	for (size_t i = 0; i < n; i++)
		keys[i] = places[i].key;
	for (size_t i = 0, end; i < n; i = end) {
		struct group g = { .binary = places[i].binary, .keys = keys + i };

		for (end = i; end < n && places[end].binary == g.binary; end++)
			g.n++;
		s->n_done = i;
		if (tell_progress(s, g.binary, 0))
			return;
		name_group(s, &g);
		if (s->stopped)
			return;
	}
}

struct err *symbolizer_run_places(struct symbolizer *s, const struct place *places, size_t n)
{
	_cleanup_free_ struct place *sorted = NULL;
	size_t n_new = 0;

	if (!n)
		return NULL;
	sorted = xreallocarray(NULL, n, sizeof(*sorted));
	for (size_t i = 0; i < n; i++)
		if (!names_find(&s->data->names, places[i].binary, places[i].key))
			sorted[n_new++] = places[i];
	if (!n_new)
		return NULL;
	run_sorted(s, sorted, places_tidy(s->data, sorted, n_new));
	return NULL;
}

struct err *symbolizer_run(struct symbolizer *s)
{
	const struct frametree *tree = &s->data->tree;
	_cleanup_free_ struct place *places =
		xreallocarray(NULL, tree->frames.n + 1, sizeof(*places));
	size_t n = 0;

	for (size_t i = 1; i < tree->frames.n; i++) {
		const struct frame *f = &tree->frames.v[i];

		if (f->kind != FRAME_CUT)
			places[n++] = (struct place){ f->binary, names_key(f) };
	}
	return symbolizer_run_places(s, places, n);
}
