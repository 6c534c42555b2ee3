/* In: a binary. Out: the file that holds its debug information, if it is that binary's. */
#include "symbol/debugfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/codec.h"
#include "base/cursor.h"
#include "model/elfsection.h"
#include "symbol/debuginfod.h"

/* What a candidate must agree with. */
struct wanted {
	const struct debugfile_search *search;
	uint8_t build_id[BUILD_ID_MAX];
	size_t build_id_len;
	const char *link; /* name in .gnu_debuglink; NULL: none */
	uint32_t crc;
	const char *for_path;
	struct diag *diag;
	char *found_at;
};

static const char default_dir[] = "/usr/lib/debug";

static char *hex(const uint8_t *id, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	char *text = xcalloc(2 * len + 1, 1);

	for (size_t i = 0; i < len; i++) {
		text[2 * i] = digits[id[i] >> 4];
		text[2 * i + 1] = digits[id[i] & 15];
	}
	return text;
}

/* gABI-like note of binutils: name, NUL, padding to four bytes, CRC-32 of the whole debug file. */
static void read_link(struct wanted *w, struct elffile *file)
{
	const Elf_Data *data = elfsection_data(elffile_elf(file), ".gnu_debuglink");

	if (!data)
		return;
	struct cursor c = cursor(data->d_buf, data->d_size);
	const char *name = (const char *)c.p;
	size_t len = strnlen(name, data->d_size);

	cursor_skip(&c, (len + 4) & ~(size_t)3);
	uint32_t crc = cursor_u32(&c);

	if (c.failed || !len || strchr(name, '/'))
		return;
	w->link = name;
	w->crc = crc;
}

static uint32_t file_crc(struct elffile *file)
{
	const uint8_t *all = elffile_bytes_at(file, 0, elffile_size(file));

	return all ? codec_crc32(all, elffile_size(file)) : 0;
}

static void refuse(struct wanted *w, const char *path, const char *why)
{
	_cleanup_free_ char *cause = xasprintf("debug file %s for %s", path, w->for_path);

	diag_add(w->diag, DIAG_WARNING, cause, "%s is not used for %s: %s", path, w->for_path, why);
}

/* Why it is another's; NULL: it is the one. */
static char *mismatch(const struct wanted *w, struct elffile *file)
{
	uint8_t id[BUILD_ID_MAX];
	size_t len = elffile_build_id(file, id);

	if (w->build_id_len && len) {
		if (len == w->build_id_len && !memcmp(id, w->build_id, len))
			return NULL;
		_cleanup_free_ char *theirs = hex(id, len < 8 ? len : 8);
		_cleanup_free_ char *ours =
			hex(w->build_id, w->build_id_len < 8 ? w->build_id_len : 8);

		return xasprintf("its build-id is %s…, the binary's %s…", theirs, ours);
	}
	if (w->build_id_len)
		return xstrdup("it has no build-id, the binary has one");
	if (!w->link)
		return xstrdup("neither build-id nor checksum says that it belongs there");
	uint32_t crc = file_crc(file);

	return crc == w->crc
		       ? NULL
		       : xasprintf("its checksum is %08x, the binary asks for %08x", crc, w->crc);
}

/* NULL if there is no file, or it is not the one. */
static struct elffile *try_path(struct wanted *w, const char *path)
{
	CLEANUP(elffile_destroy) struct elffile *file = NULL;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			refuse(w, path, strerror(errno));
		return NULL;
	}
	_cleanup_err_ struct err *err = elffile_open(fd, &file);

	if (err) {
		refuse(w, path, err_msg(err));
		return NULL;
	}
	_cleanup_free_ char *why = mismatch(w, file);

	if (why) {
		refuse(w, path, why);
		return NULL;
	}
	free(w->found_at);
	w->found_at = xstrdup(path);
	return_ptr(file);
}

/* Debug directories in order: those asked for, the system's. NULL: no more. The caller frees. */
static char *nth_dir(const struct debugfile_search *s, size_t i)
{
	if (i < s->n_dirs)
		return xstrdup(s->dirs[i]);
	if (i == s->n_dirs && s->sysroot)
		return xasprintf("%s%s", s->sysroot, default_dir);
	return i == s->n_dirs + !!s->sysroot ? xstrdup(default_dir) : NULL;
}

static struct elffile *by_build_id(struct wanted *w)
{
	_cleanup_free_ char *id = hex(w->build_id, w->build_id_len);
	struct elffile *found = NULL;
	char *dir;

	if (w->build_id_len < 2)
		return NULL;
	for (size_t i = 0; !found && (dir = nth_dir(w->search, i)); i++) {
		_cleanup_free_ char *path =
			xasprintf("%s/.build-id/%.2s/%s.debug", dir, id, id + 2);

		free(dir);
		found = try_path(w, path);
	}
	return found;
}

/* Beside the binary. */
static struct elffile *in_own_dir(struct wanted *w, const char *root)
{
	const char *slash = strrchr(w->for_path, '/');
	int len = slash ? (int)(slash - w->for_path) : 0;
	_cleanup_free_ char *beside = xasprintf("%s%.*s/%s", root, len, w->for_path, w->link);
	_cleanup_free_ char *below = xasprintf("%s%.*s/.debug/%s", root, len, w->for_path, w->link);
	struct elffile *found = try_path(w, beside);

	return found ?: try_path(w, below);
}

static struct elffile *by_link(struct wanted *w)
{
	const char *slash = strrchr(w->for_path, '/');
	struct elffile *found = NULL;
	char *dir;

	if (!w->link || !slash)
		return NULL;
	if (w->search->sysroot)
		found = in_own_dir(w, w->search->sysroot);
	if (!found)
		found = in_own_dir(w, "");
	for (size_t i = 0; !found && (dir = nth_dir(w->search, i)); i++) {
		_cleanup_free_ char *path = xasprintf("%s%.*s/%s", dir, (int)(slash - w->for_path),
						      w->for_path, w->link);
		_cleanup_free_ char *flat = xasprintf("%s/%s", dir, w->link);

		free(dir);
		found = try_path(w, path);
		/* A directory the user names may well hold the files themselves. */
		if (!found && i < w->search->n_dirs)
			found = try_path(w, flat);
	}
	return found;
}

static struct elffile *by_server(struct wanted *w)
{
	_cleanup_close_ int fd = -1;
	CLEANUP(elffile_destroy) struct elffile *file = NULL;

	if (!w->search->debuginfod || !w->build_id_len)
		return NULL;
	fd = debuginfod_debug_file(w->build_id, w->build_id_len, w->for_path, w->diag);
	if (fd < 0)
		return NULL;
	_cleanup_err_ struct err *err = elffile_open(fd, &file);
	_cleanup_free_ char *why = err ? xstrdup(err_msg(err)) : mismatch(w, file);

	if (why) {
		refuse(w, "what debuginfod gave", why);
		return NULL;
	}
	return_ptr(file);
}

struct elffile *debugfile_find(const struct debugfile_search *search, struct elffile *file,
			       const char *path, struct diag *diag, char **ret_path)
{
	struct wanted w = { .search = search, .for_path = path, .diag = diag };
	struct elffile *found;

	w.build_id_len = elffile_build_id(file, w.build_id);
	read_link(&w, file);
	found = by_build_id(&w);
	if (!found)
		found = by_link(&w);
	*ret_path = w.found_at;
	return found ?: by_server(&w);
}

/* .gnu_debugaltlink: a path, NUL, the build-id of the file. */
struct elffile *debugfile_alt(const struct debugfile_search *search, struct elffile *file,
			      const char *path, struct diag *diag)
{
	const Elf_Data *data = elfsection_data(elffile_elf(file), ".gnu_debugaltlink");
	struct wanted w = { .search = search, .for_path = path, .diag = diag };

	if (!data)
		return NULL;
	const char *name = data->d_buf;
	size_t len = strnlen(name, data->d_size);
	const char *slash = strrchr(path, '/');

	if (len + 1 >= data->d_size || data->d_size - len - 1 > BUILD_ID_MAX)
		return NULL;
	w.build_id_len = data->d_size - len - 1;
	memcpy(w.build_id, name + len + 1, w.build_id_len);
	/* What has no place has no neighbours. */
	if (name[0] != '/' && !slash)
		return NULL;
	_cleanup_free_ char *own = name[0] == '/'
					   ? xstrdup(name)
					   : xasprintf("%.*s/%s", (int)(slash - path), path, name);
	_cleanup_free_ char *rooted = xasprintf("%s%s", search->sysroot ?: "", own);
	struct elffile *found = try_path(&w, rooted);

	if (!found && search->sysroot)
		found = try_path(&w, own);
	if (!found)
		found = by_build_id(&w);
	free(w.found_at);
	if (!found)
		diag_add(diag, DIAG_WARNING, own,
			 "functions of %s lack names: the file dwz moved them to is missing: %s",
			 path, own);
	return found;
}
