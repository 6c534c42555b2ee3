/* Unit tests of attr_open() in src/perf/ladder.c, against an opener that refuses what it is told
 * to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "perf/attr.h"

enum { RATE_MAX = 100000, STACK_MAX = 127 };

static bool wants_lost(const struct perf_event_attr *a)
{
	return a->read_format & PERF_FORMAT_LOST;
}

static bool wants_build_id(const struct perf_event_attr *a)
{
	return a->build_id;
}

static bool wants_ksymbol(const struct perf_event_attr *a)
{
	return a->ksymbol;
}

static bool wants_max_stack(const struct perf_event_attr *a)
{
	return a->sample_max_stack;
}

static bool wants_deep_stack(const struct perf_event_attr *a)
{
	return a->sample_max_stack > STACK_MAX;
}

/* A kernel without the field refuses its value with the bit off too. */
static bool wants_clockid(const struct perf_event_attr *a)
{
	return a->use_clockid || a->clockid;
}

static bool wants_mmap2(const struct perf_event_attr *a)
{
	return a->mmap2;
}

static bool wants_comm_exec(const struct perf_event_attr *a)
{
	return a->comm_exec;
}

static bool wants_chain_parts(const struct perf_event_attr *a)
{
	return a->exclude_callchain_user || a->exclude_callchain_kernel;
}

static bool wants_stack_copy(const struct perf_event_attr *a)
{
	return (a->sample_type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)) ||
	       a->sample_regs_user || a->sample_stack_user;
}

static bool wants_precise_3(const struct perf_event_attr *a)
{
	return a->precise_ip > 2;
}

static bool wants_precise(const struct perf_event_attr *a)
{
	return a->precise_ip;
}

static bool wants_exclude_idle(const struct perf_event_attr *a)
{
	return a->exclude_idle;
}

static bool wants_kernel(const struct perf_event_attr *a)
{
	return !a->exclude_kernel;
}

static bool wants_high_rate(const struct perf_event_attr *a)
{
	return a->freq && a->sample_freq > RATE_MAX;
}

static bool wants_anything(const struct perf_event_attr *a)
{
	return a->size;
}

/* Every feature of the ladder, the errnos the kernel refuses it with, and what the report says. */
static const struct refusal {
	bool (*wants)(const struct perf_event_attr *attr);
	int errnos[5];
	const char *says;
} refusals[] = {
	{ wants_lost, { EINVAL }, "needs Linux 6.0" },
	{ wants_build_id, { EINVAL }, "needs Linux 5.12" },
	{ wants_ksymbol, { EINVAL }, "needs Linux 5.1" },
	{ wants_max_stack, { EINVAL, E2BIG }, "kernel.perf_event_max_stack, which is 127" },
	{ wants_deep_stack, { EOVERFLOW }, "`sysctl kernel.perf_event_max_stack=500`" },
	{ wants_clockid, { EINVAL, E2BIG }, "needs Linux 4.1" },
	{ wants_mmap2, { EINVAL }, "needs Linux 3.16" },
	{ wants_comm_exec, { EINVAL }, "needs Linux 3.16" },
	{ wants_chain_parts, { EINVAL }, "needs Linux 3.7" },
	{ wants_stack_copy, { EINVAL, E2BIG, ENOSYS, EOPNOTSUPP }, "user registers and stack" },
	{ wants_precise_3, { EOPNOTSUPP, EINVAL, ENOENT, ENODEV }, "level 3 is refused" },
	{ wants_precise, { EOPNOTSUPP, EINVAL, ENOENT, ENODEV }, "level 0 is taken" },
	{ wants_exclude_idle, { EINVAL, EPERM, EOPNOTSUPP }, "idle" },
	{ wants_kernel, { EACCES, EPERM }, "kernel.perf_event_paranoid is 2" },
	{ wants_high_rate, { EINVAL }, "`sysctl kernel.perf_event_max_sample_rate=200000`" },
};

enum { N_REFUSALS = sizeof(refusals) / sizeof(refusals[0]) };

/* A kernel that refuses features[i] with errnos[i]. */
struct kernel {
	const struct refusal *features[N_REFUSALS];
	int errnos[N_REFUSALS];
	size_t n;
	int n_opened;
	int fail_after; /* opens until every one fails with ESRCH; 0: never */
};

static int fake_open(void *ctx, struct perf_event_attr *attr, int pid, int cpu)
{
	struct kernel *k = ctx;

	(void)pid;
	(void)cpu;
	assert_int_equal(attr->size, sizeof(*attr));
	if (++k->n_opened > k->fail_after && k->fail_after) {
		errno = ESRCH;
		return -1;
	}
	for (size_t i = 0; i < k->n; i++) {
		if (!k->features[i]->wants(attr))
			continue;
		if (k->errnos[i] == E2BIG)
			attr->size = PERF_ATTR_SIZE_VER3; /* the kernel writes the size it knows */
		errno = k->errnos[i];
		return -1;
	}
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static struct attr_opener opener(struct kernel *k, struct diag *d)
{
	return (struct attr_opener){
		.open = fake_open,
		.ctx = k,
		.limits = { .paranoid = 2, .max_sample_rate = RATE_MAX, .max_stack = STACK_MAX },
		.diag = d,
	};
}

/* An attr that wants everything the ladder knows. */
static struct perf_event_attr everything(void)
{
	struct attr_request req = {
		.is_freq = true,
		.rate = 2 * RATE_MAX,
		.callchain = true,
		.max_stack = 500,
		.stack_bytes = 16384,
		.exclude_idle = true,
	};
	struct perf_event_attr attr, sideband;

	assert_null(event_parse("cycles:ppp", &req.event));
	attr_sampling(&req, &attr);
	attr_sideband(&req, &sideband);
	attr.mmap2 = sideband.mmap2;
	attr.build_id = sideband.build_id;
	attr.comm_exec = sideband.comm_exec;
	attr.ksymbol = sideband.ksymbol;
	attr.exclude_callchain_user = 1;
	for (size_t i = 0; i < N_REFUSALS; i++)
		assert_true(refusals[i].wants(&attr));
	return attr;
}

/* Which features differ, as a bit set of refusals[]. */
static uint64_t given_up(const struct perf_event_attr *attr)
{
	uint64_t set = 0;

	for (size_t i = 0; i < N_REFUSALS; i++)
		set |= (uint64_t)!refusals[i].wants(attr) << i;
	return set;
}

static int lowest_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

static void test_all_accepted(void **state)
{
	struct perf_event_attr attr = everything(), before = attr;
	struct kernel k = { 0 };
	struct diag d = { 0 };
	struct attr_opener o = opener(&k, &d);
	int fd = -1;

	(void)state;
	assert_null(attr_open(&o, &attr, 1, 0, &fd));
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(k.n_opened, 1);
	assert_memory_equal(&attr, &before, sizeof(attr));
	assert_int_equal(d.entries.n, 0);
	diag_deinit(&d);
}

/* One feature, one errno: that and nothing else is given up, and reported once. */
static void refuse_one(size_t feature, int errnum)
{
	struct perf_event_attr attr = everything();
	struct kernel k = { .features = { &refusals[feature] }, .errnos = { errnum }, .n = 1 };
	struct diag d = { 0 };
	struct attr_opener o = opener(&k, &d);
	int fd = -1, free_fd = lowest_fd();

	assert_null(attr_open(&o, &attr, 1, 0, &fd));
	close(fd);
	assert_int_equal(lowest_fd(), free_fd); /* trials were closed */
	uint64_t lost = given_up(&attr);

	/* deep stack is part of max stack, precise 3 part of precise */
	if (refusals[feature].wants == wants_max_stack)
		lost &= ~(given_up(&attr) & (1 << (feature + 1)));
	if (refusals[feature].wants == wants_precise)
		lost &= ~(given_up(&attr) & (1 << (feature - 1)));
	assert_int_equal(lost, 1ULL << feature);
	assert_int_equal(d.entries.n, 1);
	assert_int_equal(d.entries.v[0].count, 1);
	if (!strstr(d.entries.v[0].text, refusals[feature].says) ||
	    !strstr(d.entries.v[0].text, strerror(errnum)))
		fail_msg("\"%s\" says neither \"%s\" nor errno", d.entries.v[0].text,
			 refusals[feature].says);
	/* The next call starts there. */
	k.n_opened = 0;
	assert_null(attr_open(&o, &attr, 2, 0, &fd));
	close(fd);
	assert_int_equal(k.n_opened, 1);
	assert_int_equal(d.entries.v[0].count, 1);
	diag_deinit(&d);
}

static void test_each_feature_with_each_errno(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_REFUSALS; i++)
		for (size_t j = 0; refusals[i].errnos[j]; j++)
			refuse_one(i, refusals[i].errnos[j]);
}

static void test_values_left(void **state)
{
	static const struct {
		bool (*wants)(const struct perf_event_attr *attr);
		int errnum;
		unsigned int precise, max_stack, rate;
	} rows[] = {
		{ wants_precise_3, EOPNOTSUPP, 2, 500, 2 * RATE_MAX },
		{ wants_precise, EOPNOTSUPP, 0, 500, 2 * RATE_MAX },
		{ wants_deep_stack, EOVERFLOW, 3, STACK_MAX, 2 * RATE_MAX },
		{ wants_max_stack, E2BIG, 3, 0, 2 * RATE_MAX },
		{ wants_high_rate, EINVAL, 3, 500, RATE_MAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct perf_event_attr attr = everything();
		struct refusal r = { .wants = rows[i].wants };
		struct kernel k = { .features = { &r }, .errnos = { rows[i].errnum }, .n = 1 };
		struct attr_opener o = opener(&k, NULL);
		int fd = -1;

		assert_null(attr_open(&o, &attr, 1, 0, &fd));
		close(fd);
		assert_int_equal(attr.precise_ip, rows[i].precise);
		assert_int_equal(attr.sample_max_stack, rows[i].max_stack);
		assert_int_equal(attr.sample_freq, rows[i].rate);
	}
}

/* Two refused features: both are given up, and nothing else. */
static void refuse_two(const struct refusal *one, const struct refusal *two)
{
	struct perf_event_attr attr = everything();
	struct kernel k = {
		.features = { one, two },
		.errnos = { one->errnos[0], two->errnos[0] },
		.n = 2,
	};
	struct attr_opener o = opener(&k, NULL);
	int fd = -1;

	assert_null(attr_open(&o, &attr, 1, 0, &fd));
	close(fd);
	for (const struct refusal *r = refusals; r < refusals + N_REFUSALS; r++) {
		/* 127 frames and the kernel's own limit are the same depth, so either may stay. */
		if (r->wants == wants_max_stack && !wants_deep_stack(&attr))
			continue;
		if (r->wants == wants_deep_stack && !wants_max_stack(&attr))
			continue;
		if (r->wants == wants_precise_3 && !wants_precise(&attr))
			continue;
		assert_int_equal(!r->wants(&attr), r == one || r == two);
	}
}

static void test_several_features(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_REFUSALS; i++)
		for (size_t j = 0; j < N_REFUSALS; j++)
			refuse_two(&refusals[i], &refusals[j]);
	struct perf_event_attr attr = everything();
	struct kernel k = { .n = N_REFUSALS };
	struct diag d = { 0 };
	struct attr_opener o = opener(&k, &d);
	int fd = -1;

	for (size_t i = 0; i < N_REFUSALS; i++) {
		k.features[i] = &refusals[i];
		k.errnos[i] = refusals[i].errnos[0];
	}
	assert_null(attr_open(&o, &attr, 1, 0, &fd));
	close(fd);
	assert_int_equal(given_up(&attr), (1ULL << N_REFUSALS) - 1);
	assert_int_equal(d.entries.n, N_REFUSALS - 2); /* max-stack and precise count once */
	diag_deinit(&d);
}

static void assert_fails(struct perf_event_attr attr, struct kernel *k, int errnum,
			 const char *says)
{
	struct perf_event_attr before = attr;
	struct diag d = { 0 };
	struct attr_opener o = opener(k, &d);
	int fd = -77, free_fd = lowest_fd();
	struct err *err = attr_open(&o, &attr, 1, 0, &fd);

	assert_non_null(err);
	assert_int_equal(err_errno(err), errnum);
	if (!strstr(err_msg(err), says) || !strstr(err_msg(err), strerror(errnum)))
		fail_msg("\"%s\" does not say \"%s\"", err_msg(err), says);
	err_destroy(err);
	assert_int_equal(fd, -77);
	assert_int_equal(lowest_fd(), free_fd);
	assert_memory_equal(&attr, &before, sizeof(attr));
	assert_int_equal(d.entries.n, 0);
	diag_deinit(&d);
}

static void test_the_ladder_ends(void **state)
{
	static const struct refusal all = { .wants = wants_anything };
	static const struct {
		int errnum;
		const char *says;
	} rows[] = {
		{ EACCES, "kernel.perf_event_paranoid is 2" },
		{ EPERM, "seccomp" },
		{ EMFILE, "ulimit -n" },
		{ ENOENT, "does not have that event" },
		{ EINVAL, "cannot open" },
		{ ESRCH, "thread 1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kernel k = { .features = { &all }, .errnos = { rows[i].errnum }, .n = 1 };

		assert_fails(everything(), &k, rows[i].errnum, rows[i].says);
	}
}

/* An event of the kernel alone must not become one of nothing. */
static void test_kernel_only_event_is_not_emptied(void **state)
{
	struct kernel k = { .features = { &refusals[13] }, .errnos = { EACCES }, .n = 1 };
	struct perf_event_attr attr = everything();

	(void)state;
	assert_ptr_equal(refusals[13].wants, wants_kernel);
	attr.exclude_user = 1;
	assert_fails(attr, &k, EACCES, "CAP_PERFMON");
}

/* A thread that ends while its event climbs down, or back, is an error; nothing is given up. */
static void test_thread_gone_on_the_way(void **state)
{
	(void)state;
	for (int after = 1; after < 6; after++) {
		struct kernel k = {
			.features = { &refusals[1], &refusals[2] },
			.errnos = { EINVAL, EINVAL },
			.n = 2,
			.fail_after = after,
		};

		assert_fails(everything(), &k, ESRCH, "thread 1");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_accepted),
		cmocka_unit_test(test_each_feature_with_each_errno),
		cmocka_unit_test(test_values_left),
		cmocka_unit_test(test_several_features),
		cmocka_unit_test(test_the_ladder_ends),
		cmocka_unit_test(test_kernel_only_event_is_not_emptied),
		cmocka_unit_test(test_thread_gone_on_the_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
