/* In: the raw name of a symbol, as hostile as the file it came from. Out: a readable name, or
 * NULL for "leave it". */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "symbol/demangle.h"

#include <string.h>

#include "symbol/swiftnames.h"

#ifdef HAVE_LIBIBERTY

#include <setjmp.h>
#include <stdlib.h>

#include <libiberty/demangle.h>

#include "base/buf.h"

/* Substitutions and back references let a short name expand without end, and the library cannot be
 * told to stop. Its callback interface allocates nothing for the names that can expand, so the
 * callback may leave by a jump. */
struct demangle_sink {
	struct buf out;
	jmp_buf full;
};

static void demangle_put(const char *s, size_t len, void *opaque)
{
	struct demangle_sink *sink = opaque;

	if (len >= DEMANGLE_OUT_MAX - sink->out.len)
		longjmp(sink->full, 1);
	buf_bytes(&sink->out, s, len);
}

enum demangle_style { DEMANGLE_RUST, DEMANGLE_CXX };

static bool demangle_run(enum demangle_style style, const char *raw, struct demangle_sink *sink)
{
	if (setjmp(sink->full))
		return false;
	/* No option: no parameters, no hash, and the library's limit on recursion stays on. */
	int ok = style == DEMANGLE_RUST
			 ? rust_demangle_callback(raw, DMGL_NO_OPTS, demangle_put, sink)
			 : cplus_demangle_v3_callback(raw, DMGL_NO_OPTS, demangle_put, sink);

	return ok && sink->out.len;
}

static char *demangle_as(enum demangle_style style, const char *raw)
{
	struct demangle_sink sink = { .out = { 0 } };

	if (!demangle_run(style, raw, &sink)) {
		buf_deinit(&sink.out);
		return NULL;
	}
	buf_u8(&sink.out, 0);
	return (char *)sink.out.data;
}

/* The D demangler has no callback. What expands there is a back reference, written with a Q: with
 * two dozen of them the result stays within a few thousand times the length of the name. */
static char *demangle_d(const char *raw)
{
	enum { D_IN_MAX = 1024, D_BACKREFS_MAX = 24 };
	unsigned int n_backrefs = 0;

	if (strlen(raw) > D_IN_MAX)
		return NULL;
	for (const char *p = raw; (p = strchr(p, 'Q')); p++)
		n_backrefs++;
	if (n_backrefs > D_BACKREFS_MAX)
		return NULL;
	char *name = dlang_demangle(raw, DMGL_DLANG);

	if (name && strlen(name) >= DEMANGLE_OUT_MAX) {
		free(name);
		return NULL;
	}
	return name;
}

bool demangle_available(void)
{
	return true;
}

/* The library drops what a compiler appends to a clone or a part (".cold", ".part.0"): it stays, as
 * it does in C. A dot is in no mangled name of C++ itself. */
static char *demangle_cxx(const char *raw)
{
	const char *suffix = strchr(raw, '.');
	struct buf stem = { 0 };

	if (!suffix)
		return demangle_as(DEMANGLE_CXX, raw);
	buf_bytes(&stem, raw, (size_t)(suffix - raw));
	buf_u8(&stem, 0);
	char *name = demangle_as(DEMANGLE_CXX, (char *)stem.data);

	stem.len = 0;
	if (name) {
		buf_bytes(&stem, name, strlen(name));
		buf_cstr(&stem, suffix);
	}
	free(name);
	if (stem.len)
		return (char *)stem.data;
	buf_deinit(&stem);
	return NULL;
}

static char *demangle_gnu(const char *raw)
{
	if (raw[0] != '_' || !raw[1] || strnlen(raw, DEMANGLE_IN_MAX + 1) > DEMANGLE_IN_MAX)
		return NULL;
	if (raw[1] == 'R')
		return demangle_as(DEMANGLE_RUST, raw);
	if (raw[1] == 'D')
		return demangle_d(raw);
	if (raw[1] != 'Z')
		return NULL;
	/* A legacy Rust name is a C++ name too, ending in its hash: Rust comes first. */
	char *name = strncmp(raw, "_ZN", 3) ? NULL : demangle_as(DEMANGLE_RUST, raw);

	return name ? name : demangle_cxx(raw);
}

#else

bool demangle_available(void)
{
	return false;
}

static char *demangle_gnu(const char *raw)
{
	(void)raw;
	return NULL;
}

#endif

char *demangle(const char *raw)
{
	return swiftnames_is(raw) ? swiftnames_readable(raw, DEMANGLE_OUT_MAX) : demangle_gnu(raw);
}
