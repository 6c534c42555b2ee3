/* In: a path. Out: a source of samples, or what the file is instead. */
#include "cmd/report_input.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import/kept.h"
#include "import/perfdata.h"
#include "import/text.h"
#include "model/vdso.h"
#include "profile/codefollow.h"
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

/* NULL: nothing that has another name. */
static const char *what_else(const char *peek, size_t len)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (len >= known[i].len && !memcmp(peek, known[i].magic, known[i].len))
			return known[i].what;
	return NULL;
}

/* The first bytes, which stay unread. Those of a pipe come when its writer writes them. */
static ssize_t peek_at(int fd, char *to, size_t len)
{
	_cleanup_close_ int out = -1, in = -1;
	int ends[2];
	ssize_t n = pread(fd, to, len, 0);

	if (n >= 0 || errno != ESPIPE)
		return n;
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	out = ends[0];
	in = ends[1];
	n = tee(fd, in, len, 0);
	return n > 0 ? read(out, to, (size_t)n) : n;
}

static struct err *kind_of(struct report_input *input, const char *path)
{
	char peek[PEEK];
	ssize_t n = input->is_dir ? 0 : peek_at(input->fd, peek, sizeof(peek));

	if (n < 0)
		return err_sys(errno, "cannot read %s", path);
	size_t len = (size_t)n;
	const char *what = what_else(peek, len);

	if (input->is_dir || perfdata_magic(peek, len)) {
		input->kind = INPUT_PERFDATA;
		input->needs_seek = !input->is_dir && perfdata_needs_seek(peek, len);
		return NULL;
	}
	if (reader_magic(peek, len))
		return NULL;
	if (!len)
		return err_new("%s is empty: nothing was recorded into it", path);
	input->kind = INPUT_TEXT;
	if (!what && !is_text(peek, len))
		what = "of no known kind";
	return what ? err_new("%s is no recording: it is %s; `singe report` reads recordings, "
			      "perf.data, the text of perf script, and folded stacks",
			      path, what)
		    : NULL;
}

/* A file that must be read in more than one place, through a pipe: into one that has no name. */
static struct err *spool(struct report_input *input)
{
	_cleanup_fclose_ FILE *file = tmpfile();
	char bytes[1 << 16];

	if (!file)
		return err_sys(errno, "cannot make a temporary file");
	for (;;) {
		ssize_t n = read(input->fd, bytes, sizeof(bytes));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(errno, "cannot read standard input");
		if (!n)
			break;
		if (fwrite(bytes, 1, (size_t)n, file) != (size_t)n)
			return err_sys(errno, "cannot write a temporary file");
	}
	if (fflush(file))
		return err_sys(errno, "cannot write a temporary file");
	int fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return err_sys(errno, "cannot read a temporary file");
	close(input->fd);
	input->fd = fd;
	return lseek(fd, 0, SEEK_SET) ? err_sys(errno, "cannot read a temporary file") : NULL;
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
	input->is_dir = S_ISDIR(st.st_mode);
	return NULL;
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
	if (binary->kind == BINARY_KIND_VDSO && boot_serves(&input->data.meta))
		err_destroy(vdso_open(&file));
	return file;
}

/* Which code was where when stands behind the samples it is about. */
static struct err *open_recording(struct report_input *input, struct diag *diag)
{
	if (lseek(input->fd, 0, SEEK_CUR) < 0)
		TRY(spool(input));
	TRY(reader_open(input->fd, &input->data, diag, &input->source));
	return reader_read_code(input->source);
}

static struct err *open_source(struct report_input *input, struct diag *diag)
{
	struct perfdata_options perf = { .open = open_binary, .ctx = input };

	switch (input->kind) {
	case INPUT_PERFDATA:
		if (input->needs_seek && lseek(input->fd, 0, SEEK_CUR) < 0)
			TRY(spool(input));
		return perfdata_open(input->fd, &perf, &input->data, diag, &input->source);
	case INPUT_TEXT:
		return text_open(input->fd, &input->data, diag, &input->source);
	case INPUT_RECORDING:
		break;
	}
	return open_recording(input, diag);
}

struct err *report_input_open(struct report_input *input, const char *path, struct diag *diag)
{
	*input = (struct report_input){ .fd = -1 };
	dataset_init(&input->data);
	TRY(open_file(input, path));
	path = input->is_stdin ? "standard input" : path;
	TRY(kind_of(input, path));
	struct err *err = open_source(input, diag);

	return err ? err_wrap(err, "%s", path) : NULL;
}

bool report_input_has_stacks(const struct report_input *input)
{
	const struct meta *meta = &input->data.meta;

	return meta->keeps_stacks ||
	       (input->kind == INPUT_PERFDATA && strcmp(meta->callgraph, "fp"));
}

struct err *report_input_unwind(struct report_input *input, enum unwind_engine engine)
{
	if (input->kind == INPUT_PERFDATA)
		perfdata_set_engine(input->source, engine);
	if (!input->data.meta.keeps_stacks)
		return NULL;
	return kept_open(input->source, engine, open_binary, input, &input->source);
}

void report_input_follow_code(struct report_input *input)
{
	if (input->kind == INPUT_RECORDING)
		input->source = codefollow_create(input->source);
}

void report_input_grouped(struct report_input *input, enum group_by by)
{
	if (input->kind == INPUT_TEXT && (by == GROUP_PID || by == GROUP_TID))
		text_keep_java(input->source);
}

void report_input_deinit(struct report_input *input)
{
	source_destroy(input->source);
	dataset_deinit(&input->data);
	cleanup_close(&input->fd);
}
