/* The first currency: a raw event is what the kernel said. A view: pointers in it are valid until
 * the next event is taken from where it came. Fields follow perf_event_open(2). */
#ifndef SAMPLE_RAWEVENT_H
#define SAMPLE_RAWEVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum raw_kind {
	RAW_SAMPLE,
	RAW_MMAP,
	RAW_COMM,
	RAW_FORK,
	RAW_EXIT,
	RAW_LOST,
	RAW_LOST_SAMPLES,
	RAW_THROTTLE,
	RAW_UNTHROTTLE,
	RAW_KSYMBOL,
	RAW_SWITCH,
	RAW_OTHER, /* known to the kernel ABI, of no interest here */
};

/* PERF_RECORD_MISC_CPUMODE_MASK as an enum of our own. */
enum raw_mode {
	RAW_MODE_UNKNOWN,
	RAW_MODE_KERNEL,
	RAW_MODE_USER,
	RAW_MODE_GUEST, /* guest kernel or guest user: neither of ours */
};

/* The counters read with a sample (PERF_SAMPLE_READ): `n` of them, each `stride` words; the value
 * is the first word, the event's id the word `id_at`. */
struct raw_read {
	const uint64_t *words;
	uint32_t n; /* 0: none, or they do not say their ids */
	uint8_t stride, id_at;
};

struct raw_sample {
	uint64_t ip;
	uint64_t period;
	const uint64_t *chain; /* with its PERF_CONTEXT_* markers, innermost first; may be unaligned
				  only if memcpy'd by the parser: always readable as uint64_t */
	uint32_t n_chain;
	struct raw_read read;
	const uint64_t *branches; /* {from, to, flags} each, the latest first */
	uint32_t n_branches;
	uint64_t regs_abi; /* PERF_SAMPLE_REGS_ABI_*; 0: no user registers */
	uint64_t regs_mask;
	const uint64_t *regs; /* one a set bit of the mask, lowest first */
	const uint8_t *stack; /* bytes from the user stack pointer up */
	uint64_t stack_len;   /* how many of them the kernel filled (dyn_size) */
	uint64_t stack_asked; /* how many were asked for */
};

struct raw_mmap {
	uint64_t start, len, pgoff;
	uint32_t dev_major, dev_minor;
	uint64_t inode, inode_generation;
	uint32_t prot, flags; /* 0 where the record does not say (PERF_RECORD_MMAP) */
	const uint8_t *build_id;
	uint32_t build_id_len; /* 0: device and inode hold instead */
	const char *path;
	bool data; /* PERF_RECORD_MISC_MMAP_DATA: not executable */
};

struct raw_event {
	enum raw_kind kind;
	enum raw_mode mode;
	uint64_t time_ns; /* 0: the record carries none */
	uint32_t pid, tid;
	uint32_t cpu; /* UINT32_MAX: not said */
	uint64_t id;  /* the event's id (PERF_SAMPLE_IDENTIFIER); 0: not said */
	union {
		struct raw_sample sample;
		struct raw_mmap mmap;
		struct {
			const char *name;
			bool exec; /* PERF_RECORD_MISC_COMM_EXEC */
		} comm;
		struct {
			uint32_t ppid, ptid; /* pid and tid are in the event */
		} task;
		struct {
			uint64_t id, lost;
		} lost; /* RAW_LOST and RAW_LOST_SAMPLES */
		struct {
			uint64_t addr;
			uint32_t len;
			uint16_t type;
			bool unregister;
			const char *name;
		} ksymbol;
		struct {
			bool out;
			bool preempt;
		} cswitch;
	};
};

#endif
