/* Writes a recording: columns of a block are gathered in memory and leave as one compressed block
 * when they reach 64 KiB or a second has passed. The writer reads the caller's tables: nodes are
 * written as the tree grows, binaries and threads when first referred to, so a caller just adds to
 * its tables and calls writer_sample().
 *
 * A write error (disk full, file size limit; SIGXFSZ and SIGPIPE must be ignored) leaves a file
 * that ends with its last whole block. From then on samples, events and flushes return that error
 * again; writer_end() still tries to say in END how much was lost. */
#ifndef RECORDING_WRITER_H
#define RECORDING_WRITER_H

#include "base/codec.h"
#include "base/err.h"
#include "sample/dataset.h"

struct writer;

/* Writes the file header and the HEADER block at once. `data` (meta, events, tree, binaries,
 * threads) and `fd` must outlive the writer; `fd` stays the caller's. */
ERR_CHECK struct err *writer_create(int fd, enum codec codec, const struct dataset *data,
				    struct writer **ret);
/* For names only, at the end of a file that is there already: writes no header. */
struct writer *writer_append(int fd, enum codec codec, const struct dataset *data);
/* Closes nothing; drops what is unwritten. */
void writer_destroy(struct writer *w);

/* The hot path. Time may go back a little; node, thread and event must be in the tables. */
ERR_CHECK struct err *writer_sample(struct writer *w, const struct sample *s);
/* What the sample just written was unwound from; is copied. */
void writer_stack(struct writer *w, enum raw_mode mode, const struct raw_sample *stack);
/* In order of effect with the samples. comm is copied. */
ERR_CHECK struct err *writer_event(struct writer *w, const struct proc_event *e);

/* Closes the block under way if it is older than a second at `now_ns` (the samples' clock). */
ERR_CHECK struct err *writer_tick(struct writer *w, uint64_t now_ns);
ERR_CHECK struct err *writer_flush(struct writer *w);

/* True once the dictionary should restart (64 MiB of output or a million nodes since the last).
 * Then: writer_restart(), frametree_clear(), repeat the live mappings with writer_event(). */
bool writer_restart_due(const struct writer *w);
ERR_CHECK struct err *writer_restart(struct writer *w);

/* END: flushes, then writes totals, in which samples that could not be written become lost ones. */
ERR_CHECK struct err *writer_end(struct writer *w, struct totals *totals);

/* Appends SYMBOLS blocks with every entry of `names` from `*from` on (an index into
 * names->entries) and moves it; only for binaries of data->binaries, in file numbering. Works on a
 * file that is already ended, also from another process that has the same `fd`. */
ERR_CHECK struct err *writer_names(struct writer *w, const struct names *names, size_t *from);

/* Appends CODE blocks with all of data->codetimes; otherwise like writer_names(). */
ERR_CHECK struct err *writer_code(struct writer *w);

/* Bytes handed to the kernel so far. */
uint64_t writer_size(const struct writer *w);

DEFINE_CLEANUP(struct writer *, writer_destroy);

#endif
