/* jitdumps that are read while they are written: what a look brings, and when there is no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "capture/jitdumps.h"
#include "support/jitwrite.h"

enum { PID = 7, DUMP = 3, JIT = 0x10000000 };

/* Code of `len` bytes, all of which are in the record. */
static void put_load(struct buf *b, uint64_t start, uint32_t len)
{
	_cleanup_free_ uint8_t *code = xmalloc(len);

	memset(code, 0x90, len);
	jitwrite_load(b, 5, start, len, 1, "f", code, len);
}

static void append(int fd, const uint8_t *bytes, size_t len)
{
	assert_int_equal(write(fd, bytes, len), len);
}

/* How many codes a look brings. */
static size_t look(struct jitreads *j, int fd, struct jitread_result *ret)
{
	assert_null(jitreads_next(j, PID, DUMP, fd, ret));
	size_t n = ret->batch.entries.n;

	assert_int_equal(ret->pid, PID);
	assert_true(ret->at_ns);
	jitcode_batch_deinit(&ret->batch);
	return n;
}

static void test_reads_on(void **state)
{
	_cleanup_close_ int fd = memfd_create("dump", MFD_CLOEXEC);
	struct jitread_result r;
	struct jitreads j = { 0 };
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(look(&j, fd, &r), 0); /* its compiler has not begun to write */
	jitwrite_header(&b);
	put_load(&b, JIT, 32);
	size_t half = b.len;

	put_load(&b, JIT + 32, 32);
	append(fd, b.data, half + 20);
	assert_int_equal(look(&j, fd, &r), 1);
	assert_int_equal(look(&j, fd, &r), 0);
	append(fd, b.data + half + 20, b.len - half - 20);
	assert_int_equal(look(&j, fd, &r), 1);
	assert_false(r.more || r.closed);
	jitreads_forget(&j, PID, DUMP);
	assert_int_equal(look(&j, fd, &r), 2); /* from the begin */
	jitreads_deinit(&j);
	buf_deinit(&b);
}

/* A record longer than what is read at a time. */
static void test_a_long_record(void **state)
{
	_cleanup_close_ int fd = memfd_create("dump", MFD_CLOEXEC);
	struct jitread_result r = { .more = true };
	struct jitreads j = { 0 };
	struct buf b = { 0 };
	size_t n = 0;

	(void)state;
	jitwrite_header(&b);
	put_load(&b, JIT, 17 << 20);
	put_load(&b, JIT + (17 << 20), 32);
	append(fd, b.data, b.len);
	for (int i = 0; i < 8 && r.more; i++)
		n += look(&j, fd, &r);
	assert_int_equal(n, 2);
	assert_false(r.more);
	jitreads_deinit(&j);
	buf_deinit(&b);
}

static void expect_error(struct err *err, const char *text)
{
	assert_non_null(err);
	assert_string_equal(err_msg(err), text);
	err_destroy(err);
}

static void test_what_is_no_dump(void **state)
{
	_cleanup_close_ int fd = memfd_create("dump", MFD_CLOEXEC);
	struct jitread_result r;
	struct jitreads j = { 0 };
	struct buf b = { 0 };

	(void)state;
	jitwrite_header(&b);
	buf_u32(&b, 0);
	buf_u32(&b, UINT32_MAX);
	append(fd, b.data, b.len);
	expect_error(
		jitreads_next(&j, PID, DUMP, fd, &r),
		"the jitdump of process 7 cannot be used to unwind: a record of 4294967295 bytes");
	assert_true(r.closed);
	jitcode_batch_deinit(&r.batch);
	expect_error(jitreads_next(&j, PID, DUMP + 1, -1, &r),
		     "the jitdump of process 7 cannot be used to unwind: it is not open: Bad file "
		     "descriptor");
	assert_true(r.closed);
	jitreads_deinit(&j);
	buf_deinit(&b);
}

/* Dumps of a world with one process, whose helper never gets to open them: what it found is made up
 * here. */
struct scene {
	struct dataset data;
	struct opener opener;
	struct files *files;
	struct world *world;
	struct addrspace *as;
	struct code *code;
	struct jitdumps dumps;
};

static int set_up(void **state)
{
	struct scene *s = xcalloc(1, sizeof(*s));
	const struct raw_event ev = {
		.kind = RAW_MMAP,
		.pid = PID,
		.tid = PID,
		.mmap = { .start = JIT, .len = 4096, .path = "//anon" },
	};

	dataset_init(&s->data);
	opener_init(&s->opener, "/nonexistent");
	s->files = files_create(&s->opener, 1);
	s->world = world_create(&s->data);
	world_thread(s->world, PID, PID);
	world_apply(s->world, &ev);
	s->as = &world_process(s->world, PID)->as;
	s->code = code_create(&s->data.binaries, &arch_x86_64);
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	files_destroy(s->files);
	jitdumps_deinit(&s->dumps);
	code_destroy(s->code);
	world_destroy(s->world);
	opener_deinit(&s->opener);
	dataset_deinit(&s->data);
	free(s);
	return 0;
}

static bool waits(const struct scene *s, uint64_t time_ns)
{
	return code_waits_for_jit(s->code, s->as, JIT, time_ns);
}

/* Asks, and answers that the end was reached by a look at this time. */
static void look_at(struct scene *s, uint64_t time_ns, bool closed)
{
	struct file_result r = { .binary = DUMP, .is_dump = true };

	r.dump = (struct jitread_result){ .pid = PID, .at_ns = time_ns, .closed = closed };
	r.dump.batch.may_unwind = true;
	jitdumps_ask(&s->dumps, s->files, s->code, s->world);
	assert_false(jitdumps_take(&s->dumps, s->files, s->code, true, &r));
}

static void test_a_sample_waits_for_one_look(void **state)
{
	struct scene *s = *state;

	jitdumps_found(&s->dumps, s->code, PID, DUMP);
	assert_true(waits(s, 1000));
	look_at(s, 1001, false);
	assert_false(waits(s, 1000));
	assert_true(waits(s, 1001));
	look_at(s, 2000, true); /* the compiler closed it */
	assert_false(waits(s, 3000));
	jitdumps_ask(&s->dumps, s->files, s->code, s->world);
	assert_false(s->dumps.v.v[0].asked);
}

/* After its process has ended a dump is looked at once more, then forgotten. */
static void test_one_look_after_the_end(void **state)
{
	const struct raw_event gone = { .kind = RAW_EXIT, .pid = PID, .tid = PID };
	struct scene *s = *state;

	jitdumps_found(&s->dumps, s->code, PID, DUMP);
	world_apply(s->world, &gone);
	look_at(s, 1001, false);
	assert_int_equal(s->dumps.v.v[0].state, JITDUMP_DONE);
	assert_false(waits(s, 3000));
	jitdumps_ask(&s->dumps, s->files, s->code, s->world);
	assert_int_equal(s->dumps.v.v[0].state, JITDUMP_NOT_READ);
}

/* Another program, in which the same file is mapped again: from the begin. */
static void test_exec(void **state)
{
	struct scene *s = *state;
	struct file_result late = { .binary = DUMP, .is_dump = true, .dump = { .pid = PID } };

	jitdumps_found(&s->dumps, s->code, PID, DUMP);
	jitdumps_ask(&s->dumps, s->files, s->code, s->world);
	jitdumps_forget(&s->dumps, s->files, s->code, PID);
	assert_false(waits(s, 1000));
	assert_false(jitdumps_take(&s->dumps, s->files, s->code, true, &late));
	assert_int_equal(s->dumps.v.v[0].state, JITDUMP_NOT_READ);
	jitdumps_found(&s->dumps, s->code, PID, DUMP);
	assert_true(waits(s, 1000));
	assert_int_equal(s->dumps.v.n, 1);
}

/* Samples of another clock cannot say when they were. */
static void test_another_clock(void **state)
{
	struct scene *s = *state;
	struct file_result r = { .binary = DUMP, .is_dump = true, .dump = { .pid = PID } };

	r.dump.batch.may_unwind = true;
	jitdumps_found(&s->dumps, s->code, PID, DUMP);
	jitdumps_ask(&s->dumps, s->files, s->code, s->world);
	jitdumps_take(&s->dumps, s->files, s->code, false, &r);
	assert_false(waits(s, 1000));
}

static void test_for_names_only(void **state)
{
	struct scene *s = *state;

	jitdumps_found(&s->dumps, NULL, PID, DUMP);
	jitdumps_found(&s->dumps, NULL, PID, DUMP);
	jitdumps_ask(&s->dumps, s->files, NULL, s->world);
	jitdumps_forget(&s->dumps, s->files, NULL, PID);
	assert_int_equal(s->dumps.v.n, 1);
	assert_int_equal(s->dumps.v.v[0].binary, DUMP);
	assert_false(s->dumps.v.v[0].asked);
}

#define SCENE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_on),
		cmocka_unit_test(test_a_long_record),
		cmocka_unit_test(test_what_is_no_dump),
		SCENE(test_a_sample_waits_for_one_look),
		SCENE(test_one_look_after_the_end),
		SCENE(test_exec),
		SCENE(test_another_clock),
		SCENE(test_for_names_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
