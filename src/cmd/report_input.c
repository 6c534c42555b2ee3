/* In: a path. Out: a source of samples, or what the file is instead. */
#include "cmd/report_input.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "import/kept.h"
#include "model/vdso.h"
#include "recording/reader.h"
#include "symbol/boot.h"
#include "symbol/locate.h"

enum { PEEK = 256 };

/* What else people have at hand. */
static const struct {
	const char *magic;
	size_t len;
	const char *what;
} known[] = {
	{ "PERFILE2", 8, "a perf.data file" },
	{ "2ELIFREP", 8, "a perf.data file of a machine of the other byte order" },
	{ "\177ELF", 4, "an ELF file" },
	{ "DTiJ", 4, "a jitdump file" },
	{ "JiTD", 4, "a jitdump file" },
	{ "\x1f\x8b", 2, "compressed by gzip" },
	{ "\x28\xb5\x2f\xfd", 4, "compressed by zstd" },
	{ "\xfd"
	  "7zXZ",
	  5, "compressed by xz" },
	{ "<?xml", 5, "XML, perhaps a finished picture" },
	{ "<svg", 4, "a finished picture" },
};

static bool is_text(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (iscntrl((unsigned char)p[i]) && !isspace((unsigned char)p[i]))
			return false;
	return true;
}

static struct err *say_what(const char *path, const char *peek, size_t len)
{
	const char *what = is_text(peek, len) ? "text" : "of no known kind";

	if (!len)
		return err_new("%s is empty: nothing was recorded into it", path);
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (len >= known[i].len && !memcmp(peek, known[i].magic, known[i].len)) {
			what = known[i].what;
			break;
		}
	}
	return err_new(
		"%s is no recording: it is %s; `singe report` reads what `singe record` writes",
		path, what);
}

/* A pipe cannot be looked into: there the reader itself finds out. */
static struct err *check_kind(int fd, const char *path)
{
	char peek[PEEK];
	ssize_t n = pread(fd, peek, sizeof(peek), 0);

	if (n < 0)
		return errno == ESPIPE ? NULL : err_sys(errno, "cannot read %s", path);
	return reader_magic(peek, (size_t)n) ? NULL : say_what(path, peek, (size_t)n);
}

static struct err *open_file(struct report_input *input, const char *path)
{
	struct stat st;

	if (!strcmp(path, "-")) {
		input->is_stdin = true;
		input->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	} else {
		input->fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (input->fd < 0 && errno == ENOENT)
		return err_sys(errno, "cannot open %s (`singe record` writes singe.rec)", path);
	if (input->fd < 0 || fstat(input->fd, &st))
		return err_sys(errno, "cannot open %s", path);
	return S_ISDIR(st.st_mode) ? err_sys(EISDIR, "cannot read %s", path) : NULL;
}

struct err *report_input_open(struct report_input *input, const char *path, struct diag *diag)
{
	*input = (struct report_input){ .fd = -1 };
	dataset_init(&input->data);
	TRY(open_file(input, path));
	path = input->is_stdin ? "standard input" : path;
	TRY(check_kind(input->fd, path));
	struct err *err = reader_open(input->fd, &input->data, diag, &input->source);

	return err ? err_wrap(err, "%s", path) : NULL;
}

/* What the symbolizer would name, the unwinder may read. */
static struct elffile *open_binary(void *ctx, uint32_t id)
{
	struct report_input *input = ctx;
	struct binary *binary = binaries_get(&input->data.binaries, id);
	struct elffile *file = NULL;

	if (binary->kind == BINARY_KIND_FILE) {
		struct located found = locate_file(binary, -1, NULL);

		free(found.why);
		return found.file;
	}
	if (binary->kind == BINARY_KIND_VDSO && boot_is_this(input->data.meta.boot_id))
		err_destroy(vdso_open(&file));
	return file;
}

struct err *report_input_unwind(struct report_input *input, enum unwind_engine engine)
{
	if (!input->data.meta.keeps_stacks)
		return NULL;
	return kept_open(input->source, engine, open_binary, input, &input->source);
}

void report_input_deinit(struct report_input *input)
{
	source_destroy(input->source);
	dataset_deinit(&input->data);
	cleanup_close(&input->fd);
}
