/* Two libraries' code at one address, one after the other: `mapover A.so B.so` maps the executable
 * segment of A (built from codepage.c) and runs its entry, then maps B's over it and runs that,
 * then A's again. */
#include <elf.h>
#include <string.h>
#include <sys/mman.h>

#include "burn.h"

typedef unsigned long entry_fn(unsigned long n);

static char *const place = (char *)0x10000000000;

/* Maps the segment that holds the entry point; returns the entry as mapped. */
static entry_fn *map_code(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	if (fd < 0 || pread(fd, &eh, sizeof(eh), 0) != sizeof(eh))
		abort();
	for (int i = 0;; i++) {
		if (i == eh.e_phnum ||
		    pread(fd, &ph, sizeof(ph), (off_t)(eh.e_phoff + (unsigned)i * sizeof(ph))) !=
			    sizeof(ph))
			abort();
		if (ph.p_type == PT_LOAD && ph.p_vaddr <= eh.e_entry &&
		    eh.e_entry < ph.p_vaddr + ph.p_filesz)
			break;
	}
	unsigned long off = ph.p_offset & ~4095UL;

	if (mmap(place, 0x2000, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, (off_t)off) !=
	    place)
		abort();
	close(fd);
	return (entry_fn *)(place + (eh.e_entry - ph.p_vaddr + ph.p_offset - off));
}

static void run(const char *name, const char *path, double seconds)
{
	entry_fn *fn = map_code(path);
	double start = cpu_seconds(), now;

	do {
		burn_sink += fn(200000);
		now = cpu_seconds();
	} while (now - start < seconds);
	truth(name, now - start);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	run("hot_a", argv[1], 0.2);
	run("hot_b", argv[2], 0.3);
	run("hot_a", argv[1], 0.1);
	return 0;
}
