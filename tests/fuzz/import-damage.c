/* In: the corpus of perf.data files. Out: each cut off at every 997th byte and with bits turned
 *over, read; what was readable before the cut must still be read. Exit 77 without a corpus.
 *
 *	import-damage [-a [FROM TO]]
 *
 * -a: every 997th byte of large files too, which takes minutes; or only cuts from byte FROM on and
 * before byte TO. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/table.h"
#include "fuzz/importing.h"

/* Reading grows with the square of a file: beyond DENSE bytes one step in SPARSE is taken. */
enum { STEP = 997, FLIPS = 100, DENSE = 128 << 10, SPARSE = 16 };

static bool load(const char *path, struct buf *ret)
{
	_cleanup_fclose_ FILE *f = fopen(path, "rb");

	ret->len = 0;
	for (size_t n = 1; f && n; ret->len += n) {
		buf_room(ret, 1 << 16);
		n = fread(ret->data + ret->len, 1, 1 << 16, f);
	}
	return f;
}

/* In memory of exactly its size, so that a sanitizer sees what is read beyond it. */
static uint64_t read_copy(const uint8_t *p, size_t len, struct diag *diag)
{
	_cleanup_free_ uint8_t *copy = len ? xmemdup(p, len) : xmalloc(1);
	struct totals totals = { 0 };

	importing_read(copy, len, &totals, diag);
	return totals.samples;
}

/* Which cuts. */
struct cuts {
	bool all;
	size_t from, to;
};

static bool cut(const char *name, const struct buf *file, const struct cuts *cuts)
{
	size_t end = file->len < cuts->to ? file->len : cuts->to;
	uint64_t before = 0;
	struct diag diag = { 0 };

	for (size_t len = cuts->from; len < end;
	     len += len < DENSE || cuts->all ? STEP : SPARSE * STEP) {
		uint64_t n = read_copy(file->data, len, &diag);

		if (n < before) {
			printf("%s cut at %zu: %llu samples, a shorter cut gave %llu\n", name, len,
			       (unsigned long long)n, (unsigned long long)before);
			return false;
		}
		before = n;
	}
	bool told = cuts->from >= end; /* nothing was cut */

	for (size_t i = 0; i < diag.entries.n; i++)
		told |= strstr(diag.entries.v[i].text, "offset") != NULL;
	if (!told)
		printf("%s: no cut was told with its offset\n", name);
	diag_deinit(&diag);
	return told;
}

static void flip(const struct buf *file)
{
	_cleanup_free_ uint8_t *work = xmalloc(file->len + 1);

	for (uint64_t i = 0; i < FLIPS; i++) {
		struct diag diag = { 0 };

		memcpy(work, file->data, file->len);
		/* A third in what decides most: header, attrs, the first records. */
		for (uint64_t k = 0; k < 4; k++) {
			uint64_t r = hash_pair(i, k);
			size_t range = i % 3 || file->len < 2048 ? file->len : 2048;

			work[r % range] ^= (uint8_t)(1U << (r >> 40) % 8);
		}
		read_copy(work, file->len, &diag);
		diag_deinit(&diag);
	}
}

int main(int argc, char **argv)
{
	struct cuts cuts = {
		.all = argc > 1 && !strcmp(argv[1], "-a"),
		.from = argc > 3 ? strtoul(argv[2], NULL, 10) / STEP * STEP : 0,
		.to = argc > 3 ? strtoul(argv[3], NULL, 10) : SIZE_MAX,
	};
	const char *given = getenv("SINGE_CORPUS"), *top = getenv("TOP");
	_cleanup_free_ char *dir = given ? xasprintf("%s/perf-data", given)
					 : xasprintf("%s/../shared/corpus/perf-data", top ?: ".");
	struct buf file = { 0 };
	struct dirent **names;
	int n = scandir(dir, &names, NULL, alphasort);
	bool good = true;
	int n_files = 0;

	for (int i = 0; i < n; i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", dir, names[i]->d_name);

		if (!strncmp(names[i]->d_name, "perf.data", 9) && load(path, &file)) {
			good &= cut(names[i]->d_name, &file, &cuts);
			flip(&file);
			n_files++;
		}
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	buf_deinit(&file);
	if (!n_files) {
		printf("no corpus of perf.data files in %s (SINGE_CORPUS)\n", dir);
		return 77;
	}
	printf("%d files\n", n_files);
	return good ? 0 : 1;
}
