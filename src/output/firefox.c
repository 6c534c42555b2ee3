/* In: the call tree and its samples. Out: a profile in the Firefox Profiler's processed format,
 * version 47: later viewers turn it into theirs, whose tables threads share
 * (firefox-devtools/profiler, src/types/profile.js, docs-developer/CHANGELOG-formats.md). */
#include "output/firefox.h"

#include "config.h"
#include "output/firefox_tables.h"
#include "output/samples.h"

enum { GECKO_VERSION = 28, PROCESSED_VERSION = 47 };

/* By enum origin; the first must be the grey one. */
static const struct {
	const char *name, *color;
} categories[] = {
	[ORIGIN_GROUP] = { "Other", "grey" },    [ORIGIN_KERNEL] = { "Kernel", "orange" },
	[ORIGIN_USER] = { "Program", "yellow" }, [ORIGIN_LIBRARY] = { "Library", "blue" },
	[ORIGIN_JIT] = { "JIT", "green" },       [ORIGIN_UNKNOWN] = { "Unknown", "darkgrey" },
};

/* A number that the kernel gave out twice, or on two hosts, is two processes. */
static void put_pid(const struct meta *m, const struct thread_entry *t, struct json *j)
{
	bool several = m->origins.n > 1 && t->origin < m->origins.n;
	char again[16] = "";

	if (t->incarnation)
		snprintf(again, sizeof(again), "#%u", t->incarnation + 1);
	if (t->pid == UINT32_MAX) { /* text does not say */
		json_key_str(j, "pid", "?");
		return;
	}
	_cleanup_free_ char *pid = xasprintf("%u%s%s%s", t->pid, again, several ? "@" : "",
					     several ? m->origins.v[t->origin] : "");

	json_key_str(j, "pid", pid);
}

static void put_about(const struct meta *m, const struct thread_entry *t, struct json *j)
{
	json_key_str(j, "name", t->comm);
	json_key(j, "isMainThread");
	json_bool(j, t->pid == t->tid);
	json_key_str(j, "processName", t->process_comm);
	json_key_str(j, "processType", "default");
	json_key_u64(j, "processStartupTime", 0);
	json_key(j, "processShutdownTime");
	json_null(j);
	json_key_u64(j, "registerTime", 0);
	json_key(j, "unregisterTime");
	json_null(j);
	json_key_open(j, "pausedRanges", '[');
	json_close(j, ']');
	put_pid(m, t, j);
	if (t->tid == UINT32_MAX)
		json_key_str(j, "tid", "?");
	else
		json_key_u64(j, "tid", t->tid);
}

static void put_threads(const struct calltree *t, struct json *j)
{
	struct firefox_tables *f = firefox_tables_create(t, j);
	const struct dataset *d = t->profile->data;
	const struct kept_sample *kept = t->profile->kept.v;
	size_t n, from = 0;
	_cleanup_free_ uint32_t *order = samples_by_thread(t, &n);

	json_key_open(j, "threads", '[');
	for (size_t i = 1; i <= n; i++) {
		if (i < n && kept[order[i]].thread == kept[order[from]].thread)
			continue;
		json_line(j);
		json_open(j, '{');
		put_about(&d->meta, threads_get(&d->threads, kept[order[from]].thread), j);
		firefox_tables_put(f, order + from, i - from);
		json_close(j, '}');
		from = i;
	}
	json_close(j, ']');
	firefox_tables_destroy(f);
}

static void put_categories(struct json *j)
{
	json_key_open(j, "categories", '[');
	for (size_t i = 0; i < sizeof(categories) / sizeof(*categories); i++) {
		json_open(j, '{');
		json_key_str(j, "name", categories[i].name);
		json_key_str(j, "color", categories[i].color);
		json_key_open(j, "subcategories", '[');
		json_str(j, "Other");
		json_close(j, ']');
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_true(struct json *j, const char *key)
{
	json_key(j, key);
	json_bool(j, true);
}

static void put_meta(const struct output_context *ctx, struct json *j)
{
	const struct profile *p = ctx->tree->profile;
	const struct event_desc *e = profile_event(p);
	const struct meta *m = &p->data->meta;
	_cleanup_free_ char *product = xasprintf("%s", ctx->title
							       ?: *m->cmdline ? m->cmdline
									      : "singe");

	json_key_open(j, "meta", '{');
	json_key_u64(j, "version", GECKO_VERSION);
	json_key_u64(j, "preprocessedProfileVersion", PROCESSED_VERSION);
	json_key_double(j, "interval", e && e->interval_ns ? (double)e->interval_ns / 1e6 : 1, 6);
	json_key_double(j, "startTime", (double)m->wall_start_ns / 1e6, 3);
	json_key_u64(j, "processType", 0);
	json_key_str(j, "product", product);
	json_key_str(j, "importedFrom", PACKAGE_NAME " " PACKAGE_VERSION);
	json_key_str(j, "oscpu", m->os_release);
	json_key_str(j, "platform", "Linux");
	json_key_u64(j, "stackwalk", 1);
	put_true(j, "symbolicated");
	put_true(j, "usesOnlyOneStackType");
	put_true(j, "doesNotUseFrameImplementation");
	put_true(j, "sourceCodeIsNotOnSearchfox");
	put_categories(j);
	json_key_open(j, "markerSchema", '[');
	json_close(j, ']');
	json_close(j, '}');
}

static struct err *firefox_write(const struct output_context *ctx, FILE *out)
{
	struct json j;

	json_begin(&j, out);
	json_open(&j, '{');
	put_meta(ctx, &j);
	json_key_open(&j, "libs", '[');
	json_close(&j, ']');
	put_threads(ctx->tree, &j);
	json_close(&j, '}');
	json_end(&j);
	return output_finish(out, "firefox");
}

const struct output firefox_output = {
	.name = "firefox",
	.suffix = ".firefox.json",
	.what = "for profiler.firefox.com: threads over time",
	.needs_samples = true,
	.needs_lines = true,
	.write = firefox_write,
};
