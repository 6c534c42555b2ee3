/* Unit tests of unwind/chain: literal chains in, exact frames out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "sample/binaries.h"
#include "unwind/chain.h"

enum { APP = 5, LIB = 6, JIT = 7 };

struct fixture {
	struct frametree tree;
	struct addrspace as;
	struct chains *chains;
};

static int setup(void **state)
{
	static struct fixture f;

	frametree_init(&f.tree);
	addrspace_init(&f.as);
	addrspace_map(&f.as, &(struct mapping){ 0x400000, 0x500000, 0x1000, APP });
	addrspace_map(&f.as, &(struct mapping){ 0x7f0000000000, 0x7f0000100000, 0x28000, LIB });
	addrspace_map(&f.as, &(struct mapping){ 0x600000, 0x601000, 0x600000, JIT });
	f.chains = chains_create(&f.tree, 8);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	chains_destroy(f->chains);
	addrspace_deinit(&f->as);
	frametree_deinit(&f->tree);
	return 0;
}

static uint32_t ask(struct fixture *f, const struct addrspace *as, enum raw_mode mode,
		    struct chain_query q)
{
	q.as = as;
	q.mode = mode;
	chains_ask(f->chains, &q);
	chains_near(f->chains, &q);
	return chains_node(f->chains, &q);
}

static uint32_t node_of(struct fixture *f, enum raw_mode mode, const uint64_t *chain, uint32_t n)
{
	uint64_t ip = 0;

	for (uint32_t i = 0; i < n && !ip; i++)
		ip = chain[i] < (uint64_t)PERF_CONTEXT_MAX ? chain[i] : 0;

	return ask(f, &f->as, mode, (struct chain_query){ .ip = ip, .words = chain, .n = n });
}

#define NODE(f, mode, ...)                                                                         \
	node_of((f), (mode), (const uint64_t[]){ __VA_ARGS__ },                                    \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/* Innermost first, as the chain. */
static void expect(const struct fixture *f, uint32_t node, const struct frame *want, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct frame *have = frametree_get(&f->tree, node);

		assert_int_not_equal(node, 0);
		assert_int_equal(have->off, want[i].off);
		assert_int_equal(have->binary, want[i].binary);
		assert_int_equal(have->kind, want[i].kind);
		node = have->parent;
	}
	assert_int_equal(node, 0);
}

#define EXPECT(f, node, ...)                                                                       \
	do {                                                                                       \
		static const struct frame want_[] = { __VA_ARGS__ };                               \
		expect((f), (node), want_, sizeof(want_) / sizeof(want_[0]));                      \
	} while (0)

static void test_user_chain(void **state)
{
	struct fixture *f = *state;
	uint32_t node = NODE(f, RAW_MODE_USER, PERF_CONTEXT_USER, 0x400123, 0x7f0000000010,
			     0x600040, 0x999, 0);

	EXPECT(f, node, { 0x1123, .binary = APP, .kind = FRAME_PC },
	       { 0x28010, .binary = LIB, .kind = FRAME_RETURN },
	       { 0x600040, .binary = JIT, .kind = FRAME_RETURN },
	       { 0x999, .binary = BINARY_UNKNOWN, .kind = FRAME_RETURN });
}

static void test_kernel_over_user(void **state)
{
	struct fixture *f = *state;
	uint32_t node = NODE(f, RAW_MODE_KERNEL, PERF_CONTEXT_KERNEL, 0xffffffff81000010,
			     0xffffffff81000020, PERF_CONTEXT_USER, 0x400123, 0x400200);

	EXPECT(f, node, { 0xffffffff81000010, .binary = BINARY_KERNEL, .kind = FRAME_PC },
	       { 0xffffffff81000020, .binary = BINARY_KERNEL, .kind = FRAME_RETURN },
	       { 0x1123, .binary = APP, .kind = FRAME_PC },
	       { 0x1200, .binary = APP, .kind = FRAME_RETURN });
}

static void test_kernel_thread_has_no_address_space(void **state)
{
	struct fixture *f = *state;
	static const uint64_t chain[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000010,
					  PERF_CONTEXT_USER, 0x400123 };
	struct chain_query q = { .ip = chain[1], .words = chain, .n = 4 };

	EXPECT(f, ask(f, NULL, RAW_MODE_KERNEL, q),
	       { 0xffffffff81000010, .binary = BINARY_KERNEL, .kind = FRAME_PC },
	       { 0x400123, .binary = BINARY_UNKNOWN, .kind = FRAME_PC });
}

static void test_no_chain_is_the_ip(void **state)
{
	struct fixture *f = *state;
	static const uint64_t markers[] = { PERF_CONTEXT_KERNEL, PERF_CONTEXT_USER };
	struct chain_query q = { .ip = 0x400123 };

	EXPECT(f, ask(f, &f->as, RAW_MODE_USER, q), { 0x1123, .binary = APP, .kind = FRAME_PC });
	q.ip = 0xffffffff81000010;
	EXPECT(f, ask(f, &f->as, RAW_MODE_KERNEL, q),
	       { 0xffffffff81000010, .binary = BINARY_KERNEL, .kind = FRAME_PC });
	/* Two samples with markers only must not share a node. */
	q = (struct chain_query){ .ip = 0x400001, .words = markers, .n = 2 };
	EXPECT(f, ask(f, &f->as, RAW_MODE_USER, q), { 0x1001, .binary = APP, .kind = FRAME_PC });
	q.ip = 0x400002;
	EXPECT(f, ask(f, &f->as, RAW_MODE_USER, q), { 0x1002, .binary = APP, .kind = FRAME_PC });
}

static void test_guest_and_deferred(void **state)
{
	struct fixture *f = *state;

	EXPECT(f, NODE(f, RAW_MODE_GUEST, PERF_CONTEXT_GUEST_USER, 0x400123, 0x400456),
	       { 0x400123, .binary = BINARY_UNKNOWN, .kind = FRAME_PC },
	       { 0x400456, .binary = BINARY_UNKNOWN, .kind = FRAME_RETURN });
	/* The word after the marker of a deferred chain is a cookie, no address. */
	EXPECT(f,
	       NODE(f, RAW_MODE_KERNEL, PERF_CONTEXT_KERNEL, 0xffffffff81000010, (uint64_t)-640,
		    0x400123),
	       { 0xffffffff81000010, .binary = BINARY_KERNEL, .kind = FRAME_PC });
	EXPECT(f, NODE(f, RAW_MODE_KERNEL, PERF_CONTEXT_KERNEL, 0xffffffff81000010, (uint64_t)-640),
	       { 0xffffffff81000010, .binary = BINARY_KERNEL, .kind = FRAME_PC });
}

static void test_depth_limit_counts_addresses_only(void **state)
{
	struct fixture *f = *state;

	EXPECT(f,
	       NODE(f, RAW_MODE_KERNEL, PERF_CONTEXT_KERNEL, (uint64_t)-0x7000, PERF_CONTEXT_USER,
		    0x400001, 0x400002, 0x400003, 0x400004, 0x400005, 0x400006),
	       { (uint64_t)-0x7000, .binary = BINARY_KERNEL, .kind = FRAME_PC },
	       { 0x1001, .binary = APP, .kind = FRAME_PC },
	       { 0x1002, .binary = APP, .kind = FRAME_RETURN },
	       { 0x1003, .binary = APP, .kind = FRAME_RETURN },
	       { 0x1004, .binary = APP, .kind = FRAME_RETURN },
	       { 0x1005, .binary = APP, .kind = FRAME_RETURN },
	       { 0x1006, .binary = APP, .kind = FRAME_RETURN });
	EXPECT(f,
	       NODE(f, RAW_MODE_USER, PERF_CONTEXT_USER, 0x400001, 0x400002, 0x400003, 0x400004,
		    0x400005, 0x400006, 0x400007, 0x400008),
	       { 0x1001, .binary = APP, .kind = FRAME_PC },
	       { 0x1002, .binary = APP, .kind = FRAME_RETURN },
	       { 0x1003, .binary = APP, .kind = FRAME_RETURN },
	       { 0x1004, .binary = APP, .kind = FRAME_RETURN },
	       { 0x1005, .binary = APP, .kind = FRAME_RETURN },
	       { 0x1006, .binary = APP, .kind = FRAME_RETURN },
	       { 0x1007, .binary = APP, .kind = FRAME_RETURN },
	       { 0x1008, .binary = APP, .kind = FRAME_RETURN },
	       { VERDICT_DEPTH_LIMIT, .binary = BINARY_UNKNOWN, .kind = FRAME_CUT });
}

static void test_cache_follows_the_generation(void **state)
{
	struct fixture *f = *state;
	uint32_t before = NODE(f, RAW_MODE_USER, PERF_CONTEXT_USER, 0x400123);
	size_t n_frames = f->tree.frames.n;

	assert_int_equal(NODE(f, RAW_MODE_USER, PERF_CONTEXT_USER, 0x400123), before);
	assert_int_equal(f->tree.frames.n, n_frames);
	addrspace_map(&f->as, &(struct mapping){ 0x400000, 0x500000, 0, LIB });
	uint32_t after = NODE(f, RAW_MODE_USER, PERF_CONTEXT_USER, 0x400123);

	EXPECT(f, after, { 0x123, .binary = LIB, .kind = FRAME_PC });
	EXPECT(f, before, { 0x1123, .binary = APP, .kind = FRAME_PC });
	frametree_clear(&f->tree);
	chains_clear(f->chains);
	after = NODE(f, RAW_MODE_USER, PERF_CONTEXT_USER, 0x400123);
	assert_int_equal(after, 1);
	EXPECT(f, after, { 0x123, .binary = LIB, .kind = FRAME_PC });
}

/* Many chains of every length against themselves: a hash that ignored a word or a length would
 * still be caught by the comparison, a comparison that did would not. */
static void test_every_word_counts(void **state)
{
	struct fixture *f = *state;
	uint64_t chain[32];

	for (uint32_t n = 2; n <= 7; n++) {
		for (uint32_t changed = 1; changed < n; changed++) {
			for (uint32_t i = 0; i < n; i++)
				chain[i] = i ? 0x400000 + i : (uint64_t)PERF_CONTEXT_USER;
			uint32_t a = node_of(f, RAW_MODE_USER, chain, n);

			chain[changed] += 0x100;
			assert_int_not_equal(node_of(f, RAW_MODE_USER, chain, n), a);
			chain[changed] -= 0x100;
			assert_int_equal(node_of(f, RAW_MODE_USER, chain, n), a);
		}
	}
}

/* What is outward of the innermost frame is remembered by itself: whose that frame is must not be.
 */
static void test_innermost_frame_is_of_its_context(void **state)
{
	struct fixture *f = *state;

	for (int again = 0; again < 2; again++) {
		EXPECT(f, NODE(f, RAW_MODE_USER, PERF_CONTEXT_USER, 0x400123, 0x400200),
		       { 0x1123, .binary = APP, .kind = FRAME_PC },
		       { 0x1200, .binary = APP, .kind = FRAME_RETURN });
		EXPECT(f, NODE(f, RAW_MODE_USER, PERF_CONTEXT_KERNEL, 0x400123, 0x400200),
		       { 0x400123, .binary = BINARY_KERNEL, .kind = FRAME_PC },
		       { 0x400200, .binary = BINARY_KERNEL, .kind = FRAME_RETURN });
		EXPECT(f, NODE(f, RAW_MODE_USER, PERF_CONTEXT_USER, 0x400123),
		       { 0x1123, .binary = APP, .kind = FRAME_PC });
		EXPECT(f, NODE(f, RAW_MODE_USER, PERF_CONTEXT_KERNEL, 0x400123),
		       { 0x400123, .binary = BINARY_KERNEL, .kind = FRAME_PC });
	}
}

/* The same chain in two processes, one after the other, time and again. */
static void test_innermost_frame_is_of_its_address_space(void **state)
{
	struct fixture *f = *state;
	static const uint64_t chain[] = { PERF_CONTEXT_USER, 0x400123, 0x999 };
	struct chain_query q = { .words = chain, .n = 3 };
	struct addrspace other;

	addrspace_init(&other);
	addrspace_map(&other, &(struct mapping){ 0x400000, 0x500000, 0, LIB });
	for (int again = 0; again < 2; again++) {
		EXPECT(f, ask(f, &f->as, RAW_MODE_USER, q),
		       { 0x1123, .binary = APP, .kind = FRAME_PC },
		       { 0x999, .binary = BINARY_UNKNOWN, .kind = FRAME_RETURN });
		EXPECT(f, ask(f, &other, RAW_MODE_USER, q),
		       { 0x123, .binary = LIB, .kind = FRAME_PC },
		       { 0x999, .binary = BINARY_UNKNOWN, .kind = FRAME_RETURN });
	}
	addrspace_deinit(&other);
}

static void test_cache_is_bounded(void **state)
{
	struct fixture *f = *state;
	static uint64_t chain[4096] = { PERF_CONTEXT_USER };

	for (uint32_t i = 1; i < 4096; i++)
		chain[i] = 0x400000;
	uint32_t first = node_of(f, RAW_MODE_USER, chain, 4096);

	for (uint64_t round = 1; round < 2500; round++) {
		chain[1] = 0x400000 + round;
		node_of(f, RAW_MODE_USER, chain, 4096);
	}
	chain[1] = 0x400000;
	assert_int_equal(node_of(f, RAW_MODE_USER, chain, 4096), first);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_user_chain),
		TEST(test_kernel_over_user),
		TEST(test_kernel_thread_has_no_address_space),
		TEST(test_no_chain_is_the_ip),
		TEST(test_guest_and_deferred),
		TEST(test_depth_limit_counts_addresses_only),
		TEST(test_cache_follows_the_generation),
		TEST(test_every_word_counts),
		TEST(test_innermost_frame_is_of_its_context),
		TEST(test_innermost_frame_is_of_its_address_space),
		TEST(test_cache_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
