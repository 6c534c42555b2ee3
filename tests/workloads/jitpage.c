/* Prints the address of a page of code that no file backs, and runs it until it is killed. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__x86_64__)
/* nop ×4; 1: sub $1,%rdi; jne 1b; ret */
static const uint8_t code[] = { 0x90, 0x90, 0x90, 0x90, 0x48, 0x83, 0xef, 0x01, 0x75, 0xfa, 0xc3 };
#elif defined(__aarch64__)
/* nop; 1: subs x0, x0, #1; b.ne 1b; ret */
static const uint8_t code[] = { 0x1f, 0x20, 0x03, 0xd5, 0x00, 0x04, 0x00, 0xf1,
				0xe1, 0xff, 0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6 };
#endif

int main(void)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return 1;
	memcpy(page, code, sizeof(code));
	__builtin___clear_cache(page, page + sizeof(code));
	printf("%lx\n", (unsigned long)page);
	fflush(stdout);
	for (;;)
		((void (*)(long))page)(100000000);
}
