/* Random recordings for the tests of src/recording: what was written is kept in a form that does
 * not depend on numbers, to be compared with what is read. */
#ifndef TESTS_RECORDING_FIXTURE_H
#define TESTS_RECORDING_FIXTURE_H

#include "recording/reader.h"
#include "recording/writer.h"

/* One sample or process event in words: equal lines, equal meaning. */
struct lines {
	VEC(char *) v;
};

struct fixture {
	struct dataset data;
	int fd; /* a memfd */
	struct writer *w;
	struct lines expected; /* samples and events in order */
	uint64_t seed;
	uint64_t time_ns;
	uint64_t n_samples;
};

struct result {
	struct dataset data;
	struct lines lines;
	struct diag diag;
	uint64_t end_offset;
};

void lines_deinit(struct lines *l);

/* A writer with events, threads and binaries, and no sample yet. */
void fixture_init(struct fixture *f, enum codec codec, uint64_t seed);
void fixture_deinit(struct fixture *f);
uint32_t fixture_random(struct fixture *f, uint32_t below);
/* Random samples on random stacks, with process events among them. */
void fixture_samples(struct fixture *f, unsigned int n);
/* As a recorder does. */
void fixture_restart(struct fixture *f);
void fixture_end(struct fixture *f);

/* Reads all of it from the start. */
void result_read(struct result *r, int fd);
void result_deinit(struct result *r);
/* A memfd with these bytes, at its start. */
int fixture_file(const void *p, size_t len);
/* The bytes of the file; the caller frees. */
uint8_t *fixture_bytes(const struct fixture *f, size_t *ret_len);

#endif
