/* In: the running kernel. Out: what a reader elsewhere needs to know of it. */
#include "capture/meta.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "model/notes.h"

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts = { 0 };

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint64_t meta_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t meta_cpu_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

/* "ffffffff81000000 T _stext": among the first lines, zero for those who may not see. */
static uint64_t find_stext(const char *kallsyms)
{
	const char *at = strstr(kallsyms, " _stext\n");

	if (!at)
		return 0;
	while (at > kallsyms && at[-1] != '\n')
		at--;
	return strtoull(at, NULL, 16);
}

static void set_text(char **to, const char *text)
{
	free(*to);
	*to = xstrndup(text, strcspn(text, "\n"));
}

static bool read_text(const struct opener *o, const char *path, struct buf *ret)
{
	struct err *err = opener_read(o, path, ret);
	bool ok = !err;

	err_destroy(err);
	return ok;
}

/* It stands among the first symbols; the whole list takes the kernel a tenth of a second. */
static uint64_t read_stext(const struct opener *o, struct buf *text)
{
	enum { HEAD_BYTES = 512 << 10 };
	struct err *err = opener_read_head(o, "/proc/kallsyms", HEAD_BYTES, text);
	uint64_t stext = err ? 0 : find_stext((char *)text->data);

	err_destroy(err);
	return stext;
}

void meta_fill(struct meta *m, const struct opener *o, bool stext)
{
	struct utsname u;
	struct buf text = { 0 };

	if (!uname(&u)) {
		set_text(&m->host, u.nodename);
		set_text(&m->os_release, u.release);
		set_text(&m->machine, u.machine);
	}
	if (read_text(o, "/proc/sys/kernel/random/boot_id", &text))
		set_text(&m->boot_id, (char *)text.data);
	if (read_text(o, "/sys/kernel/notes", &text))
		m->kernel_build_id_len =
			(uint8_t)notes_build_id(text.data, text.len, m->kernel_build_id);
	if (stext)
		m->kernel_stext = read_stext(o, &text);
	buf_deinit(&text);
	m->clockid = CLOCK_MONOTONIC;
	m->clock_start_ns = meta_now_ns();
	m->wall_start_ns = clock_ns(CLOCK_REALTIME);
	m->n_cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	m->page_size = (uint32_t)sysconf(_SC_PAGESIZE);
}
