/* In: any bytes. Out: nothing, if the importers hold. */
#include "fuzz/importing.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "import/perfdata.h"
#include "import/text.h"

static void check_batch(const struct dataset *d, const struct batch *b)
{
	for (size_t i = 0; i < b->n_samples; i++) {
		const struct sample *s = &b->samples[i];

		if (s->node >= d->tree.frames.n || s->thread >= d->threads.v.n ||
		    s->event >= d->events.n)
			abort();
	}
	for (size_t i = 0; i < b->n_events; i++) {
		const struct proc_event *e = &b->events[i];

		if (e->binary >= d->binaries.v.n || e->samples_before > b->n_samples ||
		    (e->kind == PROC_COMM && !e->comm))
			abort();
	}
}

static struct err *drain(struct source *src)
{
	for (;;) {
		struct batch b;

		TRY(src->next(src, &b));
		if (!b.n_samples && !b.n_events)
			return NULL;
		check_batch(src->data, &b);
	}
}

static void check_tables(const struct dataset *d)
{
	for (uint32_t i = 1; i < d->tree.frames.n; i++) {
		const struct frame *f = frametree_get(&d->tree, i);

		if (f->parent >= i || f->binary >= d->binaries.v.n)
			abort();
	}
	for (size_t i = 0; i < d->names.entries.n; i++) {
		const struct name_entry *e = &d->names.entries.v[i];

		if (!e->n || e->first + e->n > d->names.lines.n)
			abort();
	}
}

bool importing_read(const uint8_t *bytes, size_t len, struct totals *ret, struct diag *diag)
{
	int fd = memfd_create("import", 0);
	struct perfdata_options opt = { 0 };
	struct dataset data;
	struct source *src = NULL;

	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET))
		abort();
	dataset_init(&data);
	struct err *err = perfdata_magic(bytes, len) ? perfdata_open(fd, &opt, &data, diag, &src)
						     : text_open(fd, &data, diag, &src);
	bool opened = !err;

	if (!err)
		err = drain(src);
	check_tables(&data);
	*ret = data.totals;
	err_destroy(err);
	source_destroy(src);
	dataset_deinit(&data);
	close(fd);
	return opened;
}
