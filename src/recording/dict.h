/* The reader's dictionary: numbers in the file → numbers in the dataset. Numbers of binaries and
 * threads mean the same in the whole file, those of nodes in one dictionary. What a damaged block
 * took along is "lost": a frame, a thread with that name, never another one. */
#ifndef RECORDING_DICT_H
#define RECORDING_DICT_H

#include "base/cursor.h"
#include "sample/dataset.h"

struct numbers {
	struct table table;
	VEC(uint64_t) pairs; /* number in the file << 32 | number in the dataset */
};

/* Nodes first, first + 1, … of the file are map[at], map[at + 1], … */
struct node_run {
	uint32_t first, n;
	uint32_t at;
};

struct dict {
	struct dataset *data;
	struct numbers binaries, threads;
	struct table binary_keys; /* identity without build-id → number in the dataset */
	VEC(uint32_t) map;
	VEC(struct node_run) runs; /* in order; more than one only after damage */
	VEC(uint64_t) last_off;    /* by place in `binaries`, in the block under way */
	bool any;
	uint64_t restart;
	uint32_t lost_node;   /* 0: not needed so far */
	uint32_t lost_thread; /* UINT32_MAX: not needed so far */
};

void dict_init(struct dict *d, struct dataset *data);
void dict_deinit(struct dict *d);
/* Forgets nodes if this is another dictionary than the last block's. */
void dict_restart(struct dict *d, uint64_t restart);

/* The dataset's binary with this identity, made if new; learns what `like` knows more. */
uint32_t dict_binary(struct dict *d, const struct binary *like);
/* Columns of definitions. False if damaged. */
bool dict_read_binaries(struct dict *d, struct cursor c);
bool dict_read_threads(struct dict *d, struct cursor c);

struct node_columns {
	struct cursor parent, binary, off, kind;
};
bool dict_read_nodes(struct dict *d, uint64_t first, uint64_t n, struct node_columns c);

/* BINARY_UNKNOWN if its definition was lost. */
uint32_t dict_find_binary(const struct dict *d, uint64_t number);
uint32_t dict_find_thread(struct dict *d, uint64_t number);
uint32_t dict_lost_node(struct dict *d);
uint32_t dict_node_slow(struct dict *d, uint64_t number);

/* dict_lost_node() if its definition was lost. */
static inline uint32_t dict_node(struct dict *d, uint64_t number)
{
	if (d->runs.n == 1 && number - d->runs.v[0].first < d->runs.v[0].n)
		return d->map.v[number - d->runs.v[0].first];
	return number ? dict_node_slow(d, number) : 0;
}

#endif
