/* In: a descriptor. Out: its bytes, which may shrink but never kill. */
#include "symbol/filemap.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

struct filemap {
	struct filemap *next;
	uint8_t *data;
	size_t len;
};

/* Those that are open, for the signal handler, which has no argument of ours; and what was done at
 * SIGBUS before the first of them. */
static struct filemap *volatile maps;
static struct sigaction before;
static uintptr_t page;

/* Puts a page of zeros where the file has none any more (mmap(2) is a bare system call). */
static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	int saved = errno;

	(void)context;
	for (struct filemap *m = maps; m; m = m->next) {
		uintptr_t start = (uintptr_t)m->data;

		if (info->si_code != BUS_ADRERR || at < start || at - start >= m->len)
			continue;
		if (mmap((void *)(at & -page), page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
			break;
		errno = saved;
		return;
	}
	/* Not ours: the access is repeated and does what it would have done. */
	sigaction(sig, &before, NULL);
}

static void filemap_add(struct filemap *m)
{
	struct sigaction action = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };

	page = (uintptr_t)sysconf(_SC_PAGESIZE);
	m->next = maps;
	maps = m;
	sigemptyset(&action.sa_mask);
	if (!m->next)
		sigaction(SIGBUS, &action, &before);
}

static void filemap_remove(struct filemap *m)
{
	if (maps == m) {
		maps = m->next;
	} else {
		struct filemap *at = maps;

		while (at->next != m)
			at = at->next;
		at->next = m->next;
	}
	if (!maps)
		sigaction(SIGBUS, &before, NULL);
}

struct err *filemap_open(int fd, struct filemap **ret)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_sys(errno, "cannot look at a file");
	if (!S_ISREG(st.st_mode) || st.st_size <= 0)
		return err_new("not a file with anything in it");
	/* Writable: libelf notes in the section headers what it has expanded. */
	void *data = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);

	if (data == MAP_FAILED)
		return err_sys(errno, "cannot map a file");
	struct filemap *m = xcalloc(1, sizeof(*m));

	m->data = data;
	m->len = (size_t)st.st_size;
	filemap_add(m);
	*ret = m;
	return NULL;
}

void filemap_close(struct filemap *m)
{
	if (!m)
		return;
	filemap_remove(m);
	munmap(m->data, m->len);
	free(m);
}

void *filemap_data(const struct filemap *m)
{
	return m->data;
}

size_t filemap_len(const struct filemap *m)
{
	return m->len;
}
