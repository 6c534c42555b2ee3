/* A source over samples written down in a test: stacks are text, places and names are made up from
 * it. Owner of its dataset. Nodes are made at once, so the tables are full before the first batch.
 */
#ifndef SUPPORT_MEMSOURCE_H
#define SUPPORT_MEMSOURCE_H

#include "sample/dataset.h"

struct memsource {
	struct source source; /* first: next() gets this back */
	struct dataset data;
	VEC(struct sample) samples;
	size_t taken, batch_len; /* samples given out; a batch */
	uint32_t app, lib, jit;
	uint64_t now_ns;
	struct intern words; /* a place for each word: offset 16 * id */
};

/* One event, cpu-clock at 1000 Hz; binaries /bin/app, /lib/libx.so.1 and JIT code; no call graph
 * mode set. Samples are 1 ms apart from 5 s on. */
void memsource_init(struct memsource *m);
void memsource_deinit(struct memsource *m);
void memsource_callgraph(struct memsource *m, const char *mode);
uint32_t memsource_event(struct memsource *m, const char *name, const char *unit, bool is_freq);
uint32_t memsource_thread(struct memsource *m, uint32_t pid, uint32_t tid, const char *comm,
			  const char *process_comm);

/* The node for "outermost;…;innermost". A frame is a function of app, or after "k:", "lib:", "jit:"
 * of another binary; "_start" is start code; "f>g" is g inlined into f; "lib:?" has no name,
 * "lib:?2" no name at another place; "cut:3" as the first frame is a FRAME_CUT with verdict 3. */
uint32_t memsource_stack(struct memsource *m, const char *stack);
/* `n` samples of it on CPU 0, period 1000000 each, of event 0; a millisecond apart. */
void memsource_add(struct memsource *m, uint32_t thread, const char *stack, unsigned int n);
/* One sample, as given but for the time. */
void memsource_sample(struct memsource *m, struct sample s);

#endif
