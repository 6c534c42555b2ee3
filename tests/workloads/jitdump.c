/* A JIT compiler of three functions, which uses an address again: writes jit-PID.dump into the
 * directory it runs in, maps it as code, and runs
 *
 *	first at A, then second at A, second moved to B, third at A, fourth at B.
 *
 *	jitdump [monotonic|arch|realtime]	the clock of its records
 */
#include "burn.h"
#include "jitwriter.h"

#if defined(__x86_64__)
/* nop ×4; 1: sub $1,%rdi; jne 1b; ret */
static const uint8_t code[] = { 0x90, 0x90, 0x90, 0x90, 0x48, 0x83, 0xef, 0x01, 0x75, 0xfa, 0xc3 };
#elif defined(__aarch64__)
/* nop; 1: subs x0, x0, #1; b.ne 1b; ret */
static const uint8_t code[] = { 0x1f, 0x20, 0x03, 0xd5, 0x00, 0x04, 0x00, 0xf1,
				0xe1, 0xff, 0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6 };
#endif

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
	memcpy(at, code, sizeof(code));
	__builtin___clear_cache(at, at + sizeof(code));
	put_lines(name, (uint64_t)at);
	put_record(UNWINDING_INFO, 24 + 8);
	put_u64(0);
	put_u64(0);
	put_u64(0);
	put_u64(0);
	put_load(at, sizeof(code), index, name);
}

static void move(const char *from, char *to, uint64_t index)
{
	memcpy(to, from, sizeof(code));
	__builtin___clear_cache(to, to + sizeof(code));
	put_move(from, to, sizeof(code), index);
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
