/* In: the name of a scene. Out: its flame graph on stdout, for tests that need a real file.
 * Usage: svg-scene small|nasty|deep|big|empty|city [COLORS [MIN-WIDTH]] */
#include <stdio.h>
#include <string.h>

#include "output/svg.h"
#include "support/handtree.h"

/* main calls work (30 samples of its own) which calls itself and malloc; idle beside it. */
static void scene_small(struct handtree *h)
{
	uint32_t comm = handtree_child(h, 0, "worker", ORIGIN_GROUP);
	uint32_t main_ = handtree_child(h, comm, "main", ORIGIN_USER);
	uint32_t idle = handtree_child(h, main_, "idle_loop", ORIGIN_USER);
	uint32_t work = handtree_child(h, main_, "work", ORIGIN_USER);
	uint32_t malloc_ = handtree_child(h, work, "malloc", ORIGIN_LIBRARY);
	uint32_t brk = handtree_child(h, malloc_, "do_syscall_64", ORIGIN_KERNEL);
	uint32_t again = handtree_child(h, work, "work", ORIGIN_USER);
	uint32_t jit = handtree_child(h, again, "LazyCompile:~sum /app/x.js:3", ORIGIN_JIT);

	handtree_add(h, main_, 5);
	handtree_add(h, idle, 15);
	handtree_add(h, work, 30);
	handtree_add(h, malloc_, 10);
	handtree_add(h, brk, 10);
	handtree_add(h, again, 20);
	handtree_add(h, jit, 10);
}

static void scene_nasty(struct handtree *h)
{
	static char long_name[10001];
	static const char *const names[] = {
		"h\x01\xff<&\"'",
		"]]>",
		"</script><img src=x onerror=alert(1)>",
		"</title></g></svg>",
		"a\nb\r\tc\x1b[31m",
		"\xed\xa0\x80 surrogate \xef\xbf\xbe\xef\xbf\xbf",
		"cut \xe4\xb8",
		"\xf4\x90\x80\x80\xc0\xaf",
		"\xc2\x80 \xc2\x85 \x7f",
		"&#0;&amp;<!--",
		"日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語",
		"operator<< <std::vector<int>>(std::ostream&, int const&)",
		"javascript:alert(1)",
		"",
	};
	uint32_t at = handtree_child(h, 0, "\xff<comm>&", ORIGIN_GROUP);

	for (size_t i = 0; i + 3 < sizeof(long_name); i += 3)
		memcpy(long_name + i, "\xe5\xad\x97", 3);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		at = handtree_child(h, at, names[i], (enum origin)(i % (ORIGIN_UNKNOWN + 1)));
		handtree_add(h, at, 3);
	}
	handtree_add(h, handtree_child(h, at, long_name, ORIGIN_USER), 100);
}

static void scene_deep(struct handtree *h)
{
	uint32_t at = handtree_child(h, 0, "deep", ORIGIN_GROUP);

	for (int i = 0; i < 2000; i++) {
		at = handtree_child(h, at, i % 2 ? "even(unsigned long)" : "odd(unsigned long)",
				    ORIGIN_USER);
		handtree_add(h, at, 1 + i % 3);
	}
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* A quarter of a million nodes of about the same weight: more than may be drawn. */
static void scene_big(struct handtree *h)
{
	static char names[100][32];
	uint64_t random = 1;

	for (int i = 0; i < 100; i++)
		snprintf(names[i], sizeof(names[i]), "function_%02d", i);
	for (int i = 0; i < 100; i++) {
		uint32_t a = handtree_child(h, 0, names[i], ORIGIN_USER);

		for (int j = 0; j < 50; j++) {
			uint32_t b = handtree_child(h, a, names[j], ORIGIN_LIBRARY);

			for (int k = 0; k < 50; k++)
				handtree_add(h, handtree_child(h, b, names[k], ORIGIN_KERNEL),
					     1 + next_random(&random) % 1000);
		}
	}
}

/* A skyline, as a real program makes it. */
static void grow(struct handtree *h, uint32_t node, uint64_t samples, int level, uint64_t *random)
{
	static const struct {
		const char *name;
		enum origin origin;
	} cast[] = {
		{ "PyEval_EvalFrameDefault", ORIGIN_USER },
		{ "PyObject_Vectorcall", ORIGIN_USER },
		{ "__libc_start_call_main", ORIGIN_LIBRARY },
		{ "std::vector<Token, std::allocator<Token>>::push_back(Token&&)", ORIGIN_LIBRARY },
		{ "parse_expression(Lexer&, int)", ORIGIN_USER },
		{ "entry_SYSCALL_64_after_hwframe", ORIGIN_KERNEL },
		{ "[unknown]", ORIGIN_UNKNOWN },
		{ "LazyCompile:*render /srv/app.js:120", ORIGIN_JIT },
		{ "malloc", ORIGIN_LIBRARY },
		{ "memcpy", ORIGIN_LIBRARY },
		{ "dict_lookup", ORIGIN_USER },
	};
	enum { N = sizeof(cast) / sizeof(cast[0]) };
	uint64_t first = next_random(random) % N;

	for (uint64_t i = 0; i < 1 + next_random(random) % 3 && samples > 3 && level < 40; i++) {
		uint64_t part = samples * (25 + next_random(random) % 70) / 100;
		uint64_t who = (first + i) % N;

		if (level < 3)
			part = samples * 97 / 100;
		uint32_t child = handtree_child(h, node, cast[who].name, cast[who].origin);

		grow(h, child, part, level + 1, random);
		samples -= part;
	}
	handtree_add(h, node, samples);
}

static void scene_city(struct handtree *h)
{
	uint64_t random = 7;

	grow(h, handtree_child(h, 0, "nginx", ORIGIN_GROUP), 1234, 0, &random);
	grow(h, handtree_child(h, 0, "python3", ORIGIN_GROUP), 8698, 0, &random);
}

static void scene_empty(struct handtree *h)
{
	(void)h;
}

static const struct {
	const char *name;
	void (*make)(struct handtree *h);
} scenes[] = {
	{ "small", scene_small }, { "nasty", scene_nasty }, { "deep", scene_deep },
	{ "big", scene_big },     { "city", scene_city },   { "empty", scene_empty },
};

int main(int argc, char **argv)
{
	const struct svg_options options = {
		.colors = argc > 2 ? argv[2] : NULL,
		.has_min_width = argc > 3,
		.min_width = argc > 3 ? atof(argv[3]) : 0,
	};

	for (size_t i = 0; argc > 1 && i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		struct handtree h;

		if (strcmp(scenes[i].name, argv[1]) != 0)
			continue;
		handtree_init(&h);
		scenes[i].make(&h);
		struct output_context ctx = { .tree = &h.tree, .options = &options };
		struct err *err = svg_output.write(&ctx, stdout);

		if (err)
			fprintf(stderr, "%s\n", err_msg(err));
		int status = err != NULL;

		err_destroy(err);
		handtree_deinit(&h);
		return status;
	}
	fprintf(stderr, "usage: svg-scene small|nasty|deep|big|empty|city [COLORS [MIN-WIDTH]]\n");
	return 2;
}
