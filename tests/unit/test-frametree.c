/* Unit tests of src/sample/frametree.c: a stack added whole is the same node as its frames added
 * one by one, however the tree grows meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sample/frametree.h"

enum { DEPTH = 100, STACKS = 400 };

/* Stacks that part from one another at every depth. */
static struct frame_place place_at(unsigned int stack, unsigned int level)
{
	return (struct frame_place){ .off = level < stack % DEPTH ? level : 1000 + stack,
				     .binary = level % 3 + 1 };
}

static uint32_t one_by_one(struct frametree *t, unsigned int stack, uint32_t *nodes)
{
	uint32_t node = 0;

	for (unsigned int i = 0; i < DEPTH; i++) {
		struct frame_place p = place_at(stack, i);

		node = frametree_add(t, node, p.binary, p.off, FRAME_PC);
		if (nodes)
			nodes[i] = node;
	}
	return node;
}

static void test_whole_stacks(void **state)
{
	(void)state;
	struct frametree single, whole;
	uint32_t want[DEPTH], have[DEPTH];
	struct frame_place places[DEPTH];

	frametree_init(&single);
	frametree_init(&whole);
	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int s = 0; s < STACKS; s++) {
			for (unsigned int i = 0; i < DEPTH; i++)
				places[i] = place_at(s, i);
			frametree_add_stack(&whole, 0, places, DEPTH, have);
			one_by_one(&single, s, want);
			assert_memory_equal(have, want, sizeof(want));
			assert_int_equal(one_by_one(&whole, s, NULL), want[DEPTH - 1]);
		}
	}
	assert_int_equal(single.frames.n, whole.frames.n);
	frametree_deinit(&single);
	frametree_deinit(&whole);
}

static void test_under_a_node(void **state)
{
	(void)state;
	struct frametree t;
	struct frame_place places[2] = { { .off = 7, .binary = 2 }, { .off = 7, .binary = 2 } };
	uint32_t nodes[2] = { 0 };

	frametree_init(&t);
	uint32_t outer = frametree_add(&t, 0, 1, 5, FRAME_RETURN);

	frametree_add_stack(&t, outer, places, 0, NULL);
	assert_int_equal(t.frames.n, 2);
	frametree_add_stack(&t, outer, places, 2, nodes);
	assert_int_equal(frametree_get(&t, nodes[1])->parent, nodes[0]);
	assert_int_equal(frametree_get(&t, nodes[0])->parent, outer);
	/* Other kinds and other parents are other nodes. */
	assert_int_not_equal(frametree_add(&t, outer, 2, 7, FRAME_RETURN), nodes[0]);
	assert_int_not_equal(frametree_add(&t, 0, 2, 7, FRAME_PC), nodes[0]);
	assert_int_equal(frametree_add(&t, nodes[0], 2, 7, FRAME_PC), nodes[1]);
	frametree_deinit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_stacks),
		cmocka_unit_test(test_under_a_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
