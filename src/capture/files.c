/* In: mappings as they appear. Out: their files' identities and open descriptors, by a helper
 * thread. */
#include "capture/files.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/jitmaps.h"

enum { TRIES_MAX = 8 };

enum file_state { FILE_UNKNOWN = 0, FILE_ASKED, FILE_OPENED, FILE_FAILED };

struct file_slot {
	enum file_state state; /* the asking thread's */
	uint32_t tries;        /* likewise */
	int errnum;            /* likewise: why it failed; 0: another file is there */
};

struct kept {
	uint32_t binary;
	int fd;
};

enum request_kind { REQUEST_OPEN, REQUEST_READ_DUMP, REQUEST_FORGET_DUMP };

struct file_request {
	enum request_kind kind;
	uint32_t binary;
	struct binary like;       /* REQUEST_OPEN only; path owned */
	struct mapped_file where; /* of the others, the pid */
};

struct files {
	struct opener *opener;
	size_t max_kept;
	bool want_elf;
	pthread_t thread;
	bool started;                /* the helper is made at the first request */
	VEC(struct file_slot) slots; /* by binary; the asking thread's */

	pthread_mutex_t lock; /* everything below */
	pthread_cond_t work, idle;
	bool stop, busy;
	VEC(struct file_request) queue;
	size_t head;
	VEC(struct file_result) results;
	size_t taken;

	VEC(struct kept) kept;  /* the helper's */
	struct jitmaps jitmaps; /* likewise */
	struct jitreads dumps;  /* likewise */
};

/* Found again by path, the file need not be kept. */
static bool reachable(const char *path, int fd)
{
	struct stat by_path, by_fd;

	return !stat(path, &by_path) && !fstat(fd, &by_fd) && by_path.st_dev == by_fd.st_dev &&
	       by_path.st_ino == by_fd.st_ino;
}

/* Room for one more: the caller's file is dropped if it can be found again, else a kept one. */
static void files_keep(struct files *f, const struct file_request *r, int fd)
{
	if (f->kept.n >= f->max_kept && reachable(r->like.path, fd)) {
		close(fd);
		return;
	}
	if (f->kept.n >= f->max_kept) {
		char self[64], path[4096];

		for (size_t i = 0; i < f->kept.n; i++) {
			snprintf(self, sizeof(self), "/proc/self/fd/%d", f->kept.v[i].fd);
			ssize_t n = readlink(self, path, sizeof(path) - 1);

			path[n > 0 ? n : 0] = '\0';
			if (!reachable(path, f->kept.v[i].fd))
				continue;
			close(f->kept.v[i].fd);
			f->kept.v[i] = (struct kept){ r->binary, fd };
			return;
		}
		close(fd);
		return;
	}
	vec_push(&f->kept, ((struct kept){ r->binary, fd }));
}

static void files_open(struct files *f, struct file_request *r, struct file_result *ret)
{
	int fd = -1;

	ret->binary = r->binary;
	if (r->like.kind == BINARY_KIND_ANON)
		ret->err = jitmaps_open(&f->jitmaps, f->opener, r->where.pid, &fd);
	else
		ret->err = opener_mapped(f->opener, &r->where, &r->like, &fd);
	ret->found = r->like;
	ret->found.path = NULL;
	if (!ret->err && f->want_elf &&
	    r->like.kind == BINARY_KIND_FILE) /* what is no ELF file has no CFI either */
		err_destroy(elffile_open(fd, &ret->elf));
	if (!ret->err)
		files_keep(f, r, fd);
	free(r->like.path);
}

static int kept_fd(const struct files *f, uint32_t binary)
{
	for (size_t i = 0; i < f->kept.n; i++)
		if (f->kept.v[i].binary == binary)
			return f->kept.v[i].fd;
	return -1;
}

/* False if there is no result. */
static bool files_do(struct files *f, struct file_request *r, struct file_result *ret)
{
	*ret = (struct file_result){ .binary = r->binary };
	switch (r->kind) {
	case REQUEST_OPEN:
		files_open(f, r, ret);
		return true;
	case REQUEST_READ_DUMP:
		ret->is_dump = true;
		ret->err = jitreads_next(&f->dumps, r->where.pid, r->binary, kept_fd(f, r->binary),
					 &ret->dump);
		return true;
	case REQUEST_FORGET_DUMP:
		jitreads_forget(&f->dumps, r->where.pid, r->binary);
		return false;
	}
	return false;
}

static void *files_main(void *arg)
{
	struct files *f = arg;

	pthread_mutex_lock(&f->lock);
	for (;;) {
		while (!f->stop && f->head == f->queue.n) {
			f->busy = false;
			pthread_cond_broadcast(&f->idle);
			pthread_cond_wait(&f->work, &f->lock);
		}
		if (f->stop)
			break;
		struct file_request r = f->queue.v[f->head++];
		struct file_result result;

		if (f->head == f->queue.n)
			f->head = f->queue.n = 0;
		f->busy = true;
		pthread_mutex_unlock(&f->lock);
		bool some = files_do(f, &r, &result);

		pthread_mutex_lock(&f->lock);
		if (some)
			vec_push(&f->results, result);
	}
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

struct files *files_create(struct opener *opener, size_t max_kept)
{
	struct files *f = xcalloc(1, sizeof(*f));

	f->opener = opener;
	f->max_kept = max_kept;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->work, NULL);
	pthread_cond_init(&f->idle, NULL);
	return f;
}

void files_want_elf(struct files *f)
{
	f->want_elf = true;
}

void files_destroy(struct files *f)
{
	if (!f)
		return;
	if (f->started) {
		pthread_mutex_lock(&f->lock);
		f->stop = true;
		pthread_cond_signal(&f->work);
		pthread_mutex_unlock(&f->lock);
		pthread_join(f->thread, NULL);
	}
	for (size_t i = f->head; i < f->queue.n; i++)
		free(f->queue.v[i].like.path);
	for (size_t i = f->taken; i < f->results.n; i++) {
		err_destroy(f->results.v[i].err);
		jitcode_batch_deinit(&f->results.v[i].dump.batch);
		elffile_destroy(f->results.v[i].elf);
	}
	for (size_t i = 0; i < f->kept.n; i++)
		close(f->kept.v[i].fd);
	vec_deinit(&f->queue);
	vec_deinit(&f->results);
	vec_deinit(&f->slots);
	vec_deinit(&f->kept);
	jitmaps_deinit(&f->jitmaps);
	jitreads_deinit(&f->dumps);
	pthread_mutex_destroy(&f->lock);
	pthread_cond_destroy(&f->work);
	pthread_cond_destroy(&f->idle);
	free(f);
}

static struct file_slot *files_slot(struct files *f, uint32_t binary)
{
	while (f->slots.n <= binary)
		vec_push(&f->slots, ((struct file_slot){ 0 }));
	return &f->slots.v[binary];
}

static void files_push(struct files *f, struct file_request *r)
{
	if (!f->started && pthread_create(&f->thread, NULL, files_main, f)) {
		/* No thread to be had: do it here; the rings wait a little. */
		struct file_result result;

		if (files_do(f, r, &result))
			vec_push(&f->results, result);
		return;
	}
	f->started = true;
	pthread_mutex_lock(&f->lock);
	f->busy = true;
	vec_push(&f->queue, *r);
	pthread_cond_signal(&f->work);
	pthread_mutex_unlock(&f->lock);
}

void files_request(struct files *f, uint32_t binary, const struct binary *like,
		   const struct mapped_file *where)
{
	struct file_slot *slot = files_slot(f, binary);
	/* A JIT compiler may begin its map long after its first code, and write it at its end. */
	uint32_t max = like->kind == BINARY_KIND_ANON ? UINT32_MAX : TRIES_MAX;

	if (slot->state == FILE_ASKED || slot->state == FILE_OPENED || slot->tries >= max)
		return;
	struct file_request r = { .binary = binary, .like = *like, .where = *where };

	slot->state = FILE_ASKED;
	slot->tries++;
	r.like.path = xstrdup(like->path);
	files_push(f, &r);
}

void files_read_dump(struct files *f, uint32_t pid, uint32_t binary)
{
	struct file_request r = { .kind = REQUEST_READ_DUMP, .binary = binary };

	r.where.pid = pid;
	files_push(f, &r);
}

void files_forget_dump(struct files *f, uint32_t pid, uint32_t binary)
{
	struct file_request r = { .kind = REQUEST_FORGET_DUMP, .binary = binary };

	r.where.pid = pid;
	files_push(f, &r);
}

bool files_take(struct files *f, struct file_result *ret)
{
	pthread_mutex_lock(&f->lock);
	bool some = f->taken < f->results.n;

	if (some)
		*ret = f->results.v[f->taken++];
	if (f->taken == f->results.n)
		f->taken = f->results.n = 0;
	pthread_mutex_unlock(&f->lock);
	if (some && !ret->is_dump) {
		struct file_slot *slot = files_slot(f, ret->binary);

		slot->state = ret->err ? FILE_FAILED : FILE_OPENED;
		slot->errnum = ret->err ? err_errno(ret->err) : 0;
	}
	return some;
}

void files_wait(struct files *f)
{
	pthread_mutex_lock(&f->lock);
	while (f->started && (f->busy || f->head < f->queue.n))
		pthread_cond_wait(&f->idle, &f->lock);
	pthread_mutex_unlock(&f->lock);
}

int files_fd(const struct files *f, uint32_t binary)
{
	return kept_fd(f, binary);
}

bool files_gone(const struct files *f, uint32_t binary)
{
	const struct file_slot *slot = binary < f->slots.n ? &f->slots.v[binary] : NULL;

	return slot && slot->state == FILE_FAILED &&
	       (!slot->errnum || slot->errnum == ENOENT || slot->errnum == ESRCH);
}
