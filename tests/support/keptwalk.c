/* In: a recording with kept stacks. Out: each stack, with what is needed to walk it. */
#include "support/keptwalk.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "base/vec.h"
#include "model/vdso.h"
#include "recording/reader.h"
#include "symbol/locate.h"

struct space {
	uint32_t pid;
	struct addrspace as;
};

struct keptwalk {
	struct dataset data;
	struct code *code;
	VEC(struct space *) spaces;
	each_stack_fn *each;
	void *ctx;
};

static struct addrspace *space_of(struct keptwalk *k, uint32_t pid)
{
	for (size_t i = 0; i < k->spaces.n; i++)
		if (k->spaces.v[i]->pid == pid)
			return &k->spaces.v[i]->as;
	struct space *s = xcalloc(1, sizeof(*s));

	s->pid = pid;
	addrspace_init(&s->as);
	vec_push(&k->spaces, s);
	return &s->as;
}

static struct elffile *open_binary(struct keptwalk *k, uint32_t id)
{
	struct binary *binary = binaries_get(&k->data.binaries, id);
	struct elffile *file = NULL;

	if (binary->kind == BINARY_KIND_FILE) {
		struct located found = locate_file(binary, -1, NULL);

		free(found.why);
		return found.file;
	}
	if (binary->kind == BINARY_KIND_VDSO)
		err_destroy(vdso_open(&file));
	return file;
}

static void take_mmap(struct keptwalk *k, const struct proc_event *e)
{
	if (!code_has_file(k->code, e->binary))
		code_give_file(k->code, e->binary, open_binary(k, e->binary));
	addrspace_map(space_of(k, e->pid), &(struct mapping){ .start = e->start,
							      .end = e->start + e->len,
							      .pgoff = e->pgoff,
							      .binary = e->binary });
}

static void take_stack(struct keptwalk *k, const struct batch *b, const struct proc_event *e)
{
	const struct sample *s = &b->samples[e->samples_before - 1];
	uint32_t pid = threads_get(&k->data.threads, s->thread)->pid;
	struct kept_stack stack = { .as = space_of(k, pid), .pid = pid, .sample = e->stack };

	if (e->stack->regs_abi)
		k->each(k->ctx, k->code, &stack);
}

static void take_event(struct keptwalk *k, const struct batch *b, const struct proc_event *e)
{
	switch (e->kind) {
	case PROC_MMAP:
		take_mmap(k, e);
		return;
	case PROC_COMM:
		if (e->exec)
			addrspace_clear(space_of(k, e->pid));
		return;
	case PROC_FORK:
		if (e->pid == e->ppid)
			return;
		addrspace_clear(space_of(k, e->pid));
		addrspace_copy(space_of(k, e->pid), space_of(k, e->ppid));
		return;
	case PROC_STACK:
		take_stack(k, b, e);
		return;
	case PROC_EXIT:
	case PROC_LOST:
		return;
	}
}

static struct err *walk_source(struct keptwalk *k, struct source *src)
{
	for (;;) {
		struct batch b;

		TRY(src->next(src, &b));
		if (!b.n_samples && !b.n_events)
			return NULL;
		for (size_t i = 0; i < b.n_events; i++)
			take_event(k, &b, &b.events[i]);
	}
}

bool keptwalk_each(const char *path, each_stack_fn *each, void *ctx)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct keptwalk k = { .each = each, .ctx = ctx };
	struct source *src = NULL;
	struct diag diag = { 0 };

	dataset_init(&k.data);
	struct err *err = reader_open(fd, &k.data, &diag, &src);

	if (!err && !k.data.meta.keeps_stacks)
		err = err_new("%s kept no stacks", path);
	if (!err) {
		k.code = code_create(&k.data.binaries, arch_native());
		err = walk_source(&k, src);
	}
	bool good = !err;

	if (err)
		printf("%s\n", err_msg(err));
	err_destroy(err);
	source_destroy(src);
	code_destroy(k.code);
	for (size_t i = 0; i < k.spaces.n; i++) {
		addrspace_deinit(&k.spaces.v[i]->as);
		free(k.spaces.v[i]);
	}
	vec_deinit(&k.spaces);
	diag_deinit(&diag);
	dataset_deinit(&k.data);
	return good;
}
