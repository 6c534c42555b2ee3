/* In: dumps that were mapped, what the helper read of them. Out: code that can be walked through.
 */
#include "capture/jitdumps.h"

void jitdumps_deinit(struct jitdumps *j)
{
	vec_deinit(&j->v);
}

static struct jitdump_of *find(const struct jitdumps *j, uint32_t pid, uint32_t binary)
{
	for (size_t i = 0; i < j->v.n; i++)
		if (j->v.v[i].pid == pid && j->v.v[i].binary == binary)
			return &j->v.v[i];
	return NULL;
}

void jitdumps_found(struct jitdumps *j, struct code *code, uint32_t pid, uint32_t binary)
{
	struct jitdump_of *have = find(j, pid, binary);

	if (have && (have->state == JITDUMP_READ || !code))
		return;
	if (code)
		code_expect_jit(code, pid, binary);
	if (have) { /* the process ran another program in between */
		*have = (struct jitdump_of){ .pid = pid, .binary = binary };
		return;
	}
	vec_push(&j->v, ((struct jitdump_of){ .pid = pid,
					      .binary = binary,
					      .state = code ? JITDUMP_READ : JITDUMP_NOT_READ }));
}

void jitdumps_ask(struct jitdumps *j, struct files *files, struct code *code,
		  const struct world *world)
{
	for (size_t i = 0; i < j->v.n; i++) {
		struct jitdump_of *d = &j->v.v[i];

		if (d->state == JITDUMP_NOT_READ || d->asked)
			continue;
		const struct process *p = world_find_process(world, d->pid);
		bool ended = !p || p->exited;

		if (d->state == JITDUMP_READ) {
			d->last = ended;
			d->asked = true;
			files_read_dump(files, d->pid, d->binary);
		} else if (ended) {
			code_drop_jit(code, d->pid, d->binary);
			d->state = JITDUMP_NOT_READ;
		}
	}
}

bool jitdumps_take(struct jitdumps *j, struct files *files, struct code *code, bool timed,
		   struct file_result *r)
{
	struct jitdump_of *d = find(j, r->dump.pid, r->binary);

	if (!d || !d->asked) {
		jitcode_batch_deinit(&r->dump.batch);
		return false;
	}
	d->asked = false;
	code_add_jit(code, d->pid, d->binary, &r->dump.batch);
	if (r->dump.more)
		return true;
	if (d->last || r->dump.closed) {
		d->state = JITDUMP_DONE;
		files_forget_dump(files, d->pid, d->binary);
	}
	bool all_told = d->state == JITDUMP_DONE || !timed;

	code_jit_told(code, d->pid, d->binary, all_told ? UINT64_MAX : r->dump.at_ns);
	return false;
}

void jitdumps_forget(struct jitdumps *j, struct files *files, struct code *code, uint32_t pid)
{
	for (size_t i = 0; i < j->v.n; i++) {
		struct jitdump_of *d = &j->v.v[i];

		if (d->pid != pid || d->state == JITDUMP_NOT_READ)
			continue;
		if (d->state == JITDUMP_READ)
			files_forget_dump(files, pid, d->binary);
		d->state = JITDUMP_NOT_READ;
		d->asked = false;
		code_drop_jit(code, pid, d->binary);
	}
}
