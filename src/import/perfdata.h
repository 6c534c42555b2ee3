/* perf.data: a file, a stream of `perf record -o -`, or the directory of `perf record --threads`.
 * Both byte orders, writers of any word size. Records are put into the order of their time as
 * perf(1) does it: at the end of each round up to the latest time of the round before, so that
 * memory goes with two rounds of the rings.
 *
 * A damaged file is read as far as it can be: what is wrong is reported with its offset, counted in
 * totals.damaged_blocks, and totals.complete says whether the end was reached. */
#ifndef IMPORT_PERFDATA_H
#define IMPORT_PERFDATA_H

#include "base/diag.h"
#include "import/kept.h"

/* True if these first bytes of a file (8 are enough) are a perf.data file's. */
bool perfdata_magic(const void *p, size_t len);
/* True if these first bytes are of a file whose tables come after its records, so that it must be
 * seekable. */
bool perfdata_needs_seek(const void *p, size_t len);

struct perfdata_options {
	kept_open_fn *open; /* the file of a binary, to unwind copied stacks with; NULL: none */
	void *ctx;
};

/* `fd` stays the caller's and must outlive the source; a directory's is fine. data->events and
 * data->meta are complete after the first batch. An error is a file of which nothing can be read.
 */
ERR_CHECK struct err *perfdata_open(int fd, const struct perfdata_options *opt,
				    struct dataset *data, struct diag *diag, struct source **ret);
/* How copied stacks are unwound. Before the first batch. */
void perfdata_set_engine(struct source *src, enum unwind_engine engine);

#endif
