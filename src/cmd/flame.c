/* In: the options of `singe record`. Out: flame.svg, by way of a temporary recording. */
#include "cmd/flame.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "cmd/program.h"

static const char usage[] =
	"usage: singe flame [-o FILE] [record options] [-- COMMAND ARGS]\n"
	"\n"
	"Records (as `singe record` does) and draws the flame graph in one step.\n"
	"\n"
	"  -o, --output FILE  where the picture goes (default flame.svg); NAME.html is a page\n"
	"                     with time, threads and lines as well\n"
	"  -h, --help         this text\n"
	"\n"
	"Every other option is one of `singe record`; see `singe record --help`.\n";

struct flame {
	const char *output;
	bool help;
	VEC(char *) record; /* argv of singe-record: its path, "record", -o TEMPORARY, options */
};

/* What `singe record` takes a value for; a test holds this against its --help. */
static const char short_with_value[] = "ptCueFcdm";
static const char *const long_with_value[] = {
	"pid",        "tid",      "cpu",      "uid",   "name",   "event",     "freq",     "period",
	"call-graph", "unwinder", "duration", "count", "attach", "mmap-size", "compress",
};

static bool is_mode(const char *word)
{
	return !strcmp(word, "fp") || !strcmp(word, "auto") || !strcmp(word, "none") ||
	       !strcmp(word, "dwarf") || !strncmp(word, "dwarf,", strlen("dwarf,"));
}

/* --NAME VALUE? Names may be shortened as getopt_long(3) allows. */
static bool long_takes_next(const char *name)
{
	if (strchr(name, '='))
		return false;
	for (size_t i = 0; i < sizeof(long_with_value) / sizeof(*long_with_value); i++)
		if (*name && !strncmp(long_with_value[i], name, strlen(name)))
			return true;
	return false;
}

/* "--o", "--output", "--output=FILE": `value` is NULL where it is the next word. */
static bool long_is_output(const char *name, char **value)
{
	size_t len = strcspn(name, "=");

	if (!len || strncmp("output", name, len) != 0)
		return false;
	*value = name[len] ? (char *)name + len + 1 : NULL;
	return true;
}

/* A word of short options: where its -o stands (0: nowhere), and whether the next word is a value.
 */
static size_t short_scan(const char *arg, const char *next, bool *takes_next)
{
	*takes_next = false;
	for (size_t k = 1; arg[k]; k++) {
		if (arg[k] == 'o')
			return k;
		bool last = !arg[k + 1];

		if (strchr(short_with_value, arg[k])) {
			*takes_next = last;
			return 0;
		}
		if (arg[k] == 'g') {
			*takes_next = last && next && is_mode(next);
			if (!last)
				return 0;
		}
	}
	return 0;
}

/* Takes -o and --output out of the options; all the rest is the recorder's. What follows `--`, or
 * the first word that is no option, is the command to record. False: -o lacks its value. */
static bool flame_parse(struct flame *f, int argc, char **argv)
{
	int i = 1;

	for (; i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0; i++) {
		char *arg = argv[i];
		char *value = NULL;
		bool is_long = arg[1] == '-';
		bool takes_next = is_long && long_takes_next(arg + 2);
		size_t o = is_long ? 0 : short_scan(arg, argv[i + 1], &takes_next);

		if (!strcmp(arg, "-h") || !strcmp(arg, "--help"))
			f->help = true;
		if (o || (is_long && long_is_output(arg + 2, &value))) {
			if (o && arg[o + 1])
				value = arg + o + 1;
			if (!value && !(value = argv[++i]))
				return false;
			f->output = value;
			arg[o] = '\0';
			if (o > 1)
				vec_push(&f->record, arg);
			continue;
		}
		vec_push(&f->record, arg);
		if (takes_next && argv[i + 1])
			vec_push(&f->record, argv[++i]);
	}
	for (; i < argc; i++)
		vec_push(&f->record, argv[i]);
	return true;
}

/* Under sudo the picture belongs to who asked for it, as a recording does. */
static void give_back(const char *path)
{
	const char *uid = getenv("SUDO_UID");
	const char *gid = getenv("SUDO_GID");

	if (geteuid() != 0 || !uid || !gid)
		return;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_nlink != 1)
		return;
	if (fchown(fd, (uid_t)strtoul(uid, NULL, 10), (gid_t)strtoul(gid, NULL, 10)))
		fprintf(stderr, "singe: %s stays root's: %s\n", path, strerror(errno));
}

/* Draws `recording`; `status` is the reporter's. */
static struct err *flame_draw(const char *recording, const char *output, int *status)
{
	_cleanup_free_ char *report = NULL;

	TRY(program_find("singe-report", &report));
	size_t len = strlen(output);
	bool page = len > 5 && !strcmp(output + len - 5, ".html");
	const char *format = page ? "html" : "svg";
	char *argv[] = { report,       (char *)"report", (char *)"-i", (char *)recording,
			 (char *)"-f", (char *)format,   (char *)"-o", (char *)output,
			 NULL };

	TRY(program_run(argv, status));
	return NULL;
}

static struct err *flame_run(struct flame *f, const char *recording, int *ret)
{
	_cleanup_free_ char *record = NULL;
	int recorded, drawn;

	TRY(program_find("singe-record", &record));
	f->record.v[0] = record;
	f->record.v[3] = (char *)recording;
	vec_push(&f->record, NULL);
	TRY(program_run(f->record.v, &recorded));
	struct stat st;

	if (stat(recording, &st) || !st.st_size) {
		*ret = recorded ? recorded : 1;
		return NULL; /* the recorder has said why */
	}
	TRY(flame_draw(recording, f->output, &drawn));
	if (drawn) {
		*ret = drawn;
		return NULL;
	}
	give_back(f->output);
	printf("%s\n", f->output);
	*ret = recorded;
	return NULL;
}

int flame_main(int argc, char **argv)
{
	struct flame f = { .output = "flame.svg" };

	for (int i = 0; i < 4; i++)
		vec_push(&f.record, i == 1 ? (char *)"record" : i == 2 ? (char *)"-o" : NULL);
	if (!flame_parse(&f, argc, argv)) {
		fprintf(stderr, "singe flame: -o needs a file name\n");
		vec_deinit(&f.record);
		return 2;
	}
	if (f.help) {
		fputs(usage, stdout);
		vec_deinit(&f.record);
		return 0;
	}
	const char *tmp = getenv("TMPDIR");
	_cleanup_free_ char *dir = xasprintf("%s/singe-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	_cleanup_free_ char *recording = NULL;
	struct err *err = NULL;
	int status = 1;

	if (!mkdtemp(dir)) {
		err = err_sys(errno, "cannot make a directory in %s", tmp && *tmp ? tmp : "/tmp");
	} else {
		recording = xasprintf("%s/singe.rec", dir);
		err = flame_run(&f, recording, &status);
		unlink(recording);
		rmdir(dir);
	}
	if (err)
		fprintf(stderr, "singe flame: %s\n", err_msg(err));
	err_destroy(err);
	vec_deinit(&f.record);
	return status;
}
