/* In: files, directories of files, seeds of the target. Out: each, and mutations of each, given to
 * the fuzz target, so that `make check` runs it with any compiler.
 *
 *	fuzz-NAME [-n MUTATIONS] [-w DIR] [FILE|DIR]…	default: tests/fuzz/corpus/NAME
 *
 * -w writes the target's own seeds into DIR and ends. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz/fuzz.h"
#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/table.h"

enum { MUTATIONS = 1000, GROWTH = 64 };

struct replay {
	unsigned long mutations; /* of each seed */
	unsigned long n_seeds, n_inputs;
};

/* Seeds that a target makes itself. */
__attribute__((weak)) bool fuzz_seed(unsigned int i, struct buf *ret)
{
	(void)i, (void)ret;
	return false;
}

struct random {
	uint64_t state;
};

static uint32_t random_below(struct random *r, size_t below)
{
	r->state = r->state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(hash_u64(r->state) % (below ? below : 1));
}

/* One change somewhere. There is room for GROWTH bytes more than `*len`. */
static void mutate(struct random *r, uint8_t *p, size_t *len)
{
	static const uint32_t numbers[] = { 0,      1,       0x7f,       0x80,       0xff,
					    0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff };
	size_t at = random_below(r, *len);
	size_t left = *len - at;
	size_t n = random_below(r, left < 16 ? left : 16);

	if (!*len)
		return;
	switch (random_below(r, 6)) {
	case 0:
		p[at] ^= (uint8_t)(1 << random_below(r, 8));
		break;
	case 1:
		p[at] = (uint8_t)random_below(r, 256);
		break;
	case 2:
		memcpy(p + at, &numbers[random_below(r, 10)], left < 4 ? left : 4);
		break;
	case 3: /* cut out */
		memmove(p + at, p + at + n, left - n);
		*len -= n;
		break;
	case 4: /* say twice */
		memmove(p + at + n, p + at, left);
		*len += n;
		break;
	case 5: /* from elsewhere */
		memmove(p + at, p + random_below(r, *len - n), n);
		break;
	}
}

/* The input in memory of exactly its size, so that a sanitizer sees every byte read beyond it. */
static void run(struct replay *replay, const uint8_t *p, size_t len)
{
	_cleanup_free_ uint8_t *copy = len ? xmemdup(p, len) : xmalloc(1);

	LLVMFuzzerTestOneInput(copy, len);
	replay->n_inputs++;
}

static void run_seed(struct replay *replay, const uint8_t *p, size_t len)
{
	enum { CHANGES = 4 };
	_cleanup_free_ uint8_t *work = xmalloc(len + (size_t)CHANGES * GROWTH);
	struct random r = { .state = hash_bytes(p, len) };

	replay->n_seeds++;
	run(replay, p, len);
	for (unsigned long i = 0; i < replay->mutations; i++) {
		size_t n = len;

		memcpy(work, p, len);
		for (uint32_t k = random_below(&r, CHANGES) + 1; k > 0; k--)
			mutate(&r, work, &n);
		if (!random_below(&r, 8))
			n = random_below(&r, n);
		run(replay, work, n);
	}
}

static bool run_file(struct replay *replay, const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "rb");
	struct buf b = { 0 };

	if (!f) {
		fprintf(stderr, "cannot open %s: %s\n", path, strerror(errno));
		return false;
	}
	for (;;) {
		buf_room(&b, 4096);
		size_t n = fread(b.data + b.len, 1, 4096, f);

		if (!n)
			break;
		b.len += n;
	}
	run_seed(replay, b.data, b.len);
	buf_deinit(&b);
	return true;
}

static bool run_path(struct replay *replay, const char *path)
{
	struct stat st;
	struct dirent **names;
	bool good = true;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return run_file(replay, path);
	int n = scandir(path, &names, NULL, alphasort);

	if (n < 0)
		return false;
	for (int i = 0; i < n; i++) {
		_cleanup_free_ char *file = xasprintf("%s/%s", path, names[i]->d_name);

		if (names[i]->d_name[0] != '.')
			good &= run_path(replay, file);
		free(names[i]);
	}
	free(names);
	return good;
}

static bool write_seeds(const char *dir)
{
	struct buf b = { 0 };
	bool good = true;

	for (unsigned int i = 0; fuzz_seed(i, &b); i++) {
		_cleanup_free_ char *path = xasprintf("%s/seed-%u", dir, i);
		_cleanup_fclose_ FILE *f = fopen(path, "wb");

		good &= f && fwrite(b.data, 1, b.len, f) == b.len;
		b.len = 0;
	}
	buf_deinit(&b);
	return good;
}

static void run_default(struct replay *replay, const char *program)
{
	const char *top = getenv("TOP");
	const char *name = strstr(program, "fuzz-");
	struct buf b = { 0 };

	for (unsigned int i = 0; fuzz_seed(i, &b); i++) {
		run_seed(replay, b.data, b.len);
		b.len = 0;
	}
	buf_deinit(&b);
	while (name && strstr(name + 1, "fuzz-"))
		name = strstr(name + 1, "fuzz-");
	if (!top || !name)
		return;
	_cleanup_free_ char *dir = xasprintf("%s/tests/fuzz/corpus/%s", top, name + 5);
	struct stat st;

	if (!stat(dir, &st))
		run_path(replay, dir);
}

int main(int argc, char **argv)
{
	struct replay replay = { .mutations = MUTATIONS };
	bool good = true;
	int i = 1;

	for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		if (!strcmp(argv[i], "-w"))
			return write_seeds(argv[i + 1]) ? 0 : 1;
		if (!strcmp(argv[i], "-n"))
			replay.mutations = strtoul(argv[i + 1], NULL, 10);
	}
	if (i >= argc)
		run_default(&replay, argv[0]);
	for (; i < argc; i++)
		good &= run_path(&replay, argv[i]);
	printf("%lu seeds, %lu inputs\n", replay.n_seeds, replay.n_inputs);
	return good && replay.n_seeds ? 0 : 1;
}
