/* A JIT compiler of three functions, which uses an address again: writes jit-PID.dump into the
 * directory it runs in, maps it as code, and runs
 *
 *	first at A, then second at A, second moved to B, third at A, fourth at B.
 *
 *	jitdump [monotonic|arch|realtime]	the clock of its records
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "burn.h"

#if defined(__x86_64__)
/* nop ×4; 1: sub $1,%rdi; jne 1b; ret */
static const uint8_t code[] = { 0x90, 0x90, 0x90, 0x90, 0x48, 0x83, 0xef, 0x01, 0x75, 0xfa, 0xc3 };
enum { MACHINE = 62 };
#elif defined(__aarch64__)
/* nop; 1: subs x0, x0, #1; b.ne 1b; ret */
static const uint8_t code[] = { 0x1f, 0x20, 0x03, 0xd5, 0x00, 0x04, 0x00, 0xf1,
				0xe1, 0xff, 0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6 };
enum { MACHINE = 183 };
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

/* Line 10 at its begin, 20 from the loop on, in NAME.jit. */
static void put_lines(const char *name, uint64_t at)
{
	char file[32];
	size_t len = (size_t)snprintf(file, sizeof(file), "%s.jit", name) + 1;

	put_record(DEBUG_INFO, 16 + 16 + len + 16 + 2);
	put_u64(at);
	put_u64(2);
	put_u64(at);
	put_u32(10);
	put_u32(0);
	put(file, len);
	put_u64(at + 4);
	put_u32(20);
	put_u32(0);
	put("\xff", 2); /* the file before */
}

static void load(char *at, uint64_t index, const char *name)
{
	size_t name_len = strlen(name) + 1;

	memcpy(at, code, sizeof(code));
	__builtin___clear_cache(at, at + sizeof(code));
	put_lines(name, (uint64_t)at);
	put_record(UNWINDING_INFO, 24 + 8);
	put_u64(0);
	put_u64(0);
	put_u64(0);
	put_u64(0);
	put_record(LOAD, 40 + name_len + sizeof(code));
	put_u32((uint32_t)getpid());
	put_u32((uint32_t)getpid());
	put_u64((uint64_t)at);
	put_u64((uint64_t)at);
	put_u64(sizeof(code));
	put_u64(index);
	put(name, name_len);
	put(code, sizeof(code));
}

static void move(const char *from, char *to, uint64_t index)
{
	memcpy(to, from, sizeof(code));
	__builtin___clear_cache(to, to + sizeof(code));
	put_record(MOVE, 48);
	put_u32((uint32_t)getpid());
	put_u32((uint32_t)getpid());
	put_u64((uint64_t)to);
	put_u64((uint64_t)from);
	put_u64((uint64_t)to);
	put_u64(sizeof(code));
	put_u64(index);
}

__attribute__((noinline)) static void execute(const char *at, const char *name, double seconds)
{
	double start = cpu_seconds(), used;

	do {
		((void (*)(long))at)(100000);
		used = cpu_seconds() - start;
	} while (used < seconds);
	truth(name, used);
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
	put_u32(MACHINE);
	put_u32(0);
	put_u32((uint32_t)getpid());
	put_u64(now());
	put_u64((uint64_t)arch);
	fflush(dump);
	/* So that profilers find it. */
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
		abort();
}

int main(int argc, char **argv)
{
	char *a = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	if (a == MAP_FAILED)
		return 1;
	arch = argc > 1 && !strcmp(argv[1], "arch");
	if (argc > 1 && !strcmp(argv[1], "realtime"))
		clock_id = CLOCK_REALTIME;
	char *b = a + 256;

	open_dump();
	load(a, 1, "first");
	execute(a, "first", 0.3);
	load(a, 2, "second");
	execute(a, "second", 0.4);
	move(a, b, 2);
	execute(b, "second", 0.4);
	load(a, 3, "third");
	execute(a, "third", 0.5);
	load(b, 4, "fourth");
	execute(b, "fourth", 0.6);
	return fclose(dump) ? 1 : 0;
}
