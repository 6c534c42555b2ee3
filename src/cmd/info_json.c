/* In: facts. Out: JSON whose keys singe-info(1) promises. */
#include <inttypes.h>

#include "cmd/clean.h"
#include "cmd/info_facts.h"

/* Puts a comma before every member but the first of an object or array. */
struct json {
	FILE *out;
	bool first;
};

static void key(struct json *j, const char *name)
{
	fprintf(j->out, "%s\n  ", j->first ? "" : ",");
	clean_json(j->out, name);
	fputs(": ", j->out);
	j->first = false;
}

static void text(struct json *j, const char *name, const char *value)
{
	key(j, name);
	clean_json(j->out, value);
}

static void number(struct json *j, const char *name, uint64_t value)
{
	key(j, name);
	fprintf(j->out, "%" PRIu64, value);
}

static void boolean(struct json *j, const char *name, bool value)
{
	key(j, name);
	fputs(value ? "true" : "false", j->out);
}

static void hex(struct json *j, const char *name, const uint8_t *bytes, size_t len)
{
	key(j, name);
	fputc('"', j->out);
	clean_hex(j->out, bytes, len);
	fputc('"', j->out);
}

static void begin(struct json *j, const char *name, char bracket)
{
	if (name)
		key(j, name);
	else
		fputs(j->first ? "\n  " : ",\n  ", j->out);
	fputc(bracket, j->out);
	j->first = true;
}

static void end(struct json *j, char bracket)
{
	fputc(bracket, j->out);
	j->first = false;
}

static void host(struct json *j, const struct meta *m)
{
	begin(j, "host", '{');
	text(j, "name", m->host);
	text(j, "os_release", m->os_release);
	text(j, "machine", m->machine);
	number(j, "cpus", m->n_cpus);
	number(j, "page_size", m->page_size);
	text(j, "boot_id", m->boot_id);
	hex(j, "kernel_build_id", m->kernel_build_id, m->kernel_build_id_len);
	end(j, '}');
}

static void texts(struct json *j, const char *name, char *const *v, size_t n)
{
	begin(j, name, '[');
	for (size_t i = 0; i < n; i++) {
		fputs(i ? ", " : "", j->out);
		clean_json(j->out, v[i]);
	}
	end(j, ']');
}

static void events(struct json *j, const struct info_facts *f)
{
	begin(j, "events", '[');
	for (size_t i = 0; i < f->data->events.n; i++) {
		const struct event_desc *e = &f->data->events.v[i];

		begin(j, NULL, '{');
		text(j, "name", e->name);
		text(j, "unit", e->unit);
		boolean(j, "is_clock", e->is_clock);
		number(j, e->is_freq ? "frequency" : "period", e->rate);
		number(j, "samples", f->events.v[i].samples);
		number(j, "period_sum", f->events.v[i].period);
		end(j, '}');
	}
	end(j, ']');
}

static void totals(struct json *j, const struct totals *t)
{
	begin(j, "totals", '{');
	boolean(j, "complete", t->complete);
	number(j, "samples", t->samples);
	number(j, "lost", t->lost);
	number(j, "lost_sideband", t->lost_sideband);
	number(j, "lost_in_file", t->lost_in_file);
	number(j, "damaged_blocks", t->damaged_blocks);
	number(j, "throttled", t->throttled);
	number(j, "duplicates", t->duplicates);
	number(j, "first_ns", t->first_ns);
	number(j, "last_ns", t->last_ns);
	number(j, "recorder_cpu_ns", t->recorder_cpu_ns);
	end(j, '}');
}

/* Of an imported file, by kind. */
static void records(struct json *j, const struct dataset *data)
{
	begin(j, "records", '{');
	for (size_t i = 0; i < data->records.n; i++)
		number(j, data->records.v[i].name, data->records.v[i].n);
	end(j, '}');
}

static void stacks(struct json *j, const struct info_facts *f)
{
	begin(j, "stacks", '{');
	text(j, "event", f->event < f->data->events.n ? f->data->events.v[f->event].name : "");
	number(j, "distinct", f->distinct_stacks);
	begin(j, "verdicts", '{');
	for (int v = 0; v < N_VERDICTS; v++)
		number(j, verdict_name((enum verdict)v), f->verdicts[v]);
	end(j, '}');
	begin(j, "cuts", '[');
	for (size_t i = 0; i < f->cuts.n; i++) {
		const struct cut_binary *cut = &f->cuts.v[i];

		begin(j, NULL, '{');
		text(j, "verdict", verdict_name(cut->verdict));
		text(j, "binary",
		     cut->binary == BINARY_UNKNOWN
			     ? ""
			     : binary_name(binaries_get(&f->data->binaries, cut->binary)));
		number(j, "samples", cut->samples);
		end(j, '}');
	}
	end(j, ']');
	end(j, '}');
}

static void binaries(struct json *j, const struct info_facts *f)
{
	begin(j, "binaries", '[');
	for (size_t i = 0; i < f->binaries.n; i++) {
		const struct info_binary *ib = &f->binaries.v[i];
		const struct binary *b = binaries_get(&f->data->binaries, ib->binary);

		begin(j, NULL, '{');
		text(j, "path", b->path);
		text(j, "kind", info_kind_name(b->kind));
		hex(j, "build_id", b->build_id, b->build_id_len);
		boolean(j, "deleted", b->deleted);
		number(j, "size", b->size);
		number(j, "samples", ib->samples);
		number(j, "named_samples", ib->named);
		number(j, "line_samples", ib->lines);
		number(j, "inlined_samples", ib->inlined);
		boolean(j, "has_lines", ib->has_lines);
		text(j, "advice", ib->advice ?: "");
		number(j, "stack_samples", ib->any);
		end(j, '}');
	}
	end(j, ']');
}

void info_json(const struct info_facts *f, FILE *out)
{
	const struct meta *m = &f->data->meta;
	struct json j = { .out = out, .first = true };

	fputc('{', out);
	text(&j, "file", f->path);
	number(&j, "size", f->size);
	text(&j, "command", m->cmdline);
	text(&j, "callgraph", m->callgraph);
	number(&j, "start_ns", m->wall_start_ns);
	number(&j, "duration_ns", f->duration_ns);
	host(&j, m);
	texts(&j, "origins", m->origins.v, m->origins.n);
	texts(&j, "fallbacks", m->fallbacks.v, m->fallbacks.n);
	events(&j, f);
	totals(&j, &f->data->totals);
	records(&j, f->data);
	stacks(&j, f);
	binaries(&j, f);
	number(&j, "names", f->n_names);
	end(&j, '}');
	fputc('\n', out);
}
