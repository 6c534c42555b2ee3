/* Unit tests of merges: whose a process is, which code is one, and what time it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "import/merge.h"

enum { PID = 7, MAX_INPUTS = 4 };

static const uint64_t WALL = 1700000000000000000ULL, SECOND = 1000000000;

struct scene {
	struct dataset from[MAX_INPUTS], into;
	struct merge merge;
	struct merge_input in[MAX_INPUTS];
	size_t n;
};

static int setup(void **state)
{
	struct scene *s = xcalloc(1, sizeof(*s));

	for (size_t i = 0; i < MAX_INPUTS; i++)
		dataset_init(&s->from[i]);
	dataset_init(&s->into);
	merge_init(&s->merge, &s->into, true);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct scene *s = *state;

	for (size_t i = 0; i < s->n; i++)
		merge_input_deinit(&s->in[i]);
	merge_deinit(&s->merge);
	for (size_t i = 0; i < MAX_INPUTS; i++)
		dataset_deinit(&s->from[i]);
	dataset_deinit(&s->into);
	free(s);
	return 0;
}

static void set(char **to, const char *text)
{
	free(*to);
	*to = xstrdup(text);
}

/* The next dataset: one event, and a thread of process PID. */
static struct dataset *of_host(struct scene *s, const char *host, const char *boot_id)
{
	struct dataset *d = &s->from[s->n];

	set(&d->meta.host, host);
	set(&d->meta.boot_id, boot_id);
	vec_push(&d->events,
		 ((struct event_desc){
			 .name = xstrdup("cpu-clock"), .unit = xstrdup("ns"), .is_clock = true }));
	threads_add(&d->threads, &(struct thread_entry){ .pid = PID,
							 .tid = PID,
							 .comm = (char *)"app",
							 .process_comm = (char *)"app" });
	return d;
}

static void add(struct scene *s, uint64_t start_ns, const char *name)
{
	merge_add(&s->merge, &s->from[s->n], start_ns, name, &s->in[s->n]);
	s->n++;
}

static uint64_t moved(struct scene *s, size_t i, uint64_t time_ns)
{
	struct sample sample = { .time_ns = time_ns };
	struct batch b = merge_batch(&s->merge, &s->in[i], &(struct batch){ &sample, 1, NULL, 0 });

	assert_int_equal(b.n_samples, 1);
	return b.samples[0].time_ns;
}

static uint32_t binary_of(struct scene *s, size_t i, const struct binary *like)
{
	uint32_t id = binaries_add(&s->from[i].binaries, like);

	merge_batch(&s->merge, &s->in[i], &(struct batch){ 0 });
	return s->in[i].binaries.v[id];
}

static void test_a_process_is_of_its_origin(void **state)
{
	struct scene *s = *state;
	struct proc_event events[] = {
		{ .kind = PROC_MMAP, .pid = PID, .binary = BINARY_KERNEL, .time_ns = 5 * SECOND },
		{ .kind = PROC_EXIT, .pid = PID, .time_ns = 5 * SECOND },
	};

	of_host(s, "web1", "a");
	add(s, 0, "1.rec");
	/* A merge itself. */
	struct dataset *d = of_host(s, "web2", "b");

	vec_push(&d->meta.origins, xstrdup("web2"));
	vec_push(&d->meta.origins, xstrdup("web3"));
	add(s, 0, "2.rec");
	of_host(s, "web3", "c");
	add(s, 0, "3.rec");
	events[1].origin = 1;
	struct batch b = merge_batch(&s->merge, &s->in[1], &(struct batch){ NULL, 0, events, 2 });

	assert_int_equal(b.events[0].origin, 1);
	assert_int_equal(b.events[1].origin, 2);
	events[1].origin = 0;
	b = merge_batch(&s->merge, &s->in[2], &(struct batch){ NULL, 0, events, 2 });
	assert_int_equal(b.events[1].origin, 3);
	assert_int_equal(s->into.threads.v.n, 2);
	assert_int_equal(threads_get(&s->into.threads, 1)->origin, 3);
	assert_int_equal(s->into.meta.origins.n, 4);
	assert_string_equal(s->into.meta.origins.v[3], "3.rec"); /* there is a web3 */
}

static void expect_origins(const struct scene *s, const char *want)
{
	_cleanup_free_ char *have = xstrdup("");

	for (size_t i = 0; i < s->into.meta.origins.n; i++) {
		char *more = xasprintf("%s %s", have, s->into.meta.origins.v[i]);

		free(have);
		have = more;
	}
	assert_string_equal(have, want);
}

static void test_names_of_origins(void **state)
{
	struct scene *s = *state;

	of_host(s, "web1", "a");
	add(s, 0, "x.rec");
	of_host(s, "", "");
	add(s, 0, "b.folded");
	expect_origins(s, " web1 b.folded");
	of_host(s, "web1", "a"); /* the same host again, from another folder */
	add(s, 0, "x.rec");
	expect_origins(s, " x.rec b.folded x.rec#2");
	of_host(s, "web1", "b");
	add(s, 0, "y.rec");
	expect_origins(s, " x.rec b.folded x.rec#2 y.rec");
}

/* No time is before the clock's 0, whichever input comes first. */
static void test_the_clock_is_the_earliest(void **state)
{
	struct scene *s = *state;
	struct meta *m = &of_host(s, "web1", "a")->meta;

	m->wall_start_ns = WALL + 86400 * SECOND;
	m->clock_start_ns = 60 * SECOND;
	add(s, m->clock_start_ns, "1.rec");
	m = &of_host(s, "web2", "b")->meta;
	m->wall_start_ns = WALL;
	m->clock_start_ns = 500 * SECOND;
	add(s, m->clock_start_ns, "2.rec");
	of_host(s, "web3", "c"); /* does not know the time of day */
	add(s, 9000 * SECOND, "perf.data");
	assert_int_equal(s->into.meta.wall_start_ns, WALL);
	assert_int_equal(s->into.meta.clock_start_ns, 500 * SECOND);
	assert_int_equal(moved(s, 0, 61 * SECOND), 86901 * SECOND);
	assert_int_equal(moved(s, 1, 501 * SECOND), 501 * SECOND);
	assert_int_equal(moved(s, 2, 9001 * SECOND), 501 * SECOND);
	/* What has no time gets none. */
	struct proc_event comm = { .kind = PROC_COMM, .pid = PID, .comm = "app" };
	struct batch b = merge_batch(&s->merge, &s->in[2], &(struct batch){ NULL, 0, &comm, 1 });

	assert_int_equal(b.events[0].time_ns, 0);
}

static void test_without_a_time_of_day(void **state)
{
	struct scene *s = *state;

	of_host(s, "", "");
	add(s, 0, "a.folded");
	of_host(s, "web1", "");
	add(s, 700 * SECOND, "1.data");
	of_host(s, "web2", "");
	add(s, 300 * SECOND, "2.data");
	assert_int_equal(moved(s, 0, 0), 700 * SECOND);
	assert_int_equal(moved(s, 1, 701 * SECOND), 701 * SECOND);
	assert_int_equal(moved(s, 2, 301 * SECOND), 701 * SECOND);
	assert_int_equal(moved(s, 2, 299 * SECOND), 699 * SECOND);
}

/* The totals are of all, in whatever order they end. */
static void test_totals(void **state)
{
	struct scene *s = *state;

	for (size_t i = 0; i < 2; i++) {
		struct dataset *d = of_host(s, i ? "web2" : "web1", "");

		d->meta.wall_start_ns = WALL + i * SECOND;
		d->meta.clock_start_ns = SECOND;
		d->totals = (struct totals){ .complete = true,
					     .samples = 10,
					     .lost = 1,
					     .first_ns = SECOND + 1,
					     .last_ns = SECOND + 2,
					     .end_ns = SECOND + 3 };
		add(s, SECOND, "x");
	}
	s->from[1].totals.complete = false;
	moved(s, 0, SECOND);
	moved(s, 1, SECOND);
	merge_finish(&s->merge, &s->in[1]);
	merge_finish(&s->merge, &s->in[0]);
	assert_false(s->into.totals.complete);
	assert_int_equal(s->into.totals.samples, 20);
	assert_int_equal(s->into.totals.lost, 2);
	assert_int_equal(s->into.totals.first_ns, SECOND + 1);
	assert_int_equal(s->into.totals.last_ns, 2 * SECOND + 2);
	assert_int_equal(s->into.totals.end_ns, 2 * SECOND + 3);
}

/* Code that is in no file is one process's; the kernel is one where it is known to be. */
static void test_code_is_kept_apart(void **state)
{
	struct scene *s = *state;
	struct binary jit = { .kind = BINARY_KIND_ANON, .path = (char *)"//anon", .pid = PID };
	struct binary kernel = { .kind = BINARY_KIND_KERNEL, .path = (char *)"[kernel]" };
	struct binary app = { .kind = BINARY_KIND_FILE, .path = (char *)"/app", .inode = 5 };
	struct binary lib = app;
	uint32_t ids[4][4];

	lib.build_id_len = 1;
	for (size_t i = 0; i < 4; i++) {
		of_host(s, i == 1 || i == 2 ? "web2" : "web1", i == 1 || i == 2 ? "b" : "a");
		add(s, 0, "x");
	}
	for (size_t i = 0; i < 4; i++) {
		ids[i][0] = binary_of(s, i, &jit);
		ids[i][1] = binary_of(s, i, &kernel);
		ids[i][2] = binary_of(s, i, &app);
		ids[i][3] = binary_of(s, i, &lib);
		for (size_t k = 0; k < i; k++) {
			bool other = (i == 1 || i == 2) != (k == 1 || k == 2);

			assert_int_not_equal(ids[i][0], ids[k][0]);
			assert_int_equal(ids[i][1] != ids[k][1], other);
			assert_int_equal(ids[i][2] != ids[k][2], other);
			assert_int_equal(ids[i][3], ids[k][3]);
		}
	}
	assert_int_equal(ids[0][1], BINARY_KERNEL);
}

/* A merge of merges: what is marked as the second input's stays apart from the new second's. */
static void test_merges_are_merged(void **state)
{
	struct scene *s = *state;
	struct binary code[] = {
		{ .kind = BINARY_KIND_ANON, .path = (char *)"//anon", .pid = PID },
		{ .kind = BINARY_KIND_KERNEL, .path = (char *)"[kernel]" },
		{ .kind = BINARY_KIND_FILE, .path = (char *)"/app", .inode = 5 },
	};
	VEC(uint32_t) seen = { 0 };

	for (size_t i = 0; i < 3; i++) {
		/* The two merges look alike: of merges is said what the first input was. */
		struct dataset *d = of_host(s, "web1", "");

		for (int k = 0; i < 2 && k < 2; k++)
			vec_push(&d->meta.origins, xstrdup(k ? "web2" : "web1"));
		add(s, 0, "x");
	}
	for (size_t k = 0; k < sizeof(code) / sizeof(*code); k++) {
		seen.n = 0;
		for (size_t i = 0; i < 3; i++) {
			for (uint64_t mark = 0; mark < (i < 2 ? 2 : 1); mark++) {
				code[k].inode_generation = mark << 32;
				uint32_t id = binary_of(s, i, &code[k]);

				for (size_t n = 0; n < seen.n; n++)
					assert_int_not_equal(seen.v[n], id);
				vec_push(&seen, id);
			}
		}
	}
	vec_deinit(&seen);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_process_is_of_its_origin),
		TEST(test_names_of_origins),
		TEST(test_the_clock_is_the_earliest),
		TEST(test_without_a_time_of_day),
		TEST(test_totals),
		TEST(test_code_is_kept_apart),
		TEST(test_merges_are_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
