/* What a JIT compiler does to be profiled: jit-PID.dump in the directory it runs in, mapped as code
 * so that it is found (tools/perf/Documentation/jitdump-specification.txt). */
#ifndef WORKLOADS_JITWRITER_H
#define WORKLOADS_JITWRITER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { JIT_MACHINE = 62 };
#elif defined(__aarch64__)
enum { JIT_MACHINE = 183 };
#endif

enum { LOAD = 0, MOVE = 1, DEBUG_INFO = 2, UNWINDING_INFO = 4 };

static FILE *dump;
static clockid_t clock_id = CLOCK_MONOTONIC;
static int arch;

static uint64_t now(void)
{
	static uint64_t counter;
	struct timespec t;

	if (arch)
		return ++counter;
	clock_gettime(clock_id, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void put(const void *p, size_t len)
{
	if (fwrite(p, 1, len, dump) != len)
		abort();
}

static void put_u32(uint32_t v)
{
	put(&v, sizeof(v));
}

static void put_u64(uint64_t v)
{
	put(&v, sizeof(v));
}

static void put_record(uint32_t id, size_t body)
{
	put_u32(id);
	put_u32((uint32_t)(16 + body));
	put_u64(now());
}

static void put_load(const void *at, size_t len, uint64_t index, const char *name)
{
	size_t name_len = strlen(name) + 1;

	put_record(LOAD, 40 + name_len + len);
	put_u32((uint32_t)getpid());
	put_u32((uint32_t)getpid());
	put_u64((uint64_t)at);
	put_u64((uint64_t)at);
	put_u64(len);
	put_u64(index);
	put(name, name_len);
	put(at, len);
}

static void put_move(const void *from, const void *to, size_t len, uint64_t index)
{
	put_record(MOVE, 48);
	put_u32((uint32_t)getpid());
	put_u32((uint32_t)getpid());
	put_u64((uint64_t)to);
	put_u64((uint64_t)from);
	put_u64((uint64_t)to);
	put_u64(len);
	put_u64(index);
}

static void open_dump(void)
{
	char path[64];

	snprintf(path, sizeof(path), "jit-%d.dump", (int)getpid());
	dump = fopen(path, "w+");
	if (!dump)
		abort();
	put_u32(0x4a695444);
	put_u32(1);
	put_u32(40);
	put_u32(JIT_MACHINE);
	put_u32(0);
	put_u32((uint32_t)getpid());
	put_u64(now());
	put_u64((uint64_t)arch);
	fflush(dump);
	/* So that profilers find it. */
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
		abort();
}

#endif
