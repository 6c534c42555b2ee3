/* In: nothing. Out: empty tables, and their release. */
#include "sample/dataset.h"

static void meta_init(struct meta *m)
{
	*m = (struct meta){
		.host = xstrdup(""),
		.os_release = xstrdup(""),
		.machine = xstrdup(""),
		.cmdline = xstrdup(""),
		.boot_id = xstrdup(""),
		.callgraph = xstrdup(""),
	};
}

static void meta_deinit(struct meta *m)
{
	free(m->host);
	free(m->os_release);
	free(m->machine);
	free(m->cmdline);
	free(m->boot_id);
	free(m->callgraph);
	for (size_t i = 0; i < m->fallbacks.n; i++)
		free(m->fallbacks.v[i]);
	vec_deinit(&m->fallbacks);
	for (size_t i = 0; i < m->origins.n; i++)
		free(m->origins.v[i]);
	vec_deinit(&m->origins);
}

void event_desc_deinit(struct event_desc *e)
{
	free(e->name);
	free(e->unit);
	free(e->attr);
}

void dataset_init(struct dataset *d)
{
	*d = (struct dataset){ 0 };
	frametree_init(&d->tree);
	binaries_init(&d->binaries);
	threads_init(&d->threads);
	names_init(&d->names);
	meta_init(&d->meta);
}

void dataset_deinit(struct dataset *d)
{
	frametree_deinit(&d->tree);
	binaries_deinit(&d->binaries);
	threads_deinit(&d->threads);
	names_deinit(&d->names);
	codetimes_deinit(&d->codetimes);
	for (size_t i = 0; i < d->events.n; i++)
		event_desc_deinit(&d->events.v[i]);
	vec_deinit(&d->events);
	vec_deinit(&d->records);
	meta_deinit(&d->meta);
}
