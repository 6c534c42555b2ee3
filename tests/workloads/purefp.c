/* A fixed amount of work in code that keeps frame pointers throughout: no library call is hot. A
 * toy compiler run over and over: a text is made, cut into tokens, parsed, folded and emitted.
 * `purefp ROUNDS` prints the CPU and wall time it took, in seconds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))
/* gcc drops the frame of a function that calls none, whatever its options, unless it is used. */
#define KEEP_FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

enum { TEXT = 4096, NODES = 4096 };

struct node {
	char op; /* 0: a number */
	uint32_t value;
	int left, right;
};

static char text[TEXT + 1];
static struct node nodes[NODES];
static int n_nodes;
static const char *at;
static uint32_t seed;

static uint32_t draw(void)
{
	seed = seed * 1664525 + 1013904223;
	return seed >> 8;
}

NOINLINE static char *write_number(char *p)
{
	KEEP_FRAME();
	for (int i = 0; i < 3; i++)
		*p++ = (char)('0' + draw() % 10);
	return p;
}

NOINLINE static char *write_expression(char *p, int depth)
{
	if (depth == 0 || p - text > TEXT - 200)
		return write_number(p);
	*p++ = '(';
	p = write_expression(p, depth - 1);
	*p++ = "+-*"[draw() % 3];
	p = write_expression(p, depth - 1);
	*p++ = ')';
	return p;
}

NOINLINE static int new_node(char op, uint32_t value, int left, int right)
{
	KEEP_FRAME();
	if (n_nodes == NODES)
		n_nodes = 0;
	nodes[n_nodes] = (struct node){ op, value, left, right };
	return n_nodes++;
}

NOINLINE static int parse_number(void)
{
	uint32_t value = 0;

	while (*at >= '0' && *at <= '9')
		value = value * 10 + (uint32_t)(*at++ - '0');
	return new_node(0, value, -1, -1);
}

NOINLINE static int parse_expression(void)
{
	if (*at != '(')
		return parse_number();
	at++;
	int left = parse_expression();
	char op = *at++;
	int right = parse_expression();

	at++;
	return new_node(op, 0, left, right);
}

NOINLINE static uint32_t fold_tree(int n)
{
	const struct node *node = &nodes[n];

	if (!node->op)
		return node->value;
	uint32_t a = fold_tree(node->left);
	uint32_t b = fold_tree(node->right);

	return node->op == '+' ? a + b : node->op == '-' ? a - b : a * b;
}

NOINLINE static uint32_t checksum(void)
{
	uint32_t sum = 0;

	KEEP_FRAME();
	for (int pass = 0; pass < 4; pass++)
		for (const char *p = text; *p; p++)
			sum = (sum << 5 | sum >> 27) ^ (uint32_t)*p;
	return sum;
}

NOINLINE static uint32_t compile_unit(uint32_t unit)
{
	seed = unit;
	n_nodes = 0;
	*write_expression(text, 8) = '\0';
	at = text;
	uint32_t folded = fold_tree(parse_expression());

	return folded ^ checksum();
}

static double seconds(const struct timespec *t)
{
	return (double)t->tv_sec + 1e-9 * (double)t->tv_nsec;
}

int main(int argc, char **argv)
{
	uint32_t rounds = argc > 1 ? (uint32_t)atoi(argv[1]) : 100000;
	uint32_t sum = 0;
	struct timespec start, end;
	struct rusage u;

	clock_gettime(CLOCK_MONOTONIC, &start);
	for (uint32_t i = 0; i < rounds; i++)
		sum ^= compile_unit(i);
	clock_gettime(CLOCK_MONOTONIC, &end);
	getrusage(RUSAGE_SELF, &u);
	printf("cpu %.6f wall %.6f (%08x)\n",
	       (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
		       1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec),
	       seconds(&end) - seconds(&start), (unsigned)sum);
	return 0;
}
