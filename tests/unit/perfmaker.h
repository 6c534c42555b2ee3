/* perf.data for tests, written field by field, in either byte order. */
#ifndef TESTS_UNIT_PERFMAKER_H
#define TESTS_UNIT_PERFMAKER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/diag.h"
#include "sample/dataset.h"

struct maker {
	struct buf b;
	bool other_order;
	size_t record; /* where the record under way begins */
	bool no_trailer;
};

enum { MAKER_PID = 40, MAKER_TID = 41, MAKER_ID = 7 };

void put16(struct maker *m, uint16_t v);
void put32(struct maker *m, uint32_t v);
void put64(struct maker *m, uint64_t v);
void put_text(struct maker *m, const char *s); /* padded to 8 bytes */

void maker_begin(struct maker *m, uint32_t type, uint16_t misc);
void maker_end(struct maker *m);

/* An attr of 72 bytes, as Linux 3.4 had it, of sample_type
 * IDENTIFIER|IP|TID|TIME|CPU|PERIOD|CALLCHAIN, in frequency mode, with sample_id_all. */
enum { MAKER_ATTR_LEN = 72 };
void put_attr(struct maker *m, uint32_t type, uint64_t config);

void maker_pipe_header(struct maker *m);
void maker_attr(struct maker *m, uint32_t type, uint64_t config, uint64_t id);
void maker_comm(struct maker *m, const char *comm, uint64_t time);
void maker_mmap2(struct maker *m, uint64_t start, uint64_t len, uint64_t pgoff, const char *path,
		 uint64_t time);
void maker_sample(struct maker *m, uint64_t id, uint64_t time, uint64_t ip, uint64_t caller);
void maker_round(struct maker *m);

/* Everything that a file comes to. */
struct made {
	struct dataset data;
	struct diag diag;
	struct source *source;
	VEC(struct sample) samples;
	VEC(struct proc_event) events;
	int fd;
};

/* Fails the test if the file cannot be opened or read. */
void made_read(struct made *r, const struct buf *file);
void made_deinit(struct made *r);
/* "comm;outer;inner" with binaries' names and offsets. Caller frees. */
char *made_stack(const struct made *r, size_t sample);
bool made_was_told(const struct made *r, const char *text);

#endif
